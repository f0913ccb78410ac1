// SPDX-License-Identifier: Apache-2.0
// Points are sorted by row, so that a row is a contiguous range. A counting sort puts points into cells; the
// nearest site is found down the columns, then along the rows as the lower envelope of parabolas
// (Felzenszwalb & Huttenlocher 2012).
#include "core/frequency/scattered_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace spyctrum {

namespace {

constexpr std::uint32_t kMostCells = 2048;  // along an axis
constexpr double kCellsForAPoint = 64;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

struct RasterSize {
  std::uint32_t rows = 1;
  std::uint32_t cols = 1;
  [[nodiscard]] std::uint64_t cells() const { return std::uint64_t{rows} * cols; }
};

RasterSize raster_size(std::uint64_t m, std::uint64_t n, std::uint64_t points) {
  const auto needed =
      static_cast<std::uint64_t>(std::ceil(std::sqrt(kCellsForAPoint * static_cast<double>(points))));
  const auto along = [&](std::uint64_t size) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>({size, needed, kMostCells}));
  };
  return {along(m), along(n)};
}

std::uint32_t cell_along(std::int64_t s, std::uint64_t size, std::uint32_t cells) {
  const auto shifted = static_cast<std::uint64_t>(s + static_cast<std::int64_t>(size / 2));
  return static_cast<std::uint32_t>(shifted * cells / size);
}

double squared(double x) { return x * x; }

/// Sorts the points by cell and lists the cells that hold any: the sites.
void sort_points(SiteRaster& raster, std::span<const std::int32_t> u, std::span<const std::int32_t> v,
                 JobContext& context) {
  const std::size_t cells = raster.site_of_cell.size();
  BookedVector<std::uint32_t> starts(context, cells + 1, "points by cell");
  const auto is_left_out = [&](std::size_t k) { return u[k] == 0 && v[k] == 0 && u.size() > 1; };
  for (std::size_t k = 0; k < u.size(); ++k)
    if (!is_left_out(k)) ++starts.data[raster.cell_at(u[k], v[k]) + 1];
  context.check_stop();
  std::size_t sites = 0;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    if (starts.data[cell + 1] > 0) ++sites;
    starts.data[cell + 1] += starts.data[cell];
  }
  raster.cell_of_site.reserve(sites);
  raster.first_of_site.reserve(sites + 1);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    raster.site_of_cell[cell] = kNone;
    if (starts.data[cell] == starts.data[cell + 1]) continue;
    raster.site_of_cell[cell] = static_cast<std::uint32_t>(raster.cell_of_site.size());
    raster.cell_of_site.push_back(static_cast<std::uint32_t>(cell));
    raster.first_of_site.push_back(starts.data[cell]);
  }
  raster.first_of_site.push_back(starts.data[cells]);
  context.check_stop();
  raster.order.resize(starts.data[cells]);
  for (std::size_t k = 0; k < u.size(); ++k)
    if (!is_left_out(k))
      raster.order[starts.data[raster.cell_at(u[k], v[k])]++] = static_cast<std::uint32_t>(k);
  context.check_stop();
}

/// Labels every cell with the nearest site of its own column; kNone in columns without a site.
void spread_down(SiteRaster& raster, JobContext& context) {
  constexpr std::size_t kGrain = 64;  // columns
  const std::size_t cols = raster.cols;
  context.pool().parallel_for(cols, kGrain, [&](std::size_t begin, std::size_t end, unsigned) {
    std::vector<std::uint32_t> above(end - begin, kNone);
    for (std::uint32_t r = 0; r < raster.rows; ++r) {
      for (std::size_t c = begin; c < end; ++c) {
        std::uint32_t& site = raster.site_of_cell[r * cols + c];
        if (site != kNone)
          above[c - begin] = site;
        else
          site = above[c - begin];
      }
    }
    std::vector<std::uint32_t> below(end - begin, kNone);
    for (std::uint32_t r = raster.rows; r-- > 0;) {
      for (std::size_t c = begin; c < end; ++c) {
        std::uint32_t& site = raster.site_of_cell[r * cols + c];
        const auto row_of = [&](std::uint32_t s) { return raster.cell_of_site[s] / raster.cols; };
        if (site != kNone && row_of(site) == r) below[c - begin] = site;
        const std::uint32_t other = below[c - begin];
        if (other == kNone) continue;
        if (site == kNone || row_of(other) - r < r - row_of(site)) site = other;
      }
    }
    context.check_stop();
  });
}

/// Along a row the squared distance to the site of column c is a parabola in the column; the lower envelope
/// of these parabolas tells the nearest site of each cell.
class RowEnvelope {
 public:
  explicit RowEnvelope(const SiteRaster& raster)
      : raster_(raster), sites_(raster.cols), columns_(raster.cols), from_(raster.cols + 1) {}

