// SPDX-License-Identifier: Apache-2.0
// The interface of a method: its MethodInfo, a schema of parameters (from which the desktop program makes
// widgets and the command line options), forecasts of memory and work, and run(). A method is a folder of
// core/methods and one line of registry.cpp (README.md); the tests loop over the registry.
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

/// What the program uses a method for if neither the user nor a file names one. Each role but `none` is
/// declared by exactly one method.
enum class MethodRole {
  none,
  plane,     ///< streams every row of the exact plane: the reference, and for measurements
  window,    ///< exact coefficients of any window
  samples,   ///< exact samples, at a block size
  estimate,  ///< the fastest estimate, at a block size
};

/// The matrix that a method transforms: the given m×n matrix, or one that is made of it. m0 = ⌈m/b⌉,
/// n0 = ⌈n/b⌉.
enum class MethodInput {
  all_entries,      ///< the given matrix
  densities,        ///< m0×n0: the densities of its b×b blocks
  decimated,        ///< m0×n0: the entries at one fixed position of each block
  corner,           ///< m0×n0: the entries in the corner at the origin
  largest_entries,  ///< m×n: the m0·n0 entries of largest |a|
};

/// A result that the paper prints for a method: a range or a value, as text.
struct PrintedResult {
  std::string quantity;  ///< id of a feature (its error), "hellinger", "recall", "seconds", "bytes"
  std::string text;
};

/// The properties of a method that the rest of the program uses.
struct MethodInfo {
  std::string id;     ///< "bs-fft"
  std::string label;  ///< "BS-FFT"
  std::string citation;
  std::string cost;     ///< formulas of work and memory, for the user
  std::string summary;  ///< one sentence: what it computes and when to choose it
  Exactness exactness = Exactness::exact;
  bool uses_block = false;     ///< has a parameter "block"
  bool full_plane = false;     ///< stream() computes every row of the plane
  bool scattered = false;      ///< its samples form no grid: Placement::scattered
  bool resumable = false;      ///< run() can use RequestScope::progress
  bool repeatable = true;      ///< the same bits on any number of threads
  bool takes_weights = false;  ///< on the CPU; if false, a matrix with weights is refused
  bool row_by_row = false;     ///< a window of whole rows takes the corresponding share of the plane's time
  MethodRole role = MethodRole::none;
  std::string crossover_name{};           ///< name where the study compares times; empty: not there
  std::vector<PrintedResult> printed{};   ///< §4.4: medians over the paper's 15 matrices, on an A100
  std::optional<PaperCost> paper_cost{};  ///< empty if the paper gives no formula
};

/// Immutable and thread-safe.
class Method {
 public:
  Method(MethodInfo info, std::vector<Parameter> parameters)
      : info_(std::move(info)),
        parameters_(std::move(parameters)),
        defaults_(or_throw(resolve_parameters(parameters_, info_.label, {}))) {}
  virtual ~Method() = default;
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;
  [[nodiscard]] const MethodInfo& info() const { return info_; }
  [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }
  /// The default values of all parameters.
  [[nodiscard]] const ResolvedParameters& defaults() const { return defaults_; }
  /// Whether the method can run on `backend`, given enough memory; if not, why. By default every method runs
  /// on the CPU and on every CUDA device that exists.
  [[nodiscard]] virtual Support supports(Backend backend) const;
  /// Bytes and operations of run(), within 5 % of the bytes that run() books.
  [[nodiscard]] virtual Forecast forecast(const ResolvedRequest& request) const = 0;
  /// The matrix that the method transforms with these parameters; by default all_entries.
  [[nodiscard]] virtual MethodInput input(const ResolvedParameters& parameters) const;
  /// Computes the requested outputs. Throws Failure{cancelled}, {out_of_memory} and others. To be called by
  /// run_method() only.
  [[nodiscard]] virtual Spectrum run(const ResolvedRequest& request, JobContext& context) const = 0;
  /// Streams the rows u = 0 … ⌊m/2⌋ to every consumer, begin() and finish() included, and holds only tiles of
  /// rows. Throws as run(); Failure{wrong_use} if info().full_plane is false. To be called by stream_method()
  /// only.
  virtual void stream(const ResolvedRequest& request, std::span<RowConsumer* const> consumers,
                      JobContext& context) const;

