// SPDX-License-Identifier: Apache-2.0
// Several columns of the matrix at a time are transformed into k1 outputs each; the resulting k1 rows of n
// values are transformed and copied to the host. The blocks of all lines are transformed by one batched
// cuFFT; kernels fill the blocks of lines and combine their transforms.
#include <algorithm>
#include <optional>

#include "core/cuda/pattern/device_columns.hpp"
#include "core/cuda/pattern/device_pattern.hpp"
#include "core/cuda/pattern/entries.cuh"
#include "core/cuda/pattern/phase.cuh"
#include "core/cuda/runtime/fft_plans.hpp"
#include "core/cuda/runtime/launch.cuh"
#include "core/cuda/runtime/streams.hpp"
#include "core/cuda/runtime/task_entry.hpp"
#include "core/device/interface/pruned.hpp"

namespace spyctrum::cuda {

namespace {

/// The outputs of lines whose blocks were transformed: y[f] = Σ_{j<p} g^{jf}·X̂[j, f mod l], g = e^{−2πi/n}.
struct PrunedOutputs {
  std::uint64_t size = 1;                      ///< n
  std::uint64_t reciprocal = 0;                ///< ⌊2^64/n⌋ mod 2^64
  std::uint64_t length = 1;                    ///< l
  std::uint64_t blocks = 1;                    ///< p
  bool real_input = false;                     ///< the transform of a block has ⌊l/2⌋+1 values
  std::uint64_t count = 0;                     ///< k
  const std::uint32_t* frequencies = nullptr;  ///< f, [k], sorted so that neighbours read neighbours in X̂
  const std::uint32_t* positions = nullptr;    ///< [k], index of each output in the result
};

/// The places of outputs: output r of line c is stored at positions[r]·output_stride +
/// line_ids[c]·line_stride. If line_ids is null, line_ids[c] = c.
struct PrunedPlace {
  const std::uint32_t* line_ids = nullptr;
  std::uint64_t line_stride = 1;
  std::uint64_t output_stride = 1;
};

constexpr std::uint64_t kMostY = 65535;  // blocks along y that a launch allows
constexpr std::uint64_t kPiece = 16;     // blocks whose phases are products of one exact phase

/// Writes the weights (1 without weights) of the entries of the column slots first … first+count−1, into
/// zeroed lines of p blocks, `pitch` reals from one block to the next.
__global__ void scatter_blocks(DeviceColumns columns, std::uint64_t first, std::uint64_t count,
                               std::uint32_t blocks, std::uint64_t pitch, float* lines) {
  for_each_entry(columns, first, count, [&](std::uint32_t i, std::uint64_t slot, float weight) {
    lines[((slot - first) * blocks + i % blocks) * pitch + i / blocks] = weight;
  });
}

/// lines[c, j mod p, ⌊j/p⌋] = rows[c, j], `count` rows of n.
__global__ void split_rows(const float2* rows, std::uint64_t count, std::uint64_t n, std::uint32_t blocks,
                           float2* lines) {
  const std::uint64_t at = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= n) return;
  const std::uint64_t length = n / blocks;
  // Consecutive threads write consecutive elements of a block.
  const std::uint64_t from = at % length * blocks + at / length;
  for (std::uint64_t c = blockIdx.y; c < count; c += gridDim.y) lines[c * n + at] = rows[c * n + from];
}

__global__ void combine_blocks(const float2* spectra, PrunedOutputs outputs, PrunedPlace place,
                               std::uint64_t count, float2* out) {
  const std::uint64_t r = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (r >= outputs.count) return;
  const std::uint32_t frequency = outputs.frequencies[r];
  const std::uint64_t position = outputs.positions[r];
  std::uint64_t source = frequency % outputs.length;
  const bool mirrored = outputs.real_input && source > outputs.length / 2;
  if (mirrored) source = outputs.length - source;
  const std::uint64_t kept = outputs.real_input ? outputs.length / 2 + 1 : outputs.length;
  const std::uint64_t step = fraction_of(frequency, outputs.size, outputs.reciprocal);
  const float2 rotation = root_at(static_cast<std::uint32_t>(step >> 32U));
  for (std::uint64_t c = blockIdx.y; c < count; c += gridDim.y) {
    const float2* line = spectra + c * outputs.blocks * kept + source;
    float2 sum = make_float2(0, 0);
    std::uint64_t turns = 0;
    // Each piece begins with an exact phase: a longer chain of products would lose digits.
    for (std::uint64_t first = 0; first < outputs.blocks; first += kPiece) {
      const std::uint64_t end = min(first + kPiece, outputs.blocks);
      float2 piece = make_float2(0, 0);
      float2 phase = root_at(static_cast<std::uint32_t>(turns >> 32U));
      for (std::uint64_t j = first; j < end; ++j, turns += step) {
        const float2 value = line[j * kept];
        const float2 term = product(phase, mirrored ? conjugate(value) : value);
        piece.x += term.x;
        piece.y += term.y;
        phase = product(phase, rotation);
      }
      sum.x += piece.x;
      sum.y += piece.y;
    }
    const std::uint64_t id = place.line_ids != nullptr ? place.line_ids[c] : c;
    out[position * place.output_stride + id * place.line_stride] = sum;
  }
}

unsigned along_y(std::uint64_t count) { return static_cast<unsigned>(std::min(count, kMostY)); }

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
    check(host_,
          launch(combine_blocks, dim3(blocks_for(outputs_.count), along_y(count)), kThreads, stream_,
                 lines_.get(), outputs_, place, count, out),
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
                launch(scatter_blocks, entry_blocks(count), kEntryThreads, stream.get(), columns, first,
                       count, static_cast<std::uint32_t>(task.down.blocks), down.pitch(),
                       reinterpret_cast<float*>(down.lines())),
                "filling columns");
          down.combine({columns.ids + first, 1, n}, count, between.get());
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
              launch(split_rows, dim3(blocks_for(n), along_y(count)), kThreads, stream.get(),
                     between.get() + first * n, count, n, static_cast<std::uint32_t>(task.along.blocks),
                     along.lines()),
              "splitting rows");
        along.combine({nullptr, width, 1}, count, out.get());
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
