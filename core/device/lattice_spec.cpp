// SPDX-License-Identifier: Apache-2.0
// Chooses the spreading function and the FFT lengths of a lattice by times measured on an H200 (cuFFT 12),
// with the error model of core/fft/spread_shape.cpp.
#include "core/device/lattice_spec.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/fft/fft.hpp"
#include "core/request/byte_terms.hpp"

namespace spyctrum {

namespace {

std::uint32_t taps_of(const LatticeAxisSizes& axis, const SpreadShape& shape) {
  return axis.on_grid ? 1 : static_cast<std::uint32_t>(shape.width);
}

/// A length that cuFFT 12 transforms fast, and the FFT's time on an H200.
struct FastLength {
  std::uint32_t length;
  float picoseconds;  ///< per point
};
constexpr FastLength kFastLengths[] = {
    {1024, 5.9F},  {1152, 5.4F},  {1176, 5.1F},  {1250, 5.1F},  {1280, 5.1F},  {1296, 5.3F},  {1372, 4.8F},
    {1458, 4.6F},  {1536, 4.8F},  {1568, 4.7F},  {1575, 4.4F},  {1600, 4.4F},  {1728, 4.2F},  {1750, 4.7F},
    {1875, 5.3F},  {2048, 5.1F},  {3200, 5.1F},  {3456, 4.8F},  {3600, 5.7F},  {3840, 5.3F},  {4000, 4.6F},
    {4096, 4.6F},  {5376, 4.4F},  {5400, 4.3F},  {5600, 4.3F},  {5625, 4.5F},  {6144, 4.4F},  {6250, 5.4F},
    {6561, 4.3F},  {6615, 4.8F},  {6720, 4.7F},  {6750, 5.5F},  {7000, 5.3F},  {7168, 5.7F},  {8192, 4.0F},
    {8575, 4.8F},  {8748, 4.9F},  {8750, 4.3F},  {8820, 5.6F},  {9000, 4.6F},  {9216, 5.1F},  {10000, 5.8F},
    {10368, 4.8F}, {10976, 4.5F}, {12096, 5.7F}, {12500, 5.9F}, {12600, 6.1F}, {12960, 6.1F}, {13824, 5.7F},
    {14112, 6.3F}, {14580, 6.2F}, {15120, 6.4F}, {16384, 5.6F}, {17496, 6.1F}, {18432, 5.8F}, {20000, 5.6F},
    {20736, 5.8F}, {21952, 5.5F}, {22500, 6.4F}, {25000, 6.2F}, {25088, 6.5F}, {26244, 6.8F}, {27000, 8.0F},
    {28800, 8.5F}, {32768, 7.5F}};
constexpr std::size_t kLong = 10000;  // most longer lengths take two passes through memory
/// Picoseconds per point that count for other smooth lengths where a length is chosen.
constexpr double other_length(std::uint64_t length) { return length <= kLong ? 7 : 14; }
constexpr double kOtherPasses = 8;  // picoseconds per cell for writing, transposing and cutting
/// Added for odd lengths, where every other line begins between two cells that are written together.
constexpr double kOdd = 0.3;

/// Picoseconds per point of the FFTs along an axis, to compare grids of different sizes. Most of the smooth
/// lengths up to 10,000 that are not listed take 4 to 6.
double picoseconds(const LatticeAxisSizes& axis) {
  for (const FastLength& one : kFastLengths)
    if (one.length == axis.fine) return static_cast<double>(one.picoseconds);
  return (is_smooth(axis.fine) ? 1 : 3) * (axis.fine <= kLong ? 5 : other_length(axis.fine));
}

/// The cheapest length ≥ least, among the listed ones and the next smooth number.
std::uint64_t fast_length(std::uint64_t least) {
  std::uint64_t best = smooth_size(least);
  double lowest = static_cast<double>(best) * (kOtherPasses + other_length(best));
  for (const FastLength& one : kFastLengths) {
    const double cost = static_cast<double>(one.length) * (kOtherPasses + (one.length % 2 != 0 ? kOdd : 0.0) +
                                                           static_cast<double>(one.picoseconds));
    if (one.length < least || cost >= lowest) continue;
    lowest = cost;
    best = one.length;
  }
  return best;
}

/// lattice_axis_sizes() with a fine length that cuFFT transforms fast.
LatticeAxisSizes device_axis_sizes(const FrequencyAxis& axis, const SpreadShape& shape) {
  LatticeAxisSizes sizes = lattice_axis_sizes(axis, shape);
  if (sizes.on_grid) return sizes;
  const auto least =
      static_cast<std::uint64_t>(std::ceil(shape.oversampling * static_cast<double>(sizes.distinct)));
  sizes.fine = fast_length(std::max<std::uint64_t>(least, 2 * shape.width));
  return sizes;
}

/// Mean number of tiles of `side` cells that the consecutive taps of an entry reach along one axis.
double reached(const LatticeAxisSizes& axis, const SpreadShape& shape, std::uint32_t side) {
  const double tiles = std::ceil(static_cast<double>(axis.fine) / side);
  const auto cells = static_cast<double>(axis.fine);
  return std::min(tiles, 1 + (taps_of(axis, shape) - 1) * tiles / cells);
}

/// Expected error relative to √K (K = `entries`) of the coefficients of `grid` in single precision.
double error_of(const DeviceLattice& lattice, double entries, const FrequencyGrid& grid) {
  const double additions =
      entries * taps_of(lattice.rows, lattice.shape) * taps_of(lattice.cols, lattice.shape) / lattice.cells();
  return expected_error(lattice.shape, false, std::max(10.0, additions), aliasing_scatter(grid));
}

/// Estimated picoseconds on a large device: 2·10^7 for the kernels of a pair of cosets, 36 per entry and tile
/// that its taps reach (independent of the number of taps), 2 and 3 per cell for writing and transposing,
/// both FFTs, and 5 per output that is cut out.
double cost_of(const DeviceLattice& lattice, double entries) {
  const auto lines = static_cast<double>(lattice.rows.distinct);
  const bool is_output = lattice.rows.on_grid && lattice.cols.on_grid && lattice.lattice_rows().pairs == 1;
  const double of_a_pair = 2e7 + 36 * entries * visits_per_entry(lattice) +
                           lattice.cells() * (2 + picoseconds(lattice.rows) + 3) +
                           lines * static_cast<double>(lattice.cols.fine) * picoseconds(lattice.cols) +
                           (is_output ? 0 : 5) * lines * static_cast<double>(lattice.cols.distinct);
  return of_a_pair * static_cast<double>(lattice.lattice_rows().pairs);
}

/// The spreading function of lattices in groups.
const SpreadShape& group_shape() {
  static const SpreadShape& shape = *std::ranges::find_if(spread_shapes(), [](const SpreadShape& one) {
    return one.width == cuda::kSpreadTaps && one.oversampling == cuda::kGroupOversampling;
  });
  return shape;
}

/// An axis of a lattice in groups of cosets onto whose cells entries are spread, by the shortest length that
/// is precise; empty if there is none.
std::optional<LatticeAxisSizes> spread_group_axis(const FrequencyAxis& axis, std::uint64_t cosets,
                                                  std::uint64_t block_bytes) {
  const SpreadShape& shape = group_shape();
  LatticeAxisSizes sizes = lattice_axis_sizes(coset_of(axis, cosets, 0), shape);
  sizes.on_grid = false;
  const auto outputs = static_cast<double>(sizes.distinct);
  sizes.fine = 0;
  for (const cuda::CosetLength& length : cuda::kGroupLengths) {
    const std::size_t cells = length.transformed();
    const double oversampling = static_cast<double>(cells) / outputs;
    if (cuda::block_bytes(length) <= block_bytes && oversampling >= shape.oversampling &&
        oversampling <= cuda::kMostGroupOversampling && (sizes.fine == 0 || cells < sizes.fine))
      sizes.fine = cells;
  }
  if (sizes.fine == 0) return std::nullopt;
  return sizes;
}

/// The same where entries lie on cells and all frequencies are outputs.
std::optional<LatticeAxisSizes> folded_group_axis(const FrequencyAxis& axis, std::uint64_t cosets,
                                                  std::uint64_t block_bytes) {
  LatticeAxisSizes sizes = lattice_axis_sizes(coset_of(axis, cosets, 0), group_shape());
  const cuda::CosetLength* const length = cuda::group_length(sizes.period, true);
  if (length == nullptr || axis.count() != cosets * sizes.period || cuda::block_bytes(*length) > block_bytes)
    return std::nullopt;
  sizes.on_grid = true;
  sizes.fine = sizes.period;
  return sizes;
}

/// Picoseconds, on an H200, for a cell onto which entries are spread and which is transformed along the row
/// axis, of each of kGroupLengths, and for one that is transformed along the column axis.
struct GroupTimes {
  float of_rows;
  float of_cols;
};
constexpr GroupTimes kGroupTimes[] = {{5.5F, 6.5F}, {5.2F, 6.3F}, {6.4F, 6.7F}, {5.9F, 6.3F}, {5.7F, 6.1F},
                                      {5.9F, 6.2F}, {5.7F, 6.2F}, {5.5F, 6.1F}, {5.2F, 6.2F}, {5.3F, 6.3F},
                                      {5.1F, 6.0F}, {5.4F, 7.2F}, {5.2F, 7.5F}};
static_assert(std::size(kGroupTimes) == std::size(cuda::kGroupLengths));
/// The same of kFoldedGroupLengths, onto whose cells entries are folded.
constexpr GroupTimes kFoldedGroupTimes[] = {{6.4F, 5.7F}, {5.6F, 5.2F}, {4.9F, 6.2F},
                                            {6.9F, 6.5F}, {7.4F, 4.7F}, {5.5F, 6.3F}};
static_assert(std::size(kFoldedGroupTimes) == std::size(cuda::kFoldedGroupLengths));
constexpr double kOfGroupEntry = 83;  // picoseconds for an entry of a coset that is spread
constexpr double kOfFoldedEntry = 3;  // the same if it is folded

/// Estimated picoseconds on a large device; 2·10^7 for the kernels of a group.
double cost_in_groups(const DeviceLattice& lattice, double entries) {
  const bool folds = lattice.rows.on_grid;
  const auto times = [&](const LatticeAxisSizes& axis) -> const GroupTimes& {
    const GroupTimes* const all = folds ? kFoldedGroupTimes : kGroupTimes;
    return all[cuda::group_length(axis.fine, folds) - cuda::group_lengths(folds)];
  };
  const auto cosets = static_cast<double>(lattice.row_cosets * lattice.col_cosets);
  const double of_coset = (folds ? kOfFoldedEntry : kOfGroupEntry) * entries +
                          static_cast<double>(times(lattice.rows).of_rows) * lattice.cells() +
                          static_cast<double>(times(lattice.cols).of_cols) *
                              static_cast<double>(lattice.rows.distinct * lattice.cols.fine);
  return cosets * (2e7 / cuda::kCosetLines + of_coset);
}

cuda::LatticeAxisSpec spec_of(const FrequencyAxis& axis, std::uint64_t cosets, const LatticeAxisSizes& sizes,
                              const SpreadShape& shape) {
  const FrequencyAxis coset = coset_of(axis, cosets, 0);
  const auto [middle, centre] = lattice_centre(coset, sizes);
  cuda::LatticeAxisSpec spec;
  spec.size = axis.size();
  spec.step = dft_index(coset.step(), axis.size());
  spec.cosets = cosets;
  spec.apart = dft_index(axis.step(), axis.size());
  spec.centre = centre;
  spec.fine = sizes.fine;
  spec.distinct = sizes.distinct;
  spec.count = axis.count();
  spec.middle = middle;
  if (sizes.on_grid) {
    spec.cell = axis.size() / sizes.period;
    return spec;
  }
  const SpreadNumbers& numbers = spread_numbers(shape);
  spec.taps = static_cast<std::uint32_t>(shape.width);
  spec.beta = shape.beta;
  spec.powers = static_cast<std::uint32_t>(numbers.powers);
  spec.nodes = static_cast<std::uint32_t>(numbers.nodes.places.size());
  spec.polynomials = numbers.polynomials.data();
  spec.places = numbers.nodes.places.data();
  spec.values = numbers.nodes.values.data();
  return spec;
}

}  // namespace

cuda::LatticeAxisSpec DeviceLattice::row_spec(const FrequencyAxis& axis) const {
  return spec_of(axis, row_cosets, rows, shape);
}
cuda::LatticeAxisSpec DeviceLattice::col_spec(const FrequencyAxis& axis) const {
  return spec_of(axis, col_cosets, cols, shape);
}

cuda::LatticeOrder choose_order(const SparsePattern& pattern, const cuda::LatticeAxisSpec& rows,
                                const cuda::LatticeAxisSpec& cols) {
  constexpr std::uint64_t kSparse = 16;         // cells per entry; with more, tiles are nearly empty
  constexpr std::uint64_t kMostOnACell = 1024;  // entries on one cell, which one thread sums
  constexpr std::uint64_t kMostCells = std::uint64_t{1} << 32U;
  const auto entries = static_cast<std::uint64_t>(pattern.nonzeros());
  const std::uint64_t cells = saturating_product(rows.fine, cols.fine);
  if (rows.cell != 0 && cols.cell != 0 && cells < kMostCells &&
      cells >= saturating_product(kSparse, entries) &&
      saturating_product(rows.cell, cols.cell) <= kMostOnACell)
    return cuda::LatticeOrder::cells;
  return cuda::LatticeOrder::tiles;
}

double visits_per_entry(const DeviceLattice& lattice) {
  return reached(lattice.cols, lattice.shape, cuda::kTileCells) *
         reached(lattice.rows, lattice.shape, cuda::kTileCells);
}

std::uint64_t most_cosets_of(const FrequencyGrid& grid) {
  const auto repeats = [](const FrequencyAxis& axis) {
    return axis.count() > lattice_axis_sizes(axis, spread_shapes().front()).distinct;  // of any shape
  };
  return repeats(grid.rows) || repeats(grid.cols) ? 1 : kMostCosets;
}

DeviceLattice device_lattice(const FrequencyGrid& grid, const SpreadShape& shape, std::uint64_t row_cosets,
                             std::uint64_t col_cosets) {
  return {shape, device_axis_sizes(coset_of(grid.rows, row_cosets, 0), shape),
          device_axis_sizes(coset_of(grid.cols, col_cosets, 0), shape), row_cosets, col_cosets};
}

std::optional<DeviceLattice> choose_device_lattice(const FrequencyGrid& grid, double entries,
                                                   double tolerance, std::uint64_t most_cosets) {
  std::optional<DeviceLattice> best;
  double lowest = std::numeric_limits<double>::infinity();
  const auto consider = [&](const DeviceLattice& lattice) {
    const double cost = cost_of(lattice, entries);
    if (cost > lowest) return;  // of equal costs the last shape, which has the smallest error
    if (error_of(lattice, entries, grid) > tolerance) return;
    lowest = cost;
    best = lattice;
  };
  for (const SpreadShape& shape : spread_shapes()) {
    const auto most = [&](const FrequencyAxis& axis) {  // shorter lines gain nothing from cosets
      return device_axis_sizes(axis, shape).fine > kLong ? most_cosets : 1;
    };
    const std::uint64_t most_rows = most(grid.rows);
    const std::uint64_t most_cols = most(grid.cols);
    for (std::uint64_t r = 1; r <= most_rows; r *= 2)
      for (std::uint64_t c = 1; c <= most_cols; c *= 2) consider(device_lattice(grid, shape, r, c));
  }
  return best;
}

std::optional<DeviceLattice> lattice_in_groups(const FrequencyGrid& grid, std::uint64_t row_cosets,
                                               std::uint64_t col_cosets, std::uint64_t block_bytes) {
  if (row_cosets * col_cosets % cuda::kCosetLines != 0) return std::nullopt;
  for (const auto axis_of : {folded_group_axis, spread_group_axis}) {
    const auto rows = axis_of(grid.rows, row_cosets, block_bytes);
    const auto cols = axis_of(grid.cols, col_cosets, block_bytes);
    if (rows && cols) return DeviceLattice{group_shape(), *rows, *cols, row_cosets, col_cosets, true};
  }
  return std::nullopt;
}

std::optional<DeviceLattice> choose_lattice_in_groups(const FrequencyGrid& grid, double entries,
                                                      double tolerance, std::uint64_t block_bytes,
                                                      const DeviceLattice& other) {
  std::optional<DeviceLattice> best;
  double lowest = cost_of(other, entries);
  for (std::uint64_t rows = 1; rows <= kMostCosets; rows *= 2)
    for (std::uint64_t cols = 1; cols <= kMostCosets; cols *= 2) {
      const auto lattice = lattice_in_groups(grid, rows, cols, block_bytes);
      if (!lattice) continue;
      const double cost = cost_in_groups(*lattice, entries);
      if (cost >= lowest || error_of(*lattice, entries, grid) > tolerance) continue;
      lowest = cost;
      best = lattice;
    }
  return best;
}

}  // namespace spyctrum
