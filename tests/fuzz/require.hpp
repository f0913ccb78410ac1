// SPDX-License-Identifier: Apache-2.0
// What every fuzz target checks with: a condition that does not hold ends the program, which libFuzzer and
// ctest report with the input.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace spyctrum::test {

/// Whether the input is a file of good/, which has to be accepted; else a file of a format that has
/// changed since would be refused at its first line, and the target would test nothing.
inline bool must_accept = false;

inline void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

}  // namespace spyctrum::test
