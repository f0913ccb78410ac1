// SPDX-License-Identifier: Apache-2.0
// Workers compute the tiles of one round of FeatureProgress after the other. Unless it is paused, the stream
// ends only between rounds, at a check point, so that the set of computed rows depends on the pattern, the
// seed and the required error alone. A tile is a run of consecutive rows, which cost hardly more than in a
// stream in ascending order.
#include "core/engine/refining_stream.hpp"

#include <algorithm>
#include <atomic>
#include <complex>
#include <numeric>

#include "core/base/text.hpp"
#include "core/engine/plane_outputs.hpp"
#include "core/engine/row_tiles.hpp"
#include "core/fft/aligned_buffer.hpp"
#include "core/request/shared_parameters.hpp"
#include "core/spectrum/row_consumer.hpp"

namespace spyctrum {

namespace {

using Complex = std::complex<float>;

/// Computes the rows of tiles, `rows_at_once` rows together.
class TileStream {
 public:
  TileStream(const SparsePattern& pattern, const RowTransform& transform, std::uint64_t rows_at_once,
             PlaneProgress& progress)
      : pattern_(pattern),
        transform_(transform),
        rows_at_once_(rows_at_once),
        progress_(progress),
        order_(ColumnOrder::dft(pattern.cols())) {}

  /// Computes the rows of the tile that are missing. Returns false, and stores the partial tile, if the
  /// stream should end before the tile is complete.
  bool pass(std::uint64_t tile, std::span<Complex> buffer, unsigned worker, const JobContext& context) const {
    const std::uint64_t end = progress_.features().first_row(tile + 1);
    PlaneProgress::PartialTile partial = progress_.take_partial(tile);
    try {
      for (std::uint64_t u = progress_.features().first_row(tile) + partial.rows; u < end;) {
        if (partial.rows > 0 && progress_.is_paused()) {
          progress_.store_partial(tile, partial);
          return false;
        }
        const std::uint64_t count = std::min(rows_at_once_, end - u);
        take_rows(u, count, buffer, worker, partial.totals, context);
        partial.rows += count;
        u += count;
      }
    } catch (...) {
      progress_.store_partial(tile, partial);
      throw;
    }
    progress_.features().add(tile, partial.totals);
    return true;
  }
  /// Computes the tiles `run`, which follow one another, are whole and have at most `rows_at_once` rows
  /// together.
  void pass_together(std::span<const std::uint64_t> run, std::span<Complex> buffer, unsigned worker,
                     const JobContext& context) const {
    const FeatureProgress& features = progress_.features();
    const std::uint64_t first = features.first_row(run.front());
    transform_rows(first, features.first_row(run.back() + 1) - first, buffer, context);
    for (const std::uint64_t tile : run) {
      FeatureTotals totals;
      const std::uint64_t begin = features.first_row(tile);
      add_rows(begin, features.first_row(tile + 1) - begin,
               buffer.subspan((begin - first) * transform_.length()), worker, totals);
      progress_.features().add(tile, totals);
    }
  }

 private:
  /// Computes and adds all of the rows, or none if a stop is requested.
  void take_rows(std::uint64_t first, std::uint64_t count, std::span<Complex> buffer, unsigned worker,
                 FeatureTotals& totals, const JobContext& context) const {
    transform_rows(first, count, buffer, context);
    add_rows(first, count, buffer, worker, totals);
  }
  void transform_rows(std::uint64_t first, std::uint64_t count, std::span<Complex> buffer,
                      const JobContext& context) const {
    const std::size_t stride = transform_.length();
    std::vector<std::int64_t> u(count);
    std::iota(u.begin(), u.end(), static_cast<std::int64_t>(first));
    context.check_stop();
    const std::size_t reach = progress_.symmetric_half() ? first + count - 1 : pattern_.cols();
    transform_.transform_band(u, reach, buffer.data(), stride, buffer.subspan(rows_at_once_ * stride));
    context.check_stop();
  }
  void add_rows(std::uint64_t first, std::uint64_t count, std::span<const Complex> values, unsigned worker,
                FeatureTotals& totals) const {
    FeatureRows rows(pattern_.rows(), pattern_.cols());
    for (std::size_t k = 0; k < count; ++k) {
      const SpectrumRow row =
          spectrum_row(static_cast<std::int64_t>(first + k), pattern_.rows(),
                       values.subspan(k * transform_.length(), pattern_.cols()), progress_.symmetric_half());
      rows.add(row, order_);
      progress_.consume(row, worker);
    }
    totals.add(rows.totals());
  }

