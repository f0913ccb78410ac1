// SPDX-License-Identifier: Apache-2.0
// What a method is to the rest of the program: facts about itself, a schema of
// parameters from which the interface builds widgets and the command line its
// options, a forecast, and run(). One folder in core/methods and one line in
// the registry is all that a new method needs; tests iterate the registry.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/backend.hpp"
#include "core/base/error.hpp"
#include "core/base/job_context.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/spectrum/frequency_grid.hpp"
#include "core/spectrum/row_sink.hpp"
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

/// The largest block size that any method takes.
inline constexpr std::uint32_t kLargestBlock = 1048576;

/// One entry of a method's schema. `block` is always an integer parameter named
/// "block".
struct Parameter {
  enum class Type { integer, real, choice, flag };
  std::string name;
  Type type = Type::integer;
  double minimum = 0;
  double maximum = 0;
  std::vector<std::string> choices;  ///< for choice
  std::string default_value;         ///< as text
  std::string help;
};

/// Values by name, as text; validated against a schema by resolve().
using ParameterValues = std::map<std::string, std::string, std::less<>>;

/// What a job should bring back.
struct Products {
  bool values = false;  ///< coefficients on the grid (full-plane methods: the
                        ///< half spectrum)
  bool features = true;
  bool pyramid = false;                ///< display pyramid of the full plane (full-plane methods only)
  std::uint32_t pyramid_cells = 1024;  ///< per axis at most
};

class PlaneProgress;

struct Request {
  PatternPtr pattern;
  ParameterValues parameters;  ///< missing ones take their defaults
  /// Exactly these coefficients instead of the method's own grid; its axes refer to the pattern's m and n.
  /// Density Map reads them as signed frequencies of its reduced ⌈m/b⌉×⌈n/b⌉ plane. A window brings values
  /// only: features and pyramid describe a whole plane and are left out.
  std::optional<FrequencyGrid> window;
  Products products;
  /// exact, bs-fft: features and pyramid go on from what this holds and leave there how far they
  /// came, with running error bars; may be read meanwhile (core/spectrum/plane_progress.hpp).
  std::shared_ptr<PlaneProgress> progress;
  Backend backend;
  std::uint64_t device_bytes = 0;  ///< that the device may give; 0: what is free. run_method() sets it
  unsigned threads =
      0;  ///< that the forecast counts buffers for; 0: all of this machine. run_method() sets it
};

struct Forecast {
  std::uint64_t bytes = 0;         ///< peak of the job's own arrays
  double operations = 0;           ///< rough count, for progress and the advisor
  std::string formula;             ///< the terms, in words
  std::uint64_t device_bytes = 0;  ///< peak on the CUDA device, cuFFT's work areas included; 0 on the CPU
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
  /// Full-plane methods: delivers every row u = 0 … ⌊m/2⌋ to every sink,
  /// storing nothing beyond tiles (begin() and finish() of the sinks included).
  /// Throws Failure{wrong_use} for the others.
  virtual void stream(const Request& request, std::span<RowSink* const> sinks, JobContext& context) const;
};

/// The registered methods, in the order in which they are listed.
[[nodiscard]] const std::vector<std::unique_ptr<Method>>& methods();
/// nullptr when there is none of that id.
[[nodiscard]] const Method* find_method(std::string_view id);

/// Defaults filled in, values checked. Errors: wrong_use naming the parameter
/// and what is possible.
[[nodiscard]] Result<ParameterValues> resolve(const Method& method, const ParameterValues& given);
[[nodiscard]] std::int64_t integer_value(const ParameterValues& values, std::string_view name);
[[nodiscard]] double real_value(const ParameterValues& values, std::string_view name);

/// The one entrance: resolves parameters, checks support and forecast against
/// the allowance (refusing with a setting that fits), runs, fills the
/// provenance, and turns exceptions into Errors.
[[nodiscard]] Result<SpectrumPtr> run_method(const Method& method, Request request, JobContext& context);

/// The same entrance to stream(): every row of the plane to every sink, nothing stored. What the sinks hold
/// is the caller's to book. Errors as run_method(), and wrong_use for methods without the full plane.
[[nodiscard]] Result<void> stream_method(const Method& method, Request request,
                                         std::span<RowSink* const> sinks, JobContext& context);

/// Whether a request's forecast is within `allowance` on the host and within what its device may give.
[[nodiscard]] bool forecast_fits(const Request& request, const Forecast& forecast, std::uint64_t allowance);

/// A request close to one that is too large, found by asking forecasts.
struct Fitting {
  std::string method;  ///< registry id; may differ from the one that was asked
  Request request;
  std::uint64_t bytes = 0;   ///< its forecast
  bool same_result = false;  ///< only the tile differs: run_method() takes it by itself
  std::string advice;        ///< in words, naming the setting: "Set block to 12 or more (1.57 GB)."
};
/// The nearest request whose forecast is at most `allowance` bytes (and fits its device): a smaller tile,
/// else a larger block that leaves something to see, else another choice of a parameter, else a smaller
/// window, else nothing stored, else a method that stores less. Empty when none of these fits.
[[nodiscard]] std::optional<Fitting> find_fitting(const Method& method, const Request& request,
                                                  std::uint64_t allowance);

/// A text that is equal for equal jobs: pattern fingerprint, method,
/// parameters, grid, products, backend and seed. The cache key.
[[nodiscard]] std::string cache_key(const Method& method, const Request& request, std::uint64_t seed);

}  // namespace spyctrum
