// SPDX-License-Identifier: Apache-2.0
// Means are products in the Fourier domain of the lattice. Z and Z/B are the real and imaginary parts of one
// field; the transfer function of a Gaussian is real and even, so one inverse transform gives both means.
// Where the weights are fitted to nodes in some rows, the means are computed in these rows alone: as sums
// over the rows around them, then in the Fourier domain of the row.
#include "core/reconstruction/smooth_fill.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <utility>

#include "core/fft/axis_values.hpp"
#include "core/fft/fft.hpp"
#include "core/fft/lattice.hpp"
#include "core/matrix/random.hpp"
#include "core/reconstruction/nnls.hpp"

namespace spyctrum {

namespace {

using Complex = std::complex<float>;

/// Standard deviations along rows and columns in nodes; 0: no smoothing along that axis.
struct Width {
  double down = 0;
  double across = 0;
};
constexpr std::array<Width, 9> kWidths{
    {{1.2, 1.2}, {2, 2}, {4, 4}, {8, 8}, {16, 16}, {4, 0}, {8, 0}, {0, 4}, {0, 8}}};
/// The regressors of the fit are the means of Z by every width and a constant, then B times the means of Z/B
/// and of a constant.
constexpr std::size_t kMeans = kWidths.size() + 1;
constexpr std::size_t kRegressors = 2 * kMeans;
constexpr std::size_t kFittedNodes = 100'000;
constexpr std::size_t kFittedRows = 256;
/// Nodes within this distance of the lines u = 0, v = 0, u = ±v are limited (Smoother::limit()).
constexpr double kNearLine = 8;
constexpr float kLimit = 4;  // medians
constexpr std::size_t kRowGrain = 16;

/// exp(−2π²h²(k/count)²), k = 0 … count−1 in DFT order; `own` is the mean of these values, the weight of a
/// node in its own mean.
struct Transfer {
  std::vector<float> values;
  double own = 1;
};
Transfer transfer_of(double width, std::size_t count) {
  Transfer transfer{std::vector<float>(count, 1.0F), 1};
  if (width <= 0) return transfer;
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double f = static_cast<double>(std::min(k, count - k)) / static_cast<double>(count);
    const double value = std::exp(-2 * std::numbers::pi * std::numbers::pi * width * width * f * f);
    transfer.values[k] = static_cast<float>(value);
    sum += value;
  }
  transfer.own = sum / static_cast<double>(count);
  return transfer;
}

/// The weights of the nodes at distance 0, 1, … in the mean whose transfer function is `transfer`, as far as
/// they are above kLeastTap of that at 0.
std::vector<float> taps_of(const Transfer& transfer) {
  constexpr double kLeastTap = 1e-6;
  const std::size_t count = transfer.values.size();
  std::vector<std::complex<double>> taps(transfer.values.begin(), transfer.values.end());
  fft_rows(taps.data(), count, 1, count);
  std::size_t reach = count / 2;
  while (reach > 0 && std::abs(taps[reach].real()) < kLeastTap * taps[0].real()) --reach;
  std::vector<float> result(reach + 1);
  for (std::size_t d = 0; d <= reach; ++d)
    result[d] = static_cast<float>(taps[d].real() / static_cast<double>(count));
  // The node opposite in an even circle is at count/2 in both directions, but one node.
  if (2 * reach == count) result[reach] /= 2;
  return result;
}

float median_of(std::vector<float> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

class Smoother {
 public:
  Smoother(const SampleAxis& rows, const SampleAxis& cols, std::vector<float> magnitudes, SmoothFill& fill,
           const ChosenLines* known, JobContext& context)
      : rows_(rows),
        cols_(cols),
        count_rows_(rows.positions.size()),
        count_cols_(cols.positions.size()),
        fill_(fill),
        known_(known),
        context_(context),
        z_(std::move(magnitudes)) {}

  void run() {
    prepare();
    context_.checkpoint(2, 10);
    fft_2d(spectrum_.data(), count_rows_, count_cols_, context_);
    context_.checkpoint(5, 10);
    const std::vector<double> weights = fit();
    context_.checkpoint(7, 10);
    combine(weights);
    add_mirror(fill_.plain);
    add_mirror(fill_.scaled);
    context_.checkpoint(10, 10);
  }

 private:
  [[nodiscard]] std::size_t nodes() const { return count_rows_ * count_cols_; }
  template <class Work>
  void for_rows(Work&& work) {
    context_.pool().parallel_for(count_rows_, kRowGrain, [&](std::size_t begin, std::size_t end, unsigned) {
      context_.check_stop();
      for (std::size_t p = begin; p < end; ++p) work(p);
    });
  }
  [[nodiscard]] float model_at(std::size_t p, std::size_t q) const {
    return fill_.model(row_index_[p], col_index_[q]);
  }

  void prepare() {
    for (std::size_t p = 0; p < count_rows_; ++p) row_index_.push_back(rows_.index_at(p));
    for (std::size_t q = 0; q < count_cols_; ++q) col_index_.push_back(cols_.index_at(q));
    if (known_ != nullptr && !has_unknown_nodes()) known_ = nullptr;
    y_.resize(nodes());
    for_rows([&](std::size_t p) {
      for (std::size_t q = 0; q < count_cols_; ++q)
        y_[p * count_cols_ + q] = z_[p * count_cols_ + q] / model_at(p, q);
    });
    for (std::vector<float>* values : {&z_, &y_}) {
      if (known_ != nullptr)
        replace_known(*values);
      else
        limit(*values);
    }
    spectrum_.resize(nodes());
    for_rows([&](std::size_t p) {
      for (std::size_t k = p * count_cols_; k < (p + 1) * count_cols_; ++k) spectrum_[k] = {z_[k], y_[k]};
    });
  }

  /// Whether the node is on a known line.
  [[nodiscard]] bool is_known(std::size_t p, std::size_t q) const {
    return known_ != nullptr && known_->holds(row_index_[p], col_index_[q]);
  }

  [[nodiscard]] bool has_unknown_nodes() const {
    for (std::size_t p = 0; p < count_rows_; ++p)
      for (std::size_t q = 0; q < count_cols_; ++q)
        if (!is_known(p, q)) return true;
    return false;
  }

  /// Replaces the nodes on known lines by means of the nearest nodes beside them, so that the power of a line
  /// is not spread over its neighbourhood: of at least kEnough nodes, or of those within kFarthest nodes.
  void replace_known(std::vector<float>& values) {
    constexpr std::size_t kEnough = 8, kFarthest = 16;
    std::vector<float> beside = values;
    for_rows([&](std::size_t p) {
      for (std::size_t q = 0; q < count_cols_; ++q) {
        if (!is_known(p, q)) continue;
        double sum = 0;
        std::size_t count = 0;
        for (std::size_t reach = 1; reach <= kFarthest && count < kEnough; ++reach) {
          sum = 0;
          count = 0;
          for (std::size_t r = p - std::min(p, reach); r < std::min(p + reach + 1, count_rows_); ++r)
            for (std::size_t c = q - std::min(q, reach); c < std::min(q + reach + 1, count_cols_); ++c) {
              if (is_known(r, c)) continue;
              sum += static_cast<double>(values[r * count_cols_ + c]);
              ++count;
            }
        }
        beside[p * count_cols_ + q] = count > 0 ? static_cast<float>(sum / static_cast<double>(count)) : 0;
      }
    });
    values = std::move(beside);
  }

  /// Limits the nodes near the axes to `most`, kLimit medians. A ridge along a diagonal is one coefficient
  /// wide, a node stands for b×b of them: the part of a node's value above `most` counts 1/b.
  void limit(std::vector<float>& values) {
    const float most = kLimit * median_of(values);
    const float share = static_cast<float>(count_rows_) / static_cast<float>(rows_.size);
    for_rows([&](std::size_t p) {
      const double u = rows_.positions[p];
      for (std::size_t q = 0; q < count_cols_; ++q) {
        const double v = cols_.positions[q];
        const bool is_near_axis = std::abs(u) <= kNearLine || std::abs(v) <= kNearLine;
        const bool is_near_diagonal = std::abs(u - v) <= kNearLine || std::abs(u + v) <= kNearLine;
        float& value = values[p * count_cols_ + q];
        if (value > most && (is_near_axis || is_near_diagonal))
          value = is_near_axis ? most : most + share * (value - most);
      }
    });
  }

  using Transfers = std::array<Transfer, kWidths.size()>;
  /// Those of every width, along columns and along rows.
  [[nodiscard]] std::pair<Transfers, Transfers> transfers() const {
    std::pair<Transfers, Transfers> made;
    for (std::size_t w = 0; w < kWidths.size(); ++w) {
      made.first[w] = transfer_of(kWidths[w].down, count_rows_);
      made.second[w] = transfer_of(kWidths[w].across, count_cols_);
    }
    return made;
  }

  /// Least squares of the nodes' values on means that leave out the node itself.
  std::vector<double> fit() {
    const std::pair<Transfers, Transfers> both = transfers();
    const auto& down = both.first;
    const auto& across = both.second;
    const std::vector<std::size_t> chosen = choose_nodes();
    std::vector<float> regressors(chosen.size() * kRegressors);
    const auto put = [&](std::size_t k, std::size_t w, Complex mean) {
      const std::size_t node = chosen[k];
      const auto own = static_cast<float>(down[w].own * across[w].own);
      const float others = 1 - own;
      const float plain = others > 1e-3F ? (mean.real() - own * z_[node]) / others : 0;
      const float scaled = others > 1e-3F ? (mean.imag() - own * y_[node]) / others : 0;
      regressors[k * kRegressors + w] = plain;
      // A chosen frequency is of a plane that has columns.
      // NOLINTNEXTLINE(clang-analyzer-core.DivideZero)
      regressors[k * kRegressors + kMeans + w] = scaled * model_at(node / count_cols_, node % count_cols_);
    };
    each_mean(chosen, down, across, put);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      regressors[k * kRegressors + kMeans - 1] = 1;
      regressors[k * kRegressors + kRegressors - 1] =
          model_at(chosen[k] / count_cols_, chosen[k] % count_cols_);
    }
    return solve(regressors, chosen);
  }

  /// Nodes beside known lines, ascending, in at most kFittedRows rows: one at random of each of equal parts
  /// of the rows, and in these of the columns.
  [[nodiscard]] std::vector<std::size_t> choose_nodes() const {
    const CounterRandom random(1, 0x66696c6c);
    std::vector<std::size_t> chosen;
    const std::size_t rows = std::min(kFittedRows, count_rows_);
    const std::size_t in_row = std::min(kFittedNodes / rows, count_cols_);
    const auto pick = [&](std::uint64_t draw, std::size_t k, std::size_t parts, std::size_t of) {
      const std::size_t first = k * of / parts, last = (k + 1) * of / parts;
      return first + random.below(draw, last - first);
    };
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t p = pick(r * (in_row + 1), r, rows, count_rows_);
      for (std::size_t c = 0; c < in_row; ++c) {
        const std::size_t q = pick(r * (in_row + 1) + c + 1, c, in_row, count_cols_);
        if (!is_known(p, q)) chosen.push_back(p * count_cols_ + q);
      }
    }
    return chosen;
  }

