// SPDX-License-Identifier: Apache-2.0
// One task of the module computes all remaining rows in the order of FeatureProgress's tiles. A receiver adds
// the results to the tiles and ends the task by throwing Enough when the stream should end.
#include "core/engine/refining_stream.hpp"

#include <algorithm>
#include <future>
#include <map>
#include <numeric>
#include <string>
#include <system_error>
#include <tuple>
#include <vector>

#include "core/device/device_rows.hpp"
#include "core/device/row_receivers.hpp"
#include "core/engine/plane_progress.hpp"
#include "core/matrix/generators.hpp"
#include "core/spectrum/rounding_floor.hpp"
#include "core/spectrum/row_consumer.hpp"

namespace spyctrum {

namespace {

/// The remaining tiles: ascending, or in the order of the progress. For the symmetric half, the tiles between
/// two check points are sorted, so that the device transforms rows of similar width together. Certain tiles
/// come first, so that no row of cells is reduced from both kinds of rows at once.
std::vector<std::uint64_t> tiles_in_order(PlaneProgress& progress) {
  std::vector<std::uint64_t> tiles = progress.features().remaining();
  if (progress.takes_rows_in_order()) std::sort(tiles.begin(), tiles.end());
  if (progress.takes_rows_in_order() || !progress.symmetric_half()) return tiles;
  const auto is_certain = [&](std::uint64_t tile) { return progress.features().is_certain(tile); };
  std::size_t begin = 0;
  for (const std::size_t end : progress.features().rounds_left()) {
    const auto first = tiles.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = tiles.begin() + static_cast<std::ptrdiff_t>(end);
    std::sort(first, std::stable_partition(first, last, is_certain));
    std::sort(std::find_if_not(first, last, is_certain), last);
    begin = end;
  }
  return tiles;
}

struct Enough {};
struct TooManyTies {};

/// The remaining rows of this rank's tiles `own`, in the order of tiles_in_order(), and the sums of their
/// tiles so far. The destructor stores partial tiles in the progress.
class TilesLeft {
 public:
  TilesLeft(const SparsePattern& pattern, PlaneProgress& progress, const std::vector<std::uint64_t>& own)
      : m_(pattern.rows()), progress_(progress) {
    for (const std::uint64_t tile : tiles_in_order(progress)) {
      if (!std::binary_search(own.begin(), own.end(), tile)) continue;
      const std::uint64_t first = progress.features().first_row(tile);
      const std::uint64_t end = progress.features().first_row(tile + 1);
      const PlaneProgress::PartialTile partial = progress.take_partial(tile);
      if (partial.rows > 0) partial_[tiles_.size()] = partial;
      tiles_.push_back({tile, rows_.size(), end - first});
      for (std::uint64_t u = first + partial.rows; u < end; ++u)
        rows_.push_back(static_cast<std::uint32_t>(u));
    }
  }
  ~TilesLeft() {
    for (const auto& [k, partial] : partial_) progress_.store_partial(tiles_[k].tile, partial);
  }
  TilesLeft(const TilesLeft&) = delete;
  TilesLeft& operator=(const TilesLeft&) = delete;

  [[nodiscard]] const std::vector<std::uint32_t>& rows() const { return rows_; }
  [[nodiscard]] int weight(std::uint32_t u) const { return u == 0 || 2 * std::uint64_t{u} == m_ ? 1 : 2; }

