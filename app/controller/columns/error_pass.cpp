// SPDX-License-Identifier: Apache-2.0
// Either every row, streamed by a method, or rows at equal distances, computed as lattices.
#include "app/controller/columns/error_pass.hpp"

#include <algorithm>
#include <memory>
#include <span>

#include "core/fft/lattice.hpp"
#include "core/methods/method.hpp"
#include "core/spectrum/rounding_floor.hpp"

namespace spyctrum {

namespace {

constexpr std::uint64_t kRowsAtOnce = 64;

/// Feeds rows u = first, first+step, … to the consumers, a few at a time.
void feed_sampled_rows(const SparsePattern& pattern, std::uint64_t rows,
                       std::span<ReconstructionErrorConsumer* const> consumers, JobContext& context) {
  const auto m = pattern.rows();
  const auto n = pattern.cols();
  const std::uint64_t half = m / 2;
  const std::uint64_t step = std::max<std::uint64_t>(1, half / rows);
  const std::uint64_t count = half / step;
  const FrequencyAxis columns = FrequencyAxis::progression(n, 0, 1, n);
  for (std::uint64_t done = 0; done < count; done += kRowsAtOnce) {
    context.checkpoint(done, count);
    const std::uint64_t batch = std::min(kRowsAtOnce, count - done);
    const auto first = static_cast<std::int64_t>(1 + (step - 1) / 2 + done * step);
    const FrequencyGrid grid{FrequencyAxis::progression(m, first, static_cast<std::int64_t>(step), batch),
                             columns};
    const auto values = lattice_transform(pattern, grid, LatticeOptions{}, context);
    context.pool().parallel_for(batch, 1, [&](std::size_t begin, std::size_t end, unsigned worker) {
      for (std::size_t row = begin; row < end; ++row) {
        const std::int64_t u = first + static_cast<std::int64_t>(row * step);
        const SpectrumRow passing{u, 2 * static_cast<std::uint64_t>(u) != m,
                                  std::span(values).subspan(row * n, n)};
        for (ReconstructionErrorConsumer* consumer : consumers) {
          context.check_stop();
          consumer->consume(passing, worker);
        }
      }
    });
  }
}

/// Every row of the plane to the consumers, on the CPU where the device cannot.
Fallback stream_every_row(const ErrorSpec& spec, std::span<RowConsumer* const> consumers,
                          JobContext& context) {
  const Method* method = find_method(spec.stream_method);
  if (method == nullptr) throw Failure(ErrorCode::internal, "No method " + spec.stream_method + ".");
  ResolvedRequest request = default_request(*method, spec.pattern);
  request.backend = spec.backend;
  Fallback fallback;
  Result<void> streamed = stream_method(*method, request, consumers, context);
  if (!streamed && is_for_cpu(spec.backend, streamed.error())) {
    fallback = streamed.error();
    request.backend = {};
    streamed = stream_method(*method, request, consumers, context);  // begin() clears the consumers
  }
  or_throw(std::move(streamed));
  return fallback;
}

}  // namespace

ColumnErrors reconstruction_errors(const ErrorSpec& spec, JobContext& context) {
  const std::uint64_t m = spec.pattern->rows();
  const std::uint64_t n = spec.pattern->cols();
  std::vector<std::unique_ptr<ReconstructionErrorConsumer>> consumers;
  std::vector<ReconstructionErrorConsumer*> error_consumers;
  const double floor = rounding_floor(*spec.pattern);
  for (const auto& [column, reconstruction] : spec.reconstructions) {
    consumers.push_back(std::make_unique<ReconstructionErrorConsumer>(*reconstruction, floor));
    error_consumers.push_back(consumers.back().get());
  }
  ColumnErrors errors;
  context.begin_stage("compare");
  const std::uint64_t rows = std::max<std::uint64_t>(1, kErrorCoefficients / n);
  if (spec.every_row || m / 2 + 1 <= rows) {
    const std::vector<RowConsumer*> passed(error_consumers.begin(), error_consumers.end());
    errors.fallback = stream_every_row(spec, passed, context);
  } else {
    for (ReconstructionErrorConsumer* consumer : error_consumers)
      consumer->begin(m, n, context.pool().threads());
    feed_sampled_rows(*spec.pattern, rows, error_consumers, context);
    for (ReconstructionErrorConsumer* consumer : error_consumers) consumer->finish();
  }
  for (std::size_t k = 0; k < consumers.size(); ++k)
    errors.of_columns.emplace_back(spec.reconstructions[k].first, consumers[k]->errors());
  return errors;
}

}  // namespace spyctrum
