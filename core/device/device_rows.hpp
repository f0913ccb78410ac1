// SPDX-License-Identifier: Apache-2.0
// Rows F[u, 0 … n−1] of the plane computed on a CUDA device: by the BS-FFT paper's Algorithms 1 and 2
// (RowAlgorithm::paper), or by faster row transforms (RowAlgorithm::optimized, row_transform_plans.hpp).
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/device/device_job.hpp"
#include "core/device/interface/rows.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/request/byte_terms.hpp"
#include "core/spectrum/row_consumer.hpp"

namespace spyctrum {

/// How rows are computed.
struct DeviceRows {
  cuda::RowAlgorithm algorithm = cuda::RowAlgorithm::optimized;
  bool store_half = false;  ///< Algorithm 1: all m·q coefficients are first stored on the device
  std::uint64_t tile = 0;   ///< T, rows of a tile; 0: chosen by the module
  /// For forecasts: rows are only reduced on the device, and only their symmetric half |v| ≤ u is computed.
  bool symmetric_half = false;
  /// For forecasts: the row frequencies are consecutive.
  bool consecutive = false;
  bool is_part = false;  ///< cuda::RowTask::is_part
};

/// Adds the host bytes of stream_device_rows() and gather_on_device() if rows are copied to the host:
/// page-locked tiles with `width` coefficients per row.
void add_device_staging(ByteTerms& terms, const SparsePattern& pattern, std::uint64_t count,
                        std::uint64_t width, const DeviceRows& rows);

/// The tile height T of run_device_rows() and gather_on_device() if rows are copied to the host.
[[nodiscard]] std::uint64_t device_tile(const SparsePattern& pattern, std::uint64_t count,
                                        const DeviceRows& rows);

/// The tile height T of stream_device_rows() if no row is copied to the host. For a group it is that of the
/// device with the least memory.
[[nodiscard]] std::uint64_t device_reduced_tile(const SparsePattern& pattern, Backend backend,
                                                std::uint64_t count, const DeviceRows& rows);

/// Streams the rows u = 0 … ⌊m/2⌋ to every consumer, begin() and finish() included; returns device seconds
/// and bytes. The devices of a group share the rows if these are only compared with reconstructions. Throws
/// Failure{cancelled}, {out_of_memory}, {backend_unavailable}, {internal}.
DeviceUse stream_device_rows(const SparsePattern& pattern, Backend backend, const DeviceRows& rows,
                             std::span<RowConsumer* const> consumers, JobContext& context);

/// Streams the rows u = frequencies[0], frequencies[1], … in this order to `receiver` on the host (may be
/// null) and to `reductions` on the device (may be null). Throws as stream_device_rows(), and what the
/// receiver throws.
DeviceUse run_device_rows(const SparsePattern& pattern, Backend backend, const DeviceRows& rows,
                          std::span<const std::uint32_t> frequencies, cuda::RowReceiver* receiver,
                          const cuda::Reductions* reductions, JobContext& context);

/// As run_device_rows(), on the devices of `group`, for sums of rows or comparisons with reconstructions
/// (reductions.row_sums or reductions.reconstructions, nothing else).
DeviceUse run_group_rows(const SparsePattern& pattern, Backend group, DeviceRows rows,
                         std::span<const std::uint32_t> frequencies, const cuda::Reductions& reductions,
                         JobContext& context);

/// The destinations of the samples of a grid: the host, device reductions, or both.
struct DeviceSampleOutputs {
  bool to_host = true;
  const cuda::Reductions* reductions = nullptr;
};

/// The coefficients on any grid, row-major; empty if samples.to_host is false. Computes whole rows and
/// gathers the grid's columns (BS-FFT paper, Algorithm 2). Throws as stream_device_rows().
[[nodiscard]] std::vector<std::complex<float>> gather_on_device(const SparsePattern& pattern, Backend backend,
                                                                const DeviceRows& rows,
                                                                const FrequencyGrid& grid,
                                                                const DeviceSampleOutputs& samples,
                                                                JobContext& context, DeviceUse& use);

}  // namespace spyctrum
