// SPDX-License-Identifier: Apache-2.0
// Binsparse in a NumPy archive (https://graphblas.org/binsparse-specification/): a text `binsparse`, which is
// a description in JSON, and the arrays that it speaks of: pointers_to_1, indices_0, indices_1, values.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/io/numpy/numpy_array.hpp"
#include "core/io/several_matrices.hpp"

namespace spyctrum {

class BinsparseArchive {
 public:
  /// Whether an array of that name may belong to a matrix.
  [[nodiscard]] static bool has_part(std::string_view name);
  void add(std::string name, NumpyArray array) { arrays_.emplace(std::move(name), std::move(array)); }
  /// Whether there is a description; other arrays are none of a matrix without it.
  [[nodiscard]] bool has_matrix() const { return arrays_.contains("binsparse"); }
  /// Names the arrays among those that are no matrix.
  void leave_out(SeveralMatrices& all) const;
  /// Name "", layout and sides. Throws Failure{bad_input} where the description is none of a matrix that is
  /// read: formats COO, COOR, COOC, CSR, CSC, DCSR, DCSC.
  [[nodiscard]] MatrixInFile facts() const;
  /// Throws Failure{bad_input} with the array and element; {cancelled}; {out_of_memory}.
  [[nodiscard]] Matrix matrix(const LoadOptions& options, JobContext& context) const;

 private:
  struct Description;
  [[nodiscard]] Description description() const;
  [[nodiscard]] const NumpyArray& array(std::string_view name) const;
  std::map<std::string, NumpyArray, std::less<>> arrays_;
};

}  // namespace spyctrum
