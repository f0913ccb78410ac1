// SPDX-License-Identifier: Apache-2.0
// Pictures of samples together with the chosen lines, all of whose coefficients are known. Samples are drawn
// as means over cells, lines at the pixels. A cell shows the mean of bright and dark coefficients; beside it
// the single coefficients of a line would look like a structure even where the line is like its
// neighbourhood. So a row or column stands out from a cell only if the mean P of its N coefficients there is
// unlike that of N coefficients beside it: if |P − Q| > 3·q·√(1/N + 1/M), where Q is the mean of the M
// samples beside the lines and q² their variance, but at least Q², that of noise, whose powers are
// exponentially distributed. Where a row or column does not stand out, its coefficients count in the mean of
// the cell. Chosen diagonals hold more than 2.5 times the mean power of the plane and are always drawn.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/features/chosen_lines.hpp"
#include "core/frequency/sample_axis.hpp"
#include "core/pictures/cell_reduction.hpp"
#include "core/pictures/known_blend.hpp"
#include "core/pictures/picture_plan.hpp"
#include "core/reconstruction/known_coefficients.hpp"

namespace spyctrum {

namespace {

constexpr double kStandardErrors = 3;

/// Some powers: their number, sum, sum of squares and maximum.
struct Powers {
  double sum = 0;
  double squares = 0;
  std::int64_t count = 0;
  float most = 0;
  void add(float power) {
    sum += static_cast<double>(power);
    squares += static_cast<double>(power) * static_cast<double>(power);
    most = std::max(most, power);
    ++count;
  }
  void add(const Powers& others) {
    sum += others.sum;
    squares += others.squares;
    most = std::max(most, others.most);
    count += others.count;
  }
  [[nodiscard]] double mean() const { return count > 0 ? sum / static_cast<double>(count) : 0; }
  [[nodiscard]] double variance() const {
    return count > 0 ? squares / static_cast<double>(count) - mean() * mean() : 0;
  }
};

bool stands_out(const Powers& line, const Powers& beside) {
  if (line.count == 0) return false;
  if (beside.count == 0) return true;
  const double deviation = std::sqrt(std::max(beside.variance(), beside.mean() * beside.mean()));
  const double error =
      deviation * std::sqrt(1 / static_cast<double>(line.count) + 1 / static_cast<double>(beside.count));
  return std::abs(line.mean() - beside.mean()) > kStandardErrors * error;
}

/// The samples on a lattice of true frequencies.
class LatticeSamples {
 public:
  /// `rows`: sampled rows, whose samples on the lattice are left out, or null.
  LatticeSamples(const Spectrum& spectrum, const ChosenLines& lines, const LineValues* rows,
                 const PictureArea& area)
      : spectrum_(spectrum),
        lines_(lines),
        rows_(rows),
        plan_(plan_sample_picture(spectrum, ReducedPlacement::stretched, area)),
        down_(true_axis(spectrum.grid.rows, spectrum.hermitian_half)),
        across_(true_axis(spectrum.grid.cols, false)) {}

  /// The samples on none of the lines at frequencies u in `down` and v in `across`.
  [[nodiscard]] Powers within(const IndexRange& down, const IndexRange& across) const {
    return of_nodes(nodes_in(down_, down), nodes_in(across_, across));
  }
  /// The samples on none of the lines that are nearest to cell (r, c): those of the cell or, if it has none,
  /// of the first range with samples when the cell's range is widened by one node after the other in all
  /// directions.
  [[nodiscard]] Powers near(std::size_t r, std::size_t c) const {
    constexpr std::int64_t kWidest = 3;
    Powers powers;
    for (std::int64_t by = 0; powers.count == 0 && by <= kWidest; ++by)
      powers = of_nodes(widened(plan_.row_ranges[r], by, down_), widened(plan_.col_ranges[c], by, across_));
    return powers;
  }

