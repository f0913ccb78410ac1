// SPDX-License-Identifier: Apache-2.0
// Decides which consumers' work is done on the device, and forecasts its bytes.
#include "core/device/device_consumers.hpp"

#include <algorithm>

#include "core/device/device_module.hpp"
#include "core/features/row_classes.hpp"

namespace spyctrum {

namespace {

/// Passes rows that were copied from the device to consumers, on all threads of the job's pool.
RowsTo rows_to_consumers(const SparsePattern& pattern, std::span<RowConsumer* const> consumers,
                         JobContext& context) {
  const std::uint64_t m = pattern.rows();
  const std::uint64_t n = pattern.cols();
  return {n, [=, &context](std::uint64_t first, std::span<const std::complex<float>> rows) {
            const std::size_t grain = std::max<std::uint64_t>(1, (std::uint64_t{1} << 18) / n);
            context.pool().parallel_for(
                rows.size() / n, grain, [&](std::size_t begin, std::size_t end, unsigned worker) {
                  context.check_stop();
                  for (std::size_t k = begin; k < end; ++k) {
                    SpectrumRow row =
                        spectrum_row(static_cast<std::int64_t>(first + k), m, rows.subspan(k * n, n));
                    row.ends_run = k + 1 == end;
                    for (RowConsumer* consumer : consumers) consumer->consume(row, worker);
                  }
                });
          }};
}

}  // namespace

DeviceConsumers::DeviceConsumers(const SparsePattern& pattern, Backend backend,
                                 std::span<RowConsumer* const> consumers, JobContext& context) {
  context.begin_stage("tables");
  const std::uint64_t most_bytes = cuda_module().facts(backend.device).free_bytes / 2;
  reductions_.symmetric_half = pattern.symmetric() && all_accept_symmetric_half(consumers);
  for (RowConsumer* consumer : consumers) {
    if (reduces(*consumer, pattern, most_bytes, context)) continue;
    consumer->begin(pattern.rows(), pattern.cols(), context.pool().threads());
    on_host_.push_back(consumer);
  }
  if (!on_host_.empty() || device_reductions_.empty())
    receiver_.emplace(rows_to_consumers(pattern, on_host_, context));
}

bool DeviceConsumers::reduces(RowConsumer& consumer, const SparsePattern& pattern, std::uint64_t most_bytes,
                              JobContext& context) {
  std::unique_ptr<DeviceReduction> reduction =
      consumer.device_reduction(pattern.rows(), pattern.cols(), reductions_.symmetric_half, context);
  cuda::Reductions with = reductions_;
  if (!reduction || !reduction->describe(with)) return false;
  constexpr std::uint64_t kTallestTile = 512;
  if (cuda::reduction_device_bytes(with, half_rows(pattern.rows()), pattern.cols(), kTallestTile,
                                   kDeviceLanes) > most_bytes)
    return false;
  reductions_ = with;
  device_reductions_.push_back(std::move(reduction));
  return true;
}

void DeviceConsumers::finish() {
  for (RowConsumer* consumer : on_host_) consumer->finish();
  for (const auto& reduction : device_reductions_) reduction->collect();
}

std::uint64_t plane_table_bytes(const RequestScope& request) {
  return request.outputs.features ? RowClasses::bytes(half_rows(request.pattern->rows())) : 0;
}

std::uint64_t plane_reduction_bytes(const RequestScope& request, std::uint64_t lanes) {
  const std::uint64_t m = request.pattern->rows();
  const std::uint64_t n = request.pattern->cols();
  const std::uint64_t cells = std::max<std::uint32_t>(1, request.outputs.pyramid_cells);
  std::uint64_t bytes = 0;
  if (request.outputs.features) bytes += cuda::feature_device_bytes(half_rows(m), n, lanes);
  if (request.outputs.pyramid)
    bytes += cuda::pyramid_device_bytes(n, std::min(m, cells) * std::min(n, cells), lanes);
  return bytes;
}

}  // namespace spyctrum
