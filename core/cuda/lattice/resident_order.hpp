// SPDX-License-Identifier: Apache-2.0
// The order in which the entries of a resident pattern are added to the fine grid of a lattice. The order is
// resident as well and is used for every lattice of the same steps and sizes (Pictures::sort_order()).
#pragma once

#include "core/cuda/lattice/lattice_kernels.hpp"
#include "core/cuda/pattern/resident_pattern.hpp"

namespace spyctrum::cuda {

/// The positions of an axis's slots on the fine grid.
struct SlotPlaces {
  const std::uint32_t* starts = nullptr;  ///< see launch_axis_starts()
  std::uint32_t slots = 0;
};

/// See Pictures::sort_order(); not LatticeOrder::groups.
class ResidentOrder : public DeviceData {
 public:
  ResidentOrder(Host& host, const ResidentPattern& pattern, const LatticeAxisSpec& rows,
                const LatticeAxisSpec& cols, LatticeOrder order, cudaStream_t stream);
  [[nodiscard]] std::uint64_t bytes() const override;
  [[nodiscard]] const TileGrid& tiles() const { return tiles_; }
  [[nodiscard]] OrderView view() const;
  void finish_upload();

 private:
  struct Axis {
    ResidentBuffer starts, taps;
    std::uint64_t slots = 0;
    [[nodiscard]] SlotPlaces places() const {
      return {starts.as<std::uint32_t>(), static_cast<std::uint32_t>(slots)};
    }
  };
  void place(Host& host, const LatticeAxisSpec& spec, const std::uint32_t* ids, std::uint64_t slots,
             Axis& axis, cudaStream_t stream) const;
  /// `rows`, `cols`: the axes of the fine grid as it is stored (TileGrid).
  void sort(Host& host, const EntrySlots& entries, const SlotPlaces& rows, const SlotPlaces& cols,
            cudaStream_t stream);
  void cut(Host& host, const std::uint32_t* sorted_tiles, std::uint64_t visits, cudaStream_t stream);
  void put_longest_first(Host& host, const TilePart* listed, std::uint64_t longest, cudaStream_t stream);
  void keep_cells(Host& host, const std::uint32_t* sorted_cells, std::uint64_t visits, cudaStream_t stream);
  TileGrid tiles_;
  Axis down_, across_;  ///< the pattern's columns and rows
  ResidentBuffer visits_, weights_, part_, cells_, ranges_;
  std::uint64_t parts_ = 0;
  std::uint64_t partial_parts_ = 0;
};

}  // namespace spyctrum::cuda
