// SPDX-License-Identifier: Apache-2.0
// A list in the order of the last use, searched from its front: a job uses only a few plans.
#include "core/fft/plan_cache.hpp"

#include <algorithm>
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

std::mutex mutex;
std::list<Entry> plans;  // most recently used first; guarded by the mutex

/// The cached plan, moved to the front; empty when there is none.
PlanPtr look_up(const Key& key) {
  const auto found = std::ranges::find(plans, key, &Entry::key);
  if (found == plans.end()) return {};
  plans.splice(plans.begin(), plans, found);
  return found->plan;
}

/// Returns the cached plan, or makes and caches it.
template <class T>
PlanPtr plan_for(std::size_t length, bool real) {
  const Key key{length, sizeof(T), real};
  const auto& table = kernels::kernels();
  {
    const std::lock_guard lock(mutex);
    if (PlanPtr found = look_up(key)) return found;
  }
  // Outside the lock: making a plan may take milliseconds.
  PlanPtr made(real ? loops<T>().real_plan(length) : loops<T>().plan(length),
               [free_plan = table.free_plan](kernels::FftPlan* plan) { free_plan(plan); });
  const std::size_t bytes = table.plan_bytes(made.get());
  const std::lock_guard lock(mutex);
  if (PlanPtr found = look_up(key)) return found;
  plans.push_front({key, made, bytes});
  std::size_t sum = 0;
  for (auto at = plans.begin(); at != plans.end();) {
    sum += at->bytes;
    at = sum > kMostBytes && at != plans.begin() ? plans.erase(at) : std::next(at);
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
template PlanPtr complex_plan<float>(std::size_t);
template PlanPtr complex_plan<double>(std::size_t);

PlanPtr real_plan(std::size_t length) { return plan_for<float>(length, true); }

}  // namespace spyctrum
