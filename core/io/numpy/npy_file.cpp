// SPDX-License-Identifier: Apache-2.0
// The header's dictionary is read by searching for its three keys, as NumPy itself writes them; nothing is
// evaluated.
#include "core/io/numpy/npy_file.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "core/io/quote.hpp"

namespace spyctrum {

namespace {

constexpr std::size_t kLongestHeader = std::size_t{1} << 20U;
/// The most characters of a text: names of layouts, descriptions in JSON.
constexpr std::size_t kLongestText = std::size_t{1} << 16U;
/// Bytes of elements that are read at a time.
constexpr std::size_t kPieceOfFile = std::size_t{1} << 16U;

/// The next `count` bytes; fewer at the end of the file.
std::string next_bytes(BinaryFile& file, std::size_t count) {
  std::string bytes(count, '\0');
  bytes.resize(file.read(bytes));
  return bytes;
}

/// The rest of the dictionary after 'KEY':; empty if there is no such key.
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
    if (rest.starts_with('L')) rest.remove_prefix(1);  // a long integer of Python 2
  }
}

}  // namespace

NumpyArray read_npy_header(BinaryFile& file, std::string name) {
  NumpyArray array;
  array.name = std::move(name);
  const std::string begin = next_bytes(file, 8);
  if (!begin.starts_with(kNpyMagic) || begin.size() < 8)
    array.fail("it begins with " + in_quotes(begin, 16) + "; expected NumPy's signature.");
  const int version = static_cast<unsigned char>(begin[6]);
  if (version < 1 || version > 3)
    array.fail("it is of version " + std::to_string(version) + " of the format; 1 to 3 can be read.");
  const std::string length = next_bytes(file, version == 1 ? 2 : 4);
  const std::uint64_t header_bytes = binary_whole(length.data(), length.size(), false);
  if (header_bytes > kLongestHeader)
    array.fail("its header is announced with " + grouped(header_bytes) + " bytes.");
  const std::string header = next_bytes(file, header_bytes);
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
  return array;
}

std::uint64_t announced_bytes(const NumpyArray& array) {
  std::uint64_t count = array.width;
  for (const std::uint64_t side : array.shape) count *= side;
  return count;
}

void read_npy_pieces(BinaryFile& file, NumpyArray& array,
                     const std::function<void(std::uint64_t first)>& use) {
  const std::uint64_t count = announced_bytes(array);
  const std::uint64_t at_once = std::max(kPieceOfFile, array.width) / array.width * array.width;
  for (std::uint64_t done = 0; done < count; done += at_once) {
    array.bytes.data.resize(std::min(at_once, count - done));
    if (const std::size_t got = file.read(array.bytes.data); got < array.bytes.data.size())
      array.fail("it ends after " + grouped(done + got) + " of " + grouped(count) + " bytes of elements.");
    array.examine_type();
    use(done / array.width);
  }
}

NumpyArray read_npy(ByteSource& source, const std::string& name, JobContext& context, Keep keep) {
  BinaryFile file(source, name, context);
  NumpyArray array = read_npy_header(file, name);
  const std::uint64_t count = announced_bytes(array);
  array.set_keep(keep);
  if (array.keep == Keep::number) {
    array.count = count / array.width;
    return array;
  }
  const auto read = [&](std::span<char> bytes) { return file.read(bytes); };
  if (const std::uint64_t there = read_elements(array, context, read, count, source.total()); there < count)
    array.fail("it ends after " + grouped(there) + " of " + grouped(count) + " bytes of elements.");
  return array;
}

}  // namespace spyctrum
