// SPDX-License-Identifier: Apache-2.0
// Converts the child's messages (messages.hpp) to a list of matrices and to entries. The child is not
// trusted: kinds, lengths, sides, indices and counts are checked like those of a file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/io/hdf5/messages.hpp"
#include "core/io/several_matrices.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum::hdf5 {

/// Reads at most `bytes.size()` bytes from the child and returns their number; 0 at the end.
using ReadChild = std::function<std::size_t(std::span<char> bytes)>;

/// The answer to a request, apart from entries: named parts, and the arrays that contain the entries if the
/// child did not send them.
struct Answer {
  std::vector<NamedPart> parts;
  StoredMatrix stored;
};

struct ListedMatrix {
  MatrixInFile facts;
  std::string field;
  std::string symmetry;
  bool is_default = false;
  bool has_balance = false;
  bool has_shape = true;  ///< stored in the file
};

/// Reads the list of matrices, which is also added to `all`, with the arrays that are not matrices. Throws
/// Failure{bad_input}, which begins with `name`.
[[nodiscard]] std::vector<ListedMatrix> listed_matrices(const ReadChild& read, const std::string& name,
                                                        SeveralMatrices& all);

/// Reads the answer to a request and adds its entries to `entries`. `matrix`: the requested matrix, whose
/// sides were checked. Throws Failure{bad_input}, {cancelled}, {out_of_memory}.
Answer take_entries(const ReadChild& read, const std::string& name, const ListedMatrix& matrix,
                    EntryList& entries, const LoadOptions& options, JobContext& context);

}  // namespace spyctrum::hdf5
