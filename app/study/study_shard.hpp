// SPDX-License-Identifier: Apache-2.0
// One of several processes that work on a study together, on one machine or on many that share its folder:
// the jobs of a job array, for example. They agree by files alone:
//   DIR/shards/K-of-N.jsonl   the journal of shard K; it is locked while the shard runs
//   DIR/claims/HASH           who works on a matrix, a reference or a cell: one file each, made by link(),
//                             which fails where the name exists, on network file systems too
// A claim holds while its owner's journal is locked; the system unlocks it when the owner ends, however it
// ends.
#pragma once

#include <optional>
#include <string>

#include "app/study/study_journal.hpp"

namespace spyctrum {

/// Shard `index` = 1 … count.
struct ShardNumber {
  unsigned index = 1;
  unsigned count = 1;
};

enum class Claim {
  refused,   ///< another running shard has claimed the task
  granted,   ///< no shard had claimed it
  inherited  ///< a shard that has ended had claimed it, and may have done it: see its journal
};

/// Parses "2/8". Empty if the text is no such pair.
[[nodiscard]] std::optional<ShardNumber> parse_shard(const std::string& text);

class StudyShard {
 public:
  /// Opens the shard's journal. Throws Failure: output; wrong_use if the same shard is running, or if a study
  /// without shards writes into the folder.
  StudyShard(std::string folder, ShardNumber number);

  [[nodiscard]] StudyJournal& journal() { return journal_; }
  [[nodiscard]] ShardNumber number() const { return number_; }
  /// Throws Failure{output}.
  [[nodiscard]] Claim claim(const std::string& task);
  /// Whether claim() would not be refused at present.
  [[nodiscard]] bool is_free(const std::string& task) const;
  /// Whether shard `index` is running.
  [[nodiscard]] bool is_running(unsigned index) const;

 private:
  [[nodiscard]] std::string claim_path(const std::string& task) const;

  std::string folder_;
  ShardNumber number_;
  std::string name_;  ///< of its journal, in the folder shards
  FileLock whole_;    ///< shared lock of DIR/cells.jsonl
  StudyJournal journal_;
};

/// Moves the records of all shards into `journal`, which must be that of DIR/cells.jsonl; no other process
/// may run then. Throws Failure{output}, Failure{bad_input}.
void merge_shards(const std::string& folder, StudyJournal& journal);

}  // namespace spyctrum
