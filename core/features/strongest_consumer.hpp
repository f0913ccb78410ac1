// SPDX-License-Identifier: Apache-2.0
// The strongest coefficients of a plane whose rows are streamed. Of all choices of Q coefficients the Q
// largest hold the most power Σ|F|²: with zeros elsewhere they are the best Q-term approximation in the sense
// of least squares. They can be found only by computing the whole plane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/spectrum/row_consumer.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum {

/// Collects the `count` largest |F|, one of each conjugate pair, without DC. Coefficients of power below
/// `floor` are zero to rounding and are not collected. Among equal ones the smaller |u| comes first, then the
/// smaller |v|.
class StrongestConsumer : public RowConsumer {
 public:
  explicit StrongestConsumer(std::size_t count, double floor = 0)
      : count_(count), floor_(static_cast<float>(floor)) {}
  void begin(std::uint64_t m, std::uint64_t n, unsigned workers) override;
  void consume(const SpectrumRow& row, unsigned worker) override;
  void finish() override {}
  /// Replaces begin() when a stream is resumed: keeps the coefficients found so far.
  void resume(unsigned workers);
  [[nodiscard]] bool accepts_symmetric_half() const override { return true; }
  /// Replaces consume(): adds coefficients that were selected on a device, one of each conjugate pair,
  /// without DC. If `symmetric_half`, their transposes F[v,u] = F[u,v] are added, too. By one thread at a
  /// time.
  void offer(std::span<const StrongCoefficient> found, bool symmetric_half = false);
  /// The least power |F|² that offer() would keep; `floor` while there are fewer than `count`.
  [[nodiscard]] float weakest_offered() const;
  /// The strongest coefficients of the rows consumed so far, largest first. Thread-safe.
  [[nodiscard]] std::vector<StrongCoefficient> strongest() const;

 private:
  using Heap = std::vector<StrongCoefficient>;  // the weakest in front
  struct WorkerHeap {
    std::mutex mutex;
    Heap heap;
  };
  [[nodiscard]] float least(const Heap& heap) const;
  void offer(const StrongCoefficient& one, Heap& heap) const;
  void take(const SpectrumRow& row, std::size_t begin, std::size_t end, Heap& heap) const;

  std::size_t count_;
  float floor_;
  std::uint64_t m_ = 0;
  std::uint64_t n_ = 0;
  std::vector<std::unique_ptr<WorkerHeap>> workers_;
};

}  // namespace spyctrum
