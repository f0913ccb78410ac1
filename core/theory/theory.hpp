// SPDX-License-Identifier: Apache-2.0
// The paper's theory (§3) about one matrix and one block size: each statement with its number, the equation
// it comes from and, where it was computed, what the spectrum itself gives.
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
  /// Whether the measured value keeps to the bound, to rounding; empty where there is nothing to judge.
  [[nodiscard]] std::optional<bool> holds() const;
};

/// What was measured of the matrix; anything absent leaves its statements without a measured value.
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

/// O(K) without any transform. Throws Failure{wrong_use} for block 0, {cancelled}.
[[nodiscard]] Theory theory_of(const SparsePattern& pattern, std::uint64_t block,
                               const TheoryMeasurements& measured, JobContext& context);

/// The spectrum's side: one pass over the exact plane (entropy, energy distribution). `uniform_share` is
/// left empty: it belongs to a block size.
[[nodiscard]] Result<TheoryMeasurements> measure_plane(const PatternPtr& pattern, JobContext& context);
/// R(Ω_U) of Elastic's lattice at block size b: Σ|F|² there, DC left out, over K(P − K) = Σ|F|² beside DC.
[[nodiscard]] Result<double> measure_uniform_share(const PatternPtr& pattern, std::uint64_t block,
                                                   JobContext& context);

}  // namespace spyctrum
