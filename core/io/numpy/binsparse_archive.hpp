// SPDX-License-Identifier: Apache-2.0
// Binsparse in a NumPy archive (https://graphblas.org/binsparse-specification/): the text `binsparse` is a
// description in JSON of the matrix in the arrays pointers_to_1, indices_0, indices_1 and values.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>

#include "core/io/hdf5/binsparse_description.hpp"
#include "core/io/numpy/numpy_array.hpp"
#include "core/io/several_matrices.hpp"

namespace spyctrum {

class BinsparseArchive {
 public:
  /// Names of the arrays that may belong to a matrix.
  static constexpr std::array<std::string_view, 5> kParts{"binsparse", "pointers_to_1", "indices_0",
                                                          "indices_1", "values"};
  [[nodiscard]] static bool has_part(std::string_view name);
  void add(std::string name, NumpyArray array) { arrays_.emplace(std::move(name), std::move(array)); }
  /// Whether the archive contains a description. Without one, its arrays form no Binsparse matrix.
  [[nodiscard]] bool has_matrix() const { return arrays_.contains("binsparse"); }
  /// The matrix's layout and sides; its name is "". Throws Failure{bad_input} unless the description is that
  /// of a matrix in COO, COOR, COOC, CSR, CSC, DCSR or DCSC.
  [[nodiscard]] MatrixInFile facts() const;
  /// Reads the matrix. Throws Failure{bad_input}, which names the array and element; {cancelled};
  /// {out_of_memory}.
  [[nodiscard]] Matrix matrix(const LoadOptions& options, JobContext& context) const;

 private:
  [[nodiscard]] BinsparseDescription description() const;
  [[nodiscard]] const NumpyArray& array(std::string_view name) const;
  std::map<std::string, NumpyArray, std::less<>> arrays_;
};

}  // namespace spyctrum
