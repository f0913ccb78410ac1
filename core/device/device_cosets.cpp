// SPDX-License-Identifier: Apache-2.0
// Chooses the length of cosets by times that were measured on an NVIDIA H200 (tests/bench/LOG.md).
#include "core/device/device_cosets.hpp"

#include "core/device/device_forecast.hpp"
#include "core/device/device_module.hpp"
#include "core/features/feature_totals.hpp"
#include "core/spectrum/rounding_floor.hpp"

namespace spyctrum {

namespace {

/// Cosets that are computed of s² of a symmetric matrix: those that r ↔ c and the sign leave are counted more
/// than once (Burnside's lemma).
double different_cosets(double s) {
  const double own_mirrors = static_cast<std::uint64_t>(s) % 2 == 0 ? 4 : 1;
  return (s * s + 2 * s + own_mirrors) / 4;
}

}  // namespace

std::optional<std::uint32_t> coset_length(const SparsePattern& pattern, Backend device) {
  const std::uint64_t n = pattern.cols();
  if (!pattern.symmetric() || pattern.nonzeros() == 0) return std::nullopt;
  if (cuda_module().facts(device.device).capability < 80) return std::nullopt;
  // Picoseconds for a coefficient of a coset of each length, and for an entry of a coset.
  constexpr double kOfCoefficient[] = {7.5, 9.4, 16, 8.3, 8.2};
  static_assert(std::size(kOfCoefficient) == std::size(cuda::kCosetLengths));
  constexpr double kOfEntry = 6.5;
  // By rows, for a coefficient of the half plane, and as much more for each entry of a column.
  constexpr double kOfRows = 13;
  constexpr double kOfRowEntry = 0.2;
  const auto entries = static_cast<double>(pattern.nonzeros());
  const auto side = static_cast<double>(n);
  double least = (kOfRows + kOfRowEntry * entries / side) * side * side / 2;
  std::optional<std::uint32_t> best;
  for (std::uint32_t k = 0; k < std::size(cuda::kCosetLengths); ++k) {
    const std::uint64_t cells = cuda::kCosetLengths[k].cells();
    const std::uint64_t steps = n / cells;
    if (n != steps * cells) continue;
    const double of_coset = kOfCoefficient[k] * static_cast<double>(cells * cells) + kOfEntry * entries;
    const double time = different_cosets(static_cast<double>(steps)) * of_coset;
    if (time >= least) continue;
    least = time;
    best = k;
  }
  return best;
}

DeviceUse sum_cosets(const SparsePattern& pattern, Backend device, std::uint32_t length, JobContext& context,
                     Moments& sums) {
  cuda::CosetSumsTask task;
  task.pattern = view_of(pattern);
  task.is_symmetric = pattern.symmetric();
  task.length = length;
  task.floor = noise_floor(pattern.weight_squares());
  task.zero_floor = rounding_floor(pattern);
  task.sums = &sums;
  return DeviceJob(device, context).run(task);
}

ByteTerms device_coset_terms(const SparsePattern& pattern, std::uint32_t length) {
  const std::uint64_t cells = cuda::kCosetLengths[length].cells();
  ByteTerms terms;
  add_device_pattern(terms, pattern);
  terms.add("entries by rows", sizeof(cuda::CosetEntry) * static_cast<std::uint64_t>(pattern.nonzeros()));
  terms.add("cosets",
            cuda::kCosetLanes * cuda::cosets_at_once(cells) * sizeof(float[2]) * cuda::coset_values(cells));
  terms.add("powers of boxes", cuda::kCosetLanes * sizeof(float) * cuda::box_values(cells));
  terms.add("edge boxes and sums", cuda::coset_sum_bytes(cells));
  return terms;
}

}  // namespace spyctrum
