// SPDX-License-Identifier: Apache-2.0
// Sparse matrices of MATLAB's .mat files of version 4 and of 5 to 7 (MathWorks, "MAT-File Format", R2023b),
// variables and fields of structures such as Problem.A of the SuiteSparse Matrix Collection. All other
// variables are passed over. Version 5 holds elements of a type, a size and data, variables possibly packed
// by zlib; a sparse variable is compressed columns with indices from 0. Version 4 lists row, column and value
// of each entry, from 1. Files of version 7.3 are HDF5 (core/io/hdf5).
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <deque>

#include "core/io/binary_file.hpp"
#include "core/io/compressed_lines.hpp"
#include "core/io/quote.hpp"
#include "core/io/several_matrices.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum {

namespace {

using Bytes = std::span<const char>;

constexpr std::array<std::string_view, 1> kEndings{".mat"};
constexpr FormatInfo kFormat{.id = "matlab", .name = "MATLAB", .endings = kEndings};
constexpr std::size_t kHeader5 = 128;
constexpr std::size_t kHeader4 = 20;
/// Depth to which nested structures are searched.
constexpr int kMostDepth = 16;
constexpr std::size_t kPiece = std::size_t{1} << 16U;
/// Bytes of a variable needed to determine its class.
constexpr std::size_t kClassBytes = 16;

// Types of elements, and classes of matrices.
constexpr std::uint32_t kUnsignedByte = 2;
constexpr std::uint32_t kMatrix = 14;
constexpr std::uint32_t kCompressed = 15;
constexpr unsigned kCell = 1;
constexpr unsigned kStruct = 2;
constexpr unsigned kObject = 3;
constexpr unsigned kSparse = 5;

/// Bytes of a number of an element's type; 0: not numbers.
std::size_t width_of(std::uint32_t type) {
  static constexpr std::array<std::size_t, 14> kWidths{0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8};
  return type < kWidths.size() ? kWidths.at(type) : 0;
}
bool is_float(std::uint32_t type) { return type == 7 || type == 9; }

/// A number of at most 64 bits.
std::uint64_t number_at(Bytes bytes, std::size_t at, std::size_t width, bool big_endian) {
  return binary_whole(bytes.data() + at, width, big_endian);
}

struct Element {
  std::uint32_t type = 0;
  Bytes data;
};

/// The number of elements; 0 if they are no numbers.
std::uint64_t size_of(const Element& element) {
  const std::size_t width = width_of(element.type);
  return width == 0 ? 0 : element.data.size() / width;
}

/// A sparse matrix in a file: arrays of version 5, or the table of version 4 in `values`.
struct Sparse {
  MatrixInFile facts;
  Element rows, pointers, values, imaginary;
  bool complex = false;
  bool logical = false;
};

/// Bytes that are kept until the matrix is chosen.
using Kept = std::deque<BookedList<char>>;

class File {
 public:
  File(ByteSource& source, std::string_view name, JobContext& context)
      : file_(source, name, context), name_(name), context_(context) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw Failure(ErrorCode::bad_input, name_ + ", " + place_ + ": " + what,
                  "Get the file again, or write it anew, with save -v7 in MATLAB.");
  }

  void read(std::vector<Sparse>& found, SeveralMatrices& all) {
    const BookedList<char>& head = take(4, "its beginning");
    // Version 4 begins with a number below 5000, of which the thousands say how numbers are stored.
    const std::uint64_t little = number_at(head.data(), 0, 4, false);
    const std::uint64_t big = number_at(head.data(), 0, 4, true);
    if (little < 5000 || big < 5000) return read4(found, all);
    take_onto(kept_.back(), kHeader5 - 4, "its header");
    const Bytes header = kept_.back().data();
    const std::string_view text(header.data(), header.size());
    const std::string_view order = text.substr(126, 2);
    if (order != "IM" && order != "MI")
      fail("its header ends with " + in_quotes(order) + "; expected IM or MI.");
    big_endian_ = order == "MI";
    const std::uint64_t version = number_at(header, 124, 2, big_endian_);
    if (version == 0x0200) fail("it is of version 7.3, but holds no HDF5 data at byte 512.");
    if (version != 0x0100) fail("its header names version " + std::to_string(version) + "; expected 256.");
    read5(found, all);
  }