  void nearest(std::uint32_t row, std::uint32_t* labels) {
    const double down = 1.0 / raster_.rows;
    const double along = 1.0 / raster_.cols;
    std::copy_n(labels, raster_.cols, sites_.begin());
    std::size_t count = 0;
    const auto height = [&](std::uint32_t c) {
      const std::uint32_t row_of_site = raster_.cell_of_site[sites_[c]] / raster_.cols;
      const double gap = static_cast<double>(row_of_site) - row;
      return squared(gap * down / along);  // in columns
    };
    for (std::uint32_t c = 0; c < raster_.cols; ++c) {
      if (sites_[c] == kNone) continue;
      double start = -1;
      while (count > 0) {
        const std::uint32_t last = columns_[count - 1];
        const double gap = static_cast<double>(c) - last;
        start = (height(c) - height(last) + squared(c) - squared(last)) / (2 * gap);
        if (start > from_[count - 1]) break;
        --count;
        start = -1;
      }
      columns_[count] = c;
      from_[count++] = start;
    }
    std::size_t k = 0;
    for (std::uint32_t c = 0; c < raster_.cols; ++c) {
      while (k + 1 < count && from_[k + 1] < c) ++k;
      labels[c] = sites_[columns_[k]];
    }
  }

 private:
  const SiteRaster& raster_;
  std::vector<std::uint32_t> sites_;
  std::vector<std::uint32_t> columns_;
  std::vector<double> from_;
};

std::vector<float> site_magnitudes(const SiteRaster& raster, std::span<const std::complex<float>> values) {
  std::vector<float> magnitudes(raster.sites());
  for (std::size_t s = 0; s < magnitudes.size(); ++s) {
    double sum = 0;
    for (std::uint32_t k = raster.first_of_site[s]; k < raster.first_of_site[s + 1]; ++k)
      sum += std::abs(std::complex<double>(values[raster.order[k]]));
    magnitudes[s] = static_cast<float>(sum / (raster.first_of_site[s + 1] - raster.first_of_site[s]));
  }
  return magnitudes;
}

/// Sums of values over the discs that contain each cell of the rows begin … end − 1. A row of a disc is
/// entered as differences at its ends.
class DiscSums {
 public:
  DiscSums(std::size_t begin, std::size_t end, std::size_t cols)
      : begin_(static_cast<std::int64_t>(begin)),
        end_(static_cast<std::int64_t>(end)),
        stride_(cols + 1),
        sums_((end - begin) * stride_),
        counts_(sums_.size()) {}
  [[nodiscard]] std::int64_t begin() const { return begin_; }
  [[nodiscard]] std::int64_t end() const { return end_; }
  /// Adds `value` to the cells first … last − 1 of a row.
  void add(std::int64_t row, std::size_t first, std::size_t last, double value) {
    const std::size_t at = static_cast<std::size_t>(row - begin_) * stride_;
    sums_[at + first] += value;
    sums_[at + last] -= value;
    counts_[at + first] += 1;
    counts_[at + last] -= 1;
  }
  /// Writes the mean of each cell, row-major.
  void means(float* to) const {
    for (std::size_t row = 0; row < sums_.size(); row += stride_) {
      double sum = 0;
      double count = 0;
      for (std::size_t c = 0; c + 1 < stride_; ++c) {
        sum += sums_[row + c];
        count += counts_[row + c];
        *to++ = static_cast<float>(std::max(0.0, sum / count));
      }
    }
  }

 private:
  std::int64_t begin_;
  std::int64_t end_;
  std::size_t stride_;
  std::vector<double> sums_;
  std::vector<double> counts_;
};

/// The disc of a cell: all cells that are nearer to it than its site, and the cell itself.
class Discs {
 public:
  explicit Discs(const SiteRaster& raster)
      : raster_(raster), height_over_width_(static_cast<double>(raster.cols) / raster.rows) {}

  /// The largest number of rows by which a disc of the row extends above or below it.
  [[nodiscard]] std::int64_t reach(std::uint32_t row) const {
    double most = 0;
    for (std::uint32_t c = 0; c < raster_.cols; ++c) most = std::max(most, square_of_radius(row, c));
    return rows_of(most);
  }
  /// Adds `value` to the cells of the disc of cell (row, column).
  void add(std::uint32_t row, std::uint32_t column, double value, DiscSums& sums) const {
    const double square = square_of_radius(row, column);
    const std::int64_t reach = rows_of(square);
    const std::int64_t top = std::max(sums.begin(), row - reach);
    const std::int64_t bottom = std::min(sums.end() - 1, row + reach);
    for (std::int64_t y = top; y <= bottom; ++y) {
      const double left_over = square - squared(static_cast<double>(y - row) * height_over_width_);
      // The largest integer strictly below the half-width, so that the disc of a site is its own cell.
      const auto half = static_cast<std::int64_t>(std::ceil(std::sqrt(std::max(0.0, left_over)) - 1e-9)) - 1;
      if (half < 0 && y != row) continue;
      const auto wide = std::max<std::int64_t>(0, half);
      const auto first = static_cast<std::size_t>(std::max<std::int64_t>(0, column - wide));
      const auto last = std::min<std::size_t>(raster_.cols, static_cast<std::size_t>(column + wide + 1));
      sums.add(y, first, last, value);
    }
  }

