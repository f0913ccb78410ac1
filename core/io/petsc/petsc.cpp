// SPDX-License-Identifier: Apache-2.0
// PETSc's binary matrices (MatView() with a binary viewer; PETSc manual, MatLoad): big-endian; the class
// number 1211216, rows, columns, entries, the number of entries of each row, their zero-based columns, their
// values; for a dense matrix (-1 entries) only the values, row by row. Indices have 32 or 64 bits, as the
// class number shows. The file does not state the type of its values. The number of bytes after the indices
// gives their width if the file ends with them or if another object follows (recognised by its class number);
// 16 bytes are taken for a complex number and 8 for a real one, unless the file's name says otherwise.
#include <algorithm>
#include <array>
#include <cstring>

#include "core/io/byte_source.hpp"
#include "core/io/import_options.hpp"
#include "core/io/quote.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum {

namespace {

constexpr std::array<std::string_view, 1> kEndings{".petsc"};
/// The type of the values, by the names of PETSc's configure.
struct Scalar {
  bool is_complex = false;
  std::size_t bytes = 8;  ///< of a value; both parts of a complex one together
};
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
/// The number of entries in the header of a dense matrix (−1), which stores only its values.
constexpr std::uint64_t kDense32 = 0xFFFFFFFFU;

std::uint64_t big_endian(const char* bytes, std::size_t count) {
  std::uint64_t number = 0;
  for (std::size_t k = 0; k < count; ++k) number = number << 8U | static_cast<unsigned char>(bytes[k]);
  return number;
}

/// Bytes of an index: 4 or 8; 0 where the bytes do not begin a matrix.
std::size_t index_bytes(std::span<const char> head) {
  for (const std::size_t width : {std::size_t{4}, std::size_t{8}})
    if (head.size() >= width && big_endian(head.data(), width) == kClass) return width;
  return 0;
}

/// The numbers of the file, one after the other.
class BinaryNumbers {
 public:
  BinaryNumbers(ByteSource& source, std::string_view name, JobContext& context)
      : source_(source), name_(name), context_(context), buffer_(kBuffer) {}

  [[noreturn]] void fail(const std::string& what, const std::string& advice) const {
    throw Failure(ErrorCode::bad_input, name_ + ", byte " + grouped(begin_ + at_) + ": " + what, advice);
  }
  /// The next `width` bytes as a number. Throws Failure{bad_input} outside of least … most.
  std::uint64_t next(std::size_t width, std::string_view what, std::uint64_t least, std::uint64_t most) {
    while (end_ - at_ < width)
      if (!fill())
        fail("the file ends where " + std::string(what) + " was expected.",
             "The file may be cut off: get it again.");
    const std::uint64_t number = big_endian(buffer_.data() + at_, width);
    if (number < least || number > most)
      fail("found " + grouped(number) + " as " + std::string(what) + "; expected " + grouped(least) + " to " +
               grouped(most) + ".",
           "Check that this is a PETSc matrix.");
    at_ += width;
    return number;
  }
  /// The remaining bytes of the file, at most `most`.
  BookedVector<char> rest(std::uint64_t most) {
    BookedVector<char> all(context_, kBuffer, "values");
    all.data.clear();
    while (all.data.size() < most && (at_ < end_ || fill())) {
      const std::size_t more = std::min<std::uint64_t>(end_ - at_, most - all.data.size());
      if (all.data.size() + more > all.data.capacity()) {
        const std::size_t capacity = std::max<std::size_t>(kBuffer, 2 * (all.data.size() + more));
        Booking larger(context_.memory(), capacity, "values");
        all.data.reserve(capacity);
        all.booking = std::move(larger);
      }
      all.data.insert(all.data.end(), buffer_.begin() + static_cast<std::ptrdiff_t>(at_),
                      buffer_.begin() + static_cast<std::ptrdiff_t>(at_ + more));
      at_ += more;
    }
    return all;
  }

