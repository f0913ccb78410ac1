// SPDX-License-Identifier: Apache-2.0
// A plane whose rows several CUDA devices sum: a thread and a task for each device, one queue of tiles for
// all, so that a slower device takes fewer. The tiles are the same for any number of devices, and their sums
// are passed on in the order of the rows: results are equal to the last bit for one, two or four devices.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "core/base/backend.hpp"
#include "core/base/job_context.hpp"
#include "core/device/device_job.hpp"
#include "core/device/device_rows.hpp"
#include "core/device/interface/reductions.hpp"
#include "core/device/interface/rows.hpp"

namespace spyctrum {

/// run_device_rows() on the devices of `group`, for sums of rows (reductions.row_sums).
DeviceUse run_group_rows(const SparsePattern& pattern, Backend group, DeviceRows rows,
                         std::span<const std::uint32_t> frequencies, const cuda::Reductions& reductions,
                         JobContext& context);

/// What a device does in share_tiles(): asks `tiles` for tiles, has them summed and passed to `receiver`, and
/// calls `check` between them, which throws when the device should stop. Throws Failure where it fails.
struct DeviceShare {
  Backend device;
  cuda::TileSource& tiles;
  cuda::RowSumsReceiver& receiver;
  std::function<void()> check;
};
using DeviceWork = std::function<DeviceUse(const DeviceShare&)>;

/// Tiles of `tile` rows that cover the rows of `sums`.
struct TilesToShare {
  const cuda::RowSumsReduction& sums;
  std::uint64_t tile = 0;
};

/// Runs `work` for each device on a thread of its own, until sums.receiver has got every tile, in order and
/// by one thread at a time. The tiles of a device that fails are computed by the others. Returns the longest
/// time and the most bytes of a device. Throws what the receiver throws, Failure{cancelled}, and the Failure
/// of the last device when all have failed.
DeviceUse share_tiles(std::span<const Backend> devices, const TilesToShare& tiles, JobContext& context,
                      const DeviceWork& work);

}  // namespace spyctrum
