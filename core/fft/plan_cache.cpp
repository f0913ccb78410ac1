// SPDX-License-Identifier: Apache-2.0
#include "core/fft/plan_cache.hpp"

#include <list>
#include <mutex>

namespace spyctrum {

namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;

enum class Kind { complex_float, complex_double, real_float, real_double };

struct Entry {
  std::size_t length;
  Kind kind;
  PlanPtr plan;
  std::size_t bytes;
};

struct Cache {
  std::mutex mutex;
  std::list<Entry> entries;  // most recently used first
};

Cache& cache() {
  static Cache instance;
  return instance;
}

PlanPtr make(Kind kind, std::size_t length) {
  const auto& table = kernels::kernels();
  kernels::FftPlan* plan = nullptr;
  switch (kind) {
    case Kind::complex_float:
      plan = table.f.plan(length);
      break;
    case Kind::complex_double:
      plan = table.d.plan(length);
      break;
    case Kind::real_float:
      plan = table.f.real_plan(length);
      break;
    case Kind::real_double:
      plan = table.d.real_plan(length);
      break;
  }
  return {plan, [free_plan = table.free_plan](kernels::FftPlan* p) { free_plan(p); }};
}

/// The cached plan, moved to the front; empty when there is none.
PlanPtr look_up(Cache& from, Kind kind, std::size_t length) {
  for (auto at = from.entries.begin(); at != from.entries.end(); ++at)
    if (at->length == length && at->kind == kind) {
      from.entries.splice(from.entries.begin(), from.entries, at);
      return at->plan;
    }
  return {};
}

PlanPtr plan_for(Kind kind, std::size_t length) {
  Cache& plans = cache();
  {
    const std::lock_guard lock(plans.mutex);
    if (PlanPtr found = look_up(plans, kind, length)) return found;
  }
  PlanPtr made = make(kind, length);  // outside the lock: it may take milliseconds
  const std::size_t bytes = kernels::kernels().plan_bytes(made.get());
  const std::lock_guard lock(plans.mutex);
  if (PlanPtr found = look_up(plans, kind, length)) return found;
  plans.entries.push_front({length, kind, made, bytes});
  std::size_t sum = 0;
  for (auto at = plans.entries.begin(); at != plans.entries.end();) {
    sum += at->bytes;
    at = sum > kMostBytes && at != plans.entries.begin() ? plans.entries.erase(at) : std::next(at);
  }
  return made;
}

}  // namespace

template <>
PlanPtr complex_plan<float>(std::size_t length) {
  return plan_for(Kind::complex_float, length);
}
template <>
PlanPtr complex_plan<double>(std::size_t length) {
  return plan_for(Kind::complex_double, length);
}
template <>
PlanPtr real_plan<float>(std::size_t length) {
  return plan_for(Kind::real_float, length);
}
template <>
PlanPtr real_plan<double>(std::size_t length) {
  return plan_for(Kind::real_double, length);
}
template <>
const kernels::Loops<float>& loops<float>() {
  return kernels::kernels().f;
}
template <>
const kernels::Loops<double>& loops<double>() {
  return kernels::kernels().d;
}

}  // namespace spyctrum
