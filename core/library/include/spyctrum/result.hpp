// SPDX-License-Identifier: Apache-2.0
// A value, or the error that prevented it. No function of the library throws, except Result::value() if there
// is no value.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "spyctrum/export.hpp"

namespace spyctrum::v0 {

enum class ErrorCode {
  wrong_use,            ///< the request is impossible: unknown method, parameter, backend, …
  bad_input,            ///< a file, a generator text or given entries cannot be read
  out_of_memory,        ///< the job does not fit; Error::advice names a setting that does
  backend_unavailable,  ///< the requested backend does not exist here, or cannot do this
  cancelled,            ///< Job::stop was requested
  output,               ///< a file could not be written
  internal,             ///< a defect of the library
};

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string what;    ///< what failed, on which file or size
  std::string advice;  ///< what to do about it; may be empty

  /// `what`, followed by the advice unless that is empty.
  [[nodiscard]] std::string message() const { return advice.empty() ? what : what + " " + advice; }
};

/// Thrown by Result::value() if there is no value.
class BadResult : public std::runtime_error {
 public:
  explicit BadResult(Error error) : std::runtime_error(error.message()), error_(std::move(error)) {}
  [[nodiscard]] const Error& error() const { return error_; }

 private:
  Error error_;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Error error)
      : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  /// The value. Throws BadResult if there is none.
  [[nodiscard]] const T& value() const& {
    if (!has_value()) throw BadResult(error());
    return **this;
  }
  [[nodiscard]] T&& value() && {
    if (!has_value()) throw BadResult(error());
    return std::move(*std::get_if<0>(&state_));
  }
  /// The value, unchecked; only if has_value().
  [[nodiscard]] const T& operator*() const { return *std::get_if<0>(&state_); }
  [[nodiscard]] const T* operator->() const { return std::get_if<0>(&state_); }
  /// The error; only if !has_value().
  [[nodiscard]] const Error& error() const { return *std::get_if<1>(&state_); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace spyctrum::v0
