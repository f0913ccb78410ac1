// SPDX-License-Identifier: Apache-2.0
// Generated matrices by name, as the command line takes them.
#pragma once

#include <stdexcept>
#include <string>

#include "core/matrix/generators.hpp"
#include "tests/support/test_pool.hpp"

namespace spyctrum::test {

/// The pattern of a text such as "gen:band:n=90". Throws std::runtime_error if generate() refuses the text.
inline PatternPtr generated(const std::string& text) {
  JobContext context(pool());
  auto matrix = generate(text, context);
  if (!matrix) throw std::runtime_error(text + ": " + matrix.error().message());
  return matrix->pattern;
}

}  // namespace spyctrum::test
