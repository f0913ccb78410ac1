// SPDX-License-Identifier: Apache-2.0
// Counts the bytes that a job's own arrays hold and refuses what passes the
// allowance, so that the forecast of a method can be shown beside what was
// measured.
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

  /// Books `bytes`; throws Failure{out_of_memory} naming `purpose` when the
  /// allowance would be passed.
  void add(std::uint64_t bytes, std::string_view purpose);
  void remove(std::uint64_t bytes) noexcept;
  /// The peak counts from what is held now: a job that follows another in the same ledger measures itself.
  void restart_peak() noexcept { peak_.store(current(), std::memory_order_relaxed); }

  [[nodiscard]] std::uint64_t current() const noexcept { return current_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t peak() const noexcept { return peak_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t allowance() const noexcept { return allowance_; }

 private:
  std::uint64_t allowance_;
  std::atomic<std::uint64_t> current_{0};
  std::atomic<std::uint64_t> peak_{0};
};

/// Books bytes for as long as it lives.
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

/// Physical memory of this machine in bytes, and what is free for the taking
/// now (cgroup limits respected on Linux).
[[nodiscard]] std::uint64_t physical_memory_bytes();
[[nodiscard]] std::uint64_t available_memory_bytes();
/// The allowance used when the user names none: three quarters of what is
/// available.
[[nodiscard]] std::uint64_t default_memory_allowance_bytes();
/// What a job may hold that asks for `wanted` bytes: these, or the default where it asks for none (0).
[[nodiscard]] std::uint64_t memory_allowance_bytes(std::uint64_t wanted);

/// Asks the system to back a large array, not touched yet, by large pages: gigabytes are then mapped and
/// given back in milliseconds instead of tenths of a second, which a stop would have to wait for.
/// Does nothing for small arrays or where the system does not offer it.
void advise_large_pages(void* array, std::uint64_t bytes) noexcept;

/// "1.57 GB" (powers of ten), for messages.
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);

}  // namespace spyctrum
