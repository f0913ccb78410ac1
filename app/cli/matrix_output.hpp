// SPDX-License-Identifier: Apache-2.0
// The file, or standard output, to which generate, convert and reorder write a matrix.
#pragma once

#include <string>

#include "app/cli/commands.hpp"
#include "core/io/writer.hpp"

namespace spyctrum::cli {

class MatrixOutput {
 public:
  /// Where the ending of the path is of no format; those of formats that cannot be written are refused.
  enum class Otherwise { refuse, matrix_market };

  /// `path`: "-" is standard output. `format`: id of a writer, or empty for that of the path's ending. Throws
  /// Failure before anything is computed: wrong_use, output.
  MatrixOutput(const Session& session, std::string path, const std::string& format, Otherwise otherwise);

  [[nodiscard]] const Writer& writer() const { return *writer_; }
  /// Writes the matrix with its weights or else its values, if it has any. Throws Failure: wrong_use if the
  /// format cannot represent it; out_of_memory if the file would have gigabytes for columns without entries,
  /// unless --memory permits as many; output; cancelled.
  void write(Session& session, const Matrix& matrix, const std::string& comment, JobContext& context) const;
  /// Prints what was written: as a result, or as a message where the matrix itself is on standard output.
  void report(Session& session, const std::string& what) const;

 private:
  void refuse_absurd_size(const Session& session, const SparsePattern& pattern) const;

  std::string path_;
  const Writer* writer_ = nullptr;
};

}  // namespace spyctrum::cli