  /// Calls put(k, w, mean of both fields by width w) for each node chosen[k]; concurrently for different
  /// rows.
  template <class Put>
  void each_mean(const std::vector<std::size_t>& chosen, const Transfers& down, const Transfers& across,
                 Put&& put) {
    std::vector<std::size_t> starts;  // of each row's nodes in `chosen`
    for (std::size_t k = 0; k < chosen.size(); ++k)
      if (k == 0 || chosen[k] / count_cols_ != chosen[k - 1] / count_cols_) starts.push_back(k);
    std::array<std::vector<float>, kWidths.size()> taps;
    for (std::size_t w = 0; w < kWidths.size(); ++w) taps[w] = taps_of(down[w]);
    const auto scale = 1 / static_cast<float>(count_cols_);
    context_.pool().parallel_for(starts.size(), 1, [&](std::size_t begin, std::size_t, unsigned) {
      const std::size_t end = begin + 1 < starts.size() ? starts[begin + 1] : chosen.size();
      const std::size_t p = chosen[starts[begin]] / count_cols_;
      std::vector<Complex> row(count_cols_);
      for (std::size_t w = 0; w < kWidths.size(); ++w) {
        context_.check_stop();
        mean_of_rows(p, taps[w], row);
        fft_rows(row.data(), count_cols_, 1, count_cols_);
        for (std::size_t q = 0; q < count_cols_; ++q) row[q] *= scale * across[w].values[q];
        fft_rows(row.data(), count_cols_, 1, count_cols_, false);
        for (std::size_t k = starts[begin]; k < end; ++k) put(k, w, row[chosen[k] - p * count_cols_]);
      }
    });
  }

