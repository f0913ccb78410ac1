// SPDX-License-Identifier: Apache-2.0
// Rows of cells are joined to bands from the middle of the plane outwards; a band is divided into blocks
// along the columns: of a symmetric half at the edges of the bands, since its columns are streamed like its
// rows.
#include "core/pictures/partial_pyramid.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/features/row_sample.hpp"
#include "core/pictures/cell_axis.hpp"
#include "core/pictures/symmetric_half_cells.hpp"

namespace spyctrum {

namespace {

constexpr std::uint64_t kFewestRows = 8;    // streamed rows of a band
constexpr std::uint64_t kFewestPlaces = 2;  // of a band: runs of neighbouring streamed rows
constexpr double kFewestCoefficients = 64;  // streamed coefficients of a block: ±12 % for noise

/// What is known of a row of cells.
struct CellRowCounts {
  std::uint64_t rows = 0;      ///< of the plane
  std::uint64_t streamed = 0;  ///< of these, with certain ones
  std::uint64_t places = 0;    ///< runs of streamed rows, without certain ones, that begin here
  double weight = 1;           ///< mean of 1/π over the streamed rows that are not certain
};

class Estimate {
 public:
  Estimate(StreamedSums& sums, ThreadPool& pool)
      : sums_(sums),
        pyramid_(sums.sampled),
        pool_(pool),
        cells_(std::size_t{pyramid_.rows} * pyramid_.cols),
        count_(cells_),
        weights_(cells_),
        certain_(cells_),
        widths_(cell_sizes(pyramid_.n, pyramid_.cols)) {}

  void run() {
    find_weights();
    pool_.parallel_for(pyramid_.rows, 16, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t r = begin; r < end; ++r) weigh(static_cast<std::uint32_t>(r));
    });
    if (sums_.symmetric_half) {
      for (ZeroedVector<float>* sum : {&pyramid_.mean_power, &count_, &weights_, &certain_})
        join_transpose(*sum, pyramid_.rows, pool_,
                       [](float a, float b, std::size_t, std::size_t) { return a + b; });
      join_transpose(pyramid_.max_power, pyramid_.rows, pool_, larger_of);
    }
    const std::vector<Band> bands = find_bands();
    const std::vector<std::uint32_t> edges = column_edges(bands);
    pool_.parallel_for(bands.size(), 1, [&](std::size_t k, std::size_t, unsigned) { fill(bands[k], edges); });
    pyramid_.streamed_share = std::move(count_);
  }

 private:
  struct Band {
    std::uint32_t first = 0, last = 0;  ///< rows of cells first … last−1
  };
  [[nodiscard]] std::uint64_t begin_of_row(std::uint64_t r) const {
    return pyramid_cell_begin(r, pyramid_.m, pyramid_.rows);
  }
  [[nodiscard]] std::uint32_t stratum_at(std::uint64_t position) const {
    const std::uint64_t centre = pyramid_.m / 2;
    return sums_.stratum_of_row[position < centre ? centre - position : position - centre];
  }

  void find_weights() {
    std::uint32_t strata = 0;
    for (const std::uint32_t stratum : sums_.stratum_of_row)
      if (stratum != RowSample::kCertain) strata = std::max(strata, stratum + 1);
    std::vector<double> all(strata);
    std::vector<double> streamed(strata);
    for (std::uint64_t p = 0; p < pyramid_.m; ++p) {
      const std::uint32_t stratum = stratum_at(p);
      if (stratum == RowSample::kCertain) continue;
      all[stratum] += 1;
      streamed[stratum] += sums_.streamed[p];
    }
    rows_.resize(pyramid_.rows);
    for (std::uint32_t r = 0; r < pyramid_.rows; ++r) {
      CellRowCounts& row = rows_[r];
      double weight = 0;
      double sampled = 0;
      for (std::uint64_t p = begin_of_row(r); p < begin_of_row(r + 1U); ++p) {
        ++row.rows;
        if (sums_.streamed[p] == 0) continue;
        ++row.streamed;
        const std::uint32_t stratum = stratum_at(p);
        if (stratum == RowSample::kCertain) continue;
        if (p == 0 || sums_.streamed[p - 1] == 0 || stratum_at(p - 1) == RowSample::kCertain) ++row.places;
        sampled += 1;
        weight += all[stratum] / streamed[stratum];
      }
      if (sampled > 0) row.weight = weight / sampled;
    }
  }