  const SparsePattern& pattern_;
  const RowTransform& transform_;
  std::uint64_t rows_at_once_;
  PlaneProgress& progress_;
  ColumnOrder order_;
};

/// Divides the remaining tiles, ascending, into runs that TileStream::pass_together() takes.
std::vector<std::vector<std::uint64_t>> runs_of_tiles(PlaneProgress& progress, std::uint64_t rows_at_once) {
  const FeatureProgress& features = progress.features();
  std::vector<std::uint64_t> tiles = features.remaining();
  std::sort(tiles.begin(), tiles.end());
  std::vector<std::vector<std::uint64_t>> runs;
  for (const std::uint64_t tile : tiles) {
    const bool continues =
        !runs.empty() && runs.back().back() + 1 == tile &&
        features.first_row(tile + 1) - features.first_row(runs.back().front()) <= rows_at_once;
    if (!continues) runs.emplace_back();
    runs.back().push_back(tile);
  }
  return runs;
}

std::string percent(double share) { return number_text(100 * share, 2) + " %"; }

}  // namespace

void stream_refining(const SparsePattern& pattern, std::int64_t tile, std::uint32_t pyramid_cells,
                     PlaneProgress& progress, JobContext& context) {
  context.begin_stage("prepare");
  progress.prepare(pattern, pyramid_cells, context);
  const FlushAtEnd flush(progress);
  std::vector<std::uint64_t> tiles = progress.features().next_round();
  if (tiles.empty() || progress.is_enough()) return;
  const std::uint64_t half = half_rows(pattern.rows());
  const LengthRule rule = progress.symmetric_half() ? LengthRule::resampled_bands : LengthRule::library;
  RowPlan plan = plan_rows(pattern, rule, half, tile, context.pool().threads());
  const FeatureProgress& features = progress.features();
  // a tile that was begun in an earlier run is not whole any more
  const bool in_order =
      progress.takes_rows_in_order() && !progress.has_partial_tiles() && !progress.is_shared();
  plan.tile =
      in_order ? std::max(plan.tile, features.tile_rows()) : std::min(plan.tile, features.tile_rows());
  const Booking tables(context.memory(), plan.table_bytes, "twiddle tables");
  const RowTransform transform(pattern, rule);
  const std::size_t buffer_size = plan.tile * transform.length() + transform.scratch_size(plan.tile);
  const unsigned workers = context.pool().threads();
  const Booking booked(context.memory(), workers * buffer_size * sizeof(Complex), "row tiles");
  WorkerBuffers<Complex> buffers(workers, buffer_size);
  const TileStream stream(pattern, transform, plan.tile, progress);
  std::atomic<std::uint64_t> done{features.rows_summed()};

  context.begin_stage("transform");
  if (in_order) {
    const auto runs = runs_of_tiles(progress, plan.tile);
    context.pool().parallel_for(runs.size(), 1, [&](std::size_t k, std::size_t, unsigned worker) {
      stream.pass_together(runs[k], buffers.of(worker), worker, context);
      context.checkpoint(done += features.first_row(runs[k].back() + 1) - features.first_row(runs[k].front()),
                         half);
    });
    return;
  }
  while (!tiles.empty() && !progress.is_enough()) {
    std::atomic<bool> paused{false};
    const std::vector<std::uint64_t> own = progress.own_share(tiles);
    context.pool().parallel_for(own.size(), 1, [&](std::size_t k, std::size_t, unsigned worker) {
      if (paused) return;
      if (progress.is_paused() || !stream.pass(own[k], buffers.of(worker), worker, context)) {
        paused = true;
        return;
      }
      context.checkpoint(done += features.first_row(own[k] + 1) - features.first_row(own[k]), half);
    });
    progress.exchange(own, context);
    done = features.rows_summed();
    tiles = progress.features().next_round();
  }
}

Spectrum run_refining(const ResolvedRequest& request, JobContext& context) {
  const SparsePattern& pattern = *request.pattern;
  PlaneProgress& progress = *request.progress;
  const std::uint32_t cells = request.outputs.pyramid ? request.outputs.pyramid_cells : 0;
  ByteTerms outputs;
  add_output_terms(outputs, request, false);
  const Booking pyramid(context.memory(), outputs.total(), "display pyramid");
  const std::int64_t tile = tile_of(request);
  DeviceUse use;
  if (request.backend.kind == BackendKind::cuda) {
    DeviceRows rows{cuda::RowAlgorithm::optimized, false, static_cast<std::uint64_t>(tile)};
    rows.is_part = progress.is_shared();
    use = stream_refining_on_cuda(pattern, request.backend, rows, cells, progress, context);
  } else {
    stream_refining(pattern, tile, cells, progress, context);
  }
  context.begin_stage("reduce");
  const auto estimate = progress.estimate();
  Spectrum spectrum = blank_spectrum(pattern);
  spectrum.features = estimate.value().features;
  if (cells > 0) {
    spectrum.pyramid =
        estimate->complete() ? progress.take_pyramid(context.pool()) : progress.pyramid(context.pool());
    spectrum.strongest = progress.strongest();
  }
  if (estimate->complete()) {
    spectrum.features->samples = pattern.rows() * pattern.cols();
    spectrum.provenance.note = "streamed: values were not stored";
  } else {
    spectrum.exactness = Exactness::estimate;
    spectrum.provenance.note = "stopped after " + std::to_string(estimate->rows_done) + " of " +
                               std::to_string(estimate->rows) + " rows: no standard error above " +
                               percent(estimate->largest);
  }
  if (use.bytes > 0) spectrum.provenance.note += "; " + use.note();
  return spectrum;
}

}  // namespace spyctrum