  /// Writes Σ_d taps[|d|]·(row p+d) of both fields to `row`; rows are periodic.
  void mean_of_rows(std::size_t p, const std::vector<float>& taps, std::vector<Complex>& row) const {
    std::fill(row.begin(), row.end(), Complex());
    const auto add = [&](std::size_t from, float weight) {
      for (std::size_t q = 0; q < count_cols_; ++q) {
        const std::size_t node = from * count_cols_ + q;
        row[q] += Complex(weight * z_[node], weight * y_[node]);
      }
    };
    add(p, taps[0]);
    for (std::size_t d = 1; d < taps.size(); ++d) {
      add((p + d) % count_rows_, taps[d]);
      add((p + count_rows_ - d) % count_rows_, taps[d]);
    }
  }

  [[nodiscard]] std::vector<double> solve(const std::vector<float>& regressors,
                                          const std::vector<std::size_t>& chosen) const {
    std::vector<double> gram(kRegressors * kRegressors);
    std::vector<double> products(kRegressors);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      const float* row = &regressors[k * kRegressors];
      for (std::size_t i = 0; i < kRegressors; ++i) {
        const auto value = static_cast<double>(row[i]);
        products[i] += value * static_cast<double>(z_[chosen[k]]);
        for (std::size_t j = 0; j <= i; ++j) gram[i * kRegressors + j] += value * static_cast<double>(row[j]);
      }
    }
    for (std::size_t i = 0; i < kRegressors; ++i)
      for (std::size_t j = i + 1; j < kRegressors; ++j) gram[i * kRegressors + j] = gram[j * kRegressors + i];
    return non_negative_least_squares(gram, products);
  }

  /// Sets fill_.plain and fill_.scaled to Σ a_k·(mean k of Z) and Σ b_k·(mean k of Z/B), `weights` = (a, b).
  /// The field (first sum) + i·(second sum) has the spectrum (T₁+T₂)/2·S[k] + (T₁−T₂)/2·conj S[−k], where T₁
  /// and T₂ are the sums' transfer functions, which are real and even, and S is the spectrum of Z + iZ/B.
  void combine(const std::vector<double>& weights) {
    const std::pair<Transfers, Transfers> both = transfers();
    const auto& down = both.first;
    const auto& across = both.second;
    const double scale = 1.0 / static_cast<double>(nodes());
    // Rows p and −p at a time, each pair of nodes k and −k once.
    context_.pool().parallel_for(
        count_rows_ / 2 + 1, kRowGrain, [&](std::size_t begin, std::size_t end, unsigned) {
          context_.check_stop();
          for (std::size_t p = begin; p < end; ++p) {
            const std::size_t mirror = p == 0 ? 0 : count_rows_ - p;
            const std::size_t last = mirror == p ? count_cols_ / 2 + 1 : count_cols_;
            for (std::size_t q = 0; q < last; ++q) {
              double plain = 0, scaled = 0;
              for (std::size_t w = 0; w < kWidths.size(); ++w) {
                const auto transfer = static_cast<double>(down[w].values[p] * across[w].values[q]);
                plain += weights[w] * transfer;
                scaled += weights[kMeans + w] * transfer;
              }
              const auto sum = static_cast<float>((plain + scaled) / 2 * scale);
              const auto difference = static_cast<float>((plain - scaled) / 2 * scale);
              Complex& at = spectrum_[p * count_cols_ + q];
              Complex& opposite = spectrum_[mirror * count_cols_ + (q == 0 ? 0 : count_cols_ - q)];
              const Complex here = at, there = opposite;
              at = sum * here + difference * std::conj(there);
              opposite = sum * there + difference * std::conj(here);
            }
          }
        });
    fft_2d(spectrum_.data(), count_rows_, count_cols_, context_, false);
    const auto part = [&](std::size_t first, auto&& of) {
      const auto from = weights.begin() + static_cast<std::ptrdiff_t>(first);
      if (std::all_of(from, from + kMeans, [](double weight) { return weight == 0; }))
        return std::vector<float>();
      const auto constant = static_cast<float>(weights[first + kMeans - 1]);
      std::vector<float> result(nodes());
      for (std::size_t k = 0; k < result.size(); ++k) result[k] = std::max(0.0F, of(spectrum_[k]) + constant);
      return result;
    };
    fill_.plain = part(0, [](const Complex& value) { return value.real(); });
    fill_.scaled = part(kMeans, [](const Complex& value) { return value.imag(); });
  }

  /// Gives every node the mean of the field at its frequency (u, v) and at (−u, −v), where |F| is the same;
  /// the latter interpolated between the nodes around it.
  void add_mirror(std::vector<float>& field) {
    if (field.empty()) return;
    const auto brackets = [](const SampleAxis& axis) {
      std::vector<SampleAxis::Bracket> result;
      for (const double position : axis.positions) {
        const auto mirror = signed_index(-std::llround(position), axis.size);
        result.push_back(axis.bracket(static_cast<double>(mirror)));
      }
      return result;
    };
    const std::vector<SampleAxis::Bracket> down = brackets(rows_), across = brackets(cols_);
    std::vector<float> mean(field.size());
    for_rows([&](std::size_t p) {
      const float* below = &field[down[p].below * count_cols_];
      const float* above = &field[down[p].above * count_cols_];
      const auto weight = static_cast<float>(down[p].weight);
      const auto between = [weight](float low, float high) { return low + weight * (high - low); };
      for (std::size_t q = 0; q < count_cols_; ++q) {
        const SampleAxis::Bracket& at = across[q];
        const float low = between(below[at.below], above[at.below]);
        const float high = between(below[at.above], above[at.above]);
        const float mirror = low + static_cast<float>(at.weight) * (high - low);
        mean[p * count_cols_ + q] = (field[p * count_cols_ + q] + mirror) / 2;
      }
    });
    field = std::move(mean);
  }

  const SampleAxis& rows_;
  const SampleAxis& cols_;
  std::size_t count_rows_;
  std::size_t count_cols_;
  SmoothFill& fill_;
  const ChosenLines* known_;
  JobContext& context_;
  std::vector<float> z_;  // magnitudes, limited near lines or replaced on them
  std::vector<float> y_;  // over the model
  std::vector<Complex> spectrum_;
  std::vector<std::uint64_t> row_index_;
  std::vector<std::uint64_t> col_index_;
};

