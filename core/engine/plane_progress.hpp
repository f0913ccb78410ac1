// SPDX-License-Identifier: Apache-2.0
// The state of a stream of the whole plane: features with standard errors, the display pyramid of the rows
// streamed so far, and their strongest coefficients. Other threads may read it while the stream runs; a
// stream can be stopped and resumed without computing a row twice.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/cluster/communicator.hpp"
#include "core/features/feature_progress.hpp"
#include "core/features/feature_totals.hpp"
#include "core/features/strongest_consumer.hpp"
#include "core/pictures/pyramid_consumer.hpp"

namespace spyctrum {

/// Shared by the thread that streams and the threads that show its progress.
class PlaneProgress {
 public:
  static constexpr std::size_t kStrongest = 1000;

  PlaneProgress() : PlaneProgress(std::make_shared<FeatureProgress>()) {}
  /// Resumes from saved features, which hold no pyramid.
  explicit PlaneProgress(std::shared_ptr<FeatureProgress> features) : features_(std::move(features)) {}

  // For concurrent readers. Thread-safe.

  /// Ends the stream at the first check point where the estimate is reliable and its largest standard error
  /// (FeatureEstimate::largest) is at most `error`. 0: the stream ends with the last row.
  void stop_below(double error) { target_error_ = error; }
  /// Ends the stream after `rows` rows, once there is an estimate: on the CPU with the next check point, on a
  /// device with the next tile. 0: no such limit.
  void stop_after(std::uint64_t rows) { most_rows_ = rows; }
  /// True: the stream ends as soon as there is an estimate, at once if there is one already. False: a later
  /// run resumes it.
  void pause(bool paused) { paused_ = paused; }
  /// For runs too short to be watched: takes rows in ascending order, which is several times as fast for
  /// planes of few rows. There is no estimate before the end, so that neither stop_below() nor pause() ends
  /// the run.
  void take_rows_in_order(bool in_order) { in_order_ = in_order; }
  [[nodiscard]] bool takes_rows_in_order() const { return in_order_; }
  /// Divides the tiles between two check points among the ranks, which exchange their sums and so have the
  /// same estimates. Not with a pyramid. `ranks` must outlive the stream.
  void share_with(Communicator& ranks) { ranks_ = &ranks; }
  [[nodiscard]] bool is_shared() const { return ranks_ != nullptr; }
  /// Waits until all ranks have called it, so that they begin the stream together. Throws Failure: cancelled;
  /// wrong_use if a rank has another pattern, seed or state.
  void wait_for_ranks(const SparsePattern& pattern, const JobContext& context);
  /// The time for which wait_for_ranks() waited.
  [[nodiscard]] double seconds_waited() const { return seconds_waited_; }
  /// The estimate at which the stream ends or, before that, the one at the last passed check point.
  [[nodiscard]] std::optional<FeatureEstimate> estimate() const {
    return features_->estimate_within(target_error_, first_check_point_);
  }
  /// The pyramid of the rows streamed so far; empty where none was requested.
  [[nodiscard]] std::optional<DisplayPyramid> pyramid(ThreadPool& pool) const;
  [[nodiscard]] std::vector<StrongCoefficient> strongest() const;
  [[nodiscard]] FeatureProgress& features() { return *features_; }

  // For the thread that streams.

