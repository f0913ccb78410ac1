// SPDX-License-Identifier: Apache-2.0
// Appends with POSIX calls: one write for each line, then fsync.
#include "app/study/study_journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "app/study/study_json.hpp"
#include "core/features/feature_errors.hpp"
#include "core/io/json_text.hpp"

namespace spyctrum {

namespace {

[[noreturn]] void refuse(const std::string& path, const char* what) {
  throw Failure({ErrorCode::output, path + " cannot be " + what + ": " + std::strerror(errno) + ".",
                 "Choose a folder that can be written to, on a disk with room.", errno});
}

/// The content of a file; empty if there is no such file. Throws Failure{bad_input} if it cannot be opened.
std::string contents_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::error_code ignored;
  if (!in && std::filesystem::exists(path, ignored))
    throw Failure(ErrorCode::bad_input, path + " cannot be opened: " + std::strerror(errno) + ".");
  return {std::istreambuf_iterator<char>(in), {}};
}

StudyPlan read_plan(const std::string& folder) {
  const std::string path = folder + "/study.json";
  try {
    return plan_of(parse_json<StudyJson>(contents_of(path)));
  } catch (const StudyJson::exception& wrong) {
    throw Failure(ErrorCode::bad_input, path + " is not the plan of a study: " + wrong.what() + ".");
  }
}

void add_records(Study& study, const std::string& path) {
  const std::vector<std::string> lines = read_journal(path);
  for (std::size_t k = 0; k < lines.size(); ++k) {
    try {
      add_record(study, parse_json<StudyJson>(lines[k]));
    } catch (const StudyJson::exception& wrong) {
      throw Failure(ErrorCode::bad_input,
                    path + ", line " + std::to_string(k + 1) + " is not a record: " + wrong.what() + ".",
                    "Remove that line; its cell is computed again.");
    }
  }
}

Study read_study(const std::string& folder) {
  if (!is_study_folder(folder))
    throw Failure(ErrorCode::bad_input, folder + " holds no study.json.",
                  "Name the --out folder of a study.");
  Study study;
  study.folder = folder;
  study.plan = read_plan(folder);
  add_records(study, folder + "/cells.jsonl");
  for (const std::string& path : shard_journals(folder)) add_records(study, path);
  add_missing_errors(study);
  return study;
}

}  // namespace

FileLock::FileLock(const std::string& path)
    : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {
  if (file_ < 0) refuse(path, "opened");
}

FileLock::FileLock(const std::string& path, Kind kind) : FileLock(path) {
  constexpr int kTries = 10;
  constexpr std::chrono::milliseconds kWait{50};
  for (int k = 0; !is_locked(path, kind); ++k) {
    if (k == kTries)
      throw Failure(ErrorCode::wrong_use, path + " is being written by another study.",
                    "Wait for it, or choose another --out folder.");
    std::this_thread::sleep_for(kWait);
  }
}

FileLock::FileLock(const std::string& path, Kind kind, const std::stop_token& stop) : FileLock(path) {
  constexpr std::chrono::milliseconds kWait{5};
  while (!is_locked(path, kind)) {
    if (stop.stop_requested()) throw Failure(ErrorCode::cancelled, "Interrupted.");
    std::this_thread::sleep_for(kWait);
  }
}

std::optional<FileLock> FileLock::try_lock(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return std::nullopt;
  FileLock lock(file);
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) return std::nullopt;
  return lock;
}

bool FileLock::is_locked(const std::string& path, Kind kind) const {
  if (::flock(file_, (kind == Kind::shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0) return true;
  if (errno != EWOULDBLOCK && errno != EINTR) refuse(path, "locked");
  return false;
}

FileLock::~FileLock() {
  if (file_ >= 0) ::close(file_);
}

StudyJournal::StudyJournal(std::string path)
    : path_(std::move(path)), file_(path_, FileLock::Kind::exclusive) {
  const std::string contents = contents_of(path_);
  const std::size_t whole = contents.rfind('\n') + 1;  // without a line end 0, which is npos + 1
  if (whole < contents.size() && ::ftruncate(file_.descriptor(), static_cast<off_t>(whole)) != 0)
    refuse(path_, "cut");
}

void StudyJournal::append(const std::string& line) {
  const std::string text = line + '\n';
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t part = ::write(file_.descriptor(), text.data() + written, text.size() - written);
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) refuse(path_, "written");
    written += static_cast<std::size_t>(part);
  }
  if (::fsync(file_.descriptor()) != 0) refuse(path_, "written");
}

std::vector<std::string> shard_journals(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder + "/shards", ignored))
    if (entry.path().extension() == ".jsonl" && entry.is_regular_file(ignored))
      paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  return paths;
}

std::vector<std::string> read_journal(const std::string& path) {
  std::vector<std::string> lines;
  const std::string contents = contents_of(path);
  std::size_t begin = 0;
  for (std::size_t end = contents.find('\n'); end != std::string::npos; end = contents.find('\n', begin)) {
    lines.push_back(contents.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

bool is_study_folder(const std::string& folder) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(std::filesystem::path(folder) / "study.json", ignored);
}

void add_missing_errors(Study& study) {
  for (StudyCell& cell : study.cells) {
    const StudyReference* reference = study.reference(cell.matrix);
    if (cell.features && !cell.errors && reference != nullptr && reference->problem.empty())
      cell.errors = feature_errors(*cell.features, reference->features);
  }
}

Result<void> check_study_folder(const std::string& folder) {
  std::error_code ignored;
  const auto would_be_lost = [&](const char* name) {
    const std::filesystem::path file = std::filesystem::path(folder) / name;
    // An empty journal is what a study leaves that was stopped at once.
    return std::filesystem::exists(file, ignored) &&
           !(std::filesystem::is_regular_file(file, ignored) && std::filesystem::is_empty(file, ignored));
  };
  const std::array names{"study.json", "cells.jsonl", "results.csv", "costs.csv", "report.md"};
  const auto found = std::ranges::find_if(names, would_be_lost);
  // study.json is looked for after the others: another shard may have begun the study meanwhile, and writes
  // it first.
  if (is_study_folder(folder)) return run_guarded([&] { static_cast<void>(read_plan(folder)); });
  if (found == names.end()) return {};
  return fail(ErrorCode::wrong_use,
              (std::filesystem::path(folder) / *found).string() +
                  " exists, but the folder is not the folder of a study.",
              "A study would overwrite it: choose another --out folder.");
}

Result<Study> load_study(const std::string& folder) {
  return run_guarded([&] { return read_study(folder); });
}

}  // namespace spyctrum
