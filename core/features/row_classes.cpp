// SPDX-License-Identifier: Apache-2.0
// Segments of signed frequencies are cut where the storage of a row wraps around, at DC, and for the
// symmetric half at |v| = u.
#include "core/features/row_classes.hpp"

#include <algorithm>
#include <atomic>

#include "core/features/feature_bins.hpp"

namespace spyctrum {

namespace {

constexpr std::size_t kClassGrain = 64;

/// Stored columns whose signed frequencies ascend.
struct AscendingPiece {
  std::uint64_t first = 0;
  std::vector<std::int64_t> frequencies;
};

/// The pieces of an axis, at most two; none where the columns are in another order.
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
  return static_cast<std::uint16_t>(where.radial | where.sector << cuda::kSectorShift |
                                    (where.low ? cuda::kLowClass : 0));
}

/// Columns first ≤ v < last of one code.
struct CodedSegment {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::uint16_t code = 0;
};

/// The segments of row u, with DC as a segment of its own.
std::vector<CodedSegment> coded(std::int64_t u, const std::vector<ClassSegment>& segments) {
  std::vector<CodedSegment> result;
  for (const ClassSegment& segment : segments) {
    const std::uint16_t code = code_of(segment.frequency_class);
    std::int64_t first = segment.first;
    if (u == 0 && first <= 0 && 0 < segment.last) {
      result.push_back({first, 0, code});
      result.push_back({0, 1, cuda::kDcClass});
      first = 1;
    }
    result.push_back({first, segment.last, code});
  }
  return result;
}

/// The symmetric half |v| ≤ u of a row u ≥ 0; coefficients beyond it are skipped. |v| = u has half weight,
/// since (u, u) is its own transpose and (u, −u) the conjugate of its transpose. In row u = n/2 the
/// coefficients v > 0 are marked kTransposedSector: their transposes lie in column −n/2, with the reflected
/// angle.
std::vector<CodedSegment> symmetric_half_of(std::int64_t u, std::uint64_t n,
                                            const std::vector<CodedSegment>& row) {
  const bool is_nyquist = 2 * static_cast<std::uint64_t>(u) == n;
  std::vector<CodedSegment> result;
  const auto cut = [&](std::int64_t first, std::int64_t last, std::uint16_t mark) {
    for (const CodedSegment& segment : row) {
      const std::int64_t from = std::max(first, segment.first);
      const std::int64_t to = std::min(last, segment.last);
      if (from >= to) continue;
      const bool is_marked = segment.code < cuda::kSkippedClass;
      result.push_back(
          {from, to, static_cast<std::uint16_t>(is_marked ? segment.code | mark : segment.code)});
    }
  };
  const auto half = static_cast<std::int64_t>(n / 2);
  const auto end = static_cast<std::int64_t>(n) - half;
  result.push_back({-half, -u, cuda::kSkippedClass});
  cut(-u, 1 - u, cuda::kHalfWeight);
  cut(1 - u, 1, 0);
  cut(1, u, is_nyquist ? cuda::kTransposedSector : 0);
  if (u > 0) cut(u, u + 1, cuda::kHalfWeight);
  result.push_back({u + 1, end, cuda::kSkippedClass});
  return result;
}

/// One row of the table while it is filled.
struct Runs {
  std::uint32_t* begins = nullptr;
  std::uint16_t* classes = nullptr;
  std::uint32_t count = 0;
  bool overflow = false;
  std::uint64_t counted = 0;
  std::uint64_t half_weighted = 0;

  void add(std::uint64_t begin, std::uint64_t end, std::uint16_t code) {
    if (begin >= end) return;
    if (code < cuda::kSkippedClass)
      ((code & cuda::kHalfWeight) != 0 ? half_weighted : counted) += end - begin;
    if (count != 0 && classes[count - 1] == code) return;
    if (count == cuda::kMostRuns) {
      overflow = true;
      return;
    }
    begins[count] = static_cast<std::uint32_t>(begin);
    classes[count++] = code;
  }
};

/// A piece's columns with segment.first ≤ v < segment.last.
void add_segment(const AscendingPiece& piece, const CodedSegment& segment, Runs& runs) {
  const auto at = [&](std::int64_t v) {
    const auto found = std::lower_bound(piece.frequencies.begin(), piece.frequencies.end(), v);
    return piece.first + static_cast<std::uint64_t>(found - piece.frequencies.begin());
  };
  runs.add(at(segment.first), at(segment.last), segment.code);
}

}  // namespace

