// SPDX-License-Identifier: Apache-2.0
// The line between the programs and the CUDA module, which is loaded at run time: plain data and abstract
// classes only, no CUDA type and no Failure, so that neither side needs the other's libraries. Coefficients
// are unnormalised, forward e^{−2πi(ui/m+vj/n)}, interleaved single-precision real and imaginary parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "core/base/cuda_lines.hpp"
#include "core/base/cuda_nufft.hpp"
#include "core/base/cuda_pictures.hpp"
#include "core/base/cuda_reductions.hpp"
#include "core/base/cuda_slices.hpp"

namespace spyctrum::cuda {

/// Raised with every change of this file; a module of another version is not used.
inline constexpr std::uint32_t kInterfaceVersion = 9;

/// Compute capability 7.5, the oldest that current toolkits compile for.
inline constexpr int kOldestCapability = 75;

enum class Trouble {
  out_of_memory,  ///< of the device
  unsupported,    ///< by this device or its libraries, at these sizes
  device,         ///< any other error that CUDA or cuFFT reported
  lost,           ///< an error after which CUDA answers nothing else until the process ends
};

/// What a job offers the module. Every call but unbook() may throw; the module lets exceptions pass and frees
/// what it holds on the way.
class Host {
 public:
  virtual ~Host() = default;
  virtual void begin_stage(const char* name) = 0;
  /// Progress, and the point of cancellation.
  virtual void checkpoint(std::uint64_t done, std::uint64_t total) = 0;
  /// Counts device bytes, cuFFT's work areas included.
  virtual void book(std::uint64_t bytes, const char* purpose) = 0;
  virtual void unbook(std::uint64_t bytes) noexcept = 0;
  /// The same for page-locked memory of the host.
  virtual void book_host(std::uint64_t bytes, const char* purpose) = 0;
  virtual void unbook_host(std::uint64_t bytes) noexcept = 0;
  /// Asked when an allocation failed: gives back device memory that is only kept for later. False: there was
  /// none.
  [[nodiscard]] virtual bool reclaim() noexcept { return false; }
  /// Throws. `native`: the cudaError or cufftResult.
  [[noreturn]] virtual void fail(Trouble trouble, const char* what, std::int64_t native) = 0;
};

/// A pattern in compressed columns, the non-empty ones only; all pointers to host memory.
struct PatternView {
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::uint64_t nonzeros = 0;
  std::uint64_t active = 0;                     ///< columns that hold entries
  const std::uint32_t* column_ids = nullptr;    ///< [active]
  const std::int64_t* column_starts = nullptr;  ///< [active + 1]
  const std::uint32_t* row_indices = nullptr;   ///< [nonzeros]
};

enum class RowAlgorithm {
  paper,  ///< Algorithms 1 and 2: a sine and a cosine per term, direct or Bluestein by the paper's rule
  ours,   ///< pairs of rows around exact anchors, one FFT of a length that cuFFT is fast at
};

enum class RowOutput {
  rows,        ///< n coefficients of each row
  gather,      ///< those of `columns`
  paper_half,  ///< Algorithm 1: all m×(⌊n/2⌋+1) coefficients stored on the device first, mirrored rows
               ///< included; handed out as rows. The frequencies must be 0 … ⌊m/2⌋
};

/// Cells of the fine grid that one warp sums in its registers: kTileCells lines of as many.
inline constexpr std::uint32_t kTileCells = 16;

/// One axis of a lattice, from which the device makes its tables: per slot of the pattern's rows (or active
/// columns) where it lands on the fine grid, with which taps and phase, and per output what it is multiplied
/// by (core/fft/lattice_axis.hpp has the mathematics and the same tables on the CPU).
struct LatticeAxisSpec {
  std::uint64_t size = 1;    ///< m
  std::uint64_t step = 0;    ///< b mod m
  std::uint64_t centre = 0;  ///< the frequency, mod m, of output `middle`: the sources carry its phase
  std::uint64_t fine = 1;    ///< cells
  std::uint64_t kept = 1;    ///< outputs computed
  std::uint64_t count = 1;   ///< outputs wanted; output p repeats p mod kept
  std::uint64_t middle = 0;  ///< output p is the fine frequency (p − middle) mod fine
  std::uint64_t cell = 0;    ///< source i is on cell ((b·i) mod m)/cell exactly; 0: it is spread over `taps`
  std::uint32_t taps = 1;    ///< w, at most kMostLatticeTaps; 1 where sources are on cells
  // Where sources are spread, else empty:
  std::uint32_t powers = 0;             ///< at most kMostPowers
  std::uint32_t nodes = 0;              ///< at most kMostNodes
  const double* polynomials = nullptr;  ///< [powers × taps]: tap a at offset x is Σ_k (2x−1)^k·[k, a]
  const double* places = nullptr;       ///< [nodes] z and
  const double* values = nullptr;  ///< [nodes] y: φ̂(k) = Σ y·cos(2πkz/fine), 1/φ̂ corrects an output

