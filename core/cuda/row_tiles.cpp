// SPDX-License-Identifier: Apache-2.0
// Tables in double precision, made once per task; tiles on whatever stream their slot belongs to.
#include "core/cuda/row_tiles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace spyctrum::cuda {

namespace {

/// Rows of a partial sum: whole blocks of the build, whichever it is.
std::uint64_t partial_rows(std::uint64_t tile) { return (tile + 511) / 512 * 512; }

}  // namespace

std::uint64_t reciprocal_of(std::uint64_t m) {
  // ⌊(2^64−1)/m⌋ is ⌊2^64/m⌋ except where m divides 2^64.
  const std::uint64_t below = std::numeric_limits<std::uint64_t>::max() / m;
  return (m & (m - 1)) == 0 ? below + 1 : below;
}

DevicePattern::DevicePattern(Host& host, const PatternView& pattern)
    : ids_(upload(host, pattern.column_ids, pattern.active, "column ids")),
      starts_(upload(host, pattern.column_starts, pattern.active + 1, "column starts")) {
  columns_.narrow = pattern.rows <= 65536;
  if (columns_.narrow) {
    const std::vector<std::uint16_t> rows(pattern.row_indices, pattern.row_indices + pattern.nonzeros);
    narrow_rows_ = upload(host, rows.data(), rows.size(), "row indices");
    columns_.rows = narrow_rows_.get();
  } else {
    wide_rows_ = upload(host, pattern.row_indices, pattern.nonzeros, "row indices");
    columns_.rows = wide_rows_.get();
  }
  columns_.ids = ids_.get();
  columns_.starts = starts_.get();
  columns_.active = static_cast<std::uint32_t>(pattern.active);
  columns_.m = pattern.rows;
  columns_.reciprocal = reciprocal_of(pattern.rows);
  columns_.n = pattern.cols;
}

RowTransform::RowTransform(Host& host, const RowTask& task, bool stores)
    : host_(host),
      m_(task.pattern.rows),
      n_(task.pattern.cols),
      pattern_(host, task.pattern),
      columns_(pattern_.columns()),
      frequencies_(upload(host, task.frequencies, task.count, "row frequencies")),
      host_frequencies_(task.frequencies, task.frequencies + task.count),
      kept_(stores && task.algorithm == RowAlgorithm::ours && task.output == RowOutput::rows &&
            task.resampling == nullptr && task.split == 1) {
  choose_sizes(task);
  if (task.resampling != nullptr)
    prepare_resampling(*task.resampling);
  else if (length_ != n_)
    prepare_chirps();
  if (split_ != 1) prepare_butterfly();
  if (task.algorithm == RowAlgorithm::ours) prepare_pairs();
  find_columns(task.pattern);
  tile_ = kept_ ? kept_tile(task) : cuda::tile_rows(task.tile, task.count, built_length(n_, task.algorithm));
}

void RowTransform::choose_sizes(const RowTask& task) {
  length_ = task.resampling != nullptr ? task.resampling->fine : built_length(n_, task.algorithm);
  split_ = task.split;
  if (task.split != 1 && (task.algorithm != RowAlgorithm::ours || length_ % task.split != 0))
    host_.fail(Trouble::unsupported, "a row cannot be split like that", 0);
  // cuFFT takes rows of some lengths in one pass only where they lie side by side.
  stride_ = task.resampling != nullptr ? padded(n_) : length_;
}

std::uint64_t RowTransform::kept_tile(const RowTask& task) const {
  constexpr std::uint64_t kTiles = 4;  // so that two streams take turns twice
  constexpr std::uint64_t kMostRows = 4096;
  constexpr std::uint64_t kMostPartial = std::uint64_t{1} << 26;
  std::uint64_t tile = cuda::tile_rows(task.tile, task.count, length_);
  const std::uint64_t larger = std::min(kMostRows, (task.count + kTiles - 1) / kTiles);
  if (task.tile == 0 && larger > tile && piece_count_ * larger * sizeof(float2) <= kMostPartial)
    tile = cuda::even_tile(task.count, larger);
  return tile;
}

void RowTransform::prepare_chirps() {
  std::vector<float2> chirp(n_);
  std::vector<double2> filter(length_, double2{0.0, 0.0});
  std::uint64_t square = 0;  // j² mod 2n in integers, from (j+1)² = j² + 2j + 1
  for (std::uint64_t j = 0; j < n_; square = (square + 2 * j + 1) % (2 * n_), ++j) {
    const double angle = std::numbers::pi * static_cast<double>(square) / static_cast<double>(n_);
    const double cosine = std::cos(angle);
    const double sine = std::sin(angle);
    chirp[j] = {static_cast<float>(cosine), static_cast<float>(-sine)};
    filter[j] = {cosine, sine};
    if (j != 0) filter[length_ - j] = {cosine, sine};
  }
  chirp_ = upload(host_, chirp.data(), n_, "chirps");
  chirp_filter_ = DeviceBuffer<float2>(host_, length_, "chirps");
  const DeviceBuffer<double2> wide = upload(host_, filter.data(), length_, "chirps in double precision");
  FftLayout layout(FftShape{false, 1, length_, length_, 1});
  layout.type = CUFFT_Z2Z;
  FftPlan plan(host_, layout, nullptr);
  plan.complex(wide.get(), CUFFT_FORWARD);
  check(host_,
        launch_narrow(wide.get(), chirp_filter_.get(), length_, 1.0 / static_cast<double>(length_), nullptr),
        "chirps");
  check(host_, cudaStreamSynchronize(nullptr), "chirps");
}