std::uint64_t RowClasses::bytes(std::uint64_t rows) { return (6 * cuda::kMostRuns + 1) * rows; }

std::optional<RowClasses> RowClasses::make(const FrequencyGrid& grid, const RowClassRule& rule,
                                           ThreadPool& pool) {
  const std::uint64_t m = grid.rows.size();
  const std::uint64_t n = grid.cols.size();
  const std::uint64_t rows = grid.rows.count();
  RowClasses table;
  table.symmetric_half_ = rule.symmetric_half;
  table.width_ = grid.cols.count();
  if (rows == 0 || table.width_ == 0 || table.width_ >= cuda::kNoRun) return std::nullopt;
  const std::vector<AscendingPiece> pieces = ascending_pieces(grid.cols);
  if (pieces.empty()) return std::nullopt;
  table.begins_.assign(rows * cuda::kMostRuns, cuda::kNoRun);
  table.classes_.assign(rows * cuda::kMostRuns, cuda::kSkippedClass);
  table.weights_.assign(rows, 0);
  std::atomic<bool> overflow{false};
  std::atomic<std::uint64_t> counted{0};
  pool.parallel_for(rows, kClassGrain, [&](std::size_t begin, std::size_t end, unsigned /*worker*/) {
    std::vector<ClassSegment> segments;
    for (std::size_t p = begin; p < end; ++p) {
      // An upper half plane has its row m/2 at +½, as FeatureConsumer has.
      const std::int64_t u = grid.rows.signed_at(p);
      Runs runs{&table.begins_[p * cuda::kMostRuns], &table.classes_[p * cuda::kMostRuns]};
      if (rule.skips_row && rule.skips_row(u)) {
        runs.add(0, table.width_, cuda::kSkippedClass);
        continue;
      }
      class_segments(u, m, n, segments);
      std::vector<CodedSegment> row = coded(u, segments);
      if (rule.symmetric_half) row = symmetric_half_of(std::abs(u), n, row);
      for (const AscendingPiece& piece : pieces)
        for (const CodedSegment& segment : row) add_segment(piece, segment, runs);
      const std::uint64_t weight = rule.hermitian_half && !is_self_mirrored(u, m) ? 2 : 1;
      const std::uint64_t times = rule.symmetric_half ? 2 : 1;
      table.weights_[p] = static_cast<std::uint8_t>(times * weight);
      counted += weight * (times * runs.counted + runs.half_weighted);
      if (runs.overflow) overflow = true;
    }
  });
  if (overflow) return std::nullopt;
  table.count_ = static_cast<double>(counted.load());
  return table;
}

cuda::RowClassesView RowClasses::view() const {
  return {weights_.size(), width_, begins_.data(), classes_.data(), weights_.data()};
}

FeatureTotals RowClasses::totals(const cuda::FeatureSums& sums) const {
  FeatureTotals totals;
  std::copy(std::begin(sums.radial), std::end(sums.radial), totals.radial.begin());
  std::copy(std::begin(sums.sectors), std::end(sums.sectors), totals.sectors.begin());
  totals.low = sums.low;
  totals.f = sums.f;
  totals.log_power = sums.log_power;
  totals.count = count_;
  totals.dc_power = sums.dc_power;
  for (std::size_t k = 0; k < kTinyBins; ++k) {
    totals.tiny_count[k] = static_cast<double>(sums.tiny_count[k]);
    totals.tiny_log[k] = sums.tiny_log[k];
  }
  if (!symmetric_half_) return totals;
  // The device counted every coefficient twice with its own sector; one of the two is the transpose's, of
  // angle π/2 − θ, or −(π/2 − θ) for those marked kTransposedSector.
  totals.sectors.fill(0);
  for (std::size_t k = 0; k < kSectors; ++k) {
    const std::size_t transposed = transposed_sector(k);
    const std::size_t reflected = (kSectors - transposed) % kSectors;
    totals.sectors[k] += (sums.sectors[k] + sums.transposed_sectors[k]) / 2;
    totals.sectors[transposed] += sums.sectors[k] / 2;
    totals.sectors[reflected] += sums.transposed_sectors[k] / 2;
  }
  return totals;
}

}  // namespace spyctrum