 private:
  static constexpr std::size_t kBuffer = std::size_t{1} << 16U;
  bool fill() {
    context_.checkpoint(source_.consumed(), source_.total());
    std::memmove(buffer_.data(), buffer_.data() + at_, end_ - at_);
    begin_ += at_;
    end_ -= at_;
    at_ = 0;
    const std::size_t count = source_.read(std::span(buffer_).subspan(end_));
    end_ += count;
    return count != 0;
  }

  ByteSource& source_;
  std::string name_;
  JobContext& context_;
  std::vector<char> buffer_;
  std::uint64_t begin_ = 0;  // byte of the file that buffer_ begins with
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

bool says(std::string_view name, std::string_view word) { return name.find(word) != std::string_view::npos; }

/// The type of the values: as the user chose; else as the file's name says (as in PETSc's own collection,
/// …-complex-int32-float64); else the type of which `count` values end where the file ends or the next object
/// begins. `values`: the bytes after the indices, at most 32·count + 8.
Scalar scalar_of(const std::vector<char>& values, std::uint64_t count, std::size_t index_bytes,
                 std::string_view name, std::string_view chosen) {
  if (const auto found = std::ranges::find(kScalarNames, chosen); found != kScalarNames.end())
    return kScalars.at(static_cast<std::size_t>(found - kScalarNames.begin()));
  Scalar named{says(name, "complex"), 8};
  if (says(name, "float32")) named.bytes = 4;
  if (says(name, "float128")) named.bytes = 16;
  if (named.is_complex) named.bytes *= 2;
  const auto ends_after = [&](std::size_t bytes) {
    const std::uint64_t end = bytes * count;
    if (values.size() == end) return true;
    if (count == 0 || values.size() < end + index_bytes) return false;
    const std::uint64_t next = big_endian(values.data() + end, index_bytes);
    return next >= kFirstClass && next <= kLastClass;
  };
  const bool is_named = named.is_complex || named.bytes != 8;
  if (is_named && ends_after(named.bytes)) return named;
  for (const Scalar& one :
       {Scalar{named.is_complex, 8}, Scalar{true, 16}, Scalar{false, 4}, Scalar{true, 32}})
    if (ends_after(one.bytes)) return one;
  return named;
}

class PetscReader : public Reader {
 public:
  [[nodiscard]] const FormatInfo& format() const override { return kFormat; }
  [[nodiscard]] Recognition recognise(std::span<const char> head) const override {
    return index_bytes(head) != 0 ? Recognition::certain : Recognition::none;
  }

