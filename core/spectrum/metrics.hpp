// SPDX-License-Identifier: Apache-2.0
// How far an estimate is from the reference: Hellinger distance of
// distributions, relative entropy error, and – streamed over the full plane in
// one pass – Hellinger distance of reconstructed magnitudes and recall of the
// top 10 % non-DC coefficients.
#pragma once

#include <memory>
#include <span>

#include "core/spectrum/features.hpp"
#include "core/spectrum/reconstruction.hpp"
#include "core/spectrum/row_sink.hpp"

namespace spyctrum {

/// √(1 − Σ√(p_i q_i)) of two non-negative vectors, each normalised to sum 1.
/// NaN when either sums to 0.
[[nodiscard]] double hellinger(std::span<const double> p, std::span<const double> q);

struct FeatureErrors {
  double entropy_relative = 0;  ///< |Ĥ − H|/H
  double radial_hellinger = 0;
  double sector_hellinger = 0;
  double low_frequency_relative = 0;
  double flatness_relative = 0;
  double imbalance_absolute = 0;
};
[[nodiscard]] FeatureErrors feature_errors(const Features& estimate, const Features& reference);

struct ReconstructionErrors {
  double hellinger = 0;            ///< of power-normalised distributions, DC included
  double recall_top10 = 0;         ///< |T ∩ R|/|T|, top 10 % of non-DC magnitudes
  std::uint64_t coefficients = 0;  ///< that were compared (all, or those of the sampled rows)
  bool sampled = false;            ///< only some rows were compared: both figures are estimates
};

/// Compares a reconstruction with the exact rows that pass by.
class ReconstructionErrorSink : public RowSink {
 public:
  /// `reconstruction` must outlive the sink.
  explicit ReconstructionErrorSink(const Reconstruction& reconstruction);
  ~ReconstructionErrorSink() override;
  void begin(std::uint64_t m, std::uint64_t n, unsigned workers) override;
  void consume(const SpectrumRow& row, unsigned worker) override;
  void finish() override;
  /// Null for a reconstruction that holds every coefficient.
  [[nodiscard]] std::unique_ptr<DeviceForm> device_form(std::uint64_t m, std::uint64_t n, bool wedges,
                                                        JobContext& context) override;
  [[nodiscard]] ReconstructionErrors errors() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace spyctrum