 private:
  static IndexRange nodes_in(const SampleAxis& axis, const IndexRange& frequencies) {
    const auto from = [&](std::int64_t frequency) {
      return std::lower_bound(axis.positions.begin(), axis.positions.end(), static_cast<double>(frequency)) -
             axis.positions.begin();
    };
    return {from(frequencies.first), from(frequencies.last)};
  }
  static IndexRange widened(const IndexRange& range, std::int64_t by, const SampleAxis& axis) {
    return {std::max<std::int64_t>(range.first - by, 0),
            std::min(range.last + by, static_cast<std::int64_t>(axis.positions.size()))};
  }
  [[nodiscard]] Powers of_nodes(const IndexRange& down, const IndexRange& across) const {
    Powers powers;
    for (std::int64_t p = down.first; p < down.last; ++p) {
      const std::uint64_t u = down_.index_at(static_cast<std::size_t>(p));
      if (rows_ != nullptr && rows_->lines().rows.holds(u)) continue;
      const SamplePlan::StoredRow row = plan_.row(spectrum_, static_cast<std::size_t>(p));
      for (std::int64_t q = across.first; q < across.last; ++q)
        if (const auto node = static_cast<std::size_t>(q); !lines_.holds(u, across_.index_at(node)))
          powers.add(std::norm(row.at(node)));
    }
    return powers;
  }

  const Spectrum& spectrum_;
  const ChosenLines& lines_;
  const LineValues* rows_;
  SamplePlan plan_;
  SampleAxis down_, across_;
};

/// Adds the coefficients of sampled rows that are on none of `lines` to one row of cells.
void add_sampled_rows(const LineValues& rows, const ChosenLines& lines, const IndexRange& down,
                      const CellAxis& cols, std::vector<Powers>& cells) {
  for (std::int64_t signed_u = down.first; signed_u < down.last; ++signed_u) {
    const std::uint64_t u = dft_index(signed_u, lines.m);
    if (!rows.lines().rows.holds(u)) continue;
    for (std::size_t c = 0; c < cells.size(); ++c)
      for (std::int64_t signed_v = cols[c].first; signed_v < cols[c].last; ++signed_v) {
        const std::uint64_t v = dft_index(signed_v, lines.n);
        if (lines.holds(u, v)) continue;
        const float magnitude = rows.magnitude(LineDirection::rows, u, v);
        cells[c].add(magnitude * magnitude);
      }
  }
}

/// The position of an index among the indices of a line set.
std::size_t place_of(const LineSet& lines, std::uint64_t index) {
  return static_cast<std::size_t>(std::lower_bound(lines.indices.begin(), lines.indices.end(), index) -
                                  lines.indices.begin());
}

/// Means and maxima over cells, and the parts of rows and columns of `lines` that stand out from them.
class CellsBesideLines {
 public:
  CellsBesideLines(const Spectrum& spectrum, const Reconstruction& lines, const PictureArea& area,
                   const LineValues* rows, bool are_coarse, JobContext& context)
      : axes(area, spectrum.m, spectrum.n),
        lines_(*lines.chosen_lines()),
        means_(axes.rows.size() * axes.cols.size()),
        row_stands_out_(lines_.rows.indices.size() * axes.cols.size(), 1),
        column_stands_out_(axes.rows.size() * lines_.columns.indices.size(), 1) {
    const LatticeSamples samples(spectrum, lines_, rows, area);
    context.pool().parallel_for(axes.rows.size(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
      std::vector<Powers> beside(axes.cols.size());
      for (std::size_t r = begin; r < end; ++r) {
        if (axes.rows[r].empty()) continue;
        context.check_stop();
        std::fill(beside.begin(), beside.end(), Powers{});
        if (rows != nullptr) add_sampled_rows(*rows, lines_, axes.rows[r], axes.cols, beside);
        for (std::size_t c = 0; c < beside.size(); ++c) {
          if (axes.cols[c].empty()) continue;
          beside[c].add(beside[c].count > 0 ? samples.within(axes.rows[r], axes.cols[c])
                                            : samples.near(r, c));
        }
        if (are_coarse) judge_lines(lines, r, beside);
        for (std::size_t c = 0; c < beside.size(); ++c)
          means_[r * beside.size() + c] = {beside[c].mean(), beside[c].most};
      }
    });
  }

