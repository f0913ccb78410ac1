// SPDX-License-Identifier: Apache-2.0
// Pictures of a method's result: of its samples, and of the plane reconstructed from them.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "core/pictures/cell_axis.hpp"
#include "core/pictures/cell_reduction.hpp"
#include "core/pictures/known_blend.hpp"
#include "core/pictures/picture_plan.hpp"

namespace spyctrum {

namespace {

constexpr std::int64_t kSamplesPerAxis = 4;

/// How far beyond the outermost nodes of an axis the plane is drawn.
double reach(const SampleAxis& axis, const FrequencyAxis& grid, bool is_true, bool is_centred) {
  if (is_centred) return 0.5;
  const double span = axis.positions.back() - axis.positions.front();
  const double step = is_true && grid.is_progression() ? std::abs(static_cast<double>(grid.step())) : 0;
  const double gap = static_cast<double>(axis.size) - span;
  // A window represents only itself; a grid over the whole plane represents the whole plane.
  return step > 0 && gap > 2 * step ? step / 2 : static_cast<double>(axis.size);
}

/// For each cell the nodes in it, or the nearest node if there is none.
std::vector<IndexRange> node_ranges(const SampleAxis& axis, const CellSpan& span, double reach) {
  std::vector<IndexRange> ranges(span.cells);
  const auto from = [&](double edge) {
    return static_cast<std::int64_t>(std::lower_bound(axis.positions.begin(), axis.positions.end(), edge) -
                                     axis.positions.begin());
  };
  const double low = -std::floor(static_cast<double>(axis.size) / 2) - 0.5;
  const double high = low + static_cast<double>(axis.size);
  for (std::uint32_t k = 0; k < span.cells; ++k) {
    const double middle = span.middle(k);
    IndexRange range{from(span.edge(k)), from(span.edge(k + 1))};
    if (range.empty()) {
      const bool is_outside = middle < low || middle >= high || middle < axis.positions.front() - reach ||
                              middle >= axis.positions.back() + reach;
      if (is_outside) continue;
      const auto node = static_cast<std::int64_t>(axis.nearest(middle));
      range = {node, node + 1};
    }
    ranges[k] = range;
  }
  return ranges;
}

struct SampleAxes {
  SampleAxis rows;
  SampleAxis cols;
};

SampleAxes axes_of(const Spectrum& spectrum, ReducedPlacement placement) {
  const FrequencyGrid& grid = spectrum.grid;
  if (spectrum.placement == Placement::true_frequencies)
    return {true_axis(grid.rows, spectrum.hermitian_half), true_axis(grid.cols, false)};
  const Stretch stretch = placement == ReducedPlacement::stretched ? Stretch::ends : Stretch::none;
  return {reduced_axis(grid.rows, spectrum.hermitian_half, spectrum.m, stretch),
          reduced_axis(grid.cols, false, spectrum.n, stretch)};
}

/// Appends at most `most` indices of a range: the middles of equal parts.
void append_samples(IndexRange range, std::int64_t most, std::vector<std::int64_t>& samples) {
  const std::int64_t count = std::min(range.count(), most);
  for (std::int64_t k = 0; k < count; ++k)
    samples.push_back(range.first + (2 * k + 1) * range.count() / (2 * count));
}

CellSamples samples_of(const CellAxis& axis, std::int64_t most) {
  CellSamples samples;
  for (const IndexRange& range : axis.ranges()) {
    append_samples(range, most, samples.indices);
    samples.starts.push_back(samples.indices.size());
  }
  return samples;
}

/// Rows of cells of a reconstruction, without DC. One object per thread.
class ReconstructedCells {
 public:
  ReconstructedCells(const Reconstruction& reconstruction, const ReconstructionPlan& plan,
                     const Reconstruction::Columns& columns)
      : reconstruction_(reconstruction),
        plan_(plan),
        columns_(columns),
        powers_(columns.v.size()),
        sum_(plan.cols.size()),
        most_(plan.cols.size()),
        blend_(plan) {}

