// SPDX-License-Identifier: Apache-2.0
// The consumers of a stream that can be stopped and resumed.
#include "core/engine/plane_progress.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "core/base/stopwatch.hpp"
#include "core/spectrum/rounding_floor.hpp"

namespace spyctrum {

namespace {

/// The message that ranks exchange.
struct SharedTile {
  std::uint64_t tile = 0;
  Moments sums;
};

}  // namespace

std::optional<DisplayPyramid> PlaneProgress::pyramid(ThreadPool& pool) const {
  std::shared_ptr<PyramidConsumer> pyramid;
  {
    const std::lock_guard lock(mutex_);
    pyramid = pyramid_;
  }
  if (!pyramid) return std::nullopt;
  return pyramid->snapshot(pool);
}

std::optional<DisplayPyramid> PlaneProgress::take_pyramid(ThreadPool& pool) {
  std::shared_ptr<PyramidConsumer> pyramid;
  {
    const std::lock_guard lock(mutex_);
    pyramid = std::move(pyramid_);
  }
  if (!pyramid) return std::nullopt;
  // Another thread may be copying it.
  return pyramid.use_count() == 1 ? std::move(*pyramid).take(pool) : pyramid->snapshot(pool);
}

std::vector<StrongCoefficient> PlaneProgress::strongest() const {
  const std::lock_guard lock(mutex_);
  return strongest_ ? strongest_->strongest() : std::vector<StrongCoefficient>();
}

void PlaneProgress::prepare(const SparsePattern& pattern, std::uint32_t pyramid_cells, JobContext& context) {
  EarlierSums sums = features_->prepare(pattern, context, in_order_);
  first_check_point_ = std::max<std::size_t>(1, features_->check_points_passed()) - 1;
  const unsigned workers = context.pool().threads();
  const std::lock_guard lock(mutex_);
  if (pyramid_cells > 0 && !pyramid_ && sums == EarlierSums::kept) {
    features_->forget();
    sums = features_->prepare(pattern, context, in_order_);
    first_check_point_ = 0;
  }
  if (sums == EarlierSums::dropped) {
    partial_tiles_.clear();
    pyramid_.reset();
    strongest_.reset();
  }
  if (pyramid_cells == 0) return;
  if (pyramid_) {
    pyramid_->resume(workers);
    strongest_->resume(workers);
    return;
  }
  pyramid_ = std::make_shared<PyramidConsumer>(pyramid_cells);
  strongest_ = std::make_unique<StrongestConsumer>(kStrongest, rounding_floor(pattern));
  pyramid_->begin(pattern.rows(), pattern.cols(), workers);
  pyramid_->set_strata(features_->stratum_of_rows());
  strongest_->begin(pattern.rows(), pattern.cols(), workers);
}

void PlaneProgress::map_cells(ThreadPool& pool) {
  if (pyramid_) pyramid_->map_cells(pool);
}

std::vector<std::uint64_t> PlaneProgress::own_share(const std::vector<std::uint64_t>& tiles) const {
  if (ranks_ == nullptr) return tiles;
  std::vector<std::uint64_t> own;
  for (std::size_t k = ranks_->rank(); k < tiles.size(); k += ranks_->size()) own.push_back(tiles[k]);
  return own;
}

void PlaneProgress::exchange(const std::vector<std::uint64_t>& own, const JobContext& context) {
  if (ranks_ == nullptr) return;
  std::vector<SharedTile> tiles;
  tiles.reserve(own.size());
  for (const std::uint64_t tile : own) tiles.push_back({tile, features_->sums_of(tile)});
  for (const std::vector<std::byte>& part :
       ranks_->gather(std::as_bytes(std::span(tiles)), context.stop_token())) {
    std::vector<SharedTile> theirs(part.size() / sizeof(SharedTile));
    std::memcpy(theirs.data(), part.data(), theirs.size() * sizeof(SharedTile));
    for (const SharedTile& one : theirs) features_->add_sums(one.tile, one.sums);
  }
}

void PlaneProgress::wait_for_ranks(const SparsePattern& pattern, const JobContext& context) {
  if (ranks_ == nullptr) return;
  const Stopwatch watch;
  const std::array<std::uint64_t, 3> own{pattern.fingerprint(), context.seed(), features_->tiles_done()};
  const std::vector<std::vector<std::byte>> all =
      ranks_->gather(std::as_bytes(std::span(own)), context.stop_token());
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k] != all.front())
      throw Failure(ErrorCode::wrong_use,
                    "Rank " + std::to_string(k) + " has another matrix, seed or state than rank 0.",
                    "Let all ranks read the same files.");
  seconds_waited_ = watch.seconds();
}

bool PlaneProgress::is_enough() const {
  const double until = target_error_;
  const std::uint64_t rows = most_rows_;
  if (rows > 0 && features_->check_points_passed() > 0 && features_->rows_summed() >= rows) return true;
  if (!(until > 0) && !paused_) return false;
  const auto known = estimate();
  if (!known) return false;
  return paused_ || known->complete() || (known->reliable && known->largest <= until);
}

void PlaneProgress::consume(const SpectrumRow& row, unsigned worker) {
  // No lock: the pointers change only in prepare(), which never runs while rows are consumed.
  if (!pyramid_) return;
  pyramid_->consume(row, worker);
  strongest_->consume(row, worker);
}

void PlaneProgress::add_cells(std::span<const std::uint32_t> u, bool mirrors,
                              std::span<const cuda::CellSum> cells) {
  if (pyramid_) pyramid_->add_cells({u, mirrors, symmetric_half()}, cells);
}

void PlaneProgress::offer(std::span<const StrongCoefficient> found) {
  if (strongest_) strongest_->offer(found, symmetric_half());
}

void PlaneProgress::flush_workers() {
  const std::lock_guard lock(mutex_);
  if (pyramid_) pyramid_->finish();
}

PlaneProgress::PartialTile PlaneProgress::take_partial(std::uint64_t tile) {
  const std::lock_guard lock(mutex_);
  const auto found = partial_tiles_.find(tile);
  if (found == partial_tiles_.end()) return {};
  const PartialTile partial = found->second;
  partial_tiles_.erase(found);
  return partial;
}

void PlaneProgress::store_partial(std::uint64_t tile, PartialTile partial) {
  const std::lock_guard lock(mutex_);
  partial_tiles_[tile] = partial;
}

bool PlaneProgress::has_partial_tiles() const {
  const std::lock_guard lock(mutex_);
  return !partial_tiles_.empty();
}

}  // namespace spyctrum
