// SPDX-License-Identifier: Apache-2.0
#include "core/io/hdf5/stored_arrays.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include "core/io/numpy/compressed_arrays.hpp"
#include "core/matrix/ascending_lines.hpp"

namespace spyctrum::hdf5 {

namespace {

constexpr std::array<const char*, 3> kRoles{"indptr", "indices", "data"};
/// The most bytes to which one byte packed by zlib can unpack.
constexpr std::uint64_t kMostPacking = 1032;

/// Makes matrix_of_arrays() return an empty optional.
[[noreturn]] void give_up() { throw Failure(ErrorCode::bad_input, "", ""); }

void read_at(int descriptor, std::uint64_t at, std::span<char> to) {
  while (!to.empty()) {
    const ssize_t got = pread(descriptor, to.data(), to.size(), static_cast<off_t>(at));
    if (got <= 0) give_up();
    to = to.subspan(static_cast<std::size_t>(got));
    at += static_cast<std::uint64_t>(got);
  }
}

/// to[k·width + b] = from[b·count + k].
template <std::size_t width>
void unshuffle_by(const char* from, std::size_t count, char* to) {
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t b = 0; b < width; ++b) to[k * width + b] = from[b * count + k];
}
void unshuffle(std::span<const char> from, std::size_t width, std::span<char> to) {
  const std::size_t count = from.size() / width;
  if (width == 2) return unshuffle_by<2>(from.data(), count, to.data());
  if (width == 4) return unshuffle_by<4>(from.data(), count, to.data());
  if (width == 8) return unshuffle_by<8>(from.data(), count, to.data());
  std::ranges::copy(from, to.begin());
}

/// Whether the array is stored as it is, in one piece of any length.
bool is_plain(const StoredHead& head) {
  return head.piece == head.elements && head.is_deflated == 0 && head.is_shuffled == 0;
}

/// Gives up unless the pieces can contain the array.
void check(const StoredArray& array, std::uint64_t file_bytes) {
  const StoredHead& head = array.head;
  if (is_plain(head)) {
    const std::uint64_t bytes = head.elements * head.width;
    if (array.pieces.size() != 1 || array.pieces[0].bytes != bytes || bytes > file_bytes) give_up();
    return;
  }
  const std::uint64_t most = kMostPieceBytes / head.width;
  if (array.pieces.size() != (head.elements - 1) / head.piece + 1 || head.piece > most) give_up();
  std::uint64_t bytes = 0;
  for (const PieceHead& piece : array.pieces) {
    if (piece.bytes == 0 || piece.bytes > std::min(kMostPieceBytes, file_bytes)) give_up();
    bytes += piece.bytes;
  }
  if (bytes * (head.is_deflated != 0 ? kMostPacking : 1) < head.elements * head.width) give_up();
}

/// The array without its elements.
NumpyArray array_of(const StoredHead& head) {
  NumpyArray array;
  array.name = kRoles.at(static_cast<std::size_t>(head.role));
  array.kind = static_cast<char>(head.kind);
  array.width = head.width;
  array.shape = {head.elements};
  return array;
}

/// Reads the array; calls use(array, first, last, worker) after each piece, the elements first … last−1, on
/// any thread.
template <class Use>
NumpyArray read_array(int descriptor, const StoredArray& stored, Keep keep, ReadProgress& progress,
                      JobContext& context, const Use& use) {
  const StoredHead& head = stored.head;
  NumpyArray array = array_of(head);
  array.set_keep(keep);
  const auto use_piece = [&](std::uint64_t first, std::span<const char> bytes, unsigned worker) {
    use(array, first, first + bytes.size() / head.width, worker);
  };
  if (is_plain(head)) {
    if (!read_elements_at(array, head.elements, descriptor, stored.pieces[0].at, progress, context,
                          use_piece) ||
        !array.invalid.empty())
      give_up();
    return array;
  }
  array.grow(head.elements, context);
  if (array.keep == Keep::bytes) array.bytes = BookedBytes(context, head.elements * head.width, "array");
  std::mutex mutex;
  context.pool().parallel_for(
      stored.pieces.size(), 1, [&](std::size_t begin, std::size_t end, unsigned worker) {
        std::vector<char> packed;
        std::vector<char> unpacked;
        for (std::size_t k = begin; k < end; ++k) {
          const PieceHead& piece = stored.pieces[k];
          const std::uint64_t first = k * head.piece;
          const std::uint64_t count = std::min(head.piece, head.elements - first);
          packed.resize(piece.bytes);
          read_at(descriptor, piece.at, packed);
          if (head.is_deflated != 0) {
            unpacked.resize(head.piece * head.width);
            uLongf size = unpacked.size();
            if (uncompress(reinterpret_cast<Bytef*>(unpacked.data()), &size,
                           reinterpret_cast<const Bytef*>(packed.data()), packed.size()) != Z_OK ||
                size != unpacked.size())
              give_up();
            packed.swap(unpacked);
          }
          if (packed.size() < count * head.width) give_up();
          if (head.is_shuffled != 0 && head.width > 1) {
            unpacked.resize(packed.size());
            unshuffle(packed, head.width, unpacked);
            packed.swap(unpacked);
          }
          const std::span<const char> bytes = std::span(packed).first(count * head.width);
          array.take(first, bytes, mutex);
          use_piece(first, bytes, worker);
          context.checkpoint(progress.done += bytes.size(), progress.total);
        }
      });
  if (!array.invalid.empty()) give_up();
  return array;
}

/// Copies indices to memory that the processor need not fetch for it. If threads on processors without a
/// common cache have read that memory before, ordinary stores take five times as long.
void copy_past_caches(std::span<const Index> from, Index* to) {
  std::size_t k = 0;
#ifdef __SSE2__
  constexpr std::size_t kAtOnce = sizeof(__m128i) / sizeof(Index);
  for (; k < from.size() && reinterpret_cast<std::uintptr_t>(to + k) % sizeof(__m128i) != 0; ++k)
    to[k] = from[k];
  for (; k + kAtOnce <= from.size(); k += kAtOnce)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + k),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from.data() + k)));
  _mm_sfence();
