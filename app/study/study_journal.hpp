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
  /// Opens or creates the file, locks it, removes an incomplete last line. Throws Failure: output; wrong_use
  /// where another program holds the lock.
  explicit StudyJournal(std::string path);
  StudyJournal(const StudyJournal&) = delete;
  StudyJournal& operator=(const StudyJournal&) = delete;
  ~StudyJournal();

  /// Adds one line (without its end) and waits until it is on the disk. Throws Failure{output}.
  void append(const std::string& line);

 private:
  std::string path_;
  int file_;
};

/// The complete lines of a journal.
[[nodiscard]] std::vector<std::string> read_journal(const std::string& path);

}  // namespace spyctrum
