// SPDX-License-Identifier: Apache-2.0
// A picture is drawn on a stream of its own: tables are uploaded, kernels fill the cells, and the cells are
// copied to the host. No call waits for other work of the device, except allocations by CUDA.
#include "core/cuda/pictures/pictures.hpp"

#include <algorithm>
#include <cstring>
#include <initializer_list>

#include "core/cuda/lattice/group_lattice.hpp"
#include "core/cuda/lattice/lattice_transform.hpp"
#include "core/cuda/pictures/picture_kernels.hpp"
#include "core/cuda/runtime/device_memory.hpp"
#include "core/device/interface/pictures.hpp"

namespace spyctrum::cuda {

namespace {

/// Arrays of `count` floats each, one after the other.
class ResidentValues : public DeviceData {
 public:
  ResidentValues(Host& host, std::initializer_list<const float*> arrays, std::uint64_t count,
                 cudaStream_t stream)
      : values_(host, arrays.size() * count * sizeof(float), "values of a picture", stream) {
    auto* to = values_.as<float>();
    for (const float* const array : arrays) {
      copy_to_device(host, to, array, count, stream, "values of a picture");
      to += count;
    }
  }
  [[nodiscard]] std::uint64_t bytes() const override { return values_.bytes(); }
  template <class T>
  [[nodiscard]] const T* values() const {
    return values_.as<const T>();
  }
  void finish_upload() { values_.finish_upload(); }

 private:
  ResidentBuffer values_;
};

constexpr std::size_t kSpareBlocks = 12;

/// Copies small arrays of the host to one buffer of the device by one copy.
class Tables {
 public:
  /// Adds `values`; returns the position for at(), to be called after upload().
  template <class T>
  std::size_t add(const T* values, std::uint64_t count) {
    const std::size_t place = (bytes_.size() + 15) / 16 * 16;
    bytes_.resize(place + count * sizeof(T));
    if (count != 0) std::memcpy(bytes_.data() + place, values, count * sizeof(T));
    return place;
  }
  void upload(Host& host, cudaStream_t stream) {
    buffer_ = DeviceBuffer<char>(host, bytes_.size(), "tables of a picture", stream);
    copy_to_device(host, buffer_.get(), bytes_.data(), bytes_.size(), stream, "tables of a picture");
  }
  template <class T>
  [[nodiscard]] const T* at(std::size_t place) const {
    return reinterpret_cast<const T*>(buffer_.get() + place);
  }

 private:
  std::vector<char> bytes_;
  DeviceBuffer<char> buffer_;
};

class Drawing {
 public:
  Drawing(const PictureTask& task, const CellBlock& block, cudaStream_t stream, Host& host)
      : task_(task), block_(block), stream_(stream), host_(host) {}

  void run() {
    const std::size_t rows = tables_.add(task_.rows, task_.height);
    const std::size_t cols = tables_.add(task_.cols, task_.width);
    switch (task_.source) {
      case PictureTask::Source::coefficients:
        return coefficients(rows, cols);
      case PictureTask::Source::values:
        return values(rows, cols);
      case PictureTask::Source::bilinear:
        return bilinear(rows, cols);
      case PictureTask::Source::pyramid:
        return pyramid(rows, cols);
      case PictureTask::Source::counts:
        return counts(rows, cols);
    }
  }

 private:
  [[nodiscard]] CellGrid grid_at(std::size_t rows, std::size_t cols) const {
    return {block_.cells, task_.height, task_.width, tables_.at<CellRange>(rows),
            tables_.at<CellRange>(cols)};
  }

  void coefficients(std::size_t rows, std::size_t cols) {
    tables_.upload(host_, stream_);
    LatticeTransform transform(host_, static_cast<const ResidentPattern&>(*task_.data),
                               static_cast<const ResidentOrder&>(*task_.order), *task_.row_lattice,
                               *task_.col_lattice, stream_);
    transform.run();
    check(host_,
          launch_reduce_lattice(grid_at(rows, cols), transform.values(), transform.rows(), transform.cols(),
                                stream_),
          "drawing coefficients");
  }

