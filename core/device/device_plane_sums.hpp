// SPDX-License-Identifier: Apache-2.0
// The sums of the stratified decoder from a CUDA device: powers of lines, whole lines, sampled rows, and the
// samples of the lattice where they are. The same definitions and choices as on the CPU
// (core/features/decode_stratified.cpp); equal requests give equal bits on the same device.
#pragma once

#include <array>
#include <functional>

#include "core/device/device_job.hpp"
#include "core/features/stratified.hpp"
#include "core/request/byte_terms.hpp"

namespace spyctrum {

class DevicePlaneSums : public PlaneSums {
 public:
  /// Has the lattice on `grid` computed and reduced.
  using Compute = std::function<void(const cuda::Reductions&)>;
  DevicePlaneSums(PatternPtr pattern, Backend backend, const FrequencyGrid& grid, Compute compute,
                  JobContext& context);
  [[nodiscard]] std::uint64_t bytes() const override { return host_bytes(*pattern_); }
  [[nodiscard]] std::vector<float> powers(LineDirection direction) override;
  [[nodiscard]] Lines lines(const ChosenLines& lines, const std::vector<std::int64_t>& rows,
                            const PowerLimits& limits) override;
  [[nodiscard]] Moments bulk(const ChosenLines& lines, const PowerLimits& limits) override;
  /// Of the lines; what `compute` takes is not in it.
  [[nodiscard]] const DeviceUse& use() const { return use_; }

  [[nodiscard]] static std::uint64_t host_bytes(const SparsePattern& pattern);
  /// Device bytes of the lines, and of bulk() beside the lattice.
  [[nodiscard]] static ByteTerms device_terms(const SparsePattern& pattern, Backend backend);
  [[nodiscard]] static std::uint64_t bulk_bytes(const SparsePattern& pattern, const FrequencyGrid& grid);

 private:
  void measure_powers();
  template <class Task, class Call>
  void run(Task& task, Call call);

  PatternPtr pattern_;
  Backend backend_;
  const FrequencyGrid& grid_;
  Compute compute_;
  JobContext& context_;
  DeviceUse use_;
  std::array<std::vector<float>, cuda::kPlaneLines> powers_;
};

}  // namespace spyctrum
