// SPDX-License-Identifier: Apache-2.0
// Lists of edges in arrays of whole numbers: 2 × E, the sources and then the targets, as PyTorch Geometric's
// edge_index, or E × 2.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "core/io/import_options.hpp"
#include "core/io/numpy/numpy_array.hpp"

namespace spyctrum {

inline constexpr std::array<std::string_view, 2> kArrayMeanings{"matrix", "edges"};
inline constexpr std::array<ImportOption, 1> kArrayOptions{
    ImportOption{"array", kArrayMeanings,
                 "whole numbers in two rows or two columns: a dense matrix, or the "
                 "ends of edges"}};

/// Whether the array is read as a list of edges: as the user has chosen, else if it is called edge_index and
/// has two rows of more than two whole numbers. `stem`: its path without .npy.
[[nodiscard]] bool is_edges(const NumpyArray& array, std::string_view stem, const LoadOptions& options);
/// Records in the report whether the array is edges, if it could be.
void note_meaning(Matrix& matrix, const NumpyArray& facts, bool is_edges, const LoadOptions& options);
/// What a file may hold beside a list of edges.
struct EdgeParts {
  std::optional<NumpyArray> weights;  ///< one number for each edge
  std::uint64_t vertices = 0;         ///< 0: they end at the largest one in the list
};
/// The matrix with an entry (source, target) for each edge; vertices count from 0. Throws Failure{bad_input}
/// if a vertex is negative or too large.
[[nodiscard]] Matrix matrix_of_edges(const NumpyArray& array, const EdgeParts& parts,
                                     const LoadOptions& options, JobContext& context);

}  // namespace spyctrum
