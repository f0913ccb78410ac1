// SPDX-License-Identifier: Apache-2.0
// A sparse matrix that is resident on the device, as a list of entries. A slot is the number of a row or
// column among those with entries; ids are the rows and columns of the slots.
#pragma once

#include "core/cuda/pattern/device_columns.hpp"
#include "core/cuda/runtime/device_memory.hpp"
#include "core/device/interface/host.hpp"
#include "core/device/interface/pictures.hpp"

namespace spyctrum::cuda {

/// The arrays of an EntrySlots, and the ids of the slots.
class ResidentPattern : public DeviceData {
 public:
  ResidentPattern(Host& host, const PatternView& pattern, const std::uint32_t* row_ids,
                  std::uint64_t row_slots, cudaStream_t stream);
  [[nodiscard]] std::uint64_t bytes() const override {
    return rows_.bytes() + cols_.bytes() + row_ids_.bytes() + col_ids_.bytes() + weights_.bytes();
  }
  [[nodiscard]] EntrySlots entries() const {
    return {rows_.as<std::uint32_t>(), cols_.as<std::uint32_t>(), entries_,
            weights_.bytes() != 0 ? weights_.as<float>() : nullptr};
  }
  [[nodiscard]] const std::uint32_t* row_ids() const { return row_ids_.as<std::uint32_t>(); }
  [[nodiscard]] const std::uint32_t* col_ids() const { return col_ids_.as<std::uint32_t>(); }
  [[nodiscard]] std::uint64_t row_slots() const { return row_slots_; }
  [[nodiscard]] std::uint64_t col_slots() const { return col_slots_; }
  [[nodiscard]] std::uint64_t m() const { return m_; }
  [[nodiscard]] std::uint64_t n() const { return n_; }
  void finish_upload();

 private:
  ResidentBuffer rows_, cols_, row_ids_, col_ids_, weights_;
  std::uint64_t entries_, row_slots_, col_slots_, m_, n_;
};

}  // namespace spyctrum::cuda
