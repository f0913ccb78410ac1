// SPDX-License-Identifier: Apache-2.0
// Tables in double precision, made once per task; tiles on whatever stream their slot belongs to.
#include "core/cuda/row_tiles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace spyctrum::cuda {

namespace {

FftPlan row_plan(Host& host, std::uint64_t length, std::uint64_t batch, cudaStream_t stream) {
  const auto size = static_cast<long long>(length);
  return {host, CUFFT_C2C, {size}, {size}, size, {size}, size, static_cast<long long>(batch), stream};
}

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
}

RowTransform::RowTransform(Host& host, const RowTask& task)
    : host_(host),
      m_(task.pattern.rows),
      n_(task.pattern.cols),
      pattern_(host, task.pattern),
      frequencies_(upload(host, task.frequencies, task.count, "row frequencies")),
      host_frequencies_(task.frequencies, task.frequencies + task.count) {
  choose_sizes(task);
  if (task.resampling != nullptr)
    prepare_resampling(*task.resampling);
  else if (length_ != n_)
    prepare_chirps();
  if (task.algorithm == RowAlgorithm::ours) prepare_rotation();
  if (rotating_) find_long_columns(task.pattern);
}

void RowTransform::choose_sizes(const RowTask& task) {
  length_ = task.resampling != nullptr ? task.resampling->fine : row_length(n_);
  tile_ = cuda::tile_rows(task.tile, task.count, task.resampling != nullptr ? n_ + length_ : length_);
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
  const auto size = static_cast<long long>(length_);
  FftPlan plan(host_, CUFFT_Z2Z, {size}, {size}, size, {size}, size, 1, nullptr);
  plan.complex(wide.get(), CUFFT_FORWARD);
  check(host_,
        launch_narrow(wide.get(), chirp_filter_.get(), length_, 1.0 / static_cast<double>(length_), nullptr),
        "chirps");
  check(host_, cudaStreamSynchronize(nullptr), "chirps");
}

void RowTransform::prepare_resampling(const LatticeAxisView& axis) {
  start_ = upload(host_, axis.start, n_, "first cells");
  weights_ = upload(host_, axis.weights, n_ * axis.taps, "taps");
  phase_ = upload(host_, reinterpret_cast<const float2*>(axis.phase), n_, "phases");
  correction_ = upload(host_, axis.correction, n_, "corrections");
  resampling_ = {n_, axis.fine, axis.taps, start_.get(), weights_.get()};
  first_cell_ = axis.first_cell;
}

void RowTransform::prepare_rotation() {
  const auto difference = [&](std::size_t k) {
    return (host_frequencies_[k] + m_ - host_frequencies_[k - 1]) % m_;
  };
  step_ = host_frequencies_.size() > 1 ? difference(1) : 0;
  rotating_ = true;
  for (std::size_t k = 2; k < host_frequencies_.size() && rotating_; ++k) rotating_ = difference(k) == step_;
  if (!rotating_) return;
  rotation_ = DeviceBuffer<float2>(host_, m_, "table of rotations");
  check(host_,
        launch_rotation_table(rotation_.get(), m_, pattern_.columns().reciprocal, 32 * step_ % m_, nullptr),
        "table of rotations");
  check(host_, cudaStreamSynchronize(nullptr), "table of rotations");
}

void RowTransform::find_long_columns(const PatternView& pattern) {
  std::vector<Piece> pieces;
  std::vector<LongColumn> columns;
  for (std::uint32_t k = 0; k < pattern.active; ++k) {
    const std::int64_t begin = pattern.column_starts[k];
    const std::int64_t end = pattern.column_starts[k + 1];
    if (end - begin <= kPieceEntries) continue;
    columns.push_back({k, static_cast<std::uint32_t>(pieces.size()), 0});
    for (std::int64_t at = begin; at < end; at += kPieceEntries)
      pieces.push_back({at, std::min<std::int64_t>(at + kPieceEntries, end)});
    columns.back().pieces = static_cast<std::uint32_t>(pieces.size()) - columns.back().first_piece;
  }
  if (columns.size() > 65535) {  // the y axis of a launch: such patterns are dense enough for the plain build
    rotating_ = false;
    return;
  }
  piece_count_ = static_cast<std::uint32_t>(pieces.size());
  long_count_ = static_cast<std::uint32_t>(columns.size());
  pieces_ = upload(host_, pieces.data(), pieces.size(), "pieces of long columns");
  long_columns_ = upload(host_, columns.data(), columns.size(), "long columns");
}

RowTransform::Slot::Slot(Host& host, const RowTransform& transform, cudaStream_t on)
    : values(host, transform.tile_ * transform.length_, "tile"),
      sums(host, transform.resampling_.fine != 0 ? transform.tile_ * transform.n_ : 0, "tile of inner sums"),
      partial(host, transform.piece_count_ * transform.tile_, "sums of pieces"),
      plan(row_plan(host, transform.length_, transform.tile_, on)),
      stream(on) {}

void RowTransform::build(Slot& slot, std::uint64_t first, std::uint32_t count) const {
  const DeviceColumns& columns = pattern_.columns();
  const bool resampled = resampling_.fine != 0;
  const std::uint64_t stride = resampled ? n_ : length_;
  float2* sums = resampled ? slot.sums.get() : slot.values.get();
  if (columns.active != n_ || stride != n_ || count != tile_)
    check(host_, cudaMemsetAsync(sums, 0, tile_ * stride * sizeof(float2), slot.stream), "clearing a tile");
  const BuildTile tile{sums, stride, count, resampled ? phase_.get() : chirp_.get()};
  if (rotating_) {
    const Progression progression{host_frequencies_[first], step_, rotation_.get()};
    const LongColumns longs{pieces_.get(), piece_count_,       long_columns_.get(),
                            long_count_,   slot.partial.get(), tile_};
    check(host_, launch_build_rotating(columns, tile, progression, longs, slot.stream), "inner sums");
  } else {
    check(host_, launch_build_paper(columns, tile, frequencies_.get() + first, slot.stream), "inner sums");
  }
  if (!resampled) return;
  check(host_, launch_resample(sums, resampling_, count, slot.values.get(), slot.stream), "resampling");
  if (count != tile_) {
    check(host_,
          cudaMemsetAsync(slot.values.get() + count * length_, 0, (tile_ - count) * length_ * sizeof(float2),
                          slot.stream),
          "clearing a tile");
  }
}

bool RowTransform::transforms_into_place(std::uint32_t count) const {
  return length_ == n_ && count == tile_;
}

TileView RowTransform::transform(Slot& slot, std::uint64_t first, std::uint32_t count, float2* place) const {
  build(slot, first, count);
  slot.plan.complex(slot.values.get(), place != nullptr ? place : slot.values.get(), CUFFT_FORWARD);
  if (chirp_.get() != nullptr) {
    check(host_, launch_multiply_rows(slot.values.get(), count, length_, chirp_filter_.get(), slot.stream),
          "Bluestein's product");
    slot.plan.complex(slot.values.get(), CUFFT_INVERSE);
  }
  return {slot.values.get(), length_, count, chirp_.get(), correction_.get(), first_cell_};
}

}  // namespace spyctrum::cuda
