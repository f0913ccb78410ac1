// SPDX-License-Identifier: Apache-2.0
// Allocation, plans and the translation of CUDA's errors.
#include "core/cuda/runtime/runtime.hpp"

#include <string>

#include "core/cuda/runtime/device_memory.hpp"

namespace spyctrum::cuda {

namespace {

const char* text_of(cufftResult code) {
  switch (code) {
    case CUFFT_ALLOC_FAILED:
      return "an allocation failed";
    case CUFFT_INVALID_SIZE:
      return "this length is not supported";
    case CUFFT_INVALID_VALUE:
      return "a value is not supported";
    case CUFFT_EXEC_FAILED:
      return "the execution failed";
    case CUFFT_SETUP_FAILED:
      return "the library could not start";
    case CUFFT_INTERNAL_ERROR:
      return "internal error of the library";
    default:
      return "error of the library";
  }
}

/// After these, "the process must be terminated and relaunched" (CUDA Runtime API, cudaError); by number
/// where older toolkits have no name for one.
bool is_final(cudaError_t code) {
  constexpr int kContained = 226;         // a fault of this process alone, CUDA 12.8
  constexpr int kTensorMemoryLeak = 721;  // CUDA 12.8
  switch (static_cast<int>(code)) {
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case kContained:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorContextIsDestroyed:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case kTensorMemoryLeak:
      return true;
    default:
      return false;
  }
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
  // cuFFT does not tell that the device is lost; any other call does.
  if (const cudaError_t cause = cudaFree(nullptr); is_final(cause)) check(host, cause, what);
  (void)cudaGetLastError();
  const std::string text = std::string(what) + ": " + text_of(code);
  const DeviceError trouble = code == CUFFT_ALLOC_FAILED ? DeviceError::out_of_memory
                              : code == CUFFT_INVALID_SIZE || code == CUFFT_INVALID_VALUE
                                  ? DeviceError::unsupported
                                  : DeviceError::device;
  host.fail(trouble, text.c_str(), code);
}

DeviceScope::DeviceScope(Host& host, int device) {
  check(host, cudaGetDevice(&before_), "asking for the current device");
  check(host, cudaSetDevice(device), "choosing the device");
}

DeviceScope::~DeviceScope() { (void)cudaSetDevice(before_); }

std::recursive_mutex& LongCall::mutex() {
  static std::recursive_mutex instance;
  return instance;
}

void* allocate_device(Host& host, std::uint64_t bytes, const char* purpose) {
  host.book(bytes, purpose);
  void* data = nullptr;
  const auto attempt = [&] {
    const LongCall call;
    return cudaMalloc(&data, bytes);
  };
  cudaError_t code = attempt();
  if (code == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    release_scratch();
    (void)host.reclaim();
    code = attempt();
  }
  if (code != cudaSuccess) host.unbook(bytes);
  check(host, code, purpose);
  return data;
}

void free_device(Host& host, void* data, std::uint64_t bytes) noexcept {
  {
    const LongCall call;
    (void)cudaFree(data);
  }
  host.unbook(bytes);
}

PinnedBuffer::PinnedBuffer(Host& host, std::uint64_t bytes) {
  if (bytes == 0) return;
  host.book_host(bytes, "staging memory");
  const cudaError_t code = [&] {
    const LongCall call;
    return cudaMallocHost(&data_, bytes);
  }();
  if (code != cudaSuccess) host.unbook_host(bytes);
  check(host, code, "staging memory of the host");
  host_ = &host;
  bytes_ = bytes;
}

PinnedBuffer::~PinnedBuffer() {
  if (data_ == nullptr) return;
  {
    const LongCall call;
    (void)cudaFreeHost(data_);
  }
  host_->unbook_host(bytes_);
}

void finish_default_stream(Host& host, const char* purpose) {
  check(host, cudaStreamSynchronize(cudaStreamLegacy), purpose);
}

Stream::Stream(Host& host) : host_(host) {
  check(host, cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
}

Stream::~Stream() {
  (void)cudaStreamSynchronize(stream_);
  (void)cudaStreamDestroy(stream_);
}

Event::Event(Host& host) : host_(host) { check(host, cudaEventCreate(&event_), "creating an event"); }

Event::~Event() { (void)cudaEventDestroy(event_); }

double Event::seconds_since(const Event& earlier) {
  float milliseconds = 0;
  check(host_, cudaEventElapsedTime(&milliseconds, earlier.event_, event_), "reading an event");
  return static_cast<double>(milliseconds) * 1e-3;
}

FftLayout::FftLayout(const FftShape& shape)
    : type(shape.real ? CUFFT_R2C : CUFFT_C2C), batch(static_cast<long long>(shape.batch)) {
  const auto length = static_cast<long long>(shape.length);
  const auto rows = static_cast<long long>(shape.rows);
  const long long half = length / 2 + 1;
  if (rows > 1 || shape.real) {
    sizes = {rows, length};
    embed_in = {rows, shape.real ? 2 * half : length};
    embed_out = {rows, shape.real ? half : length};
    stride_in = rows * embed_in[1];
    stride_out = rows * embed_out[1];
  } else {
    sizes = embed_in = embed_out = {length};
    stride_in = stride_out = static_cast<long long>(shape.stride);
  }
}

std::uint64_t fft_work_bytes(const FftShape& shape, Host& host) {
  FftLayout layout(shape);
  const LongCall call;
  cufftHandle plan = 0;
  check(host, cufftCreate(&plan), "creating a cuFFT plan");
  std::size_t bytes = 0;
  const cufftResult code = cufftGetSizeMany64(
      plan, static_cast<int>(layout.sizes.size()), layout.sizes.data(), layout.embed_in.data(), 1,
      layout.stride_in, layout.embed_out.data(), 1, layout.stride_out, layout.type, layout.batch, &bytes);
  (void)cufftDestroy(plan);
  check(host, code, "asking cuFFT for the size of its work area");
  return bytes;
}

cufftHandle make_plan(Host& host, FftLayout& layout, std::size_t& work_bytes) {
  const LongCall call;
  cufftHandle plan = 0;
  check(host, cufftCreate(&plan), "creating a cuFFT plan");
  try {
    check(host, cufftSetAutoAllocation(plan, 0), "cuFFT's own work area");
    check(host,
          cufftMakePlanMany64(plan, static_cast<int>(layout.sizes.size()), layout.sizes.data(),
                              layout.embed_in.data(), 1, layout.stride_in, layout.embed_out.data(), 1,
                              layout.stride_out, layout.type, layout.batch, &work_bytes),
          "planning a cuFFT transform");
  } catch (...) {
    (void)cufftDestroy(plan);
    throw;
  }
  return plan;
}

FftPlan::FftPlan(Host& host, const FftLayout& wanted, cudaStream_t stream) : host_(host) {
  FftLayout layout = wanted;
  std::size_t bytes = 0;
  plan_ = make_plan(host, layout, bytes);
  // A constructor that throws runs no destructor of its own.
  try {
    work_ = DeviceBuffer<char>(host, bytes, "work area of cuFFT");
    if (bytes != 0) check(host, cufftSetWorkArea(plan_, work_.get()), "cuFFT's work area");
    check(host, cufftSetStream(plan_, stream), "cuFFT's stream");
  } catch (...) {
    (void)cufftDestroy(plan_);
    throw;
  }
}

FftPlan::~FftPlan() {
  const LongCall call;
  (void)cufftDestroy(plan_);
}

}  // namespace spyctrum::cuda
