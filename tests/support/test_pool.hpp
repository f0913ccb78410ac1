// SPDX-License-Identifier: Apache-2.0
// The threads of a test program.
#pragma once

#include "core/base/thread_pool.hpp"

namespace spyctrum::test {

/// Two threads, shared by all tests of the program.
inline ThreadPool& pool() {
  static ThreadPool two(2);
  return two;
}

}  // namespace spyctrum::test
