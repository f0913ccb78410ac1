// SPDX-License-Identifier: Apache-2.0
// Writes Binsparse 0.1 (https://graphblas.org/binsparse-specification/): an HDF5 file whose root group has
// the arrays pointers_to_1, indices_1 and values of compressed columns (CSC; with indices_0, if only few
// columns have entries: DCSC) and a description in JSON. The file is written front to back into a stream,
// with the few structures that it needs (The HDF Group, HDF5 File Format Specification 3.0: superblock 2,
// object headers of version 2, contiguous arrays): the HDF5 library writes files only, and is not loaded into
// this process.
#include <array>
#include <bit>
#include <nlohmann/json.hpp>

#include "core/io/write/binary_pieces.hpp"

namespace spyctrum::binsparse_writer {
namespace {

constexpr std::array<std::string_view, 1> kEndings{".bsp.h5"};
constexpr WriterInfo kInfo{.id = "binsparse",
                           .name = "Binsparse in HDF5",
                           .endings = kEndings,
                           .holds = "every matrix, with real, complex or whole numbers"};

constexpr std::uint64_t kUndefined = ~std::uint64_t{0};
constexpr std::uint64_t kSuperblockBytes = 48;

/// Whether the format is DCSC: fewer than a quarter of the columns have entries.
bool stores_columns(const SparsePattern& pattern) { return 4 * pattern.column_ids().size() < pattern.cols(); }

/// lookup3 by B. Jenkins (public domain, 2006), the checksum of HDF5's headers.
std::uint32_t checksum(std::string_view bytes) {
  const auto word = [&](std::size_t at) {
    std::uint32_t number = 0;
    for (std::size_t b = 0; b < 4 && at + b < bytes.size(); ++b)
      number |= std::uint32_t{static_cast<unsigned char>(bytes[at + b])} << 8U * b;
    return number;
  };
  std::uint32_t a = 0xDEADBEEF + static_cast<std::uint32_t>(bytes.size());
  std::uint32_t b = a;
  std::uint32_t c = a;
  std::size_t at = 0;
  for (; bytes.size() - at > 12; at += 12) {
    a += word(at);
    b += word(at + 4);
    c += word(at + 8);
    a -= c, a ^= std::rotl(c, 4), c += b;
    b -= a, b ^= std::rotl(a, 6), a += c;
    c -= b, c ^= std::rotl(b, 8), b += a;
    a -= c, a ^= std::rotl(c, 16), c += b;
    b -= a, b ^= std::rotl(a, 19), a += c;
    c -= b, c ^= std::rotl(b, 4), b += a;
  }
  if (at == bytes.size()) return c;
  a += word(at);
  b += word(at + 4);
  c += word(at + 8);
  c ^= b, c -= std::rotl(b, 14);
  a ^= c, a -= std::rotl(c, 11);
  b ^= a, b -= std::rotl(a, 25);
  c ^= b, c -= std::rotl(b, 16);
  a ^= c, a -= std::rotl(c, 4);
  b ^= a, b -= std::rotl(a, 14);
  c ^= b, c -= std::rotl(b, 24);
  return c;
}

/// Bytes of a header; numbers are little-endian.
class Bytes {
 public:
  Bytes& add(std::uint64_t number, std::size_t width) {
    for (std::size_t b = 0; b < width; ++b) text_ += static_cast<char>(number >> 8U * b & 0xFFU);
    return *this;
  }
  Bytes& add(std::string_view text) {
    text_ += text;
    return *this;
  }
  /// Adds the checksum of all bytes so far.
  Bytes& add_checksum() { return add(checksum(text_), 4); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Types of messages in object headers (specification, IV.A.2).
constexpr std::uint8_t kDataspace = 0x01;
constexpr std::uint8_t kLinkInfo = 0x02;
constexpr std::uint8_t kDatatype = 0x03;
constexpr std::uint8_t kFillValue = 0x05;
constexpr std::uint8_t kLink = 0x06;
constexpr std::uint8_t kLayout = 0x08;
constexpr std::uint8_t kGroupInfo = 0x0A;
constexpr std::uint8_t kAttribute = 0x0C;

/// The messages of one object.
class ObjectHeader {
 public:
  void add(std::uint8_t type, const Bytes& message) {
    messages_.add(type, 1).add(message.text().size(), 2).add(0, 1).add(message.text());
  }
  [[nodiscard]] std::string text() const {
    constexpr std::uint8_t kSizeOfFourBytes = 2;
    return Bytes()
        .add("OHDR")
        .add(2, 1)
        .add(kSizeOfFourBytes, 1)
        .add(messages_.text().size(), 4)
        .add(messages_.text())
        .add_checksum()
        .text();
  }

 private:
  Bytes messages_;
};

enum class Number { u8, u32, u64, i32, f32 };

std::uint64_t width_of(Number number) { return number == Number::u8 ? 1 : number == Number::u64 ? 8 : 4; }

Bytes datatype(Number number) {
  constexpr std::uint8_t kVersion = 0x10;
  const std::uint64_t width = width_of(number);
  if (number == Number::f32)  // IEEE 754 of 32 bits: sign in bit 31, 8 bits of exponent from bit 23
    return Bytes()
        .add(kVersion | 1U, 1)
        .add(0x1F20, 3)
        .add(4, 4)
        .add(0, 2)
        .add(32, 2)
        .add(23, 1)
        .add(8, 1)
        .add(0, 1)
        .add(23, 1)
        .add(127, 4);
  const std::uint64_t has_sign = number == Number::i32 ? 0x08 : 0;
  return Bytes().add(kVersion, 1).add(has_sign, 3).add(width, 4).add(0, 2).add(8 * width, 2);
}

/// An array of one dimension.
struct Array {
  std::string name;
  Number number;
  std::uint64_t count;
  std::function<void(const PutBytes& put)> give;
  std::uint64_t header_at = 0;
  std::uint64_t data_at = kUndefined;

  [[nodiscard]] std::uint64_t bytes() const { return count * width_of(number); }
  [[nodiscard]] std::string header() const {
    ObjectHeader header;
    header.add(kDataspace, Bytes().add(2, 1).add(1, 1).add(0, 1).add(1, 1).add(count, 8));
    header.add(kDatatype, datatype(number));
    header.add(kFillValue, Bytes().add(3, 1).add(0x0A, 1));  // late allocation, no fill value
    header.add(kLayout, Bytes().add(3, 1).add(1, 1).add(data_at, 8).add(bytes(), 8));
    return header.text();
  }
};

std::string root_header(const std::vector<Array>& arrays, const std::string& json) {
  ObjectHeader header;
  header.add(kLinkInfo, Bytes().add(0, 2).add(kUndefined, 8).add(kUndefined, 8));
  header.add(kGroupInfo, Bytes().add(0, 2));
  for (const Array& array : arrays)
    header.add(kLink,
               Bytes().add(1, 1).add(0, 1).add(array.name.size(), 1).add(array.name).add(array.header_at, 8));
  constexpr std::string_view kName("binsparse\0", 10);
  const Bytes type = Bytes().add(0x13, 1).add(0x11, 3).add(json.size(), 4);  // UTF-8, padded with zeros
  const Bytes space = Bytes().add(2, 1).add(0, 3);                           // one element
  header.add(kAttribute, Bytes()
                             .add(3, 1)
                             .add(0, 1)
                             .add(kName.size(), 2)
                             .add(type.text().size(), 2)
                             .add(space.text().size(), 2)
                             .add(0, 1)
                             .add(kName)
                             .add(type.text())
                             .add(space.text())
                             .add(json));
  return header.text();
}

std::vector<Array> arrays_of(const WrittenMatrix& matrix, JobContext& context) {
  const SparsePattern& pattern = matrix.pattern;
  const std::span<const Index> rows = pattern.row_indices();
  const std::span<const Index> ids = pattern.column_ids();
  std::vector<Array> arrays;
  if (stores_columns(pattern)) {
    arrays.push_back({"indices_0", Number::u32, ids.size(), [=, &context](const PutBytes& put) {
                        put_converted<std::uint32_t>(ids, put, context);
                      }});
    arrays.push_back({"pointers_to_1", Number::u64, ids.size() + 1,
                      [starts = pattern.column_starts(), &context](const PutBytes& put) {
                        put_converted<std::uint64_t>(starts, put, context);
                      }});
  } else {
    arrays.push_back(
        {"pointers_to_1", Number::u64, pattern.cols() + 1, [&pattern, &context](const PutBytes& put) {
           put_column_pointers<std::uint64_t>(pattern, put, context);
         }});
  }
  arrays.push_back({"indices_1", Number::u32, rows.size(), [=, &context](const PutBytes& put) {
                      put_converted<std::uint32_t>(rows, put, context);
                    }});
  const std::uint64_t entries = rows.size();
  const std::span<const float> values = matrix.values;
  if (matrix.field == WrittenField::pattern)
    arrays.push_back({"values", Number::u8, 1, [](const PutBytes& put) {
                        constexpr std::array kOne{std::byte{1}};
                        put(kOne);
                      }});
  else if (matrix.field == WrittenField::integer)
    arrays.push_back({"values", Number::i32, entries, [=, &context](const PutBytes& put) {
                        put_converted<std::int32_t>(values, put, context);
                      }});
  else
    arrays.push_back({"values", Number::f32, matrix.field == WrittenField::complex ? 2 * entries : entries,
                      [&](const PutBytes& put) { put_values(matrix, put, context); }});
  return arrays;
}

std::string description(const WrittenMatrix& matrix) {
  const SparsePattern& pattern = matrix.pattern;
  // A null value that becomes an object does not survive a refused allocation.
  auto types = nlohmann::ordered_json::object();
  if (stores_columns(pattern)) types["indices_0"] = "uint32";
  types["pointers_to_1"] = "uint64";
  types["indices_1"] = "uint32";
  static constexpr std::array kValues{"iso[bint8]", "int32", "float32", "complex[float32]"};
  types["values"] = kValues.at(static_cast<std::size_t>(matrix.field));
  nlohmann::ordered_json facts{{"version", "0.1"},
                               {"format", stores_columns(pattern) ? "DCSC" : "CSC"},
                               {"shape", {pattern.rows(), pattern.cols()}},
                               {"number_of_stored_values", pattern.nonzeros()},
                               {"data_types", types}};
  nlohmann::ordered_json whole{{"binsparse", facts}};
  if (!matrix.comment.empty()) whole["comment"] = std::string(matrix.comment);
  return whole.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

void write(const WrittenMatrix& matrix, std::ostream& out, JobContext& context) {
  std::vector<Array> arrays = arrays_of(matrix, context);
  const std::string json = description(matrix);
  std::uint64_t end = kSuperblockBytes + root_header(arrays, json).size();
  for (Array& array : arrays) {
    array.header_at = end;
    end += array.header().size();
  }
  for (Array& array : arrays) {
    if (array.count == 0) continue;
    array.data_at = end = (end + 7) / 8 * 8;
    end += array.bytes();
  }
  std::uint64_t at = 0;
  const PutBytes put = [&](std::span<const std::byte> bytes) {
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    at += bytes.size();
    context.checkpoint(at, end);
    return bool{out};
  };
  const auto put_text = [&](const std::string& text) { put(std::as_bytes(std::span(text))); };
  put_text(Bytes()
               .add("\x89HDF\r\n\x1a\n")
               .add(2, 1)
               .add(8, 1)
               .add(8, 1)
               .add(0, 1)
               .add(0, 8)
               .add(kUndefined, 8)
               .add(end, 8)
               .add(kSuperblockBytes, 8)
               .add_checksum()
               .text());
  put_text(root_header(arrays, json));
  for (const Array& array : arrays) put_text(array.header());
  for (const Array& array : arrays) {
    if (array.count == 0) continue;
    put_text(std::string(array.data_at - at, '\0'));
    array.give(put);
    if (!out) return;
  }
}

}  // namespace

extern const Writer kWriter{kInfo, write};

}  // namespace spyctrum::binsparse_writer
