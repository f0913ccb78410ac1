// SPDX-License-Identifier: Apache-2.0
// The dictionary is read by looking for its three keys, as NumPy itself writes them; nothing is evaluated.
#include "core/io/numpy/numpy_array.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>

#include "core/io/quote.hpp"

namespace spyctrum {

namespace {

constexpr std::size_t kLongestHeader = std::size_t{1} << 20U;
/// Characters of a text: names of layouts, descriptions in JSON.
constexpr std::size_t kLongestText = std::size_t{1} << 16U;
constexpr std::size_t kPiece = std::size_t{1} << 16U;

/// 1, 2, 4 or 8 bytes as they lie in memory, without a call for each element.
std::uint64_t bits_of(const char* at, std::size_t width) {
  std::uint64_t bits = 0;
  if (width == 4)
    std::memcpy(&bits, at, 4);
  else if (width == 8)
    std::memcpy(&bits, at, 8);
  else
    std::memcpy(&bits, at, width);
  return bits;
}

/// Reads exactly `count` bytes; fewer at the end of the source.
std::string read_up_to(ByteSource& source, std::size_t count) {
  std::string bytes(count, '\0');
  std::size_t done = 0;
  while (done < count) {
    const std::size_t more = source.read(std::span(bytes).subspan(done));
    if (more == 0) break;
    done += more;
  }
  bytes.resize(done);
  return bytes;
}

/// What follows 'KEY': in the dictionary.
std::optional<std::string_view> value_of(std::string_view header, std::string_view key) {
  const std::string quoted_key = "'" + std::string(key) + "'";
  std::size_t at = header.find(quoted_key);
  if (at == std::string_view::npos) return std::nullopt;
  at = header.find(':', at + quoted_key.size());
  if (at == std::string_view::npos) return std::nullopt;
  at = header.find_first_not_of(' ', at + 1);
  return at == std::string_view::npos ? std::nullopt : std::optional(header.substr(at));
}

void read_type(NumpyArray& array, std::string_view header) {
  const auto descr = value_of(header, "descr");
  if (!descr) array.fail("its header lacks 'descr': " + in_quotes(header, 60) + ".");
  if (!descr->starts_with('\''))
    array.fail("its elements are records (" + in_quotes(*descr, 30) + "); numbers were expected.");
  const std::string_view type = descr->substr(1, descr->find('\'', 1) - 1);
  std::size_t width = 0;
  const bool is_type =
      type.size() >= 3 && std::string_view("<>|=").find(type[0]) != std::string_view::npos &&
      std::from_chars(type.data() + 2, type.data() + type.size(), width).ptr == type.data() + type.size();
  array.kind = type.size() > 1 ? type[1] : '?';
  if (array.kind == 'O') array.fail("it holds Python objects, which are code and are never read.");
  array.width = array.kind == 'U' ? 4 * width : width;
  array.big_endian = !type.empty() && type[0] == '>';
  const auto is_one_of = [&](std::initializer_list<std::size_t> widths) {
    return std::ranges::find(widths, width) != widths.end();
  };
  const bool is_known = (array.kind == 'b' && width == 1) ||
                        (array.kind == 'f' && is_one_of({2, 4, 8, 16})) ||
                        (array.kind == 'c' && is_one_of({8, 16, 32})) ||
                        ((array.kind == 'i' || array.kind == 'u') && is_one_of({1, 2, 4, 8})) ||
                        ((array.kind == 'S' || array.kind == 'U') && width <= kLongestText);
  if (!is_type || !is_known) array.fail("its elements are " + in_quotes(type) + "; numbers were expected.");
}

void read_shape(NumpyArray& array, std::string_view header) {
  const auto order = value_of(header, "fortran_order");
  const auto shape = value_of(header, "shape");
  if (!order || !shape || !shape->starts_with('('))
    array.fail("its header lacks 'fortran_order' or 'shape': " + in_quotes(header, 60) + ".");
  array.fortran = order->starts_with("True");
  std::string_view rest = shape->substr(1, shape->find(')') - 1);
  while (rest.find_first_not_of(" ,") != std::string_view::npos) {
    rest.remove_prefix(rest.find_first_not_of(" ,"));
    std::uint64_t side = 0;
    const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), side);
    if (parsed.ec != std::errc{} || array.shape.size() == 32)
      array.fail("its shape is " + in_quotes(shape->substr(0, shape->find(')') + 1), 60) + ".");
    array.shape.push_back(side);
    rest.remove_prefix(static_cast<std::size_t>(parsed.ptr - rest.data()));
  }
}