void RowTransform::prepare_resampling(const LatticeAxisView& axis) {
  // The axis lists the cells of a value; a thread of the device wants the values of a cell: those within half
  // a tap width, x_j = fine·j/n.
  const auto n = static_cast<std::int64_t>(n_);
  const auto fine = static_cast<std::int64_t>(axis.fine);
  const auto tap_of = [&](std::int64_t cell, std::int64_t j) {
    return static_cast<std::uint64_t>((cell - axis.start[j] + fine) % fine);
  };
  const std::uint64_t reach = axis.taps * n_ / axis.fine + 4;
  std::vector<std::uint32_t> first(axis.fine);
  std::uint64_t taps = 1;
  for (std::int64_t cell = 0; cell < fine; ++cell) {
    std::int64_t j = (2 * cell - axis.taps) * n / (2 * fine) - 2;
    j = (j % n + n) % n;
    std::uint64_t skipped = 0;
    while (skipped < reach && tap_of(cell, j) >= axis.taps) j = (j + 1) % n, ++skipped;
    first[cell] = static_cast<std::uint32_t>(j);
    std::uint64_t count = 0;
    while (count < n_ && count < kMostTaps && tap_of(cell, j) < axis.taps) j = (j + 1) % n, ++count;
    taps = std::max(taps, count);
  }
  std::vector<float> weights(taps * axis.fine, 0.0F);
  for (std::int64_t cell = 0; cell < fine; ++cell) {
    for (std::uint64_t t = 0; t < taps && t < n_; ++t) {
      const auto j = static_cast<std::int64_t>((first[cell] + t) % n_);
      const std::uint64_t tap = tap_of(cell, j);
      if (tap < axis.taps) weights[t * axis.fine + cell] = axis.weights[j * axis.taps + tap];
    }
  }
  first_value_ = upload(host_, first.data(), axis.fine, "first values");
  weights_ = upload(host_, weights.data(), weights.size(), "taps");
  phase_ = upload(host_, reinterpret_cast<const float2*>(axis.phase), n_, "phases");
  correction_ = upload(host_, axis.correction, n_, "corrections");
  resampling_ = {n_,
                 stride_,
                 axis.fine,
                 static_cast<std::uint32_t>(split_),
                 static_cast<std::uint32_t>(taps),
                 first_value_.get(),
                 weights_.get()};
  first_cell_ = axis.first_cell;
}

void RowTransform::prepare_butterfly() {
  const Radices radices = radices_of(split_);
  const std::uint64_t part = length_ / split_;
  std::vector<float2> roots;
  roots.reserve(part * (radices.first + radices.second - 2));
  const auto add = [&](std::uint64_t a) {
    for (std::uint64_t q = 0; q < part; ++q) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(a * q) / static_cast<double>(length_);
      roots.push_back({static_cast<float>(std::cos(angle)), static_cast<float>(-std::sin(angle))});
    }
  };
  for (std::uint64_t a = 1; a < radices.first; ++a) add(radices.second * a);
  for (std::uint64_t a = 1; a < radices.second; ++a) add(a);
  twiddles_ = upload(host_, roots.data(), roots.size(), "twiddles");
}

void RowTransform::prepare_pairs() {
  const auto difference = [&](std::size_t k) {
    return (host_frequencies_[k] + m_ - host_frequencies_[k - 1]) % m_;
  };
  step_ = host_frequencies_.size() > 1 ? difference(1) : 0;
  in_pairs_ = m_ <= kMostPairRows;
  for (std::size_t k = 2; k < host_frequencies_.size() && in_pairs_; ++k) in_pairs_ = difference(k) == step_;
  if (!in_pairs_) return;
  pairs_ = DeviceBuffer<float4>(host_, m_ * (kPairs / 2), "table of pairs");
  fractions_ = DeviceBuffer<std::uint64_t>(host_, m_, "table of fractions");
  near_roots_ = DeviceBuffer<float2>(host_, kNearRoots, "table of pairs");
  const PairTables tables{pairs_.get(), fractions_.get(), near_roots_.get()};
  check(host_, launch_pair_tables(tables, m_, columns_.reciprocal, step_, nullptr), "table of pairs");
  check(host_, cudaStreamSynchronize(nullptr), "table of pairs");
}

