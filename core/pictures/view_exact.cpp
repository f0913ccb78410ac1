// SPDX-License-Identifier: Apache-2.0
// Pictures of the exact spectrum. If the view fits the budget, every coefficient in it is computed, so that
// sampling cannot cause patterns that do not exist. Else from the pyramid of the plane, or from samples at
// prime steps, which have no period in common with usual structures. The axes u = 0 and v = 0 and the
// diagonals u = ±v of a square plane, which samples either miss or overweight by the step, are then computed
// separately and weighted by their area.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "core/fft/axis_values.hpp"
#include "core/fft/lattice.hpp"
#include "core/pictures/cell_axis.hpp"
#include "core/pictures/cell_reduction.hpp"
#include "core/pictures/picture_plan.hpp"
#include "core/spectrum/rounding_floor.hpp"

namespace spyctrum {

namespace {

using Complex = std::complex<float>;

/// A pyramid is used if its cells are at most this many times as wide as those of the picture.
constexpr double kCoarsest = 2;
constexpr std::int64_t kSamplesPerLine = std::int64_t{1} << 20U;

std::vector<Complex> lattice(const SparsePattern& pattern, const FrequencyGrid& grid, JobContext& context) {
  return lattice_transform(pattern, grid, LatticeOptions{}, context);
}

/// For each range of indices the range of the axis's samples in it, or the nearest sample if there is none.
std::vector<IndexRange> sample_ranges(const std::vector<IndexRange>& indices, const FrequencyAxis& axis) {
  const auto ceil_div = [](std::int64_t a, std::int64_t b) { return a > 0 ? (a + b - 1) / b : -(-a / b); };
  const std::int64_t step = axis.step();
  const auto count = static_cast<std::int64_t>(axis.count());
  std::vector<IndexRange> result(indices.size());
  for (std::size_t k = 0; k < indices.size(); ++k) {
    if (indices[k].empty()) continue;
    IndexRange range{ceil_div(indices[k].first - axis.origin(), step),
                     ceil_div(indices[k].last - axis.origin(), step)};
    range = {std::clamp<std::int64_t>(range.first, 0, count), std::clamp<std::int64_t>(range.last, 0, count)};
    if (range.empty()) {
      const std::int64_t middle = (indices[k].first + indices[k].last - 1) / 2;
      const std::int64_t nearest =
          std::clamp<std::int64_t>(ceil_div(2 * (middle - axis.origin()) - step, 2 * step), 0, count - 1);
      range = {nearest, nearest + 1};
    }
    result[k] = range;
  }
  return result;
}

void draw_samples(CellImage& image, const ExactPlan& plan, const std::vector<Complex>& values,
                  JobContext& context) {
  const std::size_t width = plan.grid.cols.count();
  reduce_to_cells(image, plan.row_ranges, plan.col_ranges, width, context,
                  [&](std::size_t p, std::vector<float>& powers) {
                    for (std::size_t q = 0; q < width; ++q) powers[q] = std::norm(values[p * width + q]);
                  });
}

FrequencyAxis every(std::uint64_t size, IndexRange range) {
  return FrequencyAxis::progression(size, range.first, 1, static_cast<std::uint64_t>(range.count()));
}

// Pyramid ---------------------------------------------------------------------------------------

/// A cell of the pyramid that overlaps a cell of the picture along one axis, and the number of common
/// indices.
struct Overlap {
  std::uint32_t cell = 0;
  double weight = 0;
};

std::vector<std::vector<Overlap>> overlaps(const CellAxis& axis, std::uint64_t size, std::uint32_t cells) {
  const auto begin = [&](std::uint64_t k) {
    return static_cast<std::int64_t>(pyramid_cell_begin(k, size, cells));
  };
  const auto origin = static_cast<std::int64_t>(size / 2);
  std::vector<std::vector<Overlap>> result(axis.size());
  for (std::size_t k = 0; k < axis.size(); ++k) {
    if (axis[k].empty()) continue;
    const IndexRange shifted{axis[k].first + origin, axis[k].last + origin};
    auto cell = pyramid_cell_of(static_cast<std::uint64_t>(shifted.first), size, cells);
    for (; cell < cells && begin(cell) < shifted.last; ++cell) {
      const std::int64_t shared =
          std::min(begin(cell + 1), shifted.last) - std::max(begin(cell), shifted.first);
      result[k].push_back({static_cast<std::uint32_t>(cell), static_cast<double>(shared)});
    }
  }
  return result;
}

void draw_pyramid(CellImage& image, const ExactPlan& plan, const DisplayPyramid& pyramid,
                  JobContext& context) {
  const auto rows = overlaps(plan.rows, pyramid.m, pyramid.rows);
  const auto cols = overlaps(plan.cols, pyramid.n, pyramid.cols);
  context.pool().parallel_for(rows.size(), 8, [&](std::size_t begin, std::size_t end, unsigned) {
    context.check_stop();
    for (std::size_t r = begin; r < end; ++r) {
      for (std::size_t c = 0; c < cols.size(); ++c) {
        double sum = 0;
        double all = 0;
        float most = 0;
        for (const Overlap& row : rows[r]) {
          for (const Overlap& col : cols[c]) {
            const std::size_t cell = static_cast<std::size_t>(row.cell) * pyramid.cols + col.cell;
            sum += row.weight * col.weight * static_cast<double>(pyramid.mean_power[cell]);
            all += row.weight * col.weight;
            most = std::max(most, pyramid.max_power[cell]);
          }
        }
        if (!(all > 0)) continue;
        float* out = &image.cells[2 * (r * cols.size() + c)];
        out[0] = static_cast<float>(sum / all);
        out[1] = most;
      }
    }
  });
}

/// The width of the pyramid's cells divided by that of the picture's; 0 if the pyramid has a cell for every
/// index.
double coarseness(std::uint64_t size, std::uint32_t cells, double picture_cell) {
  if (cells == size) return 0;
  return static_cast<double>(size) / static_cast<double>(cells) / std::max(picture_cell, 1.0);
}

double coarseness(const DisplayPyramid& pyramid, const PictureArea& area) {
  return std::max(coarseness(pyramid.m, pyramid.rows, area.rect.height() / area.height),
                  coarseness(pyramid.n, pyramid.cols, area.rect.width() / area.width));
}

// Samples ---------------------------------------------------------------------------------------

std::int64_t next_prime(std::int64_t from) {
  const auto is_prime = [](std::int64_t k) {
    for (std::int64_t d = 2; d * d <= k; ++d)
      if (k % d == 0) return false;
    return k > 1;
  };
  while (!is_prime(from)) ++from;
  return from;
}

/// The distance of `s` to the nearest multiple of `step`.
std::int64_t to_multiple(std::int64_t s, std::int64_t step) {
  const std::int64_t rest = (s % step + step) % step;
  return std::min(rest, step - rest);
}

/// A progression through `range` that does not contain 0 unless step = 1. Of kTried origins it has the one
/// whose samples v are farthest from 0 and, for an axis `other` of the same step with samples u, from ±u.
FrequencyAxis progression_through(IndexRange range, std::int64_t step, std::uint64_t size,
                                  const FrequencyAxis* other = nullptr) {
  constexpr std::int64_t kTried = 16;
  if (step == 1) return every(size, range);
  std::int64_t origin = range.first;
  std::int64_t farthest = -1;
  for (std::int64_t k = 0; k < kTried; ++k) {
    const std::int64_t at = range.first + step * k / kTried;
    std::int64_t least = to_multiple(at, step);
    if (least == 0) continue;
    if (other != nullptr && other->step() == step)
      least =
          std::min({least, to_multiple(at - other->origin(), step), to_multiple(at + other->origin(), step)});
    if (least > farthest) origin = at;
    farthest = std::max(farthest, least);
  }
  const std::int64_t count = std::max<std::int64_t>(1, (range.last - origin + step - 1) / step);
  return FrequencyAxis::progression(size, origin, step, static_cast<std::uint64_t>(count));
}

/// A lattice of at most `budget` samples with about the same number per cell along both axes.
FrequencyGrid choose_lattice(const ExactPlan& plan, const SparsePattern& pattern, std::uint64_t budget) {
  const IndexRange u = plan.rows.in_view();
  const IndexRange v = plan.cols.in_view();
  const auto height = static_cast<double>(u.count());
  const auto width = static_cast<double>(v.count());
  const double cells_down = std::min(height, static_cast<double>(plan.rows.size()));
  const double cells_across = std::min(width, static_cast<double>(plan.cols.size()));
  const double per_cell =
      std::sqrt(static_cast<double>(std::max<std::uint64_t>(budget, 1)) / (cells_down * cells_across));
  double down = std::min(height, std::max(1.0, cells_down * per_cell));
  double across = std::min(width, std::max(1.0, static_cast<double>(budget) / down));
  down = std::min(height, std::max(1.0, static_cast<double>(budget) / across));
  const auto step_of = [](double length, double samples) {
    const auto step = static_cast<std::int64_t>(std::ceil(length / samples));
    return step <= 1 ? 1 : next_prime(step);
  };
  const FrequencyAxis rows = progression_through(u, step_of(height, down), pattern.rows());
  return {rows, progression_through(v, step_of(width, across), pattern.cols(), &rows)};
}

/// Mean and maximum power of each cell along an axis of the plane, without DC.
struct Line {
  std::vector<double> mean;
  std::vector<float> maximum;
};

/// `whole`: all coefficients of the axis, or empty.
Line line_of(const SparsePattern& pattern, const CellAxis& axis, bool down, const std::vector<Complex>& whole,
             JobContext& context) {
  const std::uint64_t size = down ? pattern.rows() : pattern.cols();
  const IndexRange view = axis.in_view();
  const std::int64_t step = std::max<std::int64_t>(1, (view.count() + kSamplesPerLine - 1) / kSamplesPerLine);
  const FrequencyAxis along = progression_through(view, step == 1 ? 1 : next_prime(step), size);
  const FrequencyAxis zero = FrequencyAxis::progression(down ? pattern.cols() : pattern.rows(), 0, 1, 1);
  std::vector<Complex> values;
  if (whole.empty()) values = lattice(pattern, {down ? along : zero, down ? zero : along}, context);
  const auto value_at = [&](std::uint64_t p) { return whole.empty() ? values[p] : whole[along.index_at(p)]; };
  const auto ranges = sample_ranges(axis.ranges(), along);
  Line line{std::vector<double>(axis.size()), std::vector<float>(axis.size())};
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    double sum = 0;
    std::int64_t count = 0;
    for (auto p = static_cast<std::uint64_t>(ranges[k].first); p < static_cast<std::uint64_t>(ranges[k].last);
         ++p) {
      if (along.at(p) == 0) continue;
      const float power = std::norm(value_at(p));
      sum += static_cast<double>(power);
      line.maximum[k] = std::max(line.maximum[k], power);
      ++count;
    }
    if (count > 0) line.mean[k] = sum / static_cast<double>(count);
  }
  return line;
}

/// The place of signed frequency `s` in `axis`; none if the axis has no such sample.
std::optional<std::int64_t> place_of(const FrequencyAxis& axis, std::int64_t s) {
  const std::int64_t from_origin = s - axis.origin();
  if (from_origin % axis.step() != 0) return {};
  const std::int64_t place = from_origin / axis.step();
  if (place < 0 || place >= static_cast<std::int64_t>(axis.count())) return {};
  return place;
}

/// The two diagonals of a square plane.
class Diagonals {
 public:
  explicit Diagonals(const AxisSpectra& axes)
      : same_(axes.diagonal), opposite_(axes.antidiagonal), n_(static_cast<std::int64_t>(same_.size())) {}

