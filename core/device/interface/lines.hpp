// SPDX-License-Identifier: Apache-2.0
// What the CUDA module computes of whole lines of the plane for the decoder of Elastic's features: how much
// power each line of a direction holds, and sums over chosen lines and over samples, coefficient by
// coefficient (definitions: core/features/line_family.hpp, feature_bins.hpp, moments.hpp). Plain data, like
// module.hpp; arrays are the host's, results are written when the call that was given them returns.
#pragma once

#include <cstddef>
#include <cstdint>

namespace spyctrum::cuda {

class DeviceData;

/// As LineDirection: u = c; v = c; u + v ≡ c; u − v ≡ c (mod n), the last two of square patterns only.
enum class PlaneLine : std::uint8_t { rows, columns, sums, differences };
inline constexpr std::size_t kPlaneLines = 4;

/// Random projections of a pattern onto the lines of a direction, one sign for each place along a line.
inline constexpr std::size_t kProjections = 16;

/// Σ over the projections of their power, by line: what line_powers() divides by.
struct LinePowersTask {
  const DeviceData* pattern = nullptr;   ///< of Pictures::upload_pattern()
  const std::uint16_t* signs = nullptr;  ///< [max(m, n)]: bit r set: +1 in projection r, else −1
  float* powers[kPlaneLines] = {};       ///< by direction, [number of lines]; null: not asked for
};

/// Lines of each direction that are chosen, by DFT index; null where none are.
struct LineMasks {
  const std::uint8_t* of[kPlaneLines] = {};
};

/// Σ P by radial bin and sector, Σ P at low frequencies, Σ P ln P, Σ ln max(P, floor), count, in this order:
/// Moments. DC is never counted.
inline constexpr std::size_t kCellSums = 28;
struct CellSums {
  double of[kCellSums] = {};
};

/// Of one line: which coefficients are left out, and what is kept apart.
struct LineRequest {
  std::uint32_t line = 0;       ///< DFT index
  std::uint8_t left_out = 0;    ///< bit d: those on chosen lines of direction d
  bool splits = false;          ///< coefficients above `most_power` are summed in `above`
  bool mirror_differs = false;  ///< of u = −m/2, half goes to the class of its mirror
};

/// Sums over whole lines. A coefficient counts once, whatever its line stands for besides.
struct LineSumsTask {
  const DeviceData* pattern = nullptr;
  bool symmetric = false;  ///< columns are rows, F[u,v] = F[v,u]
  LineMasks masks;
  float most_power = 0;
  double floor = 0;                            ///< powers below its octave enter Σ ln as this
  const LineRequest* lines[kPlaneLines] = {};  ///< by direction, [count]
  std::uint64_t count[kPlaneLines] = {};
  CellSums* below[kPlaneLines] = {};  ///< [count]
  CellSums* above[kPlaneLines] = {};  ///< [count]; null where no line splits
};

/// Sums over the samples of a grid that are on no chosen line, of at most `most_power`.
struct BulkReduction {
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  std::uint64_t rows = 0;
  std::uint64_t width = 0;
  const std::uint32_t* u = nullptr;  ///< [rows], DFT index
  const std::uint32_t* v = nullptr;  ///< [width]
  LineMasks masks;
  float most_power = 0;
  double floor = 0;
  CellSums* sums = nullptr;
};

inline constexpr std::uint64_t kLinesAtOnce = 32;  ///< transformed together, a lane of a warp each
inline constexpr std::uint64_t kLinePiece = 64;    ///< entries that one warp sums
inline constexpr std::uint64_t kLineCells = 8192;  ///< coefficients of a line that one block sums

}  // namespace spyctrum::cuda
