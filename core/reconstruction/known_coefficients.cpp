// SPDX-License-Identifier: Apache-2.0
// Tables between the sorted nodes and the DFT indices of both axes.
#include "core/reconstruction/known_coefficients.hpp"

#include <cmath>
#include <utility>

namespace spyctrum {

namespace {

std::vector<std::uint64_t> indices_of(const SampleAxis& axis) {
  std::vector<std::uint64_t> indices;
  indices.reserve(axis.positions.size());
  for (std::size_t node = 0; node < axis.positions.size(); ++node) indices.push_back(axis.index_at(node));
  return indices;
}

std::vector<std::uint32_t> inverse(const std::vector<std::uint64_t>& indices, std::uint64_t size,
                                   std::uint32_t none) {
  std::vector<std::uint32_t> nodes(size, none);
  for (std::size_t k = 0; k < indices.size(); ++k) nodes[indices[k]] = static_cast<std::uint32_t>(k);
  return nodes;
}

}  // namespace

LineValues::LineValues(ChosenLines lines, const SparsePattern& pattern, JobContext& context)
    : lines_(std::move(lines)) {
  for (std::size_t d = 0; d < stored_.size(); ++d) {
    const auto direction = static_cast<LineDirection>(d);
    Lines& stored = stored_[d];
    stored.size = line_count(pattern, direction);
    stored.length = direction == LineDirection::rows ? pattern.cols() : pattern.rows();
    const std::vector<std::int64_t> half = computed_lines(lines_, direction);
    stored.slots.assign(stored.size / 2 + 1, 0);
    for (std::size_t k = 0; k < half.size(); ++k)
      stored.slots[static_cast<std::size_t>(half[k])] = static_cast<std::uint32_t>(k);
    stored.values.resize(half.size() * stored.length);
    const auto keep = [&](std::size_t at, std::span<std::complex<float>> values, unsigned /*worker*/) {
      float* to = stored.values.data() + at * stored.length;
      for (std::size_t t = 0; t < stored.length; ++t) to[t] = std::abs(values[t]);
    };
    for_each_line_of(pattern, direction, half, context, keep);
  }
}

float LineValues::magnitude(LineDirection direction, std::uint64_t c, std::uint64_t t) const {
  const Lines& stored = stored_[static_cast<std::size_t>(direction)];
  const bool is_mirror = c > stored.size / 2;
  const std::uint64_t line = is_mirror ? stored.size - c : c;
  const std::uint64_t place = is_mirror && t > 0 ? stored.length - t : t;
  return stored.values[stored.slots[line] * stored.length + place];
}

std::uint64_t LineValues::count() const {
  std::uint64_t count = 0;
  for (const Lines& stored : stored_) count += stored.values.size();
  return count;
}

std::shared_ptr<const LineValues> row_values(const SparsePattern& pattern,
                                             const std::vector<std::int64_t>& rows, JobContext& context) {
  constexpr std::uint64_t kMostValues = std::uint64_t{1} << 24U;
  const std::uint64_t values = rows.size() * pattern.cols();
  const std::uint64_t bytes = sizeof(float) * values + line_bytes(pattern, context.pool().threads());
  MemoryLedger& memory = context.memory();
  if (rows.empty() || values > kMostValues || bytes > memory.allowance() - memory.current()) return nullptr;
  const Booking booking(memory, bytes, "sampled rows");
  ChosenLines chosen;
  chosen.m = pattern.rows();
  chosen.n = pattern.cols();
  chosen.rows.chosen.assign(chosen.m, 0);
  for (const std::int64_t u : rows)
    chosen.rows.chosen[dft_index(u, chosen.m)] = chosen.rows.chosen[dft_index(-u, chosen.m)] = 1;
  for (std::uint64_t u = 0; u < chosen.m; ++u)
    if (chosen.rows.holds(u)) chosen.rows.indices.push_back(u);
  return std::make_shared<const LineValues>(std::move(chosen), pattern, context);
}

KnownCoefficients::KnownCoefficients(const SampleAxis& rows, const SampleAxis& cols,
                                     std::vector<float> magnitudes, LineValues lines,
                                     std::shared_ptr<const LineValues> other_rows, bool symmetric)
    : row_index_(indices_of(rows)),
      col_index_(indices_of(cols)),
      node_of_row_(inverse(row_index_, rows.size, kNone)),
      node_of_col_(inverse(col_index_, cols.size, kNone)),
      magnitudes_(std::move(magnitudes)),
      lines_(std::move(lines)),
      other_rows_(std::move(other_rows)),
      symmetric_(symmetric) {}

}  // namespace spyctrum
