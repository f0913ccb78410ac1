// SPDX-License-Identifier: Apache-2.0
// Kernels of direct sums (core/device/interface/direct.hpp). Pointers are the device's; launches return
// cudaGetLastError().
#pragma once

#include <cuda_runtime_api.h>

#include "core/cuda/pattern/entry_slots.hpp"
#include "core/device/interface/direct.hpp"

namespace spyctrum::cuda {

/// One axis: where the entries are and which frequencies are requested.
struct DirectAxis {
  const std::uint32_t* ids = nullptr;          ///< row (or column) of each slot
  const std::uint32_t* frequencies = nullptr;  ///< 0 … size−1
  std::uint64_t count = 0;                     ///< of frequencies
  std::uint64_t size = 1;                      ///< m (or n)
  std::uint64_t reciprocal = ~std::uint64_t{0} / size;
  double inverse = 1 / static_cast<double>(size);
};

/// The coefficients first_row … first_row+row_count−1 × first_col … first_col+col_count−1.
struct DirectPiece {
  std::uint64_t first_row = 0;
  std::uint64_t first_col = 0;
  std::uint32_t row_count = 0;
  std::uint32_t col_count = 0;
  [[nodiscard]] constexpr unsigned down() const {
    return static_cast<unsigned>((row_count + kDirectTile - 1) / kDirectTile);
  }
  [[nodiscard]] constexpr unsigned across() const {
    return static_cast<unsigned>((col_count + kDirectTile - 1) / kDirectTile);
  }
};

/// partial[part, tile, coefficient] = (or +=, if `adds`) the sums over the entries begin … end−1, of which
/// each of `parts` parts has an equal share.
cudaError_t launch_direct_sums(const EntrySlots& entries, const DirectAxis& rows, const DirectAxis& cols,
                               const DirectPiece& piece, std::uint64_t begin, std::uint64_t end,
                               unsigned parts, bool adds, double2* partial, cudaStream_t stream);

/// output[p·stride + q] of the piece's coefficients: the sum of their parts.
cudaError_t launch_add_parts(const double2* partial, const DirectPiece& piece, unsigned parts, float2* output,
                             std::uint64_t stride, cudaStream_t stream);

}  // namespace spyctrum::cuda
