// SPDX-License-Identifier: Apache-2.0
// The statements of the BS-FFT paper's §3, evaluated for one matrix and one block size: the bound, its
// equation and, where the spectrum was computed, the measured value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/methods/method.hpp"
#include "core/theory/aggregation.hpp"
#include "core/theory/cost_formulas.hpp"
#include "core/theory/retained_energy.hpp"

namespace spyctrum {

enum class Relation {
  at_least,  ///< measured ≥ bound
  at_most,   ///< measured ≤ bound
  expected,  ///< the mean over random patterns: the matrix may lie on either side
};
[[nodiscard]] const char* symbol_of(Relation relation);  // "≥", "≤", "≈"

struct Statement {
  std::string id;      ///< "entropy_floor"
  std::string label;   ///< "Entropy"
  std::string source;  ///< "eq. 9, §3.2"
  Relation relation = Relation::at_least;
  double bound = 0;
  std::optional<double> measured{};
  std::string meaning;  ///< one sentence for people
  /// True where the measured value satisfies the bound, up to rounding; empty without a measured value and
  /// for Relation::expected.
  [[nodiscard]] std::optional<bool> holds() const;
};

/// Measurements of the matrix; an absent one leaves its statements without a measured value.
struct TheoryMeasurements {
  std::optional<double> entropy{};             ///< Features::entropy of the exact spectrum
  std::optional<EnergyDistribution> energy{};  ///< of the exact spectrum
  std::optional<double> uniform_share{};       ///< R(Ω_U): non-DC power on the grid over K(P − K)
};

struct Theory {
  std::uint64_t m = 0, n = 0;
  std::int64_t nonzeros = 0;
  std::uint64_t block = 1;
  std::uint64_t grid_samples = 0;   ///< coefficients of Elastic's lattice beside DC
  double sampling_rate = 0;         ///< η = ⌈m/b⌉⌈n/b⌉/(mn)
  std::optional<double> deficit{};  ///< δ in nats
  /// e^H(p): how many coefficients of equal power would have this entropy. A spectrum is sparse where this
  /// is far below mn.
  std::optional<double> effective_coefficients{};
  std::optional<double> holding_90_percent{};  ///< coefficients that hold 90 % of the power beside DC
  Aggregation aggregation;
  std::vector<Statement> statements;
  std::vector<CostFormula> costs;
};

/// All statements, in O(K) operations, without a transform. Throws Failure{wrong_use} for block 0,
/// {cancelled}.
[[nodiscard]] Theory theory_of(const SparsePattern& pattern, std::uint64_t block,
                               const TheoryMeasurements& measured, JobContext& context);

/// Entropy and energy distribution of the exact spectrum, by one pass over the plane. `uniform_share`, which
/// depends on a block size, is left empty.
[[nodiscard]] Result<TheoryMeasurements> measure_plane(const PatternPtr& pattern, JobContext& context);
/// R(Ω_U) of Elastic's lattice at block size b: Σ|F|² there, DC left out, over K(P − K) = Σ|F|² beside DC.
[[nodiscard]] Result<double> measure_uniform_share(const PatternPtr& pattern, std::uint64_t block,
                                                   JobContext& context);

}  // namespace spyctrum