  /// The part of a range of rows() that lies in one tile.
  struct Part {
    std::size_t tile = 0;
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    /// The sums of the tile's rows so far, to which those of the part are added row by row: the same bits
    /// wherever a range begins.
    FeatureTotals totals;
    std::uint64_t rows_before = 0;  ///< rows of the tile in `totals` before the part is added
    Moments sums;                   ///< of the whole tile, where the part completes it
  };
  [[nodiscard]] std::vector<Part> parts(std::uint64_t first, std::uint64_t count) const {
    std::vector<Part> parts;
    std::size_t tile = next_;
    for (const std::uint64_t end = first + count; first < end; ++tile) {
      const std::uint64_t behind = tile + 1 < tiles_.size() ? tiles_[tile + 1].at : rows_.size();
      if (behind <= first) continue;
      Part& part = parts.emplace_back();
      part.tile = tile;
      part.first = first;
      part.count = std::min(behind, end) - first;
      if (const auto partial = partial_.find(tile); partial != partial_.end()) {
        part.totals = partial->second.totals;
        part.rows_before = partial->second.rows;
      }
      first = std::min(behind, end);
    }
    return parts;
  }
  /// Called once the part's rows are in its totals: sets its sums where it completes the tile. Thread-safe.
  void complete(Part& part) const {
    if (completes(part)) part.sums = progress_.features().sums_from(part.totals);
  }
  /// Takes completed parts for their tiles; throws Enough where the stream should end.
  void add(const std::vector<Part>& parts) {
    for (const Part& part : parts) {
      if (completes(part)) {
        progress_.features().add_sums(tiles_[part.tile].tile, part.sums);
        partial_.erase(part.tile);
        next_ = part.tile + 1;
      } else {
        partial_[part.tile] = {part.rows_before + part.count, part.totals};
      }
    }
    if (next_ < tiles_.size() && progress_.is_enough()) throw Enough();
  }

 private:
  struct Left {
    std::uint64_t tile = 0;
    std::uint64_t at = 0;  ///< position in rows_
    std::uint64_t height = 0;
  };
  [[nodiscard]] bool completes(const Part& part) const {
    return part.rows_before + part.count == tiles_[part.tile].height;
  }

  std::uint64_t m_;
  PlaneProgress& progress_;
  std::vector<Left> tiles_;
  std::vector<std::uint32_t> rows_;
  std::map<std::size_t, PlaneProgress::PartialTile> partial_;  ///< by position in tiles_
  std::size_t next_ = 0;                                       ///< the first incomplete tile
};

/// Adds `weight` times the sums of a row. Without the bins of tiny powers, since the device has applied the
/// noise floor: with them most of the time would go to adding zeros.
void add_row(FeatureTotals& totals, const Moments& sums, double weight) {
  const double* of = sums.sums;
  for (std::size_t k = 0; k < kRadialBins; ++k) totals.radial[k] += weight * of[k];
  for (std::size_t k = 0; k < kSectors; ++k) totals.sectors[k] += weight * of[Moments::kSectorsAt + k];
  totals.low += weight * of[Moments::kLow];
  for (std::size_t k = 0; k < kPowerSums; ++k) totals.f.of[k] += weight * of[Moments::kSumsAt + k];
  totals.log_power += weight * of[Moments::kLog];
  totals.count += weight * of[Moments::kCount];
  totals.zeros += weight * of[Moments::kZeros];
}

/// Adds what the device reduces (sums of rows, cells of the pyramid, strong coefficients) to the progress.
/// Its time is the stage "reduce"; the stage "transform" is the time in which the host waits for the device.
class SumsReceiver : public cuda::RowSumsReceiver {
 public:
  /// `has_pyramid`: cells and strong coefficients are reduced, too.
  SumsReceiver(const SparsePattern& pattern, TilesLeft& left, bool has_pyramid, PlaneProgress& progress,
               JobContext& context)
      : pattern_(pattern), left_(left), has_pyramid_(has_pyramid), progress_(progress), context_(context) {}
  void take(std::uint64_t first, std::uint64_t count, const Moments* sums,
            const cuda::TileResults& found) override {
    if (!found.has_all_strong) throw TooManyTies();
    context_.begin_stage("reduce");
    std::vector<TilesLeft::Part> parts = left_.parts(first, count);
    // Each share has rows of cells of its own, so that the sums of a row are added in their order. The cells
    // of a tile, about a megabyte, are too little work for more threads: waking them takes longer.
    constexpr unsigned kMostShares = 6;
    const std::size_t shares = std::min(context_.pool().threads(), kMostShares);
    context_.pool().parallel_for(has_pyramid_ ? shares + 2 : 1, 1,
                                 [&](std::size_t piece, std::size_t, unsigned) {
                                   if (piece == 0)
                                     add_rows(first, sums, parts);
                                   else if (piece == 1)
                                     offer(found);
                                   else
                                     add_cells(found, piece - 2, shares);
                                 });
    left_.add(parts);
    context_.begin_stage("transform");
  }
  [[nodiscard]] float least_strong() const override {
    return has_pyramid_ ? progress_.weakest_offered() : 0.0F;
  }

