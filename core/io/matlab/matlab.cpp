// SPDX-License-Identifier: Apache-2.0
// Sparse matrices in MATLAB's .mat files of version 4 and of versions 5 to 7 (MathWorks, "MAT-File Format",
// R2023b): variables, and fields of structures such as Problem.A of the SuiteSparse Matrix Collection. All
// other variables are skipped. A file of version 5 consists of elements (type, size, data); variables may be
// packed by zlib, and a sparse variable has compressed columns with indices from 0. Version 4 lists row,
// column and value of each entry, with indices from 1. Files of version 7.3 are HDF5 (core/io/hdf5).
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>

#include "core/io/binary_file.hpp"
#include "core/io/byte_source.hpp"
#include "core/io/compressed_lines.hpp"
#include "core/io/numpy/compressed_arrays.hpp"
#include "core/io/quote.hpp"
#include "core/io/several_matrices.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum::matlab_reader {
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

/// Bytes of a number of this type of elements; 0 if they are not numbers.
std::size_t width_of(std::uint32_t type) {
  static constexpr std::array<std::size_t, 14> kWidths{0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8};
  return type < kWidths.size() ? kWidths.at(type) : 0;
}

/// The kind of the numbers, as NumpyArray::kind.
char kind_of(std::uint32_t type) {
  constexpr std::string_view kKinds("?iuiuiuf?f??iu");
  return type < kKinds.size() ? kKinds[type] : '?';
}

/// A number of at most 64 bits.
std::uint64_t number_at(Bytes bytes, std::size_t at, std::size_t width, bool big_endian) {
  return binary_whole(bytes.data() + at, width, big_endian);
}

/// The content of a variable, read in order and, if necessary, unpacked.
class Content {
 public:
  virtual ~Content() = default;
  /// Fills `bytes`. Throws Failure{bad_input} if the content ends before.
  void read(std::span<char> bytes) {
    const std::size_t ready = std::min(bytes.size(), ahead_.size());
    std::copy_n(ahead_.begin(), ready, bytes.begin());
    ahead_.erase(ahead_.begin(), ahead_.begin() + static_cast<std::ptrdiff_t>(ready));
    if (ready < bytes.size()) fetch(bytes.subspan(ready));
    position_ += bytes.size();
  }
  /// The number of bytes that were read.
  [[nodiscard]] std::uint64_t position() const { return position_; }
  /// The first `count` bytes, which read() returns again; to be called before the first read().
  Bytes peek(std::size_t count) {
    ahead_.resize(count);
    fetch(ahead_);
    return ahead_;
  }

 private:
  virtual void fetch(std::span<char> bytes) = 0;
  std::vector<char> ahead_;
  std::uint64_t position_ = 0;
};

/// Where an array that is read again begins: at byte `byte` of the content of a variable of version 5. The
/// variable is `size` bytes of the file from byte `variable` on; its content is packed if `is_packed`.
struct Place {
  std::uint64_t variable = 0;
  std::uint64_t size = 0;
  bool is_packed = false;
  std::uint64_t byte = 0;
};

/// The part of an element's content that has not been read.
struct Rest {
  Content& content;
  std::uint64_t left = 0;
  void read(std::span<char> bytes) {
    content.read(bytes);
    left -= bytes.size();
  }
  void pass(std::uint64_t count) {
    for (std::vector<char> ignored(std::min<std::uint64_t>(count, kPiece)); count != 0;) {
      const std::span<char> piece = std::span(ignored).first(std::min<std::uint64_t>(count, kPiece));
      read(piece);
      count -= piece.size();
    }
  }
};

/// The tag of an element. The tag contains up to four bytes of data; more data follow it.
struct Tag {
  std::uint32_t type = 0;
  std::uint64_t size = 0;  ///< bytes of data
  std::array<char, 4> data{};
  bool is_small = false;  ///< the data are in the tag
  /// Bytes between the data and the next element.
  [[nodiscard]] std::uint64_t padding() const {
    return is_small || type == kCompressed ? 0 : (8 - size % 8) % 8;
  }
};

struct Sparse {
  MatrixInFile facts;
  NumpyArray rows, pointers, values, imaginary;  ///< of version 5
  Place values_at, imaginary_at;                 ///< of version 5, to read values again
  bool complex = false;
  bool logical = false;
  std::unique_ptr<EntryList> entries{};  ///< of version 4; null if this is not the matrix that is read
  std::string wrong{};                   ///< the first fault of its entries
};

