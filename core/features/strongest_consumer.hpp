// SPDX-License-Identifier: Apache-2.0
// The strongest coefficients of a plane whose rows are streamed. Of all choices of Q coefficients to store,
// the Q largest hold the most power Σ|F|²: with zeros elsewhere they are the approximation of least squared
// error (best Q-term approximation). They can be chosen where the whole plane is computed.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/spectrum/row_consumer.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum {

/// Collects the `count` largest |F| without DC, one of each conjugate pair; those of power below `floor` are
/// zero to rounding and have no rank. Ties go to the smaller |u|, then |v|.
class StrongestConsumer : public RowConsumer {
 public:
  explicit StrongestConsumer(std::size_t count, double floor = 0);
  ~StrongestConsumer() override;
  void begin(std::uint64_t m, std::uint64_t n, unsigned workers) override;
  void consume(const SpectrumRow& row, unsigned worker) override;
  void finish() override {}
  /// In place of begin() when a stream is resumed: keeps the coefficients found so far.
  void resume(unsigned workers);
  [[nodiscard]] bool accepts_symmetric_half() const override { return true; }
  /// In place of consume(): coefficients selected on a device, one of each conjugate pair, without DC.
  /// `symmetric_half`: their transposes F[v,u] = F[u,v] are added. By one thread at a time.
  void offer(std::span<const StrongCoefficient> found, bool symmetric_half = false);
  /// Least power |F|² of a coefficient that offer() would keep; the floor while fewer than `count` are there.
  [[nodiscard]] float weakest_offered() const;
  /// The strongest coefficients of the rows consumed so far, largest first. Thread-safe.
  [[nodiscard]] std::vector<StrongCoefficient> strongest() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace spyctrum