 private:
  void add_rows(std::uint64_t first, const Moments* sums, std::vector<TilesLeft::Part>& parts) const {
    for (TilesLeft::Part& part : parts) {
      for (std::uint64_t k = part.first; k < part.first + part.count; ++k)
        add_row(part.totals, sums[k - first], left_.weight(left_.rows()[k]));
      left_.complete(part);
    }
  }
  /// The rows of cells number share, share + shares, ….
  void add_cells(const cuda::TileResults& found, std::size_t share, std::size_t shares) {
    const std::size_t cols = progress_.raster_size().second;
    const std::span<const std::uint32_t> rows(left_.rows());
    for (std::size_t k = 0; k < found.cell_row_count; ++k) {
      const cuda::CellRow& one = found.cell_rows[k];
      if (one.rows != 0 && progress_.cell_row_of(rows[one.first], one.mirrors) % shares == share)
        progress_.add_cells(rows.subspan(one.first, one.rows), one.mirrors, {found.cells + k * cols, cols});
    }
  }
  void offer(const cuda::TileResults& found) {
    std::vector<StrongCoefficient> strong;
    strong.reserve(found.strong_count);
    for (std::uint64_t k = 0; k < found.strong_count; ++k) {
      const cuda::StrongValue& one = found.strong[k];
      strong.push_back({signed_index(left_.rows()[one.row], pattern_.rows()),
                        signed_index(one.v, pattern_.cols()), std::complex<float>(one.real, one.imaginary)});
    }
    progress_.offer(strong);
  }

