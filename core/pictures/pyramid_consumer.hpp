// SPDX-License-Identifier: Apache-2.0
// Reduces the rows of a plane to its display pyramid while they are streamed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/device/interface/reductions.hpp"
#include "core/spectrum/row_consumer.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum {

/// The display pyramid: mean and maximum of |F|² in min(cells, m)×min(cells, n) cells of the shifted plane, 8
/// bytes per cell. With several threads the means vary between runs by a few 1e-7, since scheduling decides
/// which rows are added in single precision, and in which order. This is invisible in pictures; features are
/// summed separately and do not vary.
class PyramidConsumer : public RowConsumer {
 public:
  explicit PyramidConsumer(std::uint32_t cells);
  ~PyramidConsumer() override;
  void begin(std::uint64_t m, std::uint64_t n, unsigned workers) override;
  void consume(const SpectrumRow& row, unsigned worker) override;
  void finish() override;
  [[nodiscard]] bool accepts_symmetric_half() const override { return true; }
  [[nodiscard]] std::unique_ptr<DeviceReduction> device_reduction(std::uint64_t m, std::uint64_t n,
                                                                  bool symmetric_half,
                                                                  JobContext& context) override;
  /// May be called after begin(), also while rows are added: lets the system map the pages of the cells, on
  /// all threads side by side. Otherwise the system maps a page of 2 MiB when sums are first added to it, and
  /// all threads that add to this page wait.
  void map_cells(ThreadPool& pool);
  /// To be called after begin() if rows are drawn at random: by u = 0 … ⌊m/2⌋ the stratum of each row, or
  /// RowSample::kCertain. Without it the rows streamed so far count as a random sample of all.
  void set_strata(std::vector<std::uint32_t> stratum_of_row);
  /// To be called instead of begin() when a stream that ended early (with finish()) is resumed: keeps the
  /// cells.
  void resume(unsigned workers);
  /// Rows of the plane that lie in the same row of cells.
  struct CellsOfRows {
    std::span<const std::uint32_t> u;
    bool mirrors = false;  ///< the sums are those of the mirrors −u
    /// The sums are those of |v| ≤ u only (SpectrumRow::symmetric_half), with half weight for |v| = u.
    bool symmetric_half = false;
  };
  /// Replaces consume() for rows that a device reduced: adds the sum and maximum of |F|² for each cell of
  /// their row of cells. Thread-safe.
  void add_cells(const CellsOfRows& rows, std::span<const cuda::CellSum> cells);
  /// The row of cells of the row u of the plane, or of its mirror −u.
  [[nodiscard]] std::uint64_t cell_row_of(std::uint32_t u, bool mirrors) const;
  /// The numbers of rows and of columns of cells.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> raster_size() const;
  /// The pyramid of the rows streamed so far, without the at most 64 rows of each worker that finish() has
  /// not added yet; while rows are missing an estimate (partial_pyramid.hpp). Thread-safe while rows are
  /// streamed.
  [[nodiscard]] DisplayPyramid snapshot(ThreadPool& pool) const;
  /// As snapshot(), after finish(); copies nothing if all rows were streamed. The consumer is empty
  /// afterwards.
  [[nodiscard]] DisplayPyramid take(ThreadPool& pool) &&;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace spyctrum
