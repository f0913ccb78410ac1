// SPDX-License-Identifier: Apache-2.0
// Type-1 non-uniform FFT (Dutt & Rokhlin 1993; Barnett et al. 2019), or a modulated fold where both axes are
// on their grid: tables, spreading in the order that is kept, cuFFT along the rows' axis, a turn that drops
// the frequencies beyond those wanted, cuFFT along the columns' axis. Lines that lie in memory one after the
// other cost cuFFT a third of what columns cost, and a turn much less than the difference.
#include "core/cuda/lattice/lattice.hpp"

#include <algorithm>
#include <cstring>

#include "core/cuda/runtime/delivery.hpp"

namespace spyctrum::cuda {

LatticeTransform::Axis::Axis(Host& host, const LatticeAxisSpec& wanted, const std::uint32_t* slot_ids,
                             std::uint64_t slot_count, cudaStream_t stream)
    : spec(wanted),
      ids(slot_ids),
      slots(slot_count),
      phases(host, slot_count * wanted.reaches(), "phases", stream),
      correction(host, wanted.kept, "corrections", stream),
      axis{correction.get(), wanted.fine, wanted.kept, wanted.count,
           (wanted.fine - wanted.middle) % wanted.fine} {}

LatticeTransform::LatticeTransform(Host& host, const ResidentPattern& pattern, const ResidentOrder& order,
                                   const LatticeAxisSpec& rows, const LatticeAxisSpec& cols,
                                   cudaStream_t stream)
    : host_(host),
      order_(order),
      stream_(stream),
      rows_(host, rows, pattern.row_ids(), pattern.row_slots(), stream),
      cols_(host, cols, pattern.col_ids(), pattern.col_slots(), stream),
      row_fft_(host, lattice_fft(rows.fine, cols.fine)),
      col_fft_(host, lattice_fft(cols.fine, rows.kept)),
      grid_(host, rows.fine * cols.fine, "fine grid", stream),
      kept_rows_(host, rows.kept * cols.fine, "rows that are kept", stream),
      partial_(host, order.view().partial_parts * kTileCells * kTileCells / 2, "parts of crowded tiles",
               stream),
      parts_done_(host, order.view().partial_parts, "parts of crowded tiles that are done", stream),
      work_(host, std::max(row_fft_.work_bytes(), col_fft_.work_bytes()), "work area of cuFFT", stream) {}

PartCounters LatticeTransform::counters() const { return {parts_done_.get(), order_.view().partial_parts}; }

bool LatticeTransform::is_output() const { return rows_.spec.is_output() && cols_.spec.is_output(); }

void LatticeTransform::run() {
  check(host_, launch_axis_tables(rows_.tables(), cols_.tables(), counters(), stream_), "tables of the axes");
  check(host_,
        launch_spread(order_.tiles(), order_.view(), cols_.phases.get(), rows_.phases.get(), grid_.get(),
                      partial_.get(), counters(), stream_),
        "spreading");
  row_fft_.run(host_, grid_.get(), work_.get(), stream_);
  check(host_, launch_turn(grid_.get(), rows_.axis, cols_.axis, kept_rows_.get(), stream_), "turning");
  col_fft_.run(host_, kept_rows_.get(), work_.get(), stream_);
}

Timing run_lattice(const LatticeTask& task, float* values, Host& host) {
  host.begin_stage("prepare");
  Stream stream(host);
  LatticeTransform transform(host, static_cast<const ResidentPattern&>(*task.pattern),
                             static_cast<const ResidentOrder&>(*task.order), task.rows, task.cols,
                             stream.get());
  Delivery delivery(host, task.rows.count, task.cols.count, values != nullptr, task.reductions,
                    transform.is_output() ? transform.values() : nullptr);
  Event began(host);
  Event ended(host);
  // Buffers of a transform that fails must not go while kernels still use them.
  const struct Finish {
    cudaStream_t stream;
    ~Finish() { (void)cudaStreamSynchronize(stream); }
  } finish{stream.get()};
  check(host, cudaStreamSynchronize(stream.get()), "preparing");

  host.begin_stage("lattice");
  for (std::uint32_t k = 1; k < task.times; ++k) transform.run();
  began.record(stream.get());
  transform.run();
  ended.record(stream.get());
  const double leaving = deliver(
      host, delivery, stream.get(),
      [&](std::uint64_t first, std::uint32_t count, float2* output) {
        return launch_extract(transform.values(), transform.rows(), transform.cols(), first, count, output,
                              stream.get());
      },
      [&](std::uint64_t first, std::uint64_t count, const float* output) {
        std::memcpy(values + 2 * first * task.cols.count, output, count * task.cols.count * sizeof(float2));
      },
      values != nullptr);
  return {ended.seconds_since(began) + leaving};
}

}  // namespace spyctrum::cuda
