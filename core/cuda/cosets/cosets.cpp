// SPDX-License-Identifier: Apache-2.0
// Sums of a plane, coset by coset, on two streams: while one transforms rows of its cosets, the other can
// transform columns. Each stream has boxes, slots and sums of edge boxes of its own, so that the order of
// their additions is fixed; all are added up at the end.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/cuda/cosets/coset_kernels.hpp"
#include "core/cuda/cosets/root_tables.hpp"
#include "core/cuda/pattern/device_pattern.hpp"
#include "core/cuda/reductions/coefficient_sums.hpp"
#include "core/cuda/runtime/streams.hpp"
#include "core/cuda/runtime/task_entry.hpp"

namespace spyctrum::cuda {

namespace {

constexpr std::uint64_t kDepth = 2;  // most batches queued on a stream, so that a stop takes effect soon

/// The number of cosets with the powers of coset (r, c), among them (−r, −c) and, of symmetric matrices, (c,
/// r) and (−c, −r); 0 if one of these comes before (r, c) in the order of rows, and is computed in its place.
std::uint32_t cosets_like(const CosetPlane& plane, std::uint32_t r, std::uint32_t c) {
  const std::uint32_t minus_r = (plane.row_step - r) % plane.row_step;
  const std::uint32_t minus_c = (plane.col_step - c) % plane.col_step;
  const std::pair<std::uint32_t, std::uint32_t> own{r, c};
  const std::array<std::pair<std::uint32_t, std::uint32_t>, 4> all{
      own, {minus_r, minus_c}, {c, r}, {minus_c, minus_r}};
  const std::span equals = std::span(all).first(plane.is_symmetric ? 4 : 2);
  if (std::ranges::min(equals) < own) return 0;
  return static_cast<std::uint32_t>(equals.size() /
                                    static_cast<std::size_t>(std::ranges::count(equals, own)));
}

class CosetJob {
 public:
  CosetJob(const CosetSumsTask& task, Host& host)
      : task_(task),
        host_(host),
        plane_(plane_of(task)),
        slot_places_(plane_.cells),
        at_once_(cosets_at_once(plane_.cells, cosets_of_share(task, plane_))),
        columns_(host, task.pattern) {
    const CosetLength& length = kCosetLengths[task.size.length];
    const std::uint64_t cells = plane_.cells;
    first_table_ = table(length.a, length.b * length.c);
    second_table_ = table(length.b, length.c);
    const std::vector<float2> roots = roots_of_256();
    roots_ = upload(host, roots.data(), roots.size(), kTables);
    if (length.is_resampled()) upload_weights(length.transformed());
    if (task.gains != nullptr) gains_ = upload(host, task.gains, length.transformed(), kTables);
    host.begin_stage("memory");
    entries_ = DeviceBuffer<CosetEntry>(host, task.pattern.nonzeros, "entries by rows");
    const std::uint32_t rows = ordered_rows(task.size);
    begins_ = DeviceBuffer<std::uint32_t>(host, row_begins(rows), "entries by rows");
    cursors_ = DeviceBuffer<std::uint32_t>(host, std::max(rows, plane_.cells), "entries by rows");
    bound_ = zeros<CellBound>(host, 1, "entries by rows");
    edge_begins_ = DeviceBuffer<std::uint32_t>(host, row_begins(plane_.cells), "edge boxes");
    edge_boxes_ = DeviceBuffer<std::uint32_t>(host, edges(), "edge boxes");
    slots_ = zeros<Moments>(host, slot_places_.count(), "sums of cosets");
    for (auto& lane : lanes_) {
      lane = std::make_unique<Lane>(host);
      lane->rows = DeviceBuffer<float2>(host, at_once_ * coset_values(task.size), "cosets");
      lane->boxes = DeviceBuffer<float>(host, box_values(cells, at_once_), "powers of boxes");
      lane->edge_sums = zeros<Moments>(host, edges(), "edge boxes");
    }
  }

  Timing run() {
    host_.begin_stage("transform");
    cudaStream_t first = lanes_[0]->stream.get();
    Event began(host_);
    began.record(first);
    prepare(first);
    add_cosets();
    Event ended(host_);
    collect(first);
    ended.record(first);
    lanes_[0]->stream.synchronize();
    return {ended.seconds_since(began)};
  }

