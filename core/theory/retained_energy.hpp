// SPDX-License-Identifier: Apache-2.0
// The distribution of |F|² over all coefficients but DC: the share of power that the Q largest hold, and the
// number that hold a given share (an effective sparsity). Rows of the plane are streamed and counted in bins
// of |F|², 128 per octave, so that no coefficient is sorted or stored.
#pragma once

#include <cstdint>
#include <vector>

#include "core/spectrum/row_consumer.hpp"

namespace spyctrum {

/// A histogram of |F|² over all coefficients but DC.
class EnergyDistribution {
 public:
  struct Bin {
    double count = 0;
    double power = 0;
  };
  EnergyDistribution() = default;
  /// Bins in ascending order of power.
  explicit EnergyDistribution(std::vector<Bin> bins) : bins_(std::move(bins)) {}

  [[nodiscard]] double frequencies() const;  ///< M, the number of coefficients
  [[nodiscard]] double power() const;        ///< Σ|F|²
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

}  // namespace spyctrum
