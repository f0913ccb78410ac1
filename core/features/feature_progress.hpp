// SPDX-License-Identifier: Apache-2.0
// Features of a plane while its rows are streamed. Tiles of rows are summed in the random order of a
// stratified sample (row_sample.hpp); the standard errors shrink to zero with the last tile. Estimates exist
// only at check points of that order, so that they depend on the pattern and the seed, not on threads or
// time. Other threads may read the estimate; the stream can be stopped, saved, and resumed later. For a
// symmetric pattern the rows are its symmetric half |v| ≤ u.
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
#include "core/features/row_sample.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/spectrum/features.hpp"

namespace spyctrum {

/// Features with the standard error of each; the errors are zero once all rows are summed.
struct FeatureEstimate {
  Features features;
  Features errors;              ///< entropy, radial, sectors, low_frequency_ratio and flatness are set
  double largest = 1;           ///< largest error: relative for entropy and flatness, absolute for shares
  std::uint64_t rows_done = 0;  ///< rows from which the features were estimated
  std::uint64_t rows = 0;       ///< ⌊m/2⌋ + 1
  /// enough tiles were summed for the errors to be trusted (RowEstimate::reliable)
  bool reliable = false;
  [[nodiscard]] bool complete() const { return rows_done == rows; }
  /// The share of the rows from which the features were estimated, 0 … 1.
  [[nodiscard]] double share_done() const {
    return static_cast<double>(rows_done) / static_cast<double>(rows);
  }
};

/// What FeatureProgress::prepare() did with the sums of an earlier stream.
enum class EarlierSums : std::uint8_t { kept, dropped };

class FeatureProgress {
 public:
  /// Prepares for `pattern` and the context's seed. Sums and order are kept if this object is already
  /// prepared for the same pattern, else dropped; returns which. `in_order`: tiles in ascending order instead
  /// of a random sample, which is prepared sooner but has no estimate before the last tile. Must not run
  /// while tiles are added. Throws Failure{cancelled}.
  EarlierSums prepare(const SparsePattern& pattern, JobContext& context, bool in_order = false);
  /// Drops all sums and the pattern.
  void forget();
  /// Whether this object is prepared for any pattern, and whether for `pattern`.
  [[nodiscard]] bool is_prepared() const;
  [[nodiscard]] bool is_of(const SparsePattern& pattern) const;
  /// Number of tiles summed so far. Thread-safe.
  [[nodiscard]] std::uint64_t tiles_done() const;

  /// Tiles not summed yet, in the order of summation. Tile t consists of the rows first_row(t) …
  /// first_row(t+1)−1.
  [[nodiscard]] std::vector<std::uint64_t> remaining() const;
  /// The first part of remaining(), up to the next check point.
  [[nodiscard]] std::vector<std::uint64_t> next_round() const;
  /// Positions of the check points in remaining(): numbers of tiles, ascending.
  [[nodiscard]] std::vector<std::size_t> rounds_left() const;
  /// Rows of a tile; the last tile may have fewer.
  [[nodiscard]] std::uint64_t tile_rows() const { return population_.tile_rows(); }
  [[nodiscard]] std::uint64_t rows() const { return population_.half_rows(); }
  /// Number of rows summed so far, whether or not an estimate uses them already.
  [[nodiscard]] std::uint64_t rows_summed() const;
  [[nodiscard]] std::uint64_t first_row(std::uint64_t tile) const;
  /// By row: its tile's RowSample::stratum_of. Empty if there are no strata (`in_order`).
  [[nodiscard]] std::vector<std::uint32_t> stratum_of_rows() const;
  /// Whether the rows of a tile are streamed in any case (RowSample::kCertain).
  [[nodiscard]] bool is_certain(std::uint64_t tile) const;
  /// Whether rows are given as the symmetric half (SpectrumRow::symmetric_half): true for symmetric patterns.
  [[nodiscard]] bool symmetric_half() const { return population_.symmetric_half; }
  /// Adds the sums over one tile's rows and their mirrors, without DC; for a symmetric pattern, over the
  /// symmetric half of the rows and its transpose. Thread-safe.
  void add(std::uint64_t tile, const FeatureTotals& totals) { add_sums(tile, sums_from(totals)); }
  /// The sums of a tile with these totals, for add_sums(). Thread-safe.
  [[nodiscard]] Moments sums_from(const FeatureTotals& totals) const;
  /// Returns the sums of a tile that was added; adds such sums from another process with the same pattern and
  /// seed. Thread-safe.
  [[nodiscard]] Moments sums_of(std::uint64_t tile) const;
  void add_sums(std::uint64_t tile, const Moments& sums);

  /// Number of check points whose tiles are all summed. Thread-safe.
  [[nodiscard]] std::size_t check_points_passed() const;
  /// The estimate at the last check point that is passed; empty before the first. Thread-safe.
  [[nodiscard]] std::optional<FeatureEstimate> estimate() const;
  /// The estimate at the first passed check point from number `from` on that is reliable and whose largest
  /// error is at most `until`; if there is none, the same as estimate(). Thread-safe.
  [[nodiscard]] std::optional<FeatureEstimate> estimate_within(double until, std::size_t from) const;

  /// Bytes of the sums and the sample of a plane with m rows; `in_order` as in prepare().
  [[nodiscard]] static std::uint64_t bytes(std::uint64_t m, bool in_order);

  /// Saves the state as text, and loads it. load() fails with bad_input if the text is not a valid state.
  [[nodiscard]] std::string save() const;
  static Result<std::shared_ptr<FeatureProgress>> load(std::string_view text);

 private:
  [[nodiscard]] bool has_pattern(const SparsePattern& pattern) const;
  void set_sample(RowSample sample);
  [[nodiscard]] std::size_t passed() const;
  [[nodiscard]] const FeatureEstimate& estimate_at(std::size_t check_point) const;
  [[nodiscard]] FeatureEstimate make_estimate(std::uint64_t tiles_done) const;

  mutable std::mutex mutex_;
  std::uint64_t fingerprint_ = 0;
  bool prepared_ = false;
  RowPopulation population_;
  RowSample sample_;
  std::vector<Moments> counts_;     // by tile
  std::vector<char> done_;          // by tile
  std::vector<Moments> sums_;       // by tile; zero if not summed
  mutable std::uint64_t next_ = 0;  // tiles of the order before this one are done
  mutable std::vector<std::optional<FeatureEstimate>> estimates_;  // by check point
};

}  // namespace spyctrum
