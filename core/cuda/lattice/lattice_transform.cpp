// SPDX-License-Identifier: Apache-2.0
// The steps: tables; spreading in the resident order (without taps if all sources lie on cells); cuFFT along
// the row axis; a transposition that drops frequencies that are not requested; cuFFT along the column axis.
// Each pair of cosets takes all of them, one pair after the other on the same fine grid. cuFFT transforms
// contiguous lines three times as fast as columns, and the transposition takes much less time than the
// difference.
#include "core/cuda/lattice/lattice_transform.hpp"

#include <algorithm>

namespace spyctrum::cuda {

LatticeTransform::Axis::Axis(Host& host, const LatticeAxisSpec& axis_spec, const std::uint32_t* slot_ids,
                             std::uint64_t slot_count, cudaStream_t stream)
    : spec(axis_spec),
      ids(slot_ids),
      slots(slot_count),
      phases(host, slot_count * axis_spec.reaches(), "phases", stream),
      correction(host, axis_spec.distinct, "corrections", stream),
      axis{correction.get(),
           axis_spec.fine,
           axis_spec.distinct,
           axis_spec.count,
           (axis_spec.fine - axis_spec.middle) % axis_spec.fine,
           static_cast<std::uint32_t>(axis_spec.cosets)} {}

AxisTables LatticeTransform::Axis::tables(std::uint64_t coset) const {
  LatticeAxisSpec of_coset = spec;
  of_coset.centre = (spec.centre + coset * spec.apart) % spec.size;
  return {of_coset, ids, slots, phases.get(), nullptr, correction.get()};
}

LatticeTransform::LatticeTransform(Host& host, const ResidentPattern& pattern, const ResidentOrder& order,
                                   const LatticeAxisSpec& rows, const LatticeAxisSpec& cols,
                                   cudaStream_t stream)
    : host_(host),
      order_(order),
      stream_(stream),
      rows_(host, rows, pattern.row_ids(), pattern.row_slots(), stream),
      cols_(host, cols, pattern.col_ids(), pattern.col_slots(), stream),
      row_fft_(host, lattice_fft(rows.fine, cols.fine)),
      col_fft_(host, lattice_fft(cols.fine, rows.distinct)),
      layout_(rows.cosets, cols.cosets, rows.distinct, cols.fine),
      grid_(host, rows.fine * cols.fine, "fine grid", stream),
      lattice_rows_(host, layout_.values(), "lattice rows × fine columns", stream),
      partial_(host, order.view().partial_parts * kTileCells * kTileCells / 2, "parts of crowded tiles",
               stream),
      parts_done_(host, order.view().partial_parts, "parts of crowded tiles that are done", stream),
      work_(host, std::max(row_fft_.work_bytes(), col_fft_.work_bytes()), "work area of cuFFT", stream) {}

PartCounters LatticeTransform::counters() const { return {parts_done_.get(), order_.view().partial_parts}; }

bool LatticeTransform::is_output() const { return rows_.spec.is_output() && cols_.spec.is_output(); }

void LatticeTransform::run() {
  float2* lattice_rows = lattice_rows_.get();
  for (std::uint64_t r = 0; r < rows_.spec.cosets; ++r)
    for (std::uint64_t c = 0; c < cols_.spec.cosets; ++c, lattice_rows += layout_.stride)
      run_cosets(r, c, lattice_rows);
}

void LatticeTransform::subtract(const DeviceLeaks& of_rows, const DeviceLeaks& of_cols) {
  for (const bool of_row : {true, false})
    check(host_,
          launch_subtract_leaks(lattice_rows_.get(), rows_.axis, cols_.axis, of_row ? of_rows : of_cols,
                                of_row, stream_),
          "aliases of the axes");
}

void LatticeTransform::run_cosets(std::uint64_t r, std::uint64_t c, float2* lattice_rows) {
  check(host_, launch_axis_tables(rows_.tables(r), cols_.tables(c), counters(), stream_),
        "tables of the axes");
  check(host_,
        launch_spread(order_.tiles(), order_.view(), cols_.phases.get(), rows_.phases.get(), grid_.get(),
                      partial_.get(), counters(), stream_),
        "spreading");
  row_fft_.run(host_, grid_.get(), work_.get(), stream_);
  check(host_, launch_transpose_lines(grid_.get(), rows_.axis, cols_.axis, lattice_rows, stream_),
        "transposing");
  col_fft_.run(host_, lattice_rows, work_.get(), stream_);
}

}  // namespace spyctrum::cuda
