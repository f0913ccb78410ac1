// SPDX-License-Identifier: Apache-2.0
// Data that is resident on a device between jobs and pictures: patterns, the orders of a pattern's entries on
// a fine grid (one for all lattices of the same steps and sizes), values of spectra, and pyramids. Resident
// data is freed when its pattern or spectrum is destroyed, when all resident data would exceed a quarter of
// the device's memory (least recently used first), and when an allocation fails.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "core/device/interface/lattice.hpp"
#include "core/device/interface/module.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum {

/// Thread-safe. pattern(), order(), values() and pyramid() return the resident data, which the first call
/// uploads; they throw Failure{out_of_memory}, {backend_unavailable}, {internal}, as the module reports.
class DeviceCache {
 public:
  using DataPtr = std::shared_ptr<const cuda::DeviceData>;

  /// `pictures` must outlive this object.
  DeviceCache(cuda::Pictures& pictures, int device) : pictures_(pictures), device_(device) {}

  [[nodiscard]] DataPtr pattern(const PatternPtr& pattern, cuda::Host& host);
  [[nodiscard]] DataPtr order(const PatternPtr& pattern, const cuda::LatticeAxisSpec& rows,
                              const cuda::LatticeAxisSpec& cols, cuda::LatticeOrder kind, cuda::Host& host);
  [[nodiscard]] DataPtr values(const SpectrumPtr& spectrum, cuda::Host& host);
  /// Means and maxima of |F|² of the spectrum's pyramid, which must exist.
  [[nodiscard]] DataPtr pyramid(const SpectrumPtr& spectrum, cuda::Host& host);

  [[nodiscard]] std::uint64_t bytes() const;
  /// Resident bytes by kind; bytes() is their sum.
  struct Held {
    std::uint64_t patterns = 0;
    std::uint64_t orders = 0;
    std::uint64_t values = 0;  ///< of spectra and pyramids
  };
  [[nodiscard]] Held held() const;
  /// Resident bytes that no job uses now.
  [[nodiscard]] std::uint64_t idle_bytes() const;
  /// Frees the resident data that no job uses, and the memory that the module keeps for later calls
  /// (Pictures::release_unused()). Returns the freed bytes of resident data. May wait for the device.
  std::uint64_t reclaim();
  /// Frees the data of destroyed patterns and spectra and, if no resident data remains, the memory that the
  /// module keeps for later calls. Returns the freed bytes of resident data. May wait for the device.
  std::uint64_t release_gone();

 private:
  enum class Kind { pattern, order, values, pyramid };
  using Key = std::vector<std::uint64_t>;  ///< for an order, the numbers of both axes that determine it
  struct Entry {
    std::weak_ptr<const void> source;
    Kind kind = Kind::pattern;
    Key key;
    DataPtr data;
  };
  /// Frees the entries for which is_over(entry) is true; returns their bytes.
  template <class IsOver>
  std::uint64_t release(IsOver is_over);
  /// The resident data of `source`; if there is none, the result of make(), which becomes resident.
  template <class Make>
  [[nodiscard]] DataPtr resident(const std::shared_ptr<const void>& source, Kind kind, const Key& key,
                                 Make make);

  cuda::Pictures& pictures_;
  int device_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  ///< most recently used first; guarded by the mutex
};

/// The cache of a device; null if no CUDA module is loaded.
[[nodiscard]] std::shared_ptr<DeviceCache> device_cache(int device);

/// Resident data while a job uses it: its bytes are booked in the job's ledger of device bytes.
class UsedData {
 public:
  UsedData(cuda::Host& host, DeviceCache::DataPtr data, const char* purpose);
  ~UsedData();
  UsedData(const UsedData&) = delete;
  UsedData& operator=(const UsedData&) = delete;
  [[nodiscard]] const cuda::DeviceData* get() const { return data_.get(); }

 private:
  cuda::Host& host_;
  DeviceCache::DataPtr data_;
};

}  // namespace spyctrum