/// Reads `count` bytes of elements and keeps which of them are zero.
void read_zeros(NumpyArray& array, ByteSource& source, std::uint64_t count, JobContext& context) {
  std::vector<bool> bits;
  std::vector<Booking> bookings;
  std::vector<char>& piece = array.bytes.data;
  piece.resize(kPiece / array.width * array.width);
  for (std::uint64_t done = 0; done < count; done += piece.size()) {
    context.checkpoint(source.consumed(), source.total());
    piece.resize(std::min<std::uint64_t>(piece.size(), count - done));
    for (std::size_t there = 0; there < piece.size();) {
      const std::size_t more = source.read(std::span(piece).subspan(there));
      there += more;
      if (more == 0)
        array.fail("it ends after " + grouped(done + there) + " of " + grouped(count) +
                   " bytes of elements.");
    }
    const std::uint64_t elements = piece.size() / array.width;
    bookings.emplace_back(context.memory(), elements / 8, "array");
    const std::size_t first = bits.size();
    bits.resize(first + elements);
    if (array.zeros(0, elements) == 0) continue;
    for (std::uint64_t k = 0; k < elements; ++k) bits[first + k] = array.is_zero(k);
  }
  piece = {};
  array.zero_bits = std::move(bits);
  array.only_zeros = true;
}

}  // namespace

void NumpyArray::fail(const std::string& what) const {
  throw Failure(ErrorCode::bad_input, name + ": " + what,
                "Get the file again, or check the program that wrote it.");
}

void NumpyArray::fail_element(std::uint64_t k, const std::string& what) const {
  fail("element " + grouped(k) + ": " + what);
}

std::uint64_t NumpyArray::index(std::uint64_t k, std::uint64_t most) const {
  if (kind != 'i' && kind != 'u') fail("its elements are no whole numbers.");
  if (k >= size()) fail("it ends after " + counted(size(), "element", "elements") + "; more were expected.");
  std::uint64_t number = 0;
  if (std::endian::native == std::endian::little && !big_endian) {
    number = bits_of(bytes.data.data() + k * width, width);
  } else {
    for (std::size_t b = 0; b < width; ++b) {
      const std::size_t at = k * width + (big_endian ? b : width - 1 - b);
      number = number << 8U | static_cast<unsigned char>(bytes.data[at]);
    }
  }
  const bool is_negative = kind == 'i' && (number >> (8 * width - 1) & 1U) != 0;
  if (is_negative || number > most)
    fail_element(k, "found " + (is_negative ? "a negative number" : grouped(number)) + "; expected 0 to " +
                        grouped(most) + ".");
  return number;
}

bool NumpyArray::is_zero(std::uint64_t k) const {
  if (only_zeros) return zero_bits[k];
  // −0 has the sign bit alone: in the last byte of each part, or in the first.
  const std::size_t part = kind == 'c' ? width / 2 : width;
  const bool has_sign = kind == 'f' || kind == 'c';
  if (std::endian::native == std::endian::little && width <= 8) {
    std::uint64_t bits = bits_of(bytes.data.data() + k * width, width);
    for (std::size_t b = big_endian ? 0 : part - 1; has_sign && b < width; b += part)
      bits &= ~(std::uint64_t{0x80} << 8 * b);
    return bits == 0;
  }
  for (std::size_t b = 0; b < width; ++b) {
    const auto byte = static_cast<unsigned char>(bytes.data[k * width + b]);
    const bool holds_sign = has_sign && b % part == (big_endian ? 0 : part - 1);
    if (byte != 0 && !(holds_sign && byte == 0x80)) return false;
  }
  return true;
}

namespace {

/// Copies numbers of type T to `to`; returns whether one is not in 0 … most (negative ones have the highest
/// bit set).
template <class T>
bool take_indices(const char* from, std::uint64_t most, bool has_sign, std::span<Index> to) {
  const T highest = static_cast<T>(T{1} << (8 * sizeof(T) - 1));
  const auto limit = static_cast<T>(std::min<std::uint64_t>(
      {most, std::numeric_limits<T>::max(), has_sign ? std::uint64_t{highest} - 1 : most}));
  bool is_outside = false;
  for (std::size_t k = 0; k < to.size(); ++k) {
    T number = 0;
    std::memcpy(&number, from + k * sizeof(T), sizeof(T));
    is_outside |= number > limit;
    to[k] = static_cast<Index>(number);
  }
  return is_outside;
}

template <class T>
std::uint64_t count_zeros(const char* from, std::uint64_t count, T mask) {
  std::uint64_t zeros = 0;
  for (std::uint64_t k = 0; k < count; ++k) {
    T bits = 0;
    std::memcpy(&bits, from + k * sizeof(T), sizeof(T));
    zeros += (bits & mask) == 0 ? 1 : 0;
  }
  return zeros;
}

}  // namespace

void NumpyArray::indices(std::uint64_t first, std::uint64_t most, std::span<Index> to) const {
  const bool is_native = std::endian::native == std::endian::little && !big_endian;
  const bool is_whole = (kind == 'i' || kind == 'u') && first + to.size() <= size();
  const char* const from = bytes.data.data() + first * width;
  bool is_outside = true;
  if (is_native && is_whole && width == 4)
    is_outside = take_indices<std::uint32_t>(from, most, kind == 'i', to);
  if (is_native && is_whole && width == 8)
    is_outside = take_indices<std::uint64_t>(from, most, kind == 'i', to);
  // Other types; and if a number is out of range, the message for the first one.
  for (std::size_t k = 0; is_outside && k < to.size(); ++k)
    to[k] = static_cast<Index>(index(first + k, most));
}