  /// visit(v, power) for both coefficients of row u that are on a diagonal; for the one of u = v ≡ −v mod n,
  /// and not for DC.
  template <class Visit>
  void of_row(std::int64_t u, Visit&& visit) const {
    if (u == 0) return;
    const auto at = static_cast<std::size_t>(u < 0 ? u + n_ : u);
    visit(u, std::norm(same_[at]));
    if (2 * u != -n_) visit(-u, std::norm(opposite_[at]));
  }

 private:
  const std::vector<Complex>& same_;
  const std::vector<Complex>& opposite_;
  std::int64_t n_;
};

/// What the diagonals contribute to a cell.
struct OnDiagonals {
  double power = 0;
  float most = 0;
  double count = 0;
};

/// Replaces the share of the diagonals in the means of the cells that they cross: that of the samples on them
/// by that of all of their coefficients. A cell's mean is that of its coefficients off the axes, of which
/// `off_axes(r, c)` returns the number. Returns the changed cells.
template <class OffAxes>
std::vector<std::uint32_t> draw_diagonals(CellImage& image, const ExactPlan& plan, const Diagonals& diagonals,
                                          JobContext& context, OffAxes&& off_axes) {
  const std::size_t width = plan.cols.size();
  const IndexRange u_view = plan.rows.in_view();
  const IndexRange v_view = plan.cols.in_view();
  std::map<std::uint32_t, OnDiagonals> crossed;
  for (std::int64_t u = u_view.first; u < u_view.last; ++u) {
    if (u % 65536 == 0) context.check_stop();
    diagonals.of_row(u, [&](std::int64_t v, float power) {
      if (!v_view.contains(v)) return;
      const auto [top, bottom] = plan.rows.cells_of(u);
      const auto [left, right] = plan.cols.cells_of(v);
      for (std::uint32_t r = top; r < bottom; ++r)
        for (std::uint32_t c = left; c < right; ++c) {
          OnDiagonals& cell = crossed[static_cast<std::uint32_t>(r * width + c)];
          cell.power += static_cast<double>(power);
          cell.most = std::max(cell.most, power);
          ++cell.count;
        }
    });
  }
  std::vector<std::uint32_t> written;
  // The mean power of a cell's coefficients beside the diagonals; that of the cell before if all samples of a
  // cell are on the diagonals.
  double rest = 0;
  for (const auto& [index, line] : crossed) {
    const std::size_t r = index / width, c = index % width;
    const IndexRange rows = plan.row_ranges[r], cols = plan.col_ranges[c];
    double sampled_power = 0, sampled = 0;
    for (std::int64_t p = rows.first; p < rows.last; ++p)
      diagonals.of_row(plan.grid.rows.at(static_cast<std::uint64_t>(p)), [&](std::int64_t v, float power) {
        const auto q = place_of(plan.grid.cols, v);
        if (!q || !cols.contains(*q)) return;
        sampled_power += static_cast<double>(power);
        ++sampled;
      });
    const auto samples = static_cast<double>(rows.count()) * static_cast<double>(cols.count());
    const double all = off_axes(r, c);
    if (all < line.count) continue;
    float* const cell = &image.cells[2 * std::size_t{index}];
    if (sampled < samples)
      rest = std::max(0.0, (static_cast<double>(cell[0]) * samples - sampled_power) / (samples - sampled));
    cell[0] = static_cast<float>((rest * (all - line.count) + line.power) / all);
    cell[1] = std::max(cell[1], line.most);
    written.push_back(index);
  }
  return written;
}

}  // namespace

