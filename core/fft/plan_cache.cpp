// SPDX-License-Identifier: Apache-2.0
#include "core/fft/plan_cache.hpp"

#include <list>
#include <mutex>

namespace spyctrum {

namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;

struct Key {
  std::size_t length = 0;
  std::size_t value_bytes = 0;  // of T
  bool real = false;
  friend bool operator==(const Key&, const Key&) = default;
};

struct Entry {
  Key key;
  PlanPtr plan;
  std::size_t bytes = 0;
};

struct Cache {
  std::mutex mutex;
  std::list<Entry> entries;  // most recently used first
};

Cache& cache() {
  static Cache instance;
  return instance;
}

/// The cached plan, moved to the front; empty when there is none.
PlanPtr look_up(Cache& from, const Key& key) {
  for (auto at = from.entries.begin(); at != from.entries.end(); ++at)
    if (at->key == key) {
      from.entries.splice(from.entries.begin(), from.entries, at);
      return at->plan;
    }
  return {};
}

template <class T>
PlanPtr plan_for(std::size_t length, bool real) {
  const Key key{length, sizeof(T), real};
  const auto& table = kernels::kernels();
  Cache& plans = cache();
  {
    const std::lock_guard lock(plans.mutex);
    if (PlanPtr found = look_up(plans, key)) return found;
  }
  // Outside the lock: it may take milliseconds.
  PlanPtr made(real ? loops<T>().real_plan(length) : loops<T>().plan(length),
               [free_plan = table.free_plan](kernels::FftPlan* plan) { free_plan(plan); });
  const std::size_t bytes = table.plan_bytes(made.get());
  const std::lock_guard lock(plans.mutex);
  if (PlanPtr found = look_up(plans, key)) return found;
  plans.entries.push_front({key, made, bytes});
  std::size_t sum = 0;
  for (auto at = plans.entries.begin(); at != plans.entries.end();) {
    sum += at->bytes;
    at = sum > kMostBytes && at != plans.entries.begin() ? plans.entries.erase(at) : std::next(at);
  }
  return made;
}

}  // namespace

template <>
const kernels::Loops<float>& loops<float>() {
  return kernels::kernels().f;
}
template <>
const kernels::Loops<double>& loops<double>() {
  return kernels::kernels().d;
}

template <class T>
PlanPtr complex_plan(std::size_t length) {
  return plan_for<T>(length, false);
}
template <class T>
PlanPtr real_plan(std::size_t length) {
  return plan_for<T>(length, true);
}
template PlanPtr complex_plan<float>(std::size_t);
template PlanPtr complex_plan<double>(std::size_t);
template PlanPtr real_plan<float>(std::size_t);
template PlanPtr real_plan<double>(std::size_t);

}  // namespace spyctrum
