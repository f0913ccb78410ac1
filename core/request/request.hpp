// SPDX-License-Identifier: Apache-2.0
// What one job is asked for, and what it is forecast to take.
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
  RequestedOutputs outputs;
  /// exact, bs-fft: features and pyramid go on from what this holds and leave there how far they
  /// came, with running error bars; may be read meanwhile (core/engine/plane_progress.hpp).
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

}  // namespace spyctrum