 private:
  static constexpr const char* kTables = "tables of the cosets";

  struct Lane {
    explicit Lane(Host& host) : stream(host), ended{Event(host), Event(host)} {}
    // Declared first, so destroyed last: the buffers below are freed before the stream is destroyed.
    ~Lane() { (void)cudaStreamSynchronize(stream.get()); }
    Stream stream;
    DeviceBuffer<float2> rows;
    DeviceBuffer<float> boxes;
    DeviceBuffer<Moments> edge_sums;
    Event ended[kDepth];
  };

  static std::uint64_t cosets_of_share(const CosetSumsTask& task, const CosetPlane& plane) {
    const std::uint64_t all = different_cosets(plane.row_step, plane.col_step, plane.is_symmetric);
    return (all + task.shares - 1) / task.shares;
  }
  static CosetPlane plane_of(const CosetSumsTask& task) {
    CosetPlane plane;
    plane.m = static_cast<std::uint32_t>(task.pattern.rows);
    plane.n = static_cast<std::uint32_t>(task.pattern.cols);
    plane.cells = task.size.cells;
    plane.row_step = task.size.row_step;
    plane.col_step = task.size.col_step;
    plane.is_symmetric = task.is_symmetric;
    plane.is_spread = kCosetLengths[task.size.length].is_spread();
    plane.edges = radial_edges(plane.m, plane.n);
    return plane;
  }
  [[nodiscard]] DeviceBuffer<float2> table(std::uint32_t rows, std::uint32_t columns) const {
    const std::vector<float2> roots = twiddle_factors(rows, columns);
    return upload(host_, roots.data(), roots.size(), kTables);
  }
  /// Separates the weights of a thread's fifth cell, so that the others are loaded at once.
  void upload_weights(std::size_t transformed) {
    const std::size_t count = kResampledValues * (transformed / kResampledCells);
    std::vector<float4> four(count);
    std::vector<float> fifth(count);
    for (std::size_t k = 0; k < count; ++k) {
      const float* const weights = task_.weights + kResampledCells * k;
      four[k] = {weights[0], weights[1], weights[2], weights[3]};
      fifth[k] = weights[4];
    }
    four_weights_ = upload(host_, four.data(), count, kTables);
    fifth_weights_ = upload(host_, fifth.data(), count, kTables);
  }
  [[nodiscard]] EdgeBoxes edges_of(std::size_t lane) const {
    return {static_cast<std::uint32_t>(edges()), edge_begins_.get() + plane_.cells, edge_boxes_.get(),
            lanes_[lane]->edge_sums.get()};
  }
  [[nodiscard]] std::uint64_t edges() const { return most_edge_boxes(plane_.cells); }

  /// Orders the entries and lists the edge boxes.
  void prepare(cudaStream_t stream) {
    constexpr const char* kWhat = "preparing the cosets";
    check(host_,
          launch_entry_order(columns_.columns(), reciprocal_of(plane_.n), task_.size, entries_.get(),
                             begins_.get(), cursors_.get(), bound_.get(), stream),
          kWhat);
    float* const boxes = lanes_[0]->boxes.get();
    check(host_, launch_mark_edges(plane_, edges_of(0), cursors_.get(), edge_begins_.get(), boxes, stream),
          kWhat);
    for (std::size_t k = 1; k < lanes_.size(); ++k)
      check(host_,
            cudaMemcpyAsync(lanes_[k]->boxes.get(), boxes, sizeof(float) * plane_.boxes(),
                            cudaMemcpyDeviceToDevice, stream),
            kWhat);
    lanes_[0]->stream.synchronize();
  }

  void add_cosets() {
    const std::uint64_t total = std::uint64_t{plane_.row_step} * plane_.col_step;
    std::uint64_t batches = 0;
    CosetBatch batch;
    const auto add_batch = [&](std::uint64_t done) {
      if (batch.count == 0) return;
      if (batches % task_.shares == task_.share) {
        host_.checkpoint(done, total);
        add(batch, batches / task_.shares);
      }
      ++batches;
      batch.count = 0;
    };
    for (std::uint32_t r = 0; r < plane_.row_step; ++r) {
      for (std::uint32_t c = 0; c < plane_.col_step; ++c) {
        const std::uint32_t times = cosets_like(plane_, r, c);
        if (times == 0) continue;
        batch.coset[batch.count++] = {r, c, static_cast<float>(times)};
        if (batch.count == at_once_) add_batch(std::uint64_t{r} * plane_.col_step + c);
      }
    }
    add_batch(total);
  }

