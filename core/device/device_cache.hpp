// SPDX-License-Identifier: Apache-2.0
// What stays on a device between jobs and pictures: patterns (sent once), the order of their entries on a
// fine grid (sorted once for all lattices of the same steps and sizes), values of spectra and pyramids. It
// goes when its owner goes, when a quarter of the memory would be passed, and when an allocation fails.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "core/device/interface/module.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum {

/// Thread-safe. Errors as the module reports them: Failure out_of_memory, backend_unavailable, internal.
class DeviceCache {
 public:
  using DataPtr = std::shared_ptr<const cuda::DeviceData>;

  /// `pictures` must outlive this.
  DeviceCache(cuda::Pictures& pictures, int device) : pictures_(pictures), device_(device) {}

  [[nodiscard]] DataPtr pattern(const PatternPtr& pattern, cuda::Host& host);
  [[nodiscard]] DataPtr order(const PatternPtr& pattern, const cuda::LatticeAxisSpec& rows,
                              const cuda::LatticeAxisSpec& cols, cuda::LatticeOrder kind, cuda::Host& host);
  [[nodiscard]] DataPtr values(const SpectrumPtr& spectrum, cuda::Host& host);
  /// Pairs of mean and maximum; the spectrum has a pyramid.
  [[nodiscard]] DataPtr pyramid(const SpectrumPtr& spectrum, cuda::Host& host);

  [[nodiscard]] std::uint64_t bytes() const;
  /// The same by what it is.
  struct Held {
    std::uint64_t patterns = 0;
    std::uint64_t orders = 0;
    std::uint64_t values = 0;  ///< of spectra and pyramids
  };
  [[nodiscard]] Held held() const;
  /// Of those, what no job uses now.
  [[nodiscard]] std::uint64_t idle_bytes() const;
  /// Frees that, and what waits on the device for later calls (Pictures::release_unused()); may wait for the
  /// device. Returns how much of idle_bytes() it was.
  std::uint64_t reclaim();
  /// Frees what belonged to patterns and spectra that are gone, and where nothing is left then, what waits on
  /// the device for later calls as well; may wait for the device. Returns the bytes of the former.
  std::uint64_t release_gone();

 private:
  enum class Kind { pattern, order, values, pyramid };
  using Key = std::vector<std::uint64_t>;  ///< of an order: what it depends on
  struct Kept {
    std::weak_ptr<const void> source;
    Kind kind = Kind::pattern;
    Key key;
    DataPtr data;
  };
  /// Frees what `is_over` says of; returns its bytes.
  template <class IsOver>
  std::uint64_t release(IsOver is_over);
  /// What is kept of `source`, else what `make` returns.
  template <class Make>
  [[nodiscard]] DataPtr kept(const std::shared_ptr<const void>& source, Kind kind, const Key& key, Make make);

  cuda::Pictures& pictures_;
  int device_;
  mutable std::mutex mutex_;  // guards what follows
  std::list<Kept> kept_;      ///< newest use first
};

/// The one of a device of the loaded module; null without a module.
[[nodiscard]] std::shared_ptr<DeviceCache> device_cache(int device);

/// Kept data while a job uses it: counted in the job's ledger of device bytes.
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