 private:
  void set_place() { place_ = "byte " + grouped(file_.position()); }
  void check_end(std::uint64_t missing, const char* what) {
    set_place();
    if (missing != 0)
      fail("the file ends within " + std::string(what) + ", " + grouped(missing) + " bytes before its end.");
  }
  /// Adds `count` bytes of the file to `bytes`.
  void take_onto(BookedList<char>& bytes, std::uint64_t count, const char* what) {
    check_end(count - file_.append(bytes, count), what);
  }
  BookedList<char>& take(std::uint64_t count, const char* what) {
    BookedList<char>& bytes = kept_.emplace_back(context_, "variables of the file");
    take_onto(bytes, count, what);
    return bytes;
  }
  void pass_over(std::uint64_t count) { check_end(count - file_.pass(count), "a variable"); }
  /// Whether a variable of version 5 can hold a sparse matrix: `begin`, the content of its element.
  [[nodiscard]] bool may_be_sparse(Bytes begin) const {
    if (begin.size() < kClassBytes) return false;
    const std::uint64_t kind = number_at(begin, 8, 4, big_endian_) & 0xFFU;
    return kind == kSparse || kind == kStruct || kind == kCell || kind == kObject;
  }

  void read5(std::vector<Sparse>& found, SeveralMatrices& all) {
    for (std::vector<char> tag(8);;) {
      const std::size_t got = file_.read(tag);
      set_place();
      if (got == 0) return;
      if (got < tag.size()) fail("the file ends within the tag of a variable.");
      const std::uint64_t type = number_at(tag, 0, 4, big_endian_);
      const std::uint64_t size = number_at(tag, 4, 4, big_endian_);
      if (type == kCompressed) {
        unpack_variable(take(size, "a packed variable").data(), found, all);
        continue;
      }
      if (type != kMatrix) fail("found type " + grouped(type) + " of a variable; expected 14 or 15.");
      const std::uint64_t begin = std::min<std::uint64_t>(size, kClassBytes);
      BookedList<char>& bytes = take(begin, "a variable");
      if (!may_be_sparse(bytes.data())) {
        all.leave_out("a variable", "not sparse");
        kept_.pop_back();
        pass_over(size - begin);
        continue;
      }
      take_onto(bytes, size - begin, "a variable");
      read_matrix(bytes.data(), "", 0, found, all);
    }
  }

  /// The variable that zlib has packed into `packed`, the last of kept_.
  void unpack_variable(Bytes packed, std::vector<Sparse>& found, SeveralMatrices& all) {
    struct Inflate {
      z_stream stream{};
      ~Inflate() { inflateEnd(&stream); }
    } state;
    if (inflateInit(&state.stream) != Z_OK) throw std::bad_alloc();
    state.stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    state.stream.avail_in = static_cast<uInt>(packed.size());
    BookedList<char> bytes(context_, "variables of the file");
    for (int outcome = Z_OK; outcome != Z_STREAM_END;) {
      const std::size_t had = bytes.size();
      state.stream.next_out = reinterpret_cast<Bytef*>(bytes.extend(kPiece).data());
      state.stream.avail_out = kPiece;
      outcome = inflate(&state.stream, Z_NO_FLUSH);
      bytes.truncate(bytes.size() - state.stream.avail_out);
      if (had == 0 && bytes.size() >= 8 + kClassBytes && !may_be_sparse(Bytes(bytes.data()).subspan(8))) {
        all.leave_out("a variable", "not sparse");
        kept_.pop_back();
        return;
      }
      // A list that grows takes twice as much; an announced size is believed up to a usual rate of packing.
      const std::uint64_t announced = bytes.size() < 8 ? 0 : number_at(bytes.data(), 4, 4, big_endian_);
      if (had == 0 && outcome == Z_OK && announced <= 8 * packed.size())
        bytes.reserve(bytes.size() + kPiece + announced);
      if (outcome != Z_OK && outcome != Z_STREAM_END)
        fail(std::string("the packed variable that ends here is damaged or cut off (") +
             (state.stream.msg != nullptr ? state.stream.msg : "its data end early") + ").");
    }
    const auto number = [&](std::size_t at) { return number_at(bytes.data(), at, 4, big_endian_); };
    if (bytes.size() < 8 || number(0) != kMatrix || number(4) > bytes.size() - 8)
      fail("the packed variable that ends here is longer than its data.");
    const Bytes content = Bytes(bytes.data()).subspan(8, number(4));
    const bool is_kept = may_be_sparse(Bytes(bytes.data()).subspan(8));
    kept_.pop_back();
    if (!is_kept) return;
    kept_.push_back(std::move(bytes));  // the elements stay where they are in memory
    read_matrix(content, "", 0, found, all);
  }

