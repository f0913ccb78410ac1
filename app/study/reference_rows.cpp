// SPDX-License-Identifier: Apache-2.0
// Computes the rows as two windows of the exact method: the row u = 0, and an arithmetic progression of rows.
#include "app/study/reference_rows.hpp"

#include <algorithm>
#include <span>

#include "core/methods/method.hpp"
#include "core/reconstruction/reconstruction_errors.hpp"

namespace spyctrum {

ReferenceRows::ReferenceRows(const PatternPtr& pattern, Backend backend, JobContext& context)
    : m_(pattern->rows()), n_(pattern->cols()) {
  const std::uint64_t half = m_ / 2;
  const std::uint64_t wanted = std::max<std::uint64_t>(1, kCoefficients / n_);
  const auto step = static_cast<std::int64_t>(std::max<std::uint64_t>(1, half / wanted));
  const auto keep = [&](std::int64_t first, std::uint64_t count) {
    Request request;
    request.pattern = pattern;
    request.backend = backend;
    request.window = FrequencyGrid{FrequencyAxis::progression(m_, first, step, count),
                                   FrequencyAxis::progression(n_, 0, 1, n_)};
    const SpectrumPtr window =
        or_throw(run_method(usual_method(MethodRole::window), std::move(request), context));
    for (std::uint64_t k = 0; k < count; ++k) rows_.push_back(first + static_cast<std::int64_t>(k) * step);
    values_.insert(values_.end(), window->values.begin(), window->values.end());
  };
  keep(0, 1);
  const std::uint64_t count = half / static_cast<std::uint64_t>(step);
  if (count > 0) keep(1 + (step - 1) / 2, count);
}

ReconstructionErrors ReferenceRows::compare(const Reconstruction& reconstruction, JobContext& context) const {
  ReconstructionErrorConsumer consumer(reconstruction);
  consumer.begin(m_, n_, context.pool().threads());
  context.pool().parallel_for(rows_.size(), 1, [&](std::size_t begin, std::size_t end, unsigned worker) {
    for (std::size_t row = begin; row < end; ++row) {
      context.check_stop();
      const auto u = static_cast<std::uint64_t>(rows_[row]);
      consumer.consume({rows_[row], u != 0 && 2 * u != m_, std::span(values_).subspan(row * n_, n_)}, worker);
    }
  });
  consumer.finish();
  return consumer.errors();
}

}  // namespace spyctrum
