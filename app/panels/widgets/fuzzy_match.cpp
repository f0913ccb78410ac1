// SPDX-License-Identifier: Apache-2.0
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

}  // namespace

int fuzzy_match(std::string_view typed, std::string_view label) {
  // best[k]: the best fit of the letters so far whose last letter is label[k].
  std::vector<int> best(label.size(), 0);
  bool first = true;
  for (const char letter : typed) {
    if (letter == ' ') continue;
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
  if (first) return 0;
  const int most = best.empty() ? kNever : *std::max_element(best.begin(), best.end());
  return most < 0 ? -1 : most;
}

}  // namespace spyctrum::panels
