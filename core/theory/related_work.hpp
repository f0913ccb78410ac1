// SPDX-License-Identifier: Apache-2.0
// Systems that the BS-FFT paper discusses and does not measure (§2.2, §5): what each assumes, and whether a
// matrix meets it, by a condition evaluated for that matrix. Sparsity here is the spectrum's: e^H, the number
// of coefficients of equal power with the same entropy, and the least number that hold 90 % of the power.
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
  double effective = 0;     ///< e^H(p), DC included: 1 … mn
  double holding_90 = 0;    ///< least number that hold 90 % of the power beside DC
};
/// Empty where the plane was not measured.
[[nodiscard]] std::optional<SpectralSparsity> spectral_sparsity(const SparsePattern& pattern,
                                                                const TheoryMeasurements& measured);

struct RelatedSystem {
  std::string id;
  std::string label;
  std::string citation;
  std::string assumes;      ///< one sentence
  std::string condition;    ///< the formula that is evaluated
  double value = 0;         ///< its left side for this matrix
  double limit = 0;         ///< holds where value ≤ limit
  std::optional<bool> met;  ///< empty where the spectrum was not measured
  std::string verdict;      ///< one sentence about this matrix
};

/// sFFT, sFFT-DT, SpFFT, heFFTe, cuFFTMp for this matrix. `memory`: bytes that one device or process may use.
[[nodiscard]] std::vector<RelatedSystem> related_systems(const SparsePattern& pattern,
                                                         const std::optional<SpectralSparsity>& sparsity,
                                                         std::uint64_t memory);

}  // namespace spyctrum