  /// The next element; `rest` then begins after its padding. Up to four bytes of data may stand in the tag.
  Element next_element(Bytes& rest) const {
    if (rest.size() < 8) fail("the variable that ends here lacks a part.");
    auto type = static_cast<std::uint32_t>(number_at(rest, 0, 4, big_endian_));
    std::size_t size = number_at(rest, 4, 4, big_endian_);
    std::size_t at = 8;
    if (type >> 16U != 0) {
      size = type >> 16U;
      type &= 0xFFFFU;
      at = 4;
      if (size > 4)
        fail("a small part of the variable that ends here has " + grouped(size) + " bytes; 4 fit.");
    }
    if (size > rest.size() - at)
      fail("a part of the variable that ends here has " + grouped(size) + " bytes; " +
           grouped(rest.size() - at) + " are left.");
    const Element element{type, rest.subspan(at, size)};
    const std::size_t padded = at == 4 ? 8 : type == kCompressed ? at + size : (at + size + 7) / 8 * 8;
    rest = rest.subspan(std::min(rest.size(), padded));
    return element;
  }

  /// The content of a matrix element, and what it holds. `prefix`: names of the structures around it.
  void read_matrix(Bytes rest, const std::string& prefix, int depth, std::vector<Sparse>& found,
                   SeveralMatrices& all) {
    if (rest.empty()) return;  // an empty field
    const Element flags = next_element(rest);
    if (flags.data.size() < 8)
      fail("the flags of a variable have " + counted(flags.data.size(), "byte", "bytes") + ".");
    const auto flag = static_cast<unsigned>(number_at(flags.data, 0, 4, big_endian_));
    const unsigned kind = flag & 0xFFU;
    const Element sides = next_element(rest);
    const Element label = next_element(rest);
    std::string name(label.data.begin(), label.data.end());
    if (const std::size_t end = name.find('\0'); end != std::string::npos) name.resize(end);
    name = prefix + name;
    const auto side = [&](std::size_t k) { return number_at(sides.data, 4 * k, 4, big_endian_); };
    if (sides.data.size() < 8 || sides.data.size() % 4 != 0)
      fail("the dimensions of " + in_quotes(name) + " have " + counted(sides.data.size(), "byte", "bytes") +
           ".");
    if (kind == kSparse) {
      Sparse sparse;
      sparse.facts = {name, "csc", side(0), side(1), 0};
      sparse.complex = (flag & 0x800U) != 0;
      sparse.logical = (flag & 0x200U) != 0;
      sparse.rows = next_element(rest);
      sparse.pointers = next_element(rest);
      sparse.values = next_element(rest);
      if (sparse.complex) sparse.imaginary = next_element(rest);
      const std::size_t width = width_of(sparse.pointers.type);
      if (width != 0 && sparse.pointers.data.size() >= width)
        sparse.facts.stored = number_at(
            sparse.pointers.data, sparse.pointers.data.size() / width * width - width, width, big_endian_);
      all.add(sparse.facts);
      found.push_back(std::move(sparse));
      return;
    }
    if (kind != kStruct && kind != kCell && kind != kObject) {
      all.leave_out(name, "not sparse");
      return;
    }
    if (depth == kMostDepth) return;
    std::uint64_t count = 1;
    for (std::size_t k = 0; k < sides.data.size() / 4; ++k)
      count *= std::min<std::uint64_t>(side(k), 1U << 16U);
    if (kind == kObject) (void)next_element(rest);  // the name of its class
    if (kind == kCell) {
      for (std::uint64_t k = 0; k < count && !rest.empty(); ++k)
        read_member(rest, name + "{" + std::to_string(k + 1) + "}", depth, found, all);
      return;
    }
    const Element longest = next_element(rest);
    const Element names = next_element(rest);
    const std::uint64_t length = longest.data.size() == 4 ? number_at(longest.data, 0, 4, big_endian_) : 0;
    if (length == 0 || length > 1024)
      fail("the fields of " + in_quotes(name) + " have names of " + grouped(length) + " bytes.");
    const std::size_t fields = names.data.size() / length;
    // Announced elements end with the bytes that are there; those of a structure without fields have none.
    for (std::uint64_t k = 0; fields > 0 && k < count && !rest.empty(); ++k)
      for (std::size_t field = 0; field < fields && !rest.empty(); ++field) {
        std::string own(names.data.begin() + static_cast<std::ptrdiff_t>(field * length),
                        names.data.begin() + static_cast<std::ptrdiff_t>((field + 1) * length));
        own.resize(std::min(own.find('\0'), own.size()));
        const std::string index = count == 1 ? "" : "(" + std::to_string(k + 1) + ")";
        std::string full = name;
        read_member(rest, full.append(index).append(".").append(own), depth, found, all);
      }
  }
  void read_member(Bytes& rest, const std::string& name, int depth, std::vector<Sparse>& found,
                   SeveralMatrices& all) {
    const Element element = next_element(rest);
    if (element.type != kMatrix)
      fail("found type " + std::to_string(element.type) + " of " + in_quotes(name) + "; expected 14.");
    read_matrix(element.data, name, depth + 1, found, all);
  }

