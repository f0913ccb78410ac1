// SPDX-License-Identifier: Apache-2.0
// Lattices in groups of cosets (LatticeOrder::groups): the order of the entries, which is resident, and the
// transform.
#pragma once

#include <array>

#include "core/cuda/lattice/group_kernels.hpp"
#include "core/cuda/lattice/lattice_kernels.hpp"
#include "core/cuda/pattern/resident_pattern.hpp"

namespace spyctrum::cuda {

/// See Pictures::sort_order(). Entries are in no particular order among those of a row of cells, which
/// changes no result, since cells are sums of integers.
class GroupOrder : public DeviceData {
 public:
  GroupOrder(Host& host, const ResidentPattern& pattern, const LatticeAxisSpec& rows,
             const LatticeAxisSpec& cols, cudaStream_t stream);
  [[nodiscard]] std::uint64_t bytes() const override;
  [[nodiscard]] bool is_precise() const override;
  void finish_upload();
  [[nodiscard]] OrderedEntries entries() const {
    return {entries_.as<CosetEntry>(), begins_.as<std::uint32_t>(), bound_.as<CellBound>()};
  }
  [[nodiscard]] const float2* roots() const { return roots_.as<float2>(); }
  /// The twiddle factors of an axis.
  struct Twiddles {
    ResidentBuffer first, second;
  };
  [[nodiscard]] const Twiddles& of_rows() const { return rows_; }
  [[nodiscard]] const Twiddles& of_cols() const { return cols_; }

 private:
  template <class Order>
  static auto buffers_of(Order& order) {
    return std::array{&order.entries_,    &order.begins_,      &order.bound_,      &order.roots_,
                      &order.rows_.first, &order.rows_.second, &order.cols_.first, &order.cols_.second};
  }
  ResidentBuffer entries_, begins_, bound_, roots_;
  Twiddles rows_, cols_;
  CellBound most_;
};

/// The outputs of a lattice. All work and all buffers belong to one stream; no function waits.
class GroupLattice {
 public:
  GroupLattice(Host& host, const GroupOrder& order, const LatticeAxisSpec& rows, const LatticeAxisSpec& cols,
               cudaStream_t stream);
  /// Puts all steps on the stream.
  void run();
  /// Puts the subtraction of leaks on the stream, once after run().
  void subtract(const DeviceLeaks& of_rows, const DeviceLeaks& of_cols);
  /// rows.count × cols.count outputs.
  [[nodiscard]] float2* values() const { return output_.get(); }

 private:
  [[nodiscard]] GroupAxis axis_of(const LatticeAxisSpec& spec, const DeviceBuffer<float>& correction,
                                  const GroupOrder::Twiddles& twiddles) const;
  Host& host_;
  const GroupOrder& order_;
  cudaStream_t stream_;
  LatticeAxisSpec rows_;
  LatticeAxisSpec cols_;
  std::uint64_t at_once_;
  DeviceBuffer<float> row_correction_;
  DeviceBuffer<float> col_correction_;
  DeviceBuffer<float2> between_;
  DeviceBuffer<float2> output_;
};

}  // namespace spyctrum::cuda
