// SPDX-License-Identifier: Apache-2.0
// Values of a spectrum, or (mean, maximum) pairs of a pyramid, that are resident on the device.
#pragma once

#include "core/cuda/runtime/device_memory.hpp"
#include "core/device/interface/pictures.hpp"

namespace spyctrum::cuda {

class ResidentValues : public DeviceData {
 public:
  ResidentValues(Host& host, const float* values, std::uint64_t count, cudaStream_t stream)
      : values_(host, count * sizeof(float2), "values of a picture") {
    copy_to_device(host, values_.as<float2>(), values, count, stream, "values of a picture");
  }
  [[nodiscard]] std::uint64_t bytes() const override { return values_.bytes(); }
  [[nodiscard]] const float2* values() const { return values_.as<float2>(); }
  void finish_upload() { values_.finish_upload(); }

 private:
  ResidentBuffer values_;
};

}  // namespace spyctrum::cuda