 private:
  MethodInfo info_;
  std::vector<Parameter> parameters_;
  ResolvedParameters defaults_;
};

/// The registered methods, in the order of menus and lists.
[[nodiscard]] const std::vector<std::unique_ptr<Method>>& methods();
/// The method with this id; null if there is none.
[[nodiscard]] const Method* find_method(std::string_view id);
/// The method that declares the role, which must not be MethodRole::none.
[[nodiscard]] const Method& usual_method(MethodRole role);

/// Parameters as numbers: reads and checks the given texts and fills in defaults. No code behind this
/// function parses text. Errors: wrong_use, naming the parameter and the possible values.
[[nodiscard]] Result<ResolvedParameters> resolve(const Method& method, const ParameterValues& given);
/// The request for a run on `pattern` with default parameters and, if given, this block size. Throws
/// Failure{wrong_use} if the method has no parameter "block" or the size is out of range.
[[nodiscard]] ResolvedRequest default_request(const Method& method, PatternPtr pattern,
                                              std::optional<std::uint32_t> block = {});

/// Runs a job: checks supports() and the window, compares the forecast with the allowance, runs, and fills
/// the provenance. If the forecast is too large, a tile that was left open (0) is made smaller; if that does
/// not suffice, the error is out_of_memory and advises a setting that fits. Errors: those of Method::run();
/// wrong_use, backend_unavailable.
[[nodiscard]] Result<SpectrumPtr> run_method(const Method& method, ResolvedRequest request,
                                             JobContext& context);

/// A rough estimate of the seconds of a run with this many floating-point operations (Forecast::operations).
[[nodiscard]] double expected_seconds(double operations, BackendKind backend, unsigned threads);

/// run_method() for Method::stream(): streams every row of the plane to every consumer; the request's outputs
/// and window are ignored. The caller books what the consumers hold. Errors: those of run_method(), and
/// wrong_use if info().full_plane is false.
[[nodiscard]] Result<void> stream_method(const Method& method, ResolvedRequest request,
                                         std::span<RowConsumer* const> consumers, JobContext& context);

/// True if the forecast is at most `allowance` bytes on the host and at most device_allowance() on the
/// device.
[[nodiscard]] bool forecast_fits(const RequestScope& request, const Forecast& forecast,
                                 std::uint64_t allowance);

/// For a request that does not fit the memory, a similar one that does.
struct FeasibleRequest {
  std::string method;  ///< registry id; may differ from the method of the original request
  ResolvedRequest request;
  std::uint64_t bytes = 0;   ///< forecast of the request on the host
  bool same_result = false;  ///< only the tile differs: run_method() runs it without asking
  std::string advice;        ///< for the user: "Set block to 12 or more (1.57 GB)."
};
/// The first of these candidates for which forecast_fits(); empty if there is none. The same request with a
/// smaller tile; then
/// - for a window: the method of MethodRole::window, then smaller windows;
/// - for a method with a block size: the smallest larger block size with at least 16 samples along the longer
///   side, then other choices of one parameter;
/// - for other methods: the method of MethodRole::plane, then no stored values, then MethodRole::samples.
[[nodiscard]] std::optional<FeasibleRequest> find_feasible_request(const Method& method,
                                                                   const ResolvedRequest& request,
                                                                   std::uint64_t allowance);

/// A text that is equal for jobs with equal results: fingerprint of the pattern, method, parameters, grid,
/// outputs, backend and seed.
[[nodiscard]] std::string cache_key(const Method& method, const ResolvedRequest& request, std::uint64_t seed);

}  // namespace spyctrum
