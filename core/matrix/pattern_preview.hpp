// SPDX-License-Identifier: Apache-2.0
// What is known of a pattern while it is still being read: how many entries fell so far into each cell of a
// coarse grid over the matrix. Readers add, the interface looks; neither waits for the other.
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

  /// Counts at one moment. Entries that occur twice in the file count twice.
  struct Snapshot {
    std::uint64_t rows = 0, cols = 0;     ///< of the matrix; 0 before begin()
    std::uint64_t announced = 0;          ///< entries that the file says it holds
    std::uint64_t entries = 0;            ///< read so far, mirrored ones not counted
    std::uint32_t height = 0, width = 0;  ///< min(rows, kMostCells) × min(cols, kMostCells)
    std::vector<std::uint64_t> counts;    ///< [height × width]; cell (r, c) covers the entries with
                                          ///< ⌊i·height/rows⌋ = r, ⌊j·width/cols⌋ = c
  };

  /// Once, before the first add(). `mirrored`: the file holds one triangle, and every entry off the diagonal
  /// stands for two. `workers`: upper bound of worker numbers.
  void begin(std::uint64_t rows, std::uint64_t cols, std::uint64_t announced, bool mirrored,
             unsigned workers);
  /// Thread-safe for different `worker` numbers.
  void add(std::span<const PackedEntry> entries, unsigned worker);
  /// From any thread, at any time.
  [[nodiscard]] Snapshot snapshot() const;

 private:
  /// One worker's counts: written by it alone, read by all, so that neither locks nor atomic additions are
  /// needed.
  struct Counts {
    explicit Counts(std::size_t count) : cells(count) {}
    std::atomic<std::uint64_t> entries{0};
    std::vector<std::atomic<std::uint32_t>> cells;
  };
  [[nodiscard]] std::size_t cell_of(std::uint64_t i, std::uint64_t j) const;

  mutable std::mutex mutex_;  // begin() against snapshot(); the rest is fixed after begin()
  std::uint64_t rows_ = 0, cols_ = 0, announced_ = 0;
  std::uint32_t height_ = 0, width_ = 0;
  bool mirrored_ = false;
  std::vector<std::unique_ptr<Counts>> workers_;
};

}  // namespace spyctrum
