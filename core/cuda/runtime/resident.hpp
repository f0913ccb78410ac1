// SPDX-License-Identifier: Apache-2.0
// What stays on a device between calls: patterns, values, and the order of a pattern's entries on a fine
// grid.
#pragma once

#include "core/cuda/lattice/lattice_order.hpp"
#include "core/cuda/runtime/device_memory.hpp"

namespace spyctrum::cuda {

class ResidentValues : public DeviceData {
 public:
  ResidentValues(Host& host, const float* values, std::uint64_t count, cudaStream_t stream);
  [[nodiscard]] std::uint64_t bytes() const override { return values_.bytes(); }
  [[nodiscard]] const float2* values() const { return values_.as<float2>(); }
  void settle() { values_.settle(); }

 private:
  ResidentBuffer values_;
};

/// Slots of row and column of every entry, in compressed columns, and the ids of the slots.
class ResidentPattern : public DeviceData {
 public:
  ResidentPattern(Host& host, const PatternView& pattern, const std::uint32_t* row_ids,
                  std::uint64_t row_slots, cudaStream_t stream);
  [[nodiscard]] std::uint64_t bytes() const override {
    return rows_.bytes() + cols_.bytes() + row_ids_.bytes() + col_ids_.bytes();
  }
  [[nodiscard]] EntrySlots entries() const {
    return {rows_.as<std::uint32_t>(), cols_.as<std::uint32_t>(), entries_};
  }
  [[nodiscard]] const std::uint32_t* row_ids() const { return row_ids_.as<std::uint32_t>(); }
  [[nodiscard]] const std::uint32_t* col_ids() const { return col_ids_.as<std::uint32_t>(); }
  [[nodiscard]] std::uint64_t row_slots() const { return row_slots_; }
  [[nodiscard]] std::uint64_t col_slots() const { return col_slots_; }
  [[nodiscard]] std::uint64_t m() const { return m_; }
  [[nodiscard]] std::uint64_t n() const { return n_; }
  void settle();

 private:
  ResidentBuffer rows_, cols_, row_ids_, col_ids_;
  std::uint64_t entries_, row_slots_, col_slots_, m_, n_;
};

/// See Pictures::sort_order().
class ResidentOrder : public DeviceData {
 public:
  ResidentOrder(Host& host, const ResidentPattern& pattern, const LatticeAxisSpec& rows,
                const LatticeAxisSpec& cols, LatticeOrder order, cudaStream_t stream);
  [[nodiscard]] std::uint64_t bytes() const override;
  [[nodiscard]] const TileGrid& tiles() const { return tiles_; }
  [[nodiscard]] OrderView view() const;
  void settle();

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
  /// Rows and columns as in TileGrid.
  void sort(Host& host, const EntrySlots& entries, const SlotPlaces& rows, const SlotPlaces& cols,
            cudaStream_t stream);
  void cut(Host& host, const std::uint32_t* sorted_tiles, std::uint64_t visits, cudaStream_t stream);
  void put_longest_first(Host& host, const TilePart* listed, std::uint64_t longest, cudaStream_t stream);
  void keep_cells(Host& host, const std::uint32_t* sorted_cells, std::uint64_t visits, cudaStream_t stream);
  TileGrid tiles_;
  Axis down_, across_;  ///< the pattern's columns and rows
  ResidentBuffer visits_, part_, cells_, ranges_;
  std::uint64_t parts_ = 0;
  std::uint64_t partial_parts_ = 0;
};

}  // namespace spyctrum::cuda
