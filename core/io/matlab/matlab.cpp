// SPDX-License-Identifier: Apache-2.0
// Sparse matrices in MATLAB's .mat files of version 4 and of versions 5 to 7 (MathWorks, "MAT-File Format",
// R2023b): variables, and fields of structures such as Problem.A of the SuiteSparse Matrix Collection; and a
// dense variable if the user names it. All others are skipped. Files of version 7.3 are HDF5 (core/io/hdf5).
#include <array>
#include <memory>

#include "core/base/text.hpp"
#include "core/io/matlab/mat_file.hpp"
#include "core/io/quote.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum::matlab_reader {

void MatFile::set_place(std::uint64_t byte) { place_ = "byte " + grouped(byte); }

void MatFile::fail(const std::string& what) const {
  throw Failure(ErrorCode::bad_input, name_ + ", " + place_ + ": " + what,
                "Get the file again, or write it anew, with save -v7 in MATLAB.");
}

void MatFile::check_end(std::uint64_t missing, const char* what) {
  if (missing == 0) return;
  set_place(bytes_.position());
  fail("the file ends within " + std::string(what) + ", " + grouped(missing) + " bytes before its end.");
}

void MatFile::check_sides(const MatrixInFile& variable) const {
  if (variable.rows == 0 || variable.cols == 0)
    fail("it has " + grouped(variable.rows) + " rows and " + grouped(variable.cols) +
         " columns; a matrix has at least one of each.");
}

Matrix matrix_of_dense(const Dense& dense, const MatFile& file) {
  const std::uint64_t rows = dense.facts.rows;
  const std::uint64_t cells = rows * dense.facts.cols;
  for (const NumpyArray* const part : {&dense.real, dense.imaginary ? &*dense.imaginary : &dense.real})
    if (part->size() != cells)
      file.fail("it has " + counted(part->size(), "element", "elements") + "; expected " + grouped(rows) +
                " × " + grouped(dense.facts.cols) + ".");
  EntryList entries(file.options(), file.context());
  if (dense.imaginary) entries.set_complex();
  entries.begin_preview(rows, dense.facts.cols, 0);
  for (std::uint64_t k = 0; k < cells; ++k) {
    if (dense.real.is_zero(k) && (!dense.imaginary || dense.imaginary->is_zero(k))) continue;
    entries.add(k % rows, k / rows, false, [&] {
      return Value(dense.real.value(k).real(), dense.imaginary ? dense.imaginary->value(k).real() : 0.0);
    });
  }
  Matrix matrix = std::move(entries).matrix(rows, dense.facts.cols);
  matrix.report.field = dense.field;
  report_dense(matrix, cells);
  return matrix;
}

namespace {

constexpr std::array<std::string_view, 1> kEndings{".mat"};
constexpr FormatInfo kFormat{.id = "matlab", .name = "MATLAB", .endings = kEndings};
constexpr std::size_t kHeader5 = 128;

/// Version 4 has no signature: a file is possible if it begins with a plausible header of a variable.
Recognition recognise(std::span<const char> head) {
  const std::string_view text(head.data(), head.size());
  const bool is_5 = text.size() >= kHeader5 && text.starts_with("MATLAB ") &&
                    (text.substr(126, 2) == "IM" || text.substr(126, 2) == "MI");
  if (is_5) return Recognition::certain;
  return is_version_4(head) ? Recognition::possible : Recognition::none;
}

/// Reads the header of the file; returns the variables that follow it.
std::unique_ptr<Variables> variables_of(MatFile& file) {
  std::vector<char> header(4);
  file.take(header, "its beginning");
  // Version 4 begins with a number below 5000, whose thousands are the format of numbers.
  if (number_at(header, 0, 4, false) < 5000 || number_at(header, 0, 4, true) < 5000)
    return variables_of_version_4(file, std::move(header));
  header.resize(kHeader5);
  file.take(std::span(header).subspan(4), "its header");
  file.set_place(file.bytes().position());
  const std::string_view order = std::string_view(header.data(), header.size()).substr(126, 2);
  if (order != "IM" && order != "MI")
    file.fail("its header ends with " + in_quotes(order) + "; expected IM or MI.");
  file.set_big_endian(order == "MI");
  const std::uint64_t version = number_at(header, 124, 2, file.big_endian());
  if (version == 0x0200) file.fail("it is of version 7.3, but holds no HDF5 data at byte 512.");
  if (version != 0x0100) file.fail("its header names version " + std::to_string(version) + "; expected 256.");
  return variables_of_version_5(file);
}

Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context) {
  SeveralMatrices all(kFormat, name, options);
  MatFile file(source, name, options, context);
  const std::unique_ptr<Variables> variables = variables_of(file);
  variables->read(all);
  const MatrixInFile& chosen = all.choose("Problem.A");
  file.set_place("variable " + in_quotes(chosen.name));
  Matrix matrix = variables->matrix(chosen);
  all.report(matrix.report);
  return matrix;
}

}  // namespace

extern const Reader kReader{kFormat, recognise, read};

}  // namespace spyctrum::matlab_reader
