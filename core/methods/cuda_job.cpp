// SPDX-License-Identifier: Apache-2.0
// Between the methods and the CUDA module. Values come back to the host where they are asked for; what they
// are reduced to is reduced on the device (device_sinks.hpp, device_samples.hpp).
#include "core/methods/cuda_job.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "core/base/cuda_loader.hpp"
#include "core/fft/fft.hpp"
#include "core/methods/cuda_forecast.hpp"
#include "core/methods/cuda_row_shape.hpp"
#include "core/methods/device_cache.hpp"
#include "core/methods/device_samples.hpp"
#include "core/methods/device_sinks.hpp"
#include "core/methods/plane.hpp"
#include "core/methods/windows.hpp"

namespace spyctrum {

namespace {

/// Of all jobs; each has its own allowance.
MemoryLedger& all_jobs() {
  static MemoryLedger ledger(std::numeric_limits<std::uint64_t>::max());
  return ledger;
}

std::uint64_t device_bytes(Backend backend, const JobContext& context) {
  const std::uint64_t free =
      cuda_module().facts(backend.device).free_bytes + device_cache(backend.device)->idle_bytes();
  return context.device_bytes() == 0 ? free : std::min(free, context.device_bytes());
}

cuda::RowTask row_task(const SparsePattern& pattern, const CudaRows& rows,
                       std::span<const std::uint32_t> frequencies) {
  cuda::RowTask task;
  task.pattern = view_of(pattern);
  task.frequencies = frequencies.data();
  task.count = frequencies.size();
  task.width = pattern.cols();
  task.tile = rows.tile;
  task.algorithm = rows.algorithm;
  return task;
}

/// Stores what arrives one after the other.
class ArrayReceiver : public cuda::RowReceiver {
 public:
  ArrayReceiver(std::complex<float>* values, std::uint64_t width) : values_(values), width_(width) {}
  void take(std::uint64_t first, std::uint64_t count, const float* values) override {
    std::copy_n(reinterpret_cast<const std::complex<float>*>(values), count * width_,
                values_ + first * width_);
  }

