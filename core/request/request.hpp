// SPDX-License-Identifier: Apache-2.0
// The request for a job, and the forecast of its memory and work.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/base/backend.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/request/parameters.hpp"

namespace spyctrum {

/// The outputs that a job should return.
struct RequestedOutputs {
  bool values = false;  ///< coefficients on the grid; for full-plane methods the half plane
  bool features = true;
  bool pyramid = false;                ///< display pyramid of the full plane (full-plane methods only)
  std::uint32_t pyramid_cells = 1024;  ///< at most, per axis
  /// standard errors of estimated features, from the method or else measured by run_method()
  bool errors = true;
};

class PlaneProgress;

/// Everything in a request but the method's parameters.
struct RequestScope {
  PatternPtr pattern;
  /// If set, exactly these coefficients are computed instead of the method's own grid; the axes refer to the
  /// pattern's m and n. Density Map and Fixed Point take them as signed frequencies of their reduced
  /// ⌈m/b⌉×⌈n/b⌉ plane. A window has values only: features and pyramid describe a whole plane and are not
  /// computed.
  std::optional<FrequencyGrid> window;
  RequestedOutputs outputs;
  /// For methods that can be resumed: features and pyramid continue from this state, which is updated while
  /// the job runs, with standard errors. Other threads may read it meanwhile
  /// (core/engine/plane_progress.hpp).
  std::shared_ptr<PlaneProgress> progress;
  Backend backend;
  /// Most bytes to allocate on the device; 0: what is free there. Set by run_method().
  std::uint64_t device_bytes = 0;
  /// Number of threads for which the forecast counts buffers; 0: all of this machine. Set by run_method().
  unsigned threads = 0;
};

/// A request with parameters as numbers, checked against the method's schema, as methods take it.
struct ResolvedRequest : RequestScope {
  ResolvedParameters parameters;
};

struct Forecast {
  std::uint64_t bytes = 0;         ///< peak of the arrays that the job allocates
  double operations = 0;           ///< rough count, for progress and the advisor
  std::string formula;             ///< the terms of `bytes`, in words
  std::uint64_t device_bytes = 0;  ///< peak on the CUDA device, cuFFT's work areas included; 0 on the CPU
};

}  // namespace spyctrum
