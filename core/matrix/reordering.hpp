// SPDX-License-Identifier: Apache-2.0
// Permutations of rows and columns, which change the spectrum of a pattern: PAPᵀ for a square pattern, with
// one permutation P for rows and columns, and PAQᵀ otherwise. README.md gives the sources of the orders.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

enum class Order {
  random,
  degree,                 ///< most entries first
  reverse_cuthill_mckee,  ///< small bandwidth: E. Cuthill, J. McKee 1969, reversed (A. George 1971)
  spectral                ///< by the Fiedler vector of each component: S. Barnard, A. Pothen, H. Simon 1995
};

struct OrderInfo {
  Order order;
  std::string_view id;     ///< "rcm"
  std::string_view label;  ///< "reverse Cuthill–McKee"
  std::string_view help;
};
[[nodiscard]] const std::vector<OrderInfo>& orders();
/// The order with this id, or nullptr.
[[nodiscard]] const OrderInfo* find_order(std::string_view id);

/// Moves entry (i, j) to (rows[i], cols[j]); rows and cols are permutations of 0 … m−1 and 0 … n−1.
struct Permutation {
  std::vector<Index> rows;
  std::vector<Index> cols;
  std::string note;  ///< a phrase for the user; may be empty
};

/// The order as a permutation; only the random order uses `seed`. Needs about 8 bytes per row and column and
/// 8 per entry, and for the spectral order 8·41 per vertex of the largest component. Throws
/// Failure{cancelled}, Failure{out_of_memory}.
[[nodiscard]] Permutation compute_permutation(const SparsePattern& pattern, Order order, std::uint64_t seed,
                                              JobContext& context);

/// The pattern with its entries moved. Throws Failure{cancelled}, Failure{out_of_memory}.
[[nodiscard]] SparsePattern permuted(const SparsePattern& pattern, const Permutation& permutation,
                                     JobContext& context);

}  // namespace spyctrum
