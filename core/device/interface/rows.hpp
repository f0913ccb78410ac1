// SPDX-License-Identifier: Apache-2.0
// Rows of the plane on a device (Algorithms 1 and 2 of the BS-FFT paper): tasks, plans of row transforms,
// heights of tiles. Programs and module use the same formulas, so that forecasts of memory agree with
// bookings.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "core/device/interface/host.hpp"
#include "core/device/interface/lattice.hpp"
#include "core/device/interface/reductions.hpp"

namespace spyctrum::cuda {

enum class RowAlgorithm {
  /// Algorithms 1 and 2: one sine and cosine per term; FFT direct or Bluestein by the paper's rule
  paper,
  /// Inner sums by one sine and cosine for 16 rows, or by FFTs of columns with many entries; FFT of rows of a
  /// length that is transformed fast
  optimized,
};

enum class RowOutput {
  rows,        ///< n coefficients of each row
  gather,      ///< the coefficients of each row at the frequencies `columns`
  paper_half,  ///< Algorithm 1: m×(⌊n/2⌋+1) coefficients, rows −u included, are stored on the device first
               ///< and delivered as rows afterwards. The frequencies must be 0 … ⌊m/2⌋
};

/// A length L of rows that one kernel resamples and transforms (core/cuda/tiles/row_kernel.hpp): L = 8·M
/// cells, M = a·b·c, in the shared memory of `cluster` multiprocessors, by thread blocks of `threads`
/// threads.
struct KernelLength {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  std::uint32_t cluster = 1;
  std::uint32_t threads = 0;
  [[nodiscard]] constexpr std::uint32_t part() const { return a * b * c; }  ///< M
  [[nodiscard]] constexpr std::uint32_t cells() const { return kParts * part(); }
  /// Of the 8 parts of M cells, those in each multiprocessor.
  [[nodiscard]] constexpr std::uint32_t own_parts() const { return kParts / cluster; }
  // In shared memory there is a gap after b·c cells if that number is even, and a gap after a·b·c cells, so
  // that the next part begins 16/own_parts() banks further: the last pass reads without bank conflicts.
  [[nodiscard]] constexpr std::uint32_t run_pitch() const { return (b * c) | 1U; }
  [[nodiscard]] constexpr std::uint32_t part_pitch() const {
    const std::uint32_t shift = 16 / own_parts();
    return (a * run_pitch() - shift + 15) / 16 * 16 + shift;
  }
  [[nodiscard]] constexpr std::uint32_t shared_bytes() const { return 8 * own_parts() * part_pitch(); }
  static constexpr std::uint32_t kParts = 8;
};
inline constexpr KernelLength kKernelLengths[] = {
    {12, 15, 12, 1, 736}, {12, 14, 15, 1, 864}, {12, 15, 16, 1, 768}, {15, 15, 15, 1, 928},
    {15, 15, 16, 1, 960}, {14, 15, 20, 2, 608}, {16, 18, 18, 2, 672}, {18, 18, 20, 2, 736},
    {18, 21, 21, 4, 512}, {25, 20, 21, 4, 672}, {24, 20, 27, 4, 832}};
/// The least number of cells for each value of a row. φ is kKernelTaps values wide, so that from here on
/// aliasing is below 1.5e-7.
inline constexpr double kKernelOversampling = 1.43;
inline constexpr std::uint32_t kKernelTaps = 7;     ///< values that are added up for a cell
inline constexpr std::uint32_t kKernelPowers = 13;  ///< coefficients of the polynomial of a tap
/// Values before and after a row of inner sums that repeat its other end.
inline constexpr std::uint32_t kKernelHalo = 8;
/// Values of the tables of roots of unity: roots 1, 2, 4, 8 and 16 of each pass, as far as it has them.
[[nodiscard]] constexpr std::uint64_t kernel_roots(const KernelLength& length) {
  const auto steps = [](std::uint32_t radix) {
    std::uint64_t count = 0;
    for (std::uint32_t k = 1; k < radix; k *= 2) ++count;
    return count;
  };
  return steps(KernelLength::kParts) * length.part() + steps(length.a) * length.b * length.c +
         steps(length.b) * length.c;
}

/// A way to compute the frequencies |v| ≤ half_width of the FFT of a row of n values.
struct RowTransformPlan {
  std::uint64_t half_width = 0;  ///< ⌊n/2⌋: the whole row
  /// L, the length of the transform: n or, where the row is resampled, a smooth number. Resampling is a
  /// type-1 non-uniform FFT of one dimension: value j is spread over `taps` cells about j·L/n by the
  /// exponential of semicircle φ of parameter β (core/fft/spread_shape.hpp).
  std::uint64_t cells = 0;
  /// A, one of kSplits: the transform consists of A FFTs of L/A cells, short enough for cuFFT to read and
  /// write device memory only once, and one butterfly of size A. For a resampled row with A > 1, L/A must be
  /// a multiple of kPartAlignment, and a cell may receive at most kFewTaps values.
  std::uint64_t split = 1;
  bool resampled = false;
  std::uint32_t taps = 0;
  double beta = 0;
  std::uint32_t nodes = 0;
  double places[kMostNodes] = {};  ///< z_k and
  double values[kMostNodes] = {};  ///< y_k: φ̂(v) = Σ_k y_k·cos(2πv·z_k/L)
  /// Index in kKernelLengths, of the length `cells`; −1: cuFFT and kernels around it. φ is then kKernelTaps
  /// values wide, each L/n cells, and a polynomial for each tap: a cell s/2 values, −1 ≤ s ≤ 1, behind value
  /// j receives value j + t − 3 times Σ_k polynomials[k][t]·s^k.
  int kernel_length = -1;
  float polynomials[kKernelPowers][kKernelTaps] = {};
};
/// The most values that are spread onto one cell.
[[nodiscard]] constexpr std::uint64_t values_of_cell(const RowTransformPlan& plan, std::uint64_t n) {
  const std::uint64_t values = plan.taps * n / plan.cells + 1;
  return values < n ? values : n;
}
inline constexpr std::uint32_t kFewTaps = 6;    ///< most values of a cell if A > 1
inline constexpr std::uint32_t kMostTaps = 48;  ///< most values of a cell

inline constexpr std::uint32_t kColumnCells = 864;  ///< L
inline constexpr std::uint32_t kColumnRows = 480;   ///< most rows u of one FFT of a column
inline constexpr std::uint32_t kColumnTaps = 9;     ///< cells onto which an entry is spread
inline constexpr std::uint32_t kColumnGains = 256;  ///< frequencies p, of which kColumnRows/2 are wanted
inline constexpr std::uint32_t kColumnPowers = 15;  ///< coefficients of the polynomial of a tap
/// Inner sums of consecutive rows by one FFT for each column, of kColumnCells cells, onto which the entries
/// are spread by φ (core/cuda/tiles/column_transform.cu). If the nearest cell lies x/2 cells behind an entry,
/// −1 ≤ x ≤ 1, the cell t − 4 cells further receives Σ_k polynomials[k][t]·x^k.
struct ColumnTransform {
  float polynomials[kColumnPowers][kColumnTaps] = {};
  float gains[kColumnGains] = {};  ///< 1/φ̂(p)
};

/// The tiles of a plane that several devices share; each device runs a task over the same rows. May throw.
class TileSource {
 public:
  virtual ~TileSource() = default;
  /// The first row of the next tile for this task, a multiple of RowTask::tile; RowTask::count or more if no
  /// tile is left.
  virtual std::uint64_t next() = 0;
};

/// Rows F[u, ·] at given frequencies u, computed tile by tile on two streams. Without receiver and
/// reductions, all rows are computed into device memory and freed at the end; Timing is then that of a
/// transform whose result stays on the device, as libraries such as cuFFT are timed.
struct RowTask {
  static constexpr const char* kName = "rows";
  PatternView pattern;
  const std::uint32_t* frequencies = nullptr;  ///< u, 0 … m−1
  std::uint64_t count = 0;
  const std::uint32_t* columns = nullptr;  ///< v, 0 … n−1, for RowOutput::gather
  std::uint64_t width = 0;                 ///< values of an output row: n, or the number of `columns`
  std::uint64_t tile = 0;                  ///< T; 0: chosen by tile_rows()
  RowAlgorithm algorithm = RowAlgorithm::paper;
  RowOutput output = RowOutput::rows;
  /// For RowAlgorithm::optimized: plans by ascending half_width, the last one for whole rows. Without plans
  /// the paper's rule applies.
  const RowTransformPlan* plans = nullptr;
  std::uint64_t plan_count = 0;
  /// For RowAlgorithm::optimized: used if the frequencies are consecutive and transforms_columns(), but not
  /// if is_part. Null: inner sums are always computed term by term.
  const ColumnTransform* column_transform = nullptr;
  RowReceiver* receiver = nullptr;         ///< null: no row is copied to the host
  const Reductions* reductions = nullptr;  ///< of the rows; null: none
  TileSource* tiles = nullptr;             ///< null: this task computes all tiles, in order
  bool is_part = false;  ///< other tasks compute other rows: the bits of a row must not depend on the others
};

/// L of the paper: n if it has no prime factor above 7, else the smallest such number ≥ 2n−1.
[[nodiscard]] constexpr std::uint64_t smooth_length(std::uint64_t n) {
  for (;; ++n) {
    std::uint64_t rest = n;
    for (const std::uint64_t prime : {2U, 3U, 5U, 7U})
      while (rest != 0 && rest % prime == 0) rest /= prime;
    if (rest <= 1) return n;
  }
}
[[nodiscard]] constexpr std::uint64_t row_length(std::uint64_t n) {
  return smooth_length(n) == n ? n : smooth_length(2 * n - 1);
}

/// Values of a row of inner sums: n, or L by the paper's rule.
[[nodiscard]] constexpr std::uint64_t built_length(std::uint64_t n, RowAlgorithm algorithm) {
  return algorithm == RowAlgorithm::optimized ? n : row_length(n);
}

/// The height that divides `count` rows into equal tiles of at most `tile` rows.
[[nodiscard]] constexpr std::uint64_t even_tile(std::uint64_t count, std::uint64_t tile) {
  const std::uint64_t tiles = (count + tile - 1) / tile;
  return tiles == 0 ? 0 : (count + tiles - 1) / tiles;
}

/// Whether consecutive rows in tiles of `tile` rows take clearly less time with FFTs of the columns than term
/// by term. In picoseconds for a value, measured on an NVIDIA H100 for K/n entries a column: 5.2 + 0.042·K/n,
/// and for an FFT that gives fewer than kColumnRows rows as much more; term by term 3.5 + 0.16·K/n.
[[nodiscard]] constexpr bool transforms_columns(std::uint64_t n, std::uint64_t nonzeros, std::uint64_t tile) {
  if (n == 0 || tile == 0) return false;
  const double entries = static_cast<double>(nonzeros) / static_cast<double>(n);
  const std::uint64_t windows = (tile + kColumnRows - 1) / kColumnRows;
  const double share = static_cast<double>(tile) / static_cast<double>(windows * kColumnRows);
  return 1.1 * (5.2 + 0.042 * entries) / share < 3.5 + 0.16 * entries;
}

/// The most rows of a tile of a matrix of n columns: the number that a warp of the inner sums covers, or
/// where columns have so many entries that their FFTs may be faster, the number that one FFT gives.
[[nodiscard]] constexpr std::uint64_t tallest_tile(std::uint64_t n, std::uint64_t nonzeros,
                                                   RowAlgorithm algorithm) {
  return algorithm == RowAlgorithm::optimized && transforms_columns(n, nonzeros, kColumnRows) ? kColumnRows
                                                                                              : 512;
}

/// The height T of tiles: `requested`; or, if that is 0, all rows if they take at most 64 MiB, else
/// `tallest`, or where such a tile takes more than 512 MiB, 512 rows halved down to 64 while a tile takes
/// more, then made equal by even_tile(). At most `count`, and 65,535, the most blocks along y of a launch.
[[nodiscard]] constexpr std::uint64_t tile_rows(std::uint64_t requested, std::uint64_t count,
                                                std::uint64_t length, std::uint64_t tallest = 512) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 29;
  std::uint64_t tile = requested;
  if (tile == 0 && (length == 0 || count <= (std::uint64_t{1} << 26) / (8 * length))) tile = count;
  if (tile == 0)
    for (tile = 8 * tallest * length > kMost ? 512 : tallest; tile > 64 && 8 * tile * length > kMost;)
      tile /= 2;
  tile = requested == 0 ? even_tile(count, tile) : tile < count ? tile : count;
  return tile < 1 ? 1 : tile > 65535 ? 65535 : tile;
}

