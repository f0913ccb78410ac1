// SPDX-License-Identifier: Apache-2.0
// Random sets of entries: the first distinct entries of a sequence of independent draws. Draws and merges run
// in parallel rounds; the set depends on the seed only, not on the number of threads.
#pragma once

#include <functional>

#include "core/matrix/packed_entries.hpp"
#include "core/matrix/random.hpp"

namespace spyctrum {

/// `count` ≤ area distinct numbers of 0 … area − 1, ascending; every subset of this size is equally likely.
[[nodiscard]] std::vector<std::uint64_t> sample_distinct(std::uint64_t count, std::uint64_t area,
                                                         const CounterRandom& random, JobContext& context);

/// Returned by a proposal function that proposes no entry.
inline constexpr PackedEntry kNoEntry = ~PackedEntry{0};

/// The first `count` distinct entries of propose(0), propose(1), …, in ascending order; fewer if 40 rounds of
/// draws do not find them (each round draws as many as are missing). Throws Failure{cancelled}.
[[nodiscard]] std::vector<PackedEntry> draw_distinct(
    std::uint64_t count, JobContext& context,
    const std::function<PackedEntry(std::uint64_t counter)>& propose);

/// A pseudo-random permutation of 0 … side − 1: a Feistel network of four rounds on the next even number of
/// bits, applied until the result is below `side` (cycle walking: J. Black, P. Rogaway, CT-RSA 2002).
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
