// SPDX-License-Identifier: Apache-2.0
// How the pictures of the comparison are arranged. Kept in the settings and in sessions.
#pragma once

#include <array>

namespace spyctrum {

enum class GridForm {
  automatic,      ///< the one of the next four that gives the pictures the largest area
  columns,        ///< each method a column; all pictures of one size
  columns_large,  ///< each method a column; spectra large, the other pictures small
  rows,           ///< each method a row; all pictures of one size
  rows_large,     ///< each method a row; spectra large, the other pictures small
  one_large,      ///< one method large (Column::large, else the first), the others as strips; never automatic
};

/// The names in files, in the order of the enumerators.
inline constexpr std::array<const char*, 6> kGridForms{"automatic", "columns",    "columns-large",
                                                       "rows",      "rows-large", "one-large"};
/// The largest number of lines of methods that can be pinned.
inline constexpr unsigned kMostGridLines = 4;

}  // namespace spyctrum
