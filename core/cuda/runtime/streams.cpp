// SPDX-License-Identifier: Apache-2.0
// Streams and events, whose creation is checked.
#include "core/cuda/runtime/streams.hpp"

namespace spyctrum::cuda {

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

}  // namespace spyctrum::cuda
