// SPDX-License-Identifier: Apache-2.0
// Each round draws exactly as many entries as are missing and discards no new entry: the result is the set of
// the first distinct entries of the sequence, which is unbiased.
#include "core/matrix/sampling.hpp"

#include <algorithm>
#include <bit>

namespace spyctrum {

namespace {

constexpr std::size_t kSampleBlock = std::size_t{1} << 17U;
constexpr int kMostRounds = 40;

// The numbers of 0 … area − 1 that are not in `left_out`, ascending.
std::vector<std::uint64_t> complement(const std::vector<std::uint64_t>& left_out, std::uint64_t area,
                                      JobContext& context) {
  std::vector<std::uint64_t> kept(area - left_out.size());
  for_blocks(&context, area, kSampleBlock, [&](std::size_t begin, std::size_t end) {
    auto next = std::lower_bound(left_out.begin(), left_out.end(), begin);
    std::size_t place = begin - static_cast<std::size_t>(next - left_out.begin());
    for (std::size_t value = begin; value < end; ++value) {
      if (next != left_out.end() && *next == value)
        ++next;
      else
        kept[place++] = value;
    }
  });
  return kept;
}

}  // namespace

std::vector<PackedEntry> draw_distinct(std::uint64_t count, JobContext& context,
                                       const std::function<PackedEntry(std::uint64_t)>& propose) {
  std::vector<PackedEntry> entries;
  std::uint64_t counter = 0;
  for (int round = 0; round < kMostRounds && entries.size() < count; ++round) {
    const std::uint64_t missing = count - entries.size();
    std::vector<PackedEntry> drawn(missing);
    for_blocks(&context, missing, kSampleBlock, [&](std::size_t begin, std::size_t end) {
      for (std::size_t t = begin; t < end; ++t) drawn[t] = propose(counter + t);
      context.checkpoint(entries.size() + end, count);
    });
    counter += missing;
    std::erase(drawn, kNoEntry);
    EntryChunks chunks;
    chunks.push_back(std::move(entries));
    chunks.push_back(std::move(drawn));
    entries = sort_unique(std::move(chunks), &context);
  }
  return entries;
}

std::vector<std::uint64_t> sample_distinct(std::uint64_t count, std::uint64_t area,
                                           const CounterRandom& random, JobContext& context) {
  // If at most half of the numbers are drawn, each round finds at least half of the missing ones on average.
  if (count > area / 2)
    return complement(sample_distinct(area - count, area, random, context), area, context);
  return draw_distinct(count, context, [&](std::uint64_t counter) { return random.below(counter, area); });
}

Shuffle::Shuffle(std::uint64_t side, std::uint64_t seed)
    : side_(side),
      half_bits_(std::max(1U, (static_cast<unsigned>(std::bit_width(side - 1)) + 1) / 2)),
      random_(seed, 0x5u) {}

std::uint64_t Shuffle::operator()(std::uint64_t value) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  do {
    std::uint64_t left = value >> half_bits_;
    std::uint64_t right = value & mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t mixed = left ^ (random_.bits((right << 2U) | round) & mask);
      left = right;
      right = mixed;
    }
    value = (left << half_bits_) | right;
  } while (value >= side_);
  return value;
}

}  // namespace spyctrum