  /// Version 4, whose first four bytes were read.
  void read4(std::vector<Sparse>& found, SeveralMatrices& all) {
    for (;;) {
      BookedList<char>& header = kept_.back();
      take_onto(header, kHeader4 - header.size(), "the header of a variable");
      big_endian_ = number_at(header.data(), 0, 4, false) >= 5000;
      const auto field = [&](std::size_t k) { return number_at(header.data(), 4 * k, 4, big_endian_); };
      const std::uint64_t kind = field(0);
      const std::uint64_t rows = field(1);
      const std::uint64_t cols = field(2);
      static constexpr std::array<std::size_t, 6> kWidths{8, 4, 4, 2, 2, 1};
      const std::uint64_t precision = kind / 10 % 10;
      if (kind >= 5000 || kind / 1000 != (big_endian_ ? 1U : 0U) || kind / 100 % 10 != 0 ||
          precision >= kWidths.size() || kind % 10 > 2 || field(3) > 1 || field(4) == 0 || field(4) > 4096)
        fail("found " + grouped(kind) + " as the kind of a variable; this is no MATLAB file.");
      const std::size_t width = kWidths.at(precision);
      const std::vector<char>& label = take(field(4), "the name of a variable").data();
      const std::string name(label.begin(), label.end() - 1);
      const std::uint64_t parts = field(3) + 1;
      if (rows > kLargestSide || cols > kLargestSide)
        fail("the variable " + in_quotes(name) + " has too many rows or columns.");
      const std::uint64_t cells = rows * cols;
      if (cells > (std::uint64_t{1} << 56U))
        fail("the variable " + in_quotes(name) + " is announced longer than any file.");
      if (kind % 10 != 2) {
        all.leave_out(name, "not sparse");
        pass_over(cells * width * parts);
      } else {
        if ((cols != 3 && cols != 4) || rows == 0 || width != 8)
          fail("the sparse variable " + in_quotes(name) + " has " + grouped(cols) +
               " columns; expected 3 or 4 of real numbers.");
        Sparse sparse;
        sparse.complex = cols == 4;
        sparse.values = {9, take(cells * width, "a variable").data()};
        sparse.facts = {name, "coo", value4(sparse, rows, rows - 1, 0), value4(sparse, rows, rows - 1, 1),
                        rows - 1};
        all.add(sparse.facts);
        found.push_back(sparse);
      }
      if (file_.append(kept_.emplace_back(context_, "variables of the file"), 4) == 0) return;
    }
  }
  /// A whole number of a table of version 4.
  [[nodiscard]] std::uint64_t value4(const Sparse& sparse, std::uint64_t rows, std::uint64_t row,
                                     std::uint64_t col) const {
    const auto value =
        std::bit_cast<double>(number_at(sparse.values.data, 8 * (col * rows + row), 8, big_endian_));
    if (!(value >= 0) || value > static_cast<double>(kLargestSide) || value != std::floor(value))
      fail("the sparse variable that ends here has " + std::to_string(value) + " as an index or a side.");
    return static_cast<std::uint64_t>(value);
  }

