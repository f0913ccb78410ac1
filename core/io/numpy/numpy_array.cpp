// SPDX-License-Identifier: Apache-2.0
#include "core/io/numpy/numpy_array.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <limits>

#include "core/io/entry_arrays.hpp"
#include "core/io/failure_at.hpp"
#include "core/io/quote.hpp"

namespace spyctrum {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16U;
/// Elements that are made between two checks for a stop.
constexpr std::size_t kPieceElements = std::size_t{1} << 20U;
/// The most bytes to which one byte of a packed file is expected to unpack.
constexpr std::uint64_t kMostUnpacked = 8;
/// The most invalid elements that are kept of an array of indices; an array with more is refused at once.
constexpr std::size_t kMostInvalid = 1000;

/// A number of 1, 2, 4 or 8 bytes in the machine's byte order, without a call of memcpy() for usual widths.
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

}  // namespace

std::uint64_t read_elements(NumpyArray& array, JobContext& context,
                            const std::function<std::size_t(std::span<char>)>& read, std::uint64_t count,
                            std::uint64_t file_bytes) {
  std::uint64_t done = 0;
  if (array.keep == Keep::bytes) {
    BookedList<char> bytes(context, "array", count <= file_bytes ? count : 0);
    for (bool is_more = true; is_more && done < count;) {
      // The first pieces are small: a short file with a large announced size takes little memory.
      const std::size_t piece = std::clamp(bytes.size(), kPiece, 16 * kPiece);
      const std::span<char> more = bytes.extend(std::min<std::uint64_t>(piece, count - done));
      const std::size_t got = read(more);
      is_more = got == more.size();
      done += got;
      bytes.truncate(done);
    }
    array.bytes = std::move(bytes).take();
    array.examine_type();
    return done;
  }
  // Memory is reserved at once if the file may have as many bytes: growing lists would take half as much
  // again.
  if (count <= kMostUnpacked * file_bytes) array.reserve(count / array.width, context);
  std::vector<char> piece(kPiece / array.width * array.width);
  std::mutex mutex;
  for (; done < count; done += piece.size()) {
    piece.resize(std::min<std::uint64_t>(piece.size(), count - done));
    if (const std::size_t got = read(piece); got < piece.size()) return done + got;
    array.grow((done + piece.size()) / array.width, context);
    array.take(done / array.width, piece, mutex);
  }
  return count;
}

bool read_elements_at(NumpyArray& array, std::uint64_t elements, int descriptor, std::uint64_t at,
                      ReadProgress& progress, JobContext& context, const UseElements& use) {
  // A piece fits a processor's cache.
  const std::uint64_t at_once = std::max<std::uint64_t>(1, 4 * kPiece / array.width);
  array.grow(elements, context);
  if (array.keep == Keep::bytes) array.bytes = BookedBytes(context, elements * array.width, "array");
  const bool is_in_place =
      array.keep == Keep::bytes || (array.keep == Keep::indices && array.width == sizeof(Index));
  char* const place =
      array.keep == Keep::bytes ? array.bytes.data.data() : reinterpret_cast<char*>(array.whole.data());
  std::mutex mutex;
  std::atomic<bool> is_there{true};
  std::vector<std::vector<char>> elsewhere(context.pool().threads());
  const auto read = [&](std::size_t piece, unsigned worker) {
    const std::uint64_t first = piece * at_once;
    const std::uint64_t count = std::min(at_once, elements - first);
    if (!is_in_place) elsewhere[worker].resize(at_once * array.width);
    char* const to = is_in_place ? place + first * array.width : elsewhere[worker].data();
    const std::span<char> bytes(to, count * array.width);
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t got = pread(descriptor, bytes.data() + done, bytes.size() - done,
                                static_cast<off_t>(at + first * array.width + done));
      if (got <= 0) {
        is_there = false;
        return;
      }
      done += static_cast<std::size_t>(got);
    }
    if (array.keep != Keep::bytes) array.take(first, bytes, mutex);
    use(first, bytes, worker);
    context.checkpoint(progress.done += bytes.size(), progress.total);
  };
  context.pool().parallel_for((elements + at_once - 1) / at_once, 1,
                              [&](std::size_t begin, std::size_t end, unsigned worker) {
                                for (std::size_t piece = begin; piece < end; ++piece) read(piece, worker);
                              });
  if (array.keep == Keep::bytes) array.examine_type();
  return is_there;
}