 private:
  /// In widths of a cell.
  [[nodiscard]] double square_of_radius(std::uint32_t row, std::uint32_t column) const {
    const std::uint32_t at =
        raster_.cell_of_site[raster_.site_of_cell[std::size_t{row} * raster_.cols + column]];
    const std::uint32_t row_of_site = at / raster_.cols;
    return squared((static_cast<double>(row_of_site) - row) * height_over_width_) +
           squared(static_cast<double>(at % raster_.cols) - column);
  }
  [[nodiscard]] std::int64_t rows_of(double square) const {
    return static_cast<std::int64_t>(std::sqrt(square) / height_over_width_);
  }

  const SiteRaster& raster_;
  double height_over_width_;
};

}  // namespace

std::size_t SiteRaster::cell_at(std::int64_t u, std::int64_t v) const {
  return std::size_t{cell_along(u, m, rows)} * cols + cell_along(v, n, cols);
}

std::size_t SiteRaster::point_near(std::int64_t u, std::int64_t v, std::span<const std::int32_t> us,
                                   std::span<const std::int32_t> vs) const {
  const std::uint32_t site = site_of_cell[cell_at(u, v)];
  std::size_t best = order[first_of_site[site]];
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t k = first_of_site[site]; k < first_of_site[site + 1]; ++k) {
    const std::size_t point = order[k];
    const double distance = squared(static_cast<double>(us[point] - u) / static_cast<double>(m)) +
                            squared(static_cast<double>(vs[point] - v) / static_cast<double>(n));
    if (distance >= least) continue;
    least = distance;
    best = point;
  }
  return best;
}

SiteRaster make_site_raster(std::uint64_t m, std::uint64_t n, std::span<const std::int32_t> u,
                            std::span<const std::int32_t> v, JobContext& context) {
  const RasterSize size = raster_size(m, n, u.size());
  const Booking result(context.memory(), site_raster_bytes(m, n, u.size()) - 4 * (size.cells() + 1),
                       "raster");
  SiteRaster raster;
  raster.m = m;
  raster.n = n;
  raster.points = u.size();
  raster.rows = size.rows;
  raster.cols = size.cols;
  raster.site_of_cell.resize(size.cells());
  sort_points(raster, u, v, context);
  spread_down(raster, context);
  constexpr std::size_t kGrain = 32;  // rows
  context.pool().parallel_for(raster.rows, kGrain, [&](std::size_t begin, std::size_t end, unsigned) {
    RowEnvelope envelope(raster);
    for (std::size_t r = begin; r < end; ++r)
      envelope.nearest(static_cast<std::uint32_t>(r), &raster.site_of_cell[r * raster.cols]);
    context.check_stop();
  });
  return raster;
}

std::uint64_t site_raster_bytes(std::uint64_t m, std::uint64_t n, std::uint64_t points) {
  const std::uint64_t cells = raster_size(m, n, points).cells();
  const std::uint64_t sites = std::min(cells, points);
  // Labels, sites, order of the points, counts of the sort.
  return 4 * cells + 8 * sites + 4 * points + 4 * (cells + 1);
}

std::vector<float> nearest_field(const SiteRaster& raster, std::span<const std::complex<float>> values) {
  const std::vector<float> magnitudes = site_magnitudes(raster, values);
  std::vector<float> field(raster.site_of_cell.size());
  std::transform(raster.site_of_cell.begin(), raster.site_of_cell.end(), field.begin(),
                 [&](std::uint32_t site) { return magnitudes[site]; });
  return field;
}

std::vector<float> natural_field(const SiteRaster& raster, std::span<const std::complex<float>> values,
                                 JobContext& context) {
  const std::vector<float> magnitudes = site_magnitudes(raster, values);
  const Discs discs(raster);
  constexpr std::size_t kBand = 32;  // rows
  std::vector<std::int64_t> reach(raster.rows);
  context.pool().parallel_for(raster.rows, kBand, [&](std::size_t begin, std::size_t end, unsigned) {
    context.check_stop();
    for (std::size_t r = begin; r < end; ++r) reach[r] = discs.reach(static_cast<std::uint32_t>(r));
  });
  std::vector<float> field(raster.site_of_cell.size());
  context.pool().parallel_for(raster.rows, kBand, [&](std::size_t begin, std::size_t end, unsigned) {
    DiscSums sums(begin, end, raster.cols);
    for (std::uint32_t r = 0; r < raster.rows; ++r) {
      if (r + reach[r] < sums.begin() || r - reach[r] >= sums.end()) continue;
      context.check_stop();
      for (std::uint32_t c = 0; c < raster.cols; ++c)
        discs.add(r, c, magnitudes[raster.site_of_cell[std::size_t{r} * raster.cols + c]], sums);
    }
    sums.means(&field[begin * raster.cols]);
  });
  return field;
}

std::pair<std::size_t, std::size_t> ScatteredPoints::row(std::int64_t signed_u) const {
  const auto range = std::equal_range(u.begin(), u.end(), static_cast<std::int32_t>(signed_u));
  return {static_cast<std::size_t>(range.first - u.begin()),
          static_cast<std::size_t>(range.second - u.begin())};
}

}  // namespace spyctrum
