// SPDX-License-Identifier: Apache-2.0
// A key for each entry orders them; the least key that is kept is found by std::nth_element.
#include "core/matrix/largest_entries.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "core/base/job_context.hpp"

namespace spyctrum {

namespace {

constexpr std::size_t kEntriesBetweenStops = std::size_t{1} << 19U;

/// Orders entries by |w|; equal ones, as all of a pattern, by a hash of their place (SplitMix64's finaliser),
/// so that those kept lie everywhere and not in the first columns.
std::uint64_t key_of(float weight, Index row, Index col) {
  std::uint64_t mixed = (std::uint64_t{col} << 32U | row) + 0x9e3779b97f4a7c15U;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
  mixed ^= mixed >> 31U;
  return std::uint64_t{std::bit_cast<std::uint32_t>(std::abs(weight))} << 32U | mixed >> 32U;
}

/// Calls visit(t, row, column, key) for every entry, in the order of row_indices(). `stop` may be null.
template <class Visit>
void for_each_key(const SparsePattern& pattern, const JobContext* stop, Visit&& visit) {
  const auto ids = pattern.column_ids();
  const auto weights = pattern.weights();
  std::size_t t = 0;
  for (std::size_t k = 0; k < ids.size(); ++k) {
    for (const Index row : pattern.column(k)) {
      if (stop != nullptr && t % kEntriesBetweenStops == 0) stop->check_stop();
      visit(t, row, ids[k], key_of(weights.empty() ? 1.0F : weights[t], row, ids[k]));
      ++t;
    }
  }
}

}  // namespace

PatternPtr largest_entries(const SparsePattern& pattern, std::uint64_t count, const JobContext* context) {
  if (count >= static_cast<std::uint64_t>(pattern.nonzeros())) return nullptr;
  std::uint64_t least = 0;
  {
    std::vector<std::uint64_t> keys(static_cast<std::size_t>(pattern.nonzeros()));
    for_each_key(pattern, context, [&](std::size_t t, Index, Index, std::uint64_t key) { keys[t] = key; });
    const auto last = keys.begin() + static_cast<std::ptrdiff_t>(count - 1);
    std::nth_element(keys.begin(), last, keys.end(), std::greater<>());
    least = *last;
  }
  std::vector<Index> rows, cols;
  std::vector<float> weights;
  std::uint64_t above = 0;
  for_each_key(pattern, context,
               [&](std::size_t, Index, Index, std::uint64_t key) { above += key > least ? 1U : 0U; });
  std::uint64_t equal = count - above;  // entries with the key `least` that are kept: the first ones
  for_each_key(pattern, context, [&](std::size_t t, Index row, Index col, std::uint64_t key) {
    if (key < least || (key == least && equal == 0)) return;
    if (key == least) --equal;
    rows.push_back(row);
    cols.push_back(col);
    if (pattern.has_weights()) weights.push_back(pattern.weights()[t]);
  });
  auto made =
      SparsePattern::from_coordinates(pattern.rows(), pattern.cols(), std::move(rows), std::move(cols));
  if (!made) throw Failure(made.error());
  if (pattern.has_weights()) *made = made->with_weights(std::move(weights), pattern.weight_exponent());
  return std::make_shared<const SparsePattern>(std::move(*made));
}

}  // namespace spyctrum
