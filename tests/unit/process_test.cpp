// SPDX-License-Identifier: Apache-2.0
// How a program ends where no exception may pass.
#include "app/process/process.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <exception>
#include <new>
#include <stdexcept>

#include "core/base/error.hpp"

namespace spyctrum {
namespace {

void ask_for_too_much() { ::operator delete(::operator new(PTRDIFF_MAX)); }

/// Ends the program while another exception is thrown, as GCC does in a function that may not throw and is
/// inlined.
struct Ends {
  ~Ends() { std::terminate(); }
};

TEST(EndWhereMemoryIsRefused, GivesItsExitCodeForARefusedAllocationAlone) {
#ifdef SPYCTRUM_SANITIZED
  GTEST_SKIP() << "NOT TRIED under a sanitizer, which ends the program where memory is refused";
#endif
  const auto refuse = [] {
    end_where_memory_is_refused([] {});
    const Ends ends;
    ask_for_too_much();
  };
  EXPECT_EXIT(refuse(), ::testing::ExitedWithCode(exit_code(ErrorCode::out_of_memory)),
              "refused an allocation");
  const auto fail_later = [] {
    end_where_memory_is_refused([] {});
    EXPECT_THROW(ask_for_too_much(), std::bad_alloc);
    const Ends ends;
    throw std::runtime_error("another");
  };
  EXPECT_EXIT(fail_later(), ::testing::KilledBySignal(SIGABRT), "");
}

}  // namespace
}  // namespace spyctrum
