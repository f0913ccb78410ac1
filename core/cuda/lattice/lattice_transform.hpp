// SPDX-License-Identifier: Apache-2.0
// The lattice engine on the device: a type-1 non-uniform FFT of the size of the output (Dutt & Rokhlin 1993;
// Barnett, Magland & af Klinteberg 2019). Mirrors core/fft/lattice.cpp.
#pragma once

#include "core/cuda/lattice/resident_order.hpp"
#include "core/cuda/runtime/fft_plans.hpp"

namespace spyctrum::cuda {

/// Coefficients of a pattern on a lattice; the reader of values() cuts and corrects them along the column
/// axis. All work and all buffers belong to one stream; no function waits.
class LatticeTransform {
 public:
  LatticeTransform(Host& host, const ResidentPattern& pattern, const ResidentOrder& order,
                   const LatticeAxisSpec& rows, const LatticeAxisSpec& cols, cudaStream_t stream);
  /// Puts all steps on the stream: tables, spreading, both FFTs.
  void run();
  /// Puts the subtraction of leaks on the stream, once after run().
  void subtract(const DeviceLeaks& of_rows, const DeviceLeaks& of_cols);
  /// The lattice rows of all cosets (LatticeRows), cut and corrected along the row axis alone.
  [[nodiscard]] const float2* values() const { return lattice_rows_.get(); }
  /// True if values() are the outputs themselves, without anything to cut or correct.
  [[nodiscard]] bool is_output() const;
  [[nodiscard]] const DeviceAxis& rows() const { return rows_.axis; }
  [[nodiscard]] const DeviceAxis& cols() const { return cols_.axis; }

 private:
  struct Axis {
    Axis(Host& host, const LatticeAxisSpec& axis_spec, const std::uint32_t* slot_ids,
         std::uint64_t slot_count, cudaStream_t stream);
    [[nodiscard]] AxisTables tables(std::uint64_t coset) const;
    LatticeAxisSpec spec;
    const std::uint32_t* ids;
    std::uint64_t slots;
    DeviceBuffer<float2> phases;
    DeviceBuffer<float> correction;
    DeviceAxis axis;
  };
  [[nodiscard]] PartCounters counters() const;
  /// Computes the lattice rows of coset r of the rows and coset c of the columns.
  void run_cosets(std::uint64_t r, std::uint64_t c, float2* lattice_rows);
  Host& host_;
  const ResidentOrder& order_;
  cudaStream_t stream_;
  Axis rows_;
  Axis cols_;
  ResidentPlan row_fft_;
  ResidentPlan col_fft_;
  LatticeRows layout_;
  DeviceBuffer<float2> grid_;  ///< cols.fine × rows.fine
  DeviceBuffer<float2> lattice_rows_;
  DeviceBuffer<float4> partial_;
  DeviceBuffer<std::uint32_t> parts_done_;
  DeviceBuffer<char> work_;
};

}  // namespace spyctrum::cuda
