// SPDX-License-Identifier: Apache-2.0
// A coefficient on several chosen lines counts with the first direction in the order rows, columns, sums,
// differences: lines of later directions are zeroed where earlier ones cross them, and these zeros are
// subtracted from the counts.
#include "core/features/chosen_lines.hpp"

#include <algorithm>
#include <array>

#include "core/features/ordered_sum.hpp"
#include "core/fft/aligned_buffer.hpp"
#include "core/fft/row_transform.hpp"

namespace spyctrum {

namespace {

using Complex = std::complex<float>;

/// Threshold of a line's power in units of the mean: over four standard deviations of line_powers() above a
/// flat plane.
constexpr float kPowerThreshold = 2.5F;
/// Share of the total power that lines above the threshold may hold and yet be left out.
constexpr double kNegligible = 1e-4;
/// One group of RowTransform: each entry is read once for all of its rows.
constexpr std::size_t kRowsAtOnce = 8;
/// Longer rows are not transformed in lanes.
constexpr std::size_t kLongRow = std::size_t{1} << 17U;
constexpr std::array kDirections{LineDirection::rows, LineDirection::columns, LineDirection::sums,
                                 LineDirection::differences};

/// Chooses the most powerful lines until those left above the threshold hold less than kNegligible.
void choose_powerful(const std::vector<float>& powers, std::vector<char>& chosen) {
  const std::size_t count = powers.size();
  std::vector<std::uint64_t> above;
  double left = 0;
  for (std::uint64_t c = 0; c <= count / 2; ++c) {
    if (chosen[c] != 0 || powers[c] < kPowerThreshold) continue;
    above.push_back(c);
    left += 2.0 * static_cast<double>(powers[c]) / static_cast<double>(count);
  }
  std::sort(above.begin(), above.end(),
            [&](std::uint64_t a, std::uint64_t b) { return powers[a] > powers[b]; });
  above.resize(std::min(above.size(), kMostPowerfulLines));
  for (const std::uint64_t c : above) {
    if (left < kNegligible) return;
    left -= 2.0 * static_cast<double>(powers[c]) / static_cast<double>(count);
    chosen[c] = 1;
    chosen[(count - c) % count] = 1;
  }
}

std::vector<char> near_axis(std::uint64_t size) {
  std::vector<char> chosen(size, 0);
  for (std::uint64_t c = 0; c <= std::min(kNearAxis, size - 1); ++c) {
    chosen[c] = 1;
    chosen[(size - c) % size] = 1;
  }
  if (size % 2 == 0) chosen[size / 2] = 1;  // so that every other line has a distinct mirror
  return chosen;
}

LineSet line_set(std::vector<char> chosen) {
  LineSet set;
  for (std::uint64_t c = 0; c < chosen.size(); ++c)
    if (chosen[c] != 0) set.indices.push_back(c);
  set.chosen = std::move(chosen);
  return set;
}

/// Sums over a line, or several of one direction, with the coefficients of earlier directions left out.
class LineTotals {
 public:
  LineTotals(const ChosenLines& lines, LineDirection direction)
      : lines_(lines),
        direction_(direction),
        rows_(lines.m, lines.n, along()),
        order_(ColumnOrder::dft(direction == LineDirection::columns ? lines.m : lines.n)) {}

  void add(std::uint64_t c, std::span<Complex> values) {
    if (direction_ == LineDirection::rows || direction_ == LineDirection::columns)
      add_parallel(c, values);
    else
      add_diagonal({c, lines_.n, direction_ == LineDirection::sums}, 0, lines_.n - 1, values);
  }
  [[nodiscard]] FeatureTotals totals() const {
    FeatureTotals totals = rows_.totals();
    totals.add(diagonal_);
    totals.discount_zeros(zeroed_);
    return totals;
  }

