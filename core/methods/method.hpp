// SPDX-License-Identifier: Apache-2.0
// A method as the rest of the program sees it: facts about itself, a schema of parameters from which the
// window builds its widgets and the command line its options, a forecast of memory and work, and run(). A new
// method is a folder of core/methods and a line in registry.cpp (README.md); tests iterate the registry.
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
#include "core/methods/paper_cost.hpp"
#include "core/request/request.hpp"
#include "core/spectrum/row_consumer.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum {

/// What the program takes a method for where no user and no file names one. Each role is stated by exactly
/// one method.
enum class MethodRole {
  none,
  plane,     ///< every row of the exact plane, nothing stored: the reference, and what measurements stream
  window,    ///< exact coefficients of any window
  samples,   ///< exact samples, at a block size
  estimate,  ///< the fastest estimate, at a block size
};

/// The pattern that a method sees.
enum class SeenPattern {
  entries,         ///< all of it
  densities,       ///< entries counted in b×b blocks
  kept_positions,  ///< entries at one position of each b×b block
  kept_corner,     ///< entries in the corner at the origin
};

/// What the paper prints about a method: a range or a value, as text.
struct PrintedResult {
  std::string quantity;  ///< id of a feature (its error), "hellinger", "recall", "seconds", "bytes"
  std::string text;
};

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
  bool resumable = false;   ///< run() takes RequestScope::progress
  bool row_by_row = false;  ///< some rows of the plane, as a window, cost their share of the plane's time
  MethodRole role = MethodRole::none;
  std::string crossover_name{};           ///< in the study's table of crossovers; empty: not compared there
  std::vector<PrintedResult> printed{};   ///< §4.4: medians over the paper's 15 matrices on an A100
  std::optional<PaperCost> paper_cost{};  ///< where the paper gives a formula
};

class Method {
 public:
  virtual ~Method() = default;
  [[nodiscard]] virtual const MethodInfo& info() const = 0;
  [[nodiscard]] virtual const std::vector<Parameter>& parameters() const = 0;
  /// Whether the method runs on `backend` for an m×n matrix, given enough memory; the reason where not.
  [[nodiscard]] virtual Support supports(Backend backend, std::uint64_t m, std::uint64_t n) const = 0;
  [[nodiscard]] virtual Forecast forecast(const ResolvedRequest& request) const = 0;
  /// The pattern that the method sees with these parameters.
  [[nodiscard]] virtual SeenPattern sees(const ResolvedParameters& parameters) const;
  /// Computes what the request asks for. Throws Failure (cancelled, out_of_memory, …). Callers use
  /// run_method().
  [[nodiscard]] virtual Spectrum run(const ResolvedRequest& request, JobContext& context) const = 0;
  /// Full-plane methods: delivers every row u = 0 … ⌊m/2⌋ to every consumer, between begin() and finish() of
  /// each, and stores nothing beyond tiles of rows. Other methods throw Failure{wrong_use}.
  virtual void stream(const ResolvedRequest& request, std::span<RowConsumer* const> consumers,
                      JobContext& context) const;
};

/// The registered methods, in the order in which they are listed.
[[nodiscard]] const std::vector<std::unique_ptr<Method>>& methods();
/// nullptr when there is none of that id.
[[nodiscard]] const Method* find_method(std::string_view id);
/// The method that states a role other than none.
[[nodiscard]] const Method& usual_method(MethodRole role);

/// The door at which text becomes numbers: defaults filled in, values read and checked. Nothing behind it
/// reads text. Errors: wrong_use naming the parameter and what is possible.
[[nodiscard]] Result<ResolvedParameters> resolve(const Method& method, const ParameterValues& given);
[[nodiscard]] Result<ResolvedRequest> resolve_request(const Method& method, Request request);

/// Runs a job: checks support and forecast against the allowance (a tile that was left open shrinks until the
/// job fits; else the job is refused, with a setting that fits), runs, fills the provenance, and turns
/// exceptions into Errors. The second form resolves the request first.
[[nodiscard]] Result<SpectrumPtr> run_method(const Method& method, ResolvedRequest request,
                                             JobContext& context);
[[nodiscard]] Result<SpectrumPtr> run_method(const Method& method, Request request, JobContext& context);

/// The same for stream(): every row of the plane to every consumer, nothing stored. What the consumers hold
/// is the caller's to book. Errors as run_method(), and wrong_use for methods without the full plane.
[[nodiscard]] Result<void> stream_method(const Method& method, ResolvedRequest request,
                                         std::span<RowConsumer* const> consumers, JobContext& context);
[[nodiscard]] Result<void> stream_method(const Method& method, Request request,
                                         std::span<RowConsumer* const> consumers, JobContext& context);

/// Whether a request's forecast is within `allowance` on the host and within what its device may give.
[[nodiscard]] bool forecast_fits(const RequestScope& request, const Forecast& forecast,
                                 std::uint64_t allowance);

/// A nearby request that fits the memory, for one that does not.
struct FeasibleRequest {
  std::string method;  ///< registry id; may differ from the method of the original request
  ResolvedRequest request;
  std::uint64_t bytes = 0;   ///< its forecast
  bool same_result = false;  ///< only the tile differs: run_method() uses it without asking
  std::string advice;        ///< in words, naming the setting: "Set block to 12 or more (1.57 GB)."
};
/// The first candidate whose forecast is at most `allowance` bytes and fits its device; empty where none
/// does. Candidates: the same with a smaller tile; then, for a window, the method exact, then smaller
/// windows; for a method with a block size, the smallest larger block that fits and leaves 16 samples along
/// the longer side, then other choices of a parameter; for the rest, the method bs-fft, then no stored
/// values, then elastic.
[[nodiscard]] std::optional<FeasibleRequest> find_feasible_request(const Method& method,
                                                                   const ResolvedRequest& request,
                                                                   std::uint64_t allowance);

/// The key of a job in a cache: equal for equal jobs, made of pattern fingerprint, method, parameters, grid,
/// outputs, backend and seed.
[[nodiscard]] std::string cache_key(const Method& method, const ResolvedRequest& request, std::uint64_t seed);

}  // namespace spyctrum
