// SPDX-License-Identifier: Apache-2.0
// Parallel radix sort of packed entries: a histogram of each piece of the chunks, then all pieces are
// distributed over buckets by the leading bits of their keys, then each bucket is sorted by one task (least
// significant digit first, 11 bits at a time). As in D. E. Knuth, The Art of Computer Programming, vol.
// 3, 5.2.5.
#include "core/matrix/packed_entries.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

namespace spyctrum {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 19U;  // entries of one task: a few ms
constexpr unsigned kMaxBucketBits = 12;                // with more, distributing misses the TLB
constexpr unsigned kBucketTargetBits = 14;             // 2^14 entries are 128 kB: they fit L2
constexpr std::size_t kComparisonSortBelow = 1024;
constexpr unsigned kDigitBits = 11;

// A part of a chunk.
struct Piece {
  const PackedEntry* data = nullptr;
  std::size_t size = 0;
  std::size_t chunk = 0;
};

std::vector<Piece> pieces_of(const EntryChunks& chunks) {
  std::vector<Piece> pieces;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    for (std::size_t begin = 0; begin < chunks[c].size(); begin += kPiece)
      pieces.push_back({chunks[c].data() + begin, std::min(kPiece, chunks[c].size() - begin), c});
  }
  return pieces;
}

// What the choice of buckets depends on.
struct Survey {
  PackedEntry smallest = std::numeric_limits<PackedEntry>::max();
  PackedEntry largest = 0;
  Index largest_row = 0;
  bool ascending = true;  // strictly: sorted and without duplicates
};

Survey survey_piece(const Piece& piece) {
  Survey survey;
  PackedEntry before = 0;
  bool first = true;
  for (std::size_t t = 0; t < piece.size; ++t) {
    const PackedEntry entry = piece.data[t];
    survey.smallest = std::min(survey.smallest, entry);
    survey.largest = std::max(survey.largest, entry);
    survey.largest_row = std::max(survey.largest_row, row_of(entry));
    survey.ascending = survey.ascending && (first || before < entry);
    before = entry;
    first = false;
  }
  return survey;
}

Survey survey_all(const std::vector<Piece>& pieces, JobContext* context) {
  std::vector<Survey> surveys(pieces.size());
  for_blocks(context, pieces.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) surveys[p] = survey_piece(pieces[p]);
  });
  Survey all;
  for (std::size_t p = 0; p < surveys.size(); ++p) {
    const Survey& survey = surveys[p];
    all.ascending = all.ascending && survey.ascending && (p == 0 || all.largest < survey.smallest);
    all.smallest = std::min(all.smallest, survey.smallest);
    all.largest = std::max(all.largest, survey.largest);
    all.largest_row = std::max(all.largest_row, survey.largest_row);
  }
  return all;
}

// Keys for buckets: (column << b) | row, b being the bits that the largest row needs. Without the unused bits
// between column and row, leading bits divide the entries more evenly. Ascending keys are ascending entries.
struct BucketKeys {
  unsigned row_bits = 0;
  PackedEntry base = 0;
  unsigned shift = 0;

  BucketKeys(const Survey& survey, std::size_t total) : row_bits(std::bit_width(survey.largest_row)) {
    base = key(survey.smallest);
    const unsigned range_bits = std::bit_width(key(survey.largest) - base);
    const unsigned bits =
        std::min(kMaxBucketBits, static_cast<unsigned>(std::bit_width(total >> kBucketTargetBits)));
    shift = range_bits > bits ? range_bits - bits : 0;
  }
  [[nodiscard]] PackedEntry key(PackedEntry entry) const {
    return (static_cast<PackedEntry>(col_of(entry)) << row_bits) | row_of(entry);
  }
  // A shift by 64, which is undefined in C++, would mean that all entries are in one bucket.
  [[nodiscard]] std::size_t bucket(PackedEntry entry) const {
    return shift >= 64 ? 0 : static_cast<std::size_t>((key(entry) - base) >> shift);
  }
};