  struct Mean {
    double mean = 0;
    float most = 0;
  };
  [[nodiscard]] const Mean& at(std::size_t r, std::size_t c) const {
    return means_[r * axes.cols.size() + c];
  }
  /// Whether the known coefficient (u, v) is drawn at its pixel; signed frequencies in view.
  [[nodiscard]] bool stands_out_at(std::int64_t u, std::int64_t v) const {
    const std::uint64_t row = dft_index(u, lines_.m), column = dft_index(v, lines_.n);
    if (lines_.holds_on_diagonal(row, column)) return true;
    if (lines_.rows.holds(row))
      return row_stands_out_[place_of(lines_.rows, row) * axes.cols.size() + axes.cols.cells_of(v).first] !=
             0;
    if (lines_.columns.holds(column))
      return column_stands_out_[axes.rows.cells_of(u).first * lines_.columns.indices.size() +
                                place_of(lines_.columns, column)] != 0;
    return true;
  }

  SpectrumAxes axes;

 private:
  /// Decides which rows and columns stand out from row r of cells, and adds the others to `beside`, where the
  /// mean beside the lines stands for all coefficients on none of them.
  void judge_lines(const Reconstruction& lines, std::size_t r, std::vector<Powers>& beside) {
    const std::size_t cells = beside.size();
    std::vector<Powers> like_beside(cells), drawn(cells);
    const auto judge = [&](const Powers& line, std::size_t c) {
      const bool is_out = stands_out(line, beside[c]);
      (is_out ? drawn : like_beside)[c].add(line);
      return static_cast<char>(is_out ? 1 : 0);
    };
    std::vector<Powers> of_column(lines_.columns.indices.size());
    for (std::int64_t u = axes.rows[r].first; u < axes.rows[r].last; ++u) {
      const std::uint64_t row = dft_index(u, lines_.m);
      const bool is_line = lines_.rows.holds(row);
      std::vector<Powers> of_row(is_line ? cells : 0);
      lines.each_on_lines(u, [&](std::int64_t v, float power) {
        if (!axes.cols.in_view().contains(v) || (u == 0 && v == 0)) return;
        const std::uint64_t column = dft_index(v, lines_.n);
        if (lines_.holds_on_diagonal(row, column))
          drawn[axes.cols.cells_of(v).first].add(power);
        else if (is_line)
          of_row[axes.cols.cells_of(v).first].add(power);
        else
          of_column[place_of(lines_.columns, column)].add(power);
      });
      // Where cells are less than a coefficient high, several have this row: the first decides.
      const bool decides = axes.rows.cells_of(u).first == r;
      for (std::size_t c = 0; c < of_row.size(); ++c) {
        const char is_out = judge(of_row[c], c);
        if (decides) row_stands_out_[place_of(lines_.rows, row) * cells + c] = is_out;
      }
    }
    for (std::size_t k = 0; k < of_column.size(); ++k) {
      const std::int64_t v = signed_index(lines_.columns.indices[k], lines_.n);
      if (axes.cols.in_view().contains(v))
        column_stands_out_[r * of_column.size() + k] = judge(of_column[k], axes.cols.cells_of(v).first);
    }
    for (std::size_t c = 0; c < cells; ++c) {
      if (like_beside[c].count == 0) continue;
      const std::int64_t all = axes.rows[r].count() * axes.cols[c].count();
      const std::int64_t others = std::max<std::int64_t>(all - drawn[c].count - like_beside[c].count, 0);
      beside[c] = {
          .sum = beside[c].mean() * static_cast<double>(others), .count = others, .most = beside[c].most};
      beside[c].add(like_beside[c]);
    }
  }