  /// Writes (mean, maximum) of the cells of row r that are not empty.
  void write_row(std::size_t r, JobContext& context, float* out) {
    std::fill(sum_.begin(), sum_.end(), 0.0);
    std::fill(most_.begin(), most_.end(), 0.0F);
    for (std::size_t k = plan_.down.starts[r]; k < plan_.down.starts[r + 1]; ++k) {
      context.check_stop();
      add_picks(plan_.down.indices[k]);
    }
    const auto picked_rows = static_cast<double>(plan_.down.starts[r + 1] - plan_.down.starts[r]);
    for (std::size_t c = 0; c < sum_.size(); ++c) {
      const auto picks = static_cast<double>(plan_.across.starts[c + 1] - plan_.across.starts[c]);
      const double count = picked_rows * picks - (picks_hold_dc(r, c) ? 1 : 0);
      if (count > 0) sum_[c] /= count;
    }
    if (!plan_.complete)
      blend_.add(
          r, [&](std::int64_t u, const auto& visit) { reconstruction_.each_known(u, visit); }, context, sum_,
          most_);
    for (std::size_t c = 0; c < sum_.size(); ++c) {
      if (plan_.cols[c].empty()) continue;
      out[2 * c] = static_cast<float>(sum_[c]);
      out[2 * c + 1] = most_[c];
    }
  }

 private:
  void add_picks(std::int64_t u) {
    reconstruction_.powers(u, columns_, plan_.complete, powers_);
    if (u == 0) {  // DC counts by its own area, afterwards
      for (std::size_t k = 0; k < powers_.size(); ++k)
        if (columns_.v[k] == 0) powers_[k] = 0;
    }
    for (std::size_t c = 0; c < sum_.size(); ++c) {
      double sum = 0;
      float most = most_[c];
      for (std::size_t k = plan_.across.starts[c]; k < plan_.across.starts[c + 1]; ++k) {
        sum += static_cast<double>(powers_[k]);
        most = std::max(most, powers_[k]);
      }
      sum_[c] += sum;
      most_[c] = most;
    }
  }

  [[nodiscard]] bool picks_hold_dc(std::size_t r, std::size_t c) const {
    const auto holds_zero = [](const CellSamples& picks, std::size_t cell) {
      const auto* first = picks.indices.data() + picks.starts[cell];
      const auto* last = picks.indices.data() + picks.starts[cell + 1];
      return std::find(first, last, 0) != last;
    };
    return plan_.rows[r].contains(0) && holds_zero(plan_.down, r) && holds_zero(plan_.across, c);
  }