void NumpyArray::fail(const std::string& what) const {
  throw FailureAt(name, what, "Get the file again, or check the program that wrote it.");
}

void NumpyArray::fail_element(std::uint64_t k, const std::string& what) const {
  fail("element " + grouped(k) + ": " + what);
}

std::uint64_t NumpyArray::index(std::uint64_t k, std::uint64_t most) const {
  if (kind != 'i' && kind != 'u') fail("its elements are not whole numbers.");
  if (k >= size() || width == 0)
    fail("it ends after " + counted(size(), "element", "elements") + "; more were expected.");
  std::uint64_t number = 0;
  if (keep == Keep::indices) {
    const auto wrong = invalid.find(k);
    if (wrong == invalid.end() && whole[k] <= most) return whole[k];
    fail_element(k, "found " + (wrong == invalid.end() ? grouped(whole[k]) : wrong->second) + "; expected " +
                        range_text(0, most) + ".");
  }
  const char* const at = bytes.data.data() + k * width;
  const bool is_native = std::endian::native == std::endian::little && !big_endian;
  number = is_native ? bits_of(at, width) : binary_whole(at, width, big_endian);
  const bool is_negative = kind == 'i' && (number >> (8 * width - 1) & 1U) != 0;
  if (is_negative || number > most)
    fail_element(k, "found " + (is_negative ? "a negative number" : grouped(number)) + "; expected " +
                        range_text(0, most) + ".");
  return number;
}

namespace {

/// The mask of the bits of an element of at most 8 bytes that are all 0 if and only if it is zero. The mask
/// lacks the sign bits, in the last byte of each part, or in the first if `big_endian`, since −0 is zero.
std::uint64_t bits_of_zero(char kind, std::size_t width, bool big_endian) {
  std::uint64_t bits = width == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * width) - 1;
  if (kind != 'f' && kind != 'c') return bits;
  const std::size_t part = kind == 'c' ? width / 2 : width;
  for (std::size_t b = big_endian ? 0 : part - 1; b < width; b += part)
    bits &= ~(std::uint64_t{0x80} << 8 * b);
  return bits;
}

constexpr std::size_t kLongDouble = 16;  // bytes
constexpr std::size_t kExtended = 10;    // bytes of a number of 80 bits

/// Whether a number with this exponent, biased by 16383, is within the range of double precision, infinite or
/// NaN.
bool is_usual_exponent(std::uint64_t exponent) {
  exponent &= 0x7FFFU;
  return (exponent > 16383 - 1075 && exponent < 16383 + 1024) || exponent == 0x7FFF;
}

/// NumPy writes 16 bytes for the platform's long double without naming its type: on x86-64 a number of 80
/// bits and six bytes of padding with any content, elsewhere IEEE's number of 128 bits. Both have 15 bits of
/// exponent, in bytes 8 and 9 or in bytes 14 and 15; a number of 80 bits also has the first bit of its
/// significand, which is 1 unless the number is 0. Returns true if all `numbers` can have 80 bits and one of
/// them is not 0, or if they cannot all have 128 bits.
bool are_extended(std::span<const char> numbers) {
  bool may_be_extended = true;
  bool may_be_quadruple = true;
  bool is_extended = false;
  for (; numbers.size() >= kLongDouble; numbers = numbers.subspan(kLongDouble)) {
    const char* const at = numbers.data();
    if (is_binary_zero(at, kLongDouble, 1, false, false)) continue;
    const bool is_zero = is_binary_zero(at, kExtended, 1, true, false);
    const bool is_usual = (at[7] & 0x80) != 0 && is_usual_exponent(binary_whole(at + 8, 2, false));
    is_extended = is_extended || is_usual;
    may_be_extended = may_be_extended && (is_zero || is_usual);
    may_be_quadruple = may_be_quadruple && is_usual_exponent(binary_whole(at + 14, 2, false));
  }
  return (may_be_extended && is_extended) || !may_be_quadruple;
}

