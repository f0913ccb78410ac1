// SPDX-License-Identifier: Apache-2.0
// MATLAB files of versions 5 to 7: a header, then elements (type, size, data), which are variables or
// variables packed by zlib. A variable consists of elements itself: flags, dimensions, name, and, if it is
// sparse, compressed columns with indices from 0; a structure or a cell holds variables.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <functional>

#include "core/base/text.hpp"
#include "core/io/byte_source.hpp"
#include "core/io/compressed_lines.hpp"
#include "core/io/matlab/mat_file.hpp"
#include "core/io/numpy/compressed_arrays.hpp"
#include "core/io/quote.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum::matlab_reader {
namespace {

/// Depth to which nested structures are searched.
constexpr int kMostDepth = 16;
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
constexpr unsigned kDouble = 6;  // the first class of dense matrices of numbers
constexpr unsigned kFirstInteger = 8;
constexpr unsigned kLastInteger = 15;

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

/// A sparse variable.
struct Sparse {
  MatrixInFile facts;
  NumpyArray rows, pointers, values, imaginary;
  Place values_at, imaginary_at;  ///< to read values again
  bool complex = false;
  bool logical = false;
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

/// A variable that is stored as it is.
class PlainContent : public Content {
 public:
  PlainContent(MatFile& file, std::uint64_t size) : file_(file), left_(size) {}

 private:
  void fetch(std::span<char> bytes) override {
    const std::size_t got = file_.bytes().read(bytes);
    if (got < bytes.size()) file_.check_end(left_ - got, "a variable");
    left_ -= got;
  }
  MatFile& file_;
  std::uint64_t left_;
};

/// A variable that zlib has packed into `size` bytes.
class PackedContent : public Content {
 public:
  PackedContent(MatFile& file, std::uint64_t size) : file_(file), left_(size), packed_(kPiece) {
    if (inflateInit(&stream_) != Z_OK) throw std::bad_alloc();
  }
  ~PackedContent() override { inflateEnd(&stream_); }
  PackedContent(const PackedContent&) = delete;
  PackedContent& operator=(const PackedContent&) = delete;
  /// Skips the rest. `is_verified`: unpacks it up to its end, where zlib compares a checksum.
  void finish(bool is_verified) {
    for (std::vector<char> ignored(kPiece); is_verified && !has_ended_;) unpack(ignored);
    const std::uint64_t passed = file_.bytes().pass(left_);
    file_.check_end(left_ - passed, "a packed variable");
  }

