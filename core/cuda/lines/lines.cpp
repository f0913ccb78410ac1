// SPDX-License-Identifier: Apache-2.0
// Sums over chosen lines, direction by direction: the entries are sorted by their position along the lines;
// then 32 lines at a time are computed by inner sums and an FFT each, and their coefficients are summed.
// Powers of all lines: 16 random projections by 8 complex FFTs for each direction.
#include <algorithm>
#include <memory>
#include <vector>

#include "core/cuda/lines/line_kernels.hpp"
#include "core/cuda/pattern/device_pattern.hpp"
#include "core/cuda/pattern/resident_pattern.hpp"
#include "core/cuda/reductions/coefficient_sums.hpp"
#include "core/cuda/runtime/fft_plans.hpp"
#include "core/cuda/runtime/sort_pairs.hpp"
#include "core/cuda/runtime/streams.hpp"
#include "core/cuda/runtime/task_entry.hpp"
#include "core/device/interface/lattice.hpp"
#include "core/device/interface/lines.hpp"

namespace spyctrum::cuda {

namespace {

LineEntries entries_of(const ResidentPattern& pattern) {
  return {pattern.entries(), pattern.row_ids(), pattern.col_ids(), pattern.n()};
}

std::uint64_t lines_of(const ResidentPattern& pattern, std::size_t direction) {
  return direction == 0 ? pattern.m() : pattern.n();
}
/// Number of coefficients of a line.
std::uint64_t length_of(const ResidentPattern& pattern, std::size_t direction) {
  return direction == 0 ? pattern.n() : pattern.m();
}

template <class T>
DeviceBuffer<T> queue_upload(Host& host, const T* values, std::uint64_t count, const char* purpose,
                             cudaStream_t stream) {
  DeviceBuffer<T> buffer(host, count, purpose, stream);
  copy_to_device(host, buffer.get(), values, count, stream, purpose);
  return buffer;
}

/// Powers of the lines of several directions with equal numbers of lines.
void powers_of(const LinePowersTask& task, const std::vector<std::size_t>& directions,
               const std::uint16_t* signs, Host& host, cudaStream_t stream) {
  if (directions.empty()) return;
  const auto& pattern = static_cast<const ResidentPattern&>(*task.pattern);
  const std::uint64_t lines = lines_of(pattern, directions.front());
  constexpr std::uint64_t kPairs = kProjections / 2;
  ResidentPlan plan(host, lattice_fft(lines, kPairs * directions.size()));
  const bool is_weighted = pattern.entries().weights != nullptr;
  const std::uint64_t sum_bytes = is_weighted ? sizeof(std::uint64_t) : sizeof(int);
  const DeviceBuffer<char> sums(host, kProjections * lines * sum_bytes, "projections", stream);
  const DeviceBuffer<float2> rows(host, kPairs * directions.size() * lines, "projections", stream);
  const DeviceBuffer<char> work(host, plan.work_bytes(), "work area of cuFFT", stream);
  const auto project = [&](std::size_t k, auto* of) {
    set_zero(host, of, kProjections * lines, stream, "projections");
    check(host, launch_project(entries_of(pattern), static_cast<PlaneLine>(directions[k]), signs, of, stream),
          "projections");
    check(host, launch_pair_projections(of, lines, rows.get() + k * kPairs * lines, stream), "projections");
  };
  for (std::size_t k = 0; k < directions.size(); ++k) {
    if (is_weighted)
      project(k, reinterpret_cast<unsigned long long*>(sums.get()));
    else
      project(k, reinterpret_cast<int*>(sums.get()));
  }
  plan.run(host, rows.get(), work.get(), stream);
  auto* const powers = reinterpret_cast<float*>(sums.get());
  for (std::size_t k = 0; k < directions.size(); ++k) {
    check(host, launch_projected_powers(rows.get() + k * kPairs * lines, lines, powers, stream),
          "powers of lines");
    copy_to_host(host, task.powers[directions[k]], powers, lines, stream, "powers of lines");
  }
}

class LineJob {
 public:
  LineJob(const LineSumsTask& task, Host& host, cudaStream_t stream)
      : task_(task),
        host_(host),
        stream_(stream),
        pattern_(static_cast<const ResidentPattern&>(*task.pattern)),
        masks_(host, task.masks, pattern_.m(), pattern_.n()),
        entries_(pattern_.entries().entries) {
    std::uint64_t longest = 0;
    std::uint64_t work = 0;
    std::uint64_t slots = 0;
    for (std::size_t d = 0; d < kPlaneLines; ++d) {
      if (task.count[d] == 0) continue;
      const std::uint64_t length = length_of(pattern_, d);
      longest = std::max(longest, length);
      work = std::max(work, plan_of(length).work_bytes());
      slots = std::max(slots, 2 * task.count[d] * detail::pieces(length, kLineCoefficients));
    }
    for (auto* buffer : {&keys_, &values_, &other_keys_, &other_values_})
      *buffer = DeviceBuffer<std::uint32_t>(host, entries_, "entries by lines", stream);
    if (pattern_.entries().weights != nullptr)
      for (auto* buffer : {&weights_, &other_weights_})
        *buffer = DeviceBuffer<float>(host, entries_, "weights by lines", stream);
    rows_ = DeviceBuffer<float2>(host, kLinesAtOnce * longest, "lines of the plane", stream);
    heads_ = DeviceBuffer<float2>(host, 32 * line_pieces(entries_), "parts of inner sums", stream);
    tails_ = DeviceBuffer<float2>(host, 32 * line_pieces(entries_), "parts of inner sums", stream);
    work_ = DeviceBuffer<char>(host, work, "work area of cuFFT", stream);
    slots_ = DeviceBuffer<Moments>(host, slots, "sums of lines", stream);
  }

