// SPDX-License-Identifier: Apache-2.0
// Bilinear interpolation of sampled magnitudes (BS-FFT paper, §3.5), one row at a time. As in the paper, the
// DC value of a reduced plane remains a node from which its neighbours are interpolated; only F[0,0] itself
// is replaced by K.
#include "core/reconstruction/reconstruction.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

#include "core/matrix/random.hpp"
#include "core/reconstruction/known_coefficients.hpp"
#include "core/reconstruction/smooth_fill.hpp"

namespace spyctrum {

Result<Fill> parse_fill(std::string_view text) {
  const auto found = std::ranges::find(kFillNames, text);
  if (found != kFillNames.end()) return static_cast<Fill>(found - kFillNames.begin());
  return fail(ErrorCode::wrong_use, "Unknown fill \"" + std::string(text) + "\".",
              "Choose bilinear, bilinear-centers, nearest, smooth or best.");
}

namespace {

Result<void> check(const Spectrum& spectrum) {
  const bool scattered = spectrum.placement == Placement::scattered;
  if (spectrum.values.empty() || (!scattered && spectrum.grid.count() == 0)) {
    return fail(ErrorCode::wrong_use, "This spectrum holds no values to reconstruct from.",
                "Run the method with stored values, or choose a method that samples.");
  }
  if (scattered) {
    if (spectrum.points.raster && spectrum.points.count() == spectrum.values.size()) return {};
    return fail(ErrorCode::internal, "Scattered values have no coordinates or no raster.");
  }
  if (spectrum.values.size() != spectrum.grid.count()) {
    return fail(ErrorCode::internal, "The spectrum holds " + std::to_string(spectrum.values.size()) +
                                         " values on a grid of " + std::to_string(spectrum.grid.count()) +
                                         ".");
  }
  if (spectrum.hermitian_half && spectrum.grid.cols.count() != spectrum.grid.cols.size())
    return fail(ErrorCode::internal, "A half plane must hold all of its columns.");
  return {};
}

/// Faster than std::abs(), which avoids overflow.
float magnitude_of(std::complex<float> value) { return std::sqrt(std::norm(value)); }

/// Returns g = E M̂²/E|F|² for M̂ = Σ w_k Z_k of independent Rayleigh distributed magnitudes Z; spread = Σ
/// w_k².
float expected_share(float spread) {
  constexpr float kRayleigh = std::numbers::pi_v<float> / 4;
  return kRayleigh + (1 - kRayleigh) * spread;
}
float spread_of(const SampleAxis::Bracket& at) {
  const auto weight = static_cast<float>(at.weight);
  return weight * weight + (1 - weight) * (1 - weight);
}
/// Mean of Σw² over the plane for natural-neighbour weights w between scattered points.
constexpr float kNaturalSpread = 0.4F;

/// Up to this number of nodes, `best` also tries the smoothing of all of them, those on known lines included.
constexpr std::size_t kFewNodes = 4096;

/// Index of the sorted node at signed frequency s, for an axis that contains all frequencies.
std::size_t node_of(const SampleAxis& axis, std::int64_t s) {
  return static_cast<std::size_t>(s + static_cast<std::int64_t>(axis.size / 2));
}

/// The rows that were sampled for the features if they are the whole plane together with the rows of `lines`,
/// else null.
std::shared_ptr<const LineValues> rows_beside(const ChosenLines& lines, const Spectrum& spectrum,
                                              const SparsePattern& pattern, JobContext& context) {
  const std::uint64_t others = spectrum.m - lines.rows.indices.size();
  if (2 * spectrum.feature_rows.size() < others) return nullptr;  // −u belongs to each u
  auto rows = row_values(pattern, spectrum.feature_rows, context);
  for (std::uint64_t u = 0; rows && u < spectrum.m; ++u)
    if (!lines.rows.holds(u) && !rows->lines().rows.holds(u)) return nullptr;
  return rows;
}

/// Nodes at the centres of `cells` cells over `size` shifted frequencies.
SampleAxis raster_axis(std::uint64_t size, std::uint32_t cells) {
  SampleAxis axis;
  axis.size = size;
  axis.stored = cells;
  const std::uint64_t middle = size / 2;
  for (std::uint32_t k = 0; k < cells; ++k) {
    const auto first = static_cast<double>(first_of_cell(k, size, cells));
    const auto last = static_cast<double>(first_of_cell(k + 1, size, cells) - 1);
    axis.positions.push_back((first + last) / 2 - static_cast<double>(middle));
    axis.storage.push_back(k);
  }
  return axis;
}

std::uint64_t longer_side(const Spectrum& spectrum) { return std::max(spectrum.m, spectrum.n); }

/// Whether lines of the plane that hold much power are computed for the fill `best`: not for an estimate,
/// whose lines are not those of the matrix.
bool has_exact_lines(const Spectrum& spectrum) {
  return spectrum.placement == Placement::true_frequencies && spectrum.exactness != Exactness::estimate;
}

/// Magnitudes in one random row of each of kMost equal parts of u = 1 … m/2.
class ComparedRows {
 public:
  ComparedRows(const SparsePattern& pattern, JobContext& context)
      : length_(pattern.cols()),
        count_(std::min({kMost, pattern.rows() / 2, std::max<std::uint64_t>(1, kMostValues / length_)})),
        booking_(context.memory(), sizeof(float) * count_ * length_, "rows to compare fills"),
        magnitudes_(count_ * length_) {
    const std::uint64_t half = pattern.rows() / 2;
    const CounterRandom random(1, 0x726f7773);
    for (std::uint64_t k = 0; k < count_; ++k)
      rows_.push_back(static_cast<std::int64_t>(1 + (k * half + random.below(k, half)) / count_));
    const Booking booking(context.memory(), line_bytes(pattern, context.pool().threads()),
                          "rows to compare fills");
    for_each_row_of(pattern, rows_, context,
                    [&](std::size_t k, std::span<std::complex<float>> values, unsigned /*worker*/) {
                      std::transform(values.begin(), values.end(), &magnitudes_[k * length_], magnitude_of);
                    });
  }

