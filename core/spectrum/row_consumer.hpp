// SPDX-License-Identifier: Apache-2.0
// How a full spectrum too large to store is used: its rows pass by once, and
// consumers reduce them (features, display pyramid, metrics, a file). Conjugate
// symmetry F[−u,−v] = conj F[u,v] means that only u = 0 … ⌊m/2⌋ are computed.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <memory>
#include <span>

#include "core/base/job_context.hpp"
#include "core/device/interface/reductions.hpp"

namespace spyctrum {

/// One computed row of the full DFT plane: F[u, v] for v = 0 … n−1 in DFT order
/// (not shifted).
struct SpectrumRow {
  std::int64_t u = 0;  ///< 0 … ⌊m/2⌋
  /// Also stands for row m−u, whose values are F[m−u, v] = conj F[u, (n−v) mod
  /// n]. False for u = 0 and, when m is even, for u = m/2: those rows are their
  /// own mirrors and appear complete.
  bool mirrored = false;
  std::span<const std::complex<float>> values;
  /// Of a symmetric pattern, F[v, u] = F[u, v]: only |v| ≤ u is given, other values are unspecified, and (u,
  /// v) stands for (v, u) as well.
  bool symmetric_half = false;
  /// The last of the consecutive rows that a worker was handed together. Consumers that sum run by run then
  /// give the same bits however the runs were scheduled; without it their sums are right, no more.
  bool ends_run = false;
};

/// A consumer's work as a reduction on the device where the rows are (core/device/interface/reductions.hpp),
/// so that they need not come to the host. Owns the arrays that the reduction points to, and books them.
class DeviceReduction {
 public:
  virtual ~DeviceReduction() = default;
  /// Adds itself to what the rows are reduced to. False where its kind is taken already: then the consumer
  /// wants the rows after all.
  [[nodiscard]] virtual bool describe(cuda::Reductions& reductions) = 0;
  /// After the last row, in place of begin(), consume() and finish(): hands the results to the consumer.
  virtual void collect() = 0;
};

/// Receives every row u = 0 … ⌊m/2⌋ exactly once, in no order.
class RowConsumer {
 public:
  virtual ~RowConsumer() = default;
  /// Called before the first row. m×n: the plane; `workers`: upper bound of
  /// worker numbers.
  virtual void begin(std::uint64_t m, std::uint64_t n, unsigned workers) = 0;
  /// Called concurrently by workers with distinct numbers; `row.values` is
  /// valid during the call only.
  virtual void consume(const SpectrumRow& row, unsigned worker) = 0;
  /// Called once after the last row, on one thread.
  virtual void finish() = 0;
  /// Whether SpectrumRow::symmetric_half is enough: then all rows of a symmetric pattern may come so.
  [[nodiscard]] virtual bool accepts_symmetric_half() const { return false; }
  /// The same on a device, for an m×n plane; null for consumers that need the rows themselves.
  /// `symmetric_half`: of reductions with this flag (cuda::Reductions), only where accepts_symmetric_half().
  [[nodiscard]] virtual std::unique_ptr<DeviceReduction> device_reduction(std::uint64_t /*m*/,
                                                                          std::uint64_t /*n*/,
                                                                          bool /*symmetric_half*/,
                                                                          JobContext& /*context*/) {
    return nullptr;
  }
};

/// Whether symmetric_half are enough for all of them.
[[nodiscard]] inline bool all_accept_symmetric_half(std::span<RowConsumer* const> consumers) {
  return std::all_of(consumers.begin(), consumers.end(),
                     [](const RowConsumer* consumer) { return consumer->accepts_symmetric_half(); });
}

}  // namespace spyctrum
