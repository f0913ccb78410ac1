// SPDX-License-Identifier: Apache-2.0
// Chooses FFT lengths by their times measured on an H200 (cuFFT 12, CUDA 13.0, in place, single precision).
#include "core/device/row_transform_plans.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <tuple>

#include "core/device/device_job.hpp"
#include "core/device/device_module.hpp"
#include "core/fft/fft.hpp"
#include "core/fft/spread_shape.hpp"

namespace spyctrum {

namespace {

/// The number w of taps. With β as in resampled_plan() and σ ≥ 1.58, aliasing is below 1.5e-7 and the FFT's
/// rounding errors grow at most by a factor of 1.6 (both by the quadrature of core/fft/spread_shape.cpp).
constexpr std::size_t kResamplingTaps = 9;
constexpr double kOversampling = 1.58;

/// A length and the measured time of its FFT. (A copy takes 3.8 picoseconds per point.)
struct MeasuredLength {
  std::uint64_t length;
  double picoseconds;  ///< per point
};
constexpr MeasuredLength kParts[] = {
    {1024, 4.1},  {1152, 4.0},  {1280, 4.0},  {1456, 4.1},  {1600, 4.0},  {1728, 4.1},  {1792, 4.2},
    {2000, 4.2},  {2048, 4.1},  {2304, 4.1},  {2592, 4.1},  {2688, 4.1},  {3136, 4.1},  {3168, 4.2},
    {3456, 4.2},  {3840, 4.1},  {4000, 4.2},  {4096, 4.2},  {4400, 4.2},  {4608, 4.0},  {4704, 4.2},
    {4800, 4.1},  {5376, 4.3},  {5400, 4.1},  {5600, 4.1},  {5832, 4.1},  {6144, 4.3},  {6912, 4.6},
    {7840, 4.4},  {8064, 4.4},  {8192, 4.2},  {8448, 4.8},  {9000, 4.6},  {10976, 4.8}, {12096, 6.1},
    {13824, 6.1}, {16000, 6.1}, {16384, 6.1}, {18432, 6.5}, {20000, 6.2}, {21952, 6.1}, {25000, 6.7}};
constexpr std::uint64_t kLongestPart = 8192;
/// Longer rows of smooth length are faster if they are split into parts that a butterfly joins.
constexpr std::uint64_t kLongestWhole = 25000;
/// The longest row that cuFFT transforms in one pass through memory.
constexpr std::uint64_t kLongestPass = 32768;

// Cost besides the FFT, in picoseconds per cell. kWhole: resampling writes the cells, and a copy reads those
// of the output. kSplit: in place of the copy, the butterfly reads all cells.
constexpr double kWhole = 2.8;
constexpr double kSplit = 4.5;

// Additional picoseconds per cell for each value beyond cuda::kFewTaps that is added to the cell.
constexpr double kPerTap = 0.2;
/// Largest number of plans of the symmetric half: for |v| ≤ k·(n/2)/kBands, k = 1 … kBands.
constexpr std::uint64_t kBands = 8;

double tap_cost(std::uint64_t values) {
  return values > cuda::kFewTaps ? kPerTap * static_cast<double>(values - cuda::kFewTaps) : 0.0;
}

/// The cheapest length for the coefficients |v| ≤ half_width of rows of n values. cells = 0 if none is
/// possible.
struct Resampled {
  std::uint64_t cells = 0;                           ///< L
  std::uint64_t split = 1;                           ///< A
  double cost = std::numeric_limits<double>::max();  ///< picoseconds per row
};
Resampled resampled_length(std::uint64_t n, std::uint64_t half_width) {
  const std::uint64_t outputs = std::min(n, 2 * half_width + 1);
  const auto least = static_cast<std::uint64_t>(std::ceil(kOversampling * static_cast<double>(outputs)));
  Resampled best;
  const auto consider = [&](std::uint64_t part, std::uint64_t split, double picoseconds) {
    const std::uint64_t cells = part * split;
    const std::uint64_t values = kResamplingTaps * n / cells + 1;
    if (cells < least || values > (split == 1 ? cuda::kMostTaps : cuda::kFewTaps)) return;
    const double cost = static_cast<double>(cells) * (picoseconds + tap_cost(values));
    if (cost < best.cost) best = {cells, split, cost};
  };
  // Lengths without a split for short rows, and a power of two, which is long enough for any row.
  for (const std::uint64_t odd : {1U, 9U, 5U, 3U})
    for (std::uint64_t length = odd * 32; length <= 8192; length *= 2) consider(length, 1, 4.0 + kWhole);
  std::uint64_t power = 32;
  while (power < least) power *= 2;
  consider(power, 1, (power <= 32768 ? 7.6 : 8.9) + kWhole);
  for (const MeasuredLength& part : kParts) {
    consider(part.length, 1, part.picoseconds + kWhole);
    if (part.length % cuda::kPartAlignment != 0) continue;
    for (const std::uint64_t split : cuda::kSplits)
      if (split != 1) consider(part.length, split, part.picoseconds + kSplit);
  }
  return best;
}

cuda::RowTransformPlan resampled_plan(std::uint64_t n, std::uint64_t half_width, const Resampled& length) {
  const std::uint64_t outputs = std::min(n, 2 * half_width + 1);
  SpreadShape spread;
  spread.width = kResamplingTaps;
  spread.oversampling = static_cast<double>(length.cells) / static_cast<double>(outputs);
  spread.beta = resampling_beta(static_cast<double>(spread.width), spread.oversampling);
  const SpreadNodes nodes = spread_nodes(spread);
  cuda::RowTransformPlan plan;
  plan.half_width = half_width;
  plan.cells = length.cells;
  plan.split = length.split;
  plan.resampled = true;
  plan.taps = static_cast<std::uint32_t>(spread.width);
  plan.beta = spread.beta;
  plan.nodes = static_cast<std::uint32_t>(std::min<std::size_t>(nodes.places.size(), cuda::kMostNodes));
  std::copy_n(nodes.places.begin(), plan.nodes, plan.places);
  std::copy_n(nodes.values.begin(), plan.nodes, plan.values);
  return plan;
}

/// Plans by ascending half_width, whole rows last; a narrower plan only if it costs at least 5 % less than
/// the next wider one.
std::vector<cuda::RowTransformPlan> resampled_plans(std::uint64_t n, bool symmetric_half) {
  Resampled next = resampled_length(n, n / 2);
  std::vector<cuda::RowTransformPlan> plans{resampled_plan(n, n / 2, next)};
  for (std::uint64_t k = symmetric_half ? kBands - 1 : 0; k > 0; --k) {
    const std::uint64_t half_width = k * (n / 2) / kBands;
    const Resampled length = resampled_length(n, half_width);
    if (half_width == 0 || length.cells == 0 || length.cost > 0.95 * next.cost) continue;
    next = length;
    plans.push_back(resampled_plan(n, half_width, length));
  }
  std::reverse(plans.begin(), plans.end());
  return plans;
}

/// Shared memory of a thread block of the kernel that computes whole rows; 0 without it.
std::uint64_t row_kernel_bytes(Backend backend) {
  const auto bytes = run_guarded([&] { return cuda_module().facts(backend.device).row_kernel_bytes; });
  return bytes ? *bytes : 0;
}

/// The shortest length of the kernel for rows of n values; null if none is long enough, or if all are so long
/// that resampling without the kernel should be faster.
const cuda::KernelLength* kernel_length(std::uint64_t n, std::uint64_t shared_bytes) {
  constexpr double kMostOversampling = 1.8;
  for (const cuda::KernelLength& length : cuda::kKernelLengths) {
    const double oversampling = static_cast<double>(length.cells()) / static_cast<double>(n);
    if (oversampling > kMostOversampling) return nullptr;
    if (oversampling >= cuda::kKernelOversampling && length.shared_bytes() <= shared_bytes) return &length;
  }
  return nullptr;
}

cuda::RowTransformPlan kernel_plan(std::uint64_t n, const cuda::KernelLength& length) {
  const double cells_of_value = static_cast<double>(length.cells()) / static_cast<double>(n);
  const double width = cuda::kKernelTaps * cells_of_value;
  SpreadShape spread;  // in values
  spread.width = cuda::kKernelTaps;
  spread.beta = resampling_beta(width, cells_of_value);
  const SpreadNodes nodes = spread_nodes(spread);
  const std::vector<double> polynomials = TapPolynomials(spread).coefficients();
  cuda::RowTransformPlan plan;
  plan.half_width = n / 2;
  plan.cells = length.cells();
  plan.resampled = true;
  plan.beta = spread.beta;
  plan.kernel_length = static_cast<int>(&length - cuda::kKernelLengths);
  plan.nodes = static_cast<std::uint32_t>(nodes.places.size());
  for (std::size_t k = 0; k < nodes.places.size(); ++k) {
    plan.places[k] = nodes.places[k] * cells_of_value;
    plan.values[k] = nodes.values[k] * cells_of_value;
  }
  // TapPolynomials has the taps around a value, hence −s in place of s.
  for (std::size_t k = 0; k < cuda::kKernelPowers; ++k)
    for (std::size_t t = 0; t < cuda::kKernelTaps; ++t)
      plan.polynomials[k][t] =
          static_cast<float>((k % 2 == 0 ? 1 : -1) * polynomials[k * cuda::kKernelTaps + t]);
  return plan;
}

/// For a smooth length n: the least number of parts of at most kLongestPart values each that begin at cache
/// lines; 1 if n needs no split or if there is no such number.
std::uint64_t parts_of(std::uint64_t n) {
  const bool is_power_of_two = (n & (n - 1)) == 0;
  if (n <= kLongestWhole || is_power_of_two) return 1;
  for (const std::uint64_t split : cuda::kSplits)
    if (n % (16 * split) == 0 && n / split <= kLongestPart) return split;
  return 1;
}

std::uint64_t largest_prime(std::uint64_t n) {
  std::uint64_t largest = 1;
  for (std::uint64_t p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p) largest = p;
  return std::max(largest, n);
}

/// True if cuFFT transforms this length in one pass, which it does if it needs no work area.
bool takes_one_pass(std::uint64_t length, Backend backend) {
  constexpr std::uint64_t kBatch = 256;
  return length <= kLongestPass && device_fft_work_bytes(backend, {false, 1, length, length, kBatch}) == 0;
}

/// For a length that is not smooth: the number of parts, nearest to 4096 values each, that cuFFT transforms
/// in one pass; 0 if there is none. Measured picoseconds per value: 4 to 13 for the parts and 4.5 for the
/// butterfly, against 20 for resampling. For prime factors above kLongestPrime cuFFT uses Bluestein's
/// algorithm, 25 and more, which is faster than resampling only for short rows, since it starts fewer
/// kernels.
std::uint64_t one_pass_parts(std::uint64_t n, Backend backend) {
  constexpr std::uint64_t kLongestPrime = 127;
  constexpr std::uint64_t kShort = 4096;
  if (largest_prime(n) > kLongestPrime) return n <= kShort && takes_one_pass(n, backend) ? 1 : 0;
  if (takes_one_pass(n, backend)) return 1;
  const auto distance = [&](std::uint64_t split) {
    const std::uint64_t part = n / split;
    return std::abs(std::log2(static_cast<double>(part)) - 12);
  };
  std::uint64_t best = 0;
  for (const std::uint64_t split : cuda::kSplits) {
    if (n % split != 0 || (best != 0 && distance(split) >= distance(best))) continue;
    if (takes_one_pass(n / split, backend)) best = split;
  }
  return best;
}

}  // namespace

std::uint64_t device_fft_work_bytes(Backend backend, const cuda::FftShape& shape) {
  using Key = std::tuple<int, bool, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>;
  static std::mutex mutex;
  static std::map<Key, std::uint64_t> known;
  const Key key{backend.device, shape.real, shape.rows, shape.length, shape.stride, shape.batch};
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  ThreadPool pool(1);
  JobContext context(pool);
  DeviceJob host(backend, context);
  const auto bytes = run_guarded([&] { return cuda_module().fft_work_bytes(backend.device, shape, host); });
  return known[key] = bytes ? *bytes : 0;
}

std::vector<cuda::RowTransformPlan> row_transform_plans(std::uint64_t n, cuda::RowAlgorithm algorithm,
                                                        Backend backend, bool symmetric_half) {
  const auto unresampled = [n](std::uint64_t cells, std::uint64_t split) {
    cuda::RowTransformPlan plan;
    plan.half_width = n / 2;
    plan.cells = cells;
    plan.split = split;
    return std::vector<cuda::RowTransformPlan>{plan};
  };
  if (algorithm != cuda::RowAlgorithm::optimized) return unresampled(cuda::row_length(n), 1);
  // With larger prime factors parts take longer, and only resampling has narrower plans for the symmetric
  // half.
  constexpr std::uint64_t kLongestOfSymmetricHalf = 31;
  const bool is_better_resampled = symmetric_half && largest_prime(n) > kLongestOfSymmetricHalf && n > 4096;
  const std::uint64_t split = is_smooth(n)          ? parts_of(n)
                              : is_better_resampled ? 0
                                                    : one_pass_parts(n, backend);
  if (split == 0) {
    const cuda::KernelLength* const length = kernel_length(n, row_kernel_bytes(backend));
    if (length != nullptr) return {kernel_plan(n, *length)};
    return resampled_plans(n, symmetric_half);
  }
  return unresampled(n, split);
}

const cuda::ColumnTransform& column_transform() {
  static const cuda::ColumnTransform tables = [] {
    SpreadShape shape;
    shape.oversampling = static_cast<double>(cuda::kColumnCells) / cuda::kColumnRows;
    shape.width = cuda::kColumnTaps;
    shape.beta = resampling_beta(static_cast<double>(shape.width), shape.oversampling);
    const std::vector<double> polynomials = TapPolynomials(shape).coefficients();
    cuda::ColumnTransform made;
    for (std::size_t k = 0; k < polynomials.size(); ++k)
      made.polynomials[k / shape.width][k % shape.width] = static_cast<float>(polynomials[k]);
    const std::vector<double> transform = spread_transform(shape, cuda::kColumnCells, std::size(made.gains));
    std::ranges::transform(transform, made.gains, [](double at) { return static_cast<float>(1 / at); });
    return made;
  }();
  return tables;
}

}  // namespace spyctrum
