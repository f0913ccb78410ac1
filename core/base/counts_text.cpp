// SPDX-License-Identifier: Apache-2.0
#include "core/base/counts_text.hpp"

namespace spyctrum {

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t k = digits.size(); k > 3; k -= 3) digits.insert(k - 3, ",");
  return digits;
}

std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
  return grouped(number) + ' ' + std::string(number == 1 ? one : many);
}

std::string sides_text(std::uint64_t rows, std::uint64_t cols) {
  return grouped(rows) + " × " + grouped(cols);
}

}  // namespace spyctrum