void radix_sort(PackedEntry* data, std::size_t size, std::vector<PackedEntry>& scratch, JobContext* context) {
  PackedEntry varying = 0;
  for (std::size_t t = 1; t < size; ++t) varying |= data[t] ^ data[0];
  scratch.resize(std::max(scratch.size(), size));
  PackedEntry* from = data;
  PackedEntry* to = scratch.data();
  std::array<std::size_t, std::size_t{1} << kDigitBits> offsets{};
  for (unsigned shift = 0; shift < 64; shift += kDigitBits) {
    constexpr PackedEntry kMask = (PackedEntry{1} << kDigitBits) - 1;
    if (((varying >> shift) & kMask) == 0) continue;
    if (context != nullptr) context->check_stop();
    offsets.fill(0);
    for (std::size_t t = 0; t < size; ++t) ++offsets[(from[t] >> shift) & kMask];
    std::exclusive_scan(offsets.begin(), offsets.end(), offsets.begin(), std::size_t{0});
    for (std::size_t t = 0; t < size; ++t) to[offsets[(from[t] >> shift) & kMask]++] = from[t];
    std::swap(from, to);
  }
  if (from != data) std::copy(from, from + size, data);
}

// A range of a part.
struct Bucket {
  PackedEntry* data = nullptr;
  std::size_t size = 0;
  std::size_t part = 0;
};

// Distributes the pieces over buckets, several of which are a part, and frees each chunk once it is
// distributed. The arrays of the parts take memory only as they are filled.
std::vector<Bucket> partition(EntryChunks& chunks, const std::vector<Piece>& pieces, const BucketKeys& keys,
                              std::size_t buckets, std::vector<SortedPart>& parts, JobContext* context) {
  std::vector<std::size_t> counts(pieces.size() * buckets, 0);
  for_blocks(context, pieces.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      std::size_t* own = counts.data() + p * buckets;
      for (std::size_t t = 0; t < pieces[p].size; ++t) ++own[keys.bucket(pieces[p].data[t])];
    }
  });
  std::vector<std::size_t> sizes(buckets, 0);
  for (std::size_t p = 0; p < pieces.size(); ++p)
    for (std::size_t b = 0; b < buckets; ++b) sizes[b] += counts[p * buckets + b];
  std::vector<Bucket> made;
  std::vector<PackedEntry*> starts(buckets);
  for (std::size_t b = 0; b < buckets;) {
    std::size_t end = b;
    std::size_t size = 0;
    while (end < buckets && (size == 0 || size + sizes[end] <= kPiece)) size += sizes[end++];
    SortedPart& part = parts.emplace_back();
    part.sorted = std::make_unique_for_overwrite<PackedEntry[]>(size);
    PackedEntry* next = part.sorted.get();
    for (; b < end; ++b) {
      made.push_back({next, sizes[b], parts.size() - 1});
      starts[b] = std::exchange(next, next + sizes[b]);
    }
  }
  std::vector<PackedEntry*> places(counts.size());
  for (std::size_t b = 0; b < buckets; ++b)
    for (std::size_t p = 0; p < pieces.size(); ++p)
      places[p * buckets + b] = std::exchange(starts[b], starts[b] + counts[p * buckets + b]);
  const std::size_t total = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  std::vector<std::atomic<std::size_t>> left(chunks.size());  // pieces that are not distributed yet
  for (const Piece& piece : pieces) ++left[piece.chunk];
  for_blocks(context, pieces.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      PackedEntry** own = places.data() + p * buckets;
      for (std::size_t t = 0; t < pieces[p].size; ++t) {
        const PackedEntry entry = pieces[p].data[t];
        *own[keys.bucket(entry)]++ = entry;
      }
      if (--left[pieces[p].chunk] != 0) continue;
      std::vector<PackedEntry>& chunk = chunks[pieces[p].chunk];
      release_pages(chunk, total);
      std::vector<PackedEntry>().swap(chunk);
    }
  });
  return made;
}

