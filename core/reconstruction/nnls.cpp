// SPDX-License-Identifier: Apache-2.0
// The active-set method of Lawson & Hanson; each passive set is solved by a Cholesky factorisation of the
// Gram matrix with a slightly increased diagonal.
#include "core/reconstruction/nnls.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace spyctrum {

namespace {

constexpr double kRidge = 1e-9;

/// Solves gram[set, set]·x = products[set]; returns false if the set is linearly dependent.
bool solve(std::span<const double> gram, std::span<const double> products,
           const std::vector<std::size_t>& set, std::vector<double>& x) {
  const std::size_t all = products.size();
  const std::size_t count = set.size();
  std::vector<double> factor(count * count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = gram[set[i] * all + set[j]];
      if (i == j) sum *= 1 + kRidge;
      for (std::size_t k = 0; k < j; ++k) sum -= factor[i * count + k] * factor[j * count + k];
      if (i == j && !(sum > 0)) return false;
      factor[i * count + j] = i == j ? std::sqrt(sum) : sum / factor[j * count + j];
    }
  }
  x.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    double sum = products[set[i]];
    for (std::size_t k = 0; k < i; ++k) sum -= factor[i * count + k] * x[k];
    x[i] = sum / factor[i * count + i];
  }
  for (std::size_t i = count; i-- > 0;) {
    double sum = x[i];
    for (std::size_t k = i + 1; k < count; ++k) sum -= factor[k * count + i] * x[k];
    x[i] = sum / factor[i * count + i];
  }
  return true;
}

/// The column outside the set along which the residual falls most steeply; `count` if there is none.
std::size_t steepest(std::span<const double> gram, std::span<const double> products,
                     const std::vector<double>& weights, const std::vector<char>& excluded) {
  const std::size_t count = products.size();
  std::size_t best = count;
  double most = 0;
  for (std::size_t k = 0; k < count; ++k) {
    if (excluded[k] != 0 || !(gram[k * count + k] > 0)) continue;
    double gradient = products[k];
    for (std::size_t j = 0; j < count; ++j) gradient -= gram[k * count + j] * weights[j];
    const double scaled = gradient / std::sqrt(gram[k * count + k]);
    const double least = 1e-10 * std::abs(products[k]) / std::sqrt(gram[k * count + k]);
    if (scaled > std::max(most, least)) {
      most = scaled;
      best = k;
    }
  }
  return best;
}

/// Moves `weights` towards `x` on `set` until one of them is zero, and removes the zero ones from the set.
void step_to_boundary(const std::vector<double>& x, std::vector<std::size_t>& set,
                      std::vector<double>& weights, std::vector<char>& in_set) {
  double step = 1;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (x[i] > 0) continue;
    step = std::min(step, weights[set[i]] / (weights[set[i]] - x[i]));
  }
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < set.size(); ++i) {
    double& weight = weights[set[i]];
    weight += step * (x[i] - weight);
    if (x[i] <= 0 && weight <= 1e-14) {
      weight = 0;
      in_set[set[i]] = 0;
    } else {
      kept.push_back(set[i]);
    }
  }
  set = std::move(kept);
}

bool all_positive(const std::vector<double>& x) {
  return std::ranges::all_of(x, [](double value) { return value > 0; });
}

}  // namespace

std::vector<double> non_negative_least_squares(std::span<const double> gram,
                                               std::span<const double> products) {
  const std::size_t count = products.size();
  std::vector<double> weights(count, 0.0);
  std::vector<char> excluded(count, 0);
  std::vector<std::size_t> set;
  for (std::size_t round = 0; round < 3 * count; ++round) {
    const std::size_t next = steepest(gram, products, weights, excluded);
    if (next == count) break;
    set.push_back(next);
    excluded[next] = 1;
    std::vector<double> x;
    if (!solve(gram, products, set, x)) {
      set.pop_back();  // depends on the others: stays excluded
      continue;
    }
    while (!all_positive(x)) {
      const std::size_t before = set.size();
      step_to_boundary(x, set, weights, excluded);
      if (set.empty() || set.size() == before || !solve(gram, products, set, x)) break;
    }
    if (!all_positive(x) || x.size() != set.size()) break;
    for (std::size_t i = 0; i < set.size(); ++i) weights[set[i]] = x[i];
  }
  return weights;
}

}  // namespace spyctrum