 private:
  std::complex<float>* values_;
  std::uint64_t width_;
};

/// A job's rows.
cuda::Timing run_rows(const SparsePattern& pattern, cuda::RowTask& task, Backend backend,
                      cuda::RowReceiver* receiver, CudaHost& host) {
  const bool wedges = receiver == nullptr && task.reductions != nullptr && task.reductions->wedges;
  const std::vector<cuda::RowShape> shapes = row_shapes(pattern.cols(), task.algorithm, backend, wedges);
  task.shapes = shapes.data();
  task.shape_count = shapes.size();
  return cuda_module().rows(backend.device, task, receiver, host);
}

}  // namespace

Support cpu_or_cuda(Backend backend) {
  if (backend.kind == BackendKind::cpu) return {};
  const std::string reason = cuda_unavailable_reason();
  if (!reason.empty()) return {false, "the CUDA backend is not available: " + reason};
  if (backend.device >= cuda_module().device_count())
    return {false, "there is no device " + to_string(backend)};
  return {};
}

Support cpu_only(Backend backend, const std::string& label) {
  Support support = cpu_or_cuda(backend);
  if (!support.ok || backend.kind == BackendKind::cpu) return support;
  return {false, label + " runs on the CPU only in this version"};
}

std::vector<std::uint32_t> indices_of(const FrequencyAxis& axis) {
  std::vector<std::uint32_t> indices(axis.count());
  for (std::uint64_t k = 0; k < axis.count(); ++k) indices[k] = static_cast<std::uint32_t>(axis.index_at(k));
  return indices;
}

cuda::Module& cuda_module() {
  const std::string reason = cuda_unavailable_reason();
  if (!reason.empty()) {
    throw Failure(ErrorCode::backend_unavailable, "The CUDA backend is not available: " + reason + ".",
                  "Use --backend cpu.");
  }
  return *cuda::loaded_module().module;
}

cuda::PatternView view_of(const SparsePattern& pattern) {
  return {pattern.rows(),
          pattern.cols(),
          static_cast<std::uint64_t>(pattern.nonzeros()),
          pattern.column_ids().size(),
          pattern.column_ids().data(),
          pattern.column_starts().data(),
          pattern.row_indices().data()};
}

CudaHost::CudaHost(Backend backend, JobContext& context)
    : CudaHost(backend, context, device_bytes(backend, context)) {}

CudaHost::CudaHost(Backend backend, JobContext& context, std::uint64_t device_bytes)
    : backend_(backend), context_(context), device_(device_bytes) {
  // Of a device that is lost no byte is free, which would be a misleading reason.
  if (const std::string lost = cuda::loss(); !lost.empty())
    throw Failure(ErrorCode::backend_unavailable, lost + ".", "Use --backend cpu.");
}

void CudaHost::book(std::uint64_t bytes, const char* purpose) {
  const std::uint64_t held = device_.current();
  if (bytes > device_.allowance() - std::min(held, device_.allowance())) {
    throw Failure(ErrorCode::out_of_memory,
                  std::string("The ") + purpose + " needs " + format_bytes(bytes) + " beside " +
                      format_bytes(held) + " already in use; " + to_string(backend_) + " has " +
                      format_bytes(device_.allowance()) + " free.",
                  "Choose a smaller tile, a larger block, a smaller window, or --backend cpu.");
  }
  device_.add(bytes, purpose);
  all_jobs().add(bytes, purpose);
}

void CudaHost::unbook(std::uint64_t bytes) noexcept {
  device_.remove(bytes);
  all_jobs().remove(bytes);
}

DeviceJobBytes device_job_bytes() { return {all_jobs().current(), all_jobs().peak()}; }

bool CudaHost::reclaim() noexcept {
  try {
    const std::shared_ptr<DeviceCache> cache = device_cache(backend_.device);
    return cache != nullptr && cache->reclaim() > 0;
  } catch (...) {
    return false;  // no memory of the host for it
  }
}

void CudaHost::fail(cuda::Trouble trouble, const char* what, std::int64_t native) {
  const std::string text = to_string(backend_) + ": " + what + ".";
  switch (trouble) {
    case cuda::Trouble::out_of_memory:
      throw Failure(Error{ErrorCode::out_of_memory, text,
                          "Choose a smaller tile, a larger block, a smaller window, or --backend cpu.",
                          native});
    case cuda::Trouble::unsupported:
      throw Failure(Error{ErrorCode::backend_unavailable, text, "Use --backend cpu.", native});
    case cuda::Trouble::lost:
      cuda::note_loss(what);
      throw Failure(Error{ErrorCode::backend_unavailable, to_string(backend_) + ": " + cuda::loss() + ".",
                          "Start the program again, or use --backend cpu.", native});
    case cuda::Trouble::device:
      break;
  }
  throw Failure(Error{ErrorCode::internal, text, "Use --backend cpu.", native});
}

std::string CudaUse::note() const { return "device memory " + format_bytes(bytes) + " at the peak"; }

void add_cuda_staging(ByteTerms& terms, const SparsePattern& pattern, std::uint64_t count,
                      std::uint64_t width, const CudaRows& rows) {
  const std::uint64_t height =
      cuda::tile_rows(rows.tile, count, cuda::built_length(pattern.cols(), rows.algorithm));
  const std::uint64_t tiles = cuda::row_streams(count, height);
  terms.add(std::string(tiles == 1 ? "a page-locked tile" : "two page-locked tiles") + " of " +
                std::to_string(height) + " rows",
            saturating_product(8 * tiles * height, width));
}

std::uint64_t cuda_reduced_tile(const SparsePattern& pattern, std::uint64_t count, const CudaRows& rows) {
  return cuda::reduced_tile_rows(rows.tile, count, cuda::built_length(pattern.cols(), rows.algorithm));
}

void SinkReceiver::take(std::uint64_t first, std::uint64_t count, const float* values) {
  const std::span<const std::complex<float>> rows(reinterpret_cast<const std::complex<float>*>(values),
                                                  count * n_);
  const std::size_t grain =
      std::max<std::uint64_t>(1, (std::uint64_t{1} << 18) / std::max<std::uint64_t>(1, n_));
  context_.pool().parallel_for(count, grain, [&](std::size_t begin, std::size_t end, unsigned worker) {
    context_.check_stop();
    for (std::size_t k = begin; k < end; ++k) {
      SpectrumRow row = spectrum_row(static_cast<std::int64_t>(first + k), m_, rows.subspan(k * n_, n_));
      row.ends_run = k + 1 == end;
      for (RowSink* sink : sinks_) sink->consume(row, worker);
    }
  });
}

CudaUse cuda_stream_rows(const SparsePattern& pattern, Backend backend, const CudaRows& rows,
                         std::span<RowSink* const> sinks, JobContext& context) {
  std::vector<std::uint32_t> frequencies(half_rows(pattern.rows()));
  std::iota(frequencies.begin(), frequencies.end(), 0U);
  DeviceSinks split(pattern, backend, sinks, context);
  const CudaUse use =
      cuda_run_rows(pattern, backend, rows, frequencies, split.receiver(), split.reductions(), context);
  split.finish();
  return use;
}

CudaUse cuda_run_rows(const SparsePattern& pattern, Backend backend, const CudaRows& rows,
                      std::span<const std::uint32_t> frequencies, cuda::RowReceiver* receiver,
                      const cuda::Reductions* reductions, JobContext& context) {
  cuda::RowTask task = row_task(pattern, rows, frequencies);
  task.output = rows.store_half ? cuda::RowOutput::paper_half : cuda::RowOutput::rows;
  task.reductions = reductions;
  if (receiver == nullptr) task.tile = cuda_reduced_tile(pattern, task.count, rows);
  CudaHost host(backend, context);
  const cuda::Timing timing = run_rows(pattern, task, backend, receiver, host);
  return {timing.device_seconds, host.device_memory().peak()};
}

std::vector<std::complex<float>> cuda_gather(const SparsePattern& pattern, Backend backend,
                                             const CudaRows& rows, const FrequencyGrid& grid,
                                             const CudaSamples& samples, JobContext& context, CudaUse& use) {
  const std::vector<std::uint32_t> u = indices_of(grid.rows);
  const std::vector<std::uint32_t> v = indices_of(grid.cols);
  BookedVector<std::complex<float>> values(context, samples.to_host ? grid.count() : 0, "coefficients");
  cuda::RowTask task = row_task(pattern, rows, u);
  task.columns = v.data();
  task.width = v.size();
  task.output = cuda::RowOutput::gather;
  task.reductions = samples.reductions;
  ArrayReceiver receiver(values.data.data(), task.width);
  CudaHost host(backend, context);
  const cuda::Timing timing = run_rows(pattern, task, backend, samples.to_host ? &receiver : nullptr, host);
  use = {timing.device_seconds, host.device_memory().peak()};
  return std::move(values.data);
}

Forecast forecast_cuda_window(const Request& request, const FrequencyGrid& window, const CudaRows& rows) {
  const SparsePattern& pattern = *request.pattern;
  const std::uint64_t count = window.rows.count();
  ByteTerms terms;
  terms.add("classes of the samples", DeviceSamples::bytes(request, count));
  if (request.window || request.products.values || !request.products.features) {
    terms.add("values", saturating_product(8, saturating_product(count, window.cols.count())));
    add_cuda_staging(terms, pattern, count, window.cols.count(), rows);
  }
  const RowPlan plan = plan_rows(pattern, LengthRule::paper, count, static_cast<std::int64_t>(rows.tile), 1);
  Forecast forecast{terms.total(), plan.operations, terms.text()};
  ByteTerms device = device_row_terms(pattern, request.backend, count, window.cols.count(), rows);
  device.add("classes and sums of the samples",
             DeviceSamples::device_bytes(request, count, window.cols.count(), kDeviceLanes));
  add_device(forecast, device);
  return forecast;
}

Spectrum run_cuda_window(const Request& request, const CudaRows& rows, JobContext& context) {
  CudaUse use;
  Spectrum spectrum = sampled_spectrum(
      *request.pattern, *request.window,
      cuda_gather(*request.pattern, request.backend, rows, *request.window, {}, context, use));
  spectrum.provenance.note = use.note();
  return spectrum;
}

}  // namespace spyctrum
