// SPDX-License-Identifier: Apache-2.0
// Texts of errors, and the exit codes that the command line returns for them.
#include "core/base/error.hpp"

namespace spyctrum {

std::string Error::message() const { return advice.empty() ? what : what + " " + advice; }

int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::wrong_use:
      return 2;
    case ErrorCode::bad_input:
      return 3;
    case ErrorCode::out_of_memory:
      return 4;
    case ErrorCode::backend_unavailable:
      return 5;
    case ErrorCode::cancelled:
      return 130;
    case ErrorCode::output:
    case ErrorCode::internal:
      return 1;
  }
  return 1;
}

const char* name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::wrong_use:
      return "wrong use";
    case ErrorCode::bad_input:
      return "bad input";
    case ErrorCode::out_of_memory:
      return "out of memory";
    case ErrorCode::backend_unavailable:
      return "backend not available";
    case ErrorCode::cancelled:
      return "cancelled";
    case ErrorCode::output:
      return "output failed";
    case ErrorCode::internal:
      return "internal error";
  }
  return "internal error";
}

}  // namespace spyctrum
