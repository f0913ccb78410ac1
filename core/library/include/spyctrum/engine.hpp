// SPDX-License-Identifier: Apache-2.0
// What computes: threads, a backend and a memory allowance, and the functions that load, transform and draw
// with them.
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
  /// "cpu"; "cuda" or "cuda:N" for a CUDA device; "auto" for the first device, and the processor for what it
  /// cannot do.
  std::string backend = "auto";
  unsigned threads = 0;            ///< of the processor; 0: all
  std::uint64_t memory_bytes = 0;  ///< that the arrays of a job may hold; 0: three quarters of what is free
  std::uint64_t seed = 1;          ///< of everything random
};

/// How far a job is. `total` is 0 while it is not known.
struct Progress {
  std::string stage;
  std::uint64_t done = 0;
  std::uint64_t total = 0;
};

/// How a call is watched and ended early.
struct Job {
  std::stop_token stop = {};  ///< once it is requested, the call returns `cancelled` within about 50 ms
  /// Called at most every 30 ms, from any thread of the job; must not throw. May be empty.
  std::function<void(const Progress&)> on_progress = {};
};

/// All functions are const and may be called from several threads at once; copies share their threads.
class SPYCTRUM_API Engine {
 public:
  /// Errors: wrong_use for a backend that does not exist; backend_unavailable, with the reason.
  static Result<Engine> create(const Settings& settings = {});
  [[nodiscard]] std::string backend() const;  ///< "cpu", "cuda:0"
  [[nodiscard]] std::string device() const;   ///< its name

  /// The matrix that `file` names: a Matrix Market file, plain or compressed, "-" for standard input, or a
  /// generated matrix "gen:KIND:key=value,…". Errors: bad_input naming file, line and what was found;
  /// wrong_use for a generator text; out_of_memory; cancelled.
  [[nodiscard]] Result<Matrix> load(const std::string& file, const Job& job = {}) const;

  /// The result of a method. Errors: wrong_use for a method, parameter or window that does not exist;
  /// out_of_memory, mostly before anything is computed; backend_unavailable; cancelled.
  [[nodiscard]] Result<Spectrum> run(const Matrix& matrix, const Request& request, const Job& job = {}) const;
  /// run() for the features alone: no plane is stored.
  [[nodiscard]] Result<Features> features(const Matrix& matrix, const std::string& method = "exact",
                                          const Parameters& parameters = {}, const Job& job = {}) const;
  /// run() for exact coefficients of a window.
  [[nodiscard]] Result<Spectrum> window(const Matrix& matrix, const Window& window,
                                        const Job& job = {}) const;

  // Pictures are computed on the processor. Errors of all three: wrong_use for a size, view or colour map
  // that does not exist; out_of_memory; cancelled.

  /// The stored entries.
  [[nodiscard]] Result<Picture> pattern_picture(const Matrix& matrix, const PictureOptions& options = {},
                                                const Job& job = {}) const;
  /// The exact spectrum: every coefficient of a view that holds up to 2²⁰ of them, else about 2²⁰ exact
  /// samples.
  [[nodiscard]] Result<Picture> spectrum_picture(const Matrix& matrix, const PictureOptions& options = {},
                                                 const Job& job = {}) const;
  /// The values that run() returned; a reduced plane is stretched over the whole plane. Errors: wrong_use too
  /// where the result holds no values.
  [[nodiscard]] Result<Picture> result_picture(const Spectrum& spectrum, const PictureOptions& options = {},
                                               const Job& job = {}) const;

  struct Impl;
  explicit Engine(std::shared_ptr<const Impl> impl);

 private:
  std::shared_ptr<const Impl> impl_;
};

/// The methods that a Request can name.
[[nodiscard]] SPYCTRUM_API std::vector<MethodInfo> methods();
/// "0.1.0": of the library that is loaded.
[[nodiscard]] SPYCTRUM_API std::string version();

}  // namespace spyctrum::v0
