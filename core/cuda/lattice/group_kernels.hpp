// SPDX-License-Identifier: Apache-2.0
// Kernels of lattices in groups of cosets (LatticeOrder::groups). Pointers are the device's; launches return
// cudaGetLastError().
#pragma once

#include "core/cuda/cosets/coset_kernels.hpp"
#include "core/cuda/lattice/lattice_kernels.hpp"

namespace spyctrum::cuda {

/// One axis of a lattice, as in LatticeAxisSpec, and its tables on the device.
struct GroupAxis {
  std::uint32_t fine = 1;             ///< N
  std::uint32_t distinct = 1;         ///< outputs of a coset
  std::uint32_t cosets = 1;           ///< output p of coset r is output r + cosets·p of the lattice
  std::uint32_t count = 1;            ///< outputs of the lattice
  std::uint32_t step = 0;             ///< of the frequencies of a coset, modulo the size of the matrix
  const float* correction = nullptr;  ///< [distinct]; unused by a fold
  const float2* first = nullptr;      ///< twiddle factors, as in CosetTables
  const float2* second = nullptr;
};

struct GroupBatch {
  /// v and u of the cosets' output ⌊distinct/2⌋, of a fold output 0, as row and column, since entries are
  /// spread with rows and columns exchanged.
  Coset coset[kMostCosetsAtOnce];
  std::uint32_t count = 0;
  std::uint32_t first = 0;  ///< number of the first: that of cosets r and c of the axes is r·cols.cosets + c
  float2* between = nullptr;  ///< [count × rows.distinct × cols.fine]
  float2* output = nullptr;   ///< [rows.cosets·rows.distinct × cols.count]
};

struct GroupSpreading {
  OrderedEntries entries;
  std::uint32_t taps = kSpreadTaps;  ///< as SpreadSteps; if 1, the following two are unused
  float beta = 0;
  const double* polynomials = nullptr;  ///< the host's, as LatticeAxisSpec::polynomials
  const float2* roots = nullptr;        ///< as in CosetTables
};

/// Writes the outputs of the cosets of a batch.
cudaError_t launch_groups(const GroupAxis& rows, const GroupAxis& cols, const GroupSpreading& spreading,
                          const GroupBatch& batch, cudaStream_t stream);

/// Subtracts leaks of the rows or of the columns from rows × cols outputs.
cudaError_t launch_subtract_from_outputs(float2* outputs, std::uint32_t rows, std::uint32_t cols,
                                         const DeviceLeaks& leaks, bool of_rows, cudaStream_t stream);

}  // namespace spyctrum::cuda