 private:
  [[nodiscard]] FeatureRows::Along along() const {
    return direction_ == LineDirection::columns ? FeatureRows::Along::columns : FeatureRows::Along::rows;
  }
  void add_parallel(std::uint64_t c, std::span<Complex> values) {
    const bool is_columns = direction_ == LineDirection::columns;
    const std::uint64_t size = is_columns ? lines_.n : lines_.m;
    const bool mirrored = !is_self_mirrored(c, size);
    if (is_columns) {
      for (std::uint64_t u = 0; u < lines_.m; ++u) {
        if (!lines_.rows.holds(u)) continue;
        values[u] = 0;
        if (c != 0 || u != 0) zeroed_ += mirrored ? 2 : 1;
      }
    }
    rows_.add(signed_index(c, size), mirrored, values, order_);
  }
  /// A diagonal u ± v ≡ c and the coefficients (u, v) on it, by their row u.
  struct Diagonal {
    std::uint64_t c = 0;
    std::uint64_t n = 0;
    bool is_sum = false;
    [[nodiscard]] std::uint64_t column(std::uint64_t u) const {
      const std::uint64_t v = is_sum ? c + n - u : u + n - c;
      return v < n ? v : v - n;
    }
    [[nodiscard]] FrequencyClass frequency_class(std::uint64_t u) const {
      return classify(signed_row(u), signed_column(u), n, n);
    }
    [[nodiscard]] std::int64_t signed_row(std::uint64_t u) const { return signed_index(u, n); }
    [[nodiscard]] std::int64_t signed_column(std::uint64_t u) const { return signed_row(column(u)); }
    /// True only if all coefficients of rows first … last have one class. Behind the point that is nearest to
    /// the origin, and before it, the radius and the angle of a straight line are monotonic, and the angle
    /// changes by less than π/2: the coefficients between two of the same class are of that class, too.
    [[nodiscard]] bool is_of_one_class(std::uint64_t first, std::uint64_t last) const {
      if (first == last) return true;
      const auto steps = static_cast<std::int64_t>(last - first);
      const std::int64_t slope = is_sum ? -1 : 1;
      const std::array u{signed_row(first), signed_row(last)};
      const std::array v{signed_column(first), signed_column(last)};
      if (u[1] - u[0] != steps || v[1] - v[0] != slope * steps) return false;  // a frequency wraps around
      const auto is_behind = [&](std::size_t end) { return u.at(end) + slope * v.at(end) >= 0; };
      const auto is_nyquist = [&](std::int64_t at) { return 2 * at == -static_cast<std::int64_t>(n); };
      return is_behind(0) == is_behind(1) && std::ranges::none_of(u, is_nyquist) &&
             std::ranges::none_of(v, is_nyquist) && frequency_class(first) == frequency_class(last);
    }
  };
  /// Adds the coefficients of rows first … last.
  void add_diagonal(const Diagonal& line, std::uint64_t first, std::uint64_t last,
                    std::span<const Complex> values) {
    if (!line.is_of_one_class(first, last)) {
      const std::uint64_t middle = first + (last - first) / 2;
      add_diagonal(line, first, middle, values);
      return add_diagonal(line, middle + 1, last, values);
    }
    const FrequencyClass where = line.frequency_class(first);
    const double weight = line_weight(lines_, direction_, static_cast<std::int64_t>(line.c));
    std::uint64_t begin = first;  // of the coefficients to be added
    const auto add_until = [&](std::uint64_t end) {
      if (begin < end) diagonal_.add_each(values.subspan(begin, end - begin), where, weight);
      begin = end + 1;
    };
    for (std::uint64_t u = first; u <= last; ++u) {
      const std::uint64_t v = line.column(u);
      if (lines_.rows.holds(u) || lines_.columns.holds(v) ||
          (!line.is_sum && lines_.sums.holds(u + v < line.n ? u + v : u + v - line.n)))
        add_until(u);
    }
    add_until(last + 1);
  }

