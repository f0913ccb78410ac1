// SPDX-License-Identifier: Apache-2.0
// Rows of the plane computed on a CUDA device, by the paper's Algorithms 1 and 2 or by ours.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/device/device_job.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/request/byte_terms.hpp"
#include "core/spectrum/row_consumer.hpp"

namespace spyctrum {

/// How rows are asked for.
struct DeviceRows {
  cuda::RowAlgorithm algorithm = cuda::RowAlgorithm::optimized;
  bool store_half = false;  ///< Algorithm 1's m·q output on the device first
  std::uint64_t tile = 0;
  bool symmetric_half =
      false;  ///< in forecasts: nothing is made of the rows but reductions of symmetric_half
};

/// Host bytes of stream_device_rows() and gather_on_device() where rows come to the host: page-locked tiles
/// of `width` coefficients a row.
void add_device_staging(ByteTerms& terms, const SparsePattern& pattern, std::uint64_t count,
                        std::uint64_t width, const DeviceRows& rows);

/// T of stream_device_rows() where no row comes to the host.
[[nodiscard]] std::uint64_t device_reduced_tile(const SparsePattern& pattern, std::uint64_t count,
                                                const DeviceRows& rows);

/// Every row u = 0 … ⌊m/2⌋ to every consumer, begin() and finish() included.
DeviceUse stream_device_rows(const SparsePattern& pattern, Backend backend, const DeviceRows& rows,
                             std::span<RowConsumer* const> consumers, JobContext& context);

/// Rows at any frequencies, in this order: to `receiver` on the host (null: none) and to `reductions` (null:
/// none). What the receiver throws passes.
DeviceUse run_device_rows(const SparsePattern& pattern, Backend backend, const DeviceRows& rows,
                          std::span<const std::uint32_t> frequencies, cuda::RowReceiver* receiver,
                          const cuda::Reductions* reductions, JobContext& context);

/// What becomes of samples on a device.
struct DeviceSamplesWanted {
  bool to_host = true;
  const cuda::Reductions* reductions = nullptr;
};

/// The coefficients of any grid by its rows and a gather, row-major; none of them where they stay on the
/// device.
[[nodiscard]] std::vector<std::complex<float>> gather_on_device(const SparsePattern& pattern, Backend backend,
                                                                const DeviceRows& rows,
                                                                const FrequencyGrid& grid,
                                                                const DeviceSamplesWanted& samples,
                                                                JobContext& context, DeviceUse& use);

}  // namespace spyctrum
