// SPDX-License-Identifier: Apache-2.0
// Kernels that fill the cells of a picture: height × width pairs, row-major. Numbers are added in the same
// order as on the CPU (core/pictures) and without fused multiply-adds, so that equal sources give equal
// cells. Pointers are the device's; launches return cudaGetLastError().
#pragma once

#include "core/cuda/lattice/lattice_kernels.hpp"
#include "core/cuda/pattern/device_columns.hpp"
#include "core/device/interface/pictures.hpp"

namespace spyctrum::cuda {

/// The cells of a picture and the ranges that they cover.
struct CellGrid {
  float2* cells = nullptr;
  std::uint32_t height = 0;
  std::uint32_t width = 0;
  const CellRange* rows = nullptr;
  const CellRange* cols = nullptr;
};

/// The stored positions of the values of nodes (NodeAxisView).
struct NodeMap {
  const float2* values = nullptr;
  const std::uint64_t* rows = nullptr;
  const std::uint64_t* upright = nullptr;
  const std::uint64_t* mirrored = nullptr;
  std::uint64_t stored_rows = 0;
  std::uint64_t stride = 0;
};

/// The coefficients from which cells are interpolated: those of row r of cells are row_picks[row_starts[r]] …
/// row_picks[row_starts[r + 1] − 1]; of columns likewise.
struct PickMap {
  const std::uint32_t* row_starts = nullptr;
  const std::uint32_t* col_starts = nullptr;
  const PickView* row_picks = nullptr;
  const PickView* col_picks = nullptr;
};

/// The cells of a DisplayPyramid of an m×n plane.
struct PyramidPlane {
  const float* means = nullptr;  ///< [rows × cols]
  const float* maxima = nullptr;
  std::uint64_t m = 0, n = 0;
  std::uint32_t rows = 0, cols = 0;
};

/// The entries as pairs of slots (EntrySlots).
struct EntryList {
  EntrySlots slots;
  const std::uint32_t* row_ids = nullptr;
  const std::uint32_t* col_ids = nullptr;
  std::uint64_t m = 0, n = 0;
  std::uint64_t block = 1;
  bool mean_of_blocks = false;
  bool first_of_blocks = false;
};
/// The cells first … last−1 of each axis; the others show nothing.
struct CellsInView {
  std::uint32_t first_row = 0, last_row = 0, first_col = 0, last_col = 0;
};

/// Mean and maximum of |F|² from LatticeTransform::values().
cudaError_t launch_reduce_lattice(const CellGrid& grid, const float2* lattice_rows, const DeviceAxis& rows,
                                  const DeviceAxis& cols, cudaStream_t stream);
/// Mean and maximum of |F|² over the stored samples.
cudaError_t launch_reduce_values(const CellGrid& grid, const NodeMap& nodes, cudaStream_t stream);
/// Mean and maximum of the power interpolated at the picks. Leaves out F[0, 0]; the host completes its cell.
cudaError_t launch_reduce_bilinear(const CellGrid& grid, const NodeMap& nodes, const PickMap& picks,
                                   cudaStream_t stream);
/// Mean and maximum over the cells of a pyramid.
cudaError_t launch_reduce_pyramid(const CellGrid& grid, const PyramidPlane& pyramid, cudaStream_t stream);
/// counts[cell] += the entries in it; [height × width], must be zero before.
cudaError_t launch_count_entries(const CellGrid& grid, const EntryList& list, const CellsInView& view,
                                 std::uint32_t* counts, cudaStream_t stream);
/// Writes the count of each cell and the share of its positions that are occupied, or means over blocks
/// (EntryList).
cudaError_t launch_finish_counts(const CellGrid& grid, const EntryList& list, const std::uint32_t* counts,
                                 cudaStream_t stream);
/// cells[numbers[k]] = values[k].
cudaError_t launch_patch(float2* cells, const std::uint32_t* numbers, const float2* values,
                         std::uint64_t count, cudaStream_t stream);

}  // namespace spyctrum::cuda
