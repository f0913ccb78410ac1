// SPDX-License-Identifier: Apache-2.0
// Parallel radix sort of packed entries: a histogram of each piece of the chunks, then all pieces are
// distributed over buckets by the leading bits of their keys, then each bucket is sorted by one task (least
// significant digit first, 11 bits at a time). As in D. E. Knuth, The Art of Computer Programming, vol.
// 3, 5.2.5.
#include "core/matrix/packed_entries.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
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
};

std::vector<Piece> pieces_of(const EntryChunks& chunks) {
  std::vector<Piece> pieces;
  for (const auto& chunk : chunks) {
    for (std::size_t begin = 0; begin < chunk.size(); begin += kPiece)
      pieces.push_back({chunk.data() + begin, std::min(kPiece, chunk.size() - begin)});
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
    const unsigned wanted =
        std::min(kMaxBucketBits, static_cast<unsigned>(std::bit_width(total >> kBucketTargetBits)));
    shift = range_bits > wanted ? range_bits - wanted : 0;
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

// Distributes the pieces over buckets in `out`; bucket b is [bounds[b], bounds[b+1]) of the bounds returned.
std::vector<std::size_t> partition(const std::vector<Piece>& pieces, const BucketKeys& keys,
                                   std::size_t buckets, std::vector<PackedEntry>& out, JobContext* context) {
  std::vector<std::size_t> offsets(pieces.size() * buckets, 0);
  for_blocks(context, pieces.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      std::size_t* counts = offsets.data() + p * buckets;
      for (std::size_t t = 0; t < pieces[p].size; ++t) ++counts[keys.bucket(pieces[p].data[t])];
    }
  });
  std::vector<std::size_t> bounds(buckets + 1, 0);
  std::size_t next = 0;
  for (std::size_t b = 0; b < buckets; ++b) {
    bounds[b] = next;
    for (std::size_t p = 0; p < pieces.size(); ++p) next += std::exchange(offsets[p * buckets + b], next);
  }
  bounds[buckets] = next;
  for_blocks(context, pieces.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      std::size_t* places = offsets.data() + p * buckets;
      for (std::size_t t = 0; t < pieces[p].size; ++t) {
        const PackedEntry entry = pieces[p].data[t];
        out[places[keys.bucket(entry)]++] = entry;
      }
    }
  });
  return bounds;
}

// Sorts every bucket and moves its distinct entries to its front; returns their numbers.
std::vector<std::size_t> sort_buckets(std::vector<PackedEntry>& entries,
                                      const std::vector<std::size_t>& bounds, JobContext* context) {
  const std::size_t buckets = bounds.size() - 1;
  std::vector<std::size_t> sizes(buckets);
  for_blocks(context, buckets, 8, [&](std::size_t begin, std::size_t end) {
    std::vector<PackedEntry> scratch;
    for (std::size_t b = begin; b < end; ++b) {
      PackedEntry* data = entries.data() + bounds[b];
      const std::size_t size = bounds[b + 1] - bounds[b];
      if (size < kComparisonSortBelow)
        std::sort(data, data + size);
      else
        radix_sort(data, size, scratch, context);
      sizes[b] = static_cast<std::size_t>(std::unique(data, data + size) - data);
    }
  });
  return sizes;
}

// Moves the distinct entries of all buckets together.
void close_gaps(std::vector<PackedEntry>& entries, const std::vector<std::size_t>& bounds,
                const std::vector<std::size_t>& sizes, JobContext* context) {
  std::size_t end = 0;
  for (std::size_t b = 0; b < sizes.size(); ++b) {
    if (end != bounds[b]) std::copy_n(entries.data() + bounds[b], sizes[b], entries.data() + end);
    end += sizes[b];
    if (context != nullptr) context->check_stop();
  }
  entries.resize(end);
}

// The chunks one after another.
std::vector<PackedEntry> join(EntryChunks& chunks, const std::vector<Piece>& pieces, std::size_t total,
                              JobContext* context) {
  if (chunks.size() == 1) return std::move(chunks.front());
  std::vector<std::size_t> starts(pieces.size());
  std::size_t next = 0;
  for (std::size_t p = 0; p < pieces.size(); ++p) starts[p] = std::exchange(next, next + pieces[p].size);
  std::vector<PackedEntry> all(total);
  for_blocks(context, pieces.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p)
      std::copy_n(pieces[p].data, pieces[p].size, all.data() + starts[p]);
  });
  return all;
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

std::vector<PackedEntry> sort_unique(EntryChunks chunks, JobContext* context, std::int64_t* duplicates) {
  std::size_t total = 0;
  for (const auto& chunk : chunks) total += chunk.size();
  if (duplicates != nullptr) *duplicates = 0;
  if (total == 0) return {};

  Booking booking;
  if (context != nullptr)
    booking = Booking(context->memory(), total * sizeof(PackedEntry), "sorting of the matrix entries");
  const std::vector<Piece> pieces = pieces_of(chunks);
  const Survey survey = survey_all(pieces, context);
  if (survey.ascending) return join(chunks, pieces, total, context);

  const BucketKeys keys(survey, total);
  const std::size_t buckets = keys.bucket(survey.largest) + 1;
  std::vector<PackedEntry> entries(total);
  const std::vector<std::size_t> bounds = partition(pieces, keys, buckets, entries, context);
  chunks.clear();
  chunks.shrink_to_fit();
  const std::vector<std::size_t> sizes = sort_buckets(entries, bounds, context);
  close_gaps(entries, bounds, sizes, context);
  if (duplicates != nullptr) *duplicates = static_cast<std::int64_t>(total - entries.size());
  return entries;
}

}  // namespace spyctrum
