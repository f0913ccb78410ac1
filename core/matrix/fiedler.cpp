// SPDX-License-Identifier: Apache-2.0
// Lanczos with restarts from the best Ritz vector; the small eigenproblem by Jacobi's rotations.
#include "core/matrix/fiedler.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

namespace spyctrum {

namespace {

using Vector = std::span<double>;

constexpr std::size_t kSteps = 40;
constexpr int kRestarts = 30;

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}
void add(Vector to, double factor, std::span<const double> from) {
  for (std::size_t k = 0; k < to.size(); ++k) to[k] += factor * from[k];
}
/// Whether there was anything to scale.
bool normalise(Vector vector) {
  const double norm = std::sqrt(dot(vector, vector));
  if (!(norm > 1e-12)) return false;
  for (double& value : vector) value /= norm;
  return true;
}

/// Largest eigenvalue of a symmetric matrix and its eigenvector (cyclic Jacobi).
struct Pair {
  double value = 0;
  std::vector<double> vector;
};
Pair largest_pair(std::vector<double> a, std::size_t n) {
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
  Pair pair{a[best * n + best], std::vector<double>(n)};
  for (std::size_t k = 0; k < n; ++k) pair.vector[k] = v[k * n + best];
  return pair;
}

/// D^{−½} A D^{−½} on one component.
class Operator {
 public:
  Operator(const Adjacency& graph, const std::vector<Index>& component, JobContext& context)
      : graph_(graph),
        component_(component),
        context_(context),
        places_(graph.size()),
        roots_(component.size()) {
    for (std::size_t k = 0; k < component.size(); ++k) {
      places_[component[k]] = static_cast<Index>(k);
      roots_[k] = std::sqrt(static_cast<double>(graph.degree(component[k])));
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
                                       sum += from[places_[next]] / roots_[places_[next]];
                                     to[k] = sum / roots_[k];
                                   }
                                 });
  }
  /// D^½·1, to be normalised.
  [[nodiscard]] const std::vector<double>& roots() const { return roots_; }

 private:
  const Adjacency& graph_;
  const std::vector<Index>& component_;
  JobContext& context_;
  std::vector<Index> places_;
  std::vector<double> roots_;
};

/// One round of Lanczos from `start`, which becomes the best Ritz vector; its Ritz value and residual.
class Lanczos {
 public:
  Lanczos(const Operator& matrix, std::size_t size, JobContext& context)
      : matrix_(matrix),
        size_(size),
        steps_(std::min(kSteps, size - 1)),
        basis_(context, (steps_ + 1) * size, "Lanczos vectors"),
        constant_(matrix.roots()) {
    normalise(constant_);
  }

  struct Found {
    double value = 0;
    double residual = 0;
  };
  Found round(Vector start) {
    std::vector<double> projected(steps_ * steps_, 0);
    std::copy(start.begin(), start.end(), vector(0).begin());
    clean(vector(0), 0);
    normalise(vector(0));
    std::size_t count = 0;
    double beta = 0;
    while (count < steps_) {
      const Vector next = vector(count + 1);
      matrix_.apply(vector(count), next);
      projected[count * steps_ + count] = dot(vector(count), next);
      ++count;
      clean(next, count);
      beta = std::sqrt(dot(next, next));
      if (count == steps_ || !normalise(next)) break;
      projected[(count - 1) * steps_ + count] = projected[count * steps_ + count - 1] = beta;
    }
    std::vector<double> small(count * count);
    for (std::size_t p = 0; p < count; ++p)
      for (std::size_t q = 0; q < count; ++q) small[p * count + q] = projected[p * steps_ + q];
    const Pair best = largest_pair(std::move(small), count);
    std::fill(start.begin(), start.end(), 0.0);
    for (std::size_t k = 0; k < count; ++k) add(start, best.vector[k], vector(k));
    return {best.value, beta * std::abs(best.vector[count - 1])};
  }

 private:
  [[nodiscard]] Vector vector(std::size_t k) { return Vector(basis_.data).subspan(k * size_, size_); }
  /// Twice is enough (Kahan and Parlett).
  void clean(Vector one, std::size_t count) {
    for (int pass = 0; pass < 2; ++pass) {
      add(one, -dot(one, constant_), constant_);
      for (std::size_t k = 0; k < count; ++k) add(one, -dot(one, vector(k)), vector(k));
    }
  }

  const Operator& matrix_;
  std::size_t size_;
  std::size_t steps_;
  BookedVector<double> basis_;
  std::vector<double> constant_;
};

}  // namespace

FiedlerVector fiedler_vector(const Adjacency& graph, const std::vector<Index>& component,
                             JobContext& context) {
  const std::size_t size = component.size();
  const Operator matrix(graph, component, context);
  FiedlerVector result;
  result.values.resize(size);
  // A slope along the given order, with a little of everything in it.
  for (std::size_t k = 0; k < size; ++k) {
    const double place = (static_cast<double>(k) + 0.5) / static_cast<double>(size) - 0.5;
    const double rough = static_cast<double>((k * 2654435761U) % 1024) / 1024 - 0.5;
    result.values[k] = (place + 0.01 * rough) * matrix.roots()[k];
  }
  Lanczos lanczos(matrix, size, context);
  for (int round = 0; round < kRestarts; ++round) {
    const auto found = lanczos.round(result.values);
    result.eigenvalue = 1 - found.value;
    result.residual = found.residual;
    context.checkpoint(static_cast<std::uint64_t>(round) + 1, kRestarts);
    // What is near the next eigenvalue is no Fiedler vector yet: the residual is held against λ itself.
    if (found.residual < kFiedlerTolerance * std::min(1.0, std::max(result.eigenvalue, 1e-6))) break;
  }
  for (std::size_t k = 0; k < size; ++k) result.values[k] /= matrix.roots()[k];
  return result;
}

std::vector<Index> along(const FiedlerVector& fiedler, const std::vector<Index>& component) {
  std::vector<std::size_t> order(component.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return fiedler.values[a] < fiedler.values[b]; });
  std::vector<Index> vertices(component.size());
  for (std::size_t k = 0; k < order.size(); ++k) vertices[k] = component[order[k]];
  return vertices;
}

}  // namespace spyctrum