  /// ⟨M,M̂⟩/(‖M‖‖M̂‖) = 1 − H² over the rows.
  [[nodiscard]] double cosine(const Reconstruction& reconstruction) const {
    double products = 0, squares = 0, estimated = 0;
    std::vector<float> row(length_);
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      reconstruction.row(rows_[k], 0, 1, row);
      for (std::size_t v = 0; v < length_; ++v) {
        const auto exact = static_cast<double>(magnitudes_[k * length_ + v]);
        const auto found = static_cast<double>(row[v]);
        products += exact * found;
        squares += exact * exact;
        estimated += found * found;
      }
    }
    return estimated > 0 ? products / std::sqrt(squares * estimated) : 0;
  }

 private:
  static constexpr std::uint64_t kMost = 16, kMostValues = std::uint64_t{1} << 22U;
  std::uint64_t length_;
  std::uint64_t count_;
  Booking booking_;
  std::vector<float> magnitudes_;
  std::vector<std::int64_t> rows_;
};

}  // namespace

std::uint64_t reconstruction_bytes(const Spectrum& spectrum) {
  constexpr std::uint64_t kNode = sizeof(double) + sizeof(std::uint64_t);
  if (spectrum.placement == Placement::scattered) {
    if (!spectrum.points.raster) return 0;
    const SiteRaster& raster = *spectrum.points.raster;
    return kNode * (std::uint64_t{raster.rows} + raster.cols) + sizeof(float) * raster.rows * raster.cols;
  }
  const std::uint64_t cols = spectrum.grid.cols.count();
  const std::uint64_t rows = spectrum.hermitian_half ? spectrum.grid.rows.size() : spectrum.grid.rows.count();
  // Axes that grow by doubling; magnitudes, except where each coefficient is stored.
  const bool whole =
      spectrum.placement == Placement::true_frequencies && rows == spectrum.m && cols == spectrum.n;
  return 2 * kNode * (rows + cols) + (whole ? 0 : sizeof(float) * rows * cols);
}

struct Reconstruction::Impl {
  SpectrumPtr spectrum;
  SampleAxis rows;
  SampleAxis cols;
  /// |F| by sorted node; empty if every coefficient is stored, and so read directly
  std::vector<float> magnitudes;
  bool is_whole_plane = false;
  bool is_nearest = false;
  /// For smooth, and for best unless bilinear is closer; then `magnitudes` holds SmoothFill::plain.
  std::optional<SmoothFill> smooth;
  std::shared_ptr<const KnownCoefficients> known;

