// SPDX-License-Identifier: Apache-2.0
// cuFFT plans that outlive the transform they were made for: making one takes longer than the transform of a
// window. Their work areas are not kept but taken for each transform, and booked.
#pragma once

#include "core/cuda/device_memory.hpp"

namespace spyctrum::cuda {

/// A plan of the current device without a work area. Nobody else has it meanwhile, as cuFFT demands;
/// afterwards it waits for the next transform of its shape.
class KeptPlan {
 public:
  KeptPlan(Host& host, const FftShape& shape);
  ~KeptPlan();
  KeptPlan(const KeptPlan&) = delete;
  KeptPlan& operator=(const KeptPlan&) = delete;
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

}  // namespace spyctrum::cuda
