// SPDX-License-Identifier: Apache-2.0
// Computes the rows as two windows of the exact method: the row u = 0, and an arithmetic progression of rows.
#include "app/study/reference_rows.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "app/study/measurement.hpp"
#include "core/spectrum/rounding_floor.hpp"

namespace spyctrum {

namespace {

class DifferenceConsumer : public RowConsumer {
 public:
  DifferenceConsumer(const SparsePattern& pattern, std::span<const std::int64_t> rows,
                     std::span<const std::complex<float>> values)
      : mean_(std::sqrt(static_cast<double>(pattern.nonzeros()))),
        floor_(rounding_floor(pattern)),
        rows_(rows),
        values_(values) {}
  void begin(std::uint64_t /*m*/, std::uint64_t /*n*/, unsigned workers) override {
    of_workers_.assign(workers, {});
  }
  void consume(const SpectrumRow& row, unsigned worker) override {
    const auto found = std::ranges::lower_bound(rows_, row.u);
    if (found == rows_.end() || *found != row.u) return;
    const auto exact = values_.subspan(static_cast<std::size_t>(found - rows_.begin()) * row.values.size());
    PlaneDifference& largest = of_workers_[worker];
    for (std::size_t v = 0; v < row.values.size(); ++v) {
      const std::complex<double> value(exact[v]);
      const double difference = std::abs(std::complex<double>(row.values[v]) - value);
      largest.of_mean = std::max(largest.of_mean, difference / mean_);
      if (std::norm(value) >= floor_)
        largest.relative = std::max(largest.relative, difference / std::abs(value));
    }
  }
  void finish() override {
    for (const PlaneDifference& one : of_workers_)
      largest_ = {std::max(largest_.of_mean, one.of_mean), std::max(largest_.relative, one.relative)};
  }
  [[nodiscard]] PlaneDifference largest() const { return largest_; }

 private:
  double mean_;
  double floor_;
  std::span<const std::int64_t> rows_;
  std::span<const std::complex<float>> values_;
  std::vector<PlaneDifference> of_workers_;
  PlaneDifference largest_;
};

}  // namespace

ReferenceRows::ReferenceRows(const PatternPtr& pattern, Backend backend, JobContext& context)
    : pattern_(pattern), backend_(backend), m_(pattern->rows()), n_(pattern->cols()) {
  const std::uint64_t half = m_ / 2;
  const std::uint64_t most = std::max<std::uint64_t>(1, kCoefficients / n_);
  const auto step = static_cast<std::int64_t>(std::max<std::uint64_t>(1, half / most));
  const auto keep = [&](std::int64_t first, std::uint64_t count) {
    const Method& method = usual_method(MethodRole::window);
    ResolvedRequest request = default_request(method, pattern);
    request.backend = backend;
    request.window = FrequencyGrid{FrequencyAxis::progression(m_, first, step, count),
                                   FrequencyAxis::progression(n_, 0, 1, n_)};
    const SpectrumPtr window = or_throw(run_method(method, std::move(request), context));
    for (std::uint64_t k = 0; k < count; ++k) rows_.push_back(first + static_cast<std::int64_t>(k) * step);
    values_.insert(values_.end(), window->values.begin(), window->values.end());
  };
  keep(0, 1);
  const std::uint64_t count = half / static_cast<std::uint64_t>(step);
  if (count > 0) keep(1 + (step - 1) / 2, count);
}

PlaneDifference ReferenceRows::compare(const Method& method, const ResolvedRequest& request,
                                       JobContext& context) const {
  DifferenceConsumer consumer(*request.pattern, rows_, values_);
  RowConsumer* const consumers[] = {&consumer};
  or_throw(stream_method(method, request, consumers, context));
  return consumer.largest();
}

ReconstructionErrors ReferenceRows::compare(const Reconstruction& reconstruction, JobContext& context) const {
  if (m_ <= kEveryRow / n_) {
    const Method& method = usual_method(MethodRole::plane);
    ResolvedRequest request = default_request(method, pattern_);
    request.backend = backend_;
    const Reconstruction* const planes[] = {&reconstruction};
    return errors_against_plane(method, request, planes, context).front();
  }
  ReconstructionErrorConsumer consumer(reconstruction, rounding_floor(*pattern_));
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
