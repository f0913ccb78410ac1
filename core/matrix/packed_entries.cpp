// SPDX-License-Identifier: Apache-2.0
// Parallel radix sort of packed entries: a histogram of each piece of the chunks, distribution of all pieces
// over buckets, and one task for each bucket that sorts it (entry_sort.hpp).
#include "core/matrix/packed_entries.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <utility>

#include "core/matrix/entry_sort.hpp"

namespace spyctrum {

namespace {

// A part of a chunk.
struct Piece {
  const PackedEntry* data = nullptr;
  std::size_t size = 0;
  std::size_t chunk = 0;
};

std::vector<Piece> pieces_of(const EntryChunks& chunks) {
  std::vector<Piece> pieces;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    for (std::size_t begin = 0; begin < chunks[c].size(); begin += kSortPiece)
      pieces.push_back({chunks[c].data() + begin, std::min(kSortPiece, chunks[c].size() - begin), c});
  }
  return pieces;
}

EntrySurvey survey_all(const std::vector<Piece>& pieces, JobContext* context, SortProgress& progress) {
  std::vector<EntrySurvey> surveys(pieces.size());
  for_blocks(context, pieces.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      surveys[p] = EntrySurvey::of({pieces[p].data, pieces[p].size});
      progress.add(pieces[p].size);
    }
  });
  EntrySurvey all;
  for (const EntrySurvey& survey : surveys) all.add(survey);
  return all;
}

// Buckets by keys (column << b) | row, where b is the number of bits of the largest row: keys ascend as
// entries do.
class BucketsOfEntries {
 public:
  BucketsOfEntries(const EntrySurvey& survey, std::size_t total)
      : row_bits_(std::bit_width(survey.largest_row)),
        buckets_(key(survey.smallest), key(survey.largest), total) {}
  [[nodiscard]] std::size_t count() const { return buckets_.count(); }
  [[nodiscard]] std::size_t bucket(PackedEntry entry) const { return buckets_.bucket(key(entry)); }

 private:
  [[nodiscard]] PackedEntry key(PackedEntry entry) const {
    return (static_cast<PackedEntry>(col_of(entry)) << row_bits_) | row_of(entry);
  }
  unsigned row_bits_;
  EntryBuckets buckets_;
};

// A range of a part.
struct Bucket {
  PackedEntry* data = nullptr;
  std::size_t size = 0;
  std::size_t part = 0;
};

// Distributes the pieces over buckets, several of which make up a part, and frees each chunk once it is
// distributed. The arrays of the parts take memory only as they are filled.
std::vector<Bucket> partition(EntryChunks& chunks, const std::vector<Piece>& pieces,
                              const BucketsOfEntries& keys, std::vector<SortedPart>& parts,
                              JobContext* context, SortProgress& progress) {
  const std::size_t buckets = keys.count();
  std::vector<std::size_t> counts(pieces.size() * buckets, 0);
  for_blocks(context, pieces.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      std::size_t* own = counts.data() + p * buckets;
      for (std::size_t t = 0; t < pieces[p].size; ++t) ++own[keys.bucket(pieces[p].data[t])];
      progress.add(pieces[p].size);
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
    while (end < buckets && (size == 0 || size + sizes[end] <= kSortPiece)) size += sizes[end++];
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
      progress.add(pieces[p].size);
      if (--left[pieces[p].chunk] != 0) continue;
      std::vector<PackedEntry>& chunk = chunks[pieces[p].chunk];
      release_pages(chunk, total);
      std::vector<PackedEntry>().swap(chunk);
    }
  });
  return made;
}

// Sorts every bucket and moves its distinct entries to its front.
void sort_buckets(std::vector<Bucket>& buckets, JobContext* context, SortProgress& progress) {
  for_blocks(context, buckets.size(), 8, [&](std::size_t begin, std::size_t end) {
    std::vector<PackedEntry> scratch;
    for (Bucket& bucket : std::span(buckets).subspan(begin, end - begin)) {
      if (bucket.size < kComparisonSortBelow)
        std::sort(bucket.data, bucket.data + bucket.size);
      else
        radix_sort(bucket.data, bucket.size, scratch, context, std::identity());
      progress.add(bucket.size);
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
  if (total >= kLong) release_memory(list.data(), list.size_bytes());
}

std::vector<SortedPart> sorted_parts(EntryChunks chunks, JobContext* context, std::int64_t* duplicates,
                                     EntrySurvey* surveyed) {
  std::size_t total = 0;
  for (const auto& chunk : chunks) total += chunk.size();
  if (duplicates != nullptr) *duplicates = 0;
  std::vector<SortedPart> parts;
  if (total == 0) return parts;

  Booking booking;
  if (context != nullptr)
    booking = Booking(context->memory(), total * sizeof(PackedEntry), "sorting of the matrix entries");
  SortProgress progress(context, total);
  const std::vector<Piece> pieces = pieces_of(chunks);
  const EntrySurvey survey = survey_all(pieces, context, progress);
  if (surveyed != nullptr) *surveyed = survey;
  if (survey.ascending) {
    progress.leave_out(total);
    for (std::vector<PackedEntry>& chunk : chunks) {
      if (chunk.empty()) continue;
      SortedPart& part = parts.emplace_back();
      part.size = chunk.size();
      part.listed = std::move(chunk);
    }
    return parts;
  }
  std::vector<Bucket> buckets =
      partition(chunks, pieces, BucketsOfEntries(survey, total), parts, context, progress);
  sort_buckets(buckets, context, progress);
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