  void add(CosetBatch& batch, std::uint64_t number) {
    Lane& lane = *lanes_[number % kCosetLanes];
    Event& ended = lane.ended[number / kCosetLanes % kDepth];
    ended.synchronize();
    for (std::uint64_t k = batch.count; k % kCosetLines != 0; ++k) {
      batch.coset[k] = batch.coset[batch.count - 1];
      batch.coset[k].times = 0;
    }
    batch.rows = lane.rows.get();
    batch.boxes = lane.boxes.get();
    batch.slots = slots_.get() + number % kCosetLanes * slot_places_.of_lane;
    const OrderedEntries ordered{entries_.get(), begins_.get(), bound_.get()};
    const CosetTables tables{roots_.get(),        first_table_.get(),   second_table_.get(),
                             four_weights_.get(), fifth_weights_.get(), gains_.get(),
                             task_.beta,          task_.polynomials};
    const Floors floors{task_.floor, std::log2(task_.floor), task_.zero_floor};
    cudaStream_t stream = lane.stream.get();
    check(host_, launch_cosets(ordered, plane_, task_.size.length, tables, floors, batch, stream), "cosets");
    check(host_, launch_add_edges(plane_, batch, edges_of(number % kCosetLanes), floors, stream),
          "edge boxes");
    ended.record(stream);
  }

  /// Adds all slots and writes the result.
  void collect(cudaStream_t stream) {
    for (auto& lane : lanes_) lane->stream.synchronize();
    Moments* slots = slots_.get() + kCosetLanes * slot_places_.of_lane;
    BoxArrays boxes{};
    for (std::size_t k = 0; k < lanes_.size(); ++k) boxes.of[k] = lanes_[k]->boxes.get();
    check(host_, launch_classify_boxes(plane_, boxes, slots, stream), "sums of boxes");
    slots += slot_places_.boxes;
    for (std::size_t k = 0; k < lanes_.size(); ++k, slots += slot_places_.edges_of_lane)
      check(host_, launch_collect_edges(edges_of(k), slots, stream), "sums of edge boxes");
    const DeviceBuffer<Moments> sums(host_, 1, "sums of cosets");
    check(host_, launch_add_slots(slots_.get(), 1, slot_places_.count(), 1, sums.get(), stream),
          "sums of cosets");
    copy_to_host(host_, task_.sums, sums.get(), 1, stream, "sums of cosets");
    std::uint32_t edge_count = 0;
    copy_to_host(host_, &edge_count, edge_begins_.get() + plane_.cells, 1, stream, "edge boxes");
    lanes_[0]->stream.synchronize();
    if (edge_count > edges()) host_.fail(DeviceError::unsupported, "edge boxes", 0);
    const double count = static_cast<double>(plane_.m) * plane_.n - 1;
    task_.sums->sums[Moments::kCount] = task_.share == 0 ? count : 0;
  }

  const CosetSumsTask& task_;
  Host& host_;
  CosetPlane plane_;
  CosetSlots slot_places_;
  std::uint64_t at_once_;
  DevicePattern columns_;
  DeviceBuffer<float2> roots_, first_table_, second_table_;
  DeviceBuffer<float4> four_weights_;
  DeviceBuffer<float> fifth_weights_, gains_;
  DeviceBuffer<CosetEntry> entries_;
  DeviceBuffer<std::uint32_t> begins_, cursors_;
  DeviceBuffer<CellBound> bound_;
  DeviceBuffer<std::uint32_t> edge_begins_, edge_boxes_;
  DeviceBuffer<Moments> slots_;
  std::array<std::unique_ptr<Lane>, kCosetLanes> lanes_;
};

Timing run(const CosetSumsTask& task, Host& host) {
  host.begin_stage("tables");
  return CosetJob(task, host).run();
}

}  // namespace

template <>
TaskEntry task_entry<CosetSumsTask>() {
  return make_task_entry<CosetSumsTask, run>();
}

}  // namespace spyctrum::cuda
