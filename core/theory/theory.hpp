// SPDX-License-Identifier: Apache-2.0
// The statements of the BS-FFT paper's §3, evaluated for one matrix and one block size: bound, equation and,
// if the spectrum was computed, the measured value; and the quantities that they concern.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/methods/method.hpp"
#include "core/methods/paper_cost.hpp"
#include "core/spectrum/row_consumer.hpp"

namespace spyctrum {

/// A histogram of |F|² over all coefficients but DC: the share of power that the Q largest hold, and the
/// number that hold a given share (an effective sparsity). 128 bins of |F|² per octave, so that no
/// coefficient is sorted or stored.
class EnergyDistribution {
 public:
  struct Bin {
    double count = 0;
    double power = 0;
  };
  EnergyDistribution() = default;
  /// Bins in ascending order of power.
  explicit EnergyDistribution(std::vector<Bin> bins) : bins_(std::move(bins)) {}

  [[nodiscard]] double power() const;  ///< Σ|F|²
  /// R(Ω_H): the share of power that the `count` largest coefficients hold. The bin that `count` cuts
  /// contributes its mean power per coefficient, an error of at most 0.6 % of that bin's share.
  [[nodiscard]] double top_share(double count) const;
  /// The least number of coefficients that together hold `share` (0 … 1) of the power.
  [[nodiscard]] double count_holding(double share) const;

 private:
  std::vector<Bin> bins_;
};

/// Counts the coefficients of the streamed rows and their mirrors; distribution() after finish().
class EnergyConsumer : public RowConsumer {
 public:
  void begin(std::uint64_t m, std::uint64_t n, unsigned workers) override;
  void consume(const SpectrumRow& row, unsigned worker) override;
  void finish() override;
  [[nodiscard]] const EnergyDistribution& distribution() const { return distribution_; }

 private:
  std::vector<std::vector<EnergyDistribution::Bin>> workers_;
  EnergyDistribution distribution_;
};

/// The aggregation loss E_b² = ‖A − Π_b A‖² of replacing a pattern A by its averages Π_b A over b×b blocks
/// (BS-FFT paper, §3.3, eq. 14), computed exactly in O(K) operations from the counts of the occupied blocks.
struct Aggregation {
  /// E_b² = K − Σ C²/a: C entries in a block of a cells (fewer at the edges); of weights Σw² for K, and Σw
  /// over the block for C.
  double loss = 0;
  double relative = 0;       ///< E_b²/‖A‖², ‖A‖² = K without weights; 0 for an empty pattern
  std::uint64_t blocks = 0;  ///< Q = ⌈m/b⌉·⌈n/b⌉
  std::uint64_t occupied_blocks = 0;  ///< blocks with an entry
};

/// The loss at block size `block` ≥ 1. Throws Failure{cancelled}.
[[nodiscard]] Aggregation aggregation_of(const SparsePattern& pattern, std::uint64_t block,
                                         JobContext& context);

/// Work in operations and explicit storage in bytes of one of the BS-FFT paper's methods (§3.4), evaluated
/// for a pattern; conventions: core/methods/paper_cost.hpp.
struct CostFormula {
  std::string method;  ///< registry id of the method
  std::string label;
  std::string work_formula;
  double work = 0;
  std::string storage_formula;
  double bytes = 0;
  std::string source;  ///< "§3.4, eq. 18"
};

enum class Relation {
  at_least,  ///< measured ≥ bound
  at_most,   ///< measured ≤ bound
  expected,  ///< the mean over random patterns: the matrix may lie on either side
};
[[nodiscard]] const char* symbol_of(Relation relation);  // "≥", "≤", "≈"

/// One statement of the paper: measured (relation) bound.
struct Statement {
  std::string id;      ///< for exports: "entropy_floor"
  std::string label;   ///< for the interface: "Entropy"
  std::string source;  ///< in the paper: "eq. 9, §3.2"
  Relation relation = Relation::at_least;
  double bound = 0;  ///< NaN if it depends on an entropy that was not measured
  std::optional<double> measured{};
  std::string meaning;  ///< one or two sentences for the user
  /// Whether the measured value satisfies the bound, up to rounding; empty without a measured value and for
  /// Relation::expected.
  [[nodiscard]] std::optional<bool> holds() const;
};

/// Values measured on the exact spectrum. If one is empty, its statements have no measured value.
struct TheoryMeasurements {
  std::optional<double> entropy{};             ///< Features::entropy of the exact spectrum
  std::optional<EnergyDistribution> energy{};  ///< of the exact spectrum
  std::optional<double> uniform_share{};       ///< R(Ω_U), see measure_uniform_share()
};

struct Theory {
  std::uint64_t m = 0, n = 0;
  std::int64_t nonzeros = 0;
  bool has_weights = false;
  std::uint64_t block = 1;
  std::uint64_t grid_samples = 0;   ///< Q: coefficients of Elastic's lattice without DC
  double sampling_rate = 0;         ///< η = ⌈m/b⌉⌈n/b⌉/(mn)
  double dc_share = 0;              ///< of the power: K/mn, of weights (Σw)²/(mnΣw²)
  std::optional<double> deficit{};  ///< δ in nats
  /// e^H(p), H(p) the entropy of the power without DC in nats: the number of coefficients of equal power that
  /// would have this entropy, 1 … M. Sparse spectra have few.
  std::optional<double> effective_coefficients{};
  std::optional<double> holding_90_percent{};  ///< least number with 90 % of the power without DC
  Aggregation aggregation;
  std::vector<Statement> statements;
  std::vector<CostFormula> costs;
};

/// The entropy H(p) in nats of the power without DC, from Features::entropy, which includes DC. Empty if all
/// power is at DC.
[[nodiscard]] std::optional<double> entropy_beside_dc(const SparsePattern& pattern, double entropy);

/// All statements for block size `block`, in O(K) operations and without a transform. For a matrix with
/// weights, statements about entries at random positions have no bound. Throws Failure{wrong_use} for block
/// 0, {cancelled}.
[[nodiscard]] Theory theory_of(const SparsePattern& pattern, std::uint64_t block,
                               const TheoryMeasurements& measured, JobContext& context);

/// Streams the exact plane once for its entropy and energy distribution; uniform_share, which depends on a
/// block size, stays empty. Errors: those of run_method().
[[nodiscard]] Result<TheoryMeasurements> measure_plane(const PatternPtr& pattern, JobContext& context);
/// R(Ω_U) = Σ_{Ω_U}|F|² / (K(P − K)): the share of the power without DC on Elastic's lattice Ω_U at block
/// size `block`; K(P − K), of weights PΣw² − (Σw)², is Σ|F|² over all frequencies but DC. Errors: those of
/// run_method().
[[nodiscard]] Result<double> measure_uniform_share(const PatternPtr& pattern, std::uint64_t block,
                                                   JobContext& context);

}  // namespace spyctrum
