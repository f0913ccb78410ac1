// SPDX-License-Identifier: Apache-2.0
// What a stream of the whole plane has come to so far: exact features with standard errors, the display
// pyramid of the rows that have passed, and their strongest coefficients. Can be looked at while it grows,
// stopped where it is good enough, and taken up again without a row being computed twice.
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

#include "core/features/feature_progress.hpp"
#include "core/features/feature_totals.hpp"
#include "core/features/strongest_consumer.hpp"
#include "core/pictures/pyramid_consumer.hpp"

namespace spyctrum {

class PlaneProgress {
 public:
  static constexpr std::size_t kStrongest = 1000;
  /// Fewer sampled tiles say too little about how much tiles differ.
  static constexpr std::uint64_t kFewestTiles = 16;

  PlaneProgress() : PlaneProgress(std::make_shared<FeatureProgress>()) {}
  /// Goes on from saved features; those hold no pyramid.
  explicit PlaneProgress(std::shared_ptr<FeatureProgress> features) : features_(std::move(features)) {}

  // For whoever looks. Thread-safe.

  /// The stream ends once no standard error (FeatureEstimate::largest) is above this; 0: with the last row.
  void stop_below(double error) { until_ = error; }
  [[nodiscard]] double until() const { return until_; }
  /// The stream ends as soon as there is an estimate; false: goes on when it is run again.
  void pause(bool wanted) { paused_ = wanted; }
  [[nodiscard]] std::optional<FeatureEstimate> estimate() const { return features_->estimate(); }
  /// Empty where none was asked for.
  [[nodiscard]] std::optional<DisplayPyramid> pyramid() const;
  [[nodiscard]] std::vector<StrongCoefficient> strongest() const;
  [[nodiscard]] FeatureProgress& features() { return *features_; }

  // For the stream.

  /// `pyramid_cells` an axis, 0: no pyramid. What was done for another pattern, or without the pyramid that
  /// is wanted now, is dropped. Throws Failure{cancelled}.
  void prepare(const SparsePattern& pattern, std::uint32_t pyramid_cells, JobContext& context);
  [[nodiscard]] bool is_enough() const;
  [[nodiscard]] bool symmetric_half() const { return features_->symmetric_half(); }
  /// Rows of a tile, all of them at once or none. Throws nothing.
  void consume(const SpectrumRow& row, unsigned worker);
  /// The same of rows that were reduced elsewhere, by one thread: cells of rows that lie in one row of them,
  /// or of their mirrors, and strong coefficients.
  void add_cells(std::span<const std::uint32_t> u, bool mirrors, std::span<const cuda::CellSum> cells);
  void offer(std::span<const StrongCoefficient> found);
  /// StrongestConsumer::weakest_offered(), and rows and columns of the pyramid's cells; only with a pyramid.
  [[nodiscard]] float weakest_offered() const { return strongest_->weakest_offered(); }
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> cells() const { return pyramid_->shape(); }
  /// Adds what each worker has summed so far to the pyramid; called before a stream ends in any way.
  void flush_workers();

  /// The rows and sums of a tile that was not complete when the stream was stopped.
  struct PartialTile {
    std::uint64_t rows = 0;
    FeatureTotals totals;
  };
  [[nodiscard]] PartialTile take_partial(std::uint64_t tile);
  void keep_partial(std::uint64_t tile, PartialTile partial);

 private:
  std::shared_ptr<FeatureProgress> features_;
  std::atomic<double> until_{0};
  std::atomic<bool> paused_{false};
  mutable std::mutex mutex_;                  // guards what follows; the consumers have locks of their own
  std::shared_ptr<PyramidConsumer> pyramid_;  // shared with who copies it
  std::unique_ptr<StrongestConsumer> strongest_;
  std::map<std::uint64_t, PartialTile> partial_tiles_;
};

/// Calls PlaneProgress::flush_workers() however the stream ends.
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
