// SPDX-License-Identifier: Apache-2.0
// FPS-SFT's slices on CUDA: the device samples and transforms them and subtracts the known coefficients; the
// tests and the list of coefficients are on the host. Mirrors fps_slices.hpp.
#pragma once

#include <memory>
#include <span>

#include "core/device/device_job.hpp"
#include "core/device/interface/slices.hpp"
#include "core/methods/fps_sft/fps_known.hpp"
#include "core/methods/fps_sft/fps_slices.hpp"
#include "core/request/byte_terms.hpp"

namespace spyctrum {

class FpsCuda {
 public:
  /// For at most `lines` lines per call and `most_known` known coefficients. Throws Failure{out_of_memory} if
  /// L ≥ 2^32.
  FpsCuda(const SparsePattern& pattern, const FpsSlices& slices, Backend backend, std::uint64_t lines,
          std::uint64_t most_known, JobContext& context);
  /// FpsSlices::bins() of each line, one after the other, minus the first `known_count` known coefficients.
  void bins(std::span<const FpsLine> lines, const FpsKnown& known, std::uint64_t known_count,
            std::complex<float>* out);
  [[nodiscard]] DeviceUse use() const { return {seconds_, host_.device_memory().peak()}; }

  [[nodiscard]] static ByteTerms device_terms(const SparsePattern& pattern, Backend backend,
                                              std::uint64_t lines, std::uint64_t most_known);

 private:
  DeviceJob host_;
  double seconds_ = 0;
  std::unique_ptr<cuda::Slices> slices_;
};

}  // namespace spyctrum
