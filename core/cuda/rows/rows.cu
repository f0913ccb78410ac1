// SPDX-License-Identifier: Apache-2.0
// Two streams, each with the buffers of one tile: while one stream transforms a tile, the rows of the other
// are copied to the host or reduced. All buffers are allocated before the first tile. Kernels: one thread for
// each stored coefficient, or for one column of several rows.
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "core/cuda/reductions/reductions.hpp"
#include "core/cuda/runtime/launch.cuh"
#include "core/cuda/runtime/streams.hpp"
#include "core/cuda/runtime/task_entry.hpp"
#include "core/cuda/tiles/row_transform.hpp"
#include "core/cuda/tiles/tile_view.cuh"
#include "core/cuda/tiles/tile_view.hpp"
#include "core/device/interface/rows.hpp"

namespace spyctrum::cuda {

namespace {

constexpr std::uint32_t kGatheredRows = 16;  // most rows per thread, which share one correction

/// The last step of Algorithm 1. Writes half (m × q, q = ⌊n/2⌋+1) for the rows u = first_row … of the tile:
/// half[u, v] = F[u, v]; half[(m−u) mod m, v] = conj F[u, (n−v) mod n].
__global__ void store_half(TileView tile, std::uint64_t first_row, std::uint64_t m, std::uint64_t n,
                           float2* half) {
  const std::uint64_t q = n / 2 + 1;
  const std::uint64_t v = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (v >= q) return;
  const std::uint64_t u = first_row + blockIdx.y;
  half[u * q + v] = coefficient_of(tile, blockIdx.y, v);
  half[(u == 0 ? 0 : m - u) * q + v] = conjugate(coefficient_of(tile, blockIdx.y, v == 0 ? 0 : n - v));
}

/// Writes `count` rows u = first_row … of n coefficients from half (m × q).
__global__ void unfold_half(const float2* half, std::uint64_t m, std::uint64_t n, std::uint64_t first_row,
                            float2* rows) {
  const std::uint64_t q = n / 2 + 1;
  const std::uint64_t v = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (v >= n) return;
  const std::uint64_t u = first_row + blockIdx.y;
  const std::uint64_t mirror = u == 0 ? 0 : m - u;
  rows[blockIdx.y * n + v] = v < q ? half[u * q + v] : conjugate(half[mirror * q + (n - v)]);
}

/// output[r, q] = F[u_r, columns[q]], q < width; if `columns` is null, F[u_r, q].
__global__ void gather(TileView tile, const std::uint32_t* columns, std::uint64_t width, std::uint32_t share,
                       float2* output) {
  const std::uint64_t q = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (q >= width) return;
  const std::uint64_t v = columns != nullptr ? columns[q] : q;
  const std::uint32_t begin = blockIdx.y * share;
  const std::uint32_t end = min(begin + share, tile.count);
  if (tile.correction == nullptr) {
    for (std::uint32_t r = begin; r < end; ++r) output[r * width + q] = coefficient_of(tile, r, v);
    return;
  }
  const float correction = tile.correction[v];
  const float2* from = tile.values + place_of(tile, v);
  for (std::uint32_t r = begin; r < end; ++r) {
    const float2 value = from[r * tile.stride];
    output[r * width + q] = make_float2(value.x * correction, value.y * correction);
  }
}

constexpr std::uint64_t kStreams = 2;  // at most
constexpr std::uint64_t kDepth = 2;    // most tiles queued on a stream, so that a stop takes effect soon

class RowJob {
 public:
  RowJob(const RowTask& task, Host& host)
      : task_(task),
        receiver_(task.receiver),
        host_(host),
        transform_(host, task, stays_on_device(), takes_symmetric_half()) {
    host.begin_stage("memory");
    const std::uint64_t tile = transform_.tile_rows();
    if (task.output == RowOutput::paper_half)
      half_ = DeviceBuffer<float2>(host, task.pattern.rows * (task.pattern.cols / 2 + 1), "output of m·q");
    else if (stays_on_device())
      stored_ = DeviceBuffer<float2>(host, transform_.padded_count(task.count) * task.width, "output");
    if (task.output == RowOutput::gather)
      columns_ = upload(host, task.columns, task.width, "column frequencies");
    for (std::uint64_t k = 0; k < row_streams(task.count, tile); ++k) {
      Lane& lane = *lanes_.emplace_back(std::make_unique<Lane>(host, transform_));
      lane.index = k;
      if (stays_on_device()) continue;
      if (packs()) lane.packed = DeviceBuffer<float2>(host, tile * task.width, "packed rows");
      if (receiver_ != nullptr) lane.host_rows = PinnedBuffer(host, tile * task.width * sizeof(float2));
    }
    if (task.reductions != nullptr) reducer_.emplace(host, *task.reductions, task.width, tile, kStreams);
    check(host, cudaDeviceSynchronize(), "preparing");
  }

