// SPDX-License-Identifier: Apache-2.0
// Placeholder until the command line is written: says so and fails.
#include <cstdio>

int main() {
  std::fputs("spyctrum-cli: the command line is not built yet\n", stderr);
  return 1;
}
