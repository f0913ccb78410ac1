// SPDX-License-Identifier: Apache-2.0
// The lattice engine on a device: coefficients at two arithmetic progressions of frequencies by a type-1
// non-uniform FFT of the size of the output (core/fft/lattice_axis.hpp has the mathematics).
#pragma once

#include <cstdint>
#include <iterator>

#include "core/device/interface/cosets.hpp"
#include "core/device/interface/fft_shape.hpp"
#include "core/device/interface/host.hpp"
#include "core/device/interface/pictures.hpp"
#include "core/device/interface/reductions.hpp"

namespace spyctrum::cuda {

/// Side of a tile of the fine grid: kTileCells × kTileCells cells, which one warp sums in its registers.
inline constexpr std::uint32_t kTileCells = 16;

/// One axis of a lattice, from which the device makes its tables: for each slot of the pattern's rows (or
/// columns) its cell on the fine grid, its taps and its phase, and for each output its correction. The CPU
/// makes the same tables (core/fft/lattice_axis.hpp).
///
/// The outputs of a long axis are computed as s = `cosets` lattices, one after the other on the same fine
/// grid: outputs p ≡ r (mod s) are the lattice of coset r, whose frequencies are s times as far apart. All
/// members but `count` are those of coset 0; coset r differs by its centre alone, (centre + r·apart) mod m.
struct LatticeAxisSpec {
  std::uint64_t size = 1;      ///< m
  std::uint64_t step = 0;      ///< distance of the frequencies, mod m
  std::uint64_t centre = 0;    ///< the frequency, mod m, of output `middle`; sources have its phase
  std::uint64_t fine = 1;      ///< cells of the fine grid
  std::uint64_t distinct = 1;  ///< outputs computed: min(their number, period of the frequencies)
  std::uint64_t count = 1;   ///< requested outputs of all cosets; output p of a coset repeats p mod distinct
  std::uint64_t middle = 0;  ///< output p is the fine frequency (p − middle) mod fine
  std::uint64_t cosets = 1;  ///< s
  std::uint64_t apart = 0;   ///< distance of neighbouring outputs' frequencies, mod m; unused if s = 1
  /// if not 0, the source of row (column) i lies exactly on cell ((b·i) mod m)/cell; 0: it is spread over
  /// `taps` cells
  std::uint64_t cell = 0;
  std::uint32_t taps = 1;  ///< w, at most kMostLatticeTaps; 1 if sources lie on cells
  // Only if sources are spread:
  double beta = 0;                      ///< of φ (core/fft/spread_shape.hpp)
  std::uint32_t powers = 0;             ///< at most kMostPowers
  std::uint32_t nodes = 0;              ///< at most kMostNodes
  const double* polynomials = nullptr;  ///< [powers × taps]: tap a at offset x is Σ_k (2x−1)^k·[k, a]
  const double* places = nullptr;       ///< [nodes] z and
  const double* values = nullptr;  ///< [nodes] y: φ̂(k) = Σ y·cos(2πkz/fine); output k is multiplied by 1/φ̂(k)