  /// Rows, columns and magnitudes from the raster of scattered samples.
  void read_scattered(JobContext& context) {
    const SiteRaster& raster = *spectrum->points.raster;
    rows = raster_axis(spectrum->m, raster.rows);
    cols = raster_axis(spectrum->n, raster.cols);
    magnitudes = is_nearest ? nearest_field(raster, spectrum->values)
                            : natural_field(raster, spectrum->values, context);
  }
  /// The magnitudes of the nodes of a grid.
  void read_grid(JobContext& context) {
    const std::size_t columns = cols.positions.size();
    const std::size_t grain = std::max<std::size_t>(1, (std::size_t{1} << 18U) / columns);
    magnitudes.resize(rows.positions.size() * columns);
    context.pool().parallel_for(rows.positions.size(), grain,
                                [&](std::size_t begin, std::size_t end, unsigned /*worker*/) {
                                  context.check_stop();
                                  for (std::size_t p = begin; p < end; ++p)
                                    for (std::size_t q = 0; q < columns; ++q)
                                      magnitudes[p * columns + q] = stored_magnitude(p, q);
                                });
  }

  [[nodiscard]] float stored_magnitude(std::size_t p, std::size_t q) const {
    const std::uint64_t columns = spectrum->grid.cols.count();
    const std::uint64_t row = rows.storage[p];
    if (row < rows.stored) return magnitude_of(spectrum->values[row * columns + cols.storage[q]]);
    // The conjugate row: its value at v is the stored one's at −v.
    const std::uint64_t column = mirrored_storage(cols, spectrum->grid.cols, q);
    return magnitude_of(spectrum->values[(row - rows.stored) * columns + column]);
  }
  [[nodiscard]] float magnitude(std::size_t p, std::size_t q) const {
    return is_whole_plane ? stored_magnitude(p, q) : magnitudes[p * cols.positions.size() + q];
  }

  [[nodiscard]] std::vector<float> blend(const std::vector<float>& field,
                                         const SampleAxis::Bracket& at) const {
    const std::size_t nodes = cols.positions.size();
    std::vector<float> result(nodes);
    const float* below = &field[at.below * nodes];
    const float* above = &field[at.above * nodes];
    const auto weight = static_cast<float>(at.weight);
    for (std::size_t q = 0; q < nodes; ++q) result[q] = below[q] + weight * (above[q] - below[q]);
    return result;
  }

  void ascending_points(const std::vector<float>& field, const SampleAxis::Bracket& at,
                        std::span<const std::int64_t> v, std::span<float> out) const {
    const std::vector<float> nodes = blend(field, at);
    SampleAxis::Bracket across;
    double until = 0;  // `across` is valid below this position
    for (std::size_t k = 0; k < v.size(); ++k) {
      const auto position = static_cast<double>(v[k]);
      if (k == 0 || position >= until) {
        across = cols.bracket_after(across, position);
        const bool has_next = across.above > across.below;
        until = has_next ? cols.positions[across.above] : position;
      } else {
        const double gap = cols.positions[across.above] - cols.positions[across.below];
        across.weight = (position - cols.positions[across.below]) / gap;
      }
      const float base = nodes[across.below];
      out[k] = base + static_cast<float>(across.weight) * (nodes[across.above] - base);
    }
  }

  [[nodiscard]] SampleAxis::Bracket around(const SampleAxis& axis, std::int64_t frequency) const {
    const auto position = static_cast<double>(frequency);
    if (!is_nearest) return axis.bracket(position);
    const std::size_t node = axis.nearest(position);
    return {node, node, 0};
  }

  void nearest_points(std::int64_t u, std::span<const std::int64_t> v, std::span<float> out) const {
    const std::size_t p = rows.nearest(static_cast<double>(u));
    SampleAxis::Bracket across;
    for (std::size_t k = 0; k < v.size(); ++k) {
      const auto position = static_cast<double>(v[k]);
      const bool still = across.above > across.below && position >= cols.positions[across.below] &&
                         position < cols.positions[across.above];
      if (still) {
        const double gap = cols.positions[across.above] - cols.positions[across.below];
        across.weight = (position - cols.positions[across.below]) / gap;
      } else {
        across = cols.bracket_after(across, position);
      }
      out[k] = magnitude(p, across.weight >= 0.5 ? across.above : across.below);
    }
  }

