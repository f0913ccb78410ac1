// SPDX-License-Identifier: Apache-2.0
// The lattice engine on a device: coefficients at two arithmetic progressions of frequencies by a type-1
// non-uniform FFT of the size of the output (core/fft/lattice_axis.hpp has the mathematics).
#pragma once

#include <cstdint>

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
};

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
