// SPDX-License-Identifier: Apache-2.0
// Recognises the matrices of HDF5 files by attributes and names of group members:
//   Binsparse    attribute `binsparse`, JSON: COO, COOC, CSR, CSC, DCSR, DCSC, DMAT
//                (binsparse-specification, 0.1)
//   cooler       groups `bins` and `pixels`: upper triangle of a contact map (open2c/cooler, schema 3)
//   MATLAB 7.3   attribute MATLAB_sparse: `data`, `ir`, `jc` by columns (MathWorks, MAT-files 7.3)
//   AnnData      attribute encoding-type csr_matrix or csc_matrix, h5sparse_format before 0.7; dense X
//                (documentation of anndata)
//   10x          `data`, `indices`, `indptr`, `shape` by columns, features × barcodes
//                (documentation of Cell Ranger)
//   h5Seurat     `data`, `indices`, `indptr` by columns and an attribute `dims` (documentation of SeuratDisk)
//   Julia        `colptr`, `rowval`, `nzval` by columns, counted from 1, and `m`, `n` (documentation of
//                SparseArrays); JLD2 stores them as the fields of a structure
//   Octave       `cidx`, `ridx`, `data` by columns, and `nr`, `nc` (save -hdf5)
//   generic      `data`, `indices`, `indptr`, `shape` by rows, or by columns if the number of pointers
//   requires it; `row`, `col`, `data`, also under other names. Without `shape` the matrix ends at the largest
//   index
//   others       arrays of two dimensions, as dense matrices, if the file has no other matrix; MATLAB's only
//   if the user names one. MATLAB and Octave store columns as rows
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/io/hdf5/child/objects.hpp"
#include "core/io/hdf5/messages.hpp"

namespace spyctrum::hdf5 {

/// Receives entries in any order.
class Sender {
 public:
  virtual ~Sender() = default;
  /// Receives an entry; `values`: as many numbers as set_numbers_per_value() has declared.
  virtual void entry(std::uint64_t row, std::uint64_t col, const double* values) = 0;
  /// 0 for a pattern, 1, or 2 for complex values. Called before the first entry.
  virtual void set_numbers_per_value(std::uint32_t numbers) = 0;
};

/// A named range of rows, and of columns with the same numbers: a chromosome of a contact map.
struct Part {
  std::uint64_t begin = 0;
  std::string name;
};

struct FoundMatrix {
  MatrixHead head{};
  std::string name;
  std::string layout;                   ///< "csr", "csc", "coo", "dcsr", "dcsc", "dense"
  std::string field;                    ///< "pattern", "integer", "real", "complex", "logical"
  std::string symmetry = "general";     ///< as stored: "symmetric", "hermitian", "skew-symmetric"
  std::vector<Part> parts{};            ///< ascending, of at most kMostParts
  std::function<void(Sender&)> send{};  ///< throws Refused
  /// The places of its arrays in the file: indptr, indices and perhaps data; none if the program cannot read
  /// them itself.
  std::function<StoredMatrix()> stored = [] { return StoredMatrix(); };
};

struct LeftOut {
  std::string name;
  std::string why;
};

struct Contents {
  std::vector<FoundMatrix> matrices;  ///< by path
  std::vector<LeftOut> left_out;
};

/// Finds all matrices of the file; reads only short arrays. `balanced`: entries of contact maps are
/// multiplied by the balancing weights. Throws Refused if groups cannot be read.
[[nodiscard]] Contents contents_of(const Group& root, bool balanced);

}  // namespace spyctrum::hdf5
