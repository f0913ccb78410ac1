// SPDX-License-Identifier: Apache-2.0
// cuFFT plans that outlive the transform they were made for: making one takes longer than the transform of a
// window. Their work areas are not kept but taken for each transform, and booked. What a plan itself holds on
// the device (tables of roots, code) only the library knows and no ledger counts: so plans that wait go when
// nothing else is kept on the device any more, or when its memory is short.
#pragma once

#include "core/cuda/runtime/device_memory.hpp"

namespace spyctrum::cuda {

/// A plan of the current device without a work area. Nobody else has it meanwhile, as cuFFT demands;
/// afterwards it waits for the next transform of its shape.
class ResidentPlan {
 public:
  ResidentPlan(Host& host, const FftShape& shape);
  ~ResidentPlan();
  ResidentPlan(const ResidentPlan&) = delete;
  ResidentPlan& operator=(const ResidentPlan&) = delete;
  [[nodiscard]] std::uint64_t work_bytes() const { return work_bytes_; }
  /// In place, forward.
  void run(Host& host, float2* values, void* work, cudaStream_t stream);

 private:
  int device_ = 0;
  FftShape shape_;
  cufftHandle handle_ = 0;
  std::uint64_t work_bytes_ = 0;
  bool is_loaded_ = false;  ///< the first execution may load the library's kernels
};

/// Destroys the plans of the current device that nobody has.
void release_spare_plans() noexcept;

}  // namespace spyctrum::cuda
