// SPDX-License-Identifier: Apache-2.0
// Rows of a plane summed by several CUDA devices: each has a thread and a task, and all share one queue of
// tiles, from which a slower device takes fewer. Tiles are the same for any number of devices, and the
// receiver gets their sums in the order of the rows: results are equal to the last bit for any number of
// devices.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "core/base/backend.hpp"
#include "core/base/job_context.hpp"
#include "core/device/device_job.hpp"
#include "core/device/device_rows.hpp"
#include "core/device/interface/reductions.hpp"
#include "core/device/interface/rows.hpp"

namespace spyctrum {

/// As run_device_rows(), on the devices of `group`, for sums of rows (reductions.row_sums).
DeviceUse run_group_rows(const SparsePattern& pattern, Backend group, DeviceRows rows,
                         std::span<const std::uint32_t> frequencies, const cuda::Reductions& reductions,
                         JobContext& context);

/// The arguments of the work of one device in share_tiles(): the device sums tiles of `tiles` and passes them
/// to `receiver`; the work calls `check` between them, which throws if the device should stop. The work
/// throws Failure if the device fails.
struct DeviceShare {
  Backend device;
  cuda::TileSource& tiles;
  cuda::RowSumsReceiver& receiver;
  std::function<void()> check;
};
using DeviceWork = std::function<DeviceUse(const DeviceShare&)>;

/// Tiles of `tile` rows, which together cover the rows of `sums`.
struct TilesToShare {
  const cuda::RowSumsReduction& sums;
  std::uint64_t tile = 0;
};

/// Runs `work` for each device on its own thread until sums.receiver has received every tile, in order and
/// from one thread at a time. Tiles of a device that fails are computed by the others. Returns the longest
/// time and the largest number of bytes of any device. Throws what the receiver throws, Failure{cancelled},
/// and, if all devices fail, the Failure of the last one.
DeviceUse share_tiles(std::span<const Backend> devices, const TilesToShare& tiles, JobContext& context,
                      const DeviceWork& work);

}  // namespace spyctrum
