// SPDX-License-Identifier: Apache-2.0
// Features reduced from passing rows of the full plane (exact), and decoded
// from samples (estimates).
#pragma once

#include <complex>
#include <memory>
#include <span>
#include <utility>

#include "core/base/job_context.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/spectrum/features.hpp"
#include "core/spectrum/frequency_grid.hpp"
#include "core/spectrum/row_sink.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum {

struct FeatureTotals;

/// Exact features of the plane. Sums in double precision, the same bits for the same runs of rows
/// (SpectrumRow::ends_run) on any number of threads.
class FeatureSink : public RowSink {
 public:
  FeatureSink();
  ~FeatureSink() override;
  void begin(std::uint64_t m, std::uint64_t n, unsigned workers) override;
  void consume(const SpectrumRow& row, unsigned worker) override;
  void finish() override;
  [[nodiscard]] bool takes_wedges() const override { return true; }
  [[nodiscard]] std::unique_ptr<DeviceForm> device_form(std::uint64_t m, std::uint64_t n, bool wedges,
                                                        JobContext& context) override;
  [[nodiscard]] const Features& features() const;  ///< valid after finish()

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Display pyramid of the plane, at most `cells` per axis. With several threads its means differ in their
/// last bits (a few 1e-7) from run to run: which rows are summed together in single precision, and in which
/// order these sums are added, is as the threads are scheduled. That is far below what a pixel shows;
/// features are sums of their own and do not differ.
class PyramidSink : public RowSink {
 public:
  explicit PyramidSink(std::uint32_t cells);
  ~PyramidSink() override;
  void begin(std::uint64_t m, std::uint64_t n, unsigned workers) override;
  void consume(const SpectrumRow& row, unsigned worker) override;
  void finish() override;
  [[nodiscard]] bool takes_wedges() const override { return true; }
  [[nodiscard]] std::unique_ptr<DeviceForm> device_form(std::uint64_t m, std::uint64_t n, bool wedges,
                                                        JobContext& context) override;
  [[nodiscard]] DisplayPyramid take();  ///< after finish()

  /// In place of begin(), after a finish() that came before the last row: goes on from what there is.
  void go_on(unsigned workers);
  /// Rows of the plane that lie in one row of cells.
  struct CellsOfRows {
    std::span<const std::uint32_t> u;
    bool mirrors = false;  ///< their mirrors −u in place of them
    bool wedges = false;   ///< of each |v| ≤ u (SpectrumRow::wedge), |v| = u with half its power
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

/// The paper's decoder (§3.6): uniform area weights, entropy −Σ p ln p / ln Q over the samples as
/// given; frequencies normalised by grid.rows.size() and grid.cols.size() (so a reduced plane uses its
/// own sides). `hermitian_half`: grid.rows lists u = 0 … ⌊m/2⌋ of a real input's plane and each row
/// also counts for −u.
[[nodiscard]] Features decode_paper(const FrequencyGrid& grid, std::span<const std::complex<float>> values,
                                    bool hermitian_half = false);

/// The same from totals of `samples` coefficients (mirrors included), summed elsewhere.
[[nodiscard]] Features decode_paper(const FrequencyGrid& grid, const FeatureTotals& totals,
                                    std::uint64_t samples);

/// Ours: lines near the axes and those that hold more than their share of power exactly, what is left of
/// narrow ridges from a sample of whole rows, the rest from the lattice and those rows, together as much as
/// Σ|F|² = mnK says (decode_stratified.cpp). Rows and lines count among the samples of the result.
[[nodiscard]] Features decode_stratified(const SparsePattern& pattern, const FrequencyGrid& grid,
                                         std::span<const std::complex<float>> values, JobContext& context);
/// Bytes that it books beside the values.
[[nodiscard]] std::uint64_t stratified_bytes(const SparsePattern& pattern, unsigned threads);

}  // namespace spyctrum
