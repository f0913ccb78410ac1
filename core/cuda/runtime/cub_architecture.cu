// SPDX-License-Identifier: Apache-2.0
#include <cub/util_device.cuh>

#include "core/cuda/runtime/device_memory.hpp"

namespace spyctrum::cuda {

void store_architecture_in_cub(Host& host) {
  constexpr const char* what = "finding the architecture of the kernels";
  int device = 0;
  int architecture = 0;
  check(host, cudaGetDevice(&device), what);
  check(host, cub::PtxVersionUncached(architecture), what);
  cub::GetPerDeviceAttributeCache<cub::PtxVersionCacheTag>()(
      [architecture](int& stored) {
        stored = architecture;
        return cudaSuccess;
      },
      device);
}

}  // namespace spyctrum::cuda
