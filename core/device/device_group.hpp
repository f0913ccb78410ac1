// SPDX-License-Identifier: Apache-2.0
// Rows of a plane reduced by several CUDA devices: each has a thread and a task, and all share one queue of
// tiles, from which a slower device takes fewer. Results are equal to the last bit for any number of devices:
// tiles are the same, the receiver of sums of rows gets them in the order of the rows, and comparisons with
// reconstructions are integers and sums of single rows, each from one device.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "core/base/backend.hpp"
#include "core/base/job_context.hpp"
#include "core/device/device_job.hpp"
#include "core/device/interface/reductions.hpp"
#include "core/device/interface/rows.hpp"

namespace spyctrum {

/// The arguments of the work of one device in share_tiles(): the device reduces tiles of `tiles` by
/// `reductions`, whose receiver and arrays are its own; the work calls `check` between tiles, which throws if
/// the device should stop. The work throws Failure if the device fails.
struct DeviceShare {
  Backend device;
  cuda::TileSource& tiles;
  const cuda::Reductions& reductions;
  std::function<void()> check;
};
using DeviceWork = std::function<DeviceUse(const DeviceShare&)>;

/// Tiles of `tile` rows, which together cover `rows` rows. The reductions are sums of rows or comparisons
/// with reconstructions, and nothing else.
struct TilesToShare {
  const cuda::Reductions& reductions;
  std::uint64_t rows = 0;
  std::uint64_t tile = 0;
};

/// Runs `work` for each device on its own thread until every tile is complete. A receiver of sums of rows
/// receives every tile, in order and from one thread at a time. Comparisons with reconstructions are added
/// when the work of a device returns. Tiles of a device that fails and that are not complete are computed by
/// the others. Returns the longest time and the largest number of bytes of any device. Throws what the
/// receiver throws, Failure{cancelled}, and, if all devices fail, the Failure of the last one.
DeviceUse share_tiles(std::span<const Backend> devices, const TilesToShare& tiles, JobContext& context,
                      const DeviceWork& work);

}  // namespace spyctrum
