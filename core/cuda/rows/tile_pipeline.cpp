// SPDX-License-Identifier: Apache-2.0
// Tables in double precision, made once per task; tiles on whatever stream their slot belongs to.
#include "core/cuda/rows/tile_pipeline.hpp"

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

RowTransform::RowTransform(Host& host, const RowTask& task, bool stores, bool symmetric_half)
    : host_(host),
      m_(task.pattern.rows),
      n_(task.pattern.cols),
      symmetric_half_(symmetric_half),
      pattern_(host, task.pattern),
      columns_(pattern_.columns()),
      frequencies_(upload(host, task.frequencies, task.count, "row frequencies")),
      host_frequencies_(task.frequencies, task.frequencies + task.count) {
  for (std::uint64_t k = 0; k < task.shape_count; ++k) add_shape(task.shapes[k]);
  if (shapes_.empty()) {
    RowTransformPlan paper;
    paper.half_width = n_ / 2;
    paper.cells = built_length(n_, task.algorithm);
    add_shape(paper);
  }
  // cuFFT takes rows of some lengths in one pass only where they lie side by side.
  stride_ = resampled() ? padded(n_) : whole().how.cells;
  for (Shape& shape : shapes_)
    if (shape.how.resampled) prepare_resampling(shape);
  if (!resampled() && whole().how.cells != n_) prepare_chirps();
  if (task.algorithm == RowAlgorithm::optimized) prepare_pairs();
  find_columns(task.pattern);
  check(host, cudaStreamSynchronize(nullptr), "tables of the rows");
  kept_ = stores && task.algorithm == RowAlgorithm::optimized && task.output == RowOutput::rows &&
          !resampled() && whole().how.split == 1;
  tile_ = kept_ ? kept_tile(task) : cuda::tile_rows(task.tile, task.count, built_length(n_, task.algorithm));
}

void RowTransform::add_shape(const RowTransformPlan& how) {
  const bool splits = how.resampled || how.cells == n_;
  const bool is_alike = shapes_.empty() || (how.resampled && resampled());
  if (how.cells == 0 || how.cells % how.split != 0 || (how.split != 1 && !splits) || !is_alike)
    host_.fail(DeviceError::unsupported, "a row cannot be transformed like that", 0);
  Shape& shape = shapes_.emplace_back();
  shape.how = how;
  if (how.split != 1) prepare_twiddles(shape);
}

std::uint64_t RowTransform::kept_tile(const RowTask& task) const {
  constexpr std::uint64_t kTiles = 4;  // so that two streams take turns twice
  constexpr std::uint64_t kMostRows = 4096;
  constexpr std::uint64_t kMostPartial = std::uint64_t{1} << 26;
  std::uint64_t tile = cuda::tile_rows(task.tile, task.count, whole().how.cells);
  const std::uint64_t larger = std::min(kMostRows, (task.count + kTiles - 1) / kTiles);
  if (task.tile == 0 && larger > tile && piece_count_ * larger * sizeof(float2) <= kMostPartial)
    tile = cuda::even_tile(task.count, larger);
  return tile;
}

void RowTransform::prepare_chirps() {
  const std::uint64_t length = whole().how.cells;
  std::vector<float2> chirp(n_);
  std::vector<double2> filter(length, double2{0.0, 0.0});
  std::uint64_t square = 0;  // j² mod 2n in integers, from (j+1)² = j² + 2j + 1
  for (std::uint64_t j = 0; j < n_; square = (square + 2 * j + 1) % (2 * n_), ++j) {
    const double angle = std::numbers::pi * static_cast<double>(square) / static_cast<double>(n_);
    const double cosine = std::cos(angle);
    const double sine = std::sin(angle);
    chirp[j] = {static_cast<float>(cosine), static_cast<float>(-sine)};
    filter[j] = {cosine, sine};
    if (j != 0) filter[length - j] = {cosine, sine};
  }
  chirp_ = upload(host_, chirp.data(), n_, "chirps");
  chirp_filter_ = DeviceBuffer<float2>(host_, length, "chirps");
  const DeviceBuffer<double2> wide = upload(host_, filter.data(), length, "chirps in double precision");
  FftLayout layout(FftShape{false, 1, length, length, 1});
  layout.type = CUFFT_Z2Z;
  FftPlan plan(host_, layout, nullptr);
  plan.complex(wide.get(), CUFFT_FORWARD);
  check(host_,
        launch_narrow(wide.get(), chirp_filter_.get(), length, 1.0 / static_cast<double>(length), nullptr),
        "chirps");
  check(host_, cudaStreamSynchronize(nullptr), "chirps");
}

void RowTransform::prepare_resampling(Shape& shape) {
  const std::uint64_t taps = values_of_cell(shape.how, n_);
  shape.first_value = DeviceBuffer<std::uint32_t>(host_, shape.how.cells, "first values");
  shape.weights = DeviceBuffer<float>(host_, taps * shape.how.cells, "taps");
  shape.correction = DeviceBuffer<float>(host_, n_, "corrections");
  check(host_,
        launch_resampling_tables(
            shape.how, n_, {shape.first_value.get(), shape.weights.get(), shape.correction.get()}, nullptr),
        "tables of the resampling");
  shape.resampling = {n_,
                      stride_,
                      shape.how.cells,
                      static_cast<std::uint32_t>(shape.how.split),
                      static_cast<std::uint32_t>(taps),
                      shape.first_value.get(),
                      shape.weights.get()};
}

