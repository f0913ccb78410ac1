// SPDX-License-Identifier: Apache-2.0
// A matrix of compressed rows or columns in arrays, as SciPy and AnnData store them.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/io/numpy/numpy_array.hpp"

namespace spyctrum {

/// The arrays of one matrix by their role: data, indices, indptr, shape, row, col, offsets, format.
using Parts = std::map<std::string, NumpyArray, std::less<>>;

/// Throws Failure{bad_input} if there is none.
[[nodiscard]] const NumpyArray& part(const Parts& parts, std::string_view role);

/// The ends of the compressed rows or columns. Throws Failure{bad_input} unless there are `majors` + 1
/// pointers that do not decrease and do not exceed `stored`.
[[nodiscard]] BookedVector<std::uint64_t> ends_of(const NumpyArray& pointers, std::uint64_t majors,
                                                  std::uint64_t stored, JobContext& context);

/// The matrix of compressed rows or columns with these ends, made on all threads; frees its arrays. `mirror`:
/// which entry each entry implies. Shows a picture unless `is_shown`.
[[nodiscard]] Matrix compressed_matrix(Parts& parts, const BookedVector<std::uint64_t>& ends,
                                       const MatrixInFile& matrix, bool by_rows, Mirror mirror,
                                       const LoadOptions& options, JobContext& context,
                                       bool is_shown = false);

}  // namespace spyctrum