  /// Turns the sums of a row of cells into weighted ones, and counts its streamed coefficients.
  void weigh(std::uint32_t r) {
    const std::size_t first = std::size_t{r} * pyramid_.cols;
    const double weight = rows_[r].weight;
    std::vector<float> sampled(pyramid_.cols);
    count_rows(r, false, sampled.data());
    count_rows(r, true, &certain_[first]);
    const std::vector<float>& sums = sums_.certain[r];
    for (std::size_t c = 0; c < pyramid_.cols; ++c) {
      float& power = pyramid_.mean_power[first + c];
      power = static_cast<float>(weight * static_cast<double>(power)) + (sums.empty() ? 0.0F : sums[c]);
      count_[first + c] = sampled[c] + certain_[first + c];
      weights_[first + c] =
          static_cast<float>(weight * static_cast<double>(sampled[c])) + certain_[first + c];
    }
  }

  /// The numbers of streamed coefficients in the cells of a row, of certain rows or of the others.
  void count_rows(std::uint32_t r, bool certain, float* counts) const {
    SymmetricHalfCounts of_symmetric_half(pyramid_.n, sums_.symmetric_half ? pyramid_.cols : 0);
    const std::uint64_t centre = pyramid_.m / 2;
    double rows = 0;
    for (std::uint64_t p = begin_of_row(r); p < begin_of_row(r + 1U); ++p) {
      if (sums_.streamed[p] == 0 || (stratum_at(p) == RowSample::kCertain) != certain) continue;
      rows += 1;
      if (sums_.symmetric_half) of_symmetric_half.add(p < centre ? centre - p : p - centre);
    }
    if (sums_.symmetric_half) {
      of_symmetric_half.write_to(widths_, counts);
      return;
    }
    for (std::uint32_t c = 0; c < pyramid_.cols; ++c) counts[c] = static_cast<float>(rows * widths_[c]);
  }

  /// The bands of the rows of cells `order`, which follow one another.
  [[nodiscard]] std::vector<Band> join(const std::vector<std::uint32_t>& order) const {
    std::vector<Band> bands;
    CellRowCounts band{};
    std::size_t begin = 0;
    const auto close = [&](std::size_t end) {
      const auto [first, last] = std::minmax(order[begin], order[end - 1]);
      bands.push_back({first, last + 1});
      begin = end;
      band = CellRowCounts{};
    };
    for (std::size_t k = 0; k < order.size(); ++k) {
      const CellRowCounts& row = rows_[order[k]];
      band.rows += row.rows;
      band.streamed += row.streamed;
      band.places += row.places;
      const bool is_spread = band.places >= kFewestPlaces || band.streamed == band.rows;
      if (band.streamed < kFewestRows || !is_spread) continue;
      // The band takes half of the rows before the next streamed ones, so that the streamed rows of
      // neighbouring bands are equally far from their common edge.
      std::size_t next = k + 1;
      while (next < order.size() && rows_[order[next]].streamed == 0) ++next;
      k += (next - k - 1) / 2;
      close(k + 1);
    }
    if (begin == order.size()) return bands;
    if (!bands.empty()) {  // the remaining rows of cells join the last band
      const Band outer = bands.back();
      bands.pop_back();
      begin -= outer.last - outer.first;
    }
    close(order.size());
    return bands;
  }

  [[nodiscard]] std::vector<Band> find_bands() const {
    const std::uint64_t middle = pyramid_cell_of(pyramid_.m / 2, pyramid_.m, pyramid_.rows);
    std::vector<std::uint32_t> upwards(middle);
    std::vector<std::uint32_t> downwards(pyramid_.rows - middle);
    std::iota(upwards.rbegin(), upwards.rend(), 0U);
    std::iota(downwards.begin(), downwards.end(), static_cast<std::uint32_t>(middle));
    std::vector<Band> bands = join(upwards);
    std::reverse(bands.begin(), bands.end());
    const std::vector<Band> lower = join(downwards);
    bands.insert(bands.end(), lower.begin(), lower.end());
    return bands;
  }

  /// Ends of the columns of cells at which blocks may end.
  [[nodiscard]] std::vector<std::uint32_t> column_edges(const std::vector<Band>& bands) const {
    std::vector<std::uint32_t> edges(sums_.symmetric_half ? bands.size() : pyramid_.cols);
    if (sums_.symmetric_half)
      std::ranges::transform(bands, edges.begin(), &Band::last);
    else
      std::iota(edges.begin(), edges.end(), 1U);
    return edges;
  }

