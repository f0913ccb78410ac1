// SPDX-License-Identifier: Apache-2.0
// Chooses the length of cosets by times that were measured on an NVIDIA H200 (tests/bench/LOG.md).
#include "core/device/device_cosets.hpp"

#include <vector>

#include "core/device/device_forecast.hpp"
#include "core/device/device_module.hpp"
#include "core/features/feature_totals.hpp"
#include "core/fft/spread_shape.hpp"
#include "core/spectrum/rounding_floor.hpp"

namespace spyctrum {

namespace {

/// Picoseconds for a coefficient of a coset of each length, for one of its L·N cells if lines are resampled,
/// and for an entry of a coset.
constexpr double kOfCell[] = {7.2, 9.4, 16, 7.5, 8.2, 12.5, 12.5, 12.5, 12, 13.3, 12.6};
static_assert(std::size(kOfCell) == std::size(cuda::kCosetLengths));
constexpr double kOfEntry = 6.5;
constexpr double kOfResampledEntry = 2.2;
/// Picoseconds for sorting the entries and classifying the boxes, by the measured time of n = 10,000.
constexpr double kOfStart = 3e8;
// By rows, for a coefficient of the half plane, and as much more for each entry of a column.
constexpr double kOfRows = 13;
constexpr double kOfRowEntry = 0.2;

/// The weights and gains of a CosetSumsTask.
struct Resampling {
  std::vector<float> weights;
  std::vector<float> gains;
  explicit Resampling(const cuda::CosetSize& size) {
    const std::uint32_t transformed = cuda::kCosetLengths[size.length].transformed();
    const double ratio = static_cast<double>(size.cells) / transformed;  // L/N
    SpreadShape shape;                                                   // in values
    shape.width = cuda::kCosetTaps;
    shape.beta = resampling_beta(cuda::kCosetTaps / ratio, 1 / ratio);
    const std::uint32_t groups = transformed / cuda::kResampledCells;
    for (std::uint32_t y = 0; y < cuda::kResampledValues; ++y)
      for (std::uint64_t t = 0; t < groups; ++t) {
        const std::uint64_t cell = cuda::kResampledCells * t;
        const std::uint64_t nearest = cell * size.cells / transformed;
        const double value = static_cast<double>(nearest + y) - cuda::kValuesBefore;
        for (std::uint64_t k = cell; k < cell + cuda::kResampledCells; ++k)
          weights.push_back(static_cast<float>(
              spread_value(shape, value - static_cast<double>(k * size.cells) / transformed)));
      }
    const std::vector<double> transform = spread_transform(shape, size.cells, size.cells / 2 + 1);
    gains.assign(transformed, 0.0F);
    for (std::size_t k = 0; k < transform.size(); ++k) {
      gains[k] = static_cast<float>(ratio / transform[k]);
      gains[(transformed - k) % transformed] = gains[k];
    }
  }
};

/// The cosets that are computed.
std::uint64_t cosets_of(const SparsePattern& pattern, const cuda::CosetSize& size) {
  return cuda::different_cosets(pattern.rows() / size.cells, pattern.cols() / size.cells,
                                pattern.symmetric());
}

/// The time of all cosets in picoseconds; 0 if the kernels have no such size.
double time_of(const SparsePattern& pattern, const cuda::CosetSize& size) {
  const cuda::CosetLength& length = cuda::kCosetLengths[size.length];
  const double ratio = static_cast<double>(size.cells) / length.transformed();
  if (length.is_resampled ? ratio < cuda::kLeastResampling || ratio > cuda::kMostResampling : ratio != 1)
    return 0;
  const double cells = static_cast<double>(size.cells) * length.transformed();
  const double of_entry = length.is_resampled ? kOfResampledEntry : kOfEntry;
  const double of_coset = kOfCell[size.length] * cells + of_entry * static_cast<double>(pattern.nonzeros());
  return kOfStart + static_cast<double>(cosets_of(pattern, size)) * of_coset;
}

}  // namespace

std::optional<cuda::CosetSize> coset_size(const SparsePattern& pattern, Backend device) {
  if (pattern.nonzeros() == 0 || cuda_module().facts(device.device).capability < 80) return std::nullopt;
  const auto cols = static_cast<double>(pattern.cols());
  double least = (kOfRows + kOfRowEntry * static_cast<double>(pattern.nonzeros()) / cols) * cols *
                 static_cast<double>(pattern.rows()) / 2;
  std::optional<cuda::CosetSize> best;
  constexpr std::uint32_t kMostCells = 2048;
  for (std::uint32_t cells = 1; cells <= kMostCells; ++cells) {
    if (pattern.rows() % cells != 0 || pattern.cols() % cells != 0) continue;
    for (std::uint32_t length = 0; length < std::size(cuda::kCosetLengths); ++length) {
      const double time = time_of(pattern, {cells, length});
      if (time == 0 || time >= least) continue;
      least = time;
      best = {cells, length};
    }
  }
  return best;
}

DeviceUse sum_cosets(const SparsePattern& pattern, Backend device, const cuda::CosetSize& size,
                     JobContext& context, Moments& sums) {
  cuda::CosetSumsTask task;
  task.pattern = view_of(pattern);
  task.is_symmetric = pattern.symmetric();
  task.size = size;
  std::optional<Resampling> resampling;
  if (cuda::kCosetLengths[size.length].is_resampled) {
    resampling.emplace(size);
    task.weights = resampling->weights.data();
    task.gains = resampling->gains.data();
  }
  task.floor = noise_floor(pattern.weight_squares());
  task.zero_floor = rounding_floor(pattern);
  task.sums = &sums;
  return DeviceJob(device, context).run(task);
}

ByteTerms device_coset_terms(const SparsePattern& pattern, const cuda::CosetSize& size) {
  const std::uint64_t cells = size.cells;
  const std::uint64_t cosets = cuda::cosets_at_once(cells, cosets_of(pattern, size));
  ByteTerms terms;
  add_device_pattern(terms, pattern);
  terms.add("entries by rows", sizeof(cuda::CosetEntry) * static_cast<std::uint64_t>(pattern.nonzeros()));
  terms.add("cosets", cuda::kCosetLanes * cosets * sizeof(float[2]) * cuda::coset_values(cells));
  terms.add("powers of boxes", cuda::kCosetLanes * sizeof(float) * cuda::box_values(cells, cosets));
  terms.add("edge boxes and sums", cuda::coset_sum_bytes(size));
  return terms;
}

}  // namespace spyctrum
