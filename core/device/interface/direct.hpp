// SPDX-License-Identifier: Apache-2.0
// Direct sums of coefficients on a device, in double precision: for windows so small that thousands of
// entries would fall on one cell of a fine grid, and for any frequencies if whole rows do not fit into
// memory. H×W coefficients of K entries take K·H·W terms, and memory that depends on neither m nor n.
#pragma once

#include <cstdint>

#include "core/device/interface/host.hpp"
#include "core/device/interface/pictures.hpp"
#include "core/device/interface/reductions.hpp"
#include "core/device/interface/rows.hpp"

namespace spyctrum::cuda {

/// Side of the square of coefficients that one thread block sums.
inline constexpr std::uint64_t kDirectTile = 64;
/// The most sums (tiles times parts of the entries) that one launch computes.
inline constexpr std::uint64_t kDirectSums = 1024;

/// The division of a task: one launch computes `down` × `across` tiles, each as sums over `parts` parts of
/// the entries, which are added afterwards in a fixed order.
struct DirectCut {
  std::uint64_t down = 1;
  std::uint64_t across = 1;
  std::uint64_t parts = 1;
  [[nodiscard]] constexpr std::uint64_t bytes() const {
    return 16 * kDirectTile * kDirectTile * down * across * parts;
  }
};
/// The division for rows × cols coefficients, both at least 1, computed delivery_rows() rows at a time.
[[nodiscard]] constexpr DirectCut direct_cut(std::uint64_t rows, std::uint64_t cols, std::uint64_t entries) {
  const auto least = [](std::uint64_t a, std::uint64_t b) { return a < b ? a : b; };
  const auto tiles = [](std::uint64_t count) { return count == 0 ? 1 : (count - 1) / kDirectTile + 1; };
  DirectCut cut;
  cut.across = least(tiles(cols), kDirectSums);
  cut.down = least(tiles(delivery_rows(rows, cols)), kDirectSums / cut.across);
  // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): both factors are 1 to 1,024
  cut.parts = least(kDirectSums / (cut.down * cut.across), entries / 256 + 1);
  return cut;
}

/// rows × cols coefficients at the frequencies (u[p], v[q]), row by row. Equal tasks give equal bits on the
/// same device.
struct DirectTask {
  static constexpr const char* kName = "direct sums";
  const DeviceData* pattern = nullptr;     ///< of Pictures::upload_pattern()
  std::uint64_t rows = 0;                  ///< at least 1
  std::uint64_t cols = 0;                  ///< at least 1
  const std::uint32_t* u = nullptr;        ///< [rows] on the host, 0 … m−1
  const std::uint32_t* v = nullptr;        ///< [cols] on the host, 0 … n−1
  RowReceiver* receiver = nullptr;         ///< null: values are not copied to the host
  const Reductions* reductions = nullptr;  ///< of the values, row by row; null: none
};

}  // namespace spyctrum::cuda
