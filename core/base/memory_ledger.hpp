// SPDX-License-Identifier: Apache-2.0
// Counts the bytes of a job's large arrays and refuses an array that would exceed the allowance. The measured
// peak is shown beside the method's forecast of its memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace spyctrum {

/// Bytes held now, at the peak, and allowed. Thread-safe.
class MemoryLedger {
 public:
  explicit MemoryLedger(std::uint64_t allowance_bytes) : allowance_(allowance_bytes) {}

  /// Books `bytes`; throws Failure{out_of_memory} naming `purpose` if the allowance would be exceeded.
  void add(std::uint64_t bytes, std::string_view purpose);
  void remove(std::uint64_t bytes) noexcept;
  /// Sets the peak to the bytes held now, so that several jobs with one ledger have separate peaks.
  void restart_peak() noexcept { peak_.store(current(), std::memory_order_relaxed); }

  [[nodiscard]] std::uint64_t current() const noexcept { return current_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t peak() const noexcept { return peak_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t allowance() const noexcept { return allowance_; }

 private:
  std::uint64_t allowance_;
  std::atomic<std::uint64_t> current_{0};
  std::atomic<std::uint64_t> peak_{0};
};

/// Books bytes in the constructor and returns them in the destructor (RAII).
class Booking {
 public:
  Booking() = default;
  Booking(MemoryLedger& ledger, std::uint64_t bytes, std::string_view purpose);
  Booking(Booking&& other) noexcept;
  Booking& operator=(Booking&& other) noexcept;
  Booking(const Booking&) = delete;
  Booking& operator=(const Booking&) = delete;
  ~Booking();

 private:
  MemoryLedger* ledger_ = nullptr;
  std::uint64_t bytes_ = 0;
};

/// Physical memory of this machine, and the part of it that is available now, in bytes, both within the
/// limits of the Linux control group (cgroup v2).
[[nodiscard]] std::uint64_t physical_memory_bytes();
[[nodiscard]] std::uint64_t available_memory_bytes();
/// The default allowance: three quarters of the available memory.
[[nodiscard]] std::uint64_t default_memory_allowance_bytes();
/// `requested` bytes, or default_memory_allowance_bytes() if `requested` is 0.
[[nodiscard]] std::uint64_t memory_allowance_bytes(std::uint64_t requested);

/// Tells the system to use large pages for a large array that was not written yet: gigabytes are then mapped
/// and returned in milliseconds instead of tenths of a second, which would delay a stop. No effect on small
/// arrays or on systems without large pages.
void advise_large_pages(void* array, std::uint64_t bytes) noexcept;
/// Lets the system map the pages of a part of an array at once rather than each at the first write to it.
/// Changes no element, so other threads may use the array meanwhile. No effect on Linux before 5.14.
void map_pages(void* array, std::uint64_t bytes) noexcept;

/// "1.57 GB" (powers of ten), for messages.
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);

}  // namespace spyctrum