  const Reconstruction& reconstruction_;
  const ReconstructionPlan& plan_;
  const Reconstruction::Columns& columns_;
  std::vector<float> powers_;
  std::vector<double> sum_;
  std::vector<float> most_;
  KnownBlend blend_;
};

/// Scattered samples: mean and maximum of the samples in a cell; those of the nearest site for a cell without
/// one.
CellImage scattered_image(const Spectrum& spectrum, const PictureArea& area, JobContext& context) {
  const std::size_t width = area.width;
  CellImage image = blank_image(area);
  image.exactness = spectrum.exactness;
  image.sampled = true;
  const ScatteredPoints& points = spectrum.points;
  const SpectrumAxes axes(area, spectrum.m, spectrum.n);
  const CellAxis& rows = axes.rows;
  const CellAxis& cols = axes.cols;
  write_rows_of_cells(image, rows.ranges(), kRowGrain, context, [&] {
    return [&](std::size_t r, float* out) {
      context.check_stop();
      std::vector<double> sum(width);
      std::vector<std::uint32_t> count(width);
      for (std::uint32_t c = 0; c < width; ++c)
        if (!cols[c].empty()) out[2 * c + 1] = 0;
      const std::size_t first = points.row(rows[r].first).first;
      const std::size_t last = points.row(rows[r].last - 1).second;
      for (std::size_t k = first; k < last; ++k) {
        if (!cols.in_view().contains(points.v[k])) continue;
        const float power = std::norm(spectrum.values[k]);
        const auto [from, to] = cols.cells_of(points.v[k]);
        for (std::uint32_t c = from; c < to; ++c) {
          sum[c] += static_cast<double>(power);
          ++count[c];
          out[2 * c + 1] = std::max(out[2 * c + 1], power);
        }
      }
      const std::int64_t u = (rows[r].first + rows[r].last - 1) / 2;
      for (std::size_t c = 0; c < width; ++c) {
        if (cols[c].empty()) continue;
        if (count[c] > 0) {
          out[2 * c] = static_cast<float>(sum[c] / count[c]);
          continue;
        }
        const std::int64_t v = (cols[c].first + cols[c].last - 1) / 2;
        const float power = std::norm(spectrum.values[points.raster->point_near(u, v, points.u, points.v)]);
        out[2 * c] = out[2 * c + 1] = power;
      }
    };
  });
  return image;
}

}  // namespace

SamplePlan plan_sample_picture(const Spectrum& spectrum, ReducedPlacement placement,
                               const PictureArea& area) {
  SampleAxes nodes = axes_of(spectrum, placement);
  const bool is_true = spectrum.placement == Placement::true_frequencies;
  const bool is_centred = !is_true && placement == ReducedPlacement::centre;
  SamplePlan plan;
  plan.sampled =
      !is_true || nodes.rows.positions.size() < spectrum.m || nodes.cols.positions.size() < spectrum.n;
  plan.row_ranges = node_ranges(nodes.rows, {area.rect.top, area.rect.bottom, area.height},
                                reach(nodes.rows, spectrum.grid.rows, is_true, is_centred));
  plan.col_ranges = node_ranges(nodes.cols, {area.rect.left, area.rect.right, area.width},
                                reach(nodes.cols, spectrum.grid.cols, is_true, is_centred));
  if (is_true && plan.sampled) {
    const auto node_of_zero = [](const SampleAxis& axis) -> std::optional<std::int64_t> {
      const auto at = std::lower_bound(axis.positions.begin(), axis.positions.end(), 0.0);
      if (at == axis.positions.end() || *at != 0) return std::nullopt;
      return at - axis.positions.begin();
    };
    plan.zero_row = node_of_zero(nodes.rows);
    plan.zero_col = node_of_zero(nodes.cols);
  }
  plan.mirrored = nodes.cols.storage;
  for (std::size_t q = 0; spectrum.hermitian_half && q < plan.mirrored.size(); ++q)
    plan.mirrored[q] = mirrored_storage(nodes.cols, spectrum.grid.cols, q);
  plan.stored_rows = nodes.rows.stored;
  plan.row_storage = std::move(nodes.rows.storage);
  plan.upright = std::move(nodes.cols.storage);
  plan.stride = spectrum.grid.cols.count();
  return plan;
}

bool shows_rows(double height, double share) { return height <= 1 || height * share >= 5 * (1 - 1e-9); }

PictureArea sample_area(const Spectrum& spectrum, ReducedPlacement placement, const PictureArea& area,
                        std::uint32_t samples_per_cell, std::uint32_t least_cells,
                        std::uint64_t sampled_rows) {
  const PlaneRect& rect = area.rect;
  const double row_size = rect.height() / area.height;
  const double col_size = rect.width() / area.width;
  if (samples_per_cell <= 1 || spectrum.values.empty() || (row_size <= 1 && col_size <= 1)) return area;
  double per_pixel = row_size * col_size;
  double row_distance = 1, col_distance = 1;  // distance of samples in pixels
  if (spectrum.placement == Placement::scattered) {
    per_pixel *= static_cast<double>(spectrum.points.count()) / static_cast<double>(spectrum.m) /
                 static_cast<double>(spectrum.n);
  } else {
    const SampleAxes nodes = axes_of(spectrum, placement);
    const auto distance = [](const SampleAxis& axis, std::uint64_t size) {
      const double span = axis.positions.back() - axis.positions.front();
      return span > 0 ? span / static_cast<double>(axis.positions.size() - 1) : static_cast<double>(size);
    };
    row_distance = distance(nodes.rows, spectrum.m) / row_size;
    col_distance = distance(nodes.cols, spectrum.n) / col_size;
    per_pixel = 1 / (row_distance * col_distance);
  }
  double side = std::ceil(std::sqrt(samples_per_cell / per_pixel));
  const double share = static_cast<double>(sampled_rows) / static_cast<double>(spectrum.m);
  const double with_rows =
      std::min(per_pixel + share * row_size * col_size, std::max(1.0, row_size * col_size));
  if (sampled_rows > 0) {
    const double side_with_rows =
        std::max(std::ceil(std::sqrt(samples_per_cell / with_rows)), std::ceil(5 / (share * row_size)));
    // Cells up to twice as wide are taken for the rows if these add more samples than the larger area does.
    const double wider = side_with_rows / side;
    if (wider <= 1 || (wider <= 2 && wider * wider < with_rows / per_pixel)) side = side_with_rows;
  }
  // The part of the plane in view, in pixels.
  const PlaneRect full = full_spectrum_rect(spectrum.m, spectrum.n);
  const double pixels = (std::min(rect.bottom, full.bottom) - std::max(rect.top, full.top)) / row_size *
                        (std::min(rect.right, full.right) - std::max(rect.left, full.left)) / col_size;
  // each side has an odd number of cells, which may be nearly two fewer than fit
  if (const double most = std::sqrt(std::max(pixels, 0.0)) / (std::sqrt(least_cells) + 2); least_cells > 0)
    side = std::min(side, most);
  // In a slender plane as many square cells are lower than the distance of the samples.
  if (side <= 1 || 2 * side < std::max(row_distance, col_distance)) return area;
  // An odd number of cells divides the plane, so that none extends beyond it and one is centred on frequency
  // 0.
  PictureArea cells;
  if (shows_rows(side * row_size, share)) per_pixel = with_rows;
  cells.samples_per_cell = std::max(1.0, side * side * per_pixel);
  const auto cover = [side](std::uint64_t plane, double low, double high, double size, double& first,
                            double& last) {
    const auto whole = static_cast<double>(plane);
    const double most = std::max(1.0, std::floor(whole / (side * size)));
    const double step = whole / (std::fmod(most, 2) == 0 ? most - 1 : most);
    const double origin = -std::floor(whole / 2) - 0.5;
    const double cell = std::floor((low - origin) / step);
    const double count = std::max(1.0, std::ceil((high - origin) / step) - cell);
    first = origin + cell * step;
    last = origin + (cell + count) * step;
    return static_cast<std::uint32_t>(count);
  };
  cells.height = cover(spectrum.m, rect.top, rect.bottom, row_size, cells.rect.top, cells.rect.bottom);
  cells.width = cover(spectrum.n, rect.left, rect.right, col_size, cells.rect.left, cells.rect.right);
  return cells;
}

std::vector<std::uint32_t> weigh_axes(CellImage& image, const SamplePlan& plan, const Spectrum& spectrum) {
  std::vector<std::uint32_t> written;
  if (!plan.zero_row && !plan.zero_col) return written;
  const SpectrumAxes axes({image.rect, image.height, image.width}, spectrum.m, spectrum.n);
  const CellAxis& rows = axes.rows;
  const CellAxis& cols = axes.cols;
  const auto power = [&](std::int64_t p, std::int64_t q) {
    return static_cast<double>(
        std::norm(plan.row(spectrum, static_cast<std::size_t>(p)).at(static_cast<std::size_t>(q))));
  };
  visit_cells_on_axes(rows, cols, [&](std::size_t r, std::size_t c, bool on_zero_row, bool on_zero_col) {
    const IndexRange& down = plan.row_ranges[r];
    const IndexRange& across = plan.col_ranges[c];
    const bool on_row = plan.zero_row && on_zero_row && down.contains(*plan.zero_row);
    const bool on_col = plan.zero_col && on_zero_col && across.contains(*plan.zero_col);
    if ((!on_row && !on_col) || down.empty() || across.empty()) return;
    // Sums by class: beside the axes, on u = 0, on v = 0, DC.
    std::array<double, 4> sums{};
    std::array<std::int64_t, 4> counts{};
    for (std::int64_t p = down.first; p < down.last; ++p) {
      for (std::int64_t q = across.first; q < across.last; ++q) {
        const std::size_t kind =
            (on_row && p == *plan.zero_row ? 1U : 0U) + (on_col && q == *plan.zero_col ? 2U : 0U);
        sums[kind] += power(p, q);
        ++counts[kind];
      }
    }
    const double height = static_cast<double>(rows[r].count()) - (on_row ? 1 : 0);
    const double width = static_cast<double>(cols[c].count()) - (on_col ? 1 : 0);
    const std::array<double, 4> areas{height * width, on_row ? width : 0, on_col ? height : 0,
                                      on_row && on_col ? 1.0 : 0.0};
    double sum = 0;
    double area = 0;
    for (std::size_t kind = 0; kind < 4; ++kind) {
      if (counts[kind] == 0) continue;
      sum += areas[kind] * sums[kind] / static_cast<double>(counts[kind]);
      area += areas[kind];
    }
    if (!(area > 0)) return;
    const std::size_t cell = r * cols.size() + c;
    image.cells[2 * cell] = static_cast<float>(sum / area);
    written.push_back(static_cast<std::uint32_t>(cell));
  });
  return written;
}

std::vector<std::uint32_t> clear_rounding(CellImage& image, double floor, JobContext& context) {
  const auto least = static_cast<float>(floor);
  std::vector<std::vector<std::uint32_t>> cleared_in(image.height);
  const auto clear_rows = [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t cell = begin * image.width; cell < end * image.width; ++cell) {
      float* values = &image.cells[2 * cell];
      if (!(values[1] < least) || values[1] == 0) continue;
      values[0] = values[1] = 0;
      cleared_in[cell / image.width].push_back(static_cast<std::uint32_t>(cell));
    }
  };
  context.pool().parallel_for(image.height, kRowGrain, clear_rows);
  std::vector<std::uint32_t> cleared;
  for (const std::vector<std::uint32_t>& row : cleared_in)
    cleared.insert(cleared.end(), row.begin(), row.end());
  image.has_zeros = !cleared.empty();
  return cleared;
}

