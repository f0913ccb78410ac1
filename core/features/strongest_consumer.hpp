// SPDX-License-Identifier: Apache-2.0
// The strongest coefficients of a plane whose rows pass by: what a budget of Q stored coefficients is best
// spent on where the whole plane is computed anyway (design/algorithms.md §8).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/spectrum/row_consumer.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum {

/// Keeps the `count` largest |F| without DC, one of each conjugate pair. Ties go to the smaller |u|, then
/// |v|.
class StrongestConsumer : public RowConsumer {
 public:
  explicit StrongestConsumer(std::size_t count);
  ~StrongestConsumer() override;
  void begin(std::uint64_t m, std::uint64_t n, unsigned workers) override;
  void consume(const SpectrumRow& row, unsigned worker) override;
  void finish() override {}
  /// In place of begin(), before the last row has passed: goes on from what there is.
  void resume(unsigned workers);
  [[nodiscard]] bool accepts_symmetric_half() const override { return true; }
  /// In place of consume(): coefficients found elsewhere, one of each conjugate pair and DC left out.
  /// `symmetric_half`: of the rows only |v| ≤ u. By one thread at a time.
  void offer(std::span<const StrongCoefficient> found, bool symmetric_half = false);
  /// Power of the weakest that offer() keeps; 0 while it takes any.
  [[nodiscard]] float weakest_offered() const;
  /// Of the rows that have passed, largest first. Thread-safe while rows pass.
  [[nodiscard]] std::vector<StrongCoefficient> strongest() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace spyctrum