std::uint64_t NumpyArray::zeros(std::uint64_t first, std::uint64_t last) const {
  const bool is_native = std::endian::native == std::endian::little && !big_endian;
  const bool is_plain = is_native && !only_zeros && (kind == 'f' || kind == 'i' || kind == 'u');
  const char* const from = bytes.data.data() + first * width;
  const std::uint64_t sign = kind == 'f' ? 1 : 0;
  if (is_plain && width == 4)
    return count_zeros<std::uint32_t>(from, last - first, ~std::uint32_t{0} >> sign);
  if (is_plain && width == 8)
    return count_zeros<std::uint64_t>(from, last - first, ~std::uint64_t{0} >> sign);
  std::uint64_t zeros = 0;
  for (std::uint64_t k = first; k < last; ++k) zeros += is_zero(k) ? 1 : 0;
  return zeros;
}

namespace {
// Of 16 bytes NumPy makes the platform's long double: on x86-64 an 80-bit number and padding, which is
// zero, elsewhere an IEEE number, whose last bytes hold sign and exponent.
double real_of(const char* at, std::size_t width, bool big_endian) {
  const auto is_zero = [](char byte) { return byte == 0; };
  const bool is_extended = width == 16 && !big_endian && std::all_of(at + 10, at + 16, is_zero);
  return is_extended ? extended_real(at) : binary_real(at, width, big_endian);
}
}  // namespace

Value NumpyArray::value(std::uint64_t k) const {
  const char* const at = bytes.data.data() + k * width;
  switch (kind) {
    case 'c':
      return {real_of(at, width / 2, big_endian), real_of(at + width / 2, width / 2, big_endian)};
    case 'f':
      return real_of(at, width, big_endian);
    case 'b':
    case 'i':
    case 'u':
      return binary_integer(at, width, big_endian, kind == 'i');
    default:
      return std::nan("");
  }
}

std::string NumpyArray::text() const {
  std::string text;
  for (std::size_t b = 0; b < std::min(width, bytes.data.size()); ++b)
    if (bytes.data[b] != '\0') text += bytes.data[b];
  return text;
}

const char* NumpyArray::field() const {
  return kind == 'b' ? "logical" : kind == 'f' ? "real" : kind == 'c' ? "complex" : "integer";
}

NumpyArray read_npy(ByteSource& source, std::string name, JobContext& context, bool only_zeros) {
  NumpyArray array;
  array.name = std::move(name);
  const std::string begin = read_up_to(source, 8);
  if (!begin.starts_with(kNpyMagic) || begin.size() < 8)
    array.fail("it begins with " + in_quotes(begin, 16) + "; expected NumPy's signature.");
  const int version = static_cast<unsigned char>(begin[6]);
  if (version < 1 || version > 3)
    array.fail("it is of version " + std::to_string(version) + " of the format; 1 to 3 can be read.");
  const std::string length = read_up_to(source, version == 1 ? 2 : 4);
  std::size_t header_bytes = 0;
  for (std::size_t b = length.size(); b-- > 0;)
    header_bytes = header_bytes << 8U | static_cast<unsigned char>(length[b]);
  if (header_bytes > kLongestHeader)
    array.fail("its header is announced with " + grouped(header_bytes) + " bytes.");
  const std::string header = read_up_to(source, header_bytes);
  if (length.size() != (version == 1 ? 2U : 4U) || header.size() != header_bytes)
    array.fail("it ends within its header.");
  read_type(array, header);
  read_shape(array, header);
  std::uint64_t count = array.width;
  for (const std::uint64_t side : array.shape) {
    if (side != 0 && count > std::numeric_limits<std::uint64_t>::max() / 4 / side)
      array.fail("its shape announces more elements than any file holds.");
    count *= side;
  }
  if (only_zeros && array.kind != 'S' && array.kind != 'U') {
    read_zeros(array, source, count, context);
    return array;
  }
  // The array grows with the bytes that are there, not with those that are announced.
  for (std::size_t done = 0; done < count;) {
    context.checkpoint(source.consumed(), source.total());
    if (array.bytes.data.capacity() - done < std::min<std::uint64_t>(kPiece, count - done)) {
      const std::size_t capacity = std::min<std::uint64_t>(count, std::max<std::size_t>(kPiece, 2 * done));
      Booking larger(context.memory(), capacity, "array");
      array.bytes.data.reserve(capacity);
      array.bytes.booking = std::move(larger);
    }
    array.bytes.data.resize(done + std::min<std::uint64_t>(kPiece, count - done));
    const std::size_t more = source.read(std::span(array.bytes.data).subspan(done));
    done += more;
    array.bytes.data.resize(done);
    if (more == 0)
      array.fail("it ends after " + grouped(done) + " of " + grouped(count) + " bytes of elements.");
  }
  return array;
}

}  // namespace spyctrum