void RowTransform::prepare_twiddles(Shape& shape) {
  const Radices radices = radices_of(shape.how.split);
  const std::uint64_t part = shape.how.cells / shape.how.split;
  std::vector<float2> roots;
  roots.reserve(part * (radices.first + radices.second - 2));
  const auto add = [&](std::uint64_t a) {
    for (std::uint64_t q = 0; q < part; ++q) {
      const double angle =
          2 * std::numbers::pi * static_cast<double>(a * q) / static_cast<double>(shape.how.cells);
      roots.push_back({static_cast<float>(std::cos(angle)), static_cast<float>(-std::sin(angle))});
    }
  };
  for (std::uint64_t a = 1; a < radices.first; ++a) add(radices.second * a);
  for (std::uint64_t a = 1; a < radices.second; ++a) add(a);
  shape.twiddles = upload(host_, roots.data(), roots.size(), "twiddles");
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
  const std::uint64_t split = whole().how.split;
  for (std::uint64_t k = 0; k < pattern.active; ++k) {
    const std::int64_t begin = pattern.column_starts[k];
    const std::int64_t end = pattern.column_starts[k + 1];
    // The parts of a row that is not resampled are told apart here.
    const std::uint64_t id = pattern.column_ids[k];
    ColumnRange& range = ranges[resampled() ? id : id % split * (n_ / split) + id / split];
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

FftShape RowTransform::fft_of(const Shape& shape) const {
  const std::uint64_t part = shape.how.cells / shape.how.split;
  const bool is_packed = shape.how.resampled || shape.how.split != 1;
  return {false, 1, part, is_packed ? part : stride_, tile_ * shape.how.split};
}

RowTransform::Slot::Slot(Host& host, const RowTransform& transform, cudaStream_t on)
    : sums(host, transform.kept_ ? 0 : transform.tile_ * transform.stride_, "tile of inner sums"),
      values(host, transform.resampled() ? transform.tile_ * transform.whole().how.cells : 0,
             "resampled rows"),
      partial(host, transform.piece_count_ * partial_rows(transform.tile_), "sums of pieces"),
      stream(on) {
  for (const Shape& shape : transform.shapes_)
    plans.push_back(std::make_unique<FftPlan>(host, transform.fft_of(shape), on));
}

std::uint64_t RowTransform::reach_of(std::uint64_t first, std::uint32_t count) const {
  if (!symmetric_half_) return n_ / 2;
  const auto begin = host_frequencies_.begin() + static_cast<std::ptrdiff_t>(first);
  return *std::max_element(begin, begin + count);
}

std::size_t RowTransform::shape_for(std::uint64_t reach) const {
  std::size_t k = shapes_.size() - 1;
  while (k > 0 && shapes_[k - 1].how.half_width >= reach) --k;
  return k;
}

float2* RowTransform::build(Slot& slot, const Shape& shape, std::uint64_t first, std::uint32_t count,
                            float2* sums) const {
  // The build writes every one of n columns; what is beyond them, or beyond `count` rows, is zero.
  if (stride_ > n_ && !resampled()) {
    check(host_, cudaMemsetAsync(sums, 0, tile_ * stride_ * sizeof(float2), slot.stream), "clearing a tile");
  }
  const BuildTile tile{sums, stride_, count, chirp_.get()};
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
    check(host_, launch_resample(sums, shape.resampling, count, values, slot.stream), "resampling");
  }
  if (count == tile_) return values;
  const std::uint64_t width = resampled() ? shape.how.cells : stride_;
  check(host_,
        cudaMemsetAsync(values + count * width, 0, (tile_ - count) * width * sizeof(float2), slot.stream),
        "clearing rows");
  return values;
}

bool RowTransform::transforms_into_place(std::uint32_t count) const {
  return kept_ || whole().how.split != 1 || (count == tile_ && whole().how.cells == n_ && !resampled());
}

TileView RowTransform::transform(Slot& slot, std::uint64_t first, std::uint32_t count, float2* place) const {
  const std::uint64_t reach = reach_of(first, count);
  const std::size_t number = shape_for(reach);
  const Shape& shape = shapes_[number];
  FftPlan& plan = *slot.plans[number];
  float2* const values = build(slot, shape, first, count, kept_ ? place : slot.sums.get());
  const bool is_split = shape.how.split != 1;
  plan.complex(values, place != nullptr && !is_split ? place : values, CUFFT_FORWARD);
  if (is_split) {
    LastButterfly last;
    last.part = shape.how.cells / shape.how.split;
    last.radices = radices_of(shape.how.split);
    last.twiddles = shape.twiddles.get();
    last.kept = {std::min(reach + 1, (n_ + 1) / 2), reach, 0};
    last.stride = shape.how.cells;
    if (place != nullptr) {
      last.kept.shift = shape.how.cells - n_;
      last.stride = n_;
      last.correction = shape.correction.get();
    }
    check(host_, launch_last_butterfly(values, last, count, place != nullptr ? place : values, slot.stream),
          "joining the parts of rows");
  }
  if (chirp_.get() != nullptr) {
    check(host_, launch_multiply_rows(values, count, stride_, chirp_filter_.get(), slot.stream),
          "Bluestein's product");
    plan.complex(values, CUFFT_INVERSE);
  }
  TileView view;
  view.values = values;
  view.stride = resampled() ? shape.how.cells : stride_;
  view.count = count;
  view.chirp = chirp_.get();
  view.correction = shape.correction.get();
  view.turn = (n_ + 1) / 2;
  view.shift = shape.how.cells - n_;
  return view;
}

}  // namespace spyctrum::cuda
