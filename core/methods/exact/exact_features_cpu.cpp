// SPDX-License-Identifier: Apache-2.0
// Workers take tiles in the order of FeatureProgress; runs of consecutive rows, so that nothing of the plain
// stream's speed is lost.
#include "core/methods/exact/exact_features_cpu.hpp"

#include <algorithm>
#include <atomic>
#include <complex>
#include <numeric>

#include "core/methods/row_stream.hpp"
#include "core/spectrum/feature_totals.hpp"

namespace spyctrum {

namespace {

using Complex = std::complex<float>;

/// Fewer sampled tiles say too little about how much tiles differ.
constexpr std::uint64_t kFewestTiles = 16;

bool is_self_mirrored(std::uint64_t u, std::uint64_t m) { return u == 0 || 2 * u == m; }

/// Sums over the rows of one tile, `rows_at_once` at a time.
class TileSums {
 public:
  TileSums(const SparsePattern& pattern, const RowTransform& transform, std::uint64_t rows_at_once)
      : pattern_(pattern),
        transform_(transform),
        rows_at_once_(rows_at_once),
        order_(ColumnOrder::dft(pattern.cols())) {}

  [[nodiscard]] FeatureTotals of(std::uint64_t first, std::uint64_t end, std::span<Complex> buffer,
                                 const JobContext& context) const {
    const std::size_t stride = transform_.length();
    FeatureRows rows(pattern_.rows(), pattern_.cols());
    for (std::uint64_t begin = first; begin < end; begin += rows_at_once_) {
      context.check_stop();
      std::vector<std::int64_t> u(std::min(rows_at_once_, end - begin));
      std::iota(u.begin(), u.end(), static_cast<std::int64_t>(begin));
      transform_.transform(u, buffer.data(), stride, buffer.subspan(rows_at_once_ * stride));
      context.check_stop();
      for (std::size_t k = 0; k < u.size(); ++k)
        rows.add(u[k], !is_self_mirrored(begin + k, pattern_.rows()),
                 buffer.subspan(k * stride, pattern_.cols()), order_);
    }
    return rows.totals();
  }

 private:
  const SparsePattern& pattern_;
  const RowTransform& transform_;
  std::uint64_t rows_at_once_;
  ColumnOrder order_;
};

bool good_enough(const FeatureProgress& progress, double until) {
  if (!(until > 0)) return false;
  const auto estimate = progress.estimate();
  return estimate && estimate->largest <= until &&
         (estimate->complete() || estimate->sampled_tiles >= kFewestTiles);
}

}  // namespace

void exact_features_cpu(const SparsePattern& pattern, double until, std::int64_t tile,
                        FeatureProgress& progress, JobContext& context) {
  context.begin_stage("prepare");
  progress.prepare(pattern, context);
  const std::vector<std::uint64_t> tiles = progress.remaining();
  if (tiles.empty() || good_enough(progress, until)) return;
  const std::uint64_t half_rows = pattern.rows() / 2 + 1;
  RowPlan plan = plan_rows(pattern, LengthRule::library, half_rows, tile, context.pool().threads());
  plan.tile = std::min(plan.tile, FeatureProgress::kTileRows);
  const Booking tables(context.memory(), plan.table_bytes, "twiddle tables");
  const RowTransform transform(pattern, LengthRule::library);
  const std::size_t buffer_size = plan.tile * transform.length() + transform.scratch_size(plan.tile);
  BookedVector<Complex> buffers(context, context.pool().threads() * buffer_size, "row tiles");
  const TileSums sums(pattern, transform, plan.tile);
  std::atomic<bool> enough{false};
  std::atomic<std::uint64_t> done{half_rows};
  for (const std::uint64_t t : tiles) done -= progress.first_row(t + 1) - progress.first_row(t);

  context.begin_stage("transform");
  context.pool().parallel_for(tiles.size(), 1, [&](std::size_t k, std::size_t, unsigned worker) {
    if (enough) return;
    const std::uint64_t first = progress.first_row(tiles[k]);
    const std::uint64_t end = progress.first_row(tiles[k] + 1);
    const std::span<Complex> buffer(buffers.data.data() + worker * buffer_size, buffer_size);
    progress.add(tiles[k], sums.of(first, end, buffer, context));
    context.checkpoint(done += end - first, half_rows);
    if (good_enough(progress, until)) enough = true;
  });
}

}  // namespace spyctrum
