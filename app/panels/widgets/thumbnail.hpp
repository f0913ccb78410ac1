// SPDX-License-Identifier: Apache-2.0
// Small sketches for the cards of the gallery: the typical pattern of each kind of generator, drawn without
// generating a matrix. Deterministic.
#pragma once

#include <string_view>

namespace spyctrum::panels {

inline constexpr int kThumbnailCells = 32;

/// "gen:band:n=512" → "band"; empty for other texts.
[[nodiscard]] std::string_view generator_kind(std::string_view source);
/// Whether the sketch of `kind` has a dot at (row, col), 0 … kThumbnailCells−1.
[[nodiscard]] bool thumbnail_dot(std::string_view kind, int row, int col);

}  // namespace spyctrum::panels
