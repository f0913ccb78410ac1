// SPDX-License-Identifier: Apache-2.0
// Finds files, looks up which of them are new, and adds their fingerprints to the collection.
#include "core/collection/index.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/stopwatch.hpp"
#include "core/cluster/communicator.hpp"
#include "core/collection/fingerprint_bytes.hpp"
#include "core/io/matrix_files.hpp"
#include "core/matrix/generators.hpp"

namespace spyctrum {

namespace {

namespace fs = std::filesystem;

/// Files of more bytes are read one after the other, each by all threads.
constexpr std::uint64_t kLargeFile = std::uint64_t{16} << 20U;

/// As indexed_name(); sets `problem` if the file cannot be found.
std::string canonical_name(const std::string& source, std::error_code& problem) {
  if (is_generator_text(source)) return source;
  const std::string path = path_of_matrix(source);
  return fs::canonical(path, problem).string() + source.substr(path.size());
}

/// The result of indexing one file.
struct Outcome {
  enum class Kind : std::uint8_t {
    made,       ///< `fingerprint` is new
    known,      ///< the collection has a fingerprint of this pattern
    bad_file,   ///< cannot be read until it changes, for `reason`
    unread,     ///< was not read, for a `reason` that may be temporary
    too_large,  ///< does not fit into the memory of one of several threads
  };
  Kind kind = Kind::unread;
  std::string reason{};
  Fingerprint fingerprint{};  ///< made: all of it; known: content and setting
};

/// A file that is to be read.
struct Item {
  std::string file;
  FileStamp stamp;
};

/// The items of one rank of an MPI job, by their positions in the list of all ranks. The rank's main thread
/// communicates with the other ranks; the threads of its pool take items and finish them.
class ItemQueue {
 public:
  /// The next item; empty once the queue is closed.
  std::optional<std::uint64_t> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
    if (closed_) return std::nullopt;
    const std::uint64_t item = waiting_.front();
    waiting_.pop_front();
    ++taken_;
    return item;
  }
  void add(std::uint64_t item) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(item);
    changed_.notify_all();
  }
  void finish(const std::vector<std::byte>& outcome) {
    const std::lock_guard lock(mutex_);
    finished_.insert(finished_.end(), outcome.begin(), outcome.end());
    --taken_;
    changed_.notify_all();
  }
  void fail(std::exception_ptr problem) {
    const std::lock_guard lock(mutex_);
    problem_ = std::move(problem);
    changed_.notify_all();
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  /// Returns the outcomes since the last call, after waiting at most 20 ms for one. Sets `missing` to the
  /// number of items that this rank lacks to have `most` of them. Rethrows the exception given to fail().
  std::vector<std::byte> finished(std::size_t most, std::uint64_t& missing) {
    constexpr std::chrono::milliseconds kMoment{20};
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kMoment, [&] { return problem_ || !finished_.empty(); });
    if (problem_) std::rethrow_exception(problem_);
    const std::size_t here = waiting_.size() + taken_;
    missing = most > here ? most - here : 0;
    return std::exchange(finished_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::uint64_t> waiting_;
  std::size_t taken_ = 0;
  std::vector<std::byte> finished_;
  std::exception_ptr problem_;
  bool closed_ = false;
};

/// A thread that works on a queue, which is closed when this object ends.
class QueueThread {
 public:
  QueueThread(ItemQueue& queue, const std::function<void()>& work)
      : queue_(queue), thread_([&queue, work] {
          try {
            work();
          } catch (...) {
            queue.fail(std::current_exception());
          }
        }) {}
  ~QueueThread() {
    queue_.close();
    thread_.join();
  }
  QueueThread(const QueueThread&) = delete;
  QueueThread& operator=(const QueueThread&) = delete;

 private:
  ItemQueue& queue_;
  std::thread thread_;
};

class Indexing {
 public:
  Indexing(Database* database, Communicator& ranks, const Backend& backend, JobContext& context,
           LoadOptions load)
      : database_(database), ranks_(ranks), backend_(backend), context_(context), load_(std::move(load)) {
    load_.import_where_known = true;
  }

  IndexResult run(const std::vector<std::string>& sources) {
    const Stopwatch watch;
    context_.begin_stage("find files");
    if (ranks_.rank() == 0) find_all(sources);
    context_.begin_stage("index");
    if (ranks_.size() > 1)
      index_with_ranks();
    else
      index_alone();
    std::ranges::sort(result_.failed, {}, &IndexFailure::file);
    result_.seconds = watch.seconds();
    return std::move(result_);
  }

 private:
  void find_all(const std::vector<std::string>& sources) {
    for (const std::string& source : sources) {
      std::error_code problem;
      const std::string name = canonical_name(source, problem);
      if (problem)
        add_failure(source, problem.message());
      else if (fs::is_directory(name, problem))
        find(name);
      else
        files_.push_back(name);
    }
    std::ranges::sort(files_);
    files_.erase(std::unique(files_.begin(), files_.end()), files_.end());
  }

  void find(const fs::path& folder) {
    MatrixFiles found = find_matrix_files(folder.string(), context_);
    for (const MatrixFile& file : found.files) files_.push_back(indexed_name(file.path));
    for (const auto& [unreadable, reason] : found.unreadable)
      result_.failed.push_back({unreadable, "The folder cannot be read: " + reason});
  }

  void index_alone() {
    context_.pool().parallel_for(files_.size(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t k = begin; k < end; ++k) index_small(files_[k]);
    });
    std::ranges::sort(large_);
    for (const std::string& file : large_)
      index_one(file, context_.pool(), context_.memory().allowance(), true);
  }

  void index_small(const std::string& file) {
    const unsigned threads = context_.pool().threads();
    const auto stamp = file_stamp(file);
    if (threads > 1 && stamp && stamp->size > kLargeFile) {
      const std::lock_guard lock(mutex_);
      large_.push_back(file);
      return;
    }
    ThreadPool alone(1);
    index_one(file, alone, context_.memory().allowance() / threads, threads == 1);
  }

  /// Reads and stores one file. If it does not fit into `memory`, adds it to large_, unless `last_try`.
  void index_one(const std::string& file, ThreadPool& pool, std::uint64_t memory, bool last_try) {
    const auto stamp = file_stamp(file);
    if (!stamp) {
      add_missing(file);
    } else if (!is_settled(file, *stamp)) {
      const Outcome outcome = attempt(file, pool, memory, last_try);
      if (outcome.kind == Outcome::Kind::too_large) {
        const std::lock_guard lock(mutex_);
        large_.push_back(file);
        return;
      }
      store(file, *stamp, outcome);
    }
    const std::lock_guard lock(mutex_);
    context_.checkpoint(++done_, files_.size());
  }

  /// Whether the collection has a fingerprint or an error of the unchanged file; if so, counts it.
  bool is_settled(const std::string& file, const FileStamp& stamp) {
    if (!load_.import.empty()) return false;
    const std::lock_guard lock(mutex_);
    const auto known = database_->file(file, context_.seed());
    if (!known || known->stamp != stamp) return false;
    if (!known->problem.empty()) {
      result_.failed.push_back({file, known->problem});
      return true;
    }
    if (known->has_fingerprint) ++result_.unchanged;
    return known->has_fingerprint;
  }

  /// Reads a file and makes its fingerprint. Throws Failure for errors that end the whole run.
  Outcome attempt(const std::string& file, ThreadPool& pool, std::uint64_t memory, bool last_try) {
    JobContext job(pool, {.memory_bytes = memory,
                          .device_bytes = context_.device_bytes(),
                          .seed = context_.seed(),
                          .stop = context_.stop_token(),
                          .on_progress = {}});
    Result<Outcome> ended = run_guarded([&] { return read(file, job); });
    if (ended) return std::move(*ended);
    const Error& error = ended.error();
    if (error.code == ErrorCode::out_of_memory && !last_try) return {Outcome::Kind::too_large};
    const bool concerns_file = error.code == ErrorCode::bad_input || error.code == ErrorCode::wrong_use;
    if (!concerns_file && error.code != ErrorCode::out_of_memory) throw Failure(error);
    if (!file_stamp(file)) return {Outcome::Kind::unread, "The file was removed while it was being read."};
    return {concerns_file ? Outcome::Kind::bad_file : Outcome::Kind::unread, error.message()};
  }

  Outcome read(const std::string& file, JobContext& job) {
    const Matrix matrix = or_throw(load_matrix(file, load_, job));
    const SparsePattern& pattern = *matrix.pattern;
    pattern.determine_properties(job);
    const Booking booking(job.memory(), pattern.bytes(), "pattern");
    Outcome outcome{Outcome::Kind::known};
    outcome.fingerprint.content = pattern.fingerprint();
    outcome.fingerprint.setting = fingerprint_setting(pattern.rows(), pattern.cols(), job.seed());
    if (database_ != nullptr) {
      const std::lock_guard lock(mutex_);
      if (database_->has_fingerprint(pattern.fingerprint(), outcome.fingerprint.setting)) return outcome;
    }
    const Backend backend = faster_backend(matrix.pattern, backend_, context_.pool().threads());
    return {Outcome::Kind::made, {}, or_throw(fingerprint_of(matrix.pattern, backend, job))};
  }

  void store(const std::string& file, const FileStamp& stamp, const Outcome& outcome) {
    const std::lock_guard lock(mutex_);
    const Fingerprint& print = outcome.fingerprint;
    switch (outcome.kind) {
      case Outcome::Kind::made:
      case Outcome::Kind::known: {
        // other ranks do not look into the collection
        const bool is_new =
            outcome.kind == Outcome::Kind::made && !database_->has_fingerprint(print.content, print.setting);
        database_->put(file, stamp, print.content, print.setting.setting, is_new ? &print : nullptr);
        ++(is_new ? result_.indexed : result_.known);
        return;
      }
      case Outcome::Kind::bad_file:
        database_->put_bad(file, stamp, outcome.reason);
        break;
      case Outcome::Kind::unread:
      case Outcome::Kind::too_large:
        break;
    }
    result_.failed.push_back({file, outcome.reason});
  }

  void add_failure(const std::string& file, const std::string& reason) {
    const std::lock_guard lock(mutex_);
    result_.failed.push_back({file, reason});
  }

  /// After file_stamp() of the file has failed.
  void add_missing(const std::string& file) {
    add_failure(file, std::string("The file no longer exists: ") + std::strerror(errno));
  }

  // Several ranks: only rank 0 reads and writes the collection. It sends the list of files to all ranks.
  // Every rank receives how many files each rank can take, so that all ranks divide the list in the same way.

  void index_with_ranks() {
    std::vector<Item> small = named_by_rank_0();
    std::vector<Item> large;
    for (std::size_t k = small.size(); k-- > 0;)
      if (small[k].stamp.size > kLargeFile) {
        large.push_back(std::move(small[k]));
        small.erase(small.begin() + static_cast<std::ptrdiff_t>(k));
      }
    total_ = small.size() + large.size();
    for (const std::uint64_t item : share_out(small, false)) large.push_back(small[item]);
    std::ranges::sort(large, {}, &Item::file);
    (void)share_out(large, true);
  }

  std::vector<Item> named_by_rank_0() {
    std::vector<std::byte> names;
    if (ranks_.rank() == 0)
      for (const std::string& file : files_) {
        const auto stamp = file_stamp(file);
        if (!stamp)
          add_missing(file);
        else if (!is_settled(file, *stamp)) {
          put_text(names, file);
          put_value(names, *stamp);
        }
      }
    const std::vector<std::byte> named = ranks_.gather(names, context_.stop_token()).front();
    ByteReader reader(named);
    std::vector<Item> items;
    while (!reader.is_at_end()) {
      std::string file = reader.text();
      items.push_back({std::move(file), reader.value<FileStamp>()});
    }
    return items;
  }

  /// Divides the items among the ranks; each file is read by one thread or, if `whole`, by all threads of a
  /// rank. Returns the items that were too large, the same on all ranks.
  std::vector<std::uint64_t> share_out(const std::vector<Item>& items, bool whole) {
    std::vector<std::uint64_t> too_large;
    ItemQueue queue;
    const QueueThread thread(queue, [&] { work_on(queue, items, whole); });
    std::size_t next = 0;
    for (std::size_t ended = 0; ended < items.size();) {
      const auto all = exchanged(queue, whole ? 1 : 2 * context_.pool().threads());
      for (unsigned rank = 0; rank < all.size(); ++rank) {
        ByteReader reader(all[rank]);
        for (auto more = reader.value<std::uint64_t>(); more > 0 && next < items.size(); --more, ++next)
          if (rank == ranks_.rank()) queue.add(next);
        for (; !reader.is_at_end(); ++ended) take_outcome(reader, items, too_large);
      }
      context_.checkpoint(done_, total_);
    }
    std::ranges::sort(too_large);
    return too_large;
  }

  /// Reads the items of the queue until it is closed.
  void work_on(ItemQueue& queue, const std::vector<Item>& items, bool whole) {
    const unsigned threads = context_.pool().threads();
    const auto work_alone = [&](ThreadPool& pool) {
      while (const auto item = queue.take()) {
        const Outcome outcome =
            attempt(items[*item].file, pool, context_.memory().allowance() / (whole ? 1 : threads),
                    whole || threads == 1);
        std::vector<std::byte> bytes;
        put_outcome(bytes, *item, outcome);
        queue.finish(bytes);
      }
    };
    if (whole) return work_alone(context_.pool());
    context_.pool().parallel_for(threads, 1, [&](std::size_t, std::size_t, unsigned) {
      ThreadPool alone(1);
      work_alone(alone);
    });
  }

  /// The messages of all ranks: how many items each lacks to have `most` of them, and its new outcomes.
  std::vector<std::vector<std::byte>> exchanged(ItemQueue& queue, std::size_t most) {
    std::uint64_t missing = 0;
    const std::vector<std::byte> finished = queue.finished(most, missing);
    std::vector<std::byte> message;
    put_value(message, missing);
    message.insert(message.end(), finished.begin(), finished.end());
    return ranks_.gather(message, context_.stop_token());
  }

  /// Stores the next outcome, or adds its item to `too_large`.
  void take_outcome(ByteReader& reader, const std::vector<Item>& items,
                    std::vector<std::uint64_t>& too_large) {
    std::uint64_t item = 0;
    const Outcome outcome = outcome_from(reader, item);
    if (outcome.kind == Outcome::Kind::too_large) {
      too_large.push_back(item);
      return;
    }
    ++done_;
    if (database_ != nullptr) store(items.at(item).file, items.at(item).stamp, outcome);
  }

  static void put_outcome(std::vector<std::byte>& bytes, std::uint64_t item, const Outcome& outcome) {
    put_value(bytes, item);
    put_value(bytes, outcome.kind);
    put_text(bytes, outcome.reason);
    if (outcome.kind == Outcome::Kind::made) put_fingerprint(bytes, outcome.fingerprint);
  }

  static Outcome outcome_from(ByteReader& reader, std::uint64_t& item) {
    item = reader.value<std::uint64_t>();
    Outcome outcome{reader.value<Outcome::Kind>()};
    outcome.reason = reader.text();
    if (outcome.kind == Outcome::Kind::made) outcome.fingerprint = fingerprint_from(reader);
    return outcome;
  }

  Database* database_;  ///< null on ranks other than 0
  Communicator& ranks_;
  Backend backend_;
  JobContext& context_;
  LoadOptions load_;
  std::vector<std::string> files_;
  std::mutex mutex_;  // guards the database and the members below
  std::vector<std::string> large_;
  std::size_t done_ = 0;
  std::size_t total_ = 0;  ///< items of all ranks
  IndexResult result_;
};

}  // namespace

std::string indexed_name(const std::string& source) {
  std::error_code problem;
  std::string name = canonical_name(source, problem);
  return problem ? source : name;
}

std::optional<FileStamp> file_stamp(const std::string& name) {
  if (is_generator_text(name)) return FileStamp{};
  struct stat status {};
  if (::stat(path_of_matrix(name).c_str(), &status) != 0) return std::nullopt;
  return FileStamp{static_cast<std::uint64_t>(status.st_size),
                   static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec};
}

Result<IndexResult> index_folders(const std::vector<std::string>& sources, Database& database,
                                  const Backend& backend, JobContext& context, const LoadOptions& load) {
  const std::unique_ptr<Communicator> ranks = alone();
  return index_folders(sources, &database, *ranks, backend, context, load);
}

Result<IndexResult> index_folders(const std::vector<std::string>& sources, Database* database,
                                  Communicator& ranks, const Backend& backend, JobContext& context,
                                  const LoadOptions& load) {
  return run_guarded([&] { return Indexing(database, ranks, backend, context, load).run(sources); });
}

}  // namespace spyctrum
