// SPDX-License-Identifier: Apache-2.0
// Segments of signed frequencies cut where the storage of a row wraps, and at DC.
#include "core/spectrum/row_classes.hpp"

#include <algorithm>
#include <atomic>

#include "core/spectrum/feature_bins.hpp"

namespace spyctrum {

namespace {

static_assert(cuda::kClassRadii == kRadialBins && cuda::kClassSectors == kSectors);
static_assert(cuda::kTinyPowers == FeatureTotals::kTinyBins);

constexpr std::size_t kRowGrain = 64;

/// Stored columns whose signed frequencies ascend.
struct AscendingPiece {
  std::uint64_t first = 0;
  std::vector<std::int64_t> frequencies;
};

/// At most two of them, or none at all: then the columns come in another order.
std::vector<AscendingPiece> ascending_pieces(const FrequencyAxis& axis) {
  std::vector<AscendingPiece> pieces;
  for (std::uint64_t q = 0; q < axis.count(); ++q) {
    const std::int64_t v = axis.signed_at(q);
    if (pieces.empty() || v <= pieces.back().frequencies.back()) {
      if (pieces.size() == 2) return {};
      pieces.push_back({q, {}});
    }
    pieces.back().frequencies.push_back(v);
  }
  const bool overlap = pieces.size() == 2 && pieces[1].frequencies.back() >= pieces[0].frequencies.front();
  return overlap ? std::vector<AscendingPiece>{} : pieces;
}

std::uint16_t code_of(const FrequencyClass& where) {
  return static_cast<std::uint16_t>(where.radial + 16 * where.sector + (where.low ? 128 : 0));
}

/// One row of the table while it is filled.
struct Runs {
  std::uint32_t* begins = nullptr;
  std::uint16_t* classes = nullptr;
  std::uint32_t count = 0;
  bool overflow = false;
  std::uint64_t counted = 0;
  std::uint64_t dc = 0;

  void add(std::uint64_t begin, std::uint64_t end, std::uint16_t code) {
    if (begin >= end) return;
    if (code == cuda::kDcClass) dc += end - begin;
    if (code < cuda::kSkippedClass) counted += end - begin;
    if (count != 0 && classes[count - 1] == code) return;
    if (count == cuda::kMostRuns) {
      overflow = true;
      return;
    }
    begins[count] = static_cast<std::uint32_t>(begin);
    classes[count++] = code;
  }
};

/// A piece's columns with segment.first ≤ v < segment.last, DC apart.
void add_segment(const AscendingPiece& piece, const ClassSegment& segment, std::int64_t u, Runs& runs) {
  const auto at = [&](std::int64_t v) {
    const auto found = std::lower_bound(piece.frequencies.begin(), piece.frequencies.end(), v);
    return piece.first + static_cast<std::uint64_t>(found - piece.frequencies.begin());
  };
  const std::uint16_t code = code_of(segment.frequency_class);
  const bool holds_dc = u == 0 && segment.first <= 0 && 0 < segment.last;
  if (!holds_dc) {
    runs.add(at(segment.first), at(segment.last), code);
    return;
  }
  runs.add(at(segment.first), at(0), code);
  runs.add(at(0), at(1), cuda::kDcClass);
  runs.add(at(1), at(segment.last), code);
}

}  // namespace

std::uint64_t RowClasses::bytes(std::uint64_t rows) { return (6 * cuda::kMostRuns + 1) * rows; }

std::optional<RowClasses> RowClasses::make(const FrequencyGrid& grid, const RowClassRule& rule,
                                           ThreadPool& pool) {
  const std::uint64_t m = grid.rows.size();
  const std::uint64_t n = grid.cols.size();
  const std::uint64_t rows = grid.rows.count();
  RowClasses table;
  table.width_ = grid.cols.count();
  if (rows == 0 || table.width_ == 0 || table.width_ >= cuda::kNoRun) return std::nullopt;
  const std::vector<AscendingPiece> pieces = ascending_pieces(grid.cols);
  if (pieces.empty()) return std::nullopt;
  table.begins_.assign(rows * cuda::kMostRuns, cuda::kNoRun);
  table.classes_.assign(rows * cuda::kMostRuns, cuda::kSkippedClass);
  table.weights_.assign(rows, 0);
  std::atomic<bool> overflow{false};
  std::atomic<std::uint64_t> counted{0};
  std::atomic<std::uint64_t> dc{0};
  pool.parallel_for(rows, kRowGrain, [&](std::size_t begin, std::size_t end, unsigned /*worker*/) {
    std::vector<ClassSegment> segments;
    for (std::size_t p = begin; p < end; ++p) {
      // An upper half plane has its row m/2 at +½, as FeatureSink has.
      const std::int64_t u = grid.rows.signed_at(p);
      const bool self_mirrored = dft_index(2 * u, static_cast<std::int64_t>(m)) == 0;
      Runs runs{&table.begins_[p * cuda::kMostRuns], &table.classes_[p * cuda::kMostRuns]};
      if (rule.skips_row && rule.skips_row(u)) {
        runs.add(0, table.width_, cuda::kSkippedClass);
        continue;
      }
      class_segments(u, m, n, segments);
      for (const AscendingPiece& piece : pieces)
        for (const ClassSegment& segment : segments) add_segment(piece, segment, u, runs);
      const std::uint64_t weight = rule.hermitian_half && !self_mirrored ? 2 : 1;
      table.weights_[p] = static_cast<std::uint8_t>(weight);
      counted += weight * runs.counted;
      dc += runs.dc;
      if (runs.overflow) overflow = true;
    }
  });
  if (overflow) return std::nullopt;
  table.count_ = static_cast<double>(counted.load());
  table.dc_count_ = static_cast<double>(dc.load());
  return table;
}

cuda::RowClassesView RowClasses::view() const {
  return {weights_.size(), width_, begins_.data(), classes_.data(), weights_.data()};
}

FeatureTotals totals_of(const cuda::FeatureSums& sums, double count, double dc_count) {
  FeatureTotals totals;
  std::copy(std::begin(sums.radial), std::end(sums.radial), totals.radial.begin());
  std::copy(std::begin(sums.sectors), std::end(sums.sectors), totals.sectors.begin());
  totals.low = sums.low;
  totals.power_log_power = sums.power_log_power;
  totals.log_power = sums.log_power;
  totals.count = count;
  totals.dc_power = sums.dc_power;
  totals.dc_count = dc_count;
  for (std::size_t k = 0; k < FeatureTotals::kTinyBins; ++k) {
    totals.tiny_count[k] = static_cast<double>(sums.tiny_count[k]);
    totals.tiny_log[k] = sums.tiny_log[k];
  }
  return totals;
}

}  // namespace spyctrum
