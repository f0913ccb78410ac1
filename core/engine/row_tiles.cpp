// SPDX-License-Identifier: Apache-2.0
// Sizes and runs tiles of rows over the thread pool.
#include "core/engine/row_tiles.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>

#include "core/engine/plane_outputs.hpp"
#include "core/fft/aligned_buffer.hpp"
#include "core/fft/fft.hpp"

namespace spyctrum {

namespace {

constexpr double kTileSeconds = 0.012;
// Rough single-core costs, for sizing tiles only: one term of the inner sum, one flop of an FFT.
constexpr double kSecondsPerTerm = 0.25e-9;
constexpr double kSecondsPerFlop = 0.045e-9;
// Four groups of eight lanes read each entry once (core/fft/row_transform.cpp); more rows are not faster.
constexpr std::uint64_t kBestTile = 32;
constexpr std::uint64_t kLanes = 8;
constexpr std::uint64_t kFewestTiles = 16;  // unless a tile would have fewer rows than lanes
constexpr std::uint64_t kLargeTile = std::uint64_t{1} << 23;  // 64 MiB

double row_flops(std::uint64_t n, LengthRule rule) {
  const double length = static_cast<double>(std::max<std::uint64_t>(2, n));
  const double direct = 5.0 * length * std::log2(length);
  if (is_smooth(n)) return direct;
  // Bluestein: two transforms of about twice the length; resampling: one of 1.5 times the length, and 18
  // operations per value.
  return rule == LengthRule::paper ? 4.5 * direct : 1.5 * direct + 18.0 * length;
}

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

/// Seconds that each worker spent on transforming and on consuming; one cache line per worker.
struct alignas(64) WorkerClock {
  double transform = 0;
  double consume = 0;
};

/// Divides the wall time of the current stage between "transform" and `consume_stage` in proportion to the
/// workers' seconds.
void split_stage(std::span<const WorkerClock> clocks, double wall, std::string_view consume_stage,
                 JobContext& context) {
  double transform = 0;
  double consume = 0;
  for (const WorkerClock& clock : clocks) {
    transform += clock.transform;
    consume += clock.consume;
  }
  const double total = transform + consume;
  if (total <= 0) return;
  context.add_stage_seconds(consume_stage, wall * consume / total);
  context.add_stage_seconds("transform", -wall * consume / total);
}

}  // namespace

std::uint64_t RowPlan::buffer_bytes() const {
  const std::uint64_t values = saturating_sum(saturating_product(tile, length), scratch);
  return saturating_product(8 * std::uint64_t{workers}, values);
}

void RowPlan::add_terms(ByteTerms& terms) const {
  terms.add("tiles", buffer_bytes());
  terms.add("tables", table_bytes);
}

RowPlan plan_rows(const SparsePattern& pattern, LengthRule rule, std::uint64_t rows, std::int64_t tile,
                  unsigned threads) {
  const RowTransformSizes sizes = row_transform_sizes(pattern, rule);
  RowPlan plan;
  plan.rows = rows;
  plan.workers = thread_count(threads);
  plan.length = sizes.length;
  plan.table_bytes = sizes.table_bytes;
  const auto terms = static_cast<double>(pattern.nonzeros());
  const double flops = row_flops(pattern.cols(), rule);
  plan.operations = static_cast<double>(rows) * (4.0 * terms + flops);
  if (tile > 0) {
    plan.tile = static_cast<std::uint64_t>(tile);
  } else {
    const double row_seconds = terms * kSecondsPerTerm + flops * kSecondsPerFlop;
    const auto in_time = static_cast<std::uint64_t>(
        std::clamp(kTileSeconds / row_seconds, 1.0, static_cast<double>(kBestTile)));
    const std::uint64_t in_memory =
        std::max<std::uint64_t>(1, kLargeTile / std::max<std::uint64_t>(1, plan.length));
    plan.tile = std::min(in_time, in_memory);
    if (plan.tile > kLanes) plan.tile -= plan.tile % kLanes;
  }
  // Enough tiles for many threads. T must not depend on their number, since sums are taken tile by tile and
  // results must not depend on the number of threads.
  plan.tile =
      std::clamp<std::uint64_t>(plan.tile, 1, std::max(kLanes, rows / kFewestTiles / kLanes * kLanes));
  plan.tile = std::min(plan.tile, std::max<std::uint64_t>(1, rows));
  plan.scratch = sizes.scratch_size(plan.tile);
  return plan;
}

void for_each_row(const SparsePattern& pattern, LengthRule rule, const FrequencyAxis& axis,
                  const RowPlan& plan, std::string_view consume_stage, JobContext& context,
                  const RowCallback& consume) {
  context.begin_stage("prepare");
  const Booking tables(context.memory(), plan.table_bytes, "twiddle tables");
  const RowTransform transform(pattern, rule);
  const std::size_t stride = transform.length();
  const std::size_t buffer_size = plan.tile * stride + plan.scratch;
  const Booking booked(context.memory(), plan.workers * buffer_size * sizeof(std::complex<float>),
                       "row tiles");
  WorkerBuffers<std::complex<float>> buffers(plan.workers, buffer_size);
  std::vector<WorkerClock> clocks(plan.workers);
  std::atomic<std::uint64_t> done{0};

  context.begin_stage("transform");
  const Clock::time_point began = Clock::now();
  context.pool().parallel_for(
      axis.count(), plan.tile, [&](std::size_t begin, std::size_t end, unsigned worker) {
        context.check_stop();
        const std::span<std::complex<float>> buffer = buffers.of(worker);
        const Clock::time_point start = Clock::now();
        std::vector<std::int64_t> u(end - begin);
        for (std::size_t k = 0; k < u.size(); ++k) u[k] = static_cast<std::int64_t>(axis.index_at(begin + k));
        const auto half_width = rule == LengthRule::resampled_bands
                                    ? static_cast<std::size_t>(*std::max_element(u.begin(), u.end()))
                                    : pattern.cols();
        transform.transform_band(u, half_width, buffer.data(), stride, buffer.subspan(plan.tile * stride));
        const Clock::time_point built = Clock::now();
        context.check_stop();
        for (std::size_t position = begin; position < end; ++position)
          consume(position, buffer.subspan((position - begin) * stride, pattern.cols()), worker);
        clocks[worker].transform += seconds_between(start, built);
        clocks[worker].consume += seconds_between(built, Clock::now());
        context.checkpoint(done += end - begin, axis.count());
      });
  split_stage(clocks, seconds_between(began, Clock::now()), consume_stage, context);
}

void stream_rows(const SparsePattern& pattern, LengthRule rule, const RowPlan& plan,
                 std::span<RowConsumer* const> consumers, JobContext& context) {
  for (RowConsumer* consumer : consumers)
    consumer->begin(pattern.rows(), pattern.cols(), context.pool().threads());
  const FrequencyAxis rows = half_grid(pattern.rows(), pattern.cols()).rows;
  for_each_row(pattern, rule, rows, plan, "reduce", context,
               [&](std::size_t position, std::span<const std::complex<float>> row, unsigned worker) {
                 SpectrumRow passing = spectrum_row(rows.at(position), pattern.rows(), row,
                                                    rule == LengthRule::resampled_bands);
                 passing.ends_run = (position + 1) % plan.tile == 0 || position + 1 == rows.count();
                 for (RowConsumer* consumer : consumers) consumer->consume(passing, worker);
               });
  for (RowConsumer* consumer : consumers) consumer->finish();
}

std::vector<std::complex<float>> gather_grid(const SparsePattern& pattern, LengthRule rule,
                                             const FrequencyGrid& grid, const RowPlan& plan,
                                             JobContext& context) {
  const std::uint64_t width = grid.cols.count();
  BookedVector<std::complex<float>> values(context, grid.count(), "coefficients");
  std::vector<std::int64_t> v(width);
  for (std::uint64_t q = 0; q < width; ++q) v[q] = static_cast<std::int64_t>(grid.cols.index_at(q));
  for_each_row(pattern, rule, grid.rows, plan, "gather", context,
               [&](std::size_t position, std::span<const std::complex<float>> row, unsigned /*worker*/) {
                 std::complex<float>* out = values.data.data() + position * width;
                 for (std::uint64_t q = 0; q < width; ++q) out[q] = row[static_cast<std::size_t>(v[q])];
               });
  return std::move(values.data);
}

}  // namespace spyctrum
