// SPDX-License-Identifier: Apache-2.0
// cuFFT plans that outlive the transform they were made for: making one takes longer than the transform of a
// window. Their work areas are not kept but taken for each transform, and booked.
#pragma once

#include <optional>

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
};

/// The complex transform, in place, of rows × length values of which afterwards only `low` columns at the
/// beginning and `high` at the end are wanted: the lines, then those columns.
class PlaneFft {
 public:
  PlaneFft(Host& host, std::uint64_t rows, std::uint64_t length, std::uint64_t low, std::uint64_t high,
           cudaStream_t stream);
  void forward(float2* values);

 private:
  Host& host_;
  cudaStream_t stream_;
  PlaneFftShapes shapes_;
  KeptPlan lines_;  ///< or all of it, without columns_
  std::optional<KeptPlan> columns_;
  std::uint64_t first_;  ///< column at which each run of columns_ begins
  std::uint64_t second_;
  ScratchBuffer<char> work_;
};

}  // namespace spyctrum::cuda
