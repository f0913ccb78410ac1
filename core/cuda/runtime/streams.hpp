// SPDX-License-Identifier: Apache-2.0
// CUDA streams and events with destructors.
#pragma once

#include "core/cuda/runtime/calls.hpp"

namespace spyctrum::cuda {

/// Creates a stream of the highest priority, for pictures, for which the user waits.
[[nodiscard]] inline cudaError_t create_urgent_stream(cudaStream_t& stream) {
  int least = 0;
  int greatest = 0;
  const cudaError_t code = cudaDeviceGetStreamPriorityRange(&least, &greatest);
  if (code != cudaSuccess) return code;
  return cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest);
}

/// Its destructor waits for the work on a stream, also after an exception, so that buffers declared before it
/// outlive that work.
struct StreamWait {
  cudaStream_t stream;
  ~StreamWait() { (void)cudaStreamSynchronize(stream); }
};

/// A stream. Its destructor waits for the work on it, so that buffers declared before it outlive that work.
class Stream {
 public:
  explicit Stream(Host& host, bool is_urgent = false) : host_(host) {
    check(host,
          is_urgent ? create_urgent_stream(stream_)
                    : cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
          "creating a stream");
  }
  ~Stream() {
    (void)cudaStreamSynchronize(stream_);
    (void)cudaStreamDestroy(stream_);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  [[nodiscard]] cudaStream_t get() const { return stream_; }
  void synchronize() { check(host_, cudaStreamSynchronize(stream_), "waiting for the device"); }

 private:
  Host& host_;
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  explicit Event(Host& host) : host_(host) { check(host, cudaEventCreate(&event_), "creating an event"); }
  ~Event() { (void)cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record(cudaStream_t stream) { check(host_, cudaEventRecord(event_, stream), "recording an event"); }
  void synchronize() { check(host_, cudaEventSynchronize(event_), "waiting for an event"); }
  [[nodiscard]] double seconds_since(const Event& earlier) const {
    float milliseconds = 0;
    check(host_, cudaEventElapsedTime(&milliseconds, earlier.event_, event_), "reading an event");
    return static_cast<double>(milliseconds) * 1e-3;
  }

 private:
  Host& host_;
  cudaEvent_t event_ = nullptr;
};

}  // namespace spyctrum::cuda