CellImage sample_image(const Spectrum& spectrum, ReducedPlacement placement, const PictureArea& area,
                       JobContext& context) {
  CellImage image = blank_image(area);
  image.exactness = spectrum.exactness;
  if (spectrum.values.empty()) return image;
  if (spectrum.placement == Placement::scattered) return scattered_image(spectrum, area, context);
  const SamplePlan plan = plan_sample_picture(spectrum, placement, area);
  image.sampled = plan.sampled;
  auto first = static_cast<std::int64_t>(plan.upright.size());
  std::int64_t last = 0;
  for (const IndexRange& range : plan.col_ranges) {
    if (range.empty()) continue;
    first = std::min(first, range.first);
    last = std::max(last, range.last);
  }
  reduce_to_cells(image, plan.row_ranges, plan.col_ranges, plan.upright.size(), context,
                  [&](std::size_t p, std::vector<float>& powers) {
                    const SamplePlan::StoredRow row = plan.row(spectrum, p);
                    for (auto q = static_cast<std::size_t>(first); q < static_cast<std::size_t>(last); ++q)
                      powers[q] = std::norm(row.at(q));
                  });
  (void)weigh_axes(image, plan, spectrum);
  (void)clear_rounding(image, spectrum.rounding_floor, context);
  return image;
}