  void nearest_row(std::int64_t u, std::int64_t v0, std::int64_t step, std::span<float> out) const {
    constexpr std::size_t kPiece = 256;
    std::array<std::int64_t, kPiece> v{};
    for (std::size_t begin = 0; begin < out.size(); begin += kPiece) {
      const std::size_t count = std::min(kPiece, out.size() - begin);
      for (std::size_t k = 0; k < count; ++k)
        v[k] = signed_index(v0 + static_cast<std::int64_t>(begin + k) * step, spectrum->n);
      nearest_points(u, std::span(v).first(count), out.subspan(begin, count));
    }
  }

  void row_of_plane(std::int64_t u, std::int64_t v0, std::int64_t step, std::span<float> out) const {
    const auto n = static_cast<std::int64_t>(spectrum->n);
    const std::int64_t reduced_step = dft_index(step, n);
    const std::size_t p = node_of(rows, u);
    const bool conjugate = rows.storage[p] >= rows.stored;
    const std::uint64_t row = conjugate ? rows.storage[p] - rows.stored : rows.storage[p];
    const std::complex<float>* values = spectrum->values.data() + row * spectrum->grid.cols.count();
    std::int64_t v = signed_index(v0, n);
    for (float& result : out) {
      const bool has_mirror = v != -v && 2 * v != -n;  // v = 0 and v = −n/2 are their own
      result = magnitude_of(values[cols.storage[node_of(cols, conjugate && has_mirror ? -v : v)]]);
      v += reduced_step;
      if (2 * v >= n) v -= n;
    }
  }

  void blended_row(const std::vector<float>& field, const SampleAxis::Bracket& at, std::int64_t v0,
                   std::int64_t step, std::span<float> out) const {
    const std::vector<float> blended = blend(field, at);
    const std::size_t nodes = blended.size();
    const auto n = static_cast<std::int64_t>(spectrum->n);
    const std::int64_t end_of_axis = (n + 1) / 2;  // one past the largest signed index
    SampleAxis::Bracket across;
    std::size_t k = 0;
    while (k < out.size()) {
      const std::int64_t v = signed_index(v0 + static_cast<std::int64_t>(k) * step, n);
      across = cols.bracket_after(across, static_cast<double>(v));
      // points up to the next node, or to the end of the signed range, lie on one straight line
      const bool has_next = across.above > across.below && across.above < nodes;
      const std::int64_t next =
          has_next ? static_cast<std::int64_t>(std::ceil(cols.positions[across.above])) : v + 1;
      const std::int64_t limit = std::min(std::max(next, v + 1), end_of_axis);
      const std::int64_t points = step > 0 ? (limit - v + step - 1) / step : 1;
      const std::size_t count =
          std::min(out.size() - k, static_cast<std::size_t>(std::max<std::int64_t>(points, 1)));
      const float rise = blended[across.above] - blended[across.below];
      const double gap = has_next ? cols.positions[across.above] - cols.positions[across.below] : 1.0;
      const auto slope = static_cast<float>(static_cast<double>(step) / gap);
      const auto from = static_cast<float>(across.weight);
      const float base = blended[across.below];
      for (std::size_t d = 0; d < count; ++d)
        out[k + d] = base + rise * (from + slope * static_cast<float>(d));
      k += count;
    }
  }

  void few_points(const std::vector<float>& field, const SampleAxis::Bracket& at, std::int64_t v0,
                  std::int64_t step, std::span<float> out) const {
    const std::size_t nodes = cols.positions.size();
    for (std::size_t k = 0; k < out.size(); ++k) {
      const std::int64_t v = signed_index(v0 + static_cast<std::int64_t>(k) * step, spectrum->n);
      const SampleAxis::Bracket across = cols.bracket(static_cast<double>(v));
      const auto along = [&](std::size_t q) {
        return (1 - at.weight) * static_cast<double>(field[at.below * nodes + q]) +
               at.weight * static_cast<double>(field[at.above * nodes + q]);
      };
      out[k] =
          static_cast<float>((1 - across.weight) * along(across.below) + across.weight * along(across.above));
    }
  }

  void interpolated_row(const std::vector<float>& field, std::int64_t u, std::int64_t v0, std::int64_t step,
                        std::span<float> out) const {
    if (field.empty()) {
      std::fill(out.begin(), out.end(), 0.0F);
      return;
    }
    const SampleAxis::Bracket at = rows.bracket(static_cast<double>(u));
    if (step > 0 && out.size() >= cols.positions.size() / 4) {
      blended_row(field, at, v0, step, out);
    } else {
      few_points(field, at, v0, step, out);
    }
  }

