// SPDX-License-Identifier: Apache-2.0
// The sums of the stratified decoder on a CUDA device: powers of lines, and moments of the chosen lines, of
// sampled rows, and of a lattice's samples, which stay on the device. Definitions and choices are those of
// the CPU (core/features/decode_stratified.cpp). Equal requests give bit-equal results on the same device.
#pragma once

#include <array>
#include <functional>

#include "core/device/device_job.hpp"
#include "core/features/stratified.hpp"
#include "core/request/byte_terms.hpp"

namespace spyctrum {

/// Functions of PlaneSums throw Failure{cancelled}, and {out_of_memory}, {backend_unavailable}, {internal} as
/// the module reports.
class DevicePlaneSums : public PlaneSums {
 public:
  /// Computes the lattice on `grid` and reduces its samples on the device.
  using Compute = std::function<void(const cuda::Reductions&)>;
  DevicePlaneSums(PatternPtr pattern, Backend backend, const FrequencyGrid& grid, Compute compute,
                  JobContext& context);
  [[nodiscard]] std::uint64_t bytes() const override { return host_bytes(*pattern_); }
  [[nodiscard]] std::vector<float> powers(LineDirection direction) override;
  [[nodiscard]] Lines lines(const ChosenLines& lines, const std::vector<std::int64_t>& rows,
                            const PowerLimits& limits) override;
  [[nodiscard]] Moments bulk(const ChosenLines& lines, const PowerLimits& limits) override;
  [[nodiscard]] std::vector<SampledRowMoments> rows(const ChosenLines& lines,
                                                    const std::vector<std::int64_t>& rows,
                                                    const PowerLimits& limits) override;
  /// Device seconds and bytes of powers(), lines() and rows(), without those of `compute`.
  [[nodiscard]] const DeviceUse& use() const { return use_; }

  [[nodiscard]] static std::uint64_t host_bytes(const SparsePattern& pattern);
  /// Device bytes of powers(), lines() and rows(). bulk_bytes(): of bulk(), without those of the lattice.
  [[nodiscard]] static ByteTerms device_terms(const SparsePattern& pattern, Backend backend);
  [[nodiscard]] static std::uint64_t bulk_bytes(const SparsePattern& pattern, const FrequencyGrid& grid);

 private:
  void measure_powers();
  template <class Task>
  void run(Task& task);

  PatternPtr pattern_;
  Backend backend_;
  const FrequencyGrid& grid_;
  Compute compute_;
  JobContext& context_;
  DeviceUse use_;
  std::array<std::vector<float>, cuda::kPlaneLines> powers_;
};

}  // namespace spyctrum
