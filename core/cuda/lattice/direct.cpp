// SPDX-License-Identifier: Apache-2.0
// Direct sums of a grid's coefficients, piece by piece, so that a job can be cancelled between two launches.
#include <algorithm>
#include <cstring>

#include "core/cuda/lattice/direct_kernels.hpp"
#include "core/cuda/pattern/resident_pattern.hpp"
#include "core/cuda/reductions/delivery.hpp"
#include "core/cuda/runtime/task_entry.hpp"

namespace spyctrum::cuda {

namespace {

/// Terms of one launch: about a tenth of a second on a large device.
constexpr std::uint64_t kTermsAtOnce = std::uint64_t{1} << 37U;

class DirectJob {
 public:
  DirectJob(const DirectTask& task, Host& host)
      : host_(host),
        task_(task),
        pattern_(static_cast<const ResidentPattern&>(*task.pattern)),
        cut_(direct_cut(task.rows, task.cols, pattern_.entries().entries)),
        u_(upload(host, task.u, task.rows, "frequencies")),
        v_(upload(host, task.v, task.cols, "frequencies")),
        partial_(host, cut_.bytes() / sizeof(double2), "sums over parts of the entries"),
        delivery_(host, task.rows, task.cols, task.values != nullptr, task.reductions),
        stream_(host) {}

  Timing run() {
    host_.begin_stage("direct sums");
    float* const values = task_.values;
    return {deliver(
        host_, delivery_, stream_.get(),
        [&](std::uint64_t first, std::uint32_t count, float2* output) { return sum(first, count, output); },
        [&](std::uint64_t first, std::uint64_t count, const float* output) {
          std::memcpy(values + 2 * first * task_.cols, output, count * task_.cols * sizeof(float2));
        },
        values != nullptr)};
  }

 private:
  /// Rows first … first+count−1 to `output`.
  cudaError_t sum(std::uint64_t first, std::uint64_t count, float2* output) {
    const std::uint64_t height = cut_.down * kDirectTile;
    const std::uint64_t width = cut_.across * kDirectTile;
    for (std::uint64_t p = 0; p < count; p += height)
      for (std::uint64_t q = 0; q < task_.cols; q += width) {
        const DirectPiece piece{first + p, q, static_cast<std::uint32_t>(std::min(height, count - p)),
                                static_cast<std::uint32_t>(std::min(width, task_.cols - q))};
        sum(piece, first);
        check(host_,
              launch_add_parts(partial_.get(), piece, static_cast<unsigned>(cut_.parts),
                               output + p * task_.cols + q, task_.cols, stream_.get()),
              "adding parts");
      }
    return cudaSuccess;
  }

  void sum(const DirectPiece& piece, std::uint64_t rows_done) {
    const EntrySlots entries = pattern_.entries();
    const std::uint64_t coefficients =
        std::uint64_t{piece.down()} * piece.across() * kDirectTile * kDirectTile;
    const std::uint64_t at_once = std::max(cut_.parts * 256, kTermsAtOnce / coefficients);
    std::uint64_t begin = 0;
    do {
      const std::uint64_t end = std::min(entries.entries, begin + at_once);
      check(host_,
            launch_direct_sums(entries, {pattern_.row_ids(), u_.get(), task_.rows, pattern_.m()},
                               {pattern_.col_ids(), v_.get(), task_.cols, pattern_.n()}, piece, begin, end,
                               static_cast<unsigned>(cut_.parts), begin != 0, partial_.get(), stream_.get()),
            "direct sums");
      begin = end;
      if (begin == entries.entries && is_single(piece)) return;
      stream_.synchronize();
      host_.checkpoint(rows_done, task_.rows);
    } while (begin < entries.entries);
  }
  /// True if the task is one piece: nothing to be cancelled follows.
  [[nodiscard]] bool is_single(const DirectPiece& piece) const {
    return piece.row_count == task_.rows && piece.col_count == task_.cols;
  }

  Host& host_;
  const DirectTask& task_;
  const ResidentPattern& pattern_;
  DirectCut cut_;
  DeviceBuffer<std::uint32_t> u_;
  DeviceBuffer<std::uint32_t> v_;
  DeviceBuffer<double2> partial_;
  Delivery delivery_;
  Stream stream_;  // last: its destructor waits for the work that uses the buffers
};

Timing run(const DirectTask& task, Host& host) {
  host.begin_stage("prepare");
  return DirectJob(task, host).run();
}

}  // namespace

template <>
TaskEntry task_entry<DirectTask>() {
  return make_task_entry<DirectTask, run>();
}

}  // namespace spyctrum::cuda
