// SPDX-License-Identifier: Apache-2.0
// cuFFT plans of two lifetimes. An FftPlan belongs to one job and owns its work area. A ResidentPlan stays
// after the job, since planning takes longer than the transform of a window; callers provide its work area.
// The bytes that cuFFT allocates on the device for a plan (tables of roots, code) are unknown and in no
// ledger, so unused resident plans are destroyed when no other data is resident on the device or its memory
// is short.
#pragma once

#include <optional>
#include <vector>

#include "core/cuda/runtime/device_memory.hpp"
#include "core/device/interface/fft_shape.hpp"

namespace spyctrum::cuda {

/// An FftShape as cuFFT's advanced layout. `sizes`: outermost first; `stride_in`, `stride_out`: elements from
/// one transform of the batch to the next; `embed_in`, `embed_out`: storage sizes by dimension.
struct FftLayout {
  explicit FftLayout(const FftShape& shape);
  cufftType type;
  std::vector<long long> sizes;
  std::vector<long long> embed_in;
  std::vector<long long> embed_out;
  long long stride_in;
  long long stride_out;
  long long batch;
};

/// A cuFFT plan without a work area; the caller provides one of `work_bytes` (cufftSetWorkArea).
[[nodiscard]] cufftHandle make_plan(Host& host, FftLayout& layout, std::size_t& work_bytes);

/// Module::fft_work_bytes().
[[nodiscard]] std::uint64_t fft_work_bytes(const FftShape& shape, Host& host);

/// A batched cuFFT plan of one job with its work area.
class FftPlan {
 public:
  FftPlan(Host& host, const FftShape& shape, cudaStream_t stream) : FftPlan(host, FftLayout(shape), stream) {}
  FftPlan(Host& host, const FftLayout& requested, cudaStream_t stream);
  ~FftPlan();
  FftPlan(const FftPlan&) = delete;
  FftPlan& operator=(const FftPlan&) = delete;
  /// In place; `direction`: CUFFT_FORWARD or CUFFT_INVERSE.
  void complex(cufftComplex* data, int direction) {
    execute([&] { return cufftExecC2C(plan_, data, data, direction); });
  }
  void complex(cufftDoubleComplex* data, int direction) {
    execute([&] { return cufftExecZ2Z(plan_, data, data, direction); });
  }
  void real(cufftReal* in, cufftComplex* out) {
    execute([&] { return cufftExecR2C(plan_, in, out); });
  }

 private:
  /// The first execution may load the library's kernels.
  template <class Call>
  void execute(Call call) {
    std::optional<LongCall> first;
    if (!std::exchange(is_loaded_, true)) first.emplace();
    check(host_, call(), "cuFFT");
  }
  bool is_loaded_ = false;
  Host& host_;
  cufftHandle plan_ = 0;
  DeviceBuffer<char> work_;
};

/// A plan of the current device without a work area. One object at a time uses a plan, as cuFFT requires; the
/// destructor keeps the plan for the next object of its shape.
class ResidentPlan {
 public:
  ResidentPlan(Host& host, const FftShape& shape);
  ~ResidentPlan();
  ResidentPlan(const ResidentPlan&) = delete;
  ResidentPlan& operator=(const ResidentPlan&) = delete;
  [[nodiscard]] std::uint64_t work_bytes() const { return work_bytes_; }
  /// `direction`: CUFFT_FORWARD or CUFFT_INVERSE. `work`: at least work_bytes() bytes, which no other stream
  /// uses. `in` may be `out`.
  void run(Host& host, float2* in, float2* out, int direction, void* work, cudaStream_t stream);
  /// In place, forward.
  void run(Host& host, float2* values, void* work, cudaStream_t stream) {
    run(host, values, values, CUFFT_FORWARD, work, stream);
  }

 private:
  int device_ = 0;
  FftShape shape_;
  cufftHandle handle_ = 0;
  std::uint64_t work_bytes_ = 0;
  bool is_loaded_ = false;  ///< the first execution may load the library's kernels
};

/// Destroys the resident plans of the current device that no object uses.
void release_unused_plans() noexcept;

}  // namespace spyctrum::cuda