ReconstructionPlan plan_reconstruction_picture(const Reconstruction& reconstruction, const PictureArea& area,
                                               std::uint64_t budget) {
  ReconstructionPlan plan;
  static_cast<SpectrumAxes&>(plan) = SpectrumAxes(area, reconstruction.m(), reconstruction.n());
  const auto longest = [](const CellAxis& axis) {
    std::int64_t most = 0;
    for (const IndexRange& range : axis.ranges()) most = std::max(most, range.count());
    return most;
  };
  const std::int64_t widest = std::max(longest(plan.rows), longest(plan.cols));
  plan.complete = plan.count() <= static_cast<double>(budget) || widest <= kSamplesPerAxis;
  const std::int64_t most = plan.complete ? widest : kSamplesPerAxis;
  plan.down = samples_of(plan.rows, most);
  plan.across = samples_of(plan.cols, most);
  return plan;
}

CellImage blank_reconstruction_image(const Reconstruction& reconstruction, const ReconstructionPlan& plan,
                                     const PictureArea& area) {
  CellImage image = blank_image(area);
  image.exactness = reconstruction.is_exact() ? Exactness::exact : Exactness::estimate;
  image.sampled = !plan.complete;
  return image;
}

void add_dc(CellImage& image, const SpectrumAxes& axes, double dc, std::size_t r, std::size_t c) {
  const double dc_power = dc * dc;
  const double area = static_cast<double>(axes.rows[r].count()) * static_cast<double>(axes.cols[c].count());
  float* cell = &image.cells[2 * (r * image.width + c)];
  cell[0] = static_cast<float>((static_cast<double>(cell[0]) * (area - 1) + dc_power) / area);
  cell[1] = std::max(cell[1], static_cast<float>(dc_power));
}

CellImage reconstruction_image(const Reconstruction& reconstruction, const PictureArea& area,
                               std::uint64_t budget, JobContext& context) {
  const ReconstructionPlan plan = plan_reconstruction_picture(reconstruction, area, budget);
  CellImage image = blank_reconstruction_image(reconstruction, plan, area);
  if (plan.across.indices.empty()) return image;
  const Reconstruction::Columns columns = reconstruction.columns(plan.across.indices);
  // one row at a time: few rows of cells may contain all rows of a large plane
  write_rows_of_cells(image, plan.rows.ranges(), 1, context, [&] {
    return [&, cells = ReconstructedCells(reconstruction, plan, columns)](std::size_t r, float* out) mutable {
      cells.write_row(r, context, out);
      for (std::size_t c = 0; plan.rows[r].contains(0) && c < area.width; ++c)
        if (plan.cols[c].contains(0)) add_dc(image, plan, reconstruction.dc_magnitude(), r, c);
    };
  });
  (void)clear_rounding(image, reconstruction.rounding_floor(), context);
  return image;
}

}  // namespace spyctrum