 private:
  void fetch(std::span<char> bytes) override {
    if (unpack(bytes) < bytes.size())
      file_.fail("the packed variable that ends here is longer than its data.");
  }
  /// Fills `bytes` and returns how many were unpacked; fewer only at the end.
  std::size_t unpack(std::span<char> bytes) {
    file_.context().check_stop();
    stream_.next_out = reinterpret_cast<Bytef*>(bytes.data());
    stream_.avail_out = static_cast<uInt>(bytes.size());
    while (!has_ended_ && stream_.avail_out != 0) {
      if (stream_.avail_in == 0 && left_ != 0) {
        const std::span<char> piece = std::span(packed_).first(std::min<std::uint64_t>(left_, kPiece));
        const std::size_t got = file_.bytes().read(piece);
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
  MatFile& file_;
  std::uint64_t left_;  // bytes of the file
  std::vector<char> packed_;
  z_stream stream_{};
  bool has_ended_ = false;
};

/// The elements of one part of the values, read from the file a second time.
class LaterBytes {
 public:
  LaterBytes(const MatFile& file, const Place& place)
      : source_(shared_file_source(file.source(), file.name(), file.context().stop_token(), place.variable)),
        file_(*source_, file.name(), file.options(), file.context()) {
    file_.set_place(file.place());
    if (place.is_packed)
      content_ = std::make_unique<PackedContent>(file_, place.size);
    else
      content_ = std::make_unique<PlainContent>(file_, place.size);
    Rest{*content_, place.byte}.pass(place.byte);
  }
  void read(std::span<char> bytes) { content_->read(bytes); }

 private:
  std::unique_ptr<ByteSource> source_;
  MatFile file_;
  std::unique_ptr<Content> content_;
};

class Version5 : public Variables {
 public:
  explicit Version5(MatFile& file) : file_(file) {}

  void read(SeveralMatrices& all) override {
    for (std::vector<char> tag(8);;) {
      const std::size_t got = file_.bytes().read(tag);
      file_.set_place(file_.bytes().position());
      if (got == 0) return;
      if (got < tag.size()) file_.fail("the file ends within the tag of a variable.");
      const std::uint64_t type = number_at(tag, 0, 4, file_.big_endian());
      const std::uint64_t size = number_at(tag, 4, 4, file_.big_endian());
      if (type != kMatrix && type != kCompressed)
        file_.fail("found type " + grouped(type) + " of a variable; expected 14 or 15.");
      file_.set_place(file_.bytes().position() + size);
      variable_ = {file_.bytes().position(), size, type == kCompressed, 0};
      if (type == kMatrix) {
        PlainContent content(file_, size);
        expected_bytes_ = file_.source().total();
        Rest rest{content, size};
        (void)read_variable(rest, all);
        rest.pass(rest.left);
        continue;
      }
      PackedContent content(file_, size);
      // Memory is reserved for at most 8 bytes per packed byte, a usual rate of packing.
      expected_bytes_ = 8 * size;
      content.read(tag);
      if (number_at(tag, 0, 4, file_.big_endian()) != kMatrix)
        file_.fail("the packed variable that ends here is longer than its data.");
      Rest rest{content, number_at(tag, 4, 4, file_.big_endian())};
      const bool is_read = read_variable(rest, all);
      if (is_read) rest.pass(rest.left);
      content.finish(is_read);
    }
  }

  Matrix matrix(const MatrixInFile& variable) override {
    const auto is_it = [&](const auto& one) { return one.facts.name == variable.name; };
    const auto found = std::ranges::find_if(found_, is_it);
    if (found == found_.end()) {
      const Dense& dense = *std::ranges::find_if(dense_, is_it);
      file_.check_sides(dense.facts);
      return matrix_of_dense(dense, file_);
    }
    Sparse& sparse = *found;
    file_.check_sides(sparse.facts);
    Matrix matrix = matrix_of(sparse);
    matrix.report.field = sparse.logical ? "logical" : sparse.complex ? "complex" : "real";
    return matrix;
  }

 private:
  static bool is_dense(std::uint64_t kind) { return kind >= kDouble && kind <= kLastInteger; }
  /// Whether a variable can be or contain a matrix. `begin`: its first bytes.
  [[nodiscard]] bool may_be_matrix(Bytes begin) const {
    if (begin.size() < kClassBytes) return false;
    const std::uint64_t kind = number_at(begin, 8, 4, file_.big_endian()) & 0xFFU;
    return kind == kSparse || kind == kStruct || kind == kCell || kind == kObject || is_dense(kind);
  }

  /// Reads the variable if it may be or contain a matrix; returns whether its content was read.
  bool read_variable(Rest& rest, SeveralMatrices& all) {
    const bool is_read = may_be_matrix(rest.content.peek(std::min<std::uint64_t>(rest.left, kClassBytes)));
    if (is_read) return read_matrix(rest, "", 0, all);
    all.leave_out("", "variables that are not matrices");
    return false;
  }

  /// Reads the tag of the next element, whose data follow.
  Tag next_tag(Rest& rest) const {
    if (rest.left < 8) file_.fail("the variable that ends here lacks a part.");
    std::array<char, 8> bytes{};
    rest.read(bytes);
    Tag tag{static_cast<std::uint32_t>(number_at(bytes, 0, 4, file_.big_endian())),
            number_at(bytes, 4, 4, file_.big_endian())};
    if (tag.type >> 16U != 0) {
      tag.size = tag.type >> 16U;
      tag.type &= 0xFFFFU;
      tag.is_small = true;
      std::copy_n(bytes.begin() + 4, 4, tag.data.begin());
      if (tag.size > 4)
        file_.fail("a small part of the variable that ends here has " + grouped(tag.size) + " bytes; 4 fit.");
    } else if (tag.size > rest.left) {
      file_.fail("a part of the variable that ends here has " + grouped(tag.size) + " bytes; " +
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
    BookedList<char> bytes(file_.context(), "variables of the file");
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
    array.big_endian = file_.big_endian();
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
    if (size != 0) (void)read_elements(array, file_.context(), read, size, expected_bytes_);
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
  /// structure or cell around it. Returns false if only its head was read.
  bool read_matrix(Rest& rest, const std::string& prefix, int depth, SeveralMatrices& all) {
    if (rest.left == 0) return true;  // an empty field
    const std::vector<char> flags = next_data(rest);
    if (flags.size() < 8)
      file_.fail("the flags of a variable have " + counted(flags.size(), "byte", "bytes") + ".");
    const auto flag = static_cast<unsigned>(number_at(flags, 0, 4, file_.big_endian()));
    const unsigned kind = flag & 0xFFU;
    const std::vector<char> sides = next_data(rest);
    const std::vector<char> label = next_data(rest);
    const std::string name = prefix + std::string(label.begin(), std::ranges::find(label, '\0'));
    if (sides.size() < 8 || sides.size() % 4 != 0)
      file_.fail("the dimensions of " + in_quotes(name) + " have " + counted(sides.size(), "byte", "bytes") +
                 ".");
    const auto side = [&](std::size_t k) { return number_at(sides, 4 * k, 4, file_.big_endian()); };
    if (kind == kSparse) {
      Sparse sparse;
      sparse.facts = {name, "csc", side(0), side(1), 0};
      sparse.complex = (flag & 0x800U) != 0;
      sparse.logical = (flag & 0x200U) != 0;
      read_arrays(rest, sparse);
      all.add(sparse.facts);
      found_.push_back(std::move(sparse));
      return true;
    }
    if (is_dense(kind) && sides.size() == 8) {
      Dense dense{{name, "dense", side(0), side(1), side(0) * side(1)},
                  (flag & 0x800U) != 0    ? "complex"
                  : (flag & 0x200U) != 0  ? "logical"
                  : kind >= kFirstInteger ? "integer"
                                          : "real",
                  {},
                  {}};
      if (!all.add_if_named(dense.facts)) return false;
      const Keep keep = file_.keeps_values() ? Keep::bytes : Keep::zeros;
      dense.real = next_array(rest, keep);
      if (dense.field == "complex") dense.imaginary = next_array(rest, keep);
      dense_.push_back(std::move(dense));
      return true;
    }
    if (kind != kStruct && kind != kCell && kind != kObject) {
      all.leave_out(name, "no matrix");
      return false;
    }
    if (depth == kMostDepth) return true;
    std::uint64_t count = 1;  // at most 2^64 − 1: the bytes of the file limit it further
    for (std::size_t k = 0; k < sides.size() / 4; ++k)
      if (__builtin_mul_overflow(count, side(k), &count)) count = ~std::uint64_t{0};
    if (kind == kObject) (void)next_data(rest);  // the name of its class
    if (kind == kCell)
      read_cells(rest, name, count, depth, all);
    else
      read_fields(rest, name, count, depth, all);
    return true;
  }

  /// Reads the indices, pointers and values of a sparse variable.
  void read_arrays(Rest& rest, Sparse& sparse) {
    sparse.rows = next_array(rest, Keep::indices);
    sparse.pointers = next_array(rest, Keep::bytes);
    if (sparse.pointers.size() != 0) sparse.facts.stored = pointer(sparse, sparse.pointers.size() - 1);
    // Old versions store one byte for each logical value and call it a real number.
    const auto is_of_bytes = [&](std::uint64_t size) {
      return sparse.logical && size == sparse.facts.stored;
    };
    Keep keep = file_.keeps_values() ? Keep::bytes : Keep::zeros;
    // Both parts take 16 bytes per entry: if the file can be read again, they are read later, when the
    // entries are made.
    if (file_.keeps_values() && sparse.complex && file_.source().descriptor() >= 0 &&
        sparse.facts.stored > std::max<std::uint64_t>(1, file_.options().exact_entries))
      keep = Keep::number;
    sparse.values_at = place_of_next(rest);
    sparse.values = next_array(rest, keep, is_of_bytes);
    if (!sparse.complex) return;
    sparse.imaginary_at = place_of_next(rest);
    sparse.imaginary = next_array(rest, keep);
  }

  // The announced number of cells or structures is limited by the bytes that are left.

  void read_cells(Rest& rest, const std::string& name, std::uint64_t count, int depth, SeveralMatrices& all) {
    for (std::uint64_t k = 0; k < count && rest.left != 0; ++k)
      read_member(rest, name + "{" + std::to_string(k + 1) + "}", depth, all);
  }

  /// Reads the names of the fields, and then the fields of each structure.
  void read_fields(Rest& rest, const std::string& name, std::uint64_t count, int depth,
                   SeveralMatrices& all) {
    const std::vector<char> longest = next_data(rest);
    const std::vector<char> names = next_data(rest);
    const std::uint64_t length = longest.size() == 4 ? number_at(longest, 0, 4, file_.big_endian()) : 0;
    if (length == 0 || length > 1024)
      file_.fail("the fields of " + in_quotes(name) + " have names of " + grouped(length) + " bytes.");
    const std::size_t fields = names.size() / length;
    for (std::uint64_t k = 0; fields > 0 && k < count && rest.left != 0; ++k)
      for (std::size_t field = 0; field < fields && rest.left != 0; ++field) {
        const Bytes own = Bytes(names).subspan(field * length, length);
        const std::string index = count == 1 ? "" : "(" + std::to_string(k + 1) + ")";
        read_member(rest, name + index + "." + std::string(own.begin(), std::ranges::find(own, '\0')), depth,
                    all);
      }
  }
  void read_member(Rest& rest, const std::string& name, int depth, SeveralMatrices& all) {
    const Tag tag = next_tag(rest);
    if (tag.type != kMatrix)
      file_.fail("found type " + std::to_string(tag.type) + " of " + in_quotes(name) + "; expected 14.");
    if (tag.is_small) file_.fail("the variable that ends here lacks a part.");
    Rest member{rest.content, tag.size};
    (void)read_matrix(member, name, depth + 1, all);
    member.pass(member.left);
    rest.left -= tag.size;
    end_element(rest, tag);
  }
  [[nodiscard]] std::uint64_t pointer(const Sparse& sparse, std::uint64_t col) const {
    const std::size_t width = sparse.pointers.width;
    return number_at(sparse.pointers.bytes.data, col * width, width, file_.big_endian());
  }

  [[nodiscard]] Matrix matrix_of(Sparse& sparse) const {
    const auto is_whole = [](const NumpyArray& array) {
      return array.width != 0 && (array.kind == 'i' || array.kind == 'u');
    };
    if (!is_whole(sparse.rows) || !is_whole(sparse.pointers) || sparse.values.width == 0 ||
        (sparse.complex && sparse.imaginary.width == 0))
      file_.fail("its indices or values have types that are not numbers.");
    CompressedLines lines{.rows = sparse.facts.rows, .cols = sparse.facts.cols};
    const std::uint64_t stored = std::min(sparse.rows.size(), sparse.values.size());
    if (sparse.pointers.size() < lines.cols + 1)
      file_.fail("it has " + grouped(sparse.pointers.size()) + " column pointers; expected " +
                 grouped(lines.cols + 1) + ".");
    std::uint64_t before = pointer(sparse, 0);
    if (before != 0) file_.fail("its first column pointer is " + grouped(before) + "; expected 0.");
    lines.ends = {file_.context(), lines.cols, "column pointers"};
    for (std::uint64_t col = 0; col < lines.cols; ++col) {
      if (col % kPiece == 0) file_.context().check_stop();
      const std::uint64_t end = lines.ends.data[col] = pointer(sparse, col + 1);
      if (end < before || end > stored)
        file_.fail("the pointer of column " + grouped(col + 1) + " is " + grouped(end) + "; expected " +
                   range_text(before, stored) + ".");
      before = end;
    }
    sparse.pointers = {};
    if (sparse.complex && sparse.imaginary.size() < before) file_.fail("its imaginary parts are too few.");
    // The arrays may have more elements than there are entries.
    sparse.rows.name = file_.name() + ", " + file_.place() + ", rows";
    sparse.rows.truncate(before);
    lines.ids = std::move(sparse.rows).indices(kLargestSide, file_.context());
    for (std::uint64_t k = 0; k < before; ++k) {
      if (k % kPiece == 0) file_.context().check_stop();
      if (lines.ids.data[k] >= lines.rows)
        file_.fail("entry " + grouped(k) + " is in row " + grouped(lines.ids.data[k]) + "; expected 0 to " +
                   grouped(lines.rows - 1) + ".");
    }
    show_lines(lines, file_.options(), file_.context());
    std::unique_ptr<StoredValues> values = values_of(std::move(sparse.values), sparse.values_at);
    if (sparse.complex)
      values = std::make_unique<ComplexValues>(std::move(values),
                                               values_of(std::move(sparse.imaginary), sparse.imaginary_at));
    return matrix_of_lines(std::move(lines), std::move(values), file_.options(), file_.context());
  }

  /// One part of the values: from memory, or, where only the number of `elements` was kept, from the file.
  [[nodiscard]] std::unique_ptr<StoredValues> values_of(NumpyArray elements, const Place& place) const {
    if (elements.keep != Keep::number) return std::make_unique<ArrayValues>(std::move(elements));
    elements.keep = Keep::bytes;
    return std::make_unique<StreamedValues>(
        std::move(elements),
        [later = std::make_shared<LaterBytes>(file_, place)](std::span<char> bytes) { later->read(bytes); });
  }

  MatFile& file_;
  std::vector<Sparse> found_;
  std::vector<Dense> dense_;          // those that are requested
  Place variable_;                    // the variable that is being read
  std::uint64_t expected_bytes_ = 0;  // the most bytes that an array of this variable is expected to have
};

}  // namespace

std::unique_ptr<Variables> variables_of_version_5(MatFile& file) { return std::make_unique<Version5>(file); }

}  // namespace spyctrum::matlab_reader
