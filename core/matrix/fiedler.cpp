// SPDX-License-Identifier: Apache-2.0
// Lanczos, restarted from the best Ritz vector; eigenvectors of the projected matrix by Jacobi rotations.
#include "core/matrix/fiedler.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

namespace spyctrum {

namespace {

using Vector = std::span<double>;

constexpr std::size_t kSteps = 40;  // of Lanczos between restarts
constexpr int kRestarts = 30;

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}
void add(Vector to, double factor, std::span<const double> from) {
  for (std::size_t k = 0; k < to.size(); ++k) to[k] += factor * from[k];
}
/// Scales to ‖vector‖₂ = 1; returns false and changes nothing if the norm is below 1e-12.
bool normalise(Vector vector) {
  const double norm = std::sqrt(dot(vector, vector));
  if (!(norm > 1e-12)) return false;
  for (double& value : vector) value /= norm;
  return true;
}

struct Eigenpair {
  double value = 0;
  std::vector<double> vector;
};
/// The largest eigenvalue of a symmetric n×n matrix and its eigenvector, by cyclic Jacobi rotations.
Eigenpair largest_eigenpair(std::vector<double> a, std::size_t n) {
  std::vector<double> v(n * n, 0);
  for (std::size_t k = 0; k < n; ++k) v[k * n + k] = 1;
  constexpr int kSweeps = 30;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double off = 0;
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) off += a[p * n + q] * a[p * n + q];
    if (off < 1e-24) break;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        if (a[p * n + q] == 0) continue;
        const double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
        const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1);
        const double s = t * c;
        const auto rotate = [c, s](double& x, double& y) {
          const double before = x;
          x = c * before - s * y;
          y = s * before + c * y;
        };
        for (std::size_t k = 0; k < n; ++k) rotate(a[k * n + p], a[k * n + q]);
        for (std::size_t k = 0; k < n; ++k) rotate(a[p * n + k], a[q * n + k]);
        for (std::size_t k = 0; k < n; ++k) rotate(v[k * n + p], v[k * n + q]);
      }
    }
  }
  std::size_t best = 0;
  for (std::size_t k = 1; k < n; ++k)
    if (a[k * n + k] > a[best * n + best]) best = k;
  Eigenpair pair{a[best * n + best], std::vector<double>(n)};
  for (std::size_t k = 0; k < n; ++k) pair.vector[k] = v[k * n + best];
  return pair;
}

/// N = D^{−½} A D^{−½} on one component.
class NormalisedAdjacency {
 public:
  NormalisedAdjacency(const Adjacency& graph, const std::vector<Index>& component, JobContext& context)
      : graph_(graph),
        component_(component),
        context_(context),
        positions_(graph.size()),
        sqrt_degrees_(component.size()) {
    for (std::size_t k = 0; k < component.size(); ++k) {
      positions_[component[k]] = static_cast<Index>(k);
      sqrt_degrees_[k] = std::sqrt(static_cast<double>(graph.degree(component[k])));
    }
  }
  void apply(std::span<const double> from, Vector to) const {
    constexpr std::size_t kGrain = 4096;
    context_.pool().parallel_for(component_.size(), kGrain,
                                 [&](std::size_t begin, std::size_t end, unsigned) {
                                   context_.check_stop();
                                   for (std::size_t k = begin; k < end; ++k) {
                                     double sum = 0;
                                     for (const Index next : graph_.neighbours(component_[k]))
                                       sum += from[positions_[next]] / sqrt_degrees_[positions_[next]];
                                     to[k] = sum / sqrt_degrees_[k];
                                   }
                                 });
  }
  /// D^½·1, not normalised.
  [[nodiscard]] const std::vector<double>& sqrt_degrees() const { return sqrt_degrees_; }

 private:
  const Adjacency& graph_;
  const std::vector<Index>& component_;
  JobContext& context_;
  std::vector<Index> positions_;
  std::vector<double> sqrt_degrees_;
};

/// Restarted Lanczos in the space orthogonal to D^½·1.
class Lanczos {
 public:
  Lanczos(const NormalisedAdjacency& matrix, std::size_t size, JobContext& context)
      : matrix_(matrix),
        size_(size),
        steps_(std::min(kSteps, size - 1)),
        basis_(context, (steps_ + 1) * size, "Lanczos vectors"),
        trivial_(matrix.sqrt_degrees()) {
    normalise(trivial_);
  }

