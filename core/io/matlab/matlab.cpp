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

#include "core/io/byte_source.hpp"
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
  std::uint64_t number = 0;
  for (std::size_t b = 0; b < width; ++b)
    number = number << 8U | static_cast<unsigned char>(bytes[at + (big_endian ? b : width - 1 - b)]);
  return number;
}

/// Whether a number is 0, or −0 of a floating-point type.
bool is_zero_at(Bytes bytes, std::size_t at, std::size_t width, bool floating, bool big_endian) {
  const std::uint64_t number = number_at(bytes, at, width, big_endian);
  return number == 0 || (floating && number == std::uint64_t{1} << (8 * width - 1));
}

struct Element {
  std::uint32_t type = 0;
  Bytes data;
};

/// A sparse matrix in a file: arrays of version 5, or the table of version 4 in `values`.
struct Sparse {
  MatrixInFile facts;
  Element rows, pointers, values, imaginary;
  bool complex = false;
  bool logical = false;
};

/// Bytes that are kept until the matrix is chosen.
using Kept = std::deque<BookedVector<char>>;

class File {
 public:
  File(ByteSource& source, std::string_view name, JobContext& context)
      : source_(source), name_(name), context_(context) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw Failure(ErrorCode::bad_input, name_ + ", " + place_ + ": " + what,
                  "Get the file again, or write it anew, with save -v7 in MATLAB.");
  }

  void read(std::vector<Sparse>& found, SeveralMatrices& all) {
    const BookedVector<char>& head = take(4, "its beginning");
    // Version 4 begins with a number below 5000, of which the thousands say how numbers are stored.
    const std::uint64_t little = number_at(head.data, 0, 4, false);
    const std::uint64_t big = number_at(head.data, 0, 4, true);
    if (little < 5000 || big < 5000) return read4(found, all);
    take_onto(kept_.back(), kHeader5 - 4, "its header");
    const Bytes header = kept_.back().data;
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
  /// Adds `count` bytes of the file to `bytes`, which grows with those that are there.
  void take_onto(BookedVector<char>& bytes, std::uint64_t count, const char* what) {
    const std::uint64_t all = bytes.data.size() + count;
    while (bytes.data.size() < all) {
      context_.checkpoint(source_.consumed(), source_.total());
      const std::size_t had = bytes.data.size();
      const std::size_t more = std::min<std::uint64_t>(kPiece, all - had);
      grow(bytes, had + more);
      const std::size_t got = source_.read(std::span(bytes.data).subspan(had));
      bytes.data.resize(had + got);
      position_ += got;
      place_ = "byte " + grouped(position_);
      if (got == 0)
        fail("the file ends within " + std::string(what) + ", " + grouped(all - had) +
             " bytes before its end.");
    }
  }
  void grow(BookedVector<char>& bytes, std::size_t size) {
    if (size > bytes.data.capacity()) {
      const std::size_t capacity = std::max(size, 2 * bytes.data.size());
      Booking larger(context_.memory(), capacity, "variables of the file");
      bytes.data.reserve(capacity);
      bytes.booking = std::move(larger);
    }
    bytes.data.resize(size);
  }
  BookedVector<char>& take(std::uint64_t count, const char* what) {
    BookedVector<char>& bytes = kept_.emplace_back();
    take_onto(bytes, count, what);
    return bytes;
  }
  void pass_over(std::uint64_t count) {
    std::vector<char> ignored(std::min<std::uint64_t>(count, kPiece));
    while (count > 0) {
      context_.checkpoint(source_.consumed(), source_.total());
      const std::size_t got = source_.read(std::span(ignored).first(std::min<std::uint64_t>(count, kPiece)));
      position_ += got;
      place_ = "byte " + grouped(position_);
      if (got == 0) fail("the file ends within a variable, " + grouped(count) + " bytes before its end.");
      count -= got;
    }
  }
  /// Whether a variable of version 5 can hold a sparse matrix: `begin`, the content of its element.
  [[nodiscard]] bool is_wanted(Bytes begin) const {
    if (begin.size() < kClassBytes) return false;
    const std::uint64_t kind = number_at(begin, 8, 4, big_endian_) & 0xFFU;
    return kind == kSparse || kind == kStruct || kind == kCell || kind == kObject;
  }

  void read5(std::vector<Sparse>& found, SeveralMatrices& all) {
    for (std::vector<char> tag(8);;) {
      std::size_t got = 0;
      while (got < tag.size()) {
        const std::size_t more = source_.read(std::span(tag).subspan(got));
        if (more == 0) break;
        got += more;
      }
      position_ += got;
      place_ = "byte " + grouped(position_);
      if (got == 0) return;
      if (got < tag.size()) fail("the file ends within the tag of a variable.");
      const std::uint64_t type = number_at(tag, 0, 4, big_endian_);
      const std::uint64_t size = number_at(tag, 4, 4, big_endian_);
      if (type == kCompressed) {
        unpack_variable(take(size, "a packed variable").data, found, all);
        continue;
      }
      if (type != kMatrix) fail("found type " + grouped(type) + " of a variable; expected 14 or 15.");
      const std::uint64_t begin = std::min<std::uint64_t>(size, kClassBytes);
      BookedVector<char>& bytes = take(begin, "a variable");
      if (!is_wanted(bytes.data)) {
        all.leave_out("a variable", "not sparse");
        kept_.pop_back();
        pass_over(size - begin);
        continue;
      }
      take_onto(bytes, size - begin, "a variable");
      read_matrix(bytes.data, "", 0, found, all);
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
    BookedVector<char> bytes;
    for (int outcome = Z_OK; outcome != Z_STREAM_END;) {
      context_.check_stop();
      const std::size_t had = bytes.data.size();
      grow(bytes, had + kPiece);
      state.stream.next_out = reinterpret_cast<Bytef*>(bytes.data.data() + had);
      state.stream.avail_out = kPiece;
      outcome = inflate(&state.stream, Z_NO_FLUSH);
      bytes.data.resize(bytes.data.size() - state.stream.avail_out);
      if (had == 0 && bytes.data.size() >= 8 + kClassBytes && !is_wanted(Bytes(bytes.data).subspan(8))) {
        all.leave_out("a variable", "not sparse");
        kept_.pop_back();
        return;
      }
      if (outcome != Z_OK && outcome != Z_STREAM_END)
        fail(std::string("the packed variable that ends here is damaged or cut off (") +
             (state.stream.msg != nullptr ? state.stream.msg : "its data end early") + ").");
    }
    if (bytes.data.size() < 8 || number_at(bytes.data, 0, 4, big_endian_) != kMatrix ||
        number_at(bytes.data, 4, 4, big_endian_) > bytes.data.size() - 8)
      fail("the packed variable that ends here is longer than its data.");
    if (!is_wanted(Bytes(bytes.data).subspan(8))) {
      kept_.pop_back();
      return;
    }
    kept_.back() = std::move(bytes);
    read_matrix(Bytes(kept_.back().data).subspan(8, number_at(kept_.back().data, 4, 4, big_endian_)), "", 0,
                found, all);
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
      BookedVector<char>& header = kept_.back();
      take_onto(header, kHeader4 - header.data.size(), "the header of a variable");
      big_endian_ = number_at(header.data, 0, 4, false) >= 5000;
      const auto field = [&](std::size_t k) { return number_at(header.data, 4 * k, 4, big_endian_); };
      const std::uint64_t kind = field(0);
      const std::uint64_t rows = field(1);
      const std::uint64_t cols = field(2);
      static constexpr std::array<std::size_t, 6> kWidths{8, 4, 4, 2, 2, 1};
      const std::uint64_t precision = kind / 10 % 10;
      if (kind >= 5000 || kind / 1000 != (big_endian_ ? 1U : 0U) || kind / 100 % 10 != 0 ||
          precision >= kWidths.size() || kind % 10 > 2 || field(3) > 1 || field(4) == 0 || field(4) > 4096)
        fail("found " + grouped(kind) + " as the kind of a variable; this is no MATLAB file.");
      const std::size_t width = kWidths.at(precision);
      BookedVector<char>& label = take(field(4), "the name of a variable");
      const std::string name(label.data.begin(), label.data.end() - 1);
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
        sparse.values = {9, take(cells * width, "a variable").data};
        sparse.facts = {name, "coo", value4(sparse, rows, rows - 1, 0), value4(sparse, rows, rows - 1, 1),
                        rows - 1};
        all.add(sparse.facts);
        found.push_back(sparse);
      }
      BookedVector<char>& next = kept_.emplace_back();
      grow(next, 4);
      const std::size_t got = source_.read(next.data);
      position_ += got;
      if (got == 0) return;
      next.data.resize(got);
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
    EntryList entries(options, context_);
    entries.begin_preview(rows, cols, sparse.facts.stored);
    if (sparse.facts.layout == "coo")
      add4(sparse, entries);
    else
      add5(sparse, entries);
    if (sparse.complex) entries.set_complex();
    Matrix matrix = std::move(entries).matrix(rows, cols);
    matrix.report.field = sparse.logical ? "logical" : sparse.complex ? "complex" : "real";
    return matrix;
  }

 private:
  void add4(const Sparse& sparse, EntryList& entries) const {
    const std::uint64_t lines = sparse.facts.stored + 1;
    for (std::uint64_t k = 0; k < sparse.facts.stored; ++k) {
      const std::uint64_t row = value4(sparse, lines, k, 0);
      const std::uint64_t col = value4(sparse, lines, k, 1);
      if (row < 1 || row > sparse.facts.rows || col < 1 || col > sparse.facts.cols)
        fail("entry " + grouped(k) + " is at row " + grouped(row) + ", column " + grouped(col) +
             " of a matrix of " + grouped(sparse.facts.rows) + " × " + grouped(sparse.facts.cols) + ".");
      bool is_zero = true;
      for (std::size_t part = 2; part < (sparse.complex ? 4U : 3U); ++part)
        is_zero = is_zero && is_zero_at(sparse.values.data, 8 * (part * lines + k), 8, true, big_endian_);
      entries.add(row - 1, col - 1, is_zero, [&] {
        const auto number = [&](std::size_t part) {
          return binary_real(sparse.values.data.data() + 8 * (part * lines + k), 8, big_endian_);
        };
        return Value(number(2), sparse.complex ? number(3) : 0.0);
      });
    }
  }

  void add5(const Sparse& sparse, EntryList& entries) const {
    const std::size_t row_width = width_of(sparse.rows.type);
    const std::size_t pointer_width = width_of(sparse.pointers.type);
    // Old versions store one byte for each logical value and call it a real number.
    const bool single_bytes = sparse.logical && sparse.values.data.size() == sparse.facts.stored;
    const std::size_t value_width = single_bytes ? 1 : width_of(sparse.values.type);
    const std::size_t imaginary_width = sparse.complex ? width_of(sparse.imaginary.type) : 1;
    if (is_float(sparse.rows.type) || is_float(sparse.pointers.type) || row_width == 0 ||
        pointer_width == 0 || value_width == 0 || imaginary_width == 0)
      fail("its indices or values are of types that are no numbers.");
    const std::uint64_t stored = sparse.rows.data.size() / row_width;
    const std::uint64_t values = sparse.values.data.size() / value_width;
    if (sparse.pointers.data.size() / pointer_width < sparse.facts.cols + 1)
      fail("it has " + grouped(sparse.pointers.data.size() / pointer_width) + " column pointers; expected " +
           grouped(sparse.facts.cols + 1) + ".");
    std::uint64_t before = number_at(sparse.pointers.data, 0, pointer_width, big_endian_);
    if (before != 0) fail("its first column pointer is " + grouped(before) + "; expected 0.");
    for (std::uint64_t col = 0; col < sparse.facts.cols; ++col) {
      const std::uint64_t end =
          number_at(sparse.pointers.data, (col + 1) * pointer_width, pointer_width, big_endian_);
      if (end < before || end > stored || end > values)
        fail("the pointer of column " + grouped(col + 1) + " is " + grouped(end) + "; expected " +
             grouped(before) + " to " + grouped(std::min(stored, values)) + ".");
      for (; before < end; ++before) {
        const std::uint64_t row = number_at(sparse.rows.data, before * row_width, row_width, big_endian_);
        if (row >= sparse.facts.rows)
          fail("entry " + grouped(before) + " is in row " + grouped(row) + "; expected 0 to " +
               grouped(sparse.facts.rows - 1) + ".");
        bool is_zero = is_zero_at(sparse.values.data, before * value_width, value_width,
                                  is_float(sparse.values.type), big_endian_);
        if (sparse.complex) {
          if ((before + 1) * imaginary_width > sparse.imaginary.data.size())
            fail("its imaginary parts are too few.");
          is_zero = is_zero && is_zero_at(sparse.imaginary.data, before * imaginary_width, imaginary_width,
                                          is_float(sparse.imaginary.type), big_endian_);
        }
        entries.add(row, col, is_zero, [&] {
          const auto number = [&](const Element& part, std::size_t width) {
            const char* const bytes = part.data.data() + before * width;
            return !single_bytes && is_float(part.type)
                       ? binary_real(bytes, width, big_endian_)
                       : binary_integer(bytes, width, big_endian_,
                                        part.type == 12 || (part.type % 2 == 1 && part.type < 6));
          };
          return Value(number(sparse.values, value_width),
                       sparse.complex ? number(sparse.imaginary, imaginary_width) : 0.0);
        });
      }
    }
  }

  ByteSource& source_;
  std::string name_;
  JobContext& context_;
  bool big_endian_ = false;
  std::uint64_t position_ = 0;
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

std::unique_ptr<Reader> make_matlab_reader();  // for the registry, core/io/formats.cpp
std::unique_ptr<Reader> make_matlab_reader() { return std::make_unique<MatlabReader>(); }

}  // namespace spyctrum