  struct NodePlaces {
    std::size_t rows, upright, mirrored;
  };
  NodePlaces add_nodes() {
    return {tables_.add(task_.row_nodes.storage, task_.row_nodes.nodes),
            tables_.add(task_.col_nodes.storage, task_.col_nodes.nodes),
            tables_.add(task_.col_nodes.mirrored, task_.col_nodes.nodes)};
  }
  [[nodiscard]] NodeMap nodes_at(const NodePlaces& at) const {
    return {static_cast<const ResidentValues&>(*task_.data).values<float2>(),
            tables_.at<std::uint64_t>(at.rows),
            tables_.at<std::uint64_t>(at.upright),
            tables_.at<std::uint64_t>(at.mirrored),
            task_.row_nodes.stored,
            task_.stride};
  }

  void values(std::size_t rows, std::size_t cols) {
    const NodePlaces nodes = add_nodes();
    tables_.upload(host_, stream_);
    check(host_, launch_reduce_values(grid_at(rows, cols), nodes_at(nodes), stream_), "drawing samples");
  }

  void bilinear(std::size_t rows, std::size_t cols) {
    const NodePlaces nodes = add_nodes();
    const std::size_t row_starts = tables_.add(task_.row_starts, task_.height + 1);
    const std::size_t col_starts = tables_.add(task_.col_starts, task_.width + 1);
    const std::size_t row_picks = tables_.add(task_.row_picks, task_.row_starts[task_.height]);
    const std::size_t col_picks = tables_.add(task_.col_picks, task_.col_starts[task_.width]);
    tables_.upload(host_, stream_);
    const PickMap picks{tables_.at<std::uint32_t>(row_starts), tables_.at<std::uint32_t>(col_starts),
                        tables_.at<PickView>(row_picks), tables_.at<PickView>(col_picks)};
    check(host_, launch_reduce_bilinear(grid_at(rows, cols), nodes_at(nodes), picks, stream_),
          "drawing a reconstruction");
  }

  void pyramid(std::size_t rows, std::size_t cols) {
    tables_.upload(host_, stream_);
    const auto* const means = static_cast<const ResidentValues&>(*task_.data).values<float>();
    const PyramidPlane plane{means,
                             means + std::uint64_t{task_.pyramid_rows} * task_.pyramid_cols,
                             task_.m,
                             task_.n,
                             task_.pyramid_rows,
                             task_.pyramid_cols};
    check(host_, launch_reduce_pyramid(grid_at(rows, cols), plane, stream_), "drawing a pyramid");
  }

  /// Sets `first` and `last` to the range of cells without the empty ones at both ends.
  static void in_view(const CellRange* ranges, std::uint32_t cells, std::uint32_t& first,
                      std::uint32_t& last) {
    const auto is_shown = [](const CellRange& range) { return range.first < range.last; };
    first = static_cast<std::uint32_t>(std::find_if(ranges, ranges + cells, is_shown) - ranges);
    for (last = cells; last > first && !is_shown(ranges[last - 1]);) --last;
  }

  void counts(std::size_t rows, std::size_t cols) {
    tables_.upload(host_, stream_);
    const auto& pattern = static_cast<const ResidentPattern&>(*task_.data);
    const EntryList list{pattern.entries(), pattern.row_ids(), pattern.col_ids(),    pattern.m(),
                         pattern.n(),       task_.block,       task_.mean_of_blocks, task_.first_of_blocks};
    CellsInView view;
    in_view(task_.rows, task_.height, view.first_row, view.last_row);
    in_view(task_.cols, task_.width, view.first_col, view.last_col);
    const std::uint64_t cells = std::uint64_t{task_.height} * task_.width;
    counts_ = DeviceBuffer<std::uint32_t>(host_, cells, "counts", stream_);
    set_zero(host_, counts_.get(), cells, stream_, "clearing the counts");
    const CellGrid grid = grid_at(rows, cols);
    check(host_, launch_count_entries(grid, list, view, counts_.get(), stream_), "counting entries");
    check(host_, launch_finish_counts(grid, list, counts_.get(), stream_), "drawing counts");
  }

