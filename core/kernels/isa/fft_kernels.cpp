// SPDX-License-Identifier: Apache-2.0
// DUCC0's one-dimensional transforms (Reinecke; pocketfft lineage) on values that are already in lane format.
// Its multi-dimensional functions are not used: they copy every row element by element, and for long rows
// make a new plan in each call.
#include "core/kernels/isa/fft_kernels.hpp"

#include "core/kernels/isa/kernels.hpp"
#include "ducc0/infra/simd.h"

// DUCC0 compiles its transforms for vectors of 32, 16 and 8 bytes. This file uses no vectors of 8 bytes and,
// with AVX, no pairs of double; without them it compiles a quarter faster. Vectors of four floats remain:
// DUCC0 computes a single transform with them. With Clang, DUCC0 itself specialises pairs of double.
template <>
constexpr inline bool ducc0::detail_simd::simd_exists<float, 2> = false;
#if defined(__AVX__) && !defined(__clang__)
template <>
constexpr inline bool ducc0::detail_simd::simd_exists<double, 2> = false;
#endif

#include "ducc0/fft/fft1d_impl.h"

namespace spyctrum::kernels {

struct FftPlan {
  virtual ~FftPlan() = default;
  [[nodiscard]] virtual std::size_t workspace() const = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
};

namespace {

template <class T>
using LaneType = typename ducc0::simd_select<T, static_cast<int>(kFftLanes<T>)>::type;
template <class T>
using LaneComplex = ducc0::Cmplx<LaneType<T>>;
static_assert(sizeof(LaneComplex<float>) == 2 * kFftLanes<float> * sizeof(float));
static_assert(sizeof(LaneComplex<double>) == 2 * kFftLanes<double> * sizeof(double));

template <class T>
struct ComplexPlan final : FftPlan {
  using Engine = ducc0::detail_fft::pocketfft_c<T>;
  explicit ComplexPlan(std::size_t length) : lanes(length, false), single(length, true) {}
  Engine lanes;
  Engine single;
  [[nodiscard]] std::size_t workspace() const override {
    return 2 * std::max(lanes.bufsize() * kFftLanes<T>, single.bufsize());
  }
  [[nodiscard]] std::size_t bytes() const override { return lanes.footprint() + single.footprint(); }
};

template <class T>
struct RealPlan final : FftPlan {
  explicit RealPlan(std::size_t length) : lanes(length, false) {}
  ducc0::detail_fft::pocketfft_r<T> lanes;
  [[nodiscard]] std::size_t workspace() const override {
    return (lanes.bufsize() + lanes.length()) * kFftLanes<T>;
  }
  [[nodiscard]] std::size_t bytes() const override { return lanes.footprint(); }
};

}  // namespace

void free_plan(FftPlan* plan) { delete plan; }
std::size_t workspace(const FftPlan* plan) { return plan->workspace(); }
std::size_t plan_bytes(const FftPlan* plan) { return plan->bytes(); }

template <class T>
FftPlan* FftLoops<T>::plan(std::size_t length) {
  return new ComplexPlan<T>(length);
}

template <class T>
FftPlan* FftLoops<T>::real_plan(std::size_t length) {
  return new RealPlan<T>(length);
}

template <class T>
T* FftLoops<T>::fft_lanes(const FftPlan* plan, T* buffer, T* work, bool forward) {
  const auto& engine = static_cast<const ComplexPlan<T>*>(plan)->lanes;
  auto* result = engine.exec(reinterpret_cast<LaneComplex<T>*>(buffer),
                             reinterpret_cast<LaneComplex<T>*>(work), T(1), forward);
  return reinterpret_cast<T*>(result);
}

template <class T>
void FftLoops<T>::fft_single(const FftPlan* plan, std::complex<T>* data, T* work, bool forward) {
  using Value = ducc0::Cmplx<T>;
  const auto& engine = static_cast<const ComplexPlan<T>*>(plan)->single;
  auto* values = reinterpret_cast<Value*>(data);
  const Value* result = engine.exec(values, reinterpret_cast<Value*>(work), T(1), forward);
  if (result != values) std::memcpy(static_cast<void*>(data), result, engine.length() * sizeof(Value));
}

template <class T>
void FftLoops<T>::rfft_lanes(const FftPlan* plan, T* buffer, T* output, T* work) {
  constexpr std::size_t lanes = kFftLanes<T>;
  const auto& engine = static_cast<const RealPlan<T>*>(plan)->lanes;
  const std::size_t length = engine.length();
  const auto* result = reinterpret_cast<const T*>(
      engine.exec(reinterpret_cast<LaneType<T>*>(buffer), reinterpret_cast<LaneType<T>*>(work), T(1), true));
  // r₀ r₁ i₁ r₂ i₂ … becomes r₀ 0 r₁ i₁ …, and 0 for the imaginary part of the middle element of an even
  // length.
  std::memcpy(output, result, lanes * sizeof(T));
  std::memset(output + lanes, 0, lanes * sizeof(T));
  std::memcpy(output + 2 * lanes, result + lanes, (length - 1) * lanes * sizeof(T));
  if (length % 2 == 0) std::memset(output + (length + 1) * lanes, 0, lanes * sizeof(T));
}

template struct FftLoops<float>;
template struct FftLoops<double>;

}  // namespace spyctrum::kernels
