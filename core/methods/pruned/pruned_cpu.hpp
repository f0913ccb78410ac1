// SPDX-License-Identifier: Apache-2.0
// The pruned blockwise transform on the CPU.
#pragma once

#include <complex>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/methods/pruned/pruned_axis.hpp"
#include "core/request/byte_terms.hpp"

namespace spyctrum {

/// The two axes: k1 outputs of every column, then k2 outputs of each of those k1 rows.
struct PrunedPlan {
  PrunedSizes rows;
  PrunedSizes cols;
  [[nodiscard]] static PrunedPlan of(const SparsePattern& pattern, std::uint64_t outputs_of_columns,
                                     std::uint64_t outputs_of_rows) {
    return {{pattern.rows(), outputs_of_columns, true}, {pattern.cols(), outputs_of_rows, false}};
  }
  /// Adds the host bytes: values 8·k1·k2, the k1×n rows between the axes, weights and lines.
  void add_terms(ByteTerms& terms, unsigned threads) const;
  [[nodiscard]] double operations() const;
};

/// Values on `grid` (lists allowed, any signed frequencies), row-major, forward, unnormalised; relative error
/// about 1e-6 (single precision). Throws Failure{cancelled}, {out_of_memory}.
[[nodiscard]] std::vector<std::complex<float>> pruned_cpu(const SparsePattern& pattern,
                                                          const FrequencyGrid& grid, JobContext& context);

}  // namespace spyctrum
