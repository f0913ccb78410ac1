// SPDX-License-Identifier: Apache-2.0
// The covariance matrix of the weighted signatures, and its two leading eigenvectors by orthogonal iteration
// (G. Golub, C. Van Loan, Matrix Computations, 4th ed., 8.2.4).
#include "core/collection/projection.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/base/error.hpp"
#include "core/collection/signature.hpp"
#include "core/matrix/random.hpp"

namespace spyctrum {

namespace {

/// The values of the part "size" come first and are left out.
constexpr std::size_t kFirst = kSignatureOffsets[1];
static_assert(kSignatureParts[0].id == "size");
constexpr std::size_t kValues = kSignatureSize - kFirst;
constexpr int kMostSteps = 1000;
/// The iteration ends when no entry of a component changes by more than this.
constexpr double kSettled = 1e-9;

using Vector = std::array<double, kValues>;

double product(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t k = 0; k < kValues; ++k) sum += a[k] * b[k];
  return sum;
}

/// √weight of each value.
Vector scales() {
  Vector all{};
  for (std::size_t p = 1; p < kSignatureParts.size(); ++p)
    for (std::size_t k = kSignatureOffsets[p]; k < kSignatureOffsets[p + 1]; ++k)
      all.at(k - kFirst) = std::sqrt(static_cast<double>(kSignatureParts[p].weight));
  return all;
}

void check(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Failure(ErrorCode::cancelled, "Interrupted.");
}

/// Makes the vectors orthonormal; a vector that is 0 stays 0.
void orthonormalise(std::array<Vector, 2>& vectors) {
  for (std::size_t j = 0; j < 2; ++j) {
    for (std::size_t before = 0; before < j; ++before) {
      const double along = product(vectors.at(j), vectors.at(before));
      for (std::size_t k = 0; k < kValues; ++k) vectors.at(j)[k] -= along * vectors.at(before)[k];
    }
    const double length = std::sqrt(product(vectors.at(j), vectors.at(j)));
    if (length > 0)
      for (double& value : vectors.at(j)) value /= length;
  }
}

std::array<Vector, 2> leading_eigenvectors(const std::vector<Vector>& matrix, const std::stop_token& stop) {
  std::array<Vector, 2> found{};
  const CounterRandom random(1, 24);
  for (std::size_t k = 0; k < 2 * kValues; ++k) found.at(k % 2)[k / 2] = random.unit(k) - 0.5;
  orthonormalise(found);
  for (int step = 0; step < kMostSteps; ++step) {
    check(stop);
    std::array<Vector, 2> next{};
    for (std::size_t j = 0; j < 2; ++j)
      for (std::size_t k = 0; k < kValues; ++k) next.at(j)[k] = product(matrix[k], found.at(j));
    orthonormalise(next);
    double change = 0;
    for (std::size_t j = 0; j < 2; ++j)
      for (std::size_t k = 0; k < kValues; ++k)
        change = std::max(change, std::abs(next.at(j)[k] - found.at(j)[k]));
    found = next;
    if (change < kSettled) break;
  }
  for (Vector& vector : found) {
    const auto largest = std::ranges::max_element(vector, {}, [](double value) { return std::abs(value); });
    if (*largest < 0)
      for (double& value : vector) value = -value;
  }
  return found;
}

}  // namespace

Projection principal_components(std::span<const float> signatures, const std::stop_token& stop) {
  const std::size_t count = signatures.size() / kSignatureSize;
  const Vector scale = scales();
  const auto value = [&](std::size_t row, std::size_t k) {
    return scale[k] * static_cast<double>(signatures[row * kSignatureSize + kFirst + k]);
  };
  Vector mean{};
  for (std::size_t row = 0; row < count; ++row)
    for (std::size_t k = 0; k < kValues; ++k) mean[k] += value(row, k) / static_cast<double>(count);
  std::vector<Vector> covariance(kValues);
  for (std::size_t row = 0; row < count; ++row) {
    if (row % 64 == 0) check(stop);
    Vector centred{};
    for (std::size_t k = 0; k < kValues; ++k) centred[k] = value(row, k) - mean[k];
    for (std::size_t j = 0; j < kValues; ++j)
      for (std::size_t k = 0; k <= j; ++k)
        covariance[j][k] += centred[j] * centred[k] / static_cast<double>(count);
  }
  double variance = 0;
  for (std::size_t j = 0; j < kValues; ++j) {
    variance += covariance[j][j];
    for (std::size_t k = 0; k < j; ++k) covariance[k][j] = covariance[j][k];
  }
  const std::array<Vector, 2> components = leading_eigenvectors(covariance, stop);
  Projection made;
  for (std::size_t j = 0; j < 2; ++j) {
    made.places.at(j).resize(count);
    double squares = 0;
    for (std::size_t row = 0; row < count; ++row) {
      double place = 0;
      for (std::size_t k = 0; k < kValues; ++k) place += components.at(j)[k] * (value(row, k) - mean[k]);
      made.places.at(j)[row] = place;
      squares += place * place / static_cast<double>(count);
    }
    made.shares.at(j) = variance > 0 ? squares / variance : 0;
  }
  return made;
}

}  // namespace spyctrum