  const ChosenLines& lines_;
  LineDirection direction_;
  FeatureRows rows_;
  ColumnOrder order_;
  FeatureTotals diagonal_;
  double zeroed_ = 0;
};

}  // namespace

const LineSet& ChosenLines::of(LineDirection direction) const {
  const std::array all{&rows, &columns, &sums, &differences};
  return *all.at(static_cast<std::size_t>(direction));
}

ChosenLines choose_lines(const SparsePattern& pattern, JobContext& context) {
  return choose_lines(pattern,
                      [&](LineDirection direction) { return line_powers(pattern, direction, context); });
}

ChosenLines choose_lines(const SparsePattern& pattern,
                         const std::function<std::vector<float>(LineDirection)>& powers) {
  const auto chosen_of = [&](LineDirection direction, std::vector<char> chosen) {
    choose_powerful(powers(direction), chosen);
    return line_set(std::move(chosen));
  };
  ChosenLines lines{pattern.rows(), pattern.cols(), {}, {}, {}, {}};
  lines.rows = chosen_of(LineDirection::rows, near_axis(lines.m));
  lines.columns = pattern.symmetric() ? lines.rows : chosen_of(LineDirection::columns, near_axis(lines.n));
  if (lines.m != lines.n) return lines;
  lines.sums = chosen_of(LineDirection::sums, std::vector<char>(lines.n, 0));
  lines.differences = chosen_of(LineDirection::differences, std::vector<char>(lines.n, 0));
  return lines;
}

std::vector<std::int64_t> computed_lines(const ChosenLines& lines, LineDirection direction) {
  const std::uint64_t count = direction == LineDirection::rows ? lines.m : lines.n;
  std::vector<std::int64_t> half;
  for (const std::uint64_t c : lines.of(direction).indices)
    if (c <= count / 2) half.push_back(static_cast<std::int64_t>(c));
  return half;
}

int line_weight(const ChosenLines& lines, LineDirection direction, std::int64_t c) {
  const std::uint64_t count = direction == LineDirection::rows ? lines.m : lines.n;
  return is_self_mirrored(c, count) ? 1 : 2;
}

void for_each_row_of(const SparsePattern& pattern, const std::vector<std::int64_t>& u, JobContext& context,
                     const LineConsumer& consume) {
  if (u.empty()) return;
  const RowTransform transform(pattern, LengthRule::library);
  const std::size_t stride = transform.length();
  const std::size_t tile = std::min(kRowsAtOnce, u.size());
  const std::size_t scratch = transform.scratch_size(tile);
  const std::size_t buffer_size = tile * stride + scratch;
  WorkerBuffers<Complex> buffers(context.pool().threads(), buffer_size);
  context.pool().parallel_for(u.size(), tile, [&](std::size_t begin, std::size_t end, unsigned worker) {
    context.check_stop();
    const std::span<Complex> buffer = buffers.of(worker);
    transform.transform(std::span(u).subspan(begin, end - begin), buffer.data(), stride,
                        buffer.subspan(tile * stride));
    context.check_stop();
    for (std::size_t k = begin; k < end; ++k)
      consume(k, buffer.subspan((k - begin) * stride, pattern.cols()), worker);
  });
}

void for_each_line_of(const SparsePattern& pattern, LineDirection direction,
                      const std::vector<std::int64_t>& c, JobContext& context, const LineConsumer& consume) {
  const bool are_rows = direction == LineDirection::rows ||
                        (direction == LineDirection::columns && pattern.symmetric());  // F[u,v] = F[v,u]
  if (are_rows) return for_each_row_of(pattern, c, context, consume);
  if (!c.empty()) for_each_row_of(pattern_along(pattern, direction, context), c, context, consume);
}

std::uint64_t line_bytes(const SparsePattern& pattern, unsigned threads) {
  // Values of a tile, its lanes and the transform's workspace, by worker (row_transform.cpp); signs, sums and
  // lanes of the projections; a re-indexed pattern and the tables made from it.
  const std::uint64_t side = std::max(pattern.rows(), pattern.cols());
  const std::uint64_t values_of_tile = side > kLongRow ? 24 : 42;
  const std::uint64_t bytes_of_entry = pattern.has_weights() ? 20 : 16;
  return side * (8 * values_of_tile * threads + 400) +
         bytes_of_entry * static_cast<std::uint64_t>(pattern.nonzeros());
}

FeatureTotals totals_of(const ChosenLines& lines, const SparsePattern& pattern, JobContext& context) {
  FeatureTotals totals;
  // F[u,v] = F[v,u]: column c holds the values of row c.
  const bool same = pattern.symmetric() && lines.rows.indices == lines.columns.indices;
  for (const LineDirection direction : kDirections) {
    const std::vector<std::int64_t> half = computed_lines(lines, direction);
    if (half.empty() || (direction == LineDirection::columns && same)) continue;
    const bool both = direction == LineDirection::rows && same;
    OrderedSum<FeatureTotals> sums;
    OrderedSum<FeatureTotals> of_columns;
    const auto consume = [&](std::size_t k, std::span<Complex> values, unsigned /*worker*/) {
      const auto add = [&](LineDirection along, OrderedSum<FeatureTotals>& to) {
        LineTotals line(lines, along);
        line.add(static_cast<std::uint64_t>(half[k]), values);
        to.add(k, k + 1, line.totals());
      };
      add(direction, sums);
      if (both) add(LineDirection::columns, of_columns);
    };
    for_each_line_of(pattern, direction, half, context, consume);
    totals.add(sums.sum());
    totals.add(of_columns.sum());
  }
  return totals;
}

void ChosenLines::crossings(std::uint64_t u, std::vector<std::uint64_t>& v) const {
  v = columns.indices;
  for (const std::uint64_t c : sums.indices) v.push_back((c + n - u) % n);
  for (const std::uint64_t c : differences.indices) v.push_back((u + n - c) % n);
  std::sort(v.begin(), v.end());
  v.erase(std::unique(v.begin(), v.end()), v.end());
}

}  // namespace spyctrum
