// SPDX-License-Identifier: Apache-2.0
// Writes a matrix to a file: one Writer for each writable format (core/io/write/writers.cpp lists them). A
// writer whose format cannot represent the matrix refuses it before a byte is written.
#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/job_context.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// The numbers written with the positions of the entries: none, whole numbers, or real or complex numbers in
/// single precision.
enum class WrittenField { pattern, integer, real, complex };
/// "pattern", "integer", "real", "complex".
[[nodiscard]] const char* to_string(WrittenField field);

/// A matrix to be written.
struct WrittenMatrix {
  const SparsePattern& pattern;
  std::span<const float> values{};     ///< one for each entry, as Matrix::values; empty for a pattern
  std::span<const float> imaginary{};  ///< for complex values
  WrittenField field = WrittenField::pattern;
  std::string_view name{};     ///< "bcsstk01", for formats with a title
  std::string_view comment{};  ///< of one line or more, for formats with comments
};

/// Description of a writable format for the rest of the program. All texts outlive main().
struct WriterInfo {
  std::string_view id;                        ///< "matrix_market", the id of its reader
  std::string_view name;                      ///< "Matrix Market"
  std::span<const std::string_view> endings;  ///< {".mtx"}; the first is the default
  bool is_text = false;                       ///< may be compressed (.mtx.gz) and go to standard output
  std::string_view holds;                     ///< half a sentence: which matrices the format can represent
};

/// One file format. Stateless: one object serves all threads.
struct Writer {
  WriterInfo info;
  /// Writes all bytes of the file in order, until the stream fails. check() must be called before. Throws
  /// Failure{cancelled}.
  void (*write)(const WrittenMatrix& matrix, std::ostream& out, JobContext& context);
  /// Throws Failure{wrong_use}, with the first reason, if the format cannot represent the matrix;
  /// {cancelled}.
  void (*check)(const WrittenMatrix& matrix, JobContext& context) = [](const WrittenMatrix&, JobContext&) {};
  /// Bytes of the file that it has for its columns alone, with and without entries, before compression.
  std::uint64_t (*bytes_of_columns)(const SparsePattern& pattern) = [](const SparsePattern&) {
    return std::uint64_t{0};
  };
};

/// The registered writers; the first one serves standard output.
[[nodiscard]] std::span<const Writer* const> writers();
/// The writer of the format with this id; nullptr if there is none.
[[nodiscard]] const Writer* find_writer(std::string_view id);
/// The writer for the path's ending (text formats: also the ending followed by ".gz"). Errors: wrong_use,
/// naming the endings that exist.
[[nodiscard]] Result<const Writer*> writer_for(std::string_view path);
/// Endings of all writers, for dialogs: ".mtx", ".mtx.gz", …
[[nodiscard]] std::vector<std::string> writable_endings();

/// Writes `matrix`, with its values if it has any, to `path`, atomically (write_atomically()), compressed by
/// gzip if `path` ends in .gz; "-" is standard output, for text formats. `comment` may have several lines.
/// Errors: wrong_use if the format cannot represent the matrix; output; cancelled.
[[nodiscard]] Result<void> write_matrix(const Matrix& matrix, const Writer& writer, const std::string& path,
                                        std::string_view comment, JobContext& context);

}  // namespace spyctrum