  struct Found {
    double value = 0;
    double residual = 0;
  };
  /// Takes at most kSteps steps from `start` and replaces it by the best Ritz vector; returns its Ritz value
  /// and residual.
  Found restart(Vector start) {
    std::vector<double> projected(steps_ * steps_, 0);
    std::copy(start.begin(), start.end(), vector(0).begin());
    orthogonalise(vector(0), 0);
    normalise(vector(0));
    std::size_t count = 0;
    double beta = 0;
    while (count < steps_) {
      const Vector next = vector(count + 1);
      matrix_.apply(vector(count), next);
      projected[count * steps_ + count] = dot(vector(count), next);
      ++count;
      orthogonalise(next, count);
      beta = std::sqrt(dot(next, next));
      if (count == steps_ || !normalise(next)) break;
      projected[(count - 1) * steps_ + count] = projected[count * steps_ + count - 1] = beta;
    }
    std::vector<double> small(count * count);
    for (std::size_t p = 0; p < count; ++p)
      for (std::size_t q = 0; q < count; ++q) small[p * count + q] = projected[p * steps_ + q];
    const Eigenpair best = largest_eigenpair(std::move(small), count);
    std::fill(start.begin(), start.end(), 0.0);
    for (std::size_t k = 0; k < count; ++k) add(start, best.vector[k], vector(k));
    return {best.value, beta * std::abs(best.vector[count - 1])};
  }

 private:
  [[nodiscard]] Vector vector(std::size_t k) { return Vector(basis_.data).subspan(k * size_, size_); }
  /// Orthogonalises `one` against D^½·1 and the first `count` basis vectors; two passes are enough (Kahan and
  /// Parlett, in B. Parlett, The Symmetric Eigenvalue Problem, 1980, §6-9).
  void orthogonalise(Vector one, std::size_t count) {
    for (int pass = 0; pass < 2; ++pass) {
      add(one, -dot(one, trivial_), trivial_);
      for (std::size_t k = 0; k < count; ++k) add(one, -dot(one, vector(k)), vector(k));
    }
  }

  const NormalisedAdjacency& matrix_;
  std::size_t size_;
  std::size_t steps_;
  BookedVector<double> basis_;
  std::vector<double> trivial_;
};

}  // namespace

FiedlerVector fiedler_vector(const Adjacency& graph, const std::vector<Index>& component,
                             JobContext& context) {
  const std::size_t size = component.size();
  const NormalisedAdjacency matrix(graph, component, context);
  FiedlerVector result;
  result.values.resize(size);
  // A linear rise along the given order, plus 1 % of an irregular vector, so that the start has a part of
  // every eigenvector.
  for (std::size_t k = 0; k < size; ++k) {
    const double place = (static_cast<double>(k) + 0.5) / static_cast<double>(size) - 0.5;
    const double rough = static_cast<double>((k * 2654435761U) % 1024) / 1024 - 0.5;
    result.values[k] = (place + 0.01 * rough) * matrix.sqrt_degrees()[k];
  }
  Lanczos lanczos(matrix, size, context);
  for (int round = 0; round < kRestarts; ++round) {
    const auto found = lanczos.restart(result.values);
    result.eigenvalue = 1 - found.value;
    result.residual = found.residual;
    context.checkpoint(static_cast<std::uint64_t>(round) + 1, kRestarts);
    // Relative to λ: if λ is small, the next eigenvalue may be closer than a fixed bound of the residual.
    if (found.residual < kFiedlerTolerance * std::min(1.0, std::max(result.eigenvalue, 1e-6))) break;
  }
  for (std::size_t k = 0; k < size; ++k) result.values[k] /= matrix.sqrt_degrees()[k];
  return result;
}

std::vector<Index> sorted_by_values(const FiedlerVector& fiedler, const std::vector<Index>& component) {
  std::vector<std::size_t> order(component.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return fiedler.values[a] < fiedler.values[b]; });
  std::vector<Index> vertices(component.size());
  for (std::size_t k = 0; k < order.size(); ++k) vertices[k] = component[order[k]];
  return vertices;
}

}  // namespace spyctrum