  const PictureTask& task_;
  const CellBlock& block_;
  cudaStream_t stream_;
  Host& host_;
  Tables tables_;
  DeviceBuffer<std::uint32_t> counts_;
};

class CudaPictures : public Pictures {
 public:
  [[nodiscard]] bool try_enter() override { return LongCall::try_enter(); }
  void leave() noexcept override { LongCall::leave(); }

  void release_unused(int device) noexcept override {
    const DeviceScope scope(device);
    if (scope.is_chosen()) {
      release_unused_plans();
      pool_.trim(device, 0);
      release_unused_bytes();
    }
    (void)cudaGetLastError();
  }

  [[nodiscard]] std::uint64_t free_bytes(int device) override {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    const DeviceScope scope(device);
    if (!scope.is_chosen() || cudaMemGetInfo(&free_bytes, &total_bytes) != cudaSuccess) free_bytes = 0;
    return free_bytes + unused_bytes(device);
  }

  [[nodiscard]] DeviceData* upload_pattern(int device, const PatternView& pattern,
                                           const std::uint32_t* row_ids, std::uint64_t row_slots,
                                           Host& host) override {
    return resident<ResidentPattern>(device, host, "uploading a pattern", pattern, row_ids, row_slots);
  }

  [[nodiscard]] DeviceData* sort_order(int device, const DeviceData& pattern, const LatticeAxisSpec& rows,
                                       const LatticeAxisSpec& cols, LatticeOrder order, Host& host) override {
    const auto& entries = static_cast<const ResidentPattern&>(pattern);
    if (order == LatticeOrder::groups)
      return resident<GroupOrder>(device, host, "sorting a pattern", entries, rows, cols);
    return resident<ResidentOrder>(device, host, "sorting a pattern", entries, rows, cols, order);
  }

  [[nodiscard]] DeviceData* upload_values(int device, const float* values, std::uint64_t count,
                                          Host& host) override {
    return resident<ResidentValues>(device, host, "uploading values",
                                    std::initializer_list<const float*>{values}, 2 * count);
  }

  [[nodiscard]] DeviceData* upload_pyramid(int device, const float* means, const float* maxima,
                                           std::uint64_t count, Host& host) override {
    return resident<ResidentValues>(device, host, "uploading a pyramid",
                                    std::initializer_list<const float*>{means, maxima}, count);
  }

  [[nodiscard]] DevicePicture* draw(int device, const PictureTask& task, float* cells, Host& host) override {
    const DeviceScope scope(host, device);
    host.checkpoint(0, 1);
    const std::uint64_t bytes = std::uint64_t{task.height} * task.width * sizeof(float2);
    const Stream stream(host, true);
    auto picture = std::make_unique<Picture>(pool_, pool_.take(host, device, bytes, stream.get()),
                                             task.height, task.width);
    {
      Drawing drawing(task, picture->block(), stream.get(), host);
      const StreamWait wait{stream.get()};
      drawing.run();
      check(host, cudaEventRecord(picture->block().ready, stream.get()), "recording an event");
      if (cells != nullptr)
        copy_to_host(host, cells, picture->block().cells, bytes / sizeof(float2), stream.get(),
                     "copying a picture to the host");
      check(host, cudaStreamSynchronize(stream.get()), "drawing a picture");
    }
    host.checkpoint(1, 1);
    return picture.release();
  }