#endif
  std::copy(from.begin() + static_cast<std::ptrdiff_t>(k), from.end(), to + k);
}

/// Reads indices of 4 bytes that are stored as they are to lines.ids and sets lines.ascend, on all threads.
/// Gives up if one of them is not below `line_length`. Calls use(first, last, worker) after each piece.
template <class Use>
void read_plain_ids(int descriptor, const StoredArray& stored, std::uint64_t line_length,
                    CompressedLines& lines, ReadProgress& progress, JobContext& context, const Use& use) {
  constexpr std::uint64_t kAtOnce = std::uint64_t{1} << 16U;         // a piece fits a processor's cache
  constexpr std::uint64_t kLeastNegative = std::uint64_t{1} << 31U;  // a negative index, read without a sign
  const std::uint64_t count = stored.head.elements;
  const std::uint64_t limit = stored.head.kind == 'i' ? std::min(line_length, kLeastNegative) : line_length;
  lines.ids = BookedIndices(context, count, "indices of the entries");
  std::atomic<bool> ascend{true};
  std::vector<IndexList> pieces(context.pool().threads());
  const auto read = [&](std::uint64_t first, unsigned worker) {
    const std::uint64_t last = std::min(count, first + kAtOnce);
    const std::uint64_t before = first == 0 ? 0 : 1;  // the index before, for their order
    IndexList& piece = pieces[worker];
    piece.resize(last - first + before);
    read_at(descriptor, stored.pieces[0].at + (first - before) * sizeof(Index),
            {reinterpret_cast<char*>(piece.data()), piece.size() * sizeof(Index)});
    if (!all_ids_ascend(lines.ends.data, first - before, piece, line_length)) {
      if (std::ranges::any_of(piece, [&](Index id) { return id >= limit; })) give_up();
      ascend = false;
    }
    copy_past_caches(std::span(piece).subspan(before), lines.ids.data.data() + first);
    use(first, last, worker);
    context.checkpoint(progress.done += (last - first) * sizeof(Index), progress.total);
  };
  context.pool().parallel_for((count + kAtOnce - 1) / kAtOnce, 1,
                              [&](std::size_t begin, std::size_t end, unsigned worker) {
                                for (std::size_t k = begin; k < end; ++k) read(k * kAtOnce, worker);
                              });
  lines.ascend = ascend;
}

/// The values of an array that is stored as it is. They are read when they are needed, so that they are in
/// memory only once.
class ValuesInPlace : public StreamedValues {
 public:
  ValuesInPlace(int descriptor, const StoredArray& stored)
      : StreamedValues(array_of(stored.head),
                       [descriptor, next = stored.pieces[0].at](std::span<char> bytes) mutable {
                         read_at(descriptor, next, bytes);
                         next += bytes.size();
                       }),
        descriptor_(descriptor),
        head_(stored.head),
        at_(stored.pieces[0].at) {}
  [[nodiscard]] bool is_streamed() const override { return false; }
  std::uint64_t take_real(std::uint64_t begin, std::span<double> to) const override {
    NumpyArray array = array_of(head_);
    array.bytes.data.resize(to.size() * head_.width);
    read_at(descriptor_, at_ + begin * head_.width, array.bytes.data);
    return array.take_real(0, to);
  }
  void take_singles(std::uint64_t begin, std::span<float> to) const override {
    read_at(descriptor_, at_ + begin * head_.width, {reinterpret_cast<char*>(to.data()), to.size_bytes()});
  }

 private:
  int descriptor_;
  StoredHead head_;
  std::uint64_t at_;
};

