// SPDX-License-Identifier: Apache-2.0
// Computes the tables of a task, in double precision, and runs the steps of each tile.
#include "core/cuda/tiles/row_transform.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <span>

#include "core/cuda/tiles/bluestein.hpp"
#include "core/cuda/tiles/last_butterfly.hpp"
#include "core/cuda/tiles/row_kernel.hpp"

namespace spyctrum::cuda {

namespace {

/// Rows of the partial sums: a multiple of the rows of every kernel's thread block.
std::uint64_t partial_rows(std::uint64_t tile) { return (tile + 511) / 512 * 512; }

/// Whether rows come in runs (Runs::are_runs).
bool are_runs(std::span<const std::uint32_t> u) {
  for (std::size_t k = 1; k < u.size(); ++k) {
    const bool continues = u[k] == u[k - 1] + 1;
    const bool begins = u[k] % 32 == 0 && u[k - 1] % 32 == 31;
    if (!continues && !begins) return false;
  }
  return true;
}

bool are_consecutive(std::span<const std::uint32_t> u) {
  return std::adjacent_find(u.begin(), u.end(),
                            [](std::uint32_t a, std::uint32_t b) { return b != a + 1; }) == u.end();
}

}  // namespace

RowTransform::RowTransform(Host& host, const RowTask& task, bool stores, bool symmetric_half)
    : host_(host),
      algorithm_(task.algorithm),
      m_(task.pattern.rows),
      n_(task.pattern.cols),
      // If several devices share the tiles of a part, which rows a device transforms together depends on the
      // part. All rows then have the plan of whole rows, so that their bits do not.
      symmetric_half_(symmetric_half && !(task.is_part && task.tiles != nullptr)),
      is_part_(task.is_part),
      pattern_(host, task.pattern),
      columns_(pattern_.columns()),
      frequencies_(upload(host, task.frequencies, task.count, "row frequencies")),
      host_frequencies_(task.frequencies, task.frequencies + task.count) {
  for (std::uint64_t k = 0; k < task.plan_count; ++k) prepare(task.plans[k]);
  if (plans_.empty()) {
    RowTransformPlan paper;
    paper.half_width = n_ / 2;
    paper.cells = built_length(n_, task.algorithm);
    prepare(paper);
  }
  // cuFFT transforms rows of some lengths in one pass only if they are stored without gaps.
  stride_ = resampled() ? padded(n_ + 2 * std::uint64_t{halo()}) : whole().plan.cells;
  for (PreparedPlan& prepared : plans_) {
    if (by_kernel())
      prepare_row_kernel(prepared);
    else if (prepared.plan.resampled)
      prepare_resampling(prepared);
  }
  if (!resampled() && whole().plan.cells != n_) prepare_chirps();
  const std::uint64_t height = cuda::tile_rows(task.tile, task.count, built_length(n_, task.algorithm),
                                               tallest_tile(n_, task.pattern.nonzeros, task.algorithm));
  if (task.algorithm == RowAlgorithm::optimized) {
    if (task.column_transform != nullptr && !task.is_part && are_consecutive(host_frequencies_) &&
        transforms_columns(n_, task.pattern.nonzeros, height))
      prepare_columns(*task.column_transform);
    else if (!task.is_part)
      prepare_pairs();
    near_roots_ = DeviceBuffer<float2>(host, kNearRoots, "table of roots");
    check(host, launch_near_roots(near_roots_.get(), nullptr), "table of roots");
  }
  find_columns(task.pattern);
  check(host, cudaStreamSynchronize(nullptr), "tables of the rows");
  in_output_ = stores && task.algorithm == RowAlgorithm::optimized && task.output == RowOutput::rows &&
               !resampled() && whole().plan.split == 1;
  tile_ = in_output_ ? tall_tile(task) : height;
  for (PreparedPlan& prepared : plans_) {
    if (by_kernel()) continue;
    prepared.fft = std::make_unique<ResidentPlan>(host, fft_of(prepared));
    work_bytes_ = std::max(work_bytes_, prepared.fft->work_bytes());
  }
}

void RowTransform::prepare(const RowTransformPlan& plan) {
  const bool may_split = plan.resampled || plan.cells == n_;
  const bool by_cufft = plan.kernel_length < 0;
  const bool is_alike = plans_.empty() || (plan.resampled && resampled() && by_cufft && !by_kernel());
  const bool is_known =
      by_cufft || (plan.kernel_length < static_cast<int>(std::size(kKernelLengths)) &&
                   plan.cells == kKernelLengths[plan.kernel_length].cells() &&
                   static_cast<double>(plan.cells) >= kKernelOversampling * static_cast<double>(n_));
  if (!is_known || plan.cells == 0 || plan.cells % plan.split != 0 || (plan.split != 1 && !may_split) ||
      !is_alike)
    host_.fail(DeviceError::unsupported, "this row transform plan is not supported", 0);
  PreparedPlan& prepared = plans_.emplace_back();
  prepared.plan = plan;
  if (plan.split != 1) prepare_twiddles(prepared);
}

std::uint64_t RowTransform::tall_tile(const RowTask& task) const {
  constexpr std::uint64_t kTiles = 4;  // so that each of two streams has two tiles
  constexpr std::uint64_t kMostRows = 4096;
  constexpr std::uint64_t kMostPartial = std::uint64_t{1} << 26;
  std::uint64_t tile = cuda::tile_rows(task.tile, task.count, whole().plan.cells);
  const std::uint64_t larger = std::min(kMostRows, (task.count + kTiles - 1) / kTiles);
  if (task.tile == 0 && larger > tile && piece_count_ * larger * sizeof(float2) <= kMostPartial)
    tile = cuda::even_tile(task.count, larger);
  return tile;
}

void RowTransform::prepare_chirps() {
  const std::uint64_t length = whole().plan.cells;
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

void RowTransform::prepare_row_kernel(PreparedPlan& prepared) {
  const std::vector<float2> roots = kernel_root_table(kKernelLengths[prepared.plan.kernel_length]);
  prepared.twiddles = upload(host_, roots.data(), roots.size(), "roots of unity");
  prepared.correction = DeviceBuffer<float>(host_, n_, "corrections");
  check(host_,
        launch_resampling_tables(prepared.plan, n_, {nullptr, nullptr, prepared.correction.get()}, nullptr),
        "corrections");
}

void RowTransform::prepare_resampling(PreparedPlan& prepared) {
  const std::uint64_t taps = values_of_cell(prepared.plan, n_);
  prepared.first_value = DeviceBuffer<std::uint32_t>(host_, prepared.plan.cells, "first values");
  prepared.weights = DeviceBuffer<float>(host_, taps * prepared.plan.cells, "taps");
  prepared.correction = DeviceBuffer<float>(host_, n_, "corrections");
  check(host_,
        launch_resampling_tables(
            prepared.plan, n_,
            {prepared.first_value.get(), prepared.weights.get(), prepared.correction.get()}, nullptr),
        "tables of the resampling");
  prepared.resampling = {n_,
                         stride_,
                         prepared.plan.cells,
                         static_cast<std::uint32_t>(prepared.plan.split),
                         static_cast<std::uint32_t>(taps),
                         prepared.first_value.get(),
                         prepared.weights.get()};
}

void RowTransform::prepare_twiddles(PreparedPlan& prepared) {
  const Radices radices = radices_of(prepared.plan.split);
  const std::uint64_t part = prepared.plan.cells / prepared.plan.split;
  std::vector<float2> roots;
  roots.reserve(part * (radices.first + radices.second - 2));
  const auto add = [&](std::uint64_t a) {
    for (std::uint64_t q = 0; q < part; ++q) {
      const double angle =
          2 * std::numbers::pi * static_cast<double>(a * q) / static_cast<double>(prepared.plan.cells);
      roots.push_back({static_cast<float>(std::cos(angle)), static_cast<float>(-std::sin(angle))});
    }
  };
  for (std::uint64_t a = 1; a < radices.first; ++a) add(radices.second * a);
  for (std::uint64_t a = 1; a < radices.second; ++a) add(a);
  prepared.twiddles = upload(host_, roots.data(), roots.size(), "twiddles");
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
  const PairTables tables{pairs_.get(), fractions_.get()};
  check(host_, launch_pair_tables(tables, m_, columns_.reciprocal, step_, nullptr), "table of pairs");
  check(host_, cudaStreamSynchronize(nullptr), "table of pairs");
}

void RowTransform::prepare_columns(const ColumnTransform& transform) {
  by_columns_ = true;
  column_transform_ = transform;
  column_gains_ = upload(host_, transform.gains, std::size(transform.gains), "tables of the columns");
  const std::vector<float2> twiddles = column_twiddles();
  column_twiddles_ = upload(host_, twiddles.data(), twiddles.size(), "tables of the columns");
}

void RowTransform::find_columns(const PatternView& pattern) {
  const auto piece = static_cast<std::int64_t>(by_columns_ ? kColumnEntries
                                                           : piece_entries(pattern.nonzeros, pattern.active));
  std::vector<ColumnRange> pieces;
  std::vector<ColumnRange> hubs;
  std::vector<ColumnRange> ranges(n_);
  const std::uint64_t split = whole().plan.split;
  for (std::uint64_t k = 0; k < pattern.active; ++k) {
    const std::int64_t begin = pattern.column_starts[k];
    const std::int64_t end = pattern.column_starts[k + 1];
    // Rows that are not resampled are built in the order of their parts.
    const std::uint64_t id = pattern.column_ids[k];
    ColumnRange& range = ranges[resampled() ? id : id % split * (n_ / split) + id / split];
    range = {begin, end};
    if (end - begin <= piece) continue;
    range.begin = static_cast<std::int64_t>(pieces.size());
    for (std::int64_t at = begin; at < end; at += piece)
      pieces.push_back({at, std::min<std::int64_t>(at + piece, end)});
    const auto last = static_cast<std::int64_t>(pieces.size());
    const bool is_hub = !by_columns_ && last - range.begin >= static_cast<std::int64_t>(kHubPieces);
    if (is_hub) hubs.push_back({range.begin, last});
    range.end = -(is_hub ? range.begin + 1 : last);
  }
  piece_count_ = static_cast<std::uint32_t>(pieces.size());
  pieces_ = upload(host_, pieces.data(), pieces.size(), "pieces of long columns");
  hub_count_ = static_cast<std::uint32_t>(hubs.size());
  hubs_ = upload(host_, hubs.data(), hubs.size(), "pieces of long columns");
  ranges_ = upload(host_, ranges.data(), ranges.size(), "positions of the columns");
  columns_.ranges = ranges_.get();
}

FftShape RowTransform::fft_of(const PreparedPlan& prepared) const {
  const std::uint64_t part = prepared.plan.cells / prepared.plan.split;
  const bool is_packed = prepared.plan.resampled || prepared.plan.split != 1;
  return {false, 1, part, is_packed ? part : stride_, tile_ * prepared.plan.split};
}

RowTransform::Buffers::Buffers(Host& host, const RowTransform& transform, cudaStream_t on)
    : sums(host, transform.in_output_ ? 0 : transform.tile_ * transform.stride_, "tile of inner sums"),
      values(host, transform.tile_ * transform.transformed_width(), "resampled rows"),
      partial(host, transform.piece_count_ * partial_rows(transform.tile_), "sums of pieces"),
      work(host, transform.work_bytes_, "work area of cuFFT"),
      stream(on) {}

std::uint64_t RowTransform::reach_of(std::uint64_t first, std::uint32_t count) const {
  if (!symmetric_half_) return n_ / 2;
  const auto begin = host_frequencies_.begin() + static_cast<std::ptrdiff_t>(first);
  return *std::max_element(begin, begin + count);
}

std::uint32_t RowTransform::count_alike(std::uint64_t first, std::uint32_t count) const {
  if (!is_part_) return count;
  const PreparedPlan* const plan = &plan_for(reach_of(first, 1));
  std::uint32_t alike = 1;
  while (alike < count && &plan_for(reach_of(first + alike, 1)) == plan) ++alike;
  return alike;
}

const RowTransform::PreparedPlan& RowTransform::plan_for(std::uint64_t reach) const {
  std::size_t k = plans_.size() - 1;
  while (k > 0 && plans_[k - 1].plan.half_width >= reach) --k;
  return plans_[k];
}

float2* RowTransform::build(Buffers& buffers, const PreparedPlan& prepared, std::uint64_t first,
                            std::uint32_t count, float2* sums) const {
  // The build writes all n columns of `count` rows; the remaining values of the tile must be zero.
  if (stride_ > n_ && !resampled()) {
    set_zero(host_, sums, tile_ * stride_, buffers.stream, "clearing a tile");
  }
  const BuildTile tile{sums + halo(), stride_, count, chirp_.get(), halo()};
  const LongColumns longs{pieces_.get(), piece_count_,          hubs_.get(),
                          hub_count_,    buffers.partial.get(), partial_rows(tile_)};
  if (by_columns_) {
    const ConsecutiveRows rows{host_frequencies_[first], &column_transform_, column_gains_.get(),
                               column_twiddles_.get(), near_roots_.get()};
    check(host_, launch_column_transforms(columns_, tile, rows, longs, buffers.stream), "inner sums");
  } else if (in_pairs_) {
    const Progression progression{host_frequencies_[first], step_, pairs_.get(), fractions_.get(),
                                  near_roots_.get()};
    check(host_, launch_build_pairs(columns_, tile, progression, longs, buffers.stream), "inner sums");
  } else if (algorithm_ == RowAlgorithm::optimized) {
    const Runs runs{frequencies_.get() + first, count, are_runs({host_frequencies_.data() + first, count}),
                    near_roots_.get()};
    check(host_, launch_build_runs(columns_, tile, runs, longs, buffers.stream), "inner sums");
  } else {
    check(host_, launch_build_paper(columns_, tile, frequencies_.get() + first, longs, buffers.stream),
          "inner sums");
  }
  if (by_kernel()) return tile.values;
  float2* values = sums;
  if (resampled()) {
    values = buffers.values.get();
    check(host_, launch_resample(sums, prepared.resampling, count, values, buffers.stream), "resampling");
  }
  if (count == tile_) return values;
  const std::uint64_t width = resampled() ? prepared.plan.cells : stride_;
  set_zero(host_, values + count * width, (tile_ - count) * width, buffers.stream, "clearing rows");
  return values;
}

bool RowTransform::transforms_into_place(std::uint32_t count) const {
  return in_output_ || by_kernel() || whole().plan.split != 1 ||
         (count == tile_ && whole().plan.cells == n_ && !resampled());
}

TileView RowTransform::transform(Buffers& buffers, std::uint64_t first, std::uint32_t count,
                                 float2* place) const {
  if (by_kernel()) return transform_by_kernel(buffers, first, count, place);
  const std::uint64_t reach = reach_of(first, count);
  const PreparedPlan& prepared = plan_for(reach);
  float2* const values = build(buffers, prepared, first, count, in_output_ ? place : buffers.sums.get());
  const bool is_split = prepared.plan.split != 1;
  prepared.fft->run(host_, values, place != nullptr && !is_split ? place : values, CUFFT_FORWARD,
                    buffers.work.get(), buffers.stream);
  if (is_split) {
    LastButterfly last;
    last.part = prepared.plan.cells / prepared.plan.split;
    last.radices = radices_of(prepared.plan.split);
    last.twiddles = prepared.twiddles.get();
    last.stored = {std::min(reach + 1, (n_ + 1) / 2), reach, 0};
    last.stride = prepared.plan.cells;
    if (place != nullptr) {
      last.stored.shift = prepared.plan.cells - n_;
      last.stride = n_;
      last.correction = prepared.correction.get();
    }
    check(host_,
          launch_last_butterfly(values, last, count, place != nullptr ? place : values, buffers.stream),
          "joining the parts of rows");
  }
  if (chirp_.get() != nullptr) {
    check(host_, launch_multiply_rows(values, count, stride_, chirp_filter_.get(), buffers.stream),
          "Bluestein's product");
    prepared.fft->run(host_, values, values, CUFFT_INVERSE, buffers.work.get(), buffers.stream);
  }
  TileView view;
  view.values = values;
  view.stride = resampled() ? prepared.plan.cells : stride_;
  view.count = count;
  view.chirp = chirp_.get();
  view.correction = prepared.correction.get();
  view.first_negative = (n_ + 1) / 2;
  view.shift = prepared.plan.cells - n_;
  return view;
}

TileView RowTransform::transform_by_kernel(Buffers& buffers, std::uint64_t first, std::uint32_t count,
                                           float2* place) const {
  KernelRows rows;
  rows.rows = build(buffers, whole(), first, count, buffers.sums.get());
  rows.stride = stride_;
  rows.n = static_cast<std::uint32_t>(n_);
  rows.reach = static_cast<std::uint32_t>(reach_of(first, count));
  rows.correction = whole().correction.get();
  rows.roots = whole().twiddles.get();
  rows.out = place != nullptr ? place : buffers.values.get();
  rows.out_stride = place != nullptr ? n_ : transformed_width();
  check(host_, launch_row_kernel(whole().plan, rows, count, buffers.stream), "rows by one kernel");
  TileView view;
  view.values = rows.out;
  view.stride = rows.out_stride;
  view.count = count;
  return view;
}

}  // namespace spyctrum::cuda
