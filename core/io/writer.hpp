// SPDX-License-Identifier: Apache-2.0
// From a matrix to a file. One Writer for each format that can be written (core/io/write/writers.cpp lists
// them); a format that cannot hold what the matrix has says so before a byte is written.
#pragma once

#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/job_context.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// The numbers that are written beside the places of the entries: none, whole numbers, or single precision.
enum class WrittenField { pattern, integer, real, complex };
/// "pattern", "integer", "real", "complex".
[[nodiscard]] const char* to_string(WrittenField field);

/// A matrix as writers see it.
struct WrittenMatrix {
  const SparsePattern& pattern;
  std::span<const float> values{};     ///< one for each entry, as Matrix::values; empty for a pattern
  std::span<const float> imaginary{};  ///< of complex values
  WrittenField field = WrittenField::pattern;
  std::string_view name{};     ///< "bcsstk01", for formats with a title
  std::string_view comment{};  ///< of one line or more, for formats with comments
};

/// What the rest of the program knows of a format that can be written. All texts outlive main().
struct WriterInfo {
  std::string_view id;                        ///< "matrix_market", as its reader's
  std::string_view name;                      ///< "Matrix Market"
  std::span<const std::string_view> endings;  ///< {".mtx"}; the first is the usual one
  bool is_text = false;                       ///< may be compressed (.mtx.gz) and go to standard output
  std::string_view holds;                     ///< half a sentence: which matrices it can hold
};

/// One file format. Stateless: one object serves all threads.
class Writer {
 public:
  virtual ~Writer() = default;
  [[nodiscard]] virtual const WriterInfo& info() const = 0;
  /// Throws Failure{wrong_use} where the format cannot hold the matrix, with the first reason; {cancelled}.
  virtual void check(const WrittenMatrix& /*matrix*/, JobContext& /*context*/) const {}
  /// Writes all bytes of the file in their order, until the stream fails. Call check() before. Throws
  /// Failure{cancelled}.
  virtual void write(const WrittenMatrix& matrix, std::ostream& out, JobContext& context) const = 0;
};

/// The registered writers; the first is that of standard output.
[[nodiscard]] const std::vector<std::unique_ptr<Writer>>& writers();
/// The writer whose format has that id; nullptr where there is none.
[[nodiscard]] const Writer* find_writer(std::string_view id);
/// The writer whose ending, or for text its ending and ".gz", the path has. Errors: wrong_use, with the
/// endings that exist.
[[nodiscard]] Result<const Writer*> writer_for(std::string_view path);
/// Endings of all writers, for dialogs: ".mtx", ".mtx.gz", …
[[nodiscard]] std::vector<std::string> writable_endings();

/// Writes `matrix`, with its values where it has some, to `path`, whole or not at all (write_atomically()),
/// compressed by gzip where `path` ends with .gz; "-" is standard output, for text formats. `comment` may
/// have several lines. Errors: wrong_use where the format cannot hold the matrix; output; cancelled.
[[nodiscard]] Result<void> write_matrix(const Matrix& matrix, const Writer& writer, const std::string& path,
                                        std::string_view comment, JobContext& context);

}  // namespace spyctrum