 public:
  Matrix matrix(const Sparse& sparse, const LoadOptions& options) {
    const std::uint64_t rows = sparse.facts.rows;
    const std::uint64_t cols = sparse.facts.cols;
    place_ = "variable " + in_quotes(sparse.facts.name);
    if (rows == 0 || cols == 0)
      fail("it has " + grouped(rows) + " rows and " + grouped(cols) +
           " columns; a matrix has at least one of each.");
    Matrix matrix = sparse.facts.layout == "coo" ? matrix4(sparse, options) : matrix5(sparse, options);
    matrix.report.field = sparse.logical ? "logical" : sparse.complex ? "complex" : "real";
    return matrix;
  }

 private:
  [[nodiscard]] Matrix matrix4(const Sparse& sparse, const LoadOptions& options) const {
    EntryList entries(options, context_);
    entries.begin_preview(sparse.facts.rows, sparse.facts.cols, sparse.facts.stored);
    const std::uint64_t lines = sparse.facts.stored + 1;
    for (std::uint64_t k = 0; k < sparse.facts.stored; ++k) {
      const std::uint64_t row = value4(sparse, lines, k, 0);
      const std::uint64_t col = value4(sparse, lines, k, 1);
      if (row < 1 || row > sparse.facts.rows || col < 1 || col > sparse.facts.cols)
        fail("entry " + grouped(k) + " is at row " + grouped(row) + ", column " + grouped(col) +
             " of a matrix of " + grouped(sparse.facts.rows) + " × " + grouped(sparse.facts.cols) + ".");
      const auto part = [&](std::size_t column) { return &sparse.values.data[8 * (column * lines + k)]; };
      const bool is_zero = is_binary_zero(part(2), 8, 1, true, big_endian_) &&
                           (!sparse.complex || is_binary_zero(part(3), 8, 1, true, big_endian_));
      entries.add(row - 1, col - 1, is_zero, [&] {
        return Value(binary_real(part(2), 8, big_endian_),
                     sparse.complex ? binary_real(part(3), 8, big_endian_) : 0.0);
      });
    }
    if (sparse.complex) entries.set_complex();
    return std::move(entries).matrix(sparse.facts.rows, sparse.facts.cols);
  }

  /// Values of a sparse matrix of version 5, whose bytes are kept elsewhere.
  class Values5 : public StoredValues {
   public:
    Values5(const Sparse& sparse, bool big_endian)
        : real_(sparse.values),
          imaginary_(sparse.imaginary),
          is_complex_(sparse.complex),
          big_endian_(big_endian) {}
    [[nodiscard]] bool is_complex() const override { return is_complex_; }
    [[nodiscard]] bool is_zero(std::uint64_t k) const override {
      return is_zero(real_, k) && (!is_complex_ || is_zero(imaginary_, k));
    }
    [[nodiscard]] Value value(std::uint64_t k) const override {
      return {number(real_, k), is_complex_ ? number(imaginary_, k) : 0.0};
    }

   private:
    [[nodiscard]] bool is_zero(const Element& part, std::uint64_t k) const {
      const std::size_t width = width_of(part.type);
      return is_binary_zero(&part.data[k * width], width, 1, is_float(part.type), big_endian_);
    }
    [[nodiscard]] double number(const Element& part, std::uint64_t k) const {
      const std::size_t width = width_of(part.type);
      const char* const bytes = &part.data[k * width];
      const bool has_sign = part.type == 12 || (part.type % 2 == 1 && part.type < 6);
      return is_float(part.type) ? binary_real(bytes, width, big_endian_)
                                 : binary_integer(bytes, width, big_endian_, has_sign);
    }
    Element real_, imaginary_;
    bool is_complex_;
    bool big_endian_;
  };