  void run() {
    std::uint64_t total = 0;
    std::uint64_t done = 0;
    for (const std::uint64_t count : task_.count) total += count;
    for (std::size_t d = 0; d < kPlaneLines; ++d) {
      if (task_.count[d] == 0) continue;
      order(d);
      const DeviceBuffer<LineRequest> lines =
          queue_upload(host_, task_.lines[d], task_.count[d], "lines of the plane", stream_);
      for (std::uint64_t first = 0; first < task_.count[d]; first += kLinesAtOnce) {
        host_.checkpoint(done + first, total);
        transform(d, lines.get() + first, std::min(kLinesAtOnce, task_.count[d] - first),
                  slots_.get() + first * parts(d) * fields(d));
        check(host_, cudaStreamSynchronize(stream_), "lines of the plane");
      }
      collect(d);
      done += task_.count[d];
    }
  }

 private:
  [[nodiscard]] std::uint64_t parts(std::size_t d) const {
    return detail::pieces(length_of(pattern_, d), kLineCoefficients);
  }
  [[nodiscard]] std::uint64_t fields(std::size_t d) const { return task_.above[d] != nullptr ? 2 : 1; }

  ResidentPlan& plan_of(std::uint64_t length) {
    for (const auto& [known, plan] : plans_)
      if (known == length) return *plan;
    plans_.emplace_back(length, std::make_unique<ResidentPlan>(host_, lattice_fft(length, kLinesAtOnce)));
    return *plans_.back().second;
  }

  /// Sorts the entries by their position along the lines of a direction. For rows, compressed columns already
  /// are in that order; for columns of a symmetric pattern, too.
  void order(std::size_t d) {
    const bool is_stored = d == 0 || (d == 1 && task_.symmetric);
    const auto place = [&] {
      check(host_,
            launch_line_places(entries_of(pattern_), is_stored ? PlaneLine::rows : static_cast<PlaneLine>(d),
                               keys_.get(), values_.get(), stream_),
            "entries by lines");
    };
    if (const float* const weights = pattern_.entries().weights; weights != nullptr) {
      check(host_,
            cudaMemcpyAsync(weights_.get(), weights, entries_ * sizeof(float), cudaMemcpyDeviceToDevice,
                            stream_),
            "weights by lines");
      // Weights and values are sorted separately by the same keys; the sort is stable, so they stay matched.
      if (!is_stored) {
        place();
        sort(d, weights_, other_weights_);
      }
    }
    place();
    if (!is_stored) sort(d, values_, other_values_);
  }

  /// Sorts `values` by keys_, both with their spare arrays.
  template <class Value>
  void sort(std::size_t d, DeviceBuffer<Value>& values, DeviceBuffer<Value>& other) {
    std::uint32_t* keys[] = {keys_.get(), other_keys_.get()};
    std::uint32_t* sorted[] = {reinterpret_cast<std::uint32_t*>(values.get()),
                               reinterpret_cast<std::uint32_t*>(other.get())};
    if (!sort_pairs(host_, length_of(pattern_, d), entries_, keys, sorted, stream_,
                    "sorting entries by lines"))
      return;
    std::swap(keys_, other_keys_);
    std::swap(values, other);
  }

