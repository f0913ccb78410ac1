// SPDX-License-Identifier: Apache-2.0
// Rows of the plane: what is asked of the CUDA module, how tall its tiles are, and what they hold. Both sides
// use the same formulas, so that forecasts agree with what is booked.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/device/interface/host.hpp"
#include "core/device/interface/lattice.hpp"
#include "core/device/interface/reductions.hpp"

namespace spyctrum::cuda {

enum class RowAlgorithm {
  paper,      ///< Algorithms 1 and 2: a sine and a cosine per term, direct or Bluestein by the paper's rule
  optimized,  ///< pairs of rows around exact anchors, one FFT of a length that cuFFT is fast at
};

enum class RowOutput {
  rows,        ///< n coefficients of each row
  gather,      ///< those of `columns`
  paper_half,  ///< Algorithm 1: all m×(⌊n/2⌋+1) coefficients stored on the device first, mirrored rows
               ///< included; handed out as rows. The frequencies must be 0 … ⌊m/2⌋
};

/// How the FFT of a row is taken of which |v| ≤ half_width is wanted.
struct RowTransformPlan {
  std::uint64_t half_width = 0;  ///< ⌊n/2⌋: the whole row
  /// L that are transformed: n or, where the row is resampled, a smooth number (a non-uniform FFT of one
  /// dimension): value j is spread over `taps` cells about j·L/n by the exponential of semicircle φ of β
  /// (core/fft/spread_shape.hpp).
  std::uint64_t cells = 0;
  /// A, one of kSplits: A FFTs of L/A cells, short enough to pass the device's memory once, and one butterfly
  /// of A. Where rows are resampled L/A is a multiple of kPartAlignment and kFewTaps values at most fall on a
  /// cell.
  std::uint64_t split = 1;
  bool resampled = false;
  std::uint32_t taps = 0;
  double beta = 0;
  std::uint32_t nodes = 0;
  double places[kMostNodes] = {};  ///< z and
  double values[kMostNodes] = {};  ///< y: φ̂(v) = Σ y·cos(2πvz/L)
};
/// Values that fall on a cell at most, and how many there may be.
[[nodiscard]] constexpr std::uint64_t values_of_cell(const RowTransformPlan& shape, std::uint64_t n) {
  const std::uint64_t values = shape.taps * n / shape.cells + 1;
  return values < n ? values : n;
}
inline constexpr std::uint32_t kFewTaps = 6;
inline constexpr std::uint32_t kMostTaps = 48;

/// F[u, ·] for some row frequencies u, tile by tile on two streams.
struct RowTask {
  PatternView pattern;
  const std::uint32_t* frequencies = nullptr;  ///< u, 0 … m−1
  std::uint64_t count = 0;
  const std::uint32_t* columns = nullptr;  ///< v, 0 … n−1, for gather
  std::uint64_t width = 0;                 ///< of an output row: n, or the number of `columns`
  std::uint64_t tile = 0;                  ///< T; 0 chooses
  RowAlgorithm algorithm = RowAlgorithm::paper;
  RowOutput output = RowOutput::rows;
  /// Ours: by ascending half width, the last for whole rows. None: by the paper's rule.
  const RowTransformPlan* shapes = nullptr;
  std::uint64_t shape_count = 0;
  /// What the rows are reduced to on the device besides; null for nothing.
  const Reductions* reductions = nullptr;
};

/// L of the paper: n where it has no prime factor above 7, else the smallest such number ≥ 2n−1.
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

/// Values of a row of inner sums that is built: n, or L of the paper's rule.
[[nodiscard]] constexpr std::uint64_t built_length(std::uint64_t n, RowAlgorithm algorithm) {
  return algorithm == RowAlgorithm::optimized ? n : row_length(n);
}

/// At most `tile` rows, in as many tiles, so that the last is not a rest.
[[nodiscard]] constexpr std::uint64_t even_tile(std::uint64_t count, std::uint64_t tile) {
  const std::uint64_t tiles = (count + tile - 1) / tile;
  return tiles == 0 ? 0 : (count + tiles - 1) / tiles;
}

/// T: as asked, else all rows where they take at most 64 MiB, else 512 rows, what a warp of the build covers,
/// or 256, 128, 64 where such a tile would take more than 512 MiB, all tiles alike. At most the rows there
/// are, and 65,535, the most blocks along y of a launch.
[[nodiscard]] constexpr std::uint64_t tile_rows(std::uint64_t asked, std::uint64_t count,
                                                std::uint64_t length) {
  std::uint64_t tile = asked;
  if (tile == 0 && (length == 0 || count <= (std::uint64_t{1} << 26) / (8 * length))) tile = count;
  if (tile == 0)
    for (tile = 512; tile > 64 && 8 * tile * length > (std::uint64_t{1} << 29);) tile /= 2;
  tile = asked == 0 ? even_tile(count, tile) : tile < count ? tile : count;
  return tile < 1 ? 1 : tile > 65535 ? 65535 : tile;
}

/// Streams that take turns with tiles, each with buffers of its own.
[[nodiscard]] constexpr std::uint64_t row_streams(std::uint64_t count, std::uint64_t tile) {
  return count > tile ? 2 : 1;
}

/// T where rows are reduced on the device and nothing else: as asked, else 512 rows in at most 128 MiB, 256
/// in at most 256, or 128, or 64.
[[nodiscard]] constexpr std::uint64_t reduced_tile_rows(std::uint64_t asked, std::uint64_t count,
                                                        std::uint64_t length) {
  std::uint64_t tile = asked;
  if (tile == 0)
    for (tile = 512; tile > 64 && 8 * tile * length > std::uint64_t{1} << (tile > 256 ? 27U : 28U);)
      tile /= 2;
  return tile_rows(tile, count, length);
}

/// Entries of a column that one warp sums; longer columns are cut into such pieces, since the columns of a
/// block wait for each other. At most 256: in single precision the sums of a longer one would lose digits
/// where they cancel.
[[nodiscard]] constexpr std::uint64_t piece_entries(std::uint64_t nonzeros, std::uint64_t active) {
  const std::uint64_t twice_the_mean = active == 0 ? 0 : 2 * ((nonzeros + active - 1) / active);
  return twice_the_mean < 32 ? 32 : twice_the_mean > 256 ? 256 : twice_the_mean;
}

inline constexpr std::uint64_t kMostSplit = 32;
/// Values that leave a resampling together: parts of resampled rows are multiples of it.
inline constexpr std::uint64_t kPartAlignment = 16;
inline constexpr std::uint64_t kSplits[] = {1,  4,  5,  6,  7,  8,  9,  10, 12, 14,
                                            15, 16, 18, 20, 21, 24, 25, 28, 30, 32};
/// A = first·second, both at most 8 and as equal as they can be.
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
/// Bytes of the roots of unity that join A parts of `part` cells.
[[nodiscard]] constexpr std::uint64_t butterfly_bytes(std::uint64_t split, std::uint64_t part) {
  const Radices radices = radices_of(split);
  return split == 1 ? 0 : 8 * part * (radices.first + radices.second - 2);
}

/// m up to which ours has a table of pairs of rows, 72 bytes for each row of the matrix.
inline constexpr std::uint64_t kMostPairRows = std::uint64_t{1} << 21;

/// Values of a row of inner sums, padded so that rows begin at whole cache lines.
[[nodiscard]] constexpr std::uint64_t padded(std::uint64_t length) { return (length + 15) / 16 * 16; }

/// Rows of a stored plane that are copied at a time: about 32 MiB.
[[nodiscard]] constexpr std::uint64_t delivery_rows(std::uint64_t rows, std::uint64_t width) {
  std::uint64_t fitting = (std::uint64_t{1} << 22) / (width < 1 ? 1 : width);
  fitting = fitting < rows ? fitting : rows;
  return fitting < 1 ? 1 : fitting > 32768 ? 32768 : fitting;
}
[[nodiscard]] constexpr std::uint64_t delivery_bytes(std::uint64_t rows, std::uint64_t width) {
  return 8 * delivery_rows(rows, width) * width;
}

/// Where rows go: `values` holds rows first … first+count−1 of the task, valid during the call only. May
/// throw.
class RowReceiver {
 public:
  virtual ~RowReceiver() = default;
  virtual void take(std::uint64_t first, std::uint64_t count, const float* values) = 0;
};

}  // namespace spyctrum::cuda