// Sorts every bucket and moves its distinct entries to its front.
void sort_buckets(std::vector<Bucket>& buckets, JobContext* context) {
  for_blocks(context, buckets.size(), 8, [&](std::size_t begin, std::size_t end) {
    std::vector<PackedEntry> scratch;
    for (Bucket& bucket : std::span(buckets).subspan(begin, end - begin)) {
      if (bucket.size < kComparisonSortBelow)
        std::sort(bucket.data, bucket.data + bucket.size);
      else
        radix_sort(bucket.data, bucket.size, scratch, context);
      bucket.size =
          static_cast<std::size_t>(std::unique(bucket.data, bucket.data + bucket.size) - bucket.data);
    }
  });
}

// Moves the distinct entries of each part together.
void close_gaps(std::vector<SortedPart>& parts, const std::vector<Bucket>& buckets, JobContext* context) {
  for (const Bucket& bucket : buckets) {
    if (context != nullptr) context->check_stop();
    SortedPart& part = parts[bucket.part];
    PackedEntry* const to = part.sorted.get() + part.size;
    if (to != bucket.data) std::copy_n(bucket.data, bucket.size, to);
    part.size += bucket.size;
  }
}

}  // namespace

void for_blocks(JobContext* context, std::size_t count, std::size_t block,
                const std::function<void(std::size_t, std::size_t)>& work) {
  if (context != nullptr) {
    context->pool().parallel_for(count, block, [&](std::size_t begin, std::size_t end, unsigned) {
      context->check_stop();
      work(begin, end);
    });
    return;
  }
  for (std::size_t begin = 0; begin < count; begin += block) work(begin, std::min(count, begin + block));
}

void release_pages(std::span<const PackedEntry> list, std::size_t total) noexcept {
  constexpr std::size_t kLong = std::size_t{1} << 23U;
  if (total < kLong || list.empty()) return;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(list.data());
  const std::uintptr_t first = (begin + page - 1) / page * page;
  const std::uintptr_t last = (begin + list.size_bytes()) / page * page;
  // The pages hold nothing but the list. If the system refuses, only memory is lost.
  if (first < last)
    static_cast<void>(madvise(const_cast<PackedEntry*>(list.data()) + (first - begin) / sizeof(PackedEntry),
                              last - first, MADV_DONTNEED));
}

std::vector<SortedPart> sorted_parts(EntryChunks chunks, JobContext* context, std::int64_t* duplicates) {
  std::size_t total = 0;
  for (const auto& chunk : chunks) total += chunk.size();
  if (duplicates != nullptr) *duplicates = 0;
  std::vector<SortedPart> parts;
  if (total == 0) return parts;

  Booking booking;
  if (context != nullptr)
    booking = Booking(context->memory(), total * sizeof(PackedEntry), "sorting of the matrix entries");
  const std::vector<Piece> pieces = pieces_of(chunks);
  const Survey survey = survey_all(pieces, context);
  if (survey.ascending) {
    for (std::vector<PackedEntry>& chunk : chunks) {
      if (chunk.empty()) continue;
      SortedPart& part = parts.emplace_back();
      part.size = chunk.size();
      part.listed = std::move(chunk);
    }
    return parts;
  }
  const BucketKeys keys(survey, total);
  std::vector<Bucket> buckets =
      partition(chunks, pieces, keys, keys.bucket(survey.largest) + 1, parts, context);
  sort_buckets(buckets, context);
  close_gaps(parts, buckets, context);
  std::size_t distinct = 0;
  for (const SortedPart& part : parts) distinct += part.size;
  if (duplicates != nullptr) *duplicates = static_cast<std::int64_t>(total - distinct);
  return parts;
}

std::vector<PackedEntry> sort_unique(EntryChunks chunks, JobContext* context, std::int64_t* duplicates) {
  std::vector<SortedPart> parts = sorted_parts(std::move(chunks), context, duplicates);
  if (parts.size() == 1 && !parts[0].sorted) return std::move(parts[0].listed);
  std::vector<PackedEntry> all;
  std::size_t total = 0;
  for (const SortedPart& part : parts) total += part.size;
  all.reserve(total);
  for (SortedPart& part : parts) {
    if (context != nullptr) context->check_stop();
    all.insert(all.end(), part.entries().begin(), part.entries().end());
    part = {};
  }
  return all;
}

}  // namespace spyctrum
