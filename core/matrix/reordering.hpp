// SPDX-License-Identifier: Apache-2.0
// Other orders of rows and columns. The spectrum of a pattern depends on them: what is looked for is an order
// in which structure shows. Square patterns keep one order for both (PAPᵀ).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

enum class Order {
  random,
  degree,                 ///< most entries first
  reverse_cuthill_mckee,  ///< small bandwidth: Cuthill & McKee 1969, reversed (George 1971)
  spectral                ///< along the Fiedler vector of each component: Barnard, Pothen & Simon 1995
};

struct OrderInfo {
  Order order;
  std::string_view id;     ///< "rcm"
  std::string_view label;  ///< "reverse Cuthill–McKee"
  std::string_view help;
};
[[nodiscard]] const std::vector<OrderInfo>& orders();
/// nullptr when there is none of that id.
[[nodiscard]] const OrderInfo* find_order(std::string_view id);

/// Entry (i, j) goes to (rows[i], cols[j]).
struct Permutation {
  std::vector<Index> rows;
  std::vector<Index> cols;
  std::string note;  ///< what a user should know; may be empty
};

/// `seed`: of the random order. Throws Failure{cancelled}, Failure{out_of_memory} (some 8 bytes for each row
/// and column, 8 for each entry; spectral 8·40 for each vertex of the largest component beside).
[[nodiscard]] Permutation find_permutation(const SparsePattern& pattern, Order order, std::uint64_t seed,
                                           JobContext& context);

/// The same entries at their new places. Throws Failure{cancelled}, Failure{out_of_memory}.
[[nodiscard]] SparsePattern permuted(const SparsePattern& pattern, const Permutation& permutation,
                                     JobContext& context);

}  // namespace spyctrum
