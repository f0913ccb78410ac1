// SPDX-License-Identifier: Apache-2.0
// PETSc's binary matrices (MatView() with a binary viewer; PETSc manual, MatLoad), big-endian: the class
// number 1211216, rows, columns, entries, the number of entries of each row, their zero-based columns, their
// values; for a dense matrix (-1 entries) only the values, row by row. Indices have 32 or 64 bits, as the
// class number has. The file does not contain the type of its values. The bytes of a value follow from the
// number of bytes between the indices and the end of the file, or the next object (recognised by its class
// number); 16 bytes are assumed to be a complex number and 8 a real one, unless the file's name implies
// another type.
#include <unistd.h>

#include <algorithm>
#include <array>

#include "core/io/binary_file.hpp"
#include "core/io/byte_source.hpp"
#include "core/io/import_options.hpp"
#include "core/io/numpy/compressed_arrays.hpp"
#include "core/io/quote.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum::petsc_reader {
namespace {

constexpr std::array<std::string_view, 1> kEndings{".petsc"};
/// A type of values.
struct Scalar {
  bool is_complex = false;
  std::size_t bytes = 8;  ///< of a value; both parts of a complex one together
};
/// The types, named as in PETSc's configure.
constexpr std::array<std::string_view, 6> kScalarNames{"real-float64",  "complex-float64",
                                                       "real-float32",  "complex-float32",
                                                       "real-float128", "complex-float128"};
constexpr std::array kScalars{Scalar{false, 8}, Scalar{true, 16},  Scalar{false, 4},
                              Scalar{true, 8},  Scalar{false, 16}, Scalar{true, 32}};
constexpr std::array kOptions{ImportOption{"scalar", kScalarNames, "the type of the values"}};
constexpr FormatInfo kFormat{
    .id = "petsc", .name = "PETSc binary matrix", .endings = kEndings, .options = kOptions};
constexpr std::uint64_t kClass = 1211216;
/// The range of class numbers of PETSc's objects: matrices, vectors, index sets and others.
constexpr std::uint64_t kFirstClass = 1211211;
constexpr std::uint64_t kLastClass = 1211223;
/// The number of entries in the header of a dense matrix, −1.
constexpr std::uint64_t kDense32 = 0xFFFFFFFFU;

/// Bytes of an index, 4 or 8; 0 if no matrix begins with these bytes.
std::size_t index_bytes(std::span<const char> head) {
  for (const std::size_t width : {std::size_t{4}, std::size_t{8}})
    if (head.size() >= width && binary_whole(head.data(), width, true) == kClass) return width;
  return 0;
}

/// Reads a number of `width` bytes. Throws Failure{bad_input} if it is not between `least` and `most`.
std::uint64_t next(BinaryFile& file, std::size_t width, std::string_view what, std::uint64_t least,
                   std::uint64_t most) {
  std::array<char, 8> bytes{};
  const std::uint64_t at = file.position();
  if (file.read(std::span(bytes).first(width)) < width)
    file.fail(at, "the file ends where " + std::string(what) + " was expected.",
              "The file may be cut off: get it again.");
  const std::uint64_t number = binary_whole(bytes.data(), width, true);
  if (number < least || number > most)
    file.fail(at,
              "found " + grouped(number) + " as " + std::string(what) + "; expected " +
                  range_text(least, most) + ".",
              "Check that this is a PETSc matrix.");
  return number;
}

bool says(std::string_view name, std::string_view word) { return name.find(word) != std::string_view::npos; }

/// The bytes after the indices, in a file or, at most 32·count + 8 of them, in memory.
struct Tail {
  BookedList<char> bytes;
  int descriptor = -1;      ///< of the file; −1: all are in `bytes`
  std::uint64_t begin = 0;  ///< in the file
  std::uint64_t size = 0;
  /// The number of `width` bytes at `at`; 0 if the file cannot be read.
  [[nodiscard]] std::uint64_t number(std::uint64_t at, std::size_t width) const {
    if (descriptor < 0) return binary_whole(bytes.data().data() + at, width, true);
    std::array<char, 8> read{};
    const ssize_t got = pread(descriptor, read.data(), width, static_cast<off_t>(begin + at));
    return got == static_cast<ssize_t>(width) ? binary_whole(read.data(), width, true) : 0;
  }
};

/// The type of the values: the one that the user chose; else the one in the file's name (in PETSc's own
/// collection NAME-complex-int32-float64) or another one, if `count` values of it end where the file ends or
/// the next object begins.
Scalar scalar_of(const Tail& tail, std::uint64_t count, std::size_t index_bytes, std::string_view name,
                 std::string_view chosen) {
  if (const auto found = std::ranges::find(kScalarNames, chosen); found != kScalarNames.end())
    return kScalars.at(static_cast<std::size_t>(found - kScalarNames.begin()));
  Scalar named{says(name, "complex"), 8};
  if (says(name, "float32")) named.bytes = 4;
  if (says(name, "float128")) named.bytes = 16;
  if (named.is_complex) named.bytes *= 2;
  const auto ends_after = [&](std::size_t bytes) {
    const std::uint64_t end = bytes * count;
    if (tail.size == end) return true;
    if (count == 0 || tail.size < end + index_bytes) return false;
    const std::uint64_t next = tail.number(end, index_bytes);
    return next >= kFirstClass && next <= kLastClass;
  };
  const bool is_named = named.is_complex || named.bytes != 8;
  if (is_named && ends_after(named.bytes)) return named;
  for (const Scalar& one :
       {Scalar{named.is_complex, 8}, Scalar{true, 16}, Scalar{false, 4}, Scalar{true, 32}})
    if (ends_after(one.bytes)) return one;
  return named;
}

Recognition recognise(std::span<const char> head) {
  return index_bytes(head) != 0 ? Recognition::certain : Recognition::none;
}

/// What stands before the entries.
struct Header {
  std::size_t width = 4;  ///< bytes of an index
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::uint64_t entries = 0;
  bool is_dense = false;
};

Header read_header(BinaryFile& file) {
  constexpr std::string_view kWhat = "the class of a PETSc matrix";
  Header header;
  const std::uint64_t first = next(file, 4, kWhat, 0, kDense32);
  if (first == 0) {
    (void)next(file, 4, kWhat, kClass, kClass);
    header.width = 8;
  } else if (first != kClass) {
    const bool is_other_object = first >= kFirstClass && first <= kLastClass;
    file.fail(0,
              "found " + grouped(first) + " as " + std::string(kWhat) + "; expected " + grouped(kClass) +
                  "." +
                  (is_other_object ? " The file begins with another object of PETSc, such as a vector." : ""),
              is_other_object ? "Write the matrix first, or into a file of its own."
                              : "Check that this is a PETSc matrix.");
  }
  header.rows = next(file, header.width, "the number of rows", 1, kLargestSide);
  header.cols = next(file, header.width, "the number of columns", 1, kLargestSide);
  const std::uint64_t announced = next(file, header.width, "the number of entries", 0, ~std::uint64_t{0});
  header.is_dense = announced == (header.width == 4 ? kDense32 : ~std::uint64_t{0});
  header.entries = header.is_dense ? header.rows * header.cols : announced;
  if (header.entries > (std::uint64_t{1} << 56U))
    file.fail(file.position() - header.width,
              "found " + grouped(announced) + " as the number of entries, more than any file holds.",
              "Check that this is a PETSc matrix.");
  return header;
}

/// Reads the columns of the entries of each row. `most`: indices that the file can hold at most; 0: unknown.
CompressedLines read_lines(BinaryFile& file, const Header& header, std::uint64_t most,
                           const LoadOptions& options, JobContext& context) {
  BookedList<std::uint64_t> ends(context, "ends of the rows", std::min(header.rows, most));
  for (std::uint64_t row = 0, end = 0; row < header.rows; ++row)
    ends.add(end += next(file, header.width, "the number of entries of a row", 0,
                         std::min(header.cols, header.entries - end)));
  if (ends[header.rows - 1] != header.entries)
    file.fail(file.position(),
              "the rows have " + counted(ends[header.rows - 1], "entry", "entries") +
                  "; the beginning of the file announces " + grouped(header.entries) + ".",
              "Get the file again, or check the program that wrote it.");
  BookedList<Index> columns(context, "columns of the entries", std::min(header.entries, most));
  PreviewFeed preview(options, header.rows, header.cols, header.entries);
  for (std::uint64_t row = 0; row < header.rows; ++row)
    while (columns.size() < ends[row]) {
      columns.add(static_cast<Index>(next(file, header.width, "a column", 0, header.cols - 1)));
      preview.add(row, columns[columns.size() - 1]);
    }
  preview.flush();
  CompressedLines lines{.rows = header.rows, .cols = header.cols, .by_rows = true};
  lines.ends = std::move(ends).take();
  lines.ids = std::move(columns).take();
  return lines;
}

/// Writes what was found and assumed.
void report(LoadReport& report, const Header& header, const Scalar& scalar, const LoadOptions& options) {
  report.format = std::string(kFormat.name) + (header.is_dense ? ", dense" : "") +
                  (header.width == 8 ? ", 64-bit indices" : "");
  report.field = scalar.is_complex ? "complex" : "real";
  const auto same = std::ranges::find_if(kScalars, [&](const Scalar& one) {
    return one.is_complex == scalar.is_complex && one.bytes == scalar.bytes;
  });
  note_assumption(report, options, "scalar",
                  kScalarNames.at(static_cast<std::size_t>(same - kScalars.begin())));
  report.notes.push_back("The file does not say what its values are; they were taken to be " +
                         std::string(scalar.is_complex ? "complex" : "real") + ", " +
                         std::to_string(scalar.bytes) + " bytes each.");
}

Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context) {
  BinaryFile file(source, name, context);
  const Header header = read_header(file);
  CompressedLines lines;
  if (!header.is_dense) {
    const std::uint64_t most = source.compression().empty() ? source.total() / header.width : 0;
    lines = read_lines(file, header, most, options, context);
  }
  // The type of the values follows from the bytes up to the end of the file.
  Tail tail{.bytes = {context, "values"}, .descriptor = source.descriptor(), .begin = file.position()};
  tail.size = tail.descriptor < 0 ? file.append(tail.bytes, 32 * header.entries + 8)
                                  : source.total() - std::min(source.total(), tail.begin);
  const Scalar scalar = scalar_of(tail, header.entries, header.width, name, import_choice(options, "scalar"));
  NumpyArray values;
  values.kind = scalar.is_complex ? 'c' : 'f';
  values.width = scalar.bytes;
  values.big_endian = true;
  values.shape = {header.rows, header.cols};
  const std::uint64_t expected = scalar.bytes * header.entries;
  // Complex values would take more memory than the matrix: they are read while its entries are made.
  const bool is_streamed = tail.descriptor >= 0 && tail.size >= expected && scalar.is_complex &&
                           !header.is_dense && options.values == ValueUse::keep;
  const auto cut_off = [&](std::uint64_t there) {
    file.fail(tail.begin + there,
              "the file ends after " + counted(there, "byte", "bytes") + " of the values of " +
                  counted(header.entries, "entry", "entries") + ".",
              "The file may be cut off: get it again.");
  };
  if (tail.descriptor >= 0 && tail.size >= expected && !is_streamed) {
    values.set_keep(options.values == ValueUse::none ? Keep::zeros : Keep::bytes);
    const auto read = [&](std::span<char> more) { return file.read(more); };
    tail.size = read_elements(values, context, read, expected, source.total());
  }
  if (tail.size < expected) cut_off(tail.size);
  if (tail.descriptor < 0) {
    tail.bytes.truncate(expected);
    values.bytes = std::move(tail.bytes).take();
  }
  const auto matrix_with = [&](std::unique_ptr<StoredValues> of_entries) {
    return matrix_of_lines(std::move(lines), std::move(of_entries), options, context);
  };
  Matrix matrix;
  if (header.is_dense) {
    matrix = dense_matrix(values, options, context);
  } else if (is_streamed) {
    matrix = matrix_with(std::make_unique<StreamedValues>(std::move(values), [&](std::span<char> bytes) {
      const std::uint64_t before = file.position() - tail.begin;
      if (const std::size_t got = file.read(bytes); got < bytes.size()) cut_off(before + got);
    }));
  } else {
    matrix = matrix_with(std::make_unique<ArrayValues>(std::move(values)));
  }
  read_to_end(source, context);
  report(matrix.report, header, scalar, options);
  return matrix;
}

}  // namespace

extern const Reader kReader{kFormat, recognise, read};

}  // namespace spyctrum::petsc_reader
