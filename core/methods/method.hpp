// SPDX-License-Identifier: Apache-2.0
// What a method is to the rest of the program: facts about itself, a schema of
// parameters from which the interface builds widgets and the command line its
// options, a forecast, and run(). One folder in core/methods and one line in
// the registry is all that a new method needs; tests iterate the registry.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/backend.hpp"
#include "core/base/error.hpp"
#include "core/base/job_context.hpp"
#include "core/request/request.hpp"
#include "core/spectrum/row_consumer.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum {

struct MethodInfo {
  std::string id;     ///< "bs-fft"
  std::string label;  ///< "BS-FFT"
  std::string citation;
  std::string cost;     ///< formula of work and memory, for people
  std::string summary;  ///< one sentence: what it computes and when to choose it
  Exactness exactness = Exactness::exact;
  bool uses_block = false;  ///< depends on the block size
  bool full_plane = false;  ///< stream() delivers every row of the DFT plane
  bool scattered = false;   ///< chooses its frequencies one by one: Placement::scattered
  bool resumable = false;   ///< run() takes Request::progress
};

class Method {
 public:
  virtual ~Method() = default;
  [[nodiscard]] virtual const MethodInfo& info() const = 0;
  [[nodiscard]] virtual const std::vector<Parameter>& parameters() const = 0;
  /// Whether it runs there, at these sizes, in any amount of memory; the reason
  /// when not.
  [[nodiscard]] virtual Support supports(Backend backend, std::uint64_t m, std::uint64_t n) const = 0;
  [[nodiscard]] virtual Forecast forecast(const Request& request) const = 0;
  /// Computes. May throw Failure (cancelled, out_of_memory, …); callers use
  /// run_method().
  [[nodiscard]] virtual Spectrum run(const Request& request, JobContext& context) const = 0;
  /// Full-plane methods: delivers every row u = 0 … ⌊m/2⌋ to every consumer,
  /// storing nothing beyond tiles (begin() and finish() of the consumers included).
  /// Throws Failure{wrong_use} for the others.
  virtual void stream(const Request& request, std::span<RowConsumer* const> consumers,
                      JobContext& context) const;
};

/// The registered methods, in the order in which they are listed.
[[nodiscard]] const std::vector<std::unique_ptr<Method>>& methods();
/// nullptr when there is none of that id.
[[nodiscard]] const Method* find_method(std::string_view id);

/// Defaults filled in, values checked. Errors: wrong_use naming the parameter
/// and what is possible.
[[nodiscard]] Result<ParameterValues> resolve(const Method& method, const ParameterValues& given);
/// The one entrance: resolves parameters, checks support and forecast against
/// the allowance (refusing with a setting that fits), runs, fills the
/// provenance, and turns exceptions into Errors.
[[nodiscard]] Result<SpectrumPtr> run_method(const Method& method, Request request, JobContext& context);

/// The same entrance to stream(): every row of the plane to every consumer, nothing stored. What the
/// consumers hold is the caller's to book. Errors as run_method(), and wrong_use for methods without the full
/// plane.
[[nodiscard]] Result<void> stream_method(const Method& method, Request request,
                                         std::span<RowConsumer* const> consumers, JobContext& context);

/// Whether a request's forecast is within `allowance` on the host and within what its device may give.
[[nodiscard]] bool forecast_fits(const Request& request, const Forecast& forecast, std::uint64_t allowance);

/// A request close to one that is too large, found by asking forecasts.
struct FeasibleRequest {
  std::string method;  ///< registry id; may differ from the one that was asked
  Request request;
  std::uint64_t bytes = 0;   ///< its forecast
  bool same_result = false;  ///< only the tile differs: run_method() takes it by itself
  std::string advice;        ///< in words, naming the setting: "Set block to 12 or more (1.57 GB)."
};
/// The nearest request whose forecast is at most `allowance` bytes (and fits its device): a smaller tile,
/// else a larger block that leaves something to see, else another choice of a parameter, else a smaller
/// window, else nothing stored, else a method that stores less. Empty when none of these fits.
[[nodiscard]] std::optional<FeasibleRequest> find_feasible_request(const Method& method,
                                                                   const Request& request,
                                                                   std::uint64_t allowance);

/// A text that is equal for equal jobs: pattern fingerprint, method,
/// parameters, grid, outputs, backend and seed. The cache key.
[[nodiscard]] std::string cache_key(const Method& method, const Request& request, std::uint64_t seed);

}  // namespace spyctrum