  [[nodiscard]] Matrix matrix5(Sparse sparse, const LoadOptions& options) const {
    // Old versions store one byte for each logical value and call it a real number.
    if (sparse.logical && sparse.values.data.size() == sparse.facts.stored)
      sparse.values.type = kUnsignedByte;
    const std::size_t row_width = is_float(sparse.rows.type) ? 0 : width_of(sparse.rows.type);
    const std::size_t pointer_width = is_float(sparse.pointers.type) ? 0 : width_of(sparse.pointers.type);
    if (row_width == 0 || pointer_width == 0 || width_of(sparse.values.type) == 0 ||
        (sparse.complex && width_of(sparse.imaginary.type) == 0))
      fail("its indices or values are of types that are no numbers.");
    CompressedLines lines{.rows = sparse.facts.rows, .cols = sparse.facts.cols};
    const std::uint64_t stored = std::min(size_of(sparse.rows), size_of(sparse.values));
    if (size_of(sparse.pointers) < lines.cols + 1)
      fail("it has " + grouped(size_of(sparse.pointers)) + " column pointers; expected " +
           grouped(lines.cols + 1) + ".");
    const auto pointer = [&](std::uint64_t col) {
      return number_at(sparse.pointers.data, col * pointer_width, pointer_width, big_endian_);
    };
    std::uint64_t before = pointer(0);
    if (before != 0) fail("its first column pointer is " + grouped(before) + "; expected 0.");
    lines.ends = {context_, lines.cols, "column pointers"};
    for (std::uint64_t col = 0; col < lines.cols; ++col) {
      const std::uint64_t end = lines.ends.data[col] = pointer(col + 1);
      if (end < before || end > stored)
        fail("the pointer of column " + grouped(col + 1) + " is " + grouped(end) + "; expected " +
             grouped(before) + " to " + grouped(stored) + ".");
      before = end;
    }
    if (sparse.complex && size_of(sparse.imaginary) < before) fail("its imaginary parts are too few.");
    lines.ids = {context_, before, "rows of the entries"};
    for (std::uint64_t k = 0; k < before; ++k) {
      if (k % kPiece == 0) context_.check_stop();
      const std::uint64_t row = number_at(sparse.rows.data, k * row_width, row_width, big_endian_);
      if (row >= lines.rows)
        fail("entry " + grouped(k) + " is in row " + grouped(row) + "; expected 0 to " +
             grouped(lines.rows - 1) + ".");
      lines.ids.data[k] = static_cast<Index>(row);
    }
    show_lines(lines, options, context_);
    return matrix_of_lines(std::move(lines), std::make_unique<Values5>(sparse, big_endian_), options,
                           context_);
  }

  BinaryFile file_;
  std::string name_;
  JobContext& context_;
  bool big_endian_ = false;
  std::string place_ = "byte 0";
  Kept kept_;
};

/// Whether the file begins with the header of a variable of version 4: a number whose decimal digits state
/// the types, rows, columns, 0 or 1 (complex), the length of the name, and the name ended by a zero byte.
bool is_version_4(Bytes head) {
  if (head.size() < kHeader4 + 2) return false;
  const bool big_endian = number_at(head, 0, 4, false) >= 5000;
  const std::uint64_t kind = number_at(head, 0, 4, big_endian);
  const std::uint64_t length = number_at(head, 16, 4, big_endian);
  if (kind >= 5000 || kind / 1000 != (big_endian ? 1U : 0U) || kind / 100 % 10 != 0 || kind / 10 % 10 > 5 ||
      kind % 10 > 2 || number_at(head, 12, 4, big_endian) > 1 || length < 2 || length > 64 ||
      head.size() < kHeader4 + length)
    return false;
  const Bytes name = head.subspan(kHeader4, length);
  const auto is_of_a_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return name.back() == '\0' && std::all_of(name.begin(), name.end() - 1, is_of_a_name);
}

class MatlabReader : public Reader {
 public:
  [[nodiscard]] const FormatInfo& format() const override { return kFormat; }
  /// Version 4 has no signature: a file is possible if it begins with a plausible header of a variable.
  [[nodiscard]] Recognition recognise(std::span<const char> head) const override {
    const std::string_view text(head.data(), head.size());
    const bool is_5 = text.size() >= kHeader5 && text.starts_with("MATLAB ") &&
                      (text.substr(126, 2) == "IM" || text.substr(126, 2) == "MI");
    if (is_5) return Recognition::certain;
    return is_version_4(head) ? Recognition::possible : Recognition::none;
  }
  [[nodiscard]] Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options,
                            JobContext& context) const override {
    context.begin_stage("read");
    SeveralMatrices all(kFormat, name, options);
    std::vector<Sparse> found;
    File file(source, name, context);
    file.read(found, all);
    const MatrixInFile& chosen = all.choose("Problem.A");
    const auto sparse =
        std::ranges::find_if(found, [&](const Sparse& one) { return one.facts.name == chosen.name; });
    Matrix matrix = file.matrix(*sparse, options);
    all.report(matrix.report);
    return matrix;
  }
};

}  // namespace

std::unique_ptr<Reader> make_matlab_reader() { return std::make_unique<MatlabReader>(); }

}  // namespace spyctrum
