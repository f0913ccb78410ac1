// SPDX-License-Identifier: Apache-2.0
// What a plane on the device leaves behind on the host: some rows at a time, made by a kernel and copied.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/cuda/reductions/reductions.hpp"

namespace spyctrum::cuda {

/// The buffers of deliver(); made before the device's part is timed. `reductions`: of the rows, on the
/// device; null for none. `finished`: all of the rows where they already lie as they are wanted; null: they
/// are made.
struct Delivery {
  Delivery(Host& host, std::uint64_t total_rows, std::uint64_t row_width, bool to_host,
           const Reductions* reductions, const float2* finished = nullptr)
      : rows(total_rows),
        width(row_width),
        at_once(delivery_rows(total_rows, row_width)),
        plane(finished),
        staging(host, finished != nullptr ? 0 : at_once * row_width, "rows on their way out"),
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

/// make(first, count, device rows) puts rows on the stream; take(first, count, values) sees them on the host.
/// Without `to_host` they are made, reduced and left, and the device seconds that are returned count both.
template <class Make, class Take>
double deliver(Host& host, Delivery& delivery, cudaStream_t stream, Make make, Take take, bool to_host) {
  Event began(host);
  Event ended(host);
  const bool waits = to_host || delivery.reducer;  // else the rows are a few milliseconds of one kernel
  double seconds = 0;
  for (std::uint64_t first = 0; first < delivery.rows; first += delivery.at_once) {
    host.checkpoint(first, delivery.rows);
    const std::uint64_t count = std::min(delivery.at_once, delivery.rows - first);
    if (waits || first == 0) began.record(stream);
    const auto rows = static_cast<std::uint32_t>(count);
    const float2* made = delivery.plane + (delivery.plane != nullptr ? first * delivery.width : 0);
    if (made == nullptr) {
      check(host, make(first, rows, delivery.staging.get()), "rows of the result");
      made = delivery.staging.get();
    }
    if (!waits) continue;
    if (to_host) {
      ended.record(stream);
      check(host,
            cudaMemcpyAsync(delivery.pinned.values(), made, count * delivery.width * sizeof(float2),
                            cudaMemcpyDeviceToHost, stream),
            "copying rows to the host");
    }
    if (delivery.reducer) delivery.reducer->add_packed(0, made, rows, first, stream);
    if (!to_host) ended.record(stream);
    check(host, cudaStreamSynchronize(stream), "copying rows to the host");
    seconds += ended.seconds_since(began);
    if (to_host) take(first, count, delivery.pinned.values());
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
