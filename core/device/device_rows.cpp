// SPDX-License-Identifier: Apache-2.0
// Rows and gathered values are copied to the host only if requested, and otherwise reduced on the device
// (device_consumers.hpp, device_sample_features.hpp).
#include "core/device/device_rows.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <numeric>

#include "core/device/device_consumers.hpp"
#include "core/device/device_group.hpp"
#include "core/device/device_module.hpp"
#include "core/device/row_transform_plans.hpp"
#include "core/spectrum/row_consumer.hpp"

namespace spyctrum {

namespace {

cuda::RowTask row_task(const SparsePattern& pattern, const DeviceRows& rows,
                       std::span<const std::uint32_t> frequencies) {
  cuda::RowTask task;
  task.pattern = view_of(pattern);
  task.frequencies = frequencies.data();
  task.count = frequencies.size();
  task.width = pattern.cols();
  task.tile = rows.tile;
  task.algorithm = rows.algorithm;
  task.is_part = rows.is_part;
  task.column_transform = &column_transform();
  return task;
}

std::uint64_t tallest_tile(const SparsePattern& pattern, const DeviceRows& rows) {
  return cuda::tallest_tile(pattern.cols(), static_cast<std::uint64_t>(pattern.nonzeros()), rows.algorithm);
}

/// Completes the task with the pattern and row transform plans, and runs it.
DeviceUse run_rows(const SparsePattern& pattern, cuda::RowTask& task, Backend backend, JobContext& context) {
  const bool symmetric_half =
      task.receiver == nullptr && task.reductions != nullptr && task.reductions->symmetric_half;
  const std::vector<cuda::RowTransformPlan> plans =
      row_transform_plans(pattern.cols(), task.algorithm, backend, symmetric_half);
  task.plans = plans.data();
  task.plan_count = plans.size();
  return DeviceJob(backend, context).run(task);
}

}  // namespace

void add_device_staging(ByteTerms& terms, const SparsePattern& pattern, std::uint64_t count,
                        std::uint64_t width, const DeviceRows& rows) {
  const std::uint64_t height = device_tile(pattern, count, rows);
  const std::uint64_t tiles = cuda::row_streams(count, height);
  terms.add(std::string(tiles == 1 ? "a page-locked tile" : "two page-locked tiles") + " of " +
                std::to_string(height) + " rows",
            saturating_product(8 * tiles * height, width));
}

std::uint64_t device_tile(const SparsePattern& pattern, std::uint64_t count, const DeviceRows& rows) {
  return cuda::tile_rows(rows.tile, count, cuda::built_length(pattern.cols(), rows.algorithm),
                         tallest_tile(pattern, rows));
}

std::uint64_t device_reduced_tile(const SparsePattern& pattern, Backend backend, std::uint64_t count,
                                  const DeviceRows& rows) {
  std::uint64_t memory = std::numeric_limits<std::uint64_t>::max();
  for (const Backend& device : members_of(backend))
    memory = std::min(memory, cuda_module().facts(device.device).total_bytes);
  return cuda::reduced_tile_rows(rows.tile, count, cuda::built_length(pattern.cols(), rows.algorithm), memory,
                                 tallest_tile(pattern, rows));
}

DeviceUse stream_device_rows(const SparsePattern& pattern, Backend backend, const DeviceRows& rows,
                             std::span<RowConsumer* const> consumers, JobContext& context) {
  std::vector<std::uint32_t> frequencies(half_rows(pattern.rows()));
  std::iota(frequencies.begin(), frequencies.end(), 0U);
  DeviceConsumers split(pattern, backend, consumers, context);
  const cuda::Reductions* reductions = split.reductions();
  const bool is_shared = backend.group != 0 && split.receiver() == nullptr && !rows.store_half &&
                         reductions->features == nullptr && reductions->pyramid == nullptr;
  const DeviceUse use =
      is_shared ? run_group_rows(pattern, backend, rows, frequencies, *reductions, context)
                : run_device_rows(pattern, backend, rows, frequencies, split.receiver(), reductions, context);
  split.finish();
  return use;
}

DeviceUse run_device_rows(const SparsePattern& pattern, Backend backend, const DeviceRows& rows,
                          std::span<const std::uint32_t> frequencies, cuda::RowReceiver* receiver,
                          const cuda::Reductions* reductions, JobContext& context) {
  cuda::RowTask task = row_task(pattern, rows, frequencies);
  task.output = rows.store_half ? cuda::RowOutput::paper_half : cuda::RowOutput::rows;
  task.receiver = receiver;
  task.reductions = reductions;
  if (receiver == nullptr) task.tile = device_reduced_tile(pattern, backend, task.count, rows);
  return run_rows(pattern, task, backend, context);
}

DeviceUse run_group_rows(const SparsePattern& pattern, Backend group, DeviceRows rows,
                         std::span<const std::uint32_t> frequencies, const cuda::Reductions& reductions,
                         JobContext& context) {
  const std::vector<Backend> devices = members_of(group);
  rows.tile = device_reduced_tile(pattern, group, frequencies.size(), rows);
  // All devices can run the plans of the device with the smallest shared memory for the kernel of whole rows.
  const Backend smallest = *std::ranges::min_element(
      devices, {}, [](Backend device) { return cuda_module().facts(device.device).row_kernel_bytes; });
  const std::vector<cuda::RowTransformPlan> plans =
      row_transform_plans(pattern.cols(), rows.algorithm, smallest, reductions.symmetric_half);
  // All jobs are made before any device can be lost: after a loss, jobs are refused on every device.
  std::map<int, std::unique_ptr<GroupJob>> jobs;
  for (const Backend& device : devices)
    jobs[device.device] = std::make_unique<GroupJob>(device, device == devices.front(), context);
  const TilesToShare tiles{reductions, frequencies.size(), rows.tile};
  return share_tiles(devices, tiles, context, [&](const DeviceShare& share) {
    GroupJob& job = *jobs.at(share.device.device);
    job.on_checkpoint = [&share](std::uint64_t, std::uint64_t) { share.check(); };
    cuda::RowTask task = row_task(pattern, rows, frequencies);
    task.reductions = &share.reductions;
    task.tiles = &share.tiles;
    task.plans = plans.data();
    task.plan_count = plans.size();
    return job.run(task);
  });
}

std::vector<std::complex<float>> gather_on_device(const SparsePattern& pattern, Backend backend,
                                                  const DeviceRows& rows, const FrequencyGrid& grid,
                                                  const DeviceSampleOutputs& samples, JobContext& context,
                                                  DeviceUse& use) {
  const std::vector<std::uint32_t> u = indices_of(grid.rows);
  const std::vector<std::uint32_t> v = indices_of(grid.cols);
  BookedVector<std::complex<float>> values(context, samples.to_host ? grid.count() : 0, "coefficients");
  cuda::RowTask task = row_task(pattern, rows, u);
  task.columns = v.data();
  task.width = v.size();
  task.output = cuda::RowOutput::gather;
  task.reductions = samples.reductions;
  RowsTo receiver = rows_to_array(values.data.data(), task.width, context.pool());
  if (samples.to_host) task.receiver = &receiver;
  use = run_rows(pattern, task, backend, context);
  return std::move(values.data);
}

}  // namespace spyctrum
