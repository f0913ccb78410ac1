// SPDX-License-Identifier: Apache-2.0
// Computes the rows as two windows of the exact method: the row u = 0, and an arithmetic progression of rows.
#include "app/study/reference_rows.hpp"

#include <algorithm>
#include <span>

#include "core/methods/method.hpp"
#include "core/reconstruction/reconstruction_errors.hpp"

namespace spyctrum {

namespace {

Result<SpectrumPtr> window(const PatternPtr& pattern, Backend backend, std::int64_t first, std::int64_t step,
                           std::uint64_t count, JobContext& context) {
  Request request;
  request.pattern = pattern;
  request.backend = backend;
  const std::uint64_t n = pattern->cols();
  request.window = FrequencyGrid{FrequencyAxis::progression(pattern->rows(), first, step, count),
                                 FrequencyAxis::progression(n, 0, 1, n)};
  return run_method(usual_method(MethodRole::window), std::move(request), context);
}

}  // namespace

Result<ReferenceRows> ReferenceRows::make(const PatternPtr& pattern, Backend backend, JobContext& context) {
  ReferenceRows reference;
  reference.m_ = pattern->rows();
  reference.n_ = pattern->cols();
  const std::uint64_t half = reference.m_ / 2;
  const std::uint64_t wanted = std::max<std::uint64_t>(1, kCoefficients / reference.n_);
  const std::uint64_t step = std::max<std::uint64_t>(1, half / wanted);
  const std::uint64_t count = half / step;
  const auto first = static_cast<std::int64_t>(1 + (step - 1) / 2);
  const auto keep = [&](std::int64_t from, std::uint64_t rows) -> Result<void> {
    auto values = window(pattern, backend, from, static_cast<std::int64_t>(step), rows, context);
    if (!values) return tl::unexpected<Error>(values.error());
    for (std::uint64_t k = 0; k < rows; ++k)
      reference.rows_.push_back(from + static_cast<std::int64_t>(k * step));
    reference.values_.insert(reference.values_.end(), (*values)->values.begin(), (*values)->values.end());
    return {};
  };
  if (auto kept = keep(0, 1); !kept) return tl::unexpected<Error>(kept.error());
  if (count > 0) {
    if (auto kept = keep(first, count); !kept) return tl::unexpected<Error>(kept.error());
  }
  return reference;
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