/// One value of all entries.
class SameValue : public StoredValues {
 public:
  /// `numbers`: one, or real and imaginary part.
  explicit SameValue(std::span<const double> numbers)
      : value_(numbers[0], numbers.size() > 1 ? numbers[1] : 0), is_complex_(numbers.size() > 1) {}
  [[nodiscard]] bool is_complex() const override { return is_complex_; }
  [[nodiscard]] bool is_zero(std::uint64_t /*k*/) const override { return value_ == Value(); }
  [[nodiscard]] std::uint64_t zeros(std::uint64_t begin, std::uint64_t end) const override {
    return is_zero(begin) ? end - begin : 0;
  }
  [[nodiscard]] Value value(std::uint64_t /*k*/) const override { return value_; }
  std::uint64_t take_real(std::uint64_t begin, std::span<double> to) const override {
    std::ranges::fill(to, value_.real());
    return zeros(begin, begin + to.size());
  }

 private:
  Value value_;
  bool is_complex_;
};

std::optional<Matrix> read_matrix(int descriptor, const StoredMatrix& stored_matrix,
                                  const ListedMatrix& matrix, Mirror mirror, const LoadOptions& options,
                                  JobContext& context) {
  const MatrixInFile& facts = matrix.facts;
  const std::vector<StoredArray>& arrays = stored_matrix.arrays;
  const bool has_data = arrays.size() == 3;
  if (arrays.size() < 2) return std::nullopt;
  struct stat file {};
  if (fstat(descriptor, &file) != 0) return std::nullopt;
  const auto file_bytes = static_cast<std::uint64_t>(file.st_size);
  ReadProgress progress;
  for (const StoredArray& array : arrays) {
    check(array, file_bytes);
    progress.total += array.head.elements * array.head.width;
  }
  const bool by_rows = arrays[0].head.by_rows != 0;
  const std::uint64_t line_count = by_rows ? facts.rows : facts.cols;
  const std::uint64_t line_length = by_rows ? facts.cols : facts.rows;
  const std::uint64_t stored = arrays[1].head.elements;
  if (arrays[0].head.elements != line_count + 1 || stored != facts.stored ||
      (has_data && arrays[2].head.elements != stored) || arrays[1].head.kind == 'f')
    return std::nullopt;
  const auto ignore = [](const NumpyArray&, std::uint64_t, std::uint64_t, unsigned) {};
  CompressedLines lines{.rows = facts.rows, .cols = facts.cols, .by_rows = by_rows, .mirror = mirror};
  lines.ends = ends_of(read_array(descriptor, arrays[0], Keep::bytes, progress, context, ignore), line_count,
                       stored, context);
  if (lines.ends.data.back() != stored) return std::nullopt;
  PatternPreview* const preview = options.preview.get();
  if (preview != nullptr)
    preview->begin(facts.rows, facts.cols, stored, mirror != Mirror::none, context.pool().threads());
  const auto show = [&](std::span<const Index> ids, std::uint64_t first, std::uint64_t last,
                        unsigned worker) {
    std::vector<PackedEntry> places;
    for_places(lines.ends.data, by_rows, ids, first, last,
               [&](PackedEntry place, std::uint64_t) { places.push_back(place); });
    preview->add(places, worker);
  };
  if (is_plain(arrays[1].head) && arrays[1].head.width == sizeof(Index)) {
    read_plain_ids(descriptor, arrays[1], line_length, lines, progress, context,
                   [&](std::uint64_t first, std::uint64_t last, unsigned worker) {
                     if (preview != nullptr) show(lines.ids.data, first, last, worker);
                   });
  } else {
    const auto check_and_show = [&](const NumpyArray& array, std::uint64_t first, std::uint64_t last,
                                    unsigned worker) {
      if (preview == nullptr || array.keep != Keep::indices) return;
      const std::span<const Index> own = std::span(array.whole).subspan(first, last - first);
      if (std::ranges::any_of(own, [&](Index id) { return id >= line_length; })) give_up();
      show(array.whole, first, last, worker);
    };
    lines.ids = read_array(descriptor, arrays[1], Keep::indices, progress, context, check_and_show)
                    .indices(line_length - 1, context);
  }
  std::unique_ptr<StoredValues> values;
  if (has_data && options.values != ValueUse::none && is_plain(arrays[2].head)) {
    values = std::make_unique<ValuesInPlace>(descriptor, arrays[2]);
  } else if (has_data) {
    const Keep keep = options.values == ValueUse::none ? Keep::zeros : Keep::bytes;
    values =
        std::make_unique<ArrayValues>(read_array(descriptor, arrays[2], keep, progress, context, ignore));
  } else if (!stored_matrix.value.empty()) {
    values = std::make_unique<SameValue>(stored_matrix.value);
  }
  return matrix_of_lines(std::move(lines), std::move(values), options, context);
}

}  // namespace

std::optional<Matrix> matrix_of_arrays(int descriptor, const StoredMatrix& stored, const ListedMatrix& matrix,
                                       Mirror mirror, const LoadOptions& options, JobContext& context) {
  try {
    return read_matrix(descriptor, stored, matrix, mirror, options, context);
  } catch (const Failure& failure) {
    if (failure.error().code != ErrorCode::bad_input) throw;
    return std::nullopt;
  }
}

}  // namespace spyctrum::hdf5