double real_of(const char* at, std::size_t width, bool big_endian, bool is_extended) {
  return is_extended ? extended_real(at) : binary_real(at, width, big_endian);
}

/// The largest of the ids, or 0. There are four maxima, of a quarter of the ids each, since the comparisons
/// of a single one would wait for each other.
Index largest_of(std::span<const Index> ids) {
  const std::size_t quarter = ids.size() / 4;
  std::array<Index, 4> maxima{};
  auto& [first, second, third, fourth] = maxima;
  const Index* const id = ids.data();  // compilers would not vectorise a loop that checks each index
  for (std::size_t k = 0; k < quarter; ++k) {
    first = std::max(first, id[k]);
    second = std::max(second, id[quarter + k]);
    third = std::max(third, id[2 * quarter + k]);
    fourth = std::max(fourth, id[3 * quarter + k]);
  }
  for (std::size_t k = 4 * quarter; k < ids.size(); ++k) first = std::max(first, id[k]);
  return std::ranges::max(maxima);
}

/// Converts numbers of type T to indices, unless `from` is their memory; returns the largest of them, or 2^32
/// if one is beyond 32 bits or, if `has_sign`, negative (its highest bit is set).
template <class T>
std::uint64_t take_indices(const char* from, bool has_sign, std::span<Index> to) {
  const auto limit = has_sign ? static_cast<T>(std::numeric_limits<T>::max() / 2)
                              : static_cast<T>(std::numeric_limits<T>::max());
  T largest = 0;
  if constexpr (sizeof(T) == sizeof(Index)) {
    if (from != reinterpret_cast<const char*>(to.data())) std::memcpy(to.data(), from, to.size_bytes());
    largest = largest_of(to);
  } else {
    Index* next = to.data();
    for (std::size_t k = 0; k < to.size(); ++k) {
      T number = 0;
      std::memcpy(&number, from + k * sizeof(T), sizeof(T));
      largest = std::max(largest, number);
      *next++ = static_cast<Index>(number);
    }
  }
  const bool is_outside = largest > std::min<T>(limit, static_cast<T>(std::numeric_limits<Index>::max()));
  return is_outside ? std::uint64_t{1} << 32U : largest;
}

template <class T>
std::uint64_t convert(const char* from, std::span<double> to) {
  std::uint64_t zeros = 0;
  for (double& next : to) {
    T number = 0;
    std::memcpy(&number, from, sizeof(T));
    from += sizeof(T);
    next = number;
    zeros += number == 0 ? 1 : 0;
  }
  return zeros;
}

template <class T>
std::uint64_t count_zeros(const char* from, std::uint64_t count, std::uint64_t mask) {
  const T bits_of_zero = static_cast<T>(mask);
  std::uint64_t zeros = 0;
  for (std::uint64_t k = 0; k < count; ++k) {
    T bits = 0;
    std::memcpy(&bits, from + k * sizeof(T), sizeof(T));
    zeros += (bits & bits_of_zero) == 0 ? 1 : 0;
  }
  return zeros;
}

/// The number of bits set from `first` to last − 1.
std::uint64_t count_bits(const std::vector<std::uint64_t>& words, std::uint64_t first, std::uint64_t last) {
  std::uint64_t count = 0;
  while (first < last) {
    const std::uint64_t end = std::min(last, (first / 64 + 1) * 64);
    const std::uint64_t word = words[first / 64] >> first % 64;
    count +=
        static_cast<std::uint64_t>(std::popcount(end - first == 64 ? word : word << (64 - (end - first))));
    first = end;
  }
  return count;
}

constexpr bool kIsLittle = std::endian::native == std::endian::little;

}  // namespace

bool NumpyArray::is_zero(std::uint64_t k) const {
  if (keep == Keep::zeros) return (zero_bits[k / 64] >> k % 64 & 1U) != 0;
  return is_zero_at(bytes.data.data() + k * width, is_extended_);
}

