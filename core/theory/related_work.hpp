// SPDX-License-Identifier: Apache-2.0
// Systems that the BS-FFT paper discusses but does not measure (§2.2, §5): what each assumes of its input, as
// a condition that is evaluated for a matrix. Two measures of the sparsity of a spectrum without DC are used:
// e^H, the number of coefficients of equal power that would have the same entropy H (in nats), and the least
// number of coefficients that have 90 % of the power.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/matrix/sparse_pattern.hpp"
#include "core/theory/theory.hpp"

namespace spyctrum {

struct SpectralSparsity {
  double coefficients = 0;  ///< mn
  double effective = 0;   ///< e^H(p) of the power without DC (Theory::effective_coefficients); 0 for DC alone
  double holding_90 = 0;  ///< least number of coefficients with 90 % of the power without DC
};
/// From the measurements of measure_plane(); empty without them.
[[nodiscard]] std::optional<SpectralSparsity> spectral_sparsity(const SparsePattern& pattern,
                                                                const TheoryMeasurements& measured);

struct RelatedSystem {
  std::string id;
  std::string label;
  std::string citation;
  std::string assumes;      ///< one sentence
  std::string condition;    ///< the formula that is evaluated
  double value = 0;         ///< left side of the condition for this matrix
  double limit = 0;         ///< right side: the condition is met if value ≤ limit
  std::optional<bool> met;  ///< empty if the spectrum was not measured
  /// The reason, one sentence about this matrix.
  std::string verdict = "Not evaluated: the spectrum was not measured.";
};

/// MIT sFFT, sFFT-DT, SpFFT, heFFTe and cuFFTMp, in this order. `memory`: bytes available to one device or
/// process.
[[nodiscard]] std::vector<RelatedSystem> related_systems(const SparsePattern& pattern,
                                                         const std::optional<SpectralSparsity>& sparsity,
                                                         std::uint64_t memory);

}  // namespace spyctrum
