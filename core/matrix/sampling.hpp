// SPDX-License-Identifier: Apache-2.0
// Distinct random entries: the first `count` different ones of a sequence of
// independent draws, found in rounds of parallel draws and sorted merges, so
// that the outcome depends on the seed alone.
#pragma once

#include <functional>
#include <optional>

#include "core/matrix/packed_entries.hpp"
#include "core/matrix/random.hpp"

namespace spyctrum {

/// `count` ≤ area different numbers of [0, area), every subset equally likely, ascending.
[[nodiscard]] std::vector<std::uint64_t> sample_distinct(std::uint64_t count, std::uint64_t area,
                                                         const CounterRandom& random, JobContext& context);

/// What a proposal returns where the draw is to be thrown away.
inline constexpr PackedEntry kNoEntry = ~PackedEntry{0};

/// Up to `count` different entries among propose(0), propose(1), …, ascending.
/// Fewer where so many proposals repeat that rounds no longer help.
[[nodiscard]] std::vector<PackedEntry> draw_distinct(
    std::uint64_t count, JobContext& context,
    const std::function<PackedEntry(std::uint64_t counter)>& propose);

/// A bijection of [0, side) that looks random: a four-round Feistel network on
/// the next even number of bits, walked until it lands inside (Black & Rogaway 2002).
class Shuffle {
 public:
  Shuffle(std::uint64_t side, std::uint64_t seed);
  [[nodiscard]] std::uint64_t operator()(std::uint64_t value) const;

 private:
  std::uint64_t side_;
  unsigned half_bits_;
  CounterRandom random_;
};

}  // namespace spyctrum