  /// Adds B times the interpolated `smooth->scaled`; point k is at v_of(k), a DFT index.
  template <class Interpolate, class Column>
  void add_scaled(std::int64_t u, Interpolate&& interpolate, Column&& v_of, std::span<float> out) const {
    if (!smooth || smooth->scaled.empty()) return;
    std::vector<float> scaled(out.size());
    interpolate(smooth->scaled, std::span<float>(scaled));
    const std::uint64_t row = dft_index(u, spectrum->m);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] += scaled[k] * smooth->model(row, v_of(k));
  }

  /// Every point of the progression v0, v0 + step, … at which the coefficient is known.
  void put_known(std::int64_t u, std::int64_t v0, std::int64_t step, std::span<float> out) const {
    const std::uint64_t n = spectrum->n;
    const std::uint64_t first = dft_index(v0, n);
    const auto stride = static_cast<std::uint64_t>(step);
    const std::uint64_t reach = out.empty() ? 0 : (out.size() - 1) * stride;
    each_known(u, [&](std::uint64_t v, float magnitude) {
      for (std::uint64_t away = (v + n - first) % n; away <= reach; away += n)
        if (away % stride == 0) out[away / stride] = magnitude;
    });
  }

  /// Magnitudes without the known ones, at ascending v.
  void points(std::int64_t u, std::span<const std::int64_t> v, std::span<float> out) const {
    if (is_whole_plane) {
      for (std::size_t k = 0; k < v.size(); ++k) row_of_plane(u, v[k], 1, out.subspan(k, 1));
      return;
    }
    if (is_nearest) return nearest_points(u, v, out);
    const SampleAxis::Bracket at = rows.bracket(static_cast<double>(u));
    if (magnitudes.empty())
      std::fill(out.begin(), out.end(), 0.0F);
    else
      ascending_points(magnitudes, at, v, out);
    const auto n = static_cast<std::int64_t>(spectrum->n);
    add_scaled(
        u, [&](const std::vector<float>& field, std::span<float> to) { ascending_points(field, at, v, to); },
        [&](std::size_t k) { return static_cast<std::uint64_t>(v[k] < 0 ? v[k] + n : v[k]); }, out);
  }

  /// Calls visit(v, magnitude) for the coefficients of row u that are known exactly; v is a DFT index.
  template <class Visit>
  void each_known(std::int64_t u, Visit&& visit) const {
    if (known) known->for_row(dft_index(u, spectrum->m), visit);
    if (spectrum->placement != Placement::scattered) return;
    const auto [first, last] = spectrum->points.row(u);
    for (std::size_t k = first; k < last; ++k)
      visit(dft_index(spectrum->points.v[k], spectrum->n), magnitude_of(spectrum->values[k]));
  }

  template <class Value>
  void put_known(std::int64_t u, std::span<const std::int64_t> v, Value&& value, std::span<float> out) const {
    if (v.empty()) return;
    const bool contiguous = v.back() - v.front() + 1 == static_cast<std::int64_t>(v.size());
    each_known(u, [&](std::uint64_t index, float magnitude) {
      const std::int64_t frequency = signed_index(index, spectrum->n);
      if (frequency < v.front() || frequency > v.back()) return;
      if (contiguous) {
        out[static_cast<std::size_t>(frequency - v.front())] = value(magnitude);
        return;
      }
      const auto found = std::lower_bound(v.begin(), v.end(), frequency);
      for (auto place = found; place != v.end() && *place == frequency; ++place)
        out[static_cast<std::size_t>(place - v.begin())] = value(magnitude);
    });
  }

  /// How E|F|² follows from M̂² (Reconstruction::powers): equal, by a common factor, or by a factor from the
  /// weights.
  enum class Gain { none, mean, by_weights };
  [[nodiscard]] Gain gain() const {
    if (is_whole_plane || is_nearest) return Gain::none;
    return smooth || spectrum->placement == Placement::scattered ? Gain::mean : Gain::by_weights;
  }
  [[nodiscard]] float mean_gain() const { return 1 / expected_share(smooth ? 0 : kNaturalSpread); }
  static std::shared_ptr<Impl> make(SpectrumPtr spectrum, Fill fill, JobContext& context) {
    or_throw(check(*spectrum));
    auto impl = std::make_shared<Impl>();
    const FrequencyGrid& grid = spectrum->grid;
    const bool scattered = spectrum->placement == Placement::scattered;
    if (spectrum->placement == Placement::true_frequencies) {
      impl->rows = true_axis(grid.rows, spectrum->hermitian_half);
      impl->cols = true_axis(grid.cols, false);
      impl->is_whole_plane =
          impl->rows.positions.size() == spectrum->m && impl->cols.positions.size() == spectrum->n;
    } else if (!scattered) {
      const Stretch stretch = fill == Fill::bilinear_centers ? Stretch::centres : Stretch::ends;
      impl->rows = reduced_axis(grid.rows, spectrum->hermitian_half, spectrum->m, stretch);
      impl->cols = reduced_axis(grid.cols, false, spectrum->n, stretch);
    }
    impl->is_nearest = fill == Fill::nearest;
    impl->spectrum = std::move(spectrum);
    if (scattered)
      impl->read_scattered(context);
    else if (!impl->is_whole_plane)
      impl->read_grid(context);
    return impl;
  }

  static Result<Reconstruction> without_pattern(SpectrumPtr spectrum, Fill fill, JobContext& context) {
    return run_guarded([&] {
      Reconstruction result;
      result.impl_ = make(std::move(spectrum), fill, context);
      return result;
    });
  }

  /// Computes the chosen lines: their magnitudes are known, as those of the samples are.
  void find_lines(const SparsePattern& pattern, ProgressParts& parts, JobContext& context) {
    const Booking booking(context.memory(), line_bytes(pattern, context.pool().threads()),
                          "lines of the plane");
    parts.next(0.05);
    ChosenLines chosen = choose_lines(pattern, context);
    parts.next(0.3);
    LineValues lines(std::move(chosen), pattern, context);
    auto beside = rows_beside(lines.lines(), *spectrum, pattern, context);
    known = std::make_shared<const KnownCoefficients>(rows, cols, magnitudes, std::move(lines),
                                                      std::move(beside), pattern.symmetric());
  }

  /// Replaces the magnitudes of the nodes by the conditional mean; `lines` as for smooth_fill().
  void smooth_nodes(const SparsePattern& pattern, const ChosenLines* lines, JobContext& context) {
    smooth = smooth_fill(rows, cols, magnitudes, pattern, lines, context);
    magnitudes = std::exchange(smooth->plain, {});
  }

  /// The fill smooth or best of a plane that is not whole, from its nodes.
  static std::shared_ptr<const Impl> smoothed(std::shared_ptr<Impl> impl, Fill fill,
                                              const SparsePattern& pattern, JobContext& context) {
    context.begin_stage("reconstruct");
    std::vector<std::shared_ptr<const Impl>> others;  // `best` uses the one closest to |F|
    Booking booked_bilinear;
    {
      ProgressParts parts(context);  // by the time that they take, about
      if (fill == Fill::best && has_exact_lines(*impl->spectrum)) impl->find_lines(pattern, parts, context);
      if (fill == Fill::best) {
        booked_bilinear =
            Booking(context.memory(), reconstruction_bytes(*impl->spectrum), "nodes for bilinear");
        others.push_back(std::make_shared<const Impl>(*impl));
      }
      // Where few nodes lie beside the lines, all nodes may give the better estimate.
      if (fill == Fill::best && impl->known && impl->magnitudes.size() <= kFewNodes) {
        auto of_all_nodes = std::make_shared<Impl>(*impl);
        of_all_nodes->smooth_nodes(pattern, nullptr, context);
        others.push_back(std::move(of_all_nodes));
      }
      parts.next(1);
      impl->smooth_nodes(pattern, impl->known ? &impl->known->lines() : nullptr, context);
    }
    return others.empty() ? impl : closest(std::move(impl), std::move(others), pattern, context);
  }

  /// The one whose magnitudes are closest to |F| in ComparedRows.
  static std::shared_ptr<const Impl> closest(std::shared_ptr<const Impl> first,
                                             std::vector<std::shared_ptr<const Impl>> others,
                                             const SparsePattern& pattern, JobContext& context) {
    const ComparedRows rows(pattern, context);
    Reconstruction best;
    best.impl_ = std::move(first);
    double largest = rows.cosine(best);
    for (auto& other : others) {
      Reconstruction candidate;
      candidate.impl_ = std::move(other);
      const double cosine = rows.cosine(candidate);
      if (cosine <= largest) continue;
      largest = cosine;
      best = std::move(candidate);
    }
    return best.impl_;
  }
};

