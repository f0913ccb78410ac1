// SPDX-License-Identifier: Apache-2.0
// Compressed rows or columns that lie in the file as HDF5 stores arrays without foreign filters: their pieces
// are read and unpacked here, on all threads, where the child says that they are.
#pragma once

#include <optional>

#include "core/io/hdf5/child_matrices.hpp"
#include "core/io/hdf5/messages.hpp"

namespace spyctrum::hdf5 {

/// Empty if the arrays are not what the matrix needs, or damaged: the child's answer about its entries then
/// has the message for the user. Throws Failure{cancelled}, {out_of_memory}.
[[nodiscard]] std::optional<Matrix> matrix_of_arrays(int descriptor, const StoredMatrix& stored,
                                                     const ListedMatrix& matrix, Mirror mirror,
                                                     const LoadOptions& options, JobContext& context);

}  // namespace spyctrum::hdf5
