// SPDX-License-Identifier: Apache-2.0
// The lattice engine on the device: a type-1 non-uniform FFT of the size of the output.
#pragma once

#include "core/cuda/runtime/fft_plans.hpp"
#include "core/cuda/runtime/resident.hpp"

namespace spyctrum::cuda {

/// Coefficients of a pattern on a lattice, up to the cut and the correction, which are taken where they are
/// read. Everything is put on one stream, on which the buffers live; nothing waits.
class LatticeTransform {
 public:
  LatticeTransform(Host& host, const ResidentPattern& pattern, const ResidentOrder& order,
                   const LatticeAxisSpec& rows, const LatticeAxisSpec& cols, cudaStream_t stream);
  /// Makes phases and corrections, spreads and transforms.
  void run();
  /// rows.kept × cols.fine: frequencies of the rows' axis cut and corrected, those of the columns' axis not.
  [[nodiscard]] const float2* values() const { return kept_rows_.get(); }
  /// values() are the outputs as they are wanted: nothing is left to cut or to correct.
  [[nodiscard]] bool is_output() const;
  [[nodiscard]] const DeviceAxis& rows() const { return rows_.axis; }
  [[nodiscard]] const DeviceAxis& cols() const { return cols_.axis; }

 private:
  struct Axis {
    Axis(Host& host, const LatticeAxisSpec& wanted, const std::uint32_t* slot_ids, std::uint64_t slot_count,
         cudaStream_t stream);
    [[nodiscard]] AxisTables tables() const {
      return {spec, ids, slots, phases.get(), nullptr, correction.get()};
    }
    LatticeAxisSpec spec;
    const std::uint32_t* ids;
    std::uint64_t slots;
    ScratchBuffer<float2> phases;
    ScratchBuffer<float> correction;
    DeviceAxis axis;
  };
  [[nodiscard]] PartCounters counters() const;
  Host& host_;
  const ResidentOrder& order_;
  cudaStream_t stream_;
  Axis rows_;
  Axis cols_;
  ResidentPlan row_fft_;
  ResidentPlan col_fft_;
  ScratchBuffer<float2> grid_;  ///< cols.fine × rows.fine
  ScratchBuffer<float2> kept_rows_;
  ScratchBuffer<float4> partial_;
  ScratchBuffer<std::uint32_t> parts_done_;
  ScratchBuffer<char> work_;
};

/// See Module::lattice().
Timing run_lattice(const LatticeTask& task, float* values, Host& host);

}  // namespace spyctrum::cuda
