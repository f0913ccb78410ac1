// SPDX-License-Identifier: Apache-2.0
// Translates error codes of CUDA and cuFFT to DeviceError and to text.
#include "core/cuda/runtime/calls.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace spyctrum::cuda {

namespace {

const char* text_of(cufftResult code) {
  static constexpr std::pair<cufftResult, const char*> kTexts[] = {
      {CUFFT_ALLOC_FAILED, "an allocation failed"},
      {CUFFT_INVALID_SIZE, "this length is not supported"},
      {CUFFT_INVALID_VALUE, "a value is not supported"},
      {CUFFT_EXEC_FAILED, "the execution failed"},
      {CUFFT_SETUP_FAILED, "the library could not start"},
      {CUFFT_INTERNAL_ERROR, "internal error of the library"}};
  const auto* const known = std::ranges::find(kTexts, code, [](const auto& one) { return one.first; });
  return known != std::end(kTexts) ? known->second : "error of the library";
}

/// True for errors after which "the process must be terminated and relaunched" (CUDA Runtime API, cudaError).
/// Those that older toolkits do not name are given by number.
bool is_final(cudaError_t code) {
  constexpr int kContained = 226;         // a fault of this process alone, CUDA 12.8
  constexpr int kTensorMemoryLeak = 721;  // CUDA 12.8
  static constexpr int kFinal[] = {cudaErrorECCUncorrectable,
                                   cudaErrorNvlinkUncorrectable,
                                   kContained,
                                   cudaErrorIllegalAddress,
                                   cudaErrorLaunchTimeout,
                                   cudaErrorContextIsDestroyed,
                                   cudaErrorAssert,
                                   cudaErrorHardwareStackError,
                                   cudaErrorIllegalInstruction,
                                   cudaErrorMisalignedAddress,
                                   cudaErrorInvalidAddressSpace,
                                   cudaErrorInvalidPc,
                                   cudaErrorLaunchFailure,
                                   kTensorMemoryLeak};
  return std::ranges::find(kFinal, static_cast<int>(code)) != std::end(kFinal);
}

DeviceError device_error_of(cudaError_t code) {
  if (is_final(code)) return DeviceError::lost;
  return code == cudaErrorMemoryAllocation ? DeviceError::out_of_memory : DeviceError::device;
}

}  // namespace

void check(Host& host, cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  (void)cudaGetLastError();
  const std::string text = std::string(what) + ": " + cudaGetErrorString(code);
  host.fail(device_error_of(code), text.c_str(), code);
}

void check(Host& host, cufftResult code, const char* what) {
  if (code == CUFFT_SUCCESS) return;
  // cuFFT does not report that the device is lost; every CUDA call does.
  if (const cudaError_t cause = cudaFree(nullptr); is_final(cause)) check(host, cause, what);
  (void)cudaGetLastError();
  const std::string text = std::string(what) + ": " + text_of(code);
  const DeviceError error = code == CUFFT_ALLOC_FAILED ? DeviceError::out_of_memory
                            : code == CUFFT_INVALID_SIZE || code == CUFFT_INVALID_VALUE
                                ? DeviceError::unsupported
                                : DeviceError::device;
  host.fail(error, text.c_str(), code);
}

std::recursive_mutex& LongCall::mutex() {
  static std::recursive_mutex instance;
  return instance;
}

}  // namespace spyctrum::cuda
