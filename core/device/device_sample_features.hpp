// SPDX-License-Identifier: Apache-2.0
// Features of samples on a device by the BS-FFT paper's decoder: the device sums powers by class, the host
// computes the features from these sums.
#pragma once

#include <optional>

#include "core/device/device_rows.hpp"
#include "core/features/decoders.hpp"
#include "core/features/row_classes.hpp"
#include "core/request/request.hpp"
#include "core/spectrum/features.hpp"

namespace spyctrum {

class DeviceSampleFeatures {
 public:
  /// Prepares the outputs of `request` from samples on `grid`. Features are summed on the device if the
  /// grid allows it (RowClasses::make()); samples are then copied to the host only if values are requested.
  /// `zero_floor`: that of decode_paper().
  DeviceSampleFeatures(const RequestScope& request, const FrequencyGrid& grid, JobContext& context,
                       std::optional<double> zero_floor = std::nullopt);
  DeviceSampleFeatures(DeviceSampleFeatures&&) = delete;
  /// To be passed to the function that computes the samples.
  [[nodiscard]] DeviceSampleOutputs outputs() const;
  /// The features, after the samples were computed; empty if they must be decoded from the values.
  [[nodiscard]] std::optional<Features> features() const;
  /// Host bytes of the table of classes; 0 if no features are summed on the device: for a window, without
  /// requested features, or with another decoder.
  [[nodiscard]] static std::uint64_t bytes(const RequestScope& request, std::uint64_t rows,
                                           Decoder decoder = Decoder::paper);
  /// Device bytes of the table of classes and of the sums of each of `lanes` CUDA streams; 0 as for bytes().
  [[nodiscard]] static std::uint64_t device_bytes(const RequestScope& request, std::uint64_t rows,
                                                  std::uint64_t width, std::uint64_t lanes,
                                                  Decoder decoder = Decoder::paper);

 private:
  FrequencyGrid grid_;
  std::optional<double> zero_floor_;
  bool values_ = true;
  Booking booking_;
  std::optional<RowClasses> classes_;
  cuda::FeatureSums sums_;
  cuda::FeatureReduction reduction_;
  cuda::Reductions reductions_;
};

}  // namespace spyctrum