  /// True if the fine frequencies are the outputs: none is cut off, repeated or corrected.
  [[nodiscard]] constexpr bool is_output() const {
    return cosets == 1 && cell != 0 && fine == count && distinct == count;
  }
  /// Different outputs of all cosets; output p repeats p mod outputs().
  [[nodiscard]] constexpr std::uint64_t outputs() const { return cosets == 1 ? distinct : count; }
  /// Most tiles that the taps of a source reach: two, or three if the last tile is shorter than the taps.
  [[nodiscard]] constexpr std::uint32_t reaches() const {
    const std::uint64_t last = fine % kTileCells;
    if (taps == 1 || fine <= kTileCells) return 1;
    return last == 0 || last + 1 >= taps || fine < std::uint64_t{2} * kTileCells ? 2 : 3;
  }
};
inline constexpr std::uint32_t kMostLatticeTaps = 12;
inline constexpr std::uint32_t kMostPowers = 18;
inline constexpr std::uint32_t kMostNodes = 24;

/// The order of a pattern's entries for spreading onto the fine grid of a lattice.
enum class LatticeOrder : std::uint8_t {
  tiles,  ///< by the tiles that their taps reach
  cells,  ///< by their cells: if both axes have sources on cells, and most cells have none
  /// by the first of the cells along the column axis that their taps reach: for lattices that are computed by
  /// groups of cosets, a line of each in the shared memory of one thread block (kGroupLengths)
  groups,
};

/// Cells of an axis of a lattice in groups onto which entries are spread. The numbers of cosets of both axes
/// are powers of two, so that groups of kCosetLines are full.
inline constexpr CosetLength kGroupLengths[] = {
    {20, 10, 10, CosetCellsFrom::spread}, {20, 12, 10, CosetCellsFrom::spread},
    {20, 14, 10, CosetCellsFrom::spread}, {20, 16, 10, CosetCellsFrom::spread},
    {20, 15, 12, CosetCellsFrom::spread}, {20, 20, 10, CosetCellsFrom::spread},
    {25, 18, 10, CosetCellsFrom::spread}, {25, 20, 10, CosetCellsFrom::spread},
    {24, 16, 14, CosetCellsFrom::spread}, {24, 15, 16, CosetCellsFrom::spread},
    {24, 16, 16, CosetCellsFrom::spread}, {28, 15, 16, CosetCellsFrom::spread},
    {28, 16, 16, CosetCellsFrom::spread}};
/// The same where the sources of both axes lie on cells and all frequencies are outputs.
inline constexpr CosetLength kFoldedGroupLengths[] = {
    {20, 10, 10, CosetCellsFrom::spread}, {16, 16, 8, CosetCellsFrom::spread},
    {25, 10, 10, CosetCellsFrom::spread}, {25, 5, 25, CosetCellsFrom::spread},
    {20, 20, 10, CosetCellsFrom::spread}, {16, 16, 16, CosetCellsFrom::spread}};
/// The first of kGroupLengths or, if an axis `folds`, of kFoldedGroupLengths, and the number of these
/// lengths.
[[nodiscard]] constexpr const CosetLength* group_lengths(bool folds) {
  return folds ? std::begin(kFoldedGroupLengths) : std::begin(kGroupLengths);
}
[[nodiscard]] constexpr int group_length_count(bool folds) {
  return static_cast<int>(folds ? std::size(kFoldedGroupLengths) : std::size(kGroupLengths));
}
/// The length of an axis of `fine` cells; null: none.
[[nodiscard]] constexpr const CosetLength* group_length(std::uint64_t fine, bool folds) {
  const CosetLength* const lengths = group_lengths(folds);
  for (int k = 0; k < group_length_count(folds); ++k)
    if (lengths[k].transformed() == fine) return lengths + k;
  return nullptr;
}
/// The oversampling (cells per output of a coset) at least, and at most, of a lattice in groups.
inline constexpr double kGroupOversampling = 1.49;
inline constexpr double kMostGroupOversampling = 2;
/// Cosets of a lattice in groups that are transformed at once, of `total`: their values between the
/// transforms of the two axes take up to 1 GiB, or those of one group.
[[nodiscard]] constexpr std::uint64_t group_cosets_at_once(std::uint64_t total,
                                                           std::uint64_t values_of_coset) {
  const std::uint64_t cosets = (std::uint64_t{1} << 27U) / (kCosetLines * values_of_coset) * kCosetLines;
  const std::uint64_t most = cosets < kMostCosetsAtOnce ? cosets : kMostCosetsAtOnce;
  return most < kCosetLines ? kCosetLines : most < total ? most : total;
}

/// The most visits of a tile that one warp sums, so many that the parts occupy a large device; tiles with
/// more are divided into parts. A visit is an entry and a tile that its taps reach; `visits`: their number.
[[nodiscard]] constexpr std::uint64_t longest_part(std::uint64_t visits) {
  return visits / 8192 < 256 ? 256 : visits / 8192;
}

/// An output of one axis that contains `share` times the values at frequency 0 of that axis, which are
/// subtracted (core/fft/axis_leaks.hpp).
struct OutputLeak {
  std::uint32_t output = 0;  ///< below LatticeAxisSpec::outputs()
  float share = 0;
};
/// How frequency 0 of one axis appears among its outputs, and the values at that frequency: F[0, v] where the
/// axis is that of the rows, F[u, 0] for columns.
struct AxisCorrections {
  const OutputLeak* leaks = nullptr;  ///< [count], of different outputs
  std::uint32_t count = 0;
  bool has_zero = false;
  std::uint32_t zero = 0;         ///< the output at frequency 0, replaced by the values; only with has_zero
  const float* values = nullptr;  ///< [2 × outputs() of the other axis]; unused without leaks and zero
};
inline constexpr std::uint32_t kMostLeaksOfAxis = 256;  ///< in all cosets
/// Computes the corrections of a lattice on the host.
class LatticeCorrections {
 public:
  struct Axes {
    AxisCorrections rows;
    AxisCorrections cols;
  };
  virtual ~LatticeCorrections() = default;
  /// Called once, while the device transforms. The arrays are valid until the task has ended. May throw.
  [[nodiscard]] virtual Axes compute() = 0;
};

/// rows.count × cols.count coefficients, row-major. Sums are in a fixed order, so that equal tasks give equal
/// bits on the same device.
struct LatticeTask {
  static constexpr const char* kName = "lattice";
  const DeviceData* pattern = nullptr;  ///< of Pictures::upload_pattern()
  const DeviceData* order = nullptr;    ///< of Pictures::sort_order() of that pattern and these axes
  LatticeAxisSpec rows;
  LatticeAxisSpec cols;
  LatticeOrder by = LatticeOrder::tiles;      ///< of `order`
  LatticeCorrections* corrections = nullptr;  ///< null: none
  RowReceiver* receiver = nullptr;            ///< null: values are not copied to the host
  const Reductions* reductions = nullptr;     ///< of the values, row by row; null: none
};

/// The lattice rows of all pairs of cosets, before they are cut to the outputs: coset r of the rows with
/// coset c of the columns has rows.distinct × cols.fine values, and is number r·cols.cosets + c.
struct LatticeRows {
  std::uint64_t pairs = 1;
  /// values from one pair to the next; each begins at a multiple of 256 bytes
  std::uint64_t stride = 0;
  constexpr LatticeRows(std::uint64_t row_cosets, std::uint64_t col_cosets, std::uint64_t distinct_rows,
                        std::uint64_t fine_cols)
      : pairs(row_cosets * col_cosets),
        stride(pairs == 1 ? distinct_rows * fine_cols : (distinct_rows * fine_cols + 31) / 32 * 32) {}
  [[nodiscard]] constexpr std::uint64_t values() const { return pairs * stride; }
};

/// The FFTs along one axis of a lattice: `lines` of `length` values.
[[nodiscard]] constexpr FftShape lattice_fft(std::uint64_t length, std::uint64_t lines) {
  return {false, 1, length, length, lines};
}

}  // namespace spyctrum::cuda
