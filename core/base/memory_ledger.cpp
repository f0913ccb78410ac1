// SPDX-License-Identifier: Apache-2.0
// The ledger of bytes; physical and available memory from sysconf, /proc/meminfo and the control group.
#include "core/base/memory_ledger.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <limits>
#include <utility>

#include "core/base/error.hpp"

namespace spyctrum {

void MemoryLedger::add(std::uint64_t bytes, std::string_view purpose) {
  std::uint64_t before = current_.load(std::memory_order_relaxed);
  do {
    // written so that no sum overflows: forecasts can be as large as 2^64−1
    if (before > allowance_ || bytes > allowance_ - before) {
      throw Failure(ErrorCode::out_of_memory,
                    "The " + std::string(purpose) + " needs " + format_bytes(bytes) + " beside " +
                        format_bytes(before) + " already in use; the allowance is " +
                        format_bytes(allowance_) + ".",
                    "Raise --memory, or choose a larger block size or a smaller window.");
    }
  } while (!current_.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
  std::uint64_t peak = peak_.load(std::memory_order_relaxed);
  while (peak < before + bytes &&
         !peak_.compare_exchange_weak(peak, before + bytes, std::memory_order_relaxed)) {
  }
}

void MemoryLedger::remove(std::uint64_t bytes) noexcept {
  current_.fetch_sub(bytes, std::memory_order_relaxed);
}

Booking::Booking(MemoryLedger& ledger, std::uint64_t bytes, std::string_view purpose)
    : ledger_(&ledger), bytes_(bytes) {
  ledger.add(bytes, purpose);
}

Booking::Booking(Booking&& other) noexcept
    : ledger_(std::exchange(other.ledger_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Booking& Booking::operator=(Booking&& other) noexcept {
  std::swap(ledger_, other.ledger_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Booking::~Booking() {
  if (ledger_ != nullptr) ledger_->remove(bytes_);
}

namespace {

std::uint64_t read_number(const char* path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return (file >> value) ? value : std::numeric_limits<std::uint64_t>::max();
}

std::uint64_t meminfo_bytes(const std::string& key) {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::string unit;
  std::uint64_t kib = 0;
  while (file >> name >> kib) {
    std::getline(file, unit);
    if (name == key) return kib * 1024;
  }
  return 0;
}

}  // namespace

std::uint64_t physical_memory_bytes() {
  const auto pages = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
  return std::min(pages * page, read_number("/sys/fs/cgroup/memory.max"));
}

std::uint64_t available_memory_bytes() {
  std::uint64_t available = meminfo_bytes("MemAvailable:");
  if (available == 0) available = physical_memory_bytes() / 2;
  const std::uint64_t limit = read_number("/sys/fs/cgroup/memory.max");
  const std::uint64_t used = read_number("/sys/fs/cgroup/memory.current");
  if (limit != std::numeric_limits<std::uint64_t>::max() && used < limit)
    available = std::min(available, limit - used);
  return available;
}

std::uint64_t default_memory_allowance_bytes() { return available_memory_bytes() / 4 * 3; }

std::uint64_t memory_allowance_bytes(std::uint64_t requested) {
  return requested != 0 ? requested : default_memory_allowance_bytes();
}

void advise_large_pages([[maybe_unused]] void* array, [[maybe_unused]] std::uint64_t bytes) noexcept {
#ifdef MADV_HUGEPAGE
  constexpr std::uint64_t kLargePage = std::uint64_t{2} << 20U;
  const auto begin = reinterpret_cast<std::uintptr_t>(array);
  const std::uintptr_t first = (begin + kLargePage - 1) / kLargePage * kLargePage;
  const std::uintptr_t last = (begin + bytes) / kLargePage * kLargePage;
  // if the system refuses, only speed changes
  if (first < last)
    static_cast<void>(madvise(static_cast<char*>(array) + (first - begin), last - first, MADV_HUGEPAGE));
#endif
}

void map_pages([[maybe_unused]] void* array, [[maybe_unused]] std::uint64_t bytes) noexcept {
#ifdef MADV_POPULATE_WRITE
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
  const std::uint64_t before = reinterpret_cast<std::uintptr_t>(array) % page;
  // if the system refuses, only speed changes
  static_cast<void>(madvise(static_cast<char*>(array) - before, before + bytes, MADV_POPULATE_WRITE));
#endif
}

std::string format_bytes(std::uint64_t bytes) {
  static constexpr std::array<const char*, 7> kUnits{"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < kUnits.size(); ++unit) value /= 1000.0;
  std::array<char, 32> text{};
  const int digits = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  std::snprintf(text.data(), text.size(), "%.*f %s", digits, value, kUnits.at(unit));
  return text.data();
}

}  // namespace spyctrum
