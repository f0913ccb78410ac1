// SPDX-License-Identifier: Apache-2.0
// Converts the child's messages (messages.hpp) to a list of matrices and to entries. The child is not
// trusted: kinds, lengths, sides, indices and counts are checked as those of a file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/io/hdf5/messages.hpp"
#include "core/io/several_matrices.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum::hdf5 {

/// Reads at most `bytes.size()` bytes of what the child sends; 0 at its end.
using ReadChild = std::function<std::size_t(std::span<char> bytes)>;

/// The answer to `read`: named parts, and where arrays are to be read instead of entries that were sent.
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
};

/// The matrices in the answer to `list`; arrays that are not matrices are added to `all`. Throws
/// Failure{bad_input}, which begins with `name`.
[[nodiscard]] std::vector<ListedMatrix> listed_matrices(const ReadChild& read, const std::string& name,
                                                        SeveralMatrices& all);

/// Adds the entries in the answer to `read` to `entries`. `matrix`: the matrix read, whose sides were
/// checked. Throws Failure{bad_input}, {cancelled}, {out_of_memory}.
Answer take_entries(const ReadChild& read, const std::string& name, const ListedMatrix& matrix,
                    EntryList& entries, const LoadOptions& options, JobContext& context);

}  // namespace spyctrum::hdf5
