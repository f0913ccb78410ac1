// SPDX-License-Identifier: Apache-2.0
// Requests with parameters as text, as tests and benchmarks write them.
#pragma once

#include <span>
#include <utility>

#include "core/methods/method.hpp"

namespace spyctrum {

struct Request : RequestScope {
  ParameterValues parameters;  ///< missing ones have their defaults
};

/// Errors: those of resolve().
[[nodiscard]] inline Result<ResolvedRequest> resolve_request(const Method& method, Request request) {
  return resolve(method, request.parameters).map([&](ResolvedParameters&& parameters) {
    return ResolvedRequest{std::move(static_cast<RequestScope&>(request)), std::move(parameters)};
  });
}

[[nodiscard]] inline Result<SpectrumPtr> run_method(const Method& method, Request request,
                                                    JobContext& context) {
  return resolve_request(method, std::move(request)).and_then([&](ResolvedRequest&& resolved) {
    return run_method(method, std::move(resolved), context);
  });
}

[[nodiscard]] inline Result<void> stream_method(const Method& method, Request request,
                                                std::span<RowConsumer* const> consumers,
                                                JobContext& context) {
  return resolve_request(method, std::move(request)).and_then([&](ResolvedRequest&& resolved) {
    return stream_method(method, std::move(resolved), consumers, context);
  });
}

}  // namespace spyctrum
