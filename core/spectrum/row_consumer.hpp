// SPDX-License-Identifier: Apache-2.0
// How a spectrum that is too large to store is used: its rows are streamed once, and row consumers reduce
// them (to features, a display pyramid, errors, a file). By the conjugate symmetry F[−u,−v] = conj F[u,v]
// only rows u = 0 … ⌊m/2⌋ are computed.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <memory>
#include <span>

#include "core/base/job_context.hpp"
#include "core/device/interface/reductions.hpp"
#include "core/frequency/frequency_grid.hpp"

namespace spyctrum {

/// One computed row of the full DFT plane: F[u, v] for v = 0 … n−1 in DFT order (not shifted).
struct SpectrumRow {
  std::int64_t u = 0;  ///< 0 … ⌊m/2⌋
  /// The row also represents row m−u: F[m−u, v] = conj F[u, (n−v) mod n]. False for u = 0 and, if m is even,
  /// for u = m/2: such a row is its own mirror and contains both members of each conjugate pair.
  bool mirrored = false;
  std::span<const std::complex<float>> values;
  /// The row of the symmetric half of a symmetric pattern's plane, F[v, u] = F[u, v]: only the values at
  /// |v| ≤ u are defined, and (u, v) also represents (v, u).
  bool symmetric_half = false;
  /// This row is the last of a run, the consecutive rows that a worker was given together. A consumer that
  /// sums run by run gives the same bits however threads are scheduled; without this flag rounding may
  /// differ.
  bool ends_run = false;
};

/// A consumer's work done on the device that computes the rows (core/device/interface/reductions.hpp), so
/// that rows need not be copied to the host. Owns and books the arrays to which the reduction points.
class DeviceReduction {
 public:
  virtual ~DeviceReduction() = default;
  /// Adds this reduction to `reductions`. Returns false if a reduction of the same kind is there already;
  /// then the consumer must receive the rows.
  [[nodiscard]] virtual bool describe(cuda::Reductions& reductions) = 0;
  /// Called after the last row instead of begin(), consume() and finish(): passes the results to the
  /// consumer.
  virtual void collect() = 0;
};

/// Receives every row u = 0 … ⌊m/2⌋ exactly once, in any order.
class RowConsumer {
 public:
  virtual ~RowConsumer() = default;
  /// Called before the first row of the m×n plane; worker numbers are below `workers`.
  virtual void begin(std::uint64_t m, std::uint64_t n, unsigned workers) = 0;
  /// Called concurrently by workers with distinct numbers; `row.values` is valid during the call only.
  virtual void consume(const SpectrumRow& row, unsigned worker) = 0;
  /// Called once after the last row, on one thread.
  virtual void finish() = 0;
  /// Whether the consumer can use rows with SpectrumRow::symmetric_half; all rows of a symmetric pattern may
  /// then have it.
  [[nodiscard]] virtual bool accepts_symmetric_half() const { return false; }
  /// The consumer's work on an m×n plane as a device reduction; null if the consumer needs the rows
  /// themselves. `symmetric_half`: the flag of cuda::Reductions, true only if accepts_symmetric_half().
  [[nodiscard]] virtual std::unique_ptr<DeviceReduction> device_reduction(std::uint64_t /*m*/,
                                                                          std::uint64_t /*n*/,
                                                                          bool /*symmetric_half*/,
                                                                          JobContext& /*context*/) {
    return nullptr;
  }
};

/// Whether every one of `consumers` accepts the symmetric half.
[[nodiscard]] inline bool all_accept_symmetric_half(std::span<RowConsumer* const> consumers) {
  return std::all_of(consumers.begin(), consumers.end(),
                     [](const RowConsumer* consumer) { return consumer->accepts_symmetric_half(); });
}

/// ⌊m/2⌋+1, the number of rows of the half plane.
[[nodiscard]] constexpr std::uint64_t half_rows(std::uint64_t m) { return m / 2 + 1; }

/// u = 0 … ⌊m/2⌋ by v = 0 … n−1, both in DFT order (not fftshifted): the grid of stored full planes.
[[nodiscard]] FrequencyGrid half_grid(std::uint64_t m, std::uint64_t n);

/// Row u of the half plane for a RowConsumer, with `mirrored` set; `symmetric_half` as in SpectrumRow.
[[nodiscard]] SpectrumRow spectrum_row(std::int64_t u, std::uint64_t m,
                                       std::span<const std::complex<float>> values,
                                       bool symmetric_half = false);

}  // namespace spyctrum