bool NumpyArray::has_extended(std::span<const char> elements) const {
  constexpr std::size_t kExamined = std::size_t{4096} * kLongDouble;
  const bool has_long_doubles = width == (kind == 'c' ? 2 : 1) * kLongDouble && (kind == 'f' || kind == 'c');
  return has_long_doubles && !big_endian &&
         are_extended(elements.first(std::min(elements.size(), kExamined)));
}

void NumpyArray::examine_type() { is_extended_ = has_extended(bytes.data); }

bool NumpyArray::is_zero_at(const char* at, bool extended) const {
  if (kIsLittle && width <= 8) return (bits_of(at, width) & bits_of_zero(kind, width, big_endian)) == 0;
  const std::size_t part = kind == 'c' ? width / 2 : width;
  const bool has_sign = kind == 'f' || kind == 'c';
  const std::size_t used = extended ? kExtended : part;
  return is_binary_zero(at, used, 1, has_sign, big_endian) &&
         (kind != 'c' || is_binary_zero(at + part, used, 1, has_sign, big_endian));
}

std::uint64_t NumpyArray::zeros_at(const char* from, std::uint64_t elements) const {
  const std::uint64_t mask = bits_of_zero(kind, std::min<std::size_t>(width, 8), big_endian);
  if (kIsLittle && width == 1) return count_zeros<std::uint8_t>(from, elements, mask);
  if (kIsLittle && width == 2) return count_zeros<std::uint16_t>(from, elements, mask);
  if (kIsLittle && width == 4) return count_zeros<std::uint32_t>(from, elements, mask);
  if (kIsLittle && width == 8) return count_zeros<std::uint64_t>(from, elements, mask);
  const bool extended = has_extended({from, elements * width});
  std::uint64_t zeros = 0;
  for (std::uint64_t k = 0; k < elements; ++k) zeros += is_zero_at(from + k * width, extended) ? 1 : 0;
  return zeros;
}

void NumpyArray::set_keep(Keep requested) {
  if (requested == Keep::number_of_complex) requested = kind == 'c' ? Keep::number : Keep::bytes;
  if (requested == Keep::number && width != 0) keep = requested;
  const bool is_whole = kind == 'i' || kind == 'u';
  const bool is_native = std::endian::native == std::endian::little && !big_endian;
  if (requested == Keep::zeros && (is_whole || kind == 'b' || kind == 'f' || kind == 'c')) keep = requested;
  if (requested == Keep::indices && is_whole && is_native && (width == 4 || width == 8)) keep = requested;
}

void NumpyArray::reserve(std::uint64_t elements, JobContext& context) {
  const auto make_room = [&](auto& kept, std::uint64_t words) {
    if (kept.capacity() >= words) return;
    Booking larger(context.memory(), words * sizeof kept[0], "array");
    kept.reserve(words);
    advise_large_pages(kept.data(), words * sizeof kept[0]);
    bytes.booking = std::move(larger);
  };
  if (keep == Keep::zeros) make_room(zero_bits, (elements + 63) / 64);
  if (keep == Keep::indices) make_room(whole, elements);
}

void NumpyArray::grow(std::uint64_t elements, JobContext& context) {
  const std::uint64_t room = keep == Keep::zeros ? 64 * zero_bits.capacity() : whole.capacity();
  if (elements > room) reserve(std::max(elements, 2 * room), context);
  count = std::max(count, elements);
  const auto resize = [&](auto& kept, std::size_t size) {
    while (kept.size() < size) {
      context.check_stop();
      kept.resize(std::min(size, kept.size() + kPieceElements));
    }
  };
  if (keep == Keep::zeros) resize(zero_bits, (count + 63) / 64);
  if (keep == Keep::indices) resize(whole, count);
}

