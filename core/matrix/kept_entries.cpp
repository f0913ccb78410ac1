// SPDX-License-Identifier: Apache-2.0
// For the largest entries, each entry has a key by which entries are ordered; std::nth_element finds the
// smallest key to keep.
#include "core/matrix/kept_entries.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <utility>

#include "core/matrix/entry_weights.hpp"
#include "core/matrix/random.hpp"

namespace spyctrum {

namespace {

/// Orders entries by |w|, and equal magnitudes (all entries of a pattern) by a hash of the position, so that
/// the kept entries are spread over the matrix.
std::uint64_t key_of(float weight, Index row, Index col) {
  const std::uint64_t hash = split_mix64(std::uint64_t{col} << 32U | row);
  return std::uint64_t{std::bit_cast<std::uint32_t>(std::abs(weight))} << 32U | hash >> 32U;
}

/// for_each_entry() with key_of() as a fourth argument.
template <class Visit>
void for_each_key(const SparsePattern& pattern, const JobContext* stop, Visit&& visit) {
  const auto weights = pattern.weights();
  for_each_entry(pattern, stop, [&](Index row, Index col, std::size_t t) {
    visit(row, col, t, key_of(weights.empty() ? 1.0F : weights[t], row, col));
  });
}

/// Some entries of a matrix, as a matrix of the same sides.
class Chosen {
 public:
  explicit Chosen(const SparsePattern& from) : from_(from) {}
  void add(std::size_t t, Index row, Index col) {
    rows_.push_back(row);
    cols_.push_back(col);
    if (from_.has_weights()) weights_.push_back(from_.weights()[t]);
  }
  [[nodiscard]] std::size_t count() const { return rows_.size(); }
  [[nodiscard]] PatternPtr made() && {
    SparsePattern made = or_throw(
        SparsePattern::from_coordinates(from_.rows(), from_.cols(), std::move(rows_), std::move(cols_)));
    if (from_.has_weights()) made = made.with_weights(std::move(weights_), from_.weight_exponent());
    return std::make_shared<const SparsePattern>(std::move(made));
  }

 private:
  const SparsePattern& from_;
  std::vector<Index> rows_;
  std::vector<Index> cols_;
  std::vector<float> weights_;
};

}  // namespace

PatternPtr largest_entries(const SparsePattern& pattern, std::uint64_t count, const JobContext* context) {
  if (count >= static_cast<std::uint64_t>(pattern.nonzeros())) return nullptr;
  std::uint64_t least = 0;
  {
    std::vector<std::uint64_t> keys(static_cast<std::size_t>(pattern.nonzeros()));
    for_each_key(pattern, context, [&](Index, Index, std::size_t t, std::uint64_t key) { keys[t] = key; });
    const auto last = keys.begin() + static_cast<std::ptrdiff_t>(count - 1);
    std::nth_element(keys.begin(), last, keys.end(), std::greater<>());
    least = *last;
  }
  Chosen chosen(pattern);
  std::uint64_t above = 0;
  for_each_key(pattern, context,
               [&](Index, Index, std::size_t, std::uint64_t key) { above += key > least ? 1U : 0U; });
  std::uint64_t equal = count - above;  // entries with the key `least` that are kept: the first ones
  for_each_key(pattern, context, [&](Index row, Index col, std::size_t t, std::uint64_t key) {
    if (key < least || (key == least && equal == 0)) return;
    if (key == least) --equal;
    chosen.add(t, row, col);
  });
  return std::move(chosen).made();
}

PatternPtr entries_within(const PatternPtr& pattern, const MagnitudeRange& range, const JobContext& context) {
  if (range == MagnitudeRange{}) return pattern;
  const auto weights = pattern->weights();
  Chosen chosen(*pattern);
  bool is_zero = true;
  for_each_entry(*pattern, &context, [&](Index row, Index col, std::size_t t) {
    const double size =
        weights.empty() ? 1 : std::abs(std::ldexp(double{weights[t]}, pattern->weight_exponent()));
    if (size < range.least || size > range.most) return;
    is_zero = is_zero && size == 0;
    chosen.add(t, row, col);
  });
  if (is_zero)
    throw Failure(ErrorCode::wrong_use, "No entry other than 0 lies in the chosen range of |a|.",
                  "Choose a wider range.");
  return chosen.count() == static_cast<std::size_t>(pattern->nonzeros()) ? pattern : std::move(chosen).made();
}

MagnitudeHistogram magnitude_histogram(const SparsePattern& pattern, std::size_t bins) {
  MagnitudeHistogram histogram;
  float least = std::numeric_limits<float>::infinity();
  float most = 0;
  for (const float weight : pattern.weights()) {
    if (weight == 0) continue;
    least = std::min(least, std::abs(weight));
    most = std::max(most, std::abs(weight));
  }
  if (!(least < most)) return histogram;
  const double shift = pattern.weight_exponent() * std::log10(2.0);
  histogram.low = std::log10(double{least}) + shift;
  histogram.high = std::log10(double{most}) + shift;
  histogram.counts.resize(bins);
  const double scale = static_cast<double>(bins) / (histogram.high - histogram.low);
  for (const float weight : pattern.weights()) {
    if (weight == 0) continue;
    const double place = (std::log10(std::abs(double{weight})) + shift - histogram.low) * scale;
    ++histogram.counts[static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(bins - 1)))];
  }
  return histogram;
}

}  // namespace spyctrum
