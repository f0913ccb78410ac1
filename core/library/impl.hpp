// SPDX-License-Identifier: Apache-2.0
// The implementations behind the public types, and conversion of internal values to public ones.
#pragma once

#include <utility>
#include <vector>

#include "core/base/backend.hpp"
#include "core/base/error.hpp"
#include "core/base/job_context.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/spectrum/spectrum.hpp"
#include "spyctrum/engine.hpp"

namespace spyctrum::v0 {

struct Matrix::Impl {
  spyctrum::Matrix matrix;
};

struct Spectrum::Impl {
  SpectrumPtr spectrum;
  std::vector<std::int64_t> u, v;
  std::optional<Features> features;
  Provenance provenance;
};

struct Engine::Impl {
  explicit Impl(const Settings& given, Backend chosen)
      : settings(given), backend(chosen), pool(given.threads) {}
  [[nodiscard]] JobContext context(const Job& job) const;

  Settings settings;
  Backend backend;
  mutable ThreadPool pool;  // thread-safe
};

[[nodiscard]] Error to_public(const spyctrum::Error& error);
[[nodiscard]] Exactness to_public(spyctrum::Exactness exactness);

/// The result of work(), which returns a T, or its exception as an Error (run_guarded()).
template <class T, class Work>
Result<T> guarded(Work&& work) {
  auto outcome = run_guarded(std::forward<Work>(work));
  if (!outcome) return to_public(outcome.error());
  return std::move(*outcome);
}

}  // namespace spyctrum::v0