PlaneRect full_spectrum_rect(std::uint64_t m, std::uint64_t n) {
  const double top = -std::floor(static_cast<double>(m) / 2) - 0.5;
  const double left = -std::floor(static_cast<double>(n) / 2) - 0.5;
  return {top, left, top + static_cast<double>(m), left + static_cast<double>(n)};
}

ExactPlan plan_exact_picture(const SparsePattern& pattern, const DisplayPyramid* pyramid,
                             const PictureArea& area, std::uint64_t budget) {
  ExactPlan plan;
  static_cast<SpectrumAxes&>(plan) = SpectrumAxes(area, pattern.rows(), pattern.cols());
  const IndexRange u = plan.rows.in_view();
  const IndexRange v = plan.cols.in_view();
  if (u.empty() || v.empty()) return plan;
  if (plan.count() <= static_cast<double>(budget)) {
    plan.source = ExactPlan::Source::coefficients;
    plan.grid = {every(pattern.rows(), u), every(pattern.cols(), v)};
  } else {
    const bool fits = pyramid != nullptr && pyramid->rows > 0 && pyramid->m == pattern.rows() &&
                      pyramid->n == pattern.cols() && coarseness(*pyramid, area) <= kCoarsest;
    const BlockNoise blocks = fits ? block_noise(*pyramid) : BlockNoise();
    if (fits && (blocks.relative_error == 0 || is_as_fine_as_samples(blocks, plan.count(), budget))) {
      plan.source = ExactPlan::Source::pyramid;
      plan.blocks = blocks;
      return plan;
    }
    plan.source = ExactPlan::Source::samples;
    plan.grid = choose_lattice(plan, pattern, budget);
  }
  plan.row_ranges = sample_ranges(plan.rows.ranges(), plan.grid.rows);
  plan.col_ranges = sample_ranges(plan.cols.ranges(), plan.grid.cols);
  return plan;
}