  const ChosenLines& lines_;
  std::vector<Mean> means_;
  std::vector<char> row_stands_out_;     // [rows of lines_][columns of cells]
  std::vector<char> column_stands_out_;  // [rows of cells][columns of lines_]
};

}  // namespace

CellImage sample_image_with_lines(const Spectrum& spectrum, const Reconstruction& lines,
                                  const PictureArea& cells, const PictureArea& pixels, JobContext& context,
                                  const LineValues* rows) {
  const auto m = static_cast<std::int64_t>(spectrum.m), n = static_cast<std::int64_t>(spectrum.n);
  const auto rows_on_lines = static_cast<std::uint64_t>(lines.chosen_lines()->rows.indices.size());
  const std::uint64_t sampled = rows != nullptr ? rows->lines().rows.indices.size() : 0;
  const bool is_whole = sampled + rows_on_lines == spectrum.m;
  const double share = static_cast<double>(sampled) / static_cast<double>(spectrum.m);
  if (!is_whole && !shows_rows(cells.rect.height() / cells.height, share)) rows = nullptr;
  std::optional<CellsBesideLines> beside;
  const bool has_coarse_cells = cells.height != pixels.height || cells.width != pixels.width;
  if (!is_whole) beside.emplace(spectrum, lines, cells, rows, has_coarse_cells, context);

  const SpectrumAxes axes(pixels, spectrum.m, spectrum.n);
  CellImage image = blank_image(pixels);
  image.exactness = spectrum.exactness;
  image.sampled = image.has_lines = true;
  image.sampled_rows = is_whole ? spectrum.m : rows != nullptr ? sampled : 0;
  image.coefficients_per_cell = blank_image({cells.rect, 1, 1}).coefficients_per_cell /
                                (static_cast<double>(cells.height) * cells.width);
  /// Calls visit(v, power) for the coefficients of row u that are drawn at their pixels.
  const auto each_known = [&](std::int64_t u, const auto& visit) {
    lines.each_on_lines(u, [&](std::int64_t v, float power) {
      if (axes.cols.in_view().contains(v) && (!beside || beside->stands_out_at(u, v))) visit(v, power);
    });
    const auto row = static_cast<std::uint64_t>(dft_index(u, m));
    if (!is_whole || rows == nullptr || !rows->lines().rows.holds(row)) return;
    for (std::int64_t v = 0; v < n; ++v) {
      const float magnitude = rows->magnitude(LineDirection::rows, row, static_cast<std::uint64_t>(v));
      visit(signed_index(v, n), magnitude * magnitude);
    }
  };
  const auto cell_at = [](double at, double low, double high, std::uint32_t count) {
    const double cell = std::floor((at - low) / (high - low) * count);
    return static_cast<std::size_t>(std::clamp(cell, 0.0, static_cast<double>(count - 1)));
  };
  const CellSpan down{pixels.rect.top, pixels.rect.bottom, pixels.height};
  const CellSpan across{pixels.rect.left, pixels.rect.right, pixels.width};
  std::vector<std::size_t> cell_of_column(pixels.width);
  for (std::uint32_t c = 0; c < pixels.width; ++c)
    cell_of_column[c] = cell_at(across.middle(c), cells.rect.left, cells.rect.right, cells.width);
  write_rows_of_cells(image, axes.rows.ranges(), 1, context, [&] {
    return [&, blend = KnownBlend(axes), mean = std::vector<double>(pixels.width),
            most = std::vector<float>(pixels.width)](std::size_t r, float* out) mutable {
      const std::size_t from = cell_at(down.middle(static_cast<std::uint32_t>(r)), cells.rect.top,
                                       cells.rect.bottom, cells.height);
      for (std::size_t c = 0; c < pixels.width; ++c) {
        const CellsBesideLines::Mean cell =
            beside ? beside->at(from, cell_of_column[c]) : CellsBesideLines::Mean{};
        mean[c] = cell.mean;
        most[c] = cell.most;
      }
      blend.add(r, each_known, context, mean, most);
      for (std::size_t c = 0; c < pixels.width; ++c) {
        if (axes.cols[c].empty()) continue;
        out[2 * c] = static_cast<float>(mean[c]);
        out[2 * c + 1] = most[c];
        if (axes.rows[r].contains(0) && axes.cols[c].contains(0)) add_dc(image, axes, spectrum.dc(), r, c);
      }
    };
  });
  (void)clear_rounding(image, spectrum.rounding_floor, context);
  return image;
}

}  // namespace spyctrum