void NumpyArray::take(std::uint64_t first, std::span<const char> from, std::mutex& mutex) {
  const std::uint64_t elements = from.size() / width;
  if (keep == Keep::bytes) {
    std::ranges::copy(from, bytes.data.begin() + static_cast<std::ptrdiff_t>(first * width));
  } else if (keep == Keep::zeros) {
    if (zeros_at(from.data(), elements) == 0) return;
    const bool extended = has_extended(from);
    for (std::uint64_t k = 0; k < elements; ++k)
      if (is_zero_at(from.data() + k * width, extended))
        std::atomic_ref(zero_bits[(first + k) / 64])
            .fetch_or(std::uint64_t{1} << (first + k) % 64, std::memory_order_relaxed);
  } else {
    const std::span<Index> to = std::span(whole).subspan(first, elements);
    const std::uint64_t own = width == 4 ? take_indices<std::uint32_t>(from.data(), kind == 'i', to)
                                         : take_indices<std::uint64_t>(from.data(), kind == 'i', to);
    const std::lock_guard lock(mutex);
    largest = std::max(largest, own);
    if (own <= std::numeric_limits<Index>::max()) return;
    for (std::uint64_t k = 0; k < elements; ++k) {
      const char* const at = from.data() + k * width;
      const double number = binary_integer(at, width, big_endian, kind == 'i');
      if (invalid.size() == kMostInvalid)
        fail_element(invalid.begin()->first, "found " + invalid.begin()->second + "; expected an index.");
      if (number < 0) invalid.emplace(first + k, "a negative number");
      if (number > static_cast<double>(std::numeric_limits<Index>::max()))
        invalid.emplace(first + k, grouped(bits_of(at, width)));
    }
  }
}

void NumpyArray::truncate(std::uint64_t elements) {
  if (keep == Keep::bytes) bytes.data.resize(std::min<std::uint64_t>(bytes.data.size(), elements * width));
  if (keep == Keep::indices) whole.resize(std::min<std::uint64_t>(whole.size(), elements));
  if (keep != Keep::bytes) count = std::min(count, elements);
}

BookedIndices NumpyArray::indices(std::uint64_t most, JobContext& context) && {
  BookedIndices converted(context, keep == Keep::indices ? 0 : size(), "indices of the entries");
  if (keep != Keep::indices || largest > most)
    for_blocks(&context, size(), std::size_t{1} << 18U, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        const std::uint64_t one = index(k, most);
        if (keep != Keep::indices) converted.data[k] = static_cast<Index>(one);
      }
    });
  if (keep == Keep::indices) {
    converted.data = std::move(whole);
    converted.booking = std::move(bytes.booking);
  }
  return converted;
}

std::uint64_t NumpyArray::zeros(std::uint64_t first, std::uint64_t last) const {
  if (keep == Keep::zeros) return count_bits(zero_bits, first, last);
  return zeros_at(bytes.data.data() + first * width, last - first);
}

void NumpyArray::release(std::uint64_t first, std::uint64_t last) const {
  if (keep == Keep::bytes) release_memory(bytes.data.data() + first * width, (last - first) * width);
  if (keep == Keep::indices) release_memory(whole.data() + first, (last - first) * sizeof(Index));
}

Value NumpyArray::value(std::uint64_t k) const {
  const char* const at = bytes.data.data() + k * width;
  switch (kind) {
    case 'c':
      return {real_of(at, width / 2, big_endian, is_extended_),
              real_of(at + width / 2, width / 2, big_endian, is_extended_)};
    case 'f':
      return real_of(at, width, big_endian, is_extended_);
    case 'b':
    case 'i':
    case 'u':
      return binary_integer(at, width, big_endian, kind == 'i');
    default:
      return std::nan("");
  }
}

std::uint64_t NumpyArray::take_real(std::uint64_t first, std::span<double> to) const {
  const char* const from = bytes.data.data() + first * width;
  if (is_single()) return convert<float>(from, to);
  if (kIsLittle && !big_endian && kind == 'f' && width == 8) return convert<double>(from, to);
  for (std::size_t k = 0; k < to.size(); ++k) to[k] = value(first + k).real();
  return zeros(first, first + to.size());
}

bool NumpyArray::is_single() const {
  return kIsLittle && !big_endian && kind == 'f' && width == sizeof(float);
}

void NumpyArray::take_singles(std::uint64_t first, std::span<float> to) const {
  std::memcpy(to.data(), bytes.data.data() + first * width, to.size_bytes());
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

}  // namespace spyctrum
