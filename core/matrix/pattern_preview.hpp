// SPDX-License-Identifier: Apache-2.0
// Counts of a pattern that is still being read: the entries so far in each cell of a grid of at most 512×512
// cells over the matrix. Reading threads add entries; other threads take snapshots meanwhile, without
// waiting.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/matrix/packed_entries.hpp"

namespace spyctrum {

class PatternPreview {
 public:
  static constexpr std::uint32_t kMostCells = 512;  ///< per axis

  /// The counts at one moment. Duplicates in the file are counted.
  struct Snapshot {
    std::uint64_t rows = 0, cols = 0;     ///< of the matrix; 0 before begin()
    std::uint64_t declared_entries = 0;   ///< number of entries according to the file's header
    std::uint64_t entries = 0;            ///< read so far, without mirrored ones
    std::uint32_t height = 0, width = 0;  ///< min(rows, kMostCells) × min(cols, kMostCells)
    std::vector<std::uint64_t> counts;    ///< [height × width]; cell (r, c) covers the entries with
                                          ///< ⌊i·height/rows⌋ = r, ⌊j·width/cols⌋ = c
  };

  /// Must be called before the first add() and grow(); a second call begins anew. `mirrored`: the file stores
  /// one triangle, and an entry (i, j) off the diagonal also counts as (j, i). Worker numbers must be below
  /// `workers`.
  void begin(std::uint64_t rows, std::uint64_t cols, std::uint64_t declared_entries, bool mirrored,
             unsigned workers);
  /// Doubles the sides of a square, kMostCells·2^k for an unknown matrix, until they are at least `side`. To
  /// be called by the only worker.
  void grow(std::uint64_t side);
  /// Adds entries; may be called at the same time with different worker numbers.
  void add(std::span<const PackedEntry> entries, unsigned worker);
  /// May be called from any thread at any time.
  [[nodiscard]] Snapshot snapshot() const;

 private:
  /// One worker's counts. Only this worker writes them, so that loads and stores suffice: no locks, no atomic
  /// additions.
  struct Counts {
    explicit Counts(std::size_t count) : cells(count) {}
    std::atomic<std::uint64_t> entries{0};
    std::vector<std::atomic<std::uint32_t>> cells;
  };
  [[nodiscard]] std::size_t cell_of(std::uint64_t i, std::uint64_t j) const;

  mutable std::mutex mutex_;  // begin() and grow() change the members below, snapshot() reads them
  std::uint64_t rows_ = 0, cols_ = 0, declared_entries_ = 0;
  std::uint32_t height_ = 0, width_ = 0;
  bool mirrored_ = false;
  std::vector<std::unique_ptr<Counts>> workers_;
};

}  // namespace spyctrum
