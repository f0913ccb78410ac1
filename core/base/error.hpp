// SPDX-License-Identifier: Apache-2.0
// Errors as values. Every function at the boundary of a room returns Result<T>. Inside a room a Failure may
// be thrown; run_guarded() turns it back into a value before it could leave a thread.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <new>
#include <string>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>

namespace spyctrum {

enum class ErrorCode {
  wrong_use,            ///< the request or a generator's text is invalid (exit code 2)
  bad_input,            ///< a file cannot be read (exit code 3)
  out_of_memory,        ///< does not fit; the advice names a setting that does (exit code 4)
  backend_unavailable,  ///< the requested backend does not exist here (exit code 5)
  cancelled,            ///< stopped by the user (exit code 130)
  output,               ///< a file could not be written (exit code 1)
  internal,             ///< a defect of the program (exit code 1)
};

/// What failed, on which file or size, and what to do about it.
struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string what;         ///< names file, line or byte, what was found, what was expected
  std::string advice;       ///< what to do about it; may be empty
  std::int64_t native = 0;  ///< errno, or a cuFFT or GL code, if there is one
  /// The advice as parameter name → value of the method that refused, or as import option → value of the
  /// reader that refused (core/io/import_options.hpp); empty if the advice is not a setting.
  std::map<std::string, std::string, std::less<>> setting = {};

  /// The text for the user: `what`, followed by the advice if there is any.
  [[nodiscard]] std::string message() const;
};

template <class T>
using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> fail(ErrorCode code, std::string what, std::string advice = {},
                                                std::int64_t native = 0) {
  return tl::unexpected<Error>(Error{code, std::move(what), std::move(advice), native});
}

/// Exit code of the command line for an error, as listed beside each ErrorCode: 2, 3, 4, 5 or 130; 1 for
/// output and internal errors.
[[nodiscard]] int exit_code(ErrorCode code);
[[nodiscard]] const char* name_of(ErrorCode code);

/// The only exception type thrown by this code; thrown and caught inside a room only.
class Failure : public std::exception {
 public:
  explicit Failure(Error error) : error_(std::move(error)), text_(error_.message()) {}
  Failure(ErrorCode code, std::string what, std::string advice = {})
      : Failure(Error{code, std::move(what), std::move(advice), 0}) {}
  [[nodiscard]] const Error& error() const { return error_; }
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  Error error_;
  std::string text_;
};

/// Runs `work` and turns exceptions into an Error: a Failure into its error, std::bad_alloc into
/// out_of_memory, anything else into internal.
template <class Work>
auto run_guarded(Work&& work) -> Result<decltype(work())> {
  try {
    if constexpr (std::is_void_v<decltype(work())>) {
      std::forward<Work>(work)();
      return {};
    } else {
      return std::forward<Work>(work)();
    }
  } catch (const Failure& failure) {
    return tl::unexpected<Error>(failure.error());
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::out_of_memory, "The system refused an allocation.",
                "Choose a larger block size, a smaller window or a smaller matrix.");
  } catch (const std::exception& unexpected) {
    return fail(ErrorCode::internal, unexpected.what());
  } catch (...) {
    return fail(ErrorCode::internal, "Something that is not an exception was thrown.");
  }
}

/// Returns the value of `result`, or throws its error as a Failure: for code that run_guarded() encloses.
template <class T>
T or_throw(Result<T> result) {
  if (!result) throw Failure(std::move(result.error()));
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace spyctrum
