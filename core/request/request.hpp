// SPDX-License-Identifier: Apache-2.0
// What a job is asked for, before (Request) and after (ResolvedRequest) its parameters were read, and what
// the job is forecast to take.
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

/// What a job should bring back.
struct RequestedOutputs {
  bool values = false;  ///< coefficients on the grid (full-plane methods: the half spectrum)
  bool features = true;
  bool pyramid = false;                ///< display pyramid of the full plane (full-plane methods only)
  std::uint32_t pyramid_cells = 1024;  ///< per axis at most
  bool errors = true;                  ///< standard errors of features that are estimates, where known
};

class PlaneProgress;

/// All of a request but the method's parameters.
struct RequestScope {
  PatternPtr pattern;
  /// Exactly these coefficients instead of the method's own grid; its axes refer to the pattern's m and n.
  /// Density Map and Fixed Point read them as signed frequencies of their reduced ⌈m/b⌉×⌈n/b⌉ plane. A window
  /// brings values only: features and pyramid describe a whole plane and are left out.
  std::optional<FrequencyGrid> window;
  RequestedOutputs outputs;
  /// Methods that can be resumed: features and pyramid continue from what this holds, and it holds how far
  /// they came afterwards, with running error bars. May be read meanwhile (core/engine/plane_progress.hpp).
  std::shared_ptr<PlaneProgress> progress;
  Backend backend;
  /// Bytes that the device may give; 0: what is free. run_method() sets it.
  std::uint64_t device_bytes = 0;
  /// Threads that the forecast counts buffers for; 0: all of this machine. run_method() sets it.
  unsigned threads = 0;
};

/// A request as the command line and the tests make it: parameters are text.
struct Request : RequestScope {
  ParameterValues parameters;  ///< missing ones take their defaults
};

/// A request as methods take it: parameters are numbers, checked against the method's schema.
struct ResolvedRequest : RequestScope {
  ResolvedParameters parameters;
};

struct Forecast {
  std::uint64_t bytes = 0;         ///< peak of the job's own arrays
  double operations = 0;           ///< rough count, for progress and the advisor
  std::string formula;             ///< the terms, in words
  std::uint64_t device_bytes = 0;  ///< peak on the CUDA device, cuFFT's work areas included; 0 on the CPU
};

}  // namespace spyctrum
