// SPDX-License-Identifier: Apache-2.0
// safetensors, weights of neural networks (https://huggingface.co/docs/safetensors, "Format"): the length N
// of the header in 8 bytes, little-endian; N bytes of JSON, {NAME: {"dtype", "shape", "data_offsets": [begin,
// end]}}, with offsets from the end of the header; then the elements in row-major order, without gaps. A
// tensor of two dimensions is a dense matrix, whose entries are the elements that are not zero. A tensor of
// four dimensions out × in × kh × kw, a convolution, is unrolled to the matrix out × (in·kh·kw).
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/io/binary_file.hpp"
#include "core/io/json_text.hpp"
#include "core/io/quote.hpp"
#include "core/io/several_matrices.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum::safetensors_reader {
namespace {

constexpr std::array<std::string_view, 1> kEndings{".safetensors"};
constexpr FormatInfo kFormat{.id = "safetensors", .name = "safetensors", .endings = kEndings};

using Json = nlohmann::json;

constexpr std::uint64_t kLongestHeader = 100'000'000;  // bytes, as in the reference implementation
constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kPiece = std::size_t{1} << 20U;
constexpr int kMostDepth = 4;
/// Memory of parsed JSON per byte: a one-digit number and a comma become a value of 16 bytes, in a vector
/// that has grown by doubling.
constexpr std::uint64_t kJsonFactor = 16;

/// A type of elements. The sign of a real number is ignored when the number is compared with zero.
struct ElementType {
  std::string_view name;
  std::size_t bytes;
  std::string_view field;
  bool has_sign;  ///< the highest bit of each number is only its sign
  std::size_t numbers = 1;
};
constexpr std::array kTypes{
    ElementType{"F64", 8, "real", true},       ElementType{"F32", 4, "real", true},
    ElementType{"F16", 2, "real", true},       ElementType{"BF16", 2, "real", true},
    ElementType{"F8_E4M3", 1, "real", true},   ElementType{"F8_E5M2", 1, "real", true},
    ElementType{"C64", 8, "complex", true, 2}, ElementType{"I64", 8, "integer", false},
    ElementType{"I32", 4, "integer", false},   ElementType{"I16", 2, "integer", false},
    ElementType{"I8", 1, "integer", false},    ElementType{"U64", 8, "integer", false},
    ElementType{"U32", 4, "integer", false},   ElementType{"U16", 2, "integer", false},
    ElementType{"U8", 1, "integer", false},    ElementType{"BOOL", 1, "logical", false}};

struct Tensor {
  std::string name;
  std::string type;
  const ElementType* element = nullptr;  ///< null if the type is none of kTypes
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0;  ///< in bytes from the end of the header
  std::uint64_t end = 0;
  [[nodiscard]] bool is_matrix() const {
    return element != nullptr && (shape.size() == 2 || shape.size() == 4) &&
           std::ranges::find(shape, 0U) == shape.end();
  }
};

std::string shape_text(const Tensor& tensor) {
  if (tensor.shape.empty()) return "a single number";
  return joined(std::span(tensor.shape).first(std::min<std::size_t>(6, tensor.shape.size())), grouped, " × ");
}

class File {
 public:
  File(ByteSource& source, std::string_view name, JobContext& context) : file_(source, name, context) {}

  /// The tensors, ascending by `begin`; each begins at the end of the one before it.
  std::vector<Tensor> read_header() {
    std::array<char, kLengthBytes> length{};
    if (const std::size_t got = file_.read(length); got < length.size())
      file_.fail(got, "the file ends within its first 8 bytes, the length of the header.",
                 "The file may be cut off: get it again.");
    header_bytes_ = binary_whole(length.data(), length.size(), false);
    if (header_bytes_ < 2 || header_bytes_ > kLongestHeader)
      file_.fail(0,
                 "the length of the header is " + grouped(header_bytes_) + " bytes; expected 2 to " +
                     grouped(kLongestHeader) + ".",
                 "Check that this is a safetensors file.");
    BookedList<char> text(file_.context(), "header of the file");
    if (const std::uint64_t got = file_.append(text, header_bytes_); got < header_bytes_)
      file_.fail(kLengthBytes + got,
                 "the file ends after " + grouped(got) + " of the " + grouped(header_bytes_) +
                     " bytes of its header.",
                 "The file may be cut off: get it again.");
    const Booking booking(file_.context().memory(), kJsonFactor * header_bytes_,
                          "header of the file, parsed");
    return tensors_of(parse(text.data()));
  }

