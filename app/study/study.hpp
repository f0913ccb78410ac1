// SPDX-License-Identifier: Apache-2.0
// A study: matrices × methods × block sizes, every cell with its cost and its errors against the exact
// spectrum, in a folder that can be interrupted at any moment and continued.
//   DIR/study.json       the plan
//   DIR/cells.jsonl      one line per record (matrix, reference or cell); lines are only appended, and a
//                        later record of the same matrix, reference or cell replaces the earlier one
//   DIR/shards, DIR/claims   of several processes that work on it together (study_shard.hpp)
//   DIR/results.csv      values that depend on plan and seed only; equal for equal plans
//   DIR/costs.csv        values that depend on the machine: seconds and bytes
//   DIR/report.md        tables;  DIR/figures/*.{svg,pdf,png}
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/job_context.hpp"
#include "core/features/feature_errors.hpp"
#include "core/reconstruction/reconstruction_errors.hpp"
#include "core/spectrum/features.hpp"

namespace spyctrum {

enum class CellStatus {
  done,
  memory,       ///< refused or ended for lack of memory; the reason names forecast and allowance
  time,         ///< stopped at the time allowance, or not begun because a smaller cell was stopped
  unsupported,  ///< the method or its library refuses these sizes or this backend
  failed,
};
inline constexpr std::array kCellStatuses{CellStatus::done, CellStatus::memory, CellStatus::time,
                                          CellStatus::unsupported, CellStatus::failed};
[[nodiscard]] const char* to_string(CellStatus status);  // "done", "memory", …
/// As the paper marks cells that ended early: "OOM", "TIME", or "FAIL"; "" for done.
[[nodiscard]] const char* end_word(CellStatus status);

/// The allowance and version under which a record was computed; 0 and empty if written by versions without
/// this field.
struct StudyAllowance {
  std::uint64_t bytes = 0;
  double seconds = 0;   ///< of one run of a cell
  std::string version;  ///< of the program
};

/// The largest differences |ΔF| of a plane from the exact rows that a study keeps.
struct PlaneDifference {
  double of_mean = 0;   ///< over √K, the root mean square of |F|
  double relative = 0;  ///< over |F|, where |F|² is not zero to rounding
};

struct StudyMatrix {
  std::string name;    ///< unique in the study
  std::string source;  ///< path or gen: text
  std::uint64_t rows = 0, cols = 0;
  std::int64_t nonzeros = 0;
  std::uint64_t fingerprint = 0;
  bool generated = false;
  double load_seconds = 0;
  std::string problem;  ///< why it could not be read; empty if it was read
};

/// The exact spectrum of one matrix, computed once for all cells.
struct StudyReference {
  std::string matrix;
  Features features;
  double seconds = 0;
  std::string problem;  ///< why the reference could not be computed; cells then have no errors
  CellStatus status = CellStatus::done;
  StudyAllowance allowance{};
};

struct StudyCell {
  std::string matrix;
  std::string method;  ///< registry id
  std::string label;
  std::optional<std::uint32_t> block{};  ///< absent for methods without one
  std::string backend;
  std::string device;
  CellStatus status = CellStatus::done;
  std::string reason;  ///< why the cell is not done
  StudyAllowance allowance{};
  std::string exactness;
  double operations = 0;  ///< forecast
  std::uint64_t bytes_forecast = 0;
  std::uint64_t bytes_peak = 0;
  std::uint64_t device_bytes_peak = 0;  ///< on the CUDA device; 0 on the CPU
  double seconds = 0;                   ///< median over runs: samples (or rows) and their features
  StageSeconds stages{};                ///< of the run whose time is nearest to the median
  unsigned runs = 0;
  std::uint64_t seed = 0;
  std::optional<Features> features{};
  std::optional<FeatureErrors> errors{};
  std::optional<ReconstructionErrors> reconstruction{};
  std::string reconstruction_note;  ///< why a sampled method has no reconstruction error
  /// Of all m·n magnitudes of the reconstruction, computed and not stored; scaled from evenly spaced rows.
  std::optional<double> reconstruction_seconds{};
  std::optional<PlaneDifference> difference{};  ///< of methods that compute the whole plane
};

struct StudyPlan {
  std::vector<std::string> sources;  ///< files and gen: texts; folders are replaced by their files
  std::vector<std::string> names;    ///< name of each source
  std::vector<std::string> methods;
  std::vector<std::uint32_t> blocks;
  std::string backend = "cpu";
  std::uint64_t seed = 1;
  std::uint64_t memory_bytes = 0;
  double cell_seconds = 60;           ///< allowance of one run
  unsigned repeats = 3;               ///< runs of a cell at most; fewer once they took two seconds
  std::vector<std::string> import{};  ///< "name=value" each, for the formats that have the option
  std::string weights = "pattern";    ///< weight of an entry: to_string(Weights)
  [[nodiscard]] StudyAllowance allowance() const;
};

/// Whether a record is kept. A cell that is not done is tried again in another version of the program; one
/// that ended for memory once the plan allows more memory than at the last try (and as much as the cell's
/// forecast); one that ended for time once the plan allows more time.
[[nodiscard]] bool is_settled(const StudyCell& cell, const StudyPlan& plan);
[[nodiscard]] bool is_settled(const StudyReference& reference, const StudyPlan& plan);

struct Study {
  std::string folder;
  StudyPlan plan;
  std::vector<StudyMatrix> matrices;
  std::vector<StudyReference> references;
  std::vector<StudyCell> cells;
  [[nodiscard]] const StudyMatrix* matrix(const std::string& name) const;
  [[nodiscard]] const StudyReference* reference(const std::string& name) const;
  [[nodiscard]] const StudyCell* cell(const std::string& matrix, const std::string& method,
                                      std::optional<std::uint32_t> block) const;
};

[[nodiscard]] double median_of(std::vector<double> values);  ///< of at least one value

/// Whether a folder holds a study.
[[nodiscard]] bool is_study_folder(const std::string& folder);
/// Whether a study may write into the folder: it is the folder of a study, or has none of the files that a
/// study writes. Errors: wrong_use naming a file that would be overwritten; bad_input if study.json is not a
/// plan.
[[nodiscard]] Result<void> check_study_folder(const std::string& folder);
/// Sets the errors of cells that were done before their reference.
void add_missing_errors(Study& study);
/// Reads plan and cells, also those of shards. An incomplete last line, left by a crash, is ignored. Errors:
/// bad_input naming file and line.
[[nodiscard]] Result<Study> load_study(const std::string& folder);

/// The paper's data sets (Table 1) with generated stand-ins of the same n and K.
struct PaperDataSet {
  const char* name;  ///< "Wiki-CS"
  const char*
      shared_name;  ///< file name without ending by which a file is recognised as this data set; "" if none
  std::uint64_t nodes;
  std::int64_t edges;
};
[[nodiscard]] const std::vector<PaperDataSet>& paper_data_sets();
/// Text of a Chung–Lu generator with exactly n and K: `gen:power-law:n=…,nnz=…,symmetric=0,seed=1`.
[[nodiscard]] std::string stand_in_source(const PaperDataSet& data_set);

}  // namespace spyctrum
