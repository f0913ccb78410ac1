// SPDX-License-Identifier: Apache-2.0
// The display pyramid of a plane, reduced from its rows as they are streamed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "core/base/job_context.hpp"
#include "core/device/interface/reductions.hpp"
#include "core/spectrum/row_consumer.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum {

/// Display pyramid of the plane: mean and maximum of |F|² on min(cells, m)×min(cells, n) cells of the shifted
/// plane. With several threads its means differ by a relative error of a few 1e-7 from run to run, far below
/// what a pixel shows: thread scheduling decides which rows are summed together in single precision and in
/// which order these sums are added. Features have sums of their own and do not differ.
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
  [[nodiscard]] DisplayPyramid take();  ///< after finish()

  /// Replaces begin() when a stream that ended early, with finish(), is resumed: rows add to the cells so
  /// far.
  void resume(unsigned workers);
  /// Rows of the plane that lie in the same row of cells.
  struct CellsOfRows {
    std::span<const std::uint32_t> u;
    bool mirrors = false;  ///< the sums are of the mirrored rows −u
    /// The sums are of |v| ≤ u only (SpectrumRow::symmetric_half), |v| = u with half weight.
    bool symmetric_half = false;
  };
  /// Replaces consume() for rows reduced on a device: adds sums and maxima of |F|², one per cell of their row
  /// of cells. Thread-safe.
  void add_cells(const CellsOfRows& rows, std::span<const cuda::CellSum> cells);
  /// The numbers of rows and of columns of cells.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> raster_size() const;
  /// The pyramid of the rows streamed so far, without those that workers have not added yet (at most 64
  /// each). Thread-safe while rows are streamed.
  [[nodiscard]] DisplayPyramid snapshot() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace spyctrum