  /// Calls use(k, bytes of element k) for the elements of `tensor`; then reads to the end of the file. Throws
  /// Failure{bad_input} unless that is `last` bytes after the header.
  template <class Use>
  void for_each_element(const Tensor& tensor, std::uint64_t last, const Use& use) {
    const std::size_t width = tensor.element->bytes;
    const auto check = [&](std::uint64_t expected, std::uint64_t got) {
      if (got < expected)
        file_.fail(file_.position(),
                   "the file ends after " + grouped(file_.position() - kLengthBytes - header_bytes_) +
                       " of the " + grouped(last) + " bytes of its tensors.",
                   "The file may be cut off: get it again.");
    };
    check(tensor.begin, file_.pass(tensor.begin));
    BookedVector<char> piece(file_.context(), kPiece, "bytes of the file");  // of whole elements
    for (std::uint64_t at = tensor.begin, element = 0; at < tensor.end;) {
      const auto bytes = std::span(piece.data).first(std::min<std::uint64_t>(kPiece, tensor.end - at));
      check(bytes.size(), file_.read(bytes));
      for (std::size_t used = 0; used < bytes.size(); used += width) use(element++, bytes.data() + used);
      at += bytes.size();
    }
    check(last - tensor.end, file_.pass(last - tensor.end));
    char more = 0;
    if (file_.read({&more, 1}) != 0)
      file_.fail(kLengthBytes + header_bytes_ + last,
                 "more bytes follow the last tensor; the end was expected.",
                 "Get the file again, or check the program that wrote it.");
  }

 private:
  /// Throws Failure{bad_input} if values are nested too deeply or a tensor is named twice. Json::parse() with
  /// a callback that checks this would take quadratic time: after each value it iterates over all earlier
  /// ones.
  class Checks : public Json::json_sax_t {
   public:
    explicit Checks(const BinaryFile& file) : file_(file) {}
    bool null() override { return value(); }
    bool boolean(bool) override { return value(); }
    bool number_integer(Json::number_integer_t) override { return value(); }
    bool number_unsigned(Json::number_unsigned_t) override { return value(); }
    bool number_float(Json::number_float_t, const std::string&) override { return value(); }
    bool string(std::string&) override { return value(); }
    bool binary(Json::binary_t&) override { return value(); }
    bool start_object(std::size_t) override { return begin(); }
    bool end_object() override { return end(); }
    bool start_array(std::size_t) override { return begin(); }
    bool end_array() override { return end(); }
    bool key(std::string& name) override {
      if (depth_ == 1 && !names_.insert(name).second)
        file_.fail(kLengthBytes, "the header names the tensor " + in_quotes(name) + " twice.",
                   "Check the program that wrote the file.");
      return value();
    }
    bool parse_error(std::size_t, const std::string&, const Json::exception&) override { return false; }

   private:
    [[nodiscard]] bool value() const {
      if (depth_ > kMostDepth)
        file_.fail(kLengthBytes,
                   "the header is nested deeper than " + std::to_string(kMostDepth) + " levels.",
                   "Check that this is a safetensors file.");
      return true;
    }
    bool begin() {
      static_cast<void>(value());
      ++depth_;
      return true;
    }
    bool end() {
      --depth_;
      return true;
    }
    const BinaryFile& file_;
    std::set<std::string, std::less<>> names_;
    int depth_ = 0;
  };

