// SPDX-License-Identifier: Apache-2.0
// Features of samples that are on a device, by the paper's decoder: sums there, the rest here.
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
  /// What `request` wants of the samples on `grid`. Features are reduced on the device where the grid allows
  /// it (RowClasses::make()), and then the samples come to the host only if they are asked for.
  DeviceSampleFeatures(const RequestScope& request, const FrequencyGrid& grid, JobContext& context);
  DeviceSampleFeatures(DeviceSampleFeatures&&) = delete;
  /// For whoever computes the samples.
  [[nodiscard]] DeviceSamplesWanted wanted() const;
  /// Afterwards: the features, empty where they are still to be decoded from the values.
  [[nodiscard]] std::optional<Features> features() const;
  /// Host bytes of the table; 0 where nothing is reduced: for a window, without features, with another
  /// decoder.
  [[nodiscard]] static std::uint64_t bytes(const RequestScope& request, std::uint64_t rows,
                                           Decoder decoder = Decoder::paper);
  /// Device bytes: the table and the sums of each of `lanes` streams that samples come from.
  [[nodiscard]] static std::uint64_t device_bytes(const RequestScope& request, std::uint64_t rows,
                                                  std::uint64_t width, std::uint64_t lanes,
                                                  Decoder decoder = Decoder::paper);

 private:
  FrequencyGrid grid_;
  bool values_ = true;
  Booking booking_;
  std::optional<RowClasses> classes_;
  cuda::FeatureSums sums_;
  cuda::FeatureReduction reduction_;
  cuda::Reductions reductions_;
};

}  // namespace spyctrum
