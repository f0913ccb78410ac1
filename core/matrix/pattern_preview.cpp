// SPDX-License-Identifier: Apache-2.0
// Counts per worker, added up in a snapshot.
#include "core/matrix/pattern_preview.hpp"

#include <algorithm>

namespace spyctrum {

void PatternPreview::begin(std::uint64_t rows, std::uint64_t cols, std::uint64_t declared_entries,
                           bool mirrored, unsigned workers) {
  const std::lock_guard lock(mutex_);
  height_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(rows, kMostCells));
  width_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(cols, kMostCells));
  rows_ = rows;
  cols_ = cols;
  declared_entries_ = declared_entries;
  mirrored_ = mirrored;
  workers_.clear();
  for (unsigned worker = 0; worker < workers; ++worker)
    workers_.push_back(std::make_unique<Counts>(std::size_t{height_} * width_));
}

void PatternPreview::grow(std::uint64_t side) {
  if (rows_ >= side) return;
  const std::lock_guard lock(mutex_);
  std::size_t factor = 1;
  for (; rows_ < side; factor *= 2) cols_ = rows_ *= 2;
  const Counts& before = *workers_.front();
  auto after = std::make_unique<Counts>(before.cells.size());
  after->entries = before.entries.load();
  for (std::size_t row = 0; row < height_; ++row)
    for (std::size_t col = 0; col < width_; ++col)
      after->cells[row / factor * width_ + col / factor] += before.cells[row * width_ + col];
  workers_.front() = std::move(after);
}

std::size_t PatternPreview::cell_of(std::uint64_t i, std::uint64_t j) const {
  // Indices are below 2^32 and heights and widths below 2^10: the products fit 64 bits.
  return static_cast<std::size_t>(i * height_ / rows_) * width_ +
         static_cast<std::size_t>(j * width_ / cols_);
}

void PatternPreview::add(std::span<const PackedEntry> entries, unsigned worker) {
  Counts& mine = *workers_[worker];
  const auto count = [&mine](std::size_t cell) {
    auto& value = mine.cells[cell];
    value.store(value.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  };
  for (const PackedEntry entry : entries) {
    const std::uint64_t i = row_of(entry), j = col_of(entry);
    count(cell_of(i, j));
    if (mirrored_ && i != j) count(cell_of(j, i));
  }
  mine.entries.store(mine.entries.load(std::memory_order_relaxed) + entries.size(),
                     std::memory_order_relaxed);
}

PatternPreview::Snapshot PatternPreview::snapshot() const {
  const std::lock_guard lock(mutex_);
  Snapshot now{rows_, cols_, declared_entries_, 0, height_, width_, {}};
  now.counts.assign(std::size_t{height_} * width_, 0);
  for (const auto& worker : workers_) {
    now.entries += worker->entries.load(std::memory_order_relaxed);
    for (std::size_t cell = 0; cell < now.counts.size(); ++cell)
      now.counts[cell] += worker->cells[cell].load(std::memory_order_relaxed);
  }
  return now;
}

}  // namespace spyctrum