  /// `pyramid_cells`: cells of the pyramid per axis, 0: no pyramid. Keeps earlier progress unless it belongs
  /// to another pattern or lacks the requested pyramid. Throws Failure{cancelled}.
  void prepare(const SparsePattern& pattern, std::uint32_t pyramid_cells, JobContext& context);
  /// PyramidConsumer::map_cells(), where there is a pyramid.
  void map_cells(ThreadPool& pool);
  /// True if the stream should end: it is paused and has an estimate, or the condition of stop_below() or
  /// stop_after() holds. That of stop_below() changes only at check points.
  [[nodiscard]] bool is_enough() const;
  /// As pyramid(), after the last row; pyramid() is empty afterwards.
  [[nodiscard]] std::optional<DisplayPyramid> take_pyramid(ThreadPool& pool);
  /// True if the stream is paused and has an estimate.
  [[nodiscard]] bool is_paused() const { return paused_ && features_->check_points_passed() > 0; }
  [[nodiscard]] bool symmetric_half() const { return features_->symmetric_half(); }
  /// Adds a row to the pyramid and the strongest coefficients. Either all rows of a tile must be added or
  /// none. Does not throw.
  void consume(const SpectrumRow& row, unsigned worker);
  /// Replace consume() for rows reduced on a device. add_cells(): |F|² summed over the rows `u` (or their
  /// mirrors −u), which lie in one row of cells, cell_row_of(); thread-safe, but sums of one row of cells
  /// have the same bits only if they are added in the same order. offer(), from one thread at a time:
  /// candidates for the strongest coefficients.
  void add_cells(std::span<const std::uint32_t> u, bool mirrors, std::span<const cuda::CellSum> cells);
  [[nodiscard]] std::uint64_t cell_row_of(std::uint32_t u, bool mirrors) const {
    return pyramid_->cell_row_of(u, mirrors);
  }
  void offer(std::span<const StrongCoefficient> found);
  /// StrongestConsumer::weakest_offered(); PyramidConsumer::raster_size(). Only with a pyramid.
  [[nodiscard]] float weakest_offered() const { return strongest_->weakest_offered(); }
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> raster_size() const {
    return pyramid_->raster_size();
  }
  /// Adds the workers' partial sums to the pyramid; must be called when a stream ends, also by an exception
  /// (FlushAtEnd).
  void flush_workers();

  /// The tiles among `tiles` that this rank computes.
  [[nodiscard]] std::vector<std::uint64_t> own_share(const std::vector<std::uint64_t>& tiles) const;
  /// Sends the sums of the tiles in `own` to all ranks and adds theirs. Throws Failure{cancelled}.
  void exchange(const std::vector<std::uint64_t>& own, const JobContext& context);

  /// A tile that was not complete when the stream was stopped: its first `rows` rows and their sums.
  struct PartialTile {
    std::uint64_t rows = 0;
    FeatureTotals totals;
  };
  /// take_partial(): removes and returns the stored tile; empty if there is none. Thread-safe.
  [[nodiscard]] PartialTile take_partial(std::uint64_t tile);
  void store_partial(std::uint64_t tile, PartialTile partial);
  [[nodiscard]] bool has_partial_tiles() const;

 private:
  std::shared_ptr<FeatureProgress> features_;
  Communicator* ranks_ = nullptr;
  double seconds_waited_ = 0;
  std::atomic<double> target_error_{0};
  std::atomic<std::uint64_t> most_rows_{0};
  std::atomic<bool> paused_{false};
  std::atomic<bool> in_order_{false};
  // estimates that an earlier run has shown are not withdrawn: this run may stop from this check point on
  std::atomic<std::size_t> first_check_point_{0};
  mutable std::mutex mutex_;                  // guards the members below; the consumers have their own locks
  std::shared_ptr<PyramidConsumer> pyramid_;  // shared with threads that copy it in pyramid()
  std::unique_ptr<StrongestConsumer> strongest_;
  std::map<std::uint64_t, PartialTile> partial_tiles_;
};

/// Calls PlaneProgress::flush_workers() when its scope ends.
class FlushAtEnd {
 public:
  explicit FlushAtEnd(PlaneProgress& progress) : progress_(progress) {}
  ~FlushAtEnd() { progress_.flush_workers(); }
  FlushAtEnd(const FlushAtEnd&) = delete;
  FlushAtEnd& operator=(const FlushAtEnd&) = delete;

 private:
  PlaneProgress& progress_;
};

}  // namespace spyctrum