/// Complex values whose real parts, and whose imaginary parts, are an array each.
class ComplexValues : public StoredValues {
 public:
  ComplexValues(std::unique_ptr<StoredValues> real, std::unique_ptr<StoredValues> imaginary)
      : real_(std::move(real)), imaginary_(std::move(imaginary)) {}
  [[nodiscard]] bool is_streamed() const override {
    return real_->is_streamed() || imaginary_->is_streamed();
  }
  void prepare(std::uint64_t begin, std::uint64_t end) override {
    real_->prepare(begin, end);
    imaginary_->prepare(begin, end);
  }
  [[nodiscard]] bool is_complex() const override { return true; }
  [[nodiscard]] bool is_zero(std::uint64_t k) const override {
    return real_->is_zero(k) && imaginary_->is_zero(k);
  }
  [[nodiscard]] Value value(std::uint64_t k) const override {
    return {real_->value(k).real(), imaginary_->value(k).real()};
  }
  void release(std::uint64_t begin, std::uint64_t end) const override {
    real_->release(begin, end);
    imaginary_->release(begin, end);
  }

 private:
  std::unique_ptr<StoredValues> real_, imaginary_;
};

class File {
 public:
  File(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context)
      : source_(source),
        file_(source, name, context),
        name_(name),
        context_(context),
        file_bytes_(source.total()),
        options_(options),
        keeps_values_(options.values != ValueUse::none) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw Failure(ErrorCode::bad_input, name_ + ", " + place_ + ": " + what,
                  "Get the file again, or write it anew, with save -v7 in MATLAB.");
  }

  void read(std::vector<Sparse>& found, SeveralMatrices& all) {
    std::vector<char> header(4);
    take(header, "its beginning");
    // Version 4 begins with a number below 5000, whose thousands are the format of numbers.
    const std::uint64_t little = number_at(header, 0, 4, false);
    const std::uint64_t big = number_at(header, 0, 4, true);
    if (little < 5000 || big < 5000) return read4(std::move(header), found, all);
    header.resize(kHeader5);
    take(std::span(header).subspan(4), "its header");
    set_place(file_.position());
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
  void set_place(std::uint64_t byte) { place_ = "byte " + grouped(byte); }
  void check_end(std::uint64_t missing, const char* what) {
    if (missing == 0) return;
    set_place(file_.position());
    fail("the file ends within " + std::string(what) + ", " + grouped(missing) + " bytes before its end.");
  }
  /// Fills `bytes` from the file.
  void take(std::span<char> bytes, const char* what) { check_end(bytes.size() - file_.read(bytes), what); }

  /// A variable that is stored as it is.
  class PlainContent : public Content {
   public:
    PlainContent(File& file, std::uint64_t size) : file_(file), left_(size) {}

   private:
    void fetch(std::span<char> bytes) override {
      const std::size_t got = file_.file_.read(bytes);
      if (got < bytes.size()) file_.check_end(left_ - got, "a variable");
      left_ -= got;
    }
    File& file_;
    std::uint64_t left_;
  };

  /// A variable that zlib has packed into `size` bytes.
  class PackedContent : public Content {
   public:
    PackedContent(File& file, std::uint64_t size) : file_(file), left_(size), packed_(kPiece) {
      if (inflateInit(&stream_) != Z_OK) throw std::bad_alloc();
    }
    ~PackedContent() override { inflateEnd(&stream_); }
    PackedContent(const PackedContent&) = delete;
    PackedContent& operator=(const PackedContent&) = delete;
    /// Skips the rest. `is_verified`: unpacks it up to its end, where zlib compares a checksum.
    void finish(bool is_verified) {
      for (std::vector<char> ignored(kPiece); is_verified && !has_ended_;) unpack(ignored);
      const std::uint64_t passed = file_.file_.pass(left_);
      file_.check_end(left_ - passed, "a packed variable");
    }

   private:
    void fetch(std::span<char> bytes) override {
      if (unpack(bytes) < bytes.size())
        file_.fail("the packed variable that ends here is longer than its data.");
    }
    /// Fills `bytes` and returns how many were unpacked; fewer only at the end.
    std::size_t unpack(std::span<char> bytes) {
      file_.context_.check_stop();
      stream_.next_out = reinterpret_cast<Bytef*>(bytes.data());
      stream_.avail_out = static_cast<uInt>(bytes.size());
      while (!has_ended_ && stream_.avail_out != 0) {
        if (stream_.avail_in == 0 && left_ != 0) {
          const std::span<char> piece = std::span(packed_).first(std::min<std::uint64_t>(left_, kPiece));
          const std::size_t got = file_.file_.read(piece);
          left_ -= got;
          if (got < piece.size()) file_.check_end(left_, "a packed variable");
          stream_.next_in = reinterpret_cast<Bytef*>(piece.data());
          stream_.avail_in = static_cast<uInt>(got);
        }
        const int outcome = inflate(&stream_, Z_NO_FLUSH);
        has_ended_ = outcome == Z_STREAM_END;
        if (outcome != Z_OK && outcome != Z_STREAM_END)
          file_.fail(std::string("the packed variable that ends here is damaged or cut off (") +
                     (stream_.msg != nullptr ? stream_.msg : "its data end early") + ").");
      }
      return bytes.size() - stream_.avail_out;
    }
    File& file_;
    std::uint64_t left_;  // bytes of the file
    std::vector<char> packed_;
    z_stream stream_{};
    bool has_ended_ = false;
  };

  /// Whether a variable of version 5 can be or contain a sparse matrix. `begin`: its first bytes.
  [[nodiscard]] bool may_be_sparse(Bytes begin) const {
    if (begin.size() < kClassBytes) return false;
    const std::uint64_t kind = number_at(begin, 8, 4, big_endian_) & 0xFFU;
    return kind == kSparse || kind == kStruct || kind == kCell || kind == kObject;
  }

  void read5(std::vector<Sparse>& found, SeveralMatrices& all) {
    for (std::vector<char> tag(8);;) {
      const std::size_t got = file_.read(tag);
      set_place(file_.position());
      if (got == 0) return;
      if (got < tag.size()) fail("the file ends within the tag of a variable.");
      const std::uint64_t type = number_at(tag, 0, 4, big_endian_);
      const std::uint64_t size = number_at(tag, 4, 4, big_endian_);
      if (type != kMatrix && type != kCompressed)
        fail("found type " + grouped(type) + " of a variable; expected 14 or 15.");
      set_place(file_.position() + size);
      variable_ = {file_.position(), size, type == kCompressed, 0};
      if (type == kMatrix) {
        PlainContent content(*this, size);
        expected_bytes_ = file_bytes_;
        Rest rest{content, size};
        (void)read_variable(rest, found, all);
        rest.pass(rest.left);
        continue;
      }
      PackedContent content(*this, size);
      // Memory is reserved for at most 8 bytes per packed byte, a usual rate of packing.
      expected_bytes_ = 8 * size;
      content.read(tag);
      if (number_at(tag, 0, 4, big_endian_) != kMatrix)
        fail("the packed variable that ends here is longer than its data.");
      Rest rest{content, number_at(tag, 4, 4, big_endian_)};
      const bool is_read = read_variable(rest, found, all);
      if (is_read) rest.pass(rest.left);
      content.finish(is_read);
    }
  }

  /// Reads the variable if it may be or contain a sparse matrix; returns whether it was read.
  bool read_variable(Rest& rest, std::vector<Sparse>& found, SeveralMatrices& all) {
    const bool is_read = may_be_sparse(rest.content.peek(std::min<std::uint64_t>(rest.left, kClassBytes)));
    if (is_read)
      read_matrix(rest, "", 0, found, all);
    else
      all.leave_out("", "variables that are not sparse; sparse(A) makes such a variable sparse");
    return is_read;
  }

  /// Reads the tag of the next element, whose data follow.
  Tag next_tag(Rest& rest) const {
    if (rest.left < 8) fail("the variable that ends here lacks a part.");
    std::array<char, 8> bytes{};
    rest.read(bytes);
    Tag tag{static_cast<std::uint32_t>(number_at(bytes, 0, 4, big_endian_)),
            number_at(bytes, 4, 4, big_endian_)};
    if (tag.type >> 16U != 0) {
      tag.size = tag.type >> 16U;
      tag.type &= 0xFFFFU;
      tag.is_small = true;
      std::copy_n(bytes.begin() + 4, 4, tag.data.begin());
      if (tag.size > 4)
        fail("a small part of the variable that ends here has " + grouped(tag.size) + " bytes; 4 fit.");
    } else if (tag.size > rest.left) {
      fail("a part of the variable that ends here has " + grouped(tag.size) + " bytes; " +
           grouped(rest.left) + " are left.");
    }
    return tag;
  }
  /// Fills `bytes` with the next data of the element.
  static void read_data(Rest& rest, const Tag& tag, std::span<char> bytes) {
    if (tag.is_small)
      std::copy_n(tag.data.begin(), bytes.size(), bytes.begin());
    else
      rest.read(bytes);
  }
  static void end_element(Rest& rest, const Tag& tag) { rest.pass(std::min(rest.left, tag.padding())); }
  /// Reads the data of the next element, which should be short, into a list that grows with the bytes read.
  [[nodiscard]] std::vector<char> next_data(Rest& rest) const {
    const Tag tag = next_tag(rest);
    BookedList<char> bytes(context_, "variables of the file");
    for (std::uint64_t left = tag.size; left != 0;) {
      const std::size_t piece = std::min<std::uint64_t>(left, kPiece);
      read_data(rest, tag, bytes.extend(piece));
      left -= piece;
    }
    end_element(rest, tag);
    return {bytes.data().begin(), bytes.data().end()};
  }
  /// Reads the numbers of the next element. If is_of_bytes(size in bytes), they are bytes, whatever their
  /// tag.
  [[nodiscard]] NumpyArray next_array(Rest& rest, Keep keep,
                                      const std::function<bool(std::uint64_t size)>& is_of_bytes = {}) const {
    Tag tag = next_tag(rest);
    if (is_of_bytes && is_of_bytes(tag.size)) tag.type = kUnsignedByte;
    NumpyArray array;
    array.width = width_of(tag.type);
    array.kind = keep == Keep::indices && kind_of(tag.type) == 'i' ? 'u' : kind_of(tag.type);
    array.big_endian = big_endian_;
    array.set_keep(keep);
    const std::uint64_t size = array.width == 0 ? 0 : tag.size / array.width * array.width;
    if (array.keep == Keep::number) {
      array.count = size / array.width;
      rest.pass(tag.size);
      end_element(rest, tag);
      return array;
    }
    const auto read = [&](std::span<char> bytes) {
      read_data(rest, tag, bytes);
      return bytes.size();
    };
    if (size != 0) (void)read_elements(array, context_, read, size, expected_bytes_);
    if (!tag.is_small) rest.pass(tag.size - size);
    end_element(rest, tag);
    return array;
  }

  /// The place of the data of the next element, if they are not in its tag.
  [[nodiscard]] Place place_of_next(const Rest& rest) const {
    Place place = variable_;
    place.byte = rest.content.position() + 8;
    return place;
  }

  /// Reads the content of a matrix element, and of the elements within it. `prefix`: the name of the
  /// structure or cell around it.
  void read_matrix(Rest& rest, const std::string& prefix, int depth, std::vector<Sparse>& found,
                   SeveralMatrices& all) {
    if (rest.left == 0) return;  // an empty field
    const std::vector<char> flags = next_data(rest);
    if (flags.size() < 8)
      fail("the flags of a variable have " + counted(flags.size(), "byte", "bytes") + ".");
    const auto flag = static_cast<unsigned>(number_at(flags, 0, 4, big_endian_));
    const unsigned kind = flag & 0xFFU;
    const std::vector<char> sides = next_data(rest);
    const std::vector<char> label = next_data(rest);
    std::string name(label.begin(), label.end());
    if (const std::size_t end = name.find('\0'); end != std::string::npos) name.resize(end);
    name = prefix + name;
    const auto side = [&](std::size_t k) { return number_at(sides, 4 * k, 4, big_endian_); };
    if (sides.size() < 8 || sides.size() % 4 != 0)
      fail("the dimensions of " + in_quotes(name) + " have " + counted(sides.size(), "byte", "bytes") + ".");
    if (kind == kSparse) {
      Sparse sparse;
      sparse.facts = {name, "csc", side(0), side(1), 0};
      sparse.complex = (flag & 0x800U) != 0;
      sparse.logical = (flag & 0x200U) != 0;
      sparse.rows = next_array(rest, Keep::indices);
      sparse.pointers = next_array(rest, Keep::bytes);
      if (sparse.pointers.size() != 0) sparse.facts.stored = pointer(sparse, sparse.pointers.size() - 1);
      // Old versions store one byte for each logical value and call it a real number.
      const auto is_of_bytes = [&](std::uint64_t size) {
        return sparse.logical && size == sparse.facts.stored;
      };
      Keep keep = keeps_values_ ? Keep::bytes : Keep::zeros;
      // Both parts take 16 bytes per entry: if the file can be read again, they are read later, when the
      // entries are made.
      if (keeps_values_ && sparse.complex && source_.descriptor() >= 0 &&
          sparse.facts.stored > std::max<std::uint64_t>(1, options_.exact_entries))
        keep = Keep::number;
      sparse.values_at = place_of_next(rest);
      sparse.values = next_array(rest, keep, is_of_bytes);
      if (sparse.complex) {
        sparse.imaginary_at = place_of_next(rest);
        sparse.imaginary = next_array(rest, keep);
      }
      all.add(sparse.facts);
      found.push_back(std::move(sparse));
      return;
    }
    if (kind != kStruct && kind != kCell && kind != kObject) {
      all.leave_out(name, "not sparse");
      return;
    }
    if (depth == kMostDepth) return;
    std::uint64_t count = 1;  // at most 2^64 − 1: the bytes of the file limit it further
    for (std::size_t k = 0; k < sides.size() / 4; ++k)
      if (__builtin_mul_overflow(count, side(k), &count)) count = ~std::uint64_t{0};
    if (kind == kObject) (void)next_data(rest);  // the name of its class
    if (kind == kCell) {
      for (std::uint64_t k = 0; k < count && rest.left != 0; ++k)
        read_member(rest, name + "{" + std::to_string(k + 1) + "}", depth, found, all);
      return;
    }
    const std::vector<char> longest = next_data(rest);
    const std::vector<char> names = next_data(rest);
    const std::uint64_t length = longest.size() == 4 ? number_at(longest, 0, 4, big_endian_) : 0;
    if (length == 0 || length > 1024)
      fail("the fields of " + in_quotes(name) + " have names of " + grouped(length) + " bytes.");
    const std::size_t fields = names.size() / length;
    // The announced number of elements is limited by the bytes; a structure without fields has none.
    for (std::uint64_t k = 0; fields > 0 && k < count && rest.left != 0; ++k)
      for (std::size_t field = 0; field < fields && rest.left != 0; ++field) {
        std::string own(names.begin() + static_cast<std::ptrdiff_t>(field * length),
                        names.begin() + static_cast<std::ptrdiff_t>((field + 1) * length));
        own.resize(std::min(own.find('\0'), own.size()));
        const std::string index = count == 1 ? "" : "(" + std::to_string(k + 1) + ")";
        std::string full = name;
        read_member(rest, full.append(index).append(".").append(own), depth, found, all);
      }
  }
  void read_member(Rest& rest, const std::string& name, int depth, std::vector<Sparse>& found,
                   SeveralMatrices& all) {
    const Tag tag = next_tag(rest);
    if (tag.type != kMatrix)
      fail("found type " + std::to_string(tag.type) + " of " + in_quotes(name) + "; expected 14.");
    if (tag.is_small) fail("the variable that ends here lacks a part.");
    Rest member{rest.content, tag.size};
    read_matrix(member, name, depth + 1, found, all);
    member.pass(member.left);
    rest.left -= tag.size;
    end_element(rest, tag);
  }
  [[nodiscard]] std::uint64_t pointer(const Sparse& sparse, std::uint64_t col) const {
    const std::size_t width = sparse.pointers.width;
    return number_at(sparse.pointers.bytes.data, col * width, width, big_endian_);
  }

  /// Reads a file of version 4. `header`: its first four bytes.
  void read4(std::vector<char> header, std::vector<Sparse>& found, SeveralMatrices& all) {
    for (;;) {
      header.resize(kHeader4);
      take(std::span(header).subspan(4), "the header of a variable");
      set_place(file_.position());
      big_endian_ = number_at(header, 0, 4, false) >= 5000;
      const auto field = [&](std::size_t k) { return number_at(header, 4 * k, 4, big_endian_); };
      const std::uint64_t kind = field(0);
      const std::uint64_t rows = field(1);
      const std::uint64_t cols = field(2);
      static constexpr std::array<std::size_t, 6> kWidths{8, 4, 4, 2, 2, 1};
      const std::uint64_t precision = kind / 10 % 10;
      if (kind >= 5000 || kind / 1000 != (big_endian_ ? 1U : 0U) || kind / 100 % 10 != 0 ||
          precision >= kWidths.size() || kind % 10 > 2 || field(3) > 1 || field(4) == 0 || field(4) > 4096)
        fail("found " + grouped(kind) + " as the kind of a variable; this is not a MATLAB file.");
      const std::size_t width = kWidths.at(precision);
      std::string name(field(4), '\0');
      take(name, "the name of a variable");
      name.pop_back();
      const std::uint64_t parts = field(3) + 1;
      if (rows > kLargestSide || cols > kLargestSide)
        fail("the variable " + in_quotes(name) + " has too many rows or columns.");
      const std::uint64_t cells = rows * cols;
      if (cells > (std::uint64_t{1} << 56U))
        fail("the announced size of variable " + in_quotes(name) + " is larger than any file.");
      if (kind % 10 != 2) {
        all.leave_out(name, "not sparse");
        const std::uint64_t size = cells * width * parts;
        check_end(size - file_.pass(size), "a variable");
      } else {
        if ((cols != 3 && cols != 4) || rows == 0)
          fail("the sparse variable " + in_quotes(name) + " has " + grouped(rows) + " rows and " +
               grouped(cols) + " columns; expected 3 or 4 columns, and at least one row.");
        width4_ = width;
        kind4_ = "ffiiuu"[precision];
        Sparse sparse;
        sparse.facts = {name, "coo", 0, 0, rows - 1};
        sparse.complex = cols == 4;
        found.push_back(read_table4(std::move(sparse), found, all));
      }
      header.resize(4);
      const std::size_t got = file_.read(header);
      if (got == 0) return;
      check_end(got < header.size() ? kHeader4 - got : 0, "the header of a variable");
    }
  }
  /// Calls use(k, x) for the numbers x of the next column, with `lines` numbers, of a table of version 4.
  /// `left`: the numbers of the table that were not read yet.
  template <class Use>
  void for_column4(std::uint64_t lines, std::uint64_t& left, const Use& use) {
    std::vector<char> piece(kPiece);
    for (std::uint64_t done = 0; done < lines;) {
      const std::uint64_t count = std::min<std::uint64_t>(kPiece / width4_, lines - done);
      const std::size_t got = file_.read(std::span(piece).first(width4_ * count));
      if (got < width4_ * count) check_end(width4_ * left - got, "a variable");
      for (std::uint64_t k = 0; k < count; ++k) {
        const char* const at = &piece[width4_ * k];
        use(done + k, kind4_ == 'f' ? binary_real(at, width4_, big_endian_)
                                    : binary_integer(at, width4_, big_endian_, kind4_ == 'i'));
      }
      done += count;
      left -= count;
    }
  }
  /// Reads a column of a table of version 4 as indices; its last number is set to `side`. If a number is not
  /// an index, sets sparse.wrong and skips the others.
  BookedIndices indices4(Sparse& sparse, std::uint64_t lines, std::uint64_t& left, std::uint64_t& side) {
    BookedList<Index> numbers(context_, "indices of the entries", width4_ * lines <= file_bytes_ ? lines : 0);
    for_column4(lines, left, [&](std::uint64_t k, double x) {
      const bool is_whole = x >= 0 && x <= static_cast<double>(kLargestSide) && x == std::floor(x);
      const auto wrong = [x] { return "it has " + std::to_string(x) + " as an index or a side."; };
      if (k + 1 == lines) {
        if (!is_whole) fail(wrong());
        side = static_cast<std::uint64_t>(x);
        return;
      }
      if (!is_whole && sparse.wrong.empty()) sparse.wrong = wrong();
      if (sparse.wrong.empty()) numbers.add(static_cast<Index>(x));
    });
    return std::move(numbers).take();
  }
  /// Reads the table of a sparse variable of version 4: a column with the rows of the entries, then the
  /// number of rows; a column with the columns, likewise; and one or two columns of values. Entries are added
  /// while the last column is read.
  Sparse read_table4(Sparse sparse, std::vector<Sparse>& found, SeveralMatrices& all) {
    const std::uint64_t stored = sparse.facts.stored;
    const std::uint64_t lines = stored + 1;
    std::uint64_t left = lines * (sparse.complex ? 4 : 3);  // numbers of the table
    place_ = "variable " + in_quotes(sparse.facts.name);
    const BookedIndices rows = indices4(sparse, lines, left, sparse.facts.rows);
    const BookedIndices cols = indices4(sparse, lines, left, sparse.facts.cols);
    all.add(sparse.facts);
    const std::string& requested = options_.matrix;
    const bool is_named = requested == sparse.facts.name || requested == '/' + sparse.facts.name;
    const auto is_larger = [&](const Sparse& one) { return stored > one.facts.stored; };
    if (!is_named && !(requested.empty() && std::ranges::all_of(found, is_larger))) {
      check_end(width4_ * left - file_.pass(width4_ * left), "a variable");
      return sparse;
    }
    for (Sparse& smaller : found) smaller.entries.reset();
    sparse.entries = std::make_unique<EntryList>(options_, context_);
    EntryList& entries = *sparse.entries;
    if (sparse.complex) entries.set_complex();
    entries.begin_preview(sparse.facts.rows, sparse.facts.cols, stored);
    const bool has_real = sparse.complex && keeps_values_;
    BookedList<double> real(context_, "real parts", has_real && width4_ * lines <= file_bytes_ ? lines : 0);
    std::vector<bool> is_real_zero;
    if (sparse.complex)
      for_column4(lines, left, [&](std::uint64_t /*k*/, double x) {
        if (has_real) real.add(x);
        is_real_zero.push_back(x == 0);
      });
    for_column4(lines, left, [&](std::uint64_t k, double x) {
      if (k == stored || !sparse.wrong.empty()) return;
      const std::uint64_t row = rows.data[k];
      const std::uint64_t col = cols.data[k];
      if (row < 1 || row > sparse.facts.rows || col < 1 || col > sparse.facts.cols) {
        sparse.wrong = "entry " + grouped(k) + " is at row " + grouped(row) + ", column " + grouped(col) +
                       " of a matrix of " + grouped(sparse.facts.rows) + " × " + grouped(sparse.facts.cols) +
                       ".";
        return;
      }
      const bool is_zero = x == 0 && (!sparse.complex || is_real_zero[k]);
      entries.add(row - 1, col - 1, is_zero, [&] { return has_real ? Value(real[k], x) : Value(x); });
      if (k % kPiece != 0 || 4 * stored < kReleasedBytes || k == 0) return;
      for (const BookedIndices* const done : {&rows, &cols})
        release_memory(done->data.data() + k - kPiece, kPiece * sizeof(Index));
      if (has_real) release_memory(real.data().data() + k - kPiece, kPiece * sizeof(double));
    });
    set_place(file_.position());
    return sparse;
  }

 public:
  Matrix matrix(Sparse& sparse, const LoadOptions& options) {
    const std::uint64_t rows = sparse.facts.rows;
    const std::uint64_t cols = sparse.facts.cols;
    place_ = "variable " + in_quotes(sparse.facts.name);
    if (rows == 0 || cols == 0)
      fail("it has " + grouped(rows) + " rows and " + grouped(cols) +
           " columns; a matrix has at least one of each.");
    if (!sparse.wrong.empty()) fail(sparse.wrong);
    Matrix matrix =
        sparse.entries != nullptr ? std::move(*sparse.entries).matrix(rows, cols) : matrix5(sparse, options);
    matrix.report.field = sparse.logical ? "logical" : sparse.complex ? "complex" : "real";
    return matrix;
  }

 private:
  [[nodiscard]] Matrix matrix5(Sparse& sparse, const LoadOptions& options) const {
    const auto is_whole = [](const NumpyArray& array) {
      return array.width != 0 && (array.kind == 'i' || array.kind == 'u');
    };
    if (!is_whole(sparse.rows) || !is_whole(sparse.pointers) || sparse.values.width == 0 ||
        (sparse.complex && sparse.imaginary.width == 0))
      fail("its indices or values have types that are not numbers.");
    CompressedLines lines{.rows = sparse.facts.rows, .cols = sparse.facts.cols};
    const std::uint64_t stored = std::min(sparse.rows.size(), sparse.values.size());
    if (sparse.pointers.size() < lines.cols + 1)
      fail("it has " + grouped(sparse.pointers.size()) + " column pointers; expected " +
           grouped(lines.cols + 1) + ".");
    std::uint64_t before = pointer(sparse, 0);
    if (before != 0) fail("its first column pointer is " + grouped(before) + "; expected 0.");
    lines.ends = {context_, lines.cols, "column pointers"};
    for (std::uint64_t col = 0; col < lines.cols; ++col) {
      if (col % kPiece == 0) context_.check_stop();
      const std::uint64_t end = lines.ends.data[col] = pointer(sparse, col + 1);
      if (end < before || end > stored)
        fail("the pointer of column " + grouped(col + 1) + " is " + grouped(end) + "; expected " +
             grouped(before) + " to " + grouped(stored) + ".");
      before = end;
    }
    sparse.pointers = {};
    if (sparse.complex && sparse.imaginary.size() < before) fail("its imaginary parts are too few.");
    // The arrays may have more elements than there are entries.
    sparse.rows.name = name_ + ", " + place_ + ", rows";
    sparse.rows.truncate(before);
    lines.ids = std::move(sparse.rows).indices(kLargestSide, context_);
    for (std::uint64_t k = 0; k < before; ++k) {
      if (k % kPiece == 0) context_.check_stop();
      if (lines.ids.data[k] >= lines.rows)
        fail("entry " + grouped(k) + " is in row " + grouped(lines.ids.data[k]) + "; expected 0 to " +
             grouped(lines.rows - 1) + ".");
    }
    show_lines(lines, options, context_);
    std::unique_ptr<StoredValues> values = values_of(std::move(sparse.values), sparse.values_at);
    if (sparse.complex)
      values = std::make_unique<ComplexValues>(std::move(values),
                                               values_of(std::move(sparse.imaginary), sparse.imaginary_at));
    return matrix_of_lines(std::move(lines), std::move(values), options, context_);
  }

  /// The elements of one part of the values, read from the file a second time.
  class LaterBytes {
   public:
    LaterBytes(const File& file, const Place& place)
        : source_(shared_file_source(file.source_, file.name_, file.context_.stop_token(), place.variable)),
          file_(std::make_unique<File>(*source_, file.name_, file.options_, file.context_)) {
      file_->place_ = file.place_;
      if (place.is_packed)
        content_ = std::make_unique<PackedContent>(*file_, place.size);
      else
        content_ = std::make_unique<PlainContent>(*file_, place.size);
      Rest{*content_, place.byte}.pass(place.byte);
    }
    void read(std::span<char> bytes) { content_->read(bytes); }

   private:
    std::unique_ptr<ByteSource> source_;
    std::unique_ptr<File> file_;
    std::unique_ptr<Content> content_;
  };
  /// One part of the values: from memory, or, where only the number of `elements` was kept, from the file.
  [[nodiscard]] std::unique_ptr<StoredValues> values_of(NumpyArray elements, const Place& place) const {
    if (elements.keep != Keep::number) return std::make_unique<ArrayValues>(std::move(elements));
    elements.keep = Keep::bytes;
    return std::make_unique<StreamedValues>(
        std::move(elements),
        [later = std::make_shared<LaterBytes>(*this, place)](std::span<char> bytes) { later->read(bytes); });
  }

  ByteSource& source_;
  BinaryFile file_;
  std::string name_;
  JobContext& context_;
  std::uint64_t file_bytes_;
  LoadOptions options_;
  bool keeps_values_;
  Place variable_;                    // the variable of version 5 that is being read
  std::uint64_t expected_bytes_ = 0;  // the most bytes that an array of this variable is expected to have
  bool big_endian_ = false;
  std::size_t width4_ = 8;  // bytes of a number in a table of version 4
  char kind4_ = 'f';        // of these numbers, as NumpyArray::kind
  std::string place_ = "byte 0";
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

/// Version 4 has no signature: a file is possible if it begins with a plausible header of a variable.
Recognition recognise(std::span<const char> head) {
  const std::string_view text(head.data(), head.size());
  const bool is_5 = text.size() >= kHeader5 && text.starts_with("MATLAB ") &&
                    (text.substr(126, 2) == "IM" || text.substr(126, 2) == "MI");
  if (is_5) return Recognition::certain;
  return is_version_4(head) ? Recognition::possible : Recognition::none;
}

Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context) {
  SeveralMatrices all(kFormat, name, options);
  std::vector<Sparse> found;
  File file(source, name, options, context);
  file.read(found, all);
  const MatrixInFile& chosen = all.choose("Problem.A");
  const auto sparse =
      std::ranges::find_if(found, [&](const Sparse& one) { return one.facts.name == chosen.name; });
  Matrix matrix = file.matrix(*sparse, options);
  all.report(matrix.report);
  return matrix;
}

}  // namespace

extern const Reader kReader{kFormat, recognise, read};

}  // namespace spyctrum::matlab_reader
