// SPDX-License-Identifier: Apache-2.0
// What a job offers the CUDA module (progress, cancellation, ledgers of memory, errors), and a pattern as the
// module reads it.
#pragma once

#include <cstdint>

namespace spyctrum::cuda {

enum class DeviceError {
  out_of_memory,  ///< of the device
  unsupported,    ///< by this device or its libraries, at these sizes
  device,         ///< any other error that CUDA or cuFFT reported
  lost,           ///< an error after which CUDA answers nothing else until the process ends
};

/// What a job offers the module. Every call but unbook() may throw; the module lets exceptions pass and frees
/// what it holds on the way.
class Host {
 public:
  virtual ~Host() = default;
  virtual void begin_stage(const char* name) = 0;
  /// Progress, and the point of cancellation.
  virtual void checkpoint(std::uint64_t done, std::uint64_t total) = 0;
  /// Counts device bytes, cuFFT's work areas included.
  virtual void book(std::uint64_t bytes, const char* purpose) = 0;
  virtual void unbook(std::uint64_t bytes) noexcept = 0;
  /// The same for page-locked memory of the host.
  virtual void book_host(std::uint64_t bytes, const char* purpose) = 0;
  virtual void unbook_host(std::uint64_t bytes) noexcept = 0;
  /// Asked when an allocation failed: gives back device memory that is only kept for later. False: there was
  /// none.
  [[nodiscard]] virtual bool reclaim() noexcept { return false; }
  /// Throws. `native`: the cudaError or cufftResult.
  [[noreturn]] virtual void fail(DeviceError trouble, const char* what, std::int64_t native) = 0;
};

/// A pattern in compressed columns, the non-empty ones only; all pointers to host memory.
struct PatternView {
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::uint64_t nonzeros = 0;
  std::uint64_t active = 0;                     ///< columns that hold entries
  const std::uint32_t* column_ids = nullptr;    ///< [active]
  const std::int64_t* column_starts = nullptr;  ///< [active + 1]
  const std::uint32_t* row_indices = nullptr;   ///< [nonzeros]
};

}  // namespace spyctrum::cuda
