// SPDX-License-Identifier: Apache-2.0
// What the methods share on CUDA: a job's context as the module sees it, with a ledger of device bytes, and
// rows by Algorithms 1 and 2.
#pragma once

#include <complex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/cuda_module.hpp"
#include "core/methods/byte_count.hpp"
#include "core/methods/method.hpp"

namespace spyctrum {

/// Every method runs on the CPU; on a CUDA device when that device is there.
[[nodiscard]] Support cpu_or_cuda(Backend backend);

/// The answer of a method without a CUDA version: why the device cannot be used, or that the method cannot.
[[nodiscard]] Support cpu_only(Backend backend, const std::string& label);

/// The module. Throws Failure{backend_unavailable}.
[[nodiscard]] cuda::Module& cuda_module();

[[nodiscard]] cuda::PatternView view_of(const SparsePattern& pattern);

/// The axis's frequencies as the module takes them, 0 … size−1.
[[nodiscard]] std::vector<std::uint32_t> indices_of(const FrequencyAxis& axis);

/// Device bytes that all running jobs hold, data that stays between them included where they use it; and the
/// most at any time.
struct DeviceJobBytes {
  std::uint64_t now = 0;
  std::uint64_t peak = 0;
};
[[nodiscard]] DeviceJobBytes device_job_bytes();

/// Passes the module's calls on to a JobContext; counts device bytes against what was free when the job
/// began.
class CudaHost : public cuda::Host {
 public:
  CudaHost(Backend backend, JobContext& context);
  CudaHost(Backend backend, JobContext& context, std::uint64_t device_bytes);
  ~CudaHost() override { context_.add_device_peak(device_.peak()); }
  CudaHost(const CudaHost&) = delete;
  CudaHost& operator=(const CudaHost&) = delete;
  void begin_stage(const char* name) override { context_.begin_stage(name); }
  void checkpoint(std::uint64_t done, std::uint64_t total) override { context_.checkpoint(done, total); }
  void book(std::uint64_t bytes, const char* purpose) override;
  void unbook(std::uint64_t bytes) noexcept override;
  void book_host(std::uint64_t bytes, const char* purpose) override { context_.memory().add(bytes, purpose); }
  void unbook_host(std::uint64_t bytes) noexcept override { context_.memory().remove(bytes); }
  [[nodiscard]] bool reclaim() noexcept override;
  [[noreturn]] void fail(cuda::Trouble trouble, const char* what, std::int64_t native) override;

  [[nodiscard]] const MemoryLedger& device_memory() const { return device_; }

 private:
  Backend backend_;
  JobContext& context_;
  MemoryLedger device_;
};

/// What a call of the module took: device seconds and bytes at the peak, cuFFT's work areas included.
struct CudaUse {
  double seconds = 0;
  std::uint64_t bytes = 0;
  [[nodiscard]] std::string note() const;  ///< "device memory 1.57 GB at the peak"
};

/// How rows are asked for.
struct CudaRows {
  cuda::RowAlgorithm algorithm = cuda::RowAlgorithm::ours;
  bool store_half = false;  ///< Algorithm 1's m·q output on the device first
  std::uint64_t tile = 0;
  bool wedges = false;  ///< in forecasts: nothing is made of the rows but reductions of wedges
};

/// Host bytes of cuda_stream_rows() and cuda_gather() where rows come to the host: page-locked tiles of
/// `width` coefficients a row.
void add_cuda_staging(ByteTerms& terms, const SparsePattern& pattern, std::uint64_t count,
                      std::uint64_t width, const CudaRows& rows);

/// T of cuda_stream_rows() where no row comes to the host.
[[nodiscard]] std::uint64_t cuda_reduced_tile(const SparsePattern& pattern, std::uint64_t count,
                                              const CudaRows& rows);

/// Every row u = 0 … ⌊m/2⌋ to every sink, begin() and finish() included.
CudaUse cuda_stream_rows(const SparsePattern& pattern, Backend backend, const CudaRows& rows,
                         std::span<RowSink* const> sinks, JobContext& context);

/// Rows at any frequencies, in this order: to `receiver` on the host (null: none) and to `reductions` (null:
/// none). What the receiver throws passes.
CudaUse cuda_run_rows(const SparsePattern& pattern, Backend backend, const CudaRows& rows,
                      std::span<const std::uint32_t> frequencies, cuda::RowReceiver* receiver,
                      const cuda::Reductions* reductions, JobContext& context);

/// What becomes of samples on a device.
struct CudaSamples {
  bool to_host = true;
  const cuda::Reductions* reductions = nullptr;
};

/// The coefficients of any grid by its rows and a gather, row-major; none of them where they stay on the
/// device.
[[nodiscard]] std::vector<std::complex<float>> cuda_gather(const SparsePattern& pattern, Backend backend,
                                                           const CudaRows& rows, const FrequencyGrid& grid,
                                                           const CudaSamples& samples, JobContext& context,
                                                           CudaUse& use);

/// A window by rows: its forecast, and the result.
[[nodiscard]] Forecast forecast_cuda_window(const Request& request, const FrequencyGrid& window,
                                            const CudaRows& rows);
[[nodiscard]] Spectrum run_cuda_window(const Request& request, const CudaRows& rows, JobContext& context);

/// Rows that arrive from the device, handed to sinks over the pool.
class SinkReceiver : public cuda::RowReceiver {
 public:
  SinkReceiver(const SparsePattern& pattern, std::span<RowSink* const> sinks, JobContext& context)
      : m_(pattern.rows()), n_(pattern.cols()), sinks_(sinks), context_(context) {}
  void take(std::uint64_t first, std::uint64_t count, const float* values) override;

 private:
  std::uint64_t m_;
  std::uint64_t n_;
  std::span<RowSink* const> sinks_;
  JobContext& context_;
};

}  // namespace spyctrum
