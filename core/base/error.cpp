// SPDX-License-Identifier: Apache-2.0
// Texts of errors, and the exit codes that the command line returns for them.
#include "core/base/error.hpp"

#include <array>

namespace spyctrum {

std::string Error::message() const { return advice.empty() ? what : what + " " + advice; }

namespace {

struct CodeFacts {
  int exit_code;
  const char* name;
};

/// In the order of ErrorCode.
constexpr std::array<CodeFacts, 7> kCodes{{{2, "wrong use"},
                                           {3, "bad input"},
                                           {4, "out of memory"},
                                           {5, "backend not available"},
                                           {130, "cancelled"},
                                           {1, "output failed"},
                                           {1, "internal error"}}};
static_assert(static_cast<std::size_t>(ErrorCode::internal) + 1 == kCodes.size());

}  // namespace

int exit_code(ErrorCode code) { return kCodes.at(static_cast<std::size_t>(code)).exit_code; }

const char* name_of(ErrorCode code) { return kCodes.at(static_cast<std::size_t>(code)).name; }

}  // namespace spyctrum
