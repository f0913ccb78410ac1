// SPDX-License-Identifier: Apache-2.0
// The services that a job offers to the CUDA module (progress, cancellation, ledgers of memory, errors); the
// rows and the time of a task; and a sparsity pattern as the module reads it.
#pragma once

#include <cstdint>

namespace spyctrum::cuda {

enum class DeviceError {
  out_of_memory,  ///< of the device
  unsupported,    ///< by this device or its libraries, at these sizes
  device,         ///< any other error that CUDA or cuFFT reported
  lost,           ///< every later CUDA call of the process fails as well
};

/// The job that the module works for. Functions that are not noexcept may throw; exceptions pass through the
/// module, which frees its resources.
class Host {
 public:
  virtual ~Host() = default;
  virtual void begin_stage(const char* name) = 0;
  /// Reports progress. Throws if the job is cancelled.
  virtual void checkpoint(std::uint64_t done, std::uint64_t total) = 0;
  /// Counts device bytes, including cuFFT's work areas. Throws if they exceed what the job may use.
  virtual void book(std::uint64_t bytes, const char* purpose) = 0;
  virtual void unbook(std::uint64_t bytes) noexcept = 0;
  /// The same for page-locked memory of the host.
  virtual void book_host(std::uint64_t bytes, const char* purpose) = 0;
  virtual void unbook_host(std::uint64_t bytes) noexcept = 0;
  /// Called when an allocation failed: frees resident data that no job uses. Returns false if there was none.
  [[nodiscard]] virtual bool reclaim() noexcept { return false; }
  /// Throws. `native`: the cudaError or cufftResult.
  [[noreturn]] virtual void fail(DeviceError error, const char* what, std::int64_t native) = 0;
};

/// Receives rows on the host. take(): `values` contains the rows first … first+count−1 of the task; valid
/// during the call only. May throw.
class RowReceiver {
 public:
  virtual ~RowReceiver() = default;
  virtual void take(std::uint64_t first, std::uint64_t count, const float* values) = 0;
};

/// Seconds of a task on the device, from its first kernel to its last, by CUDA events. Copies to the host
/// count only if they overlap with computation, i.e. if rows are streamed to a receiver.
struct Timing {
  double device_seconds = 0;
};

/// A sparse matrix in compressed columns without the empty ones; all pointers are to host memory.
struct PatternView {
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::uint64_t nonzeros = 0;
  std::uint64_t active = 0;                     ///< number of columns that have entries
  const std::uint32_t* column_ids = nullptr;    ///< [active]
  const std::int64_t* column_starts = nullptr;  ///< [active + 1]
  const std::uint32_t* row_indices = nullptr;   ///< [nonzeros]
  const float* weights = nullptr;               ///< [nonzeros]; null: every entry counts as 1
};

/// Whether row indices have 16 bits on the device. Kernels for weights exist for 32 bits only.
[[nodiscard]] constexpr bool is_narrow(std::uint64_t rows, bool has_weights) {
  return rows <= 65536 && !has_weights;
}

}  // namespace spyctrum::cuda
