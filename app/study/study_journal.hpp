// SPDX-License-Identifier: Apache-2.0
// The append-only file of a study's records. A line counts once its line end is written: a program that is
// killed leaves complete lines and at most one incomplete line, which the next run removes.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace spyctrum {

/// An advisory lock of a file (flock), which the system releases when the process ends.
class FileLock {
 public:
  enum class Kind { shared, exclusive };
  /// Opens or creates the file and locks it. Throws Failure: output; wrong_use if another program holds a
  /// conflicting lock for half a second.
  FileLock(const std::string& path, Kind kind);
  /// As above, but waits as long as another program holds a conflicting lock. Throws Failure: output;
  /// cancelled once `stop` is requested.
  FileLock(const std::string& path, Kind kind, const std::stop_token& stop);
  /// An exclusive lock of the file, which is created if missing; empty if another program holds a lock or the
  /// file cannot be opened.
  [[nodiscard]] static std::optional<FileLock> try_lock(const std::string& path);
  FileLock(FileLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  FileLock& operator=(FileLock&&) = delete;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();
  /// The open file, for reading and appending.
  [[nodiscard]] int descriptor() const { return file_; }

 private:
  explicit FileLock(int file) : file_(file) {}
  explicit FileLock(const std::string& path);
  /// Tries once. Throws Failure{output} where the file system has no locks.
  [[nodiscard]] bool is_locked(const std::string& path, Kind kind) const;
  int file_;
};

class StudyJournal {
 public:
  /// Opens or creates the file, locks it and removes an incomplete last line. Throws Failure: output;
  /// wrong_use if another program holds the lock.
  explicit StudyJournal(std::string path);

  /// Adds one line (without its end) and waits until it is on the disk. Throws Failure{output}.
  void append(const std::string& line);

 private:
  std::string path_;
  FileLock file_;
};

/// The journals of the shards of a study (study_shard.hpp), in order of name.
[[nodiscard]] std::vector<std::string> shard_journals(const std::string& folder);
/// The complete lines of a journal.
[[nodiscard]] std::vector<std::string> read_journal(const std::string& path);

}  // namespace spyctrum