  Timing run() {
    host_.begin_stage("transform");
    lanes_[0]->began.record(lanes_[0]->stream.get());
    const std::uint64_t tile = transform_.tile_rows();
    std::uint64_t index = 0;
    for (std::uint64_t first = next_tile(0); first < task_.count; first = next_tile(first + tile), ++index) {
      Lane& lane = *lanes_[index % lanes_.size()];
      finish_lane(lane);
      lane.ended_tile[index / lanes_.size() % kDepth].synchronize();
      host_.checkpoint(first, task_.count);
      start_tile(lane, first, static_cast<std::uint32_t>(std::min(tile, task_.count - first)));
      if (receiver_ == nullptr) lane.ended_tile[index / lanes_.size() % kDepth].record(lane.stream.get());
    }
    finish_lanes(index);
    const bool delivers_half = task_.output == RowOutput::paper_half && !stays_on_device();
    if (delivers_half && receiver_ == nullptr) deliver_half();
    for (auto& lane : lanes_) lane->ended.record(lane->stream.get());
    if (reducer_) reducer_->deliver_row_sums();
    double seconds = 0;
    for (auto& lane : lanes_) {
      lane->ended.synchronize();
      seconds = std::max(seconds, lane->ended.seconds_since(lanes_[0]->began));
    }
    if (delivers_half && receiver_ != nullptr) deliver_half();
    for (auto& lane : lanes_) lane->stream.synchronize();
    if (reducer_) reducer_->finish();
    host_.checkpoint(task_.count, task_.count);
    return {seconds};
  }

 private:
  struct Lane {
    Lane(Host& host, const RowTransform& transform)
        : stream(host),
          buffers(host, transform, stream.get()),
          began(host),
          ended(host),
          copied(host),
          ended_tile{Event(host), Event(host)} {}
    // Declared first, so destroyed last: the buffers below are freed before the stream is destroyed.
    ~Lane() { (void)cudaStreamSynchronize(stream.get()); }
    std::uint64_t index = 0;
    Stream stream;
    RowTransform::Buffers buffers;
    DeviceBuffer<float2> packed;
    PinnedBuffer host_rows;
    Event began;
    Event ended;
    Event copied;
    Event ended_tile[kDepth];  ///< of the last tiles; used if no receiver waits for rows
    std::uint64_t first = 0;
    std::uint64_t count = 0;  ///< rows being copied to the host; 0: none
  };

  /// True if all rows stay on the device until the end, without receiver and reductions (RowTask).
  [[nodiscard]] bool stays_on_device() const { return receiver_ == nullptr && task_.reductions == nullptr; }
  /// True if rows are only reduced, and only their symmetric halves.
  [[nodiscard]] bool takes_symmetric_half() const {
    return !packs() && task_.reductions != nullptr && task_.reductions->symmetric_half;
  }
  /// True if rows are packed from their tile into another buffer; else they are reduced in the tile.
  [[nodiscard]] bool packs() const {
    return stays_on_device() || receiver_ != nullptr || task_.output != RowOutput::rows;
  }
  /// The tile to compute next: that of RowTask::tiles or, if this is null, `in_order`.
  [[nodiscard]] std::uint64_t next_tile(std::uint64_t in_order) const {
    return task_.tiles != nullptr ? task_.tiles->next() : in_order;
  }
  void reduce_packed(const Lane& lane, std::uint64_t first, std::uint32_t count) {
    if (reducer_) reducer_->add_packed(lane.index, lane.packed.get(), count, first, lane.stream.get());
  }

