// SPDX-License-Identifier: Apache-2.0
// Placeholder until the desktop program is written: says so and fails.
#include <cstdio>

int main() {
  std::fputs("spyctrum: the desktop program is not built yet\n", stderr);
  return 1;
}