/// The number of streams, which take tiles in turn, each with buffers of its own.
[[nodiscard]] constexpr std::uint64_t row_streams(std::uint64_t count, std::uint64_t tile) {
  return count > tile ? 2 : 1;
}

/// T if rows are only reduced on the device: `requested`; or, if that is 0, `tallest` rows if they take at
/// most 128 MiB, else 256, 128 or 64, the first that take at most 256 MiB. Where a 64th of the device's
/// memory is more than these limits, it replaces them, up to 512 MiB: taller tiles are faster. `memory`:
/// bytes of the device.
[[nodiscard]] constexpr std::uint64_t reduced_tile_rows(std::uint64_t requested, std::uint64_t count,
                                                        std::uint64_t length, std::uint64_t memory,
                                                        std::uint64_t tallest = 512) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 29;
  const std::uint64_t share = memory / 64 < kMost ? memory / 64 : kMost;
  std::uint64_t tile = requested;
  const auto limit = [&] {
    const std::uint64_t least = std::uint64_t{1} << (tile > 256 ? 27U : 28U);
    return share > least ? share : least;
  };
  if (tile == 0)
    for (tile = tallest; tile > 64 && 8 * tile * length > limit();) tile = tile > 256 ? 256 : tile / 2;
  return tile_rows(tile, count, length);
}

