// SPDX-License-Identifier: Apache-2.0
// Whole lines of the plane on a device, for the features of the method Elastic: the power of each line of a
// direction, and sums over chosen lines and over samples (definitions: core/features/line_family.hpp,
// feature_bins.hpp). Arrays belong to the host; results are written when the call returns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/device/interface/power_sums.hpp"

namespace spyctrum::cuda {

class DeviceData;

/// As LineDirection: u = c; v = c; u + v ≡ c; u − v ≡ c (mod n), the last two of square patterns only.
enum class PlaneLine : std::uint8_t { rows, columns, sums, differences };
inline constexpr std::size_t kPlaneLines = 4;

/// The number of random projections of a pattern onto the lines of a direction.
inline constexpr std::size_t kProjections = 16;

/// Powers of all lines c of some directions, estimated by random projections r with a sign s_r[t] = ±1 for
/// each position t along a line: powers[c] = 2·Σ_r |Σ_entries s_r[t]·e^{−2πi·c·x/lines}|², where x is the
/// index of an entry that c multiplies (core/features/line_family.hpp). The caller divides by
/// line_power_unit(). Sides up to 2^30. Equal tasks give equal bits on the same device.
struct LinePowersTask {
  static constexpr const char* kName = "line powers";
  const DeviceData* pattern = nullptr;   ///< of Pictures::upload_pattern()
  const std::uint16_t* signs = nullptr;  ///< [max(m, n)]: bit r set: +1 in projection r, else −1
  float* powers[kPlaneLines] = {};       ///< by direction, [number of lines]; null: not computed
};

/// The chosen lines of each direction, one byte per DFT index; null if none are chosen.
struct LineMasks {
  const std::uint8_t* of[kPlaneLines] = {};
};

/// One line: which of its coefficients are excluded, and whether those above most_power are summed
/// separately.
struct LineRequest {
  std::uint32_t line = 0;       ///< DFT index
  std::uint8_t excluded = 0;    ///< bit d: coefficients on chosen lines of direction d
  bool splits = false;          ///< coefficients with P > most_power are summed separately
  bool mirror_differs = false;  ///< at u = −m/2, half of P goes to the class of −v
};

/// Sums over whole lines; each coefficient of a line counts once. Sides up to 2^30. Equal tasks give equal
/// bits on the same device.
struct LineSumsTask {
  static constexpr const char* kName = "line sums";
  const DeviceData* pattern = nullptr;
  bool symmetric = false;  ///< F[u, v] = F[v, u]
  LineMasks masks;
  float most_power = 0;
  double floor = 0;       ///< a power below the octave of `floor` enters Σ ln as `floor`
  double zero_floor = 0;  ///< a power below the octave of `zero_floor`, and below ¼, is zero
  const LineRequest* lines[kPlaneLines] = {};  ///< by direction, [count]
  std::uint64_t count[kPlaneLines] = {};
  /// [count]: P ≤ most_power, or all coefficients if the line does not split
  Moments* below[kPlaneLines] = {};
  Moments* above[kPlaneLines] = {};  ///< [count]: P > most_power; null if no line splits
};

/// Sums over the bulk: the samples of a grid that are on no chosen line and have P ≤ most_power.
struct BulkReduction {
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  std::uint64_t rows = 0;
  std::uint64_t width = 0;
  const std::uint32_t* u = nullptr;  ///< [rows], DFT index
  const std::uint32_t* v = nullptr;  ///< [width]
  LineMasks masks;
  float most_power = 0;
  double floor = 0;  ///< as in LineSumsTask
  double zero_floor = 0;
  Moments* sums = nullptr;
};

inline constexpr std::uint64_t kLinesAtOnce = 32;         ///< transformed together, a lane of a warp each
inline constexpr std::uint64_t kLinePiece = 64;           ///< entries that one warp sums
inline constexpr std::uint64_t kLineCoefficients = 8192;  ///< coefficients of a line that one block sums

}  // namespace spyctrum::cuda
