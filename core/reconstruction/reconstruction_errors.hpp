// SPDX-License-Identifier: Apache-2.0
// Errors of a reconstruction M̂ against the exact magnitudes M, in one pass over the plane's rows (BS-FFT
// paper, §4): the Hellinger distance H of p ∝ M² and q ∝ M̂², H² = 1 − Σ√(pq) = 1 − ⟨M,M̂⟩/(‖M‖‖M̂‖), and the
// recall of the largest 10 % of the coefficients without DC.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/reconstruction/reconstruction.hpp"
#include "core/spectrum/row_consumer.hpp"

namespace spyctrum {

struct ReconstructionErrors {
  double hellinger = 0;  ///< of the normalised powers, DC included
  /// |T ∩ R|/|T| for the largest 10 % of the magnitudes without DC, or for all above rounding if these are
  /// fewer; NaN if there are none.
  double recall_top10 = 0;
  std::uint64_t above_rounding = 0;  ///< compared coefficients, without DC, whose power is above rounding
  std::uint64_t coefficients = 0;    ///< number compared (all, or those of the sampled rows)
  bool sampled = false;              ///< only some rows were compared: both figures are estimates
};

/// The coefficients that the recall refers to, if fewer than a tenth are above rounding: "of the 63
/// coefficients above rounding"; else empty.
[[nodiscard]] std::string recall_note(const ReconstructionErrors& errors);

/// Compares a reconstruction with the exact rows as they are streamed.
class ReconstructionErrorConsumer : public RowConsumer {
 public:
  /// `reconstruction` must outlive the consumer. `rounding_floor`: coefficients of the exact rows below this
  /// power are zero; by default the floor of the reconstruction, which differs if that is made from a reduced
  /// plane.
  explicit ReconstructionErrorConsumer(const Reconstruction& reconstruction,
                                       std::optional<double> rounding_floor = std::nullopt);
  ~ReconstructionErrorConsumer() override;
  void begin(std::uint64_t m, std::uint64_t n, unsigned workers) override;
  void consume(const SpectrumRow& row, unsigned worker) override;
  void finish() override;
  /// Null for a reconstruction that contains every coefficient.
  [[nodiscard]] std::unique_ptr<DeviceReduction> device_reduction(std::uint64_t m, std::uint64_t n,
                                                                  bool symmetric_half,
                                                                  JobContext& context) override;
  [[nodiscard]] ReconstructionErrors errors() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace spyctrum