/// Entries of a column that one warp sums; longer columns are divided into pieces of this length, since a
/// thread block ends with its longest column. At most 256: a longer sum in single precision loses digits to
/// cancellation.
[[nodiscard]] constexpr std::uint64_t piece_entries(std::uint64_t nonzeros, std::uint64_t active) {
  const std::uint64_t twice_the_mean = active == 0 ? 0 : 2 * ((nonzeros + active - 1) / active);
  return twice_the_mean < 32 ? 32 : twice_the_mean > 256 ? 256 : twice_the_mean;
}

/// As piece_entries(), for columns that are transformed: a cell has 31 binary digits for the sum of a
/// column's weights, so that 23 are left for one of 256 equal ones.
inline constexpr std::uint64_t kColumnEntries = 256;

inline constexpr std::uint64_t kMostSplit = 32;
/// Values that resampling stores together; for resampled rows L/A is a multiple of it.
inline constexpr std::uint64_t kPartAlignment = 16;
inline constexpr std::uint64_t kSplits[] = {1,  4,  5,  6,  7,  8,  9,  10, 12, 14,
                                            15, 16, 18, 20, 21, 24, 25, 28, 30, 32};
/// A = first·second, both at most 8 and as nearly equal as possible.
struct Radices {
  std::uint32_t first = 1;
  std::uint32_t second = 1;
};
[[nodiscard]] constexpr Radices radices_of(std::uint64_t split) {
  if (split <= 8) return {static_cast<std::uint32_t>(split), 1};
  Radices radices;
  for (std::uint64_t second = 2; second * second <= split; ++second)
    if (split % second == 0 && split / second <= 8)
      radices = {static_cast<std::uint32_t>(split / second), static_cast<std::uint32_t>(second)};
  return radices;
}
/// Bytes of the twiddle factors that join A parts of `part` cells.
[[nodiscard]] constexpr std::uint64_t butterfly_bytes(std::uint64_t split, std::uint64_t part) {
  const Radices radices = radices_of(split);
  return split == 1 ? 0 : 8 * part * (radices.first + radices.second - 2);
}

/// The largest m for which RowAlgorithm::optimized has a table of pairs of rows, 72 bytes for each row.
inline constexpr std::uint64_t kMostPairRows = std::uint64_t{1} << 21;

/// Values of a row of inner sums, padded so that rows begin at whole cache lines.
[[nodiscard]] constexpr std::uint64_t padded(std::uint64_t length) { return (length + 15) / 16 * 16; }

/// Rows of a stored plane that are copied together: about 32 MiB.
[[nodiscard]] constexpr std::uint64_t delivery_rows(std::uint64_t rows, std::uint64_t width) {
  std::uint64_t at_once = (std::uint64_t{1} << 22) / (width < 1 ? 1 : width);
  at_once = at_once < rows ? at_once : rows;
  return at_once < 1 ? 1 : at_once > 32768 ? 32768 : at_once;
}
[[nodiscard]] constexpr std::uint64_t delivery_bytes(std::uint64_t rows, std::uint64_t width) {
  return 8 * delivery_rows(rows, width) * width;
}

}  // namespace spyctrum::cuda
