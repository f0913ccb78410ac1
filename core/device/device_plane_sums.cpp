// SPDX-License-Identifier: Apache-2.0
// Builds the module's tasks, and weights and adds their sums.
#include "core/device/device_plane_sums.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "core/device/device_cache.hpp"
#include "core/device/device_forecast.hpp"
#include "core/device/device_module.hpp"
#include "core/device/row_transform_plans.hpp"

namespace spyctrum {

namespace {

static_assert(cuda::kProjections == kLineProjections);

constexpr std::array kDirections{LineDirection::rows, LineDirection::columns, LineDirection::sums,
                                 LineDirection::differences};
static_assert(static_cast<int>(cuda::PlaneLine::differences) == static_cast<int>(LineDirection::differences));
constexpr std::uint8_t kAllButRows = 0xE;
constexpr std::size_t kRowsExpected = 64;                                          // sampled rows of one task
constexpr std::uint64_t kLinesExpected = kMostPowerfulLines + 10 + kRowsExpected;  // per direction

cuda::LineMasks masks_of(const ChosenLines& lines) {
  cuda::LineMasks masks;
  for (std::size_t d = 0; d < kDirections.size(); ++d) {
    const LineSet& set = lines.of(kDirections[d]);
    if (!set.indices.empty()) masks.of[d] = reinterpret_cast<const std::uint8_t*>(set.chosen.data());
  }
  return masks;
}

/// The lines of one direction, and the module's sums of their coefficients.
struct LinesOfDirection {
  std::vector<cuda::LineRequest> lines;
  std::vector<Moments> below;  ///< at most the threshold; all coefficients if `above` is empty
  std::vector<Moments> above;  ///< above the threshold; empty but for rows
};

/// The chosen lines of direction number `d`. A coefficient on chosen lines of several directions counts with
/// the first of these directions.
LinesOfDirection chosen_of(const ChosenLines& lines, std::size_t d) {
  LinesOfDirection chosen;
  for (const std::int64_t c : computed_lines(lines, kDirections[d])) {
    const bool mirror_differs = kDirections[d] == LineDirection::columns && lines.m % 2 == 0 &&
                                line_weight(lines, kDirections[d], c) == 2;
    chosen.lines.push_back(
        {static_cast<std::uint32_t>(c), static_cast<std::uint8_t>((1U << d) - 1), false, mirror_differs});
  }
  return chosen;
}

cuda::LineRequest sampled_row(std::int64_t u) {
  return {static_cast<std::uint32_t>(u), kAllButRows, true, false};
}

/// The task without lines.
cuda::LineSumsTask line_task(bool symmetric, const ChosenLines& lines, const PowerLimits& limits) {
  cuda::LineSumsTask task;
  task.symmetric = symmetric;
  task.masks = masks_of(lines);
  task.most_power = limits.threshold;
  task.floor = limits.floors.noise;
  task.zero_floor = limits.floors.zero;
  return task;
}

}  // namespace

DevicePlaneSums::DevicePlaneSums(PatternPtr pattern, Backend backend, const FrequencyGrid& grid,
                                 Compute compute, JobContext& context)
    : pattern_(std::move(pattern)),
      backend_(backend),
      grid_(grid),
      compute_(std::move(compute)),
      context_(context) {}

template <class Task>
void DevicePlaneSums::run(Task& task) {
  DeviceJob host(backend_, context_);
  const UsedData points(host, device_cache(backend_.device)->pattern(pattern_, host), "pattern");
  task.pattern = points.get();
  const DeviceUse use = host.run(task);
  use_.seconds += use.seconds;
  use_.bytes = std::max(use_.bytes, use.bytes);
}

void DevicePlaneSums::measure_powers() {
  const std::vector<std::uint16_t> signs = projection_signs(std::max(pattern_->rows(), pattern_->cols()));
  cuda::LinePowersTask task;
  task.signs = signs.data();
  for (std::size_t d = 0; d < kDirections.size(); ++d) {
    const bool is_diagonal = d >= 2;
    if (is_diagonal && pattern_->rows() != pattern_->cols()) continue;
    if (kDirections[d] == LineDirection::columns && pattern_->symmetric()) continue;
    powers_[d].resize(line_count(*pattern_, kDirections[d]));
    task.powers[d] = powers_[d].data();
  }
  run(task);
  const double unit = line_power_unit(*pattern_);
  for (std::vector<float>& powers : powers_)
    for (float& power : powers) power = static_cast<float>(static_cast<double>(power) / unit);
}

std::vector<float> DevicePlaneSums::powers(LineDirection direction) {
  if (powers_[0].empty()) measure_powers();
  return std::move(powers_[static_cast<std::size_t>(direction)]);
}

PlaneSums::Lines DevicePlaneSums::lines(const ChosenLines& lines, const std::vector<std::int64_t>& rows,
                                        const PowerLimits& limits) {
  std::array<LinesOfDirection, kDirections.size()> sums;
  cuda::LineSumsTask task = line_task(pattern_->symmetric(), lines, limits);
  for (std::size_t d = 0; d < sums.size(); ++d) {
    LinesOfDirection& one = sums[d] = chosen_of(lines, d);
    if (d == 0)
      for (const std::int64_t u : rows) one.lines.push_back(sampled_row(u));
    one.below.resize(one.lines.size());
    if (d == 0) one.above.resize(one.lines.size());
    task.lines[d] = one.lines.data();
    task.count[d] = one.lines.size();
    task.below[d] = one.below.data();
    task.above[d] = one.above.empty() ? nullptr : one.above.data();
  }
  run(task);
  Lines result;
  const std::size_t chosen_rows = sums[0].lines.size() - rows.size();
  for (std::size_t d = 0; d < sums.size(); ++d) {
    const std::size_t count = d == 0 ? chosen_rows : sums[d].lines.size();
    for (std::size_t k = 0; k < count; ++k)
      result.chosen += line_weight(lines, kDirections[d], sums[d].lines[k].line) * sums[d].below[k];
  }
  for (std::size_t k = chosen_rows; k < sums[0].lines.size(); ++k)
    result.rows.push_back({2 * sums[0].below[k], 2 * sums[0].above[k]});
  return result;
}

std::vector<SampledRowMoments> DevicePlaneSums::rows(const ChosenLines& lines,
                                                     const std::vector<std::int64_t>& rows,
                                                     const PowerLimits& limits) {
  std::vector<SampledRowMoments> result;
  for (std::size_t first = 0; first < rows.size(); first += kRowsExpected) {
    const auto part = std::span(rows).subspan(first, std::min(kRowsExpected, rows.size() - first));
    std::vector<cuda::LineRequest> requests;
    for (const std::int64_t u : part) requests.push_back(sampled_row(u));
    std::vector<Moments> below(part.size());
    std::vector<Moments> above(part.size());
    cuda::LineSumsTask task = line_task(pattern_->symmetric(), lines, limits);
    task.lines[0] = requests.data();
    task.count[0] = requests.size();
    task.below[0] = below.data();
    task.above[0] = above.data();
    run(task);
    for (std::size_t k = 0; k < part.size(); ++k) result.push_back({2 * below[k], 2 * above[k]});
  }
  return result;
}

Moments DevicePlaneSums::bulk(const ChosenLines& lines, const PowerLimits& limits) {
  const std::vector<std::uint32_t> u = indices_of(grid_.rows);
  const std::vector<std::uint32_t> v = indices_of(grid_.cols);
  Moments sums;
  cuda::BulkReduction bulk;
  bulk.m = lines.m;
  bulk.n = lines.n;
  bulk.rows = u.size();
  bulk.width = v.size();
  bulk.u = u.data();
  bulk.v = v.data();
  bulk.masks = masks_of(lines);
  bulk.most_power = limits.threshold;
  bulk.floor = limits.floors.noise;
  bulk.zero_floor = limits.floors.zero;
  bulk.sums = &sums;
  cuda::Reductions reductions;
  reductions.bulk = &bulk;
  compute_(reductions);
  return sums;
}

std::uint64_t DevicePlaneSums::host_bytes(const SparsePattern& pattern) {
  // Powers and masks of four directions, signs, rows to sample from, indices of the samples.
  return 40 * std::max(pattern.rows(), pattern.cols());
}

ByteTerms DevicePlaneSums::device_terms(const SparsePattern& pattern, Backend backend) {
  const auto entries = static_cast<std::uint64_t>(pattern.nonzeros());
  const std::uint64_t m = pattern.rows();
  const std::uint64_t n = pattern.cols();
  const std::uint64_t longest = std::max(m, n);
  const auto work = [&](std::uint64_t length, std::uint64_t batch) {
    return device_fft_work_bytes(backend, cuda::lattice_fft(length, batch));
  };
  ByteTerms resident;
  resident.add("pattern", device_entry_bytes(pattern));
  ByteTerms lines = resident;
  lines.add("entries by lines", (pattern.has_weights() ? 24 : 16) * entries);
  lines.add("parts of inner sums",
            16 * cuda::kLinesAtOnce * ((entries + cuda::kLinePiece - 1) / cuda::kLinePiece));
  lines.add("lines of the plane", 8 * cuda::kLinesAtOnce * longest);
  lines.add("work area of cuFFT", std::max(work(m, cuda::kLinesAtOnce), work(n, cuda::kLinesAtOnce)));
  lines.add("sums and masks of lines",
            m + 3 * n +
                2 * sizeof(Moments) * kLinesExpected *
                    ((longest + cuda::kLineCoefficients - 1) / cuda::kLineCoefficients));
  ByteTerms powers = resident;
  const std::uint64_t pairs = cuda::kProjections / 2;
  const std::uint64_t directions = m != n ? 1 : pattern.symmetric() ? 3 : 4;
  powers.add("projections",
             longest * (2 + (pattern.has_weights() ? 8 : 4) * cuda::kProjections + 8 * pairs * directions));
  powers.add("work area of cuFFT", std::max(work(m, pairs * directions), work(n, pairs * directions)));
  return powers.total() > lines.total() ? powers : lines;
}

std::uint64_t DevicePlaneSums::bulk_bytes(const SparsePattern& pattern, const FrequencyGrid& grid) {
  return cuda::bulk_device_bytes(grid.rows.count(), grid.cols.count(), pattern.rows() + 3 * pattern.cols());
}

}  // namespace spyctrum