Fill possible_fill(Fill fill, const Spectrum& spectrum) {
  if (!needs_pattern(fill)) return fill;
  const std::uint64_t side = longer_side(spectrum);
  if (spectrum.placement == Placement::scattered || side > kLongestModel) return Fill::bilinear;
  return has_exact_lines(spectrum) && side > kLongestWholeLine ? Fill::smooth : fill;
}

Result<Reconstruction> Reconstruction::make(SpectrumPtr spectrum, Fill fill) {
  if (needs_pattern(fill))
    return fail(ErrorCode::internal, "This reconstruction needs the pattern whose spectrum it is.");
  ThreadPool pool(1);
  JobContext context(pool);
  return Impl::without_pattern(std::move(spectrum), fill, context);
}

Result<Reconstruction> Reconstruction::make(SpectrumPtr spectrum, Fill fill, const SparsePattern& pattern,
                                            JobContext& context) {
  if (!needs_pattern(fill)) return Impl::without_pattern(std::move(spectrum), fill, context);
  if (spectrum->placement == Placement::scattered)
    return fail(ErrorCode::wrong_use, "Scattered samples have no grid to smooth over.",
                "Choose bilinear or nearest.");
  const bool with_lines = fill == Fill::best && has_exact_lines(*spectrum);
  if (const Fill possible = possible_fill(fill, *spectrum); possible != fill)
    return fail(ErrorCode::wrong_use,
                "The fill " + std::string(with_lines ? "best" : "smooth") + " is for sides up to " +
                    std::to_string(with_lines ? kLongestWholeLine : kLongestModel) + ", not " +
                    std::to_string(longer_side(*spectrum)) + ".",
                possible == Fill::bilinear ? "Choose bilinear." : "Choose smooth or bilinear.");
  return run_guarded([&] {
    Reconstruction result;
    auto impl = Impl::make(std::move(spectrum), fill, context);
    result.impl_ =
        impl->is_whole_plane ? std::move(impl) : Impl::smoothed(std::move(impl), fill, pattern, context);
    return result;
  });
}