  void start_tile(Lane& lane, std::uint64_t first, std::uint32_t count) {
    cudaStream_t stream = lane.stream.get();
    if (task_.output == RowOutput::paper_half) {
      const TileView tile = transform_.transform(lane.buffers, first, count);
      check(host_,
            launch(store_half, dim3(blocks_for(task_.pattern.cols / 2 + 1), tile.count), kThreads, stream,
                   tile, first, task_.pattern.rows, task_.pattern.cols, half_.get()),
            "finalizing");
      return;
    }
    if (!packs()) {
      for (std::uint32_t done = 0; done < count;) {
        const std::uint64_t next = first + done;
        const std::uint32_t alike = transform_.count_alike(next, count - done);
        reducer_->add(lane.index, transform_.transform(lane.buffers, next, alike), next, stream);
        done += alike;
      }
      return;
    }
    float2* device_rows = stays_on_device() ? stored_.get() + first * task_.width : lane.packed.get();
    if (task_.algorithm == RowAlgorithm::optimized && task_.output == RowOutput::rows &&
        transform_.transforms_into_place(count)) {
      (void)transform_.transform(lane.buffers, first, count, device_rows);
    } else {
      const TileView tile = transform_.transform(lane.buffers, first, count);
      const std::uint32_t share = share_of(tile.count, blocks_for(task_.width), kGatheredRows);
      check(host_,
            launch(gather, dim3(blocks_for(task_.width), shares(tile.count, share)), kThreads, stream, tile,
                   columns_.get(), task_.width, share, device_rows),
            "gathering");
    }
    if (receiver_ != nullptr) copy_out(lane, device_rows, first, count);
    reduce_packed(lane, first, count);
  }

  void copy_out(Lane& lane, const float2* rows, std::uint64_t first, std::uint64_t count) {
    copy_to_host(host_, lane.host_rows.values(), rows, count * task_.width, lane.stream.get(),
                 "copying rows to the host");
    lane.copied.record(lane.stream.get());
    lane.first = first;
    lane.count = count;
  }

  /// Waits for a lane's rows and delivers them to the receiver.
  void finish_lane(Lane& lane) {
    if (lane.count == 0) return;
    const std::uint64_t count = std::exchange(lane.count, 0);
    lane.copied.synchronize();
    receiver_->take(lane.first, count, lane.host_rows.values());
  }

  /// Finishes all lanes in the order of rows; the lane of tile `next` has the oldest ones.
  void finish_lanes(std::uint64_t next) {
    for (std::uint64_t k = 0; k < lanes_.size(); ++k) finish_lane(*lanes_[(next + k) % lanes_.size()]);
  }

  void deliver_half() {
    host_.begin_stage(receiver_ != nullptr ? "copy" : "reduce");
    const std::uint64_t tile = transform_.tile_rows();
    std::uint64_t index = 0;
    for (std::uint64_t first = 0; first < task_.count; first += tile, ++index) {
      Lane& lane = *lanes_[index % lanes_.size()];
      finish_lane(lane);
      host_.checkpoint(first, task_.count);
      const auto count = static_cast<std::uint32_t>(std::min(tile, task_.count - first));
      check(host_,
            launch(unfold_half, dim3(blocks_for(task_.pattern.cols), count), kThreads, lane.stream.get(),
                   half_.get(), task_.pattern.rows, task_.pattern.cols, first, lane.packed.get()),
            "mirrored halves");
      if (receiver_ != nullptr) copy_out(lane, lane.packed.get(), first, count);
      reduce_packed(lane, first, count);
    }
    finish_lanes(index);
  }

  const RowTask& task_;
  RowReceiver* receiver_;
  Host& host_;
  RowTransform transform_;
  DeviceBuffer<float2> half_;
  DeviceBuffer<float2> stored_;
  DeviceBuffer<std::uint32_t> columns_;
  std::optional<Reducer> reducer_;
  std::vector<std::unique_ptr<Lane>> lanes_;
};

Timing run(const RowTask& task, Host& host) {
  if (task.count == 0 || task.width == 0) return {};
  host.begin_stage("tables");
  RowJob job(task, host);
  const Timing timing = job.run();
  host.begin_stage("release");
  return timing;
}

}  // namespace

template <>
TaskEntry task_entry<RowTask>() {
  return make_task_entry<RowTask, run>();
}

}  // namespace spyctrum::cuda