CellImage blank_exact_image(const ExactPlan& plan, const DisplayPyramid* pyramid, const PictureArea& area) {
  CellImage image = blank_image(area);
  const bool samples = plan.source == ExactPlan::Source::samples;
  image.sampled = samples || (plan.source == ExactPlan::Source::pyramid && coarseness(*pyramid, area) > 1);
  if (samples) {
    const double share = static_cast<double>(plan.grid.count()) / plan.count();
    if (share < 1) {
      image.exactness = Exactness::exact_samples;
      image.relative_error = std::sqrt((1 - share) / std::max(1.0, share * image.coefficients_per_cell));
    }
  } else if (plan.blocks.relative_error > 0) {
    image.exactness = Exactness::exact_samples;
    image.sampled = true;
    image.relative_error = plan.blocks.relative_error *
                           std::sqrt(std::min(1.0, plan.blocks.coefficients / image.coefficients_per_cell));
  }
  return image;
}

AxisSpectra axis_spectra(const SparsePattern& pattern) {
  const auto narrowed = [&](PlaneAxis which, std::uint64_t size) {
    if (size > static_cast<std::uint64_t>(kSamplesPerLine)) return std::vector<Complex>();
    const auto axis = whole_axis(pattern, which);
    return std::vector<Complex>(axis->begin(), axis->end());
  };
  AxisSpectra axes;
  axes.rows = narrowed(PlaneAxis::rows, pattern.rows());
  axes.cols = narrowed(PlaneAxis::columns, pattern.cols());
  if (pattern.rows() == pattern.cols()) {
    axes.diagonal = narrowed(PlaneAxis::diagonal, pattern.cols());
    axes.antidiagonal = narrowed(PlaneAxis::antidiagonal, pattern.cols());
  }
  return axes;
}