std::uint64_t Reconstruction::line_coefficients() const {
  return impl_->known ? impl_->known->line_coefficients() : 0;
}

std::uint64_t Reconstruction::m() const { return impl_->spectrum->m; }
std::uint64_t Reconstruction::n() const { return impl_->spectrum->n; }
double Reconstruction::dc_magnitude() const { return std::abs(impl_->spectrum->dc()); }
double Reconstruction::mean_power() const { return impl_->spectrum->mean_power(); }
double Reconstruction::rounding_floor() const { return impl_->spectrum->rounding_floor; }
const Spectrum& Reconstruction::spectrum() const { return *impl_->spectrum; }
const SpectrumPtr& Reconstruction::shared_spectrum() const { return impl_->spectrum; }
bool Reconstruction::is_exact() const { return impl_->is_whole_plane; }
bool Reconstruction::is_nearest() const { return impl_->is_nearest; }
const SampleAxis& Reconstruction::row_nodes() const { return impl_->rows; }
const SampleAxis& Reconstruction::col_nodes() const { return impl_->cols; }
std::vector<std::uint64_t> Reconstruction::mirrored_columns() const {
  std::vector<std::uint64_t> mirrored = impl_->cols.storage;
  for (std::size_t q = 0; impl_->spectrum->hermitian_half && q < mirrored.size(); ++q)
    mirrored[q] = mirrored_storage(impl_->cols, impl_->spectrum->grid.cols, q);
  return mirrored;
}

Reconstruction::Nodes Reconstruction::nodes() const {
  const bool scattered = impl_->spectrum->placement == Placement::scattered;
  if (impl_->is_whole_plane || scattered || impl_->smooth || impl_->known) return {};
  return {impl_->rows.positions.size(), impl_->cols.positions.size(), impl_->magnitudes};
}
SampleAxis::Bracket Reconstruction::nodes_around_row(std::int64_t u) const {
  return impl_->around(impl_->rows, u);
}
SampleAxis::Bracket Reconstruction::nodes_around_column(std::int64_t v) const {
  return impl_->around(impl_->cols, v);
}