void RowTransform::find_columns(const PatternView& pattern) {
  const auto piece = static_cast<std::int64_t>(piece_entries(pattern.nonzeros, pattern.active));
  std::vector<Piece> pieces;
  std::vector<Piece> hubs;
  std::vector<ColumnRange> ranges(n_);
  for (std::uint64_t k = 0; k < pattern.active; ++k) {
    const std::int64_t begin = pattern.column_starts[k];
    const std::int64_t end = pattern.column_starts[k + 1];
    // The parts of a row that is not resampled are told apart here.
    const std::uint64_t id = pattern.column_ids[k];
    ColumnRange& range = ranges[resampled() ? id : id % split_ * (n_ / split_) + id / split_];
    range = {begin, end};
    if (end - begin <= piece) continue;
    range.begin = static_cast<std::int64_t>(pieces.size());
    for (std::int64_t at = begin; at < end; at += piece)
      pieces.push_back({at, std::min<std::int64_t>(at + piece, end)});
    const auto last = static_cast<std::int64_t>(pieces.size());
    const bool is_hub = last - range.begin >= static_cast<std::int64_t>(kHubPieces);
    if (is_hub) hubs.push_back({range.begin, last});
    range.end = -(is_hub ? range.begin + 1 : last);
  }
  piece_count_ = static_cast<std::uint32_t>(pieces.size());
  pieces_ = upload(host_, pieces.data(), pieces.size(), "pieces of long columns");
  hub_count_ = static_cast<std::uint32_t>(hubs.size());
  hubs_ = upload(host_, hubs.data(), hubs.size(), "pieces of long columns");
  ranges_ = upload(host_, ranges.data(), ranges.size(), "places of the columns");
  columns_.ranges = ranges_.get();
}

RowTransform::Slot::Slot(Host& host, const RowTransform& transform, cudaStream_t on)
    : sums(host, transform.kept_ ? 0 : transform.tile_ * transform.stride_, "tile of inner sums"),
      values(host, transform.resampled() ? transform.tile_ * transform.length_ : 0, "resampled rows"),
      partial(host, transform.piece_count_ * partial_rows(transform.tile_), "sums of pieces"),
      plan(host,
           FftShape{false, 1, transform.length_ / transform.split_,
                    transform.resampled() || transform.split_ != 1 ? transform.length_ / transform.split_
                                                                   : transform.stride_,
                    transform.tile_ * transform.split_},
           on),
      stream(on) {}

float2* RowTransform::build(Slot& slot, std::uint64_t first, std::uint32_t count, float2* sums) const {
  // The build writes every one of n columns; what is beyond them, or beyond `count` rows, is zero.
  if (length_ > n_ && !resampled()) {
    check(host_, cudaMemsetAsync(sums, 0, tile_ * stride_ * sizeof(float2), slot.stream), "clearing a tile");
  }
  const BuildTile tile{sums, stride_, count, resampled() ? phase_.get() : chirp_.get()};
  const LongColumns longs{pieces_.get(), piece_count_,       hubs_.get(),
                          hub_count_,    slot.partial.get(), partial_rows(tile_)};
  if (in_pairs_) {
    const Progression progression{host_frequencies_[first], step_, pairs_.get(), fractions_.get(),
                                  near_roots_.get()};
    check(host_, launch_build_pairs(columns_, tile, progression, longs, slot.stream), "inner sums");
  } else {
    check(host_, launch_build_paper(columns_, tile, frequencies_.get() + first, longs, slot.stream),
          "inner sums");
  }
  float2* values = sums;
  if (resampled()) {
    values = slot.values.get();
    check(host_, launch_resample(sums, resampling_, count, values, slot.stream), "resampling");
  }
  if (count == tile_) return values;
  const std::uint64_t width = resampled() ? length_ : stride_;
  check(host_,
        cudaMemsetAsync(values + count * width, 0, (tile_ - count) * width * sizeof(float2), slot.stream),
        "clearing rows");
  return values;
}

bool RowTransform::transforms_into_place(std::uint32_t count) const {
  return kept_ || split_ != 1 || (count == tile_ && length_ == n_ && !resampled());
}

LastButterfly RowTransform::butterfly() const {
  LastButterfly butterfly;
  butterfly.part = length_ / split_;
  butterfly.radices = radices_of(split_);
  butterfly.twiddles = twiddles_.get();
  butterfly.kept = length_;
  butterfly.stride = length_;
  return butterfly;
}

TileView RowTransform::transform(Slot& slot, std::uint64_t first, std::uint32_t count, float2* place) const {
  float2* const values = build(slot, first, count, kept_ ? place : slot.sums.get());
  const bool is_split = split_ != 1;
  slot.plan.complex(values, place != nullptr && !is_split ? place : values, CUFFT_FORWARD);
  if (is_split) {
    LastButterfly last = butterfly();
    if (place != nullptr) {
      last.correction = correction_.get();
      last.first = first_cell_;
      last.kept = n_;
      last.stride = n_;
    }
    check(host_, launch_last_butterfly(values, last, count, place != nullptr ? place : values, slot.stream),
          "joining the parts of rows");
  }
  if (chirp_.get() != nullptr) {
    check(host_, launch_multiply_rows(values, count, length_, chirp_filter_.get(), slot.stream),
          "Bluestein's product");
    slot.plan.complex(values, CUFFT_INVERSE);
  }
  return {values, resampled() ? length_ : stride_, count, chirp_.get(), correction_.get(), first_cell_,
          length_};
}

}  // namespace spyctrum::cuda
