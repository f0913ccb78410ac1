// SPDX-License-Identifier: Apache-2.0
// The append-only file of a study's records. A line counts once its line end is written: a program that is
// killed leaves complete lines and at most one incomplete line, which the next run removes.
#pragma once

#include <string>
#include <vector>

#include "core/base/error.hpp"

namespace spyctrum {

class StudyJournal {
 public:
  /// Opens or creates the file, locks it, removes an incomplete last line. Errors: output; wrong_use where
  /// another program holds the lock.
  static Result<StudyJournal> open(const std::string& path);
  StudyJournal(StudyJournal&& other) noexcept;
  StudyJournal& operator=(StudyJournal&&) = delete;
  ~StudyJournal();

  /// Adds one line (without its end) and waits until it is on the disk. Errors: output.
  [[nodiscard]] Result<void> append(const std::string& line);

 private:
  StudyJournal(int file, std::string path) : file_(file), path_(std::move(path)) {}
  int file_ = -1;
  std::string path_;
};

/// The complete lines of a journal.
[[nodiscard]] Result<std::vector<std::string>> read_journal(const std::string& path);

}  // namespace spyctrum
