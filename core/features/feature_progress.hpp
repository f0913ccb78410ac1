// SPDX-License-Identifier: Apache-2.0
// Features of a plane whose rows are streamed, estimated after any part of it: tiles
// of rows are summed in an order that covers the plane ever more densely, and the
// standard errors shrink to zero with the last tile. The estimate can be read by
// other threads, the stream stopped, its state saved, and resumed later.
//
// Tiles that hold DC, the Nyquist row or more than their share of power are summed
// first and count for themselves ("certain" tiles). The others are a systematic sample
// in van der Corput's order; each represents the tiles nearest to it. The difference
// to the known power mnK adjusts the other sums by regression (Cochran, Sampling
// Techniques, 1977, ch. 7). Variances come from differences of neighbouring tiles, so
// that slow change from row to row does not count as noise, with the factor 1 − n/N for
// n tiles of N (Wolter, Introduction to Variance Estimation, 2007, ch. 8). Rows of a
// symmetric pattern are given as its symmetric half |v| ≤ u, whose length grows evenly
// with u; there second differences are used, which cancel this growth.
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

/// Features with the standard error of each; the errors are zero once all rows are summed.
struct FeatureEstimate {
  Features features;
  Features errors;                  ///< entropy, radial, sectors, low_frequency_ratio and flatness are set
  double largest = 1;               ///< of the errors: relative for entropy and flatness, absolute for shares
  std::uint64_t rows_done = 0;      ///< rows summed
  std::uint64_t rows = 0;           ///< ⌊m/2⌋ + 1
  std::uint64_t sampled_tiles = 0;  ///< tiles from which the errors were estimated
  [[nodiscard]] bool complete() const { return rows_done == rows; }
};

class FeatureProgress {
 public:
  /// Rows u = 0 … ⌊m/2⌋ are divided into tiles of so many rows.
  static constexpr std::uint64_t kTileRows = 32;

  /// Prepares for a pattern and returns true; sums of another pattern are dropped. Returns false, and keeps
  /// the sums, where it was prepared for the same pattern. Not while tiles are added. Throws
  /// Failure{cancelled}.
  bool prepare(const SparsePattern& pattern, JobContext& context);
  /// Drops all sums and the pattern.
  void forget();
  /// Whether it was prepared for a pattern, and whether for this one.
  [[nodiscard]] bool is_prepared() const;
  [[nodiscard]] bool is_of(const SparsePattern& pattern) const;
  /// Number of tiles summed so far. Thread-safe.
  [[nodiscard]] std::uint64_t tiles_done() const;

  /// Tiles not summed yet, in the order of summation. Tile t holds the rows first_row(t) … first_row(t+1)−1.
  [[nodiscard]] std::vector<std::uint64_t> remaining() const;
  [[nodiscard]] std::uint64_t first_row(std::uint64_t tile) const;
  /// Whether rows are given as the symmetric half (SpectrumRow::symmetric_half): true for symmetric patterns.
  [[nodiscard]] bool symmetric_half() const { return symmetric_; }
  /// Adds the sums over the rows of one tile and their mirrors, without DC; for a symmetric pattern over the
  /// symmetric half of the rows and its transpose. Thread-safe.
  void add(std::uint64_t tile, const FeatureTotals& totals);

  /// The present estimate; empty until the certain tiles and two others are summed. Thread-safe.
  [[nodiscard]] std::optional<FeatureEstimate> estimate() const;

  /// The state as text, and a FeatureProgress from such text. Errors: bad_input where the text is no such
  /// state.
  [[nodiscard]] std::string save() const;
  static Result<std::shared_ptr<FeatureProgress>> load(std::string_view text);

 private:
  [[nodiscard]] static std::vector<char> certain_tiles(const SparsePattern& pattern, JobContext& context);
  void order_tiles(const std::vector<char>& certain);
  [[nodiscard]] bool certain_done() const;
  [[nodiscard]] bool has_pattern(const SparsePattern& pattern) const;
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
  std::vector<Moments> sums_;        // by tile; zero where not done
};

}  // namespace spyctrum
