// SPDX-License-Identifier: Apache-2.0
// Errors of a reconstruction against the whole exact plane, by the code of core/reconstruction.
#pragma once

#include <gtest/gtest.h>

#include <array>

#include "core/reconstruction/reconstruction_errors.hpp"
#include "tests/support/method_runs.hpp"

namespace spyctrum::test {

/// Errors of the bilinear reconstruction from Elastic's samples at block size `block`, against every
/// coefficient. Throws where a step before the comparison fails.
inline ReconstructionErrors elastic_errors(const PatternPtr& pattern, const char* block,
                                           JobContext& context) {
  const Request samples =
      request_of(pattern, {{"block", block}}, {.values = true, .features = false, .pyramid = false});
  const SpectrumPtr spectrum = run_method(*find_method("elastic"), samples, context).value();
  const Reconstruction plane = Reconstruction::make(spectrum, Fill::bilinear).value();
  ReconstructionErrorConsumer consumer(plane);
  const std::array<RowConsumer*, 1> consumers{&consumer};
  const auto passed = stream_method(*find_method("bs-fft"), request_of(pattern), consumers, context);
  EXPECT_TRUE(passed) << passed.error().message();
  return consumer.errors();
}

}  // namespace spyctrum::test
