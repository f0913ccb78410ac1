// SPDX-License-Identifier: Apache-2.0
// The pattern stays on the device until the object is destroyed; lines and known coefficients are uploaded
// with each call.
#include <memory>

#include "core/cuda/runtime/fft_plans.hpp"
#include "core/cuda/runtime/streams.hpp"
#include "core/cuda/runtime/task_entry.hpp"
#include "core/cuda/slices/slice_kernels.hpp"
#include "core/device/interface/slices.hpp"

namespace spyctrum::cuda {

namespace {

class DeviceLines : public Slices {
 public:
  DeviceLines(const SliceTask& spec, Host& host)
      : host_(host),
        spec_(spec),
        starts_(upload(host, spec.starts, spec.cols + 1, "pattern")),
        rows_(upload(host, spec.row_indices, spec.nonzeros, "pattern")),
        weights_(upload(host, spec.weights, spec.weights != nullptr ? spec.nonzeros : 0, "weights")),
        lines_(host, spec.lines, "lines"),
        u_(host, spec.most_known, "known coefficients"),
        v_(host, spec.most_known, "known coefficients"),
        values_(host, 2 * spec.most_known, "known coefficients"),
        bins_(host, 3 * spec.lines * spec.length, "slices"),
        sums_(host, 6 * spec.lines * spec.length, "sums of known coefficients"),
        stream_(host),
        plan_(host, slice_fft(spec), stream_.get()),
        began_(host),
        ended_(host) {
    check(host, cudaGetDevice(&device_), "asking for the device");
  }

  double bins(const SliceLine* lines, std::uint64_t count, const SliceKnown& known, float* out) override {
    const DeviceScope scope(host_, device_);
    const std::uint64_t values = 3 * count * spec_.length;
    copy_to_device(host_, lines_.get(), lines, count, stream_.get(), "lines to the device");
    copy_to_device(host_, u_.get(), known.u, known.count, stream_.get(), "lines to the device");
    copy_to_device(host_, v_.get(), known.v, known.count, stream_.get(), "lines to the device");
    copy_to_device(host_, values_.get(), known.values, 2 * known.count, stream_.get(), "lines to the device");
    const DeviceSlices slices{spec_.rows,  spec_.cols,     spec_.length, starts_.get(),
                              rows_.get(), weights_.get(), lines_.get(), static_cast<std::uint32_t>(count)};
    began_.record(stream_.get());
    // Lines after the first `count` are also transformed, but not read.
    set_zero(host_, bins_.get(), 3 * spec_.lines * spec_.length, stream_.get(), "clearing slices");
    check(host_, launch_sample_lines(slices, bins_.get(), stream_.get()), "sampling lines");
    plan_.complex(bins_.get(), CUFFT_FORWARD);
    if (known.count != 0) {
      set_zero(host_, sums_.get(), 2 * values, stream_.get(), "clearing sums");
      check(host_,
            launch_sum_known(slices, {known.count, u_.get(), v_.get(), values_.get()}, sums_.get(),
                             stream_.get()),
            "summing known coefficients");
      check(host_, launch_subtract(sums_.get(), values, bins_.get(), stream_.get()), "subtracting");
    }
    ended_.record(stream_.get());
    ended_.synchronize();
    download(host_, out, bins_.get(), values, "slices to the host");
    return ended_.seconds_since(began_);
  }

 private:
  int device_ = 0;
  Host& host_;
  SliceTask spec_;
  DeviceBuffer<std::int64_t> starts_;
  DeviceBuffer<std::uint32_t> rows_;
  DeviceBuffer<float> weights_;
  DeviceBuffer<SliceLine> lines_;
  DeviceBuffer<std::uint32_t> u_, v_;
  DeviceBuffer<float> values_;
  DeviceBuffer<float2> bins_;
  DeviceBuffer<std::int64_t> sums_;
  Stream stream_;
  FftPlan plan_;
  Event began_, ended_;
};

Timing run(const SliceTask& task, Host& host) {
  *task.made = std::make_unique<DeviceLines>(task, host).release();
  return {};
}

}  // namespace

template <>
TaskEntry task_entry<SliceTask>() {
  return make_task_entry<SliceTask, run>();
}

}  // namespace spyctrum::cuda
