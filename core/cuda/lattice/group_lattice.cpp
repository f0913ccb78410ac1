// SPDX-License-Identifier: Apache-2.0
// The steps: the corrections of the outputs; then, for as many cosets at a time as memory allows, both
// kernels of group_kernels.cu.
#include "core/cuda/lattice/group_lattice.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "core/cuda/cosets/root_tables.hpp"

namespace spyctrum::cuda {

namespace {

constexpr const char* kTables = "tables of the lattice";

const CosetLength& length_of(Host& host, const LatticeAxisSpec& axis) {
  const CosetLength* const length = group_length(axis.fine, axis.cell != 0);
  if (length == nullptr) host.fail(DeviceError::unsupported, "a lattice in groups", 0);
  return *length;
}

std::uint64_t values_between(const LatticeAxisSpec& rows, const LatticeAxisSpec& cols) {
  return rows.distinct * cols.fine;
}

}  // namespace

GroupOrder::GroupOrder(Host& host, const ResidentPattern& pattern, const LatticeAxisSpec& rows,
                       const LatticeAxisSpec& cols, cudaStream_t stream)
    : entries_(host, pattern.entries().entries * sizeof(CosetEntry), "sorted entries", stream),
      begins_(host, row_begins(static_cast<std::uint32_t>(cols.fine)) * sizeof(std::uint32_t), kTables,
              stream),
      bound_(host, sizeof(CellBound), kTables, stream) {
  const CosetLength& row = length_of(host, rows);
  const CosetLength& col = length_of(host, cols);
  const std::pair<ResidentBuffer*, std::vector<float2>> tables[] = {
      {&roots_, roots_of_256()},
      {&rows_.first, twiddle_factors(row.a, row.b * row.c)},
      {&rows_.second, twiddle_factors(row.b, row.c)},
      {&cols_.first, twiddle_factors(col.a, col.b * col.c)},
      {&cols_.second, twiddle_factors(col.b, col.c)}};
  for (const auto& [buffer, values] : tables) {
    *buffer = ResidentBuffer(host, values.size() * sizeof(float2), kTables, stream);
    copy_to_device(host, buffer->as<float2>(), values.data(), values.size(), stream, kTables);
  }
  set_zero(host, bound_.as<CellBound>(), 1, stream, kTables);
  const DeviceBuffer<std::uint32_t> cursors(host, cols.fine, "entries that are being sorted", stream);
  const EntrySlots slots = pattern.entries();
  const ListedEntries exchanged{{slots.cols, slots.rows, slots.entries, slots.weights},
                                pattern.col_ids(),
                                pattern.row_ids(),
                                pattern.n(),
                                pattern.m()};
  const SpreadSteps steps{static_cast<std::uint32_t>(cols.fine), static_cast<std::uint32_t>(rows.fine),
                          static_cast<std::uint32_t>(cols.step), static_cast<std::uint32_t>(rows.step),
                          cols.taps};
  check(host,
        launch_list_order(exchanged, steps, entries_.as<CosetEntry>(), begins_.as<std::uint32_t>(),
                          cursors.get(), bound_.as<CellBound>(), stream),
        "sorting entries");
  copy_to_host(host, &most_, bound_.as<CellBound>(), 1, stream, kTables);
  check(host, cudaStreamSynchronize(stream), "sorting entries");
}

std::uint64_t GroupOrder::bytes() const {
  std::uint64_t bytes = 0;
  for (const ResidentBuffer* buffer : buffers_of(*this)) bytes += buffer->bytes();
  return bytes;
}

/// The rounding of a cell's integers is 2^−31 of the bound. From a bound of some 450 times the weights on, it
/// is larger than that of single-precision sums (expected_error() in core/fft/spread_shape.cpp).
bool GroupOrder::is_precise() const {
  constexpr float kMostBound = 450;
  return static_cast<float>(most_.entries) * std::bit_cast<float>(most_.weight) <= kMostBound;
}

void GroupOrder::finish_upload() {
  for (ResidentBuffer* buffer : buffers_of(*this)) buffer->finish_upload();
}

GroupLattice::GroupLattice(Host& host, const GroupOrder& order, const LatticeAxisSpec& rows,
                           const LatticeAxisSpec& cols, cudaStream_t stream)
    : host_(host),
      order_(order),
      stream_(stream),
      rows_(rows),
      cols_(cols),
      at_once_(group_cosets_at_once(rows.cosets * cols.cosets, values_between(rows, cols))),
      row_correction_(host, rows.distinct, "corrections", stream),
      col_correction_(host, cols.distinct, "corrections", stream),
      between_(host, at_once_ * values_between(rows, cols), "cosets between the transforms", stream),
      output_(host, rows.cosets * rows.distinct * cols.count, "outputs", stream) {}

GroupAxis GroupLattice::axis_of(const LatticeAxisSpec& spec, const DeviceBuffer<float>& correction,
                                const GroupOrder::Twiddles& twiddles) const {
  return {static_cast<std::uint32_t>(spec.fine),
          static_cast<std::uint32_t>(spec.distinct),
          static_cast<std::uint32_t>(spec.cosets),
          static_cast<std::uint32_t>(spec.count),
          static_cast<std::uint32_t>(spec.step),
          correction.get(),
          twiddles.first.as<float2>(),
          twiddles.second.as<float2>()};
}

void GroupLattice::run() {
  const auto corrections_of = [](const LatticeAxisSpec& spec, const DeviceBuffer<float>& correction) {
    return AxisTables{spec, nullptr, 0, nullptr, nullptr, correction.get()};
  };
  check(host_,
        launch_axis_tables(corrections_of(rows_, row_correction_), corrections_of(cols_, col_correction_), {},
                           stream_),
        "tables of the axes");
  const GroupAxis rows = axis_of(rows_, row_correction_, order_.of_rows());
  const GroupAxis cols = axis_of(cols_, col_correction_, order_.of_cols());
  const GroupSpreading spreading{order_.entries(), rows_.taps, static_cast<float>(rows_.beta),
                                 rows_.polynomials, order_.roots()};
  const auto frequency = [](const LatticeAxisSpec& spec, std::uint64_t coset) {
    return static_cast<std::uint32_t>((spec.centre + coset * spec.apart) % spec.size);
  };
  const std::uint64_t total = rows_.cosets * cols_.cosets;
  GroupBatch batch;
  batch.between = between_.get();
  batch.output = output_.get();
  for (std::uint64_t first = 0; first < total; first += at_once_) {
    batch.first = static_cast<std::uint32_t>(first);
    batch.count = static_cast<std::uint32_t>(std::min(at_once_, total - first));
    for (std::uint32_t k = 0; k < batch.count; ++k)
      batch.coset[k] = {frequency(cols_, (first + k) % cols_.cosets),
                        frequency(rows_, (first + k) / cols_.cosets), 1};
    check(host_, launch_groups(rows, cols, spreading, batch, stream_), "cosets of the lattice");
  }
}

void GroupLattice::subtract(const DeviceLeaks& of_rows, const DeviceLeaks& of_cols) {
  const auto rows = static_cast<std::uint32_t>(rows_.count);
  const auto cols = static_cast<std::uint32_t>(cols_.count);
  for (const bool of_row : {true, false})
    check(
        host_,
        launch_subtract_from_outputs(output_.get(), rows, cols, of_row ? of_rows : of_cols, of_row, stream_),
        "aliases of the axes");
}

}  // namespace spyctrum::cuda
