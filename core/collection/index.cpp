// SPDX-License-Identifier: Apache-2.0
// Finds files, asks the collection which of them are new, and fills it.
#include "core/collection/index.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <system_error>

#include "core/base/stopwatch.hpp"
#include "core/io/matrix_files.hpp"
#include "core/io/reader.hpp"

namespace spyctrum {

namespace {

namespace fs = std::filesystem;

/// Files of more bytes are read one after the other, each on all threads.
constexpr std::uint64_t kLargeFile = std::uint64_t{16} << 20U;

std::optional<FileStamp> stamp_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileStamp{static_cast<std::uint64_t>(status.st_size),
                   static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec};
}

class Indexing {
 public:
  Indexing(Database& database, const Backend& backend, JobContext& context, LoadOptions load)
      : database_(database), backend_(backend), context_(context), load_(std::move(load)) {
    load_.import_where_known = true;
  }

  IndexResult run(const std::vector<std::string>& folders) {
    const Stopwatch watch;
    context_.begin_stage("find files");
    for (const std::string& folder : folders) {
      std::error_code problem;
      const fs::path path = fs::canonical(folder, problem);
      if (problem)
        throw Failure(ErrorCode::bad_input, folder + ": " + problem.message() + ".",
                      "Name folders that exist.");
      if (fs::is_directory(path, problem))
        find(path);
      else
        files_.push_back(path.string());
    }
    std::ranges::sort(files_);
    files_.erase(std::unique(files_.begin(), files_.end()), files_.end());

    context_.begin_stage("index");
    context_.pool().parallel_for(files_.size(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t k = begin; k < end; ++k) index_small(files_[k]);
    });
    std::ranges::sort(large_);
    for (const std::string& file : large_)
      index_one(file, context_.pool(), context_.memory().allowance(), true);
    std::ranges::sort(result_.failed, {}, &IndexFailure::file);
    result_.seconds = watch.seconds();
    return std::move(result_);
  }

 private:
  void find(const fs::path& folder) {
    MatrixFiles found = find_matrix_files(folder.string(), context_);
    for (MatrixFile& file : found.files) files_.push_back(std::move(file.path));
    for (const auto& [unreadable, reason] : found.unreadable)
      result_.failed.push_back({unreadable, "The folder cannot be read: " + reason});
  }

  void index_small(const std::string& file) {
    const unsigned threads = context_.pool().threads();
    const auto stamp = stamp_of(file);
    if (threads > 1 && stamp && stamp->size > kLargeFile) {
      const std::lock_guard lock(mutex_);
      large_.push_back(file);
      return;
    }
    ThreadPool alone(1);
    index_one(file, alone, context_.memory().allowance() / threads, threads == 1);
  }

  /// `last_try`: else a file that does not fit into `memory` is left for the whole allowance.
  void index_one(const std::string& file, ThreadPool& pool, std::uint64_t memory, bool last_try) {
    const auto stamp = stamp_of(file);
    if (!stamp) {
      add_failure(file, std::string("The file has vanished: ") + std::strerror(errno));
    } else if (!is_settled(file, *stamp)) {
      JobContext job(pool, {.memory_bytes = memory,
                            .device_bytes = context_.device_bytes(),
                            .seed = context_.seed(),
                            .stop = context_.stop_token(),
                            .on_progress = {}});
      const Result<void> ended = run_guarded([&] { read_and_store(file, *stamp, job); });
      if (!ended && ended.error().code == ErrorCode::out_of_memory && !last_try) {
        const std::lock_guard lock(mutex_);
        large_.push_back(file);
        return;
      }
      if (!ended) note_error(file, *stamp, ended.error());
    }
    const std::lock_guard lock(mutex_);
    context_.checkpoint(++done_, files_.size());
  }

  /// Whether the collection knows the file as it is now.
  bool is_settled(const std::string& file, const FileStamp& stamp) {
    if (!load_.import.empty()) return false;
    const std::lock_guard lock(mutex_);
    const auto known = database_.file(file, context_.seed());
    if (!known || known->stamp != stamp) return false;
    if (!known->problem.empty()) {
      result_.failed.push_back({file, known->problem});
      return true;
    }
    if (known->has_fingerprint) ++result_.unchanged;
    return known->has_fingerprint;
  }

  void read_and_store(const std::string& file, const FileStamp& stamp, JobContext& job) {
    const Matrix matrix = or_throw(load_matrix(file, load_, job));
    const SparsePattern& pattern = *matrix.pattern;
    const Booking booking(job.memory(), pattern.bytes(), "pattern");
    const FingerprintSetting setting = fingerprint_setting(pattern.rows(), pattern.cols(), job.seed());
    {
      const std::lock_guard lock(mutex_);
      if (database_.has_fingerprint(pattern.fingerprint(), setting)) {
        database_.put(file, stamp, pattern.fingerprint(), setting.setting, nullptr);
        ++result_.known;
        return;
      }
    }
    const Fingerprint made = or_throw(fingerprint_of(matrix.pattern, backend_, job));
    const std::lock_guard lock(mutex_);
    database_.put(file, stamp, made.content, made.setting.setting, &made);
    ++result_.indexed;
  }

  /// Records a file that cannot be read. Throws Failure for what concerns the whole run.
  void note_error(const std::string& file, const FileStamp& stamp, const Error& error) {
    const bool concerns_file = error.code == ErrorCode::bad_input || error.code == ErrorCode::wrong_use;
    if (!concerns_file && error.code != ErrorCode::out_of_memory) throw Failure(error);
    const auto now = stamp_of(file);
    if (!now) {
      add_failure(file, "The file has vanished while it was read.");
      return;
    }
    if (concerns_file) {
      const std::lock_guard lock(mutex_);
      database_.put_bad(file, stamp, error.message());
    }
    add_failure(file, error.message());
  }

  void add_failure(const std::string& file, const std::string& reason) {
    const std::lock_guard lock(mutex_);
    result_.failed.push_back({file, reason});
  }

  Database& database_;
  Backend backend_;
  JobContext& context_;
  LoadOptions load_;
  std::vector<std::string> files_;
  std::mutex mutex_;  // guards the database and the members below
  std::vector<std::string> large_;
  std::size_t done_ = 0;
  IndexResult result_;
};

}  // namespace

Result<IndexResult> index_folders(const std::vector<std::string>& folders, Database& database,
                                  const Backend& backend, JobContext& context, const LoadOptions& load) {
  return run_guarded([&] { return Indexing(database, backend, context, load).run(folders); });
}

}  // namespace spyctrum
