// SPDX-License-Identifier: Apache-2.0
// What can go wrong, as a value. Every boundary of the library returns
// Result<T>; inside a module a Failure may be thrown, and no Failure leaves a
// thread: run_guarded() turns it back into a value.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <new>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace spyctrum {

enum class ErrorCode {
  wrong_use,            ///< the request or a generator's text makes no sense (exit code 2)
  bad_input,            ///< a file cannot be read (exit code 3)
  out_of_memory,        ///< does not fit; advice names a setting that does (exit code
                        ///< 4)
  backend_unavailable,  ///< the backend asked for is not there (exit code 5)
  cancelled,            ///< stopped by the user (exit code 130)
  output,               ///< a file could not be written (exit code 1)
  internal,             ///< a defect of the program (exit code 1)
};

/// What failed, on which file or size, and what to do about it.
struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string what;         ///< names file, line or byte, what was found, what was expected
  std::string advice;       ///< what to do about it; may be empty
  std::int64_t native = 0;  ///< errno, cuFFT or GL code, when there is one
  /// The advice as parameter name → value of the method that refused; empty where the advice is no setting.
  std::map<std::string, std::string, std::less<>> setting = {};

  /// The text shown to the user: `what`, followed by the advice where there is any.
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

/// The one exception type that our own code throws. Thrown and caught inside a
/// module only.
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

/// Runs `work` and turns whatever it throws into an Error: Failure as it is,
/// std::bad_alloc into out_of_memory, anything else into internal.
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

/// The value of `result`. Throws its error as a Failure: for code inside a module, which run_guarded()
/// encloses.
template <class T>
T or_throw(Result<T> result) {
  if (!result) throw Failure(std::move(result.error()));
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace spyctrum
