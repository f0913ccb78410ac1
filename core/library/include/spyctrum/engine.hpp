// SPDX-License-Identifier: Apache-2.0
// The engine: threads, a backend and a memory allowance, and the functions that load, transform and draw
// matrices with them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "spyctrum/export.hpp"
#include "spyctrum/matrix.hpp"
#include "spyctrum/picture.hpp"
#include "spyctrum/result.hpp"
#include "spyctrum/spectrum.hpp"

namespace spyctrum::v0 {

struct Settings {
  /// "cpu"; "cuda" or "cuda:N" for a CUDA device, "cuda:N,M" or "cuda:all" for several that share the exact
  /// plane; "auto" for the first CUDA device, with the processor for everything that a device cannot do.
  std::string backend = "auto";
  unsigned threads = 0;            ///< number of processor threads; 0: all
  std::uint64_t memory_bytes = 0;  ///< for the arrays of a job; 0: three quarters of the free memory
  std::uint64_t seed = 1;          ///< seed of all random numbers
};

/// The progress of a job: done of total. `total` is 0 while it is unknown.
struct Progress {
  std::string stage;
  std::uint64_t done = 0;
  std::uint64_t total = 0;
};

/// Progress and cancellation of a call.
struct Job {
  /// After a stop is requested, the call returns the error `cancelled` within about 50 ms.
  std::stop_token stop = {};
  /// Called at most every 30 ms, from any thread of the job; must not throw. May be empty.
  std::function<void(const Progress&)> on_progress = {};
};

/// Thread-safe: all functions are const and may be called concurrently. Copies share their threads.
class SPYCTRUM_API Engine {
 public:
  /// Errors: wrong_use if there is no backend of this name; backend_unavailable, with the reason.
  static Result<Engine> create(const Settings& settings = {});
  [[nodiscard]] std::string backend() const;  ///< "cpu", "cuda:0"
  [[nodiscard]] std::string device() const;   ///< model of the processor or GPU

  /// Reads or generates a matrix. `file`: a matrix file, plain or compressed, "-" for standard input,
  /// or a generated matrix "gen:KIND:key=value,…". Errors: bad_input, with file, line and what was found;
  /// wrong_use for a wrong generator text; out_of_memory; cancelled.
  [[nodiscard]] Result<Matrix> load(const std::string& file, const Job& job = {}) const;

  /// Runs a method. Errors: wrong_use for a method or parameter that does not exist, or an impossible window;
  /// out_of_memory, as a rule before the computation starts; backend_unavailable; cancelled.
  [[nodiscard]] Result<Spectrum> run(const Matrix& matrix, const Request& request, const Job& job = {}) const;
  /// run() for features only; no plane is stored.
  [[nodiscard]] Result<Features> features(const Matrix& matrix, const std::string& method = "exact",
                                          const Parameters& parameters = {}, const Job& job = {}) const;
  /// run() for exact coefficients of a window.
  [[nodiscard]] Result<Spectrum> window(const Matrix& matrix, const Window& window,
                                        const Job& job = {}) const;

  // Pictures are computed on the processor. Errors: wrong_use for an impossible size or view or an unknown
  // colour map; out_of_memory; cancelled.

  /// The stored entries.
  [[nodiscard]] Result<Picture> pattern_picture(const Matrix& matrix, const PictureOptions& options = {},
                                                const Job& job = {}) const;
  /// The exact spectrum: from every coefficient if the view contains at most 2²⁰ of them, else from about 2²⁰
  /// exact samples.
  [[nodiscard]] Result<Picture> spectrum_picture(const Matrix& matrix, const PictureOptions& options = {},
                                                 const Job& job = {}) const;
  /// The values of a result of run(); a reduced plane is stretched over the whole plane. Errors: also
  /// wrong_use if the result has no values.
  [[nodiscard]] Result<Picture> result_picture(const Spectrum& spectrum, const PictureOptions& options = {},
                                               const Job& job = {}) const;

  struct Impl;
  explicit Engine(std::shared_ptr<const Impl> impl);

 private:
  std::shared_ptr<const Impl> impl_;
};

/// The methods that a Request can name.
[[nodiscard]] SPYCTRUM_API std::vector<MethodInfo> methods();
/// The version of the loaded library: "0.1.0".
[[nodiscard]] SPYCTRUM_API std::string version();

}  // namespace spyctrum::v0