std::vector<std::uint32_t> draw_axes(CellImage& image, const ExactPlan& plan, const SparsePattern& pattern,
                                     const AxisSpectra& axes, JobContext& context) {
  const bool has_column = plan.cols.in_view().contains(0);
  const bool has_row = plan.rows.in_view().contains(0);
  std::optional<Line> column;
  std::optional<Line> row;
  if (has_column) column = line_of(pattern, plan.rows, true, axes.rows, context);
  if (has_row) row = line_of(pattern, plan.cols, false, axes.cols, context);
  const double dc_power = pattern.weight_sum() * pattern.weight_sum();
  // The number of rows or columns of a cell for which its samples stand: frequency 0 is left out, unless
  // every frequency is sampled.
  const auto represented = [](IndexRange range, const FrequencyAxis& samples) {
    return static_cast<double>(range.count() - (range.contains(0) && samples.step() > 1 ? 1 : 0));
  };
  std::vector<std::uint32_t> written;
  if (!axes.diagonal.empty())
    written = draw_diagonals(image, plan, Diagonals(axes), context, [&](std::size_t r, std::size_t c) {
      return represented(plan.rows[r], plan.grid.rows) * represented(plan.cols[c], plan.grid.cols);
    });
  visit_cells_on_axes(plan.rows, plan.cols, [&](std::size_t r, std::size_t c, bool on_row, bool on_column) {
    if (plan.rows[r].empty() || plan.cols[c].empty()) return;
    const auto height = static_cast<double>(plan.rows[r].count());
    const auto width = static_cast<double>(plan.cols[c].count());
    float* cell = &image.cells[2 * (r * plan.cols.size() + c)];
    const double off_row = represented(plan.rows[r], plan.grid.rows);
    const double off_column = represented(plan.cols[c], plan.grid.cols);
    double sum = static_cast<double>(cell[0]) * off_row * off_column;
    float most = off_row * off_column > 0 ? cell[1] : 0.0F;
    if (off_row < height) {
      sum += row->mean[c] * (on_column ? width - 1 : width);
      most = std::max(most, row->maximum[c]);
    }
    if (off_column < width) {
      sum += column->mean[r] * (on_row ? height - 1 : height);
      most = std::max(most, column->maximum[r]);
    }
    if (on_row && on_column) {
      sum += dc_power;
      most = std::max(most, static_cast<float>(dc_power));
    }
    cell[0] = static_cast<float>(sum / (height * width));
    cell[1] = most;
    written.push_back(static_cast<std::uint32_t>(r * plan.cols.size() + c));
  });
  return written;
}

CellImage exact_image(const SparsePattern& pattern, const DisplayPyramid* pyramid, const PictureArea& area,
                      std::uint64_t budget, JobContext& context) {
  const ExactPlan plan = plan_exact_picture(pattern, pyramid, area, budget);
  CellImage image = blank_exact_image(plan, pyramid, area);
  if (plan.source == ExactPlan::Source::pyramid)
    draw_pyramid(image, plan, *pyramid, context);
  else if (plan.source != ExactPlan::Source::nothing)
    draw_samples(image, plan, lattice(pattern, plan.grid, context), context);
  if (plan.source == ExactPlan::Source::samples)
    (void)draw_axes(image, plan, pattern, axis_spectra(pattern), context);
  (void)clear_rounding(image, rounding_floor(pattern), context);
  return image;
}

}  // namespace spyctrum
