// SPDX-License-Identifier: Apache-2.0
// The dense baseline on CUDA as in the paper: a real-to-complex cuFFT of the whole grid.
#include "core/methods/dense/dense_cuda.hpp"

#include <algorithm>

#include "core/device/device_consumers.hpp"
#include "core/device/device_module.hpp"
#include "core/device/interface/grids.hpp"
#include "core/engine/plane_outputs.hpp"
#include "core/spectrum/half_plane.hpp"

namespace spyctrum {

namespace {

class HalfReceiver : public cuda::RowReceiver {
 public:
  HalfReceiver(std::complex<float>* values, std::uint64_t n) : values_(values), n_(n) {}
  void take(std::uint64_t first, std::uint64_t count, const float* values) override {
    std::copy_n(reinterpret_cast<const std::complex<float>*>(values), count * n_, values_ + first * n_);
  }

 private:
  std::complex<float>* values_;
  std::uint64_t n_;
};

DeviceUse run(const SparsePattern& pattern, Backend backend, cuda::RowReceiver* receiver,
              const cuda::Reductions* reductions, JobContext& context) {
  return DeviceJob(backend, context).run(cuda::DenseTask{view_of(pattern), receiver, reductions});
}

}  // namespace

void add_dense_cuda_terms(ByteTerms& terms, std::uint64_t m, std::uint64_t n) {
  terms.add("page-locked rows", cuda::delivery_bytes(half_rows(m), n));
}

DeviceUse dense_stream_cuda(const SparsePattern& pattern, Backend backend,
                            std::span<RowConsumer* const> consumers, JobContext& context) {
  DeviceConsumers split(pattern, backend, consumers, context);
  const DeviceUse use = run(pattern, backend, split.receiver(), split.reductions(), context);
  split.finish();
  return use;
}

BookedVector<std::complex<float>> dense_cuda(const SparsePattern& pattern, Backend backend,
                                             JobContext& context) {
  BookedVector<std::complex<float>> output(context, half_rows(pattern.rows()) * pattern.cols(),
                                           "half spectrum");
  HalfReceiver receiver(output.data.data(), pattern.cols());
  (void)run(pattern, backend, &receiver, nullptr, context);
  return output;
}

}  // namespace spyctrum
