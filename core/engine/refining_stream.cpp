// SPDX-License-Identifier: Apache-2.0
// Workers take the tiles of one round of FeatureProgress after the other; between rounds, at a check point,
// the stream may end, so that the rows computed depend on pattern, seed and wanted error alone. A tile is a
// run of consecutive rows, so that rows cost nearly as much as in a stream in ascending order.
#include "core/engine/refining_stream.hpp"

#include <algorithm>
#include <atomic>
#include <complex>
#include <iomanip>
#include <numeric>
#include <sstream>

#include "core/device/device_job.hpp"
#include "core/device/device_rows.hpp"
#include "core/engine/plane_outputs.hpp"
#include "core/engine/refining_stream_device.hpp"
#include "core/engine/row_tiles.hpp"
#include "core/fft/worker_buffers.hpp"
#include "core/request/shared_parameters.hpp"
#include "core/spectrum/half_plane.hpp"

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

 private:
  /// Computes and adds all of the rows, or none if a stop is requested.
  void take_rows(std::uint64_t first, std::uint64_t count, std::span<Complex> buffer, unsigned worker,
                 FeatureTotals& totals, const JobContext& context) const {
    const std::size_t stride = transform_.length();
    std::vector<std::int64_t> u(count);
    std::iota(u.begin(), u.end(), static_cast<std::int64_t>(first));
    context.check_stop();
    const std::size_t reach = progress_.symmetric_half() ? first + count - 1 : pattern_.cols();
    transform_.transform_band(u, reach, buffer.data(), stride, buffer.subspan(rows_at_once_ * stride));
    context.check_stop();
    FeatureRows rows(pattern_.rows(), pattern_.cols());
    for (std::size_t k = 0; k < count; ++k) {
      const SpectrumRow row = spectrum_row(u[k], pattern_.rows(), buffer.subspan(k * stride, pattern_.cols()),
                                           progress_.symmetric_half());
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

std::string percent(double share) {
  std::ostringstream text;
  text << std::setprecision(2) << 100 * share << " %";
  return text.str();
}

}  // namespace

void stream_plane_on(const SparsePattern& pattern, std::int64_t tile, std::uint32_t pyramid_cells,
                     PlaneProgress& progress, JobContext& context) {
  context.begin_stage("prepare");
  progress.prepare(pattern, pyramid_cells, context);
  const FlushAtEnd flush(progress);
  std::vector<std::uint64_t> tiles = progress.features().next_round();
  if (tiles.empty() || progress.is_enough()) return;
  const std::uint64_t half = half_rows(pattern.rows());
  const LengthRule rule = progress.symmetric_half() ? LengthRule::resampled_bands : LengthRule::library;
  RowPlan plan = plan_rows(pattern, rule, half, tile, context.pool().threads());
  plan.tile = std::min(plan.tile, progress.features().tile_rows());
  const Booking tables(context.memory(), plan.table_bytes, "twiddle tables");
  const RowTransform transform(pattern, rule);
  const std::size_t buffer_size = plan.tile * transform.length() + transform.scratch_size(plan.tile);
  const unsigned workers = context.pool().threads();
  const Booking booked(context.memory(), workers * buffer_size * sizeof(Complex), "row tiles");
  WorkerBuffers<Complex> buffers(workers, buffer_size);
  const TileStream stream(pattern, transform, plan.tile, progress);
  std::atomic<std::uint64_t> done{progress.features().rows_summed()};

  context.begin_stage("transform");
  while (!tiles.empty() && !progress.is_enough()) {
    std::atomic<bool> paused{false};
    context.pool().parallel_for(tiles.size(), 1, [&](std::size_t k, std::size_t, unsigned worker) {
      if (paused) return;
      if (progress.is_paused() || !stream.pass(tiles[k], buffers.of(worker), worker, context)) {
        paused = true;
        return;
      }
      const FeatureProgress& features = progress.features();
      context.checkpoint(done += features.first_row(tiles[k] + 1) - features.first_row(tiles[k]), half);
    });
    tiles = progress.features().next_round();
  }
}

Spectrum run_plane_on(const ResolvedRequest& request, JobContext& context) {
  const SparsePattern& pattern = *request.pattern;
  PlaneProgress& progress = *request.progress;
  const std::uint32_t cells = request.outputs.pyramid ? request.outputs.pyramid_cells : 0;
  ByteTerms outputs;
  add_output_terms(outputs, request, false);
  const Booking pyramid(context.memory(), outputs.total(), "display pyramid");
  const std::int64_t tile = tile_of(request);
  DeviceUse use;
  if (request.backend.kind == BackendKind::cuda) {
    const DeviceRows rows{cuda::RowAlgorithm::optimized, false, static_cast<std::uint64_t>(tile)};
    use = stream_plane_on_cuda(pattern, request.backend, rows, cells, progress, context);
  } else {
    stream_plane_on(pattern, tile, cells, progress, context);
  }
  const auto estimate = progress.estimate();
  Spectrum spectrum = blank_spectrum(pattern);
  spectrum.features = estimate.value().features;
  if (cells > 0) {
    spectrum.pyramid = progress.pyramid(context.pool());
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
