// SPDX-License-Identifier: Apache-2.0
// The errors of a reconstruction M̂ against the exact magnitudes M, in one pass over the plane's rows, as in
// the BS-FFT paper, §4: the Hellinger distance H of p ∝ M² and q ∝ M̂², H² = 1 − Σ√(pq) = 1 − ⟨M,M̂⟩/(‖M‖‖M̂‖),
// and the recall of the largest 10 % of the coefficients without DC.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/reconstruction/reconstruction.hpp"
#include "core/spectrum/row_consumer.hpp"

namespace spyctrum {

struct ReconstructionErrors {
  double hellinger = 0;  ///< of power-normalised distributions, DC included
  /// |T ∩ R|/|T|, top 10 % of non-DC magnitudes, or all of T above rounding where these are fewer; NaN where
  /// there are none.
  double recall_top10 = 0;
  std::uint64_t above_rounding = 0;  ///< non-DC coefficients compared whose power is not zero to rounding
  std::uint64_t coefficients = 0;    ///< number compared (all, or those of the sampled rows)
  bool sampled = false;              ///< only some rows were compared: both figures are estimates
};

/// What the recall is of, where fewer than a tenth of the coefficients are above rounding: "of the 63
/// coefficients above rounding"; else empty.
[[nodiscard]] std::string recall_note(const ReconstructionErrors& errors);

/// Compares a reconstruction with the exact rows as they are streamed.
class ReconstructionErrorConsumer : public RowConsumer {
 public:
  /// `reconstruction` must outlive the consumer. `rounding_floor`: the power below which one of the exact
  /// rows is zero; without it that of the reconstruction, which is another one where it is made of a reduced
  /// plane.
  explicit ReconstructionErrorConsumer(const Reconstruction& reconstruction,
                                       std::optional<double> rounding_floor = std::nullopt);
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