  [[nodiscard]] Json parse(std::span<const char> text) const {
    Checks checks(file_);
    static_cast<void>(Json::sax_parse(text.begin(), text.end(), &checks));  // Json::parse() reports errors
    try {
      return Json::parse(text.begin(), text.end());
    } catch (const Json::parse_error& error) {
      file_.fail(kLengthBytes + (error.byte == 0 ? 0 : error.byte - 1),
                 "the header is not JSON from here on; expected the description of tensors.",
                 "Get the file again, or check the program that wrote it.");
    } catch (const Json::out_of_range&) {
      file_.fail(kLengthBytes, "the header contains a number that is too large.",
                 "Get the file again, or check the program that wrote it.");
    }
  }

  [[noreturn]] void fail_tensor(const std::string& name, const std::string& what) const {
    file_.fail(kLengthBytes, "tensor " + in_quotes(name) + ": " + what,
               "Get the file again, or check the program that wrote it.");
  }

  [[nodiscard]] const Json& member(const std::string& name, const Json& facts, const char* key) const {
    if (!facts.is_object()) fail_tensor(name, "its description is not an object.");
    const auto found = facts.find(key);
    if (found == facts.end()) fail_tensor(name, std::string("it has no ") + key + ".");
    return *found;
  }

  [[nodiscard]] std::uint64_t number(const std::string& name, const Json& value, const char* key) const {
    if (!value.is_number_unsigned())
      fail_tensor(name, std::string("its ") + key + " holds " + in_quotes(json_text(value)) +
                            "; expected whole numbers from 0.");
    return value.get<std::uint64_t>();
  }

  [[nodiscard]] Tensor tensor_of(const std::string& name, const Json& facts) const {
    Tensor tensor;
    tensor.name = name;
    const Json& type = member(name, facts, "dtype");
    if (!type.is_string()) fail_tensor(name, "its dtype is not a text.");
    tensor.type = type.get<std::string>();
    const auto found = std::ranges::find(kTypes, tensor.type, &ElementType::name);
    tensor.element = found == kTypes.end() ? nullptr : &*found;
    const Json& shape = member(name, facts, "shape");
    if (!shape.is_array()) fail_tensor(name, "its shape is not a list.");
    std::uint64_t elements = 1;
    for (const Json& side : shape) {
      tensor.shape.push_back(number(name, side, "shape"));
      if (tensor.shape.back() != 0 && elements > (std::uint64_t{1} << 56U) / tensor.shape.back())
        fail_tensor(name, "its shape announces more elements than any file holds.");
      elements *= tensor.shape.back();
    }
    const Json& offsets = member(name, facts, "data_offsets");
    if (!offsets.is_array() || offsets.size() != 2)
      fail_tensor(name, "its data_offsets are not a list of two numbers.");
    tensor.begin = number(name, offsets[0], "data_offsets");
    tensor.end = number(name, offsets[1], "data_offsets");
    if (tensor.end < tensor.begin)
      fail_tensor(name, "its data_offsets are " + grouped(tensor.begin) + " and " + grouped(tensor.end) +
                            "; expected the begin, then the end.");
    if (tensor.element != nullptr && tensor.end - tensor.begin != elements * tensor.element->bytes)
      fail_tensor(name, "its data_offsets span " + counted(tensor.end - tensor.begin, "byte", "bytes") +
                            "; its shape and dtype need " + grouped(elements * tensor.element->bytes) + ".");
    return tensor;
  }

