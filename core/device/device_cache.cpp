// SPDX-License-Identifier: Apache-2.0
// Finds, makes and frees resident data. Evicted data is freed outside the lock, since that may wait for the
// device.
#include "core/device/device_cache.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "core/device/device_module.hpp"
#include "core/device/loader.hpp"
#include "core/fft/occupied_rows.hpp"

namespace spyctrum {

namespace {

constexpr std::uint64_t kResidentShare = 4;  // at most a quarter of the device's memory
constexpr std::ptrdiff_t kMostOrders = 6;    // per pattern: pictures of two panels, axes, samples

}  // namespace

template <class Make>
DeviceCache::DataPtr DeviceCache::resident(const std::shared_ptr<const void>& source, Kind kind,
                                           const Key& key, Make make) {
  const auto is_it = [&](const Entry& entry) {
    return entry.kind == kind && entry.key == key && entry.source.lock() == source;
  };
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(entries_.begin(), entries_.end(), is_it);
    if (found != entries_.end()) {
      entries_.splice(entries_.begin(), entries_, found);
      return found->data;
    }
  }
  DataPtr data(make());
  std::list<Entry> gone;  // freed outside the lock
  const std::lock_guard lock(mutex_);
  const auto twin = std::find_if(entries_.begin(), entries_.end(), is_it);  // made by another job meanwhile
  if (twin != entries_.end()) return twin->data;
  entries_.push_front({source, kind, key, data});
  const std::uint64_t free_bytes = pictures_.free_bytes(device_);
  std::uint64_t all = free_bytes;
  for (const Entry& entry : entries_) all += entry.data->bytes();
  std::uint64_t bytes = 0;
  std::ptrdiff_t orders = 0;
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto next = std::next(entry);
    bytes += entry->data->bytes();
    const bool same_owner = entry->kind == Kind::order && entry->source.lock() == source;
    orders += same_owner ? 1 : 0;
    if (entry != entries_.begin() &&
        (bytes > all / kResidentShare || entry->source.expired() || (same_owner && orders > kMostOrders)))
      gone.splice(gone.end(), entries_, entry);
    entry = next;
  }
  return data;
}

DeviceCache::DataPtr DeviceCache::pattern(const PatternPtr& pattern, cuda::Host& host) {
  return resident(pattern, Kind::pattern, {}, [&] {
    const std::vector<Index> slots = row_slots(*pattern);
    const auto& ids = pattern->row_counts().ids;
    cuda::PatternView view = view_of(*pattern);
    view.row_indices = slots.data();
    return pictures_.upload_pattern(device_, view, ids.data(), ids.size(), host);
  });
}

DeviceCache::DataPtr DeviceCache::order(const PatternPtr& pattern, const cuda::LatticeAxisSpec& rows,
                                        const cuda::LatticeAxisSpec& cols, cuda::LatticeOrder kind,
                                        cuda::Host& host) {
  // The address of the polynomials identifies a spreading function, since each is stored once.
  const auto function_of = [](const cuda::LatticeAxisSpec& axis) {
    return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(axis.polynomials));
  };
  const Key key{rows.step,         rows.fine,         rows.cell,
                function_of(rows), cols.step,         cols.fine,
                cols.cell,         function_of(cols), static_cast<std::uint64_t>(kind)};
  return resident(pattern, Kind::order, key, [&] {
    const DataPtr points = this->pattern(pattern, host);
    return pictures_.sort_order(device_, *points, rows, cols, kind, host);
  });
}

DeviceCache::DataPtr DeviceCache::values(const SpectrumPtr& spectrum, cuda::Host& host) {
  return resident(spectrum, Kind::values, {}, [&] {
    return pictures_.upload_values(device_, reinterpret_cast<const float*>(spectrum->values.data()),
                                   spectrum->values.size(), host);
  });
}

DeviceCache::DataPtr DeviceCache::pyramid(const SpectrumPtr& spectrum, cuda::Host& host) {
  return resident(spectrum, Kind::pyramid, {}, [&] {
    const DisplayPyramid& pyramid = *spectrum->pyramid;
    return pictures_.upload_pyramid(device_, pyramid.mean_power.data(), pyramid.max_power.data(),
                                    pyramid.mean_power.size(), host);
  });
}

std::uint64_t DeviceCache::bytes() const {
  const std::lock_guard lock(mutex_);
  std::uint64_t bytes = 0;
  for (const Entry& entry : entries_) bytes += entry.data->bytes();
  return bytes;
}

std::uint64_t DeviceCache::idle_bytes() const {
  const std::lock_guard lock(mutex_);
  std::uint64_t bytes = 0;
  for (const Entry& entry : entries_)
    if (entry.data.use_count() == 1) bytes += entry.data->bytes();
  return bytes;
}

DeviceCache::Held DeviceCache::held() const {
  const std::lock_guard lock(mutex_);
  Held held;
  for (const Entry& entry : entries_) {
    const std::uint64_t bytes = entry.data->bytes();
    (entry.kind == Kind::pattern ? held.patterns
     : entry.kind == Kind::order ? held.orders
                                 : held.values) += bytes;
  }
  return held;
}

template <class IsOver>
std::uint64_t DeviceCache::release(IsOver is_over) {
  std::list<Entry> gone;  // freed outside the lock
  std::uint64_t bytes = 0;
  const std::lock_guard lock(mutex_);
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto next = std::next(entry);
    if (is_over(*entry)) {
      bytes += entry->data->bytes();
      gone.splice(gone.end(), entries_, entry);
    }
    entry = next;
  }
  return bytes;
}

std::uint64_t DeviceCache::reclaim() {
  const std::uint64_t bytes = release([](const Entry& entry) { return entry.data.use_count() == 1; });
  pictures_.release_unused(device_);
  return bytes;
}

std::uint64_t DeviceCache::release_gone() {
  const std::uint64_t freed = release([](const Entry& entry) { return entry.source.expired(); });
  if (bytes() == 0) pictures_.release_unused(device_);
  return freed;
}

std::shared_ptr<DeviceCache> device_cache(int device) {
  cuda::Module* module = cuda::loaded_module().module;
  if (module == nullptr) return nullptr;
  // Never destroyed: when statics are destroyed, the driver may already be unloaded.
  static auto* mutex = new std::mutex;
  static auto* caches = new std::map<int, std::shared_ptr<DeviceCache>>;
  const std::lock_guard lock(*mutex);
  std::shared_ptr<DeviceCache>& cache = (*caches)[device];
  if (!cache) cache = std::make_shared<DeviceCache>(module->pictures(), device);
  return cache;
}

UsedData::UsedData(cuda::Host& host, DeviceCache::DataPtr data, const char* purpose)
    : host_(host), data_(std::move(data)) {
  host_.book(data_->bytes(), purpose);
}

UsedData::~UsedData() { host_.unbook(data_->bytes()); }

}  // namespace spyctrum
