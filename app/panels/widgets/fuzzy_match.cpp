// SPDX-License-Identifier: Apache-2.0
// The best places of the typed letters in the label, by dynamic programming.
#include "app/panels/widgets/fuzzy_match.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <vector>

#include "core/base/text.hpp"

namespace spyctrum::panels {

namespace {

constexpr int kBeginsWord = 4, kFollows = 5, kNever = -1000000;

bool begins_word(std::string_view label, std::size_t at) {
  return at == 0 || std::isalnum(static_cast<unsigned char>(label[at - 1])) == 0;
}

/// fuzzy_match() of one word.
int match_of_word(std::string_view word, std::string_view label) {
  // best[k]: the best fit of the letters so far whose last letter is label[k].
  std::vector<int> best(label.size(), 0);
  bool first = true;
  for (const char letter : word) {
    std::vector<int> next(label.size(), kNever);
    int before = first ? 0 : kNever;  // the best of best[0 … k−1]
    for (std::size_t k = 0; k < label.size(); ++k) {
      if (lower_case(label[k]) == lower_case(letter)) {
        const int following = !first && k > 0 ? best[k - 1] + kFollows : kNever;
        next[k] = std::max(before, following) + 1 + (begins_word(label, k) ? kBeginsWord : 0);
      }
      if (!first) before = std::max(before, best[k]);
    }
    best = std::move(next);
    first = false;
  }
  const int most = best.empty() ? kNever : *std::max_element(best.begin(), best.end());
  return most < 0 ? -1 : most;
}

}  // namespace

int fuzzy_match(std::string_view typed, std::string_view label) {
  int sum = 0;
  for (std::string_view rest = trimmed(typed); !rest.empty(); rest = trimmed(rest)) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const int match = match_of_word(rest.substr(0, end), label);
    if (match < 0) return -1;
    sum += match;
    rest.remove_prefix(end);
  }
  return sum;
}

}  // namespace spyctrum::panels