  const SparsePattern& pattern_;
  TilesLeft& left_;
  bool has_pyramid_;
  PlaneProgress& progress_;
  JobContext& context_;
};

/// Computes the remaining rows and reduces them on the device. Throws Enough, TooManyTies.
DeviceUse reduce_on_device(const SparsePattern& pattern, Backend backend, const DeviceRows& rows,
                           bool has_pyramid, PlaneProgress& progress, const std::vector<std::uint64_t>& own,
                           JobContext& context) {
  TilesLeft left(pattern, progress, own);
  if (left.rows().empty()) return {};
  SumsReceiver receiver(pattern, left, has_pyramid, progress, context);
  cuda::RowSumsReduction sums;
  sums.m = pattern.rows();
  sums.n = pattern.cols();
  sums.rows = left.rows().size();
  sums.u = left.rows().data();
  sums.floor = noise_floor(pattern.weight_squares());
  sums.zero_floor = rounding_floor(pattern);
  if (has_pyramid) {
    std::tie(sums.cell_rows, sums.cell_cols) = progress.raster_size();
    sums.strongest = PlaneProgress::kStrongest;
  }
  sums.receiver = &receiver;
  cuda::Reductions reductions;
  reductions.row_sums = &sums;
  reductions.symmetric_half = progress.symmetric_half();
  if (backend.group != 0) return run_group_rows(pattern, backend, rows, left.rows(), reductions, context);
  return run_device_rows(pattern, backend, rows, left.rows(), nullptr, &reductions, context);
}

/// Computes the remaining rows and adds them on the host: for tiles with more coefficients of equal power
/// than the device can list. Throws Enough.
DeviceUse reduce_on_host(const SparsePattern& pattern, Backend backend, const DeviceRows& rows,
                         PlaneProgress& progress, const std::vector<std::uint64_t>& own,
                         JobContext& context) {
  TilesLeft left(pattern, progress, own);
  if (left.rows().empty()) return {};
  const std::uint64_t n = pattern.cols();
  const ColumnOrder order = ColumnOrder::dft(n);
  // Adds all of the rows, or none if a stop is requested.
  RowsTo receiver(n, [&](std::uint64_t first, std::span<const std::complex<float>> received) {
    context.check_stop();
    std::vector<TilesLeft::Part> parts = left.parts(first, received.size() / n);
    context.pool().parallel_for(parts.size(), 1, [&](std::size_t p, std::size_t, unsigned worker) {
      TilesLeft::Part& part = parts[p];
      FeatureRows sums(pattern.rows(), n);
      for (std::uint64_t k = part.first; k < part.first + part.count; ++k) {
        const SpectrumRow row = spectrum_row(left.rows()[k], pattern.rows(),
                                             received.subspan((k - first) * n, n), progress.symmetric_half());
        sums.add(row, order);
        progress.consume(row, worker);
      }
      part.totals.add(sums.totals());
      left.complete(part);
    });
    left.add(parts);
  });
  return run_device_rows(pattern, backend, rows, left.rows(), &receiver, nullptr, context);
}

/// Maps the cells while the device begins: its results belong to few rows of cells at a time, to which all
/// threads add. The destructor of the result waits for the end.
std::future<void> map_cells_meanwhile(PlaneProgress& progress, ThreadPool& pool) {
  try {
    return std::async(std::launch::async, [&] { progress.map_cells(pool); });
  } catch (const std::system_error&) {
    return {};  // no more threads can be started: only speed changes
  }
}

class IgnoredSums : public cuda::RowSumsReceiver {
  void take(std::uint64_t /*first*/, std::uint64_t /*count*/, const Moments* /*sums*/,
            const cuda::TileResults& /*found*/) override {}
};

/// Sums rows of the identity of side n. Throws Failure.
void sum_some_rows(std::uint64_t n, Backend device, bool is_shared) {
  constexpr std::size_t kRows = 64;  // one tile
  ThreadPool pool(1);
  JobContext context(pool);
  const Matrix identity = or_throw(generate("gen:diagonal:n=" + std::to_string(n), context));
  std::vector<std::uint32_t> u(kRows);
  std::iota(u.begin(), u.end(), 0U);
  IgnoredSums ignored;
  cuda::RowSumsReduction sums;
  sums.m = sums.n = n;
  sums.rows = u.size();
  sums.u = u.data();
  sums.receiver = &ignored;
  cuda::Reductions reductions;
  reductions.row_sums = &sums;
  DeviceRows rows;
  rows.is_part = is_shared;
  run_device_rows(*identity.pattern, device, rows, u, nullptr, &reductions, context);
}

}  // namespace

void wake_streams(Backend backend, bool is_shared) {
  if (backend.kind != BackendKind::cuda) return;
  std::vector<std::future<void>> awake;
  for (const Backend& device : members_of(backend))
    awake.push_back(std::async([device, is_shared] {
      // Of more than 65,536 rows, as indices have other kernels below; a length that is transformed as it is,
      // and a prime, which is resampled.
      for (const std::uint64_t n : {131072U, 100003U})
        (void)run_guarded([&] { sum_some_rows(n, device, is_shared); });
    }));
  for (const std::future<void>& one : awake) one.wait();
}

DeviceUse stream_refining_on_cuda(const SparsePattern& pattern, Backend backend, const DeviceRows& rows,
                                  std::uint32_t pyramid_cells, PlaneProgress& progress, JobContext& context) {
  context.begin_stage("prepare");
  progress.prepare(pattern, pyramid_cells, context);
  const FlushAtEnd flush(progress);
  if (progress.is_enough()) return {};
  const std::future<void> mapped = map_cells_meanwhile(progress, context.pool());
  DeviceUse use;
  // Ranks exchange their sums at each check point, where the stream may end.
  do {
    FeatureProgress& features = progress.features();
    std::vector<std::uint64_t> own =
        progress.own_share(progress.is_shared() ? features.next_round() : features.remaining());
    std::sort(own.begin(), own.end());
    DeviceUse of_round;
    try {
      try {
        of_round = reduce_on_device(pattern, backend, rows, pyramid_cells > 0, progress, own, context);
      } catch (const TooManyTies&) {
        of_round = reduce_on_host(pattern, backend, rows, progress, own, context);
      }
    } catch (const Enough&) {
    }
    use = {use.seconds + of_round.seconds, std::max(use.bytes, of_round.bytes)};
    progress.exchange(own, context);
  } while (progress.is_shared() && !progress.is_enough() && !progress.features().remaining().empty());
  return use;
}

}  // namespace spyctrum
