// SPDX-License-Identifier: Apache-2.0
// Vectors as wide as the instruction set that this file is compiled for, by the compiler's vector extension.
// Only for sources below core/kernels/isa, which are compiled once per instruction set.
#pragma once

#include <cstddef>
#include <cstring>

namespace spyctrum::kernels {
namespace {

#if defined(__AVX512F__)
inline constexpr std::size_t kVectorBytes = 64;
#elif defined(__AVX__)
inline constexpr std::size_t kVectorBytes = 32;
#else
inline constexpr std::size_t kVectorBytes = 16;
#endif

template <class T, std::size_t bytes = kVectorBytes>
struct VectorOf {
  // NOLINTNEXTLINE(modernize-use-using): an alias takes no size that depends on the template
  typedef T type __attribute__((vector_size(bytes)));
};
template <class T, std::size_t bytes = kVectorBytes>
using Vector = typename VectorOf<T, bytes>::type;
template <class V, class T>
inline constexpr std::size_t kLanes = sizeof(V) / sizeof(T);

template <class V>
inline V load(const void* from) {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
template <class V>
inline void store(void* to, const V& v) {
  std::memcpy(to, &v, sizeof v);
}

}  // namespace
}  // namespace spyctrum::kernels