  void patch(DevicePicture& picture, const std::uint32_t* cells, const float* values, std::uint64_t count,
             Host& host) override {
    const CellBlock& block = static_cast<Picture&>(picture).block();
    const DeviceScope scope(host, block.device);
    const Stream stream(host, true);
    Tables tables;  // destroyed before the stream, on which its memory is freed
    const std::size_t numbers = tables.add(cells, count);
    const std::size_t pairs = tables.add(values, 2 * count);
    tables.upload(host, stream.get());
    check(host,
          launch_patch(block.cells, tables.at<std::uint32_t>(numbers), tables.at<float2>(pairs), count,
                       stream.get()),
          "finishing a picture");
    check(host, cudaEventRecord(block.ready, stream.get()), "recording an event");
    check(host, cudaStreamSynchronize(stream.get()), "finishing a picture");
  }

  [[nodiscard]] TextureLink* link(int device, unsigned texture, std::uint32_t height, std::uint32_t width,
                                  char* why, std::size_t size) override {
    return link_texture(device, texture, height, width, why, size);
  }

 private:
  /// Makes data that stays on the device; the data is there when the call returns.
  template <class Data, class... Sources>
  static DeviceData* resident(int device, Host& host, const char* what, const Sources&... sources) {
    const DeviceScope scope(host, device);
    const Stream stream(host, true);
    auto data = std::make_unique<Data>(host, sources..., stream.get());
    check(host, cudaStreamSynchronize(stream.get()), what);
    data->finish_upload();
    return data.release();
  }

  CellPool pool_;
};

void destroy(const CellBlock& block) {
  const DeviceScope scope(block.device);
  (void)cudaEventDestroy(block.ready);
  (void)cudaEventDestroy(block.read);
  (void)cudaFree(block.cells);
}

}  // namespace

bool CellPool::find(CellBlock& found, int device, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto fits = [&](const CellBlock& block) {
    return block.device == device && block.bytes >= bytes && block.bytes <= 2 * bytes;
  };
  const auto at = std::find_if(spare_.begin(), spare_.end(), fits);
  if (at == spare_.end()) return false;
  found = *at;
  spare_.erase(at);
  return true;
}

void CellPool::trim(int device, std::size_t left) noexcept {
  const auto is_here = [device](const CellBlock& block) { return block.device == device; };
  const auto take_one = [&](CellBlock& block) {
    const std::lock_guard lock(mutex_);
    if (static_cast<std::size_t>(std::count_if(spare_.begin(), spare_.end(), is_here)) <= left) return false;
    const auto oldest = std::find_if(spare_.begin(), spare_.end(), is_here);
    block = *oldest;
    spare_.erase(oldest);
    return true;
  };
  for (CellBlock old; take_one(old);) destroy(old);
}

CellBlock CellPool::take(Host& host, int device, std::uint64_t bytes, cudaStream_t stream) {
  CellBlock block;
  if (find(block, device, bytes)) {
    const cudaError_t code = cudaStreamWaitEvent(stream, block.read, 0);
    if (code != cudaSuccess) destroy(block);
    check(host, code, "waiting for a picture that is being copied");
    return block;
  }
  trim(device, kSpareBlocks);
  block.device = device;
  block.bytes = rounded_bytes(bytes);
  block.cells = static_cast<float2*>(allocate_device(host, block.bytes, "cells of a picture"));
  host.unbook(block.bytes);  // the picture outlives the job
  const auto make = [](cudaEvent_t& event) {
    return cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  };
  cudaError_t code = make(block.ready);
  if (code == cudaSuccess) code = make(block.read);
  if (code != cudaSuccess) destroy(block);
  check(host, code, "creating an event");
  return block;
}

void CellPool::give_back(const CellBlock& block) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    spare_.push_back(block);
  } catch (...) {
    destroy(block);  // no memory to extend the list
  }
}

Pictures& the_pictures() {
  static auto* pictures = new CudaPictures;
  return *pictures;
}

}  // namespace spyctrum::cuda
