// SPDX-License-Identifier: Apache-2.0
// Exact features on the way: tiles of rows pass in an order that refines the
// plane everywhere at once, and after each the features are known with standard
// errors that shrink to zero when the last one has passed. Can be read while it
// grows, stopped when good enough, saved, and taken up again.
//
// Tiles that hold DC, the Nyquist row or more than their share of power come
// first and count for themselves; the others are a systematic sample, in van der
// Corput's order: each stands for the tiles nearest to it. What the estimate lacks
// of the known power mnK is made up by regression. Variances come from the
// differences of neighbouring tiles, so that what changes slowly from row to row
// is not taken for noise, and have the factor 1 − n/N for n tiles of N (Wolter,
// Introduction to Variance Estimation, 2007, ch. 8). Rows of a symmetric pattern
// are symmetric_half (SpectrumRow::symmetric_half), whose length grows from row to row: of them the
// second differences, from which that is gone.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/job_context.hpp"
#include "core/features/moments.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/spectrum/features.hpp"

namespace spyctrum {

/// Features with the standard error of each; zero where nothing is left to know.
struct FeatureEstimate {
  Features features;
  Features errors;              ///< entropy, radial, sectors, low_frequency_ratio and flatness are set
  double largest = 1;           ///< of the errors: entropy and flatness relative, shares as they are
  std::uint64_t rows_done = 0;  ///< of ⌊m/2⌋ + 1
  std::uint64_t rows = 0;
  std::uint64_t sampled_tiles = 0;  ///< that the errors were judged by
  [[nodiscard]] bool complete() const { return rows_done == rows; }
};

class FeatureProgress {
 public:
  /// Nothing done yet. Rows u = 0 … ⌊m/2⌋ fall into tiles of kTileRows.
  static constexpr std::uint64_t kTileRows = 32;

  /// Prepares for a pattern unless it is prepared for it already; what was done for another one is dropped.
  /// Whether it begins anew. Not while tiles are added. Throws Failure{cancelled}.
  bool prepare(const SparsePattern& pattern, JobContext& context);
  /// Nothing done, for no pattern.
  void forget();

  /// Tiles that are still to be done, in their order. Tile t holds the rows first_row(t) … first_row(t+1)−1.
  [[nodiscard]] std::vector<std::uint64_t> remaining() const;
  [[nodiscard]] std::uint64_t first_row(std::uint64_t tile) const;
  /// Whether rows come as symmetric_half (SpectrumRow::symmetric_half): those of a symmetric pattern do.
  [[nodiscard]] bool symmetric_half() const { return symmetric_; }
  /// Sums over the rows of one tile and their mirrors, DC apart; of a symmetric pattern over their
  /// symmetric_half and what these stand for. Thread-safe.
  void add(std::uint64_t tile, const FeatureTotals& totals);

  /// As far as it is known; empty before the certain tiles and two others are done. Thread-safe.
  [[nodiscard]] std::optional<FeatureEstimate> estimate() const;

  /// What has been done, as text, and back. Errors: bad_input where the text is not such a state.
  [[nodiscard]] std::string save() const;
  static Result<std::shared_ptr<FeatureProgress>> load(std::string_view text);

 private:
  [[nodiscard]] static std::vector<char> certain_tiles(const SparsePattern& pattern, JobContext& context);
  void order_tiles(const std::vector<char>& certain);
  [[nodiscard]] bool certain_done() const;
  static std::uint64_t tiles_of(std::uint64_t half_rows) { return (half_rows + kTileRows - 1) / kTileRows; }
  [[nodiscard]] std::uint64_t tiles() const { return tiles_of(half_rows_); }

  mutable std::mutex mutex_;
  std::uint64_t fingerprint_ = 0;
  bool prepared_ = false;
  bool symmetric_ = false;
  double nonzeros_ = 0;
  std::uint64_t m_ = 0;
  std::uint64_t n_ = 0;
  std::uint64_t half_rows_ = 0;
  std::vector<std::uint64_t> order_;
  std::uint64_t certain_tiles_ = 0;  // the first of order_
  std::vector<char> done_;           // by tile
  std::vector<Moments> sums_;        // by tile, of those done
};

}  // namespace spyctrum