  /// The fine frequencies are the outputs as they are wanted: none is cut or corrected.
  [[nodiscard]] constexpr bool is_output() const { return cell != 0 && fine == count && kept == count; }
  /// Tiles that the taps of a source reach, at most: two, or three across a last one that is shorter than
  /// they are.
  [[nodiscard]] constexpr std::uint32_t reaches() const {
    const std::uint64_t last = fine % kTileCells;
    if (taps == 1 || fine <= kTileCells) return 1;
    return last == 0 || last + 1 >= taps || fine < std::uint64_t{2} * kTileCells ? 2 : 3;
  }
};
inline constexpr std::uint32_t kMostLatticeTaps = 12;
inline constexpr std::uint32_t kMostPowers = 18;
inline constexpr std::uint32_t kMostNodes = 24;

/// How the entries of a pattern are sorted for the fine grid of a lattice.
enum class LatticeOrder : std::uint8_t {
  tiles,  ///< by the tiles that they reach
  cells,  ///< by their cells, where both axes have sources on cells and most cells have none
};

/// Visits of tiles by entries that one warp sums at most: parts enough to fill a large device, but none too
/// short to be worth a warp.
[[nodiscard]] constexpr std::uint64_t longest_part(std::uint64_t visits) {
  return visits / 8192 < 256 ? 256 : visits / 8192;
}

/// How the FFT of a row is taken of which |v| ≤ half_width is wanted.
struct RowShape {
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
[[nodiscard]] constexpr std::uint64_t values_of_cell(const RowShape& shape, std::uint64_t n) {
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
  const RowShape* shapes = nullptr;
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
  return algorithm == RowAlgorithm::ours ? n : row_length(n);
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

struct LatticeTask {
  const DeviceData* pattern = nullptr;  ///< of Pictures::keep_pattern()
  const DeviceData* order = nullptr;    ///< of Pictures::keep_order() of that pattern and these axes
  LatticeAxisSpec rows;
  LatticeAxisSpec cols;
  std::uint32_t times = 1;  ///< to be timed: computed so often, one behind the other; the last is timed
  const Reductions* reductions = nullptr;  ///< of the values, row by row; null for nothing
};

/// A cuFFT transform of single precision: `batch` of rows × length (one dimension: rows = 1), real ones in
/// place with lines padded to 2(⌊length/2⌋+1).
struct FftShape {
  bool real = false;
  std::uint64_t rows = 1;
  std::uint64_t length = 1;
  std::uint64_t stride = 1;  ///< from one transform of a batch to the next
  std::uint64_t batch = 1;
};

/// One axis of a lattice's FFT.
[[nodiscard]] constexpr FftShape lattice_fft(std::uint64_t length, std::uint64_t lines) {
  return {false, 1, length, length, lines};
}

/// An axis of the pruned blockwise transform (core/methods/pruned/pruned_axis.hpp): n = l·p.
struct PrunedAxisSpec {
  std::uint64_t size = 1;    ///< n
  std::uint64_t length = 1;  ///< l
  std::uint64_t blocks = 1;  ///< p
  bool real_input = false;
  std::uint64_t outputs = 1;                   ///< k
  const std::uint32_t* frequencies = nullptr;  ///< [k], 0 … n−1, by f mod l, so that reads are coalesced
  const std::uint32_t* positions = nullptr;    ///< [k], where each output goes
};
struct PrunedTask {
  PatternView pattern;
  PrunedAxisSpec down;   ///< of the columns, which are real
  PrunedAxisSpec along;  ///< of the rows that this makes
};
/// Complex values of a line: p blocks of l, or of the ⌊l/2⌋+1 that a real transform keeps.
[[nodiscard]] constexpr std::uint64_t pruned_line_values(const PrunedAxisSpec& axis) {
  return axis.blocks * (axis.real_input ? axis.length / 2 + 1 : axis.length);
}
/// Lines that are transformed at a time: about 128 MiB of them, and some milliseconds of sums.
[[nodiscard]] constexpr std::uint64_t pruned_lines(const PrunedAxisSpec& axis, std::uint64_t lines) {
  const std::uint64_t by_bytes = (std::uint64_t{1} << 24) / pruned_line_values(axis);
  const std::uint64_t by_work = (std::uint64_t{1} << 34) / axis.outputs / axis.blocks;
  std::uint64_t fitting = by_bytes < by_work ? by_bytes : by_work;
  fitting = fitting < lines ? fitting : lines;
  return fitting < 1 ? 1 : fitting;
}
[[nodiscard]] constexpr FftShape pruned_fft(const PrunedAxisSpec& axis, std::uint64_t lines) {
  return {axis.real_input, 1, axis.length, axis.length, axis.blocks * lines};
}

/// The slices of all lines of a call.
[[nodiscard]] constexpr FftShape slice_fft(const SliceSpec& spec) {
  return {false, 1, spec.length, spec.length, 3 * spec.lines};
}

struct DeviceFacts {
  char name[256] = {};
  int capability = 0;  ///< 90 for 9.0
  std::uint64_t free_bytes = 0;
  std::uint64_t total_bytes = 0;
};

/// What a call took on the device alone: from the first kernel to the last. Copies to the host are counted
/// only where rows are streamed to a receiver while others are computed.
struct Timing {
  double device_seconds = 0;
};

class Module {
 public:
  virtual ~Module() = default;
  /// Why no device can be used; empty when one can. Of static storage duration.
  [[nodiscard]] virtual const char* unavailable_reason() = 0;
  [[nodiscard]] virtual int device_count() = 0;
  [[nodiscard]] virtual DeviceFacts facts(int device) = 0;

  /// Bytes of cuFFT's work area, which only the library knows. Allocates nothing.
  [[nodiscard]] virtual std::uint64_t fft_work_bytes(int device, const FftShape& shape, Host& host) = 0;

  /// `receiver` null: rows stay on the device. Then, where they are not reduced either, all of them are kept
  /// until the end, for measurements.
  virtual Timing rows(int device, const RowTask& task, RowReceiver* receiver, Host& host) = 0;
  /// Rows u = 0 … ⌊m/2⌋ of n coefficients, by a real two-dimensional cuFFT of the grid of zeros and ones.
  /// `reductions`: of the rows; null for nothing.
  virtual Timing dense(int device, const PatternView& pattern, RowReceiver* receiver,
                       const Reductions* reductions, Host& host) = 0;
  /// Algorithm 3: the ⌈m/b⌉×⌈n/b⌉ plane in fftshifted order into `values` (host; null to leave it), and what
  /// its rows are reduced to.
  virtual Timing density_map(int device, const PatternView& pattern, std::uint64_t block, float* values,
                             const Reductions* reductions, Host& host) = 0;
  /// The k1×k2 outputs of the two axes, row-major, into `values` (host).
  virtual Timing pruned(int device, const PrunedTask& task, float* values, Host& host) = 0;
  /// cuFINUFFT, which the caller has opened, between two copies. `code`: its error, 0 for none; then the
  /// result is as it was.
  virtual Timing nufft(int device, const NufftTask<float>& task, int& code, Host& host) = 0;
  virtual Timing nufft(int device, const NufftTask<double>& task, int& code, Host& host) = 0;
  /// Lines through a pattern, which is copied; the caller owns the result, and `host` must outlive it.
  [[nodiscard]] virtual Slices* slices(int device, const SliceSpec& spec, Host& host) = 0;
  /// Pictures, as long as the module lives.
  [[nodiscard]] virtual Pictures& pictures() = 0;
  /// Values on rows.count × cols.count into `values` (host; null to leave them). Sums are taken in a fixed
  /// order: equal tasks give equal bits on the same device.
  virtual Timing lattice(int device, const LatticeTask& task, float* values, Host& host) = 0;
  /// Power of every line of some directions, and sums over chosen ones, of patterns with sides up to 2^30.
  /// Equal tasks give equal bits on the same device.
  virtual Timing line_powers(int device, const LinePowersTask& task, Host& host) = 0;
  virtual Timing line_sums(int device, const LineSumsTask& task, Host& host) = 0;
};

/// What the module exports: a module, or null where `interface_version` is not its own.
using ModuleEntry = Module* (*)(std::uint32_t interface_version);
inline constexpr const char* kModuleEntryName = "spyctrum_cuda_module";
inline constexpr const char* kModuleFileName = "libspyctrum_cuda.so";

}  // namespace spyctrum::cuda
