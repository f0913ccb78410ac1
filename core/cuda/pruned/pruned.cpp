// SPDX-License-Identifier: Apache-2.0
// Several columns at a time are filled with their weights (ones without weights) and transformed into k1
// outputs each; the resulting k1 rows of n values are transformed and copied to the host. The blocks of all
// lines are transformed by one batched cuFFT.
#include <algorithm>
#include <optional>

#include "core/cuda/pattern/device_pattern.hpp"
#include "core/cuda/pruned/pruned_kernels.hpp"
#include "core/cuda/runtime/fft_plans.hpp"
#include "core/cuda/runtime/streams.hpp"
#include "core/cuda/runtime/task_entry.hpp"
#include "core/device/interface/pruned.hpp"

namespace spyctrum::cuda {

namespace {

/// One axis: its tables, and the lines that are being transformed.
class Axis {
 public:
  Axis(Host& host, const PrunedAxisSpec& spec, std::uint64_t lines, cudaStream_t stream)
      : host_(host),
        stream_(stream),
        at_once_(pruned_lines(spec, lines)),
        line_values_(pruned_line_values(spec)),
        pitch_(2 * (line_values_ / spec.blocks)),
        frequencies_(upload(host, spec.frequencies, spec.outputs, "frequencies of an axis")),
        positions_(upload(host, spec.positions, spec.outputs, "positions of an axis")),
        lines_(host, at_once_ * line_values_, "lines") {
    // A block of one element is its own transform; a real one is stored in the space of the complex result.
    if (spec.length > 1) plan_.emplace(host, pruned_fft(spec, at_once_), stream);
    outputs_ = {spec.size,    reciprocal_of(spec.size), spec.length,     spec.blocks, spec.real_input,
                spec.outputs, frequencies_.get(),       positions_.get()};
  }
  [[nodiscard]] std::uint64_t at_once() const { return at_once_; }
  [[nodiscard]] std::uint64_t pitch() const { return pitch_; }  ///< reals from one block to the next
  [[nodiscard]] float2* lines() const { return lines_.get(); }
  void clear() { set_zero(host_, lines_.get(), at_once_ * line_values_, stream_, "clearing lines"); }
  /// Transforms the blocks of all lines, and combines those of the first `count` lines into outputs.
  void combine(const PrunedPlace& place, std::uint64_t count, float2* out) {
    if (plan_ && outputs_.real_input) plan_->real(reinterpret_cast<float*>(lines_.get()), lines_.get());
    if (plan_ && !outputs_.real_input) plan_->complex(lines_.get(), CUFFT_FORWARD);
    check(host_, launch_combine_blocks(lines_.get(), outputs_, place, count, out, stream_),
          "combining blocks");
  }

 private:
  Host& host_;
  cudaStream_t stream_;
  std::uint64_t at_once_;
  std::uint64_t line_values_;
  std::uint64_t pitch_;
  DeviceBuffer<std::uint32_t> frequencies_;
  DeviceBuffer<std::uint32_t> positions_;
  DeviceBuffer<float2> lines_;
  std::optional<FftPlan> plan_;
  PrunedOutputs outputs_;
};

/// Calls work(first, count) for all lines, at most `at_once` at a time, waits for each, and returns device
/// seconds.
template <class Work>
double over_lines(Host& host, Stream& stream, std::uint64_t lines, std::uint64_t at_once, Work work) {
  Event began(host);
  Event ended(host);
  double seconds = 0;
  for (std::uint64_t first = 0; first < lines; first += at_once) {
    host.checkpoint(first, lines);
    began.record(stream.get());
    const std::uint64_t count = std::min(at_once, lines - first);
    const auto leave = work(first, count);
    ended.record(stream.get());
    ended.synchronize();
    seconds += ended.seconds_since(began);
    leave();
  }
  return seconds;
}

Timing run(const PrunedTask& task, Host& host) {
  host.begin_stage("prepare");
  const DevicePattern pattern(host, task.pattern);
  const DeviceColumns& columns = pattern.columns();
  const std::uint64_t n = task.along.size;
  Stream stream(host);
  const DeviceBuffer<float2> between(host, task.down.outputs * n, "rows between the axes");
  set_zero(host, between.get(), task.down.outputs * n, stream.get(), "clearing rows");
  Timing timing;
  {
    Axis down(host, task.down, columns.active, stream.get());
    host.begin_stage("columns");
    timing.device_seconds += over_lines(
        host, stream, columns.active, down.at_once(), [&](std::uint64_t first, std::uint64_t count) {
          down.clear();
          check(host,
                launch_scatter_blocks(columns, first, count, task.down.blocks, down.pitch(),
                                      reinterpret_cast<float*>(down.lines()), stream.get()),
                "filling columns");
          down.combine({columns.ids + first, 0, 1, n}, count, between.get());
          return [] {};
        });
  }
  Axis along(host, task.along, task.down.outputs, stream.get());
  const std::uint64_t width = task.along.outputs;
  const DeviceBuffer<float2> out(host, along.at_once() * width, "rows being copied to the host");
  host.begin_stage("rows");
  timing.device_seconds += over_lines(
      host, stream, task.down.outputs, along.at_once(), [&](std::uint64_t first, std::uint64_t count) {
        if (count < along.at_once()) along.clear();
        check(host,
              launch_split_rows(between.get() + first * n, count, n, task.along.blocks, along.lines(),
                                stream.get()),
              "splitting rows");
        along.combine({nullptr, 0, width, 1}, count, out.get());
        return [&host, &out, &task, first, count, width] {
          download(host, task.values + 2 * first * width, out.get(), count * width, "rows to the host");
        };
      });
  return timing;
}

}  // namespace

template <>
TaskEntry task_entry<PrunedTask>() {
  return make_task_entry<PrunedTask, run>();
}

}  // namespace spyctrum::cuda