std::vector<float> powers_over(const std::vector<std::complex<double>>& axis, double unit) {
  std::vector<float> powers(axis.size());
  std::transform(axis.begin(), axis.end(), powers.begin(),
                 [&](std::complex<double> value) { return static_cast<float>(std::norm(value) / unit); });
  return powers;
}

}  // namespace

float SmoothFill::model(std::uint64_t u, std::uint64_t v) const {
  return std::sqrt(row_power[u] * column_power[v] + floor);
}

SmoothFill smooth_fill(const SampleAxis& rows, const SampleAxis& cols, const std::vector<float>& magnitudes,
                       const SparsePattern& pattern, const ChosenLines* known, JobContext& context) {
  const Booking booking(context.memory(), 32 * magnitudes.size() + 24 * (pattern.rows() + pattern.cols()),
                        "smoothing of the nodes");
  const double mean_power = std::max(1.0, pattern.weight_squares());
  // The model divides by |F[0,0]|², or by the mean power if weights of both signs make F[0,0] smaller.
  const double dc = std::max(std::abs(pattern.weight_sum()), std::sqrt(mean_power));
  SmoothFill fill;
  fill.row_power = powers_over(*whole_axis(pattern, PlaneAxis::rows), dc);
  fill.column_power = powers_over(*whole_axis(pattern, PlaneAxis::columns), dc);
  fill.floor = static_cast<float>(0.8 * mean_power);
  Smoother(rows, cols, magnitudes, fill, known, context).run();
  if (fill.plain.empty() && fill.scaled.empty()) fill.plain.assign(magnitudes.size(), 0.0F);
  return fill;
}

}  // namespace spyctrum
