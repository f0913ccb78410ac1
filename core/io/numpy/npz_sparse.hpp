// SPDX-License-Identifier: Apache-2.0
// Sparse matrices of the arrays in an .npz archive.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/io/binary_file.hpp"
#include "core/io/numpy/compressed_arrays.hpp"
#include "core/io/numpy/npy_file.hpp"
#include "core/io/unpack.hpp"

namespace spyctrum::npz_reader {

/// An array of the archive that is read again, since only the number of its elements was kept.
class LaterArray {
 public:
  using UsePiece = std::function<void(const NumpyArray& piece, std::uint64_t first)>;

  /// `path`: of the member. Throws Failure{bad_input} if the archive no longer contains it.
  LaterArray(const ByteSource& source, std::string_view name, const std::string& path, JobContext& context);
  /// Type and shape of the elements.
  [[nodiscard]] const NumpyArray& facts() const { return array_; }
  /// Fills `bytes` with the next elements. Throws Failure{bad_input}.
  void read(std::span<char> bytes);
  /// Reads all elements in pieces; use(piece, number of its first element).
  void read_pieces(const UsePiece& use);
  /// Reads the archive to its end.
  void finish();

 private:
  JobContext& context_;
  std::unique_ptr<ByteSource> file_;
  std::unique_ptr<ArchiveMembers> members_;
  std::optional<BinaryFile> bytes_;
  NumpyArray array_;
};

/// The matrix `chosen`, in its layout csr, csc, coo, bsr or dia, of arrays that are moved out of `parts`.
/// `open_data` opens the array data if only the number of its elements was kept. Throws Failure{bad_input}.
[[nodiscard]] Matrix sparse_matrix(Parts& parts, const MatrixInFile& chosen, const LoadOptions& options,
                                   JobContext& context, const std::function<LaterArray()>& open_data);

}  // namespace spyctrum::npz_reader