  [[nodiscard]] std::vector<Tensor> tensors_of(const Json& header) const {
    if (!header.is_object())
      file_.fail(kLengthBytes, "the header is not a JSON object; expected the description of tensors.",
                 "Check that this is a safetensors file.");
    std::vector<Tensor> tensors;
    for (const auto& [name, facts] : header.items())
      if (name != "__metadata__") tensors.push_back(tensor_of(name, facts));
    std::ranges::sort(tensors, [](const Tensor& a, const Tensor& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    std::uint64_t before = 0;
    for (const Tensor& tensor : tensors) {
      if (tensor.begin != before)
        fail_tensor(tensor.name, "it begins at byte " + grouped(tensor.begin) + " after the header; " +
                                     (tensor.begin < before ? "the tensor before it, which it overlaps, ends"
                                                            : "the tensor before it ends") +
                                     " at " + grouped(before) + ".");
      before = tensor.end;
    }
    return tensors;
  }

  BinaryFile file_;
  std::uint64_t header_bytes_ = 0;
};

Value value_of(const char* bytes, const ElementType& type) {
  if (type.numbers == 2) return {binary_real(bytes, 4, false), binary_real(bytes + 4, 4, false)};
  const auto byte = static_cast<unsigned char>(bytes[0]);
  if (type.name == "BF16") {
    const std::array<char, 4> single{0, 0, bytes[0], bytes[1]};
    return binary_real(single.data(), 4, false);
  }
  if (type.name == "F8_E5M2") {
    const std::array<char, 2> half{0, bytes[0]};
    return binary_real(half.data(), 2, false);
  }
  if (type.name == "F8_E4M3") {  // no infinity; 0x7F and 0xFF are NaN
    const int exponent = byte >> 3U & 15;
    const int mantissa = byte & 7;
    if (exponent == 15 && mantissa == 7) return std::nan("");
    const double size = exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10);
    return byte >= 0x80 ? -size : size;
  }
  if (type.has_sign) return binary_real(bytes, type.bytes, false);
  return binary_integer(bytes, type.bytes, false, type.name.starts_with('I'));
}

/// The format is certain if the length is valid and a brace, the beginning of a JSON object, follows.
Recognition recognise(std::span<const char> head) {
  if (head.size() <= kLengthBytes || head[kLengthBytes] != '{') return Recognition::none;
  const std::uint64_t length = binary_whole(head.data(), kLengthBytes, false);
  return length >= 2 && length <= kLongestHeader ? Recognition::certain : Recognition::none;
}

Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context) {
  File file(source, name, context);
  const std::vector<Tensor> tensors = file.read_header();
  SeveralMatrices all(kFormat, name, options);
  for (const Tensor& tensor : tensors) {
    if (!tensor.is_matrix()) {
      all.leave_out(tensor.name, tensor.element == nullptr ? "elements of type " + tensor.type
                                                           : "its shape is " + shape_text(tensor));
      continue;
    }
    const std::uint64_t rows = tensor.shape[0];
    std::uint64_t cols = 1;
    for (std::size_t k = 1; k < tensor.shape.size(); ++k) cols *= tensor.shape[k];
    if (rows > kLargestSide || cols > kLargestSide)
      all.leave_out(tensor.name, "its sides are too large");
    else
      all.add({tensor.name, "dense", rows, cols, rows * cols});
  }
  const MatrixInFile& chosen = all.choose();
  const Tensor& tensor = *std::ranges::find(tensors, chosen.name, &Tensor::name);
  EntryList entries(options, context);
  entries.begin_preview(chosen.rows, chosen.cols, 0);
  file.for_each_element(tensor, tensors.back().end, [&](std::uint64_t k, const char* bytes) {
    const ElementType& type = *tensor.element;
    if (is_binary_zero(bytes, type.bytes, type.numbers, type.has_sign, false)) return;
    entries.add(k / chosen.cols, k % chosen.cols, false, [&] { return value_of(bytes, *tensor.element); });
  });
  if (tensor.element->numbers == 2) entries.set_complex();
  Matrix matrix = std::move(entries).matrix(chosen.rows, chosen.cols);
  LoadReport& report = matrix.report;
  report.field = tensor.element->field;
  all.report(report);
  if (tensor.shape.size() == 4)
    report.notes.push_back("The convolution " + shape_text(tensor) + " was reshaped to the matrix out × (in" +
                           "·kh·kw) = " + grouped(chosen.rows) + " × " + grouped(chosen.cols) + ".");
  report_dense(matrix, chosen.stored, "Dense, " + tensor.type);
  return matrix;
}

}  // namespace

extern const Reader kReader{kFormat, recognise, read};

}  // namespace spyctrum::safetensors_reader