  void transform(std::size_t d, const LineRequest* lines, std::uint64_t count, Moments* slots) {
    const std::uint64_t length = length_of(pattern_, d);
    const std::uint64_t size = lines_of(pattern_, d);
    set_zero(host_, rows_.get(), kLinesAtOnce * length, stream_, "lines of the plane");
    const InnerLines inner{lines,        static_cast<std::uint32_t>(count),
                           size,         reciprocal_of(size),
                           length,       rows_.get(),
                           heads_.get(), tails_.get()};
    check(host_, launch_inner_lines({keys_.get(), values_.get(), entries_, weights_.get()}, inner, stream_),
          "inner sums");
    plan_of(length).run(host_, rows_.get(), work_.get(), stream_);
    CoefficientRows rows;
    rows.tile.values = rows_.get();
    rows.tile.stride = length;
    rows.tile.count = static_cast<std::uint32_t>(count);
    rows.width = length;
    rows.direction = static_cast<PlaneLine>(d);
    rows.lines = lines;
    rows.m = static_cast<std::uint32_t>(pattern_.m());
    rows.n = static_cast<std::uint32_t>(pattern_.n());
    rows.edges = radial_edges(pattern_.m(), pattern_.n());
    rows.masks = masks_.view();
    rows.most_power = task_.most_power;
    rows.floor = task_.floor;
    rows.zero_floor = task_.zero_floor;
    check(host_, launch_sum_coefficients(rows, kLineCoefficients, fields(d) == 2, slots, stream_),
          "sums of lines");
  }

  void collect(std::size_t d) {
    const std::uint64_t count = task_.count[d];
    const DeviceBuffer<Moments> sums(host_, count * fields(d), "sums of lines", stream_);
    check(host_, launch_add_slots(slots_.get(), count, parts(d), fields(d), sums.get(), stream_),
          "sums of lines");
    std::vector<Moments> got(count * fields(d));
    copy_to_host(host_, got.data(), sums.get(), got.size(), stream_, "sums of lines");
    check(host_, cudaStreamSynchronize(stream_), "sums of lines");
    for (std::uint64_t k = 0; k < count; ++k) {
      task_.below[d][k] = got[k * fields(d)];
      if (fields(d) == 2) task_.above[d][k] = got[2 * k + 1];
    }
  }

  const LineSumsTask& task_;
  Host& host_;
  cudaStream_t stream_;
  const ResidentPattern& pattern_;
  DeviceMasks masks_;
  std::uint64_t entries_;
  std::vector<std::pair<std::uint64_t, std::unique_ptr<ResidentPlan>>> plans_;
  DeviceBuffer<std::uint32_t> keys_, values_, other_keys_, other_values_;
  DeviceBuffer<float> weights_, other_weights_;
  DeviceBuffer<float2> rows_, heads_, tails_;
  DeviceBuffer<char> work_;
  DeviceBuffer<Moments> slots_;
};

Timing run(const LinePowersTask& task, Host& host) {
  host.begin_stage("powers of lines");
  const auto& pattern = static_cast<const ResidentPattern&>(*task.pattern);
  const Stream stream(host);
  const DeviceBuffer<std::uint16_t> signs =
      queue_upload(host, task.signs, std::max(pattern.m(), pattern.n()), "signs", stream.get());
  Event began(host);
  Event ended(host);
  const StreamWait wait{stream.get()};
  began.record(stream.get());
  std::vector<std::size_t> alike[2];  // [0]: directions with m lines, [1]: the others
  for (std::size_t d = 0; d < kPlaneLines; ++d)
    if (task.powers[d] != nullptr) alike[lines_of(pattern, d) == pattern.m() ? 0 : 1].push_back(d);
  for (const auto& directions : alike) powers_of(task, directions, signs.get(), host, stream.get());
  ended.record(stream.get());
  ended.synchronize();
  return {ended.seconds_since(began)};
}

Timing run(const LineSumsTask& task, Host& host) {
  host.begin_stage("lines of the plane");
  const Stream stream(host);
  Event began(host);
  Event ended(host);
  LineJob job(task, host, stream.get());
  const StreamWait wait{stream.get()};
  began.record(stream.get());
  job.run();
  ended.record(stream.get());
  ended.synchronize();
  return {ended.seconds_since(began)};
}

}  // namespace

template <>
TaskEntry task_entry<LinePowersTask>() {
  return make_task_entry<LinePowersTask, run>();
}
template <>
TaskEntry task_entry<LineSumsTask>() {
  return make_task_entry<LineSumsTask, run>();
}

}  // namespace spyctrum::cuda
