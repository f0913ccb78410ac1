// SPDX-License-Identifier: Apache-2.0
// Reads the arrays of compressed rows or columns, whose pieces the child has located in the file, and unpacks
// them on all threads.
#pragma once

#include <optional>

#include "core/io/hdf5/child_matrices.hpp"
#include "core/io/hdf5/messages.hpp"

namespace spyctrum::hdf5 {

/// Reads the matrix from the arrays `stored` of the file `descriptor`. Empty if they are damaged or do not
/// fit the matrix: the child's answer to a request for its entries then has the message for the user. Throws
/// Failure{cancelled}, {out_of_memory}.
[[nodiscard]] std::optional<Matrix> matrix_of_arrays(int descriptor, const StoredMatrix& stored,
                                                     const ListedMatrix& matrix, Mirror mirror,
                                                     const LoadOptions& options, JobContext& context);

}  // namespace spyctrum::hdf5
