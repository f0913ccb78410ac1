// SPDX-License-Identifier: Apache-2.0
// Roots of unity e^{−2πik/m} in double precision for any m up to 2^32, from two tables of about √m entries:
// k = hi·2^s + lo, e(k) = coarse[hi]·fine[lo]. Indices are reduced mod m in integers, never in floating
// point.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace spyctrum {

/// a·b by its formula, without the library's care for infinities.
template <class T>
[[nodiscard]] std::complex<T> product(const std::complex<T>& a, const std::complex<T>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

class PhaseTable {
 public:
  explicit PhaseTable(std::uint64_t size);

  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// e^{−2πik/size} for k in 0 … size−1; error about 3e−16.
  [[nodiscard]] std::complex<double> at(std::uint64_t k) const {
    return spyctrum::product(coarse_[k >> shift_], fine_[k & mask_]);
  }
  /// (a·b) mod size for a, b < size ≤ 2^32.
  [[nodiscard]] std::uint64_t product(std::uint64_t a, std::uint64_t b) const { return reduce(a * b); }
  /// x mod size for any x.
  [[nodiscard]] std::uint64_t reduce(std::uint64_t x) const {
    // Barrett: the estimate of the quotient is at most one too small.
    const auto quotient = static_cast<std::uint64_t>((static_cast<Wide>(x) * inverse_) >> 64);
    const std::uint64_t rest = x - quotient * size_;
    return rest >= size_ ? rest - size_ : rest;
  }
  [[nodiscard]] std::uint64_t bytes() const {
    return (coarse_.size() + fine_.size()) * sizeof(std::complex<double>);
  }
  /// bytes() of a table of this size, computed without making the table.
  [[nodiscard]] static std::uint64_t bytes_for(std::uint64_t size);

 private:
  __extension__ using Wide = unsigned __int128;
  std::uint64_t size_;
  std::uint64_t inverse_;  // ⌊(2^64−1)/size⌋
  unsigned shift_ = 0;
  std::uint64_t mask_ = 0;
  std::vector<std::complex<double>> coarse_;
  std::vector<std::complex<double>> fine_;
};

/// e^{−2πik/size}, k in 0 … size−1, by std::sin and std::cos of an angle folded into the first octant.
[[nodiscard]] std::complex<double> root_of_unity(std::uint64_t k, std::uint64_t size);

}  // namespace spyctrum
