// SPDX-License-Identifier: Apache-2.0
// How a full spectrum too large to store is used: its rows pass by once, and
// sinks reduce them (features, display pyramid, metrics, a file). Conjugate
// symmetry F[−u,−v] = conj F[u,v] means that only u = 0 … ⌊m/2⌋ are computed.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <memory>
#include <span>

#include "core/base/cuda_reductions.hpp"
#include "core/base/job_context.hpp"

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
  bool wedge = false;
  /// The last of the consecutive rows that a worker was handed together. Sinks that sum run by run then give
  /// the same bits however the runs were scheduled; without it their sums are right, no more.
  bool ends_run = false;
};

/// A sink's work as a reduction on the device where the rows are (core/base/cuda_reductions.hpp), so that
/// they need not come to the host. Owns the arrays that the reduction points to, and books them.
class DeviceForm {
 public:
  virtual ~DeviceForm() = default;
  /// Adds itself to what the rows are reduced to. False where its kind is taken already: then the sink wants
  /// the rows after all.
  [[nodiscard]] virtual bool describe(cuda::Reductions& reductions) = 0;
  /// After the last row, in place of begin(), consume() and finish(): hands the results to the sink.
  virtual void collect() = 0;
};

/// Receives every row u = 0 … ⌊m/2⌋ exactly once, in no order.
class RowSink {
 public:
  virtual ~RowSink() = default;
  /// Called before the first row. m×n: the plane; `workers`: upper bound of
  /// worker numbers.
  virtual void begin(std::uint64_t m, std::uint64_t n, unsigned workers) = 0;
  /// Called concurrently by workers with distinct numbers; `row.values` is
  /// valid during the call only.
  virtual void consume(const SpectrumRow& row, unsigned worker) = 0;
  /// Called once after the last row, on one thread.
  virtual void finish() = 0;
  /// Whether SpectrumRow::wedge is enough: then all rows of a symmetric pattern may come so.
  [[nodiscard]] virtual bool takes_wedges() const { return false; }
  /// The same on a device, for an m×n plane; null for sinks that need the rows themselves. `wedges`: of
  /// reductions with this flag (cuda::Reductions), only where takes_wedges().
  [[nodiscard]] virtual std::unique_ptr<DeviceForm> device_form(std::uint64_t /*m*/, std::uint64_t /*n*/,
                                                                bool /*wedges*/, JobContext& /*context*/) {
    return nullptr;
  }
};

/// Whether wedges are enough for all of them.
[[nodiscard]] inline bool take_wedges(std::span<RowSink* const> sinks) {
  return std::all_of(sinks.begin(), sinks.end(), [](const RowSink* sink) { return sink->takes_wedges(); });
}

}  // namespace spyctrum
