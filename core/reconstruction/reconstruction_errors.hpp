// SPDX-License-Identifier: Apache-2.0
// How far a reconstruction is from the exact spectrum, in one pass over the plane's rows: Hellinger distance
// of the power-normalised magnitudes, and recall of the top 10 % of the coefficients without DC.
#pragma once

#include <cstdint>
#include <memory>

#include "core/reconstruction/reconstruction.hpp"
#include "core/spectrum/row_consumer.hpp"

namespace spyctrum {

struct ReconstructionErrors {
  double hellinger = 0;            ///< of power-normalised distributions, DC included
  double recall_top10 = 0;         ///< |T ∩ R|/|T|, top 10 % of non-DC magnitudes
  std::uint64_t coefficients = 0;  ///< that were compared (all, or those of the sampled rows)
  bool sampled = false;            ///< only some rows were compared: both figures are estimates
};

/// Compares a reconstruction with the exact rows that pass by.
class ReconstructionErrorConsumer : public RowConsumer {
 public:
  /// `reconstruction` must outlive the consumer.
  explicit ReconstructionErrorConsumer(const Reconstruction& reconstruction);
  ~ReconstructionErrorConsumer() override;
  void begin(std::uint64_t m, std::uint64_t n, unsigned workers) override;
  void consume(const SpectrumRow& row, unsigned worker) override;
  void finish() override;
  /// Null for a reconstruction that holds every coefficient.
  [[nodiscard]] std::unique_ptr<DeviceReduction> device_reduction(std::uint64_t m, std::uint64_t n,
                                                                  bool symmetric_half,
                                                                  JobContext& context) override;
  [[nodiscard]] ReconstructionErrors errors() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace spyctrum
