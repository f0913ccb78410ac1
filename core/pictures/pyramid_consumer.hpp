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

/// Display pyramid of the plane, at most `cells` per axis. With several threads its means differ in their
/// last bits (a few 1e-7) from run to run: which rows are summed together in single precision, and in which
/// order these sums are added, is as the threads are scheduled. That is far below what a pixel shows;
/// features are sums of their own and do not differ.
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

  /// In place of begin(), after a finish() that came before the last row: goes on from what there is.
  void resume(unsigned workers);
  /// Rows of the plane that lie in one row of cells.
  struct CellsOfRows {
    std::span<const std::uint32_t> u;
    bool mirrors = false;  ///< their mirrors −u in place of them
    bool symmetric_half =
        false;  ///< of each |v| ≤ u (SpectrumRow::symmetric_half), |v| = u with half its power
  };
  /// In place of consume(): sums and maxima of |F|² of some rows, made elsewhere. Thread-safe.
  void add_cells(const CellsOfRows& rows, std::span<const cuda::CellSum> cells);
  /// Rows and columns of cells.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> shape() const;
  /// What has passed so far, the rows apart that workers still hold back (at most 64 of each). Thread-safe
  /// while rows pass.
  [[nodiscard]] DisplayPyramid snapshot() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace spyctrum