  [[nodiscard]] Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options,
                            JobContext& context) const override {
    context.begin_stage("read");
    BinaryNumbers file(source, name, context);
    std::size_t width = 4;
    if (file.next(4, "the class of a PETSc matrix", 0, kClass) == 0) {
      (void)file.next(4, "the class of a PETSc matrix", kClass, kClass);
      width = 8;
    }
    const std::uint64_t rows = file.next(width, "the number of rows", 1, kLargestSide);
    const std::uint64_t cols = file.next(width, "the number of columns", 1, kLargestSide);
    const std::uint64_t announced = file.next(width, "the number of entries", 0, ~std::uint64_t{0});
    const bool is_dense = announced == (width == 4 ? kDense32 : ~std::uint64_t{0});
    const std::uint64_t count = is_dense ? rows * cols : announced;
    if (count > (std::uint64_t{1} << 56U))
      file.fail("found " + grouped(announced) + " as the number of entries, more than any file holds.",
                "Check that this is a PETSc matrix.");
    BookedList lengths(context, "lengths of the rows");
    std::uint64_t sum = 0;
    for (std::uint64_t row = 0; !is_dense && row < rows; ++row) {
      lengths.add(file.next(width, "the number of entries of a row", 0, std::min(cols, count - sum)));
      sum += lengths[row];
    }
    if (!is_dense && sum != count)
      file.fail("the rows have " + counted(sum, "entry", "entries") +
                    "; the beginning of the file announces " + grouped(count) + ".",
                "Get the file again, or check the program that wrote it.");
    BookedList columns(context, "columns of the entries");
    PreviewFeed preview(is_dense ? LoadOptions{} : options, rows, cols, count);
    for (std::uint64_t row = 0; !is_dense && row < rows; ++row)
      for (std::uint64_t k = 0; k < lengths[row]; ++k) {
        columns.add(file.next(width, "a column", 0, cols - 1));
        preview.add(row, columns[columns.size() - 1]);
      }
    preview.flush();
    // The class number of another object may follow.
    const BookedVector<char> values = file.rest(32 * count + 8);
    const Scalar scalar = scalar_of(values.data, count, width, name, import_choice(options, "scalar"));
    if (values.data.size() < scalar.bytes * count)
      file.fail("the file ends after " + counted(values.data.size(), "byte", "bytes") + " of the values of " +
                    counted(count, "entry", "entries") + ".",
                "The file may be cut off: get it again.");
    EntryList entries(options, context);
    const auto add = [&](std::uint64_t row, std::uint64_t col, std::uint64_t k) {
      const bool is_zero = PetscReader::is_zero(values.data, k, scalar);
      if (is_dense && is_zero) return;
      entries.add(row, col, is_zero, [&] { return value(values.data, k, scalar); });
    };
    std::uint64_t k = 0;
    for (std::uint64_t row = 0; row < rows; ++row)
      for (const std::uint64_t end = k + (is_dense ? cols : lengths[row]), begin = k; k < end; ++k)
        add(row, is_dense ? k - begin : columns[k], k);
    read_to_end(source, context);
    if (scalar.is_complex) entries.set_complex();
    Matrix matrix = std::move(entries).matrix(rows, cols);
    LoadReport& report = matrix.report;
    report.format =
        std::string(kFormat.name) + (is_dense ? ", dense" : "") + (width == 8 ? ", 64-bit indices" : "");
    report.field = scalar.is_complex ? "complex" : "real";
    if (is_dense) report.entries_in_file = static_cast<std::int64_t>(count);
    const auto same = std::ranges::find_if(kScalars, [&](const Scalar& one) {
      return one.is_complex == scalar.is_complex && one.bytes == scalar.bytes;
    });
    note_assumption(report, options, "scalar",
                    kScalarNames.at(static_cast<std::size_t>(same - kScalars.begin())));
    report.notes.push_back("The file does not say what its values are; they were taken to be " +
                           std::string(scalar.is_complex ? "complex" : "real") + ", " +
                           std::to_string(scalar.bytes) + " bytes each.");
    return matrix;
  }

 private:
  static Value value(const std::vector<char>& values, std::uint64_t k, const Scalar& scalar) {
    const std::size_t bytes = scalar.bytes;
    const char* const at = values.data() + k * bytes;
    if (!scalar.is_complex) return binary_real(at, bytes, true);
    return {binary_real(at, bytes / 2, true), binary_real(at + bytes / 2, bytes / 2, true)};
  }
  /// Whether all bytes of a value but for signs are zero.
  static bool is_zero(const std::vector<char>& values, std::uint64_t k, const Scalar& scalar) {
    const std::size_t bytes = scalar.bytes;
    const std::size_t part = scalar.is_complex ? bytes / 2 : bytes;
    for (std::size_t b = 0; b < bytes; ++b) {
      const auto byte = static_cast<unsigned char>(values[k * bytes + b]);
      if (byte != 0 && !(byte == 0x80 && b % part == 0)) return false;
    }
    return true;
  }
};

}  // namespace

std::unique_ptr<Reader> make_petsc_reader();  // for the registry, core/io/formats.cpp
std::unique_ptr<Reader> make_petsc_reader() { return std::make_unique<PetscReader>(); }

}  // namespace spyctrum