  /// The cells of a band between two columns; `estimated` without those whose coefficients are all certain.
  struct Block {
    std::uint32_t left = 0, right = 0;
    double power = 0, weights = 0, count = 0, area = 0;
    float most = 0;
    [[nodiscard]] bool is_enough() const { return count >= kFewestCoefficients || area == 0; }
  };
  /// visit(cell, its number of coefficients, whether all of them are certain)
  template <class Visit>
  void each_cell(const Band& band, std::uint32_t left, std::uint32_t right, Visit visit) const {
    for (std::uint32_t r = band.first; r < band.last; ++r)
      for (std::uint32_t c = left; c < right; ++c) {
        const std::size_t cell = std::size_t{r} * pyramid_.cols + c;
        const double area = static_cast<double>(rows_[r].rows) * widths_[c];
        visit(cell, area, static_cast<double>(certain_[cell]) > area - 0.25);
      }
  }
  /// Extends a block to the column `right`.
  void extend(Block& block, const Band& band, std::uint32_t right) const {
    each_cell(band, block.right, right, [&](std::size_t cell, double area, bool is_certain) {
      if (is_certain) return;
      block.power += static_cast<double>(pyramid_.mean_power[cell]);
      block.weights += static_cast<double>(weights_[cell]);
      block.count += static_cast<double>(count_[cell]);
      block.area += area;
      block.most = std::max(block.most, pyramid_.max_power[cell]);
    });
    block.right = right;
  }
  void write(const Block& block, const Band& band) {
    each_cell(band, block.left, block.right, [&](std::size_t cell, double area, bool is_certain) {
      float& mean = pyramid_.mean_power[cell];
      count_[cell] = is_certain ? 1.0F : static_cast<float>(block.count / block.area);
      if (is_certain) {
        mean = static_cast<float>(static_cast<double>(mean) / area);
        return;
      }
      mean = block.weights > 0 ? static_cast<float>(block.power / block.weights) : 0.0F;
      pyramid_.max_power[cell] = block.most;
    });
  }

  /// Divides a band into blocks that end at `edges` and sets their cells.
  void fill(const Band& band, const std::vector<std::uint32_t>& edges) {
    const auto height = static_cast<double>(begin_of_row(band.last) - begin_of_row(band.first));
    std::vector<Block> blocks;
    Block block;
    double width = 0;
    for (const std::uint32_t edge : edges) {
      for (std::uint32_t c = block.right; c < edge; ++c) width += widths_[c];
      extend(block, band, edge);
      if (!block.is_enough() || (!sums_.symmetric_half && width < height)) continue;
      blocks.push_back(std::exchange(block, Block{edge, edge}));
      width = 0;
    }
    if (block.left < pyramid_.cols) {
      // The remaining columns join the last block.
      if (!blocks.empty())
        block = std::exchange(blocks.back(), {});
      else
        blocks.emplace_back();
      extend(block, band, pyramid_.cols);
      blocks.back() = block;
    }
    for (const Block& one : blocks) write(one, band);
  }

  StreamedSums& sums_;
  DisplayPyramid& pyramid_;
  ThreadPool& pool_;
  std::size_t cells_;
  ZeroedVector<float> count_;    ///< streamed coefficients of the cells
  ZeroedVector<float> weights_;  ///< Σ 1/π over them
  ZeroedVector<float> certain_;  ///< those of certain rows
  std::vector<CellRowCounts> rows_;
  std::vector<double> widths_;  ///< coefficients of a cell in a row of the plane
};

}  // namespace

BlockNoise block_noise(const DisplayPyramid& pyramid) {
  // Cells of one block have the same values.
  using Values = std::tuple<float, float, float>;
  std::map<Values, double> coefficients;
  const std::vector<double> widths = cell_sizes(pyramid.n, pyramid.cols);
  const std::vector<double> heights = cell_sizes(pyramid.m, pyramid.rows);
  for (std::uint32_t r = 0; r < pyramid.rows && !pyramid.streamed_share.empty(); ++r) {
    const auto values_at = [&](std::uint32_t c) {
      const std::size_t cell = std::size_t{r} * pyramid.cols + c;
      return Values(pyramid.streamed_share[cell], pyramid.mean_power[cell], pyramid.max_power[cell]);
    };
    for (std::uint32_t c = 0; c < pyramid.cols;) {
      const Values values = values_at(c);
      double width = 0;
      for (; c < pyramid.cols && values_at(c) == values; ++c) width += widths[c];
      if (std::get<0>(values) < 1) coefficients[values] += width * heights[r];
    }
  }
  double all = 0;
  double squares = 0;
  double variance = 0;
  for (const auto& [values, number] : coefficients) {
    const auto share = static_cast<double>(std::get<0>(values));
    all += number;
    squares += number * number;
    variance += (1 - share) / share;  // of a block (1 − share)/(share·number), by its number of coefficients
  }
  if (!(all > 0)) return {};
  return {squares / all, std::sqrt(variance / all)};
}

bool is_as_fine_as_samples(const BlockNoise& blocks, double coefficients, std::uint64_t samples) {
  constexpr double kCoarsest = 4;
  return blocks.coefficients <=
         kCoarsest * kCoarsest * kFewestCoefficients * coefficients / static_cast<double>(samples);
}

DisplayPyramid estimated_pyramid(StreamedSums sums, ThreadPool& pool) {
  Estimate(sums, pool).run();
  return std::move(sums.sampled);
}

}  // namespace spyctrum