void Reconstruction::row(std::int64_t u, std::int64_t v0, std::int64_t step, std::span<float> out) const {
  const Impl& impl = *impl_;
  const std::uint64_t n = impl.spectrum->n;
  const std::int64_t signed_u = signed_index(u, impl.spectrum->m);
  const bool has_known = impl.known || impl.spectrum->placement == Placement::scattered;
  if (has_known && step <= 0) {  // rare: point by point
    for (std::size_t k = 0; k < out.size(); ++k)
      row(u, v0 + static_cast<std::int64_t>(k) * step, 1, out.subspan(k, 1));
    return;
  }
  if (impl.is_whole_plane) {
    impl.row_of_plane(signed_u, v0, step, out);
  } else if (impl.is_nearest) {
    impl.nearest_row(signed_u, v0, step, out);
  } else {
    impl.interpolated_row(impl.magnitudes, signed_u, v0, step, out);
    impl.add_scaled(
        signed_u,
        [&](const std::vector<float>& field, std::span<float> to) {
          impl.interpolated_row(field, signed_u, v0, step, to);
        },
        [&](std::size_t k) { return dft_index(v0 + static_cast<std::int64_t>(k) * step, n); }, out);
  }
  if (has_known) impl.put_known(signed_u, v0, step, out);
  if (signed_u != 0) return;
  for (std::size_t k = 0; k < out.size(); ++k) {
    if (dft_index(v0 + static_cast<std::int64_t>(k) * step, n) == 0)
      out[k] = static_cast<float>(std::abs(impl.spectrum->dc()));
  }
}

Reconstruction::Columns Reconstruction::columns(std::vector<std::int64_t> v) const {
  Columns columns{std::move(v), {}};
  if (impl_->gain() != Impl::Gain::by_weights) return columns;
  columns.spread.reserve(columns.v.size());
  for (const std::int64_t at : columns.v)
    columns.spread.push_back(spread_of(impl_->cols.bracket(static_cast<double>(at))));
  return columns;
}

void Reconstruction::powers(std::int64_t u, const Columns& columns, bool known, std::span<float> out) const {
  const Impl& impl = *impl_;
  const std::int64_t signed_u = signed_index(u, impl.spectrum->m);
  impl.points(signed_u, columns.v, out);
  switch (impl.gain()) {
    case Impl::Gain::none:
      for (float& value : out) value *= value;
      break;
    case Impl::Gain::mean:
      for (float& value : out) value = value * value * impl.mean_gain();
      break;
    case Impl::Gain::by_weights: {
      const float down = spread_of(impl.rows.bracket(static_cast<double>(signed_u)));
      for (std::size_t k = 0; k < out.size(); ++k)
        out[k] = out[k] * out[k] / expected_share(down * columns.spread[k]);
      break;
    }
  }
  if (known)
    impl.put_known(
        signed_u, columns.v, [](float magnitude) { return magnitude * magnitude; }, out);
  if (signed_u != 0) return;
  const auto dc = static_cast<float>(std::abs(impl.spectrum->dc()));
  for (std::size_t k = 0; k < out.size(); ++k)
    if (columns.v[k] == 0) out[k] = dc * dc;
}

void Reconstruction::each_known(std::int64_t u, const std::function<void(std::int64_t, float)>& visit) const {
  const Spectrum& spectrum = *impl_->spectrum;
  impl_->each_known(signed_index(u, spectrum.m), [&](std::uint64_t v, float magnitude) {
    visit(signed_index(v, spectrum.n), magnitude * magnitude);
  });
}

void Reconstruction::each_on_lines(std::int64_t u,
                                   const std::function<void(std::int64_t, float)>& visit) const {
  if (!impl_->known) return;
  const Spectrum& spectrum = *impl_->spectrum;
  impl_->known->for_lines_in_row(dft_index(u, spectrum.m), [&](std::uint64_t v, float magnitude) {
    visit(signed_index(v, spectrum.n), magnitude * magnitude);
  });
}

const ChosenLines* Reconstruction::chosen_lines() const {
  return impl_->known ? &impl_->known->lines() : nullptr;
}

void Reconstruction::at(std::int64_t u, std::span<const std::int64_t> v, std::span<float> out) const {
  const Impl& impl = *impl_;
  const std::int64_t signed_u = signed_index(u, impl.spectrum->m);
  impl.points(signed_u, v, out);
  impl.put_known(
      signed_u, v, [](float magnitude) { return magnitude; }, out);
  if (signed_u != 0) return;
  for (std::size_t k = 0; k < v.size(); ++k)
    if (v[k] == 0) out[k] = static_cast<float>(std::abs(impl.spectrum->dc()));
}

}  // namespace spyctrum
