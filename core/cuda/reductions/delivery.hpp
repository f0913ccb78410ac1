// SPDX-License-Identifier: Apache-2.0
// Delivery of a plane that was computed on the device: several rows at a time are packed by a kernel, reduced
// on the device, and copied to the host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/cuda/reductions/reductions.hpp"
#include "core/cuda/runtime/streams.hpp"
#include "core/device/interface/rows.hpp"

namespace spyctrum::cuda {

/// The buffers of deliver(), which are allocated before the work on the device is timed. `reductions` may be
/// null. `packed`: rows that are already packed in device memory; null: deliver() packs them.
struct Delivery {
  Delivery(Host& host, std::uint64_t total_rows, std::uint64_t row_width, bool to_host,
           const Reductions* reductions, const float2* packed = nullptr)
      : rows(total_rows),
        width(row_width),
        at_once(delivery_rows(total_rows, row_width)),
        plane(packed),
        staging(host, packed != nullptr ? 0 : at_once * row_width, "rows being copied to the host"),
        pinned(host, to_host ? at_once * row_width * sizeof(float2) : 0) {
    if (reductions != nullptr) reducer.emplace(host, *reductions, row_width, at_once, 1);
  }
  std::uint64_t rows;
  std::uint64_t width;
  std::uint64_t at_once;
  const float2* plane;
  DeviceBuffer<float2> staging;
  PinnedBuffer pinned;
  std::optional<Reducer> reducer;
};

/// Delivers all rows. pack(first, count, device rows) puts a kernel that packs rows on the stream. If
/// `receiver` is null, rows are only packed and reduced. Returns the device seconds of packing; without a
/// receiver also those of the reductions.
template <class Pack>
double deliver(Host& host, Delivery& delivery, cudaStream_t stream, Pack pack, RowReceiver* receiver) {
  Event began(host);
  Event ended(host);
  // Rows that are only packed take milliseconds in all.
  const bool waits = receiver != nullptr || delivery.reducer;
  double seconds = 0;
  for (std::uint64_t first = 0; first < delivery.rows; first += delivery.at_once) {
    host.checkpoint(first, delivery.rows);
    const std::uint64_t count = std::min(delivery.at_once, delivery.rows - first);
    if (waits || first == 0) began.record(stream);
    const auto rows = static_cast<std::uint32_t>(count);
    const float2* packed = delivery.plane + (delivery.plane != nullptr ? first * delivery.width : 0);
    if (packed == nullptr) {
      check(host, pack(first, rows, delivery.staging.get()), "rows of the result");
      packed = delivery.staging.get();
    }
    if (!waits) continue;
    if (receiver != nullptr) {
      ended.record(stream);
      copy_to_host(host, delivery.pinned.values(), packed, count * delivery.width, stream,
                   "copying rows to the host");
    }
    if (delivery.reducer) delivery.reducer->add_packed(0, packed, rows, first, stream);
    if (receiver == nullptr) ended.record(stream);
    check(host, cudaStreamSynchronize(stream), "copying rows to the host");
    seconds += ended.seconds_since(began);
    if (receiver != nullptr) receiver->take(first, count, delivery.pinned.values());
  }
  if (!waits && delivery.rows > 0) {
    ended.record(stream);
    check(host, cudaStreamSynchronize(stream), "rows of the result");
    seconds = ended.seconds_since(began);
  }
  if (delivery.reducer) delivery.reducer->finish();
  host.checkpoint(delivery.rows, delivery.rows);
  return seconds;
}

}  // namespace spyctrum::cuda
