// SPDX-License-Identifier: Apache-2.0
// Counts and sums are made in blocks that do not depend on the number of threads.
#include "core/io/compressed_lines.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/io/text_reader.hpp"

namespace spyctrum {

namespace {

constexpr std::uint64_t kBlock = std::uint64_t{1} << 16U;

/// Makes blocks of elements on all threads and passes them to take(block) in their order.
template <class Make, class Take>
void for_element_blocks(std::uint64_t count, JobContext& context, const Make& make, const Take& take) {
  const std::uint64_t blocks = (count + kBlock - 1) / kBlock;
  const std::uint64_t at_once = std::uint64_t{4} * context.pool().threads();
  for (std::uint64_t first = 0; first < blocks; first += at_once) {
    const auto now = static_cast<std::size_t>(std::min(at_once, blocks - first));
    std::vector<EntryBlock> made(now);
    context.pool().parallel_for(now, 1, [&](std::size_t begin, std::size_t end, unsigned /*worker*/) {
      for (std::size_t k = begin; k < end; ++k) {
        context.check_stop();
        const std::uint64_t from = (first + k) * kBlock;
        make(from, std::min(count, from + kBlock), made[k]);
      }
    });
    for (EntryBlock& block : made) take(std::move(block));
    context.checkpoint(std::min(count, (first + now) * kBlock), count);
  }
}

/// Whether the elements stand in the order of the pattern that is made of them, each at a position of its
/// own.
bool are_in_order(const CompressedLines& lines, JobContext& context) {
  std::atomic<bool> are_all{!lines.by_rows && lines.mirror == Mirror::none};
  for_blocks(&context, are_all ? lines.ids.data.size() : 0, kBlock, [&](std::size_t begin, std::size_t end) {
    PackedEntry before = 0;
    bool ascends = true;
    const auto compare = [&](PackedEntry place, std::uint64_t k) {
      ascends &= k == 0 || before < place;
      before = place;
    };
    for_places(lines.ends.data, false, lines.ids.data, begin == 0 ? 0 : begin - 1, end, compare);
    if (!ascends) are_all = false;
  });
  return are_all;
}

}  // namespace

void show_lines(const CompressedLines& lines, const LoadOptions& options, JobContext& context) {
  if (options.preview == nullptr) return;
  const std::uint64_t count = lines.ids.data.size();
  options.preview->begin(lines.rows, lines.cols, count, lines.mirror != Mirror::none,
                         context.pool().threads());
  context.pool().parallel_for(count, kBlock, [&](std::size_t begin, std::size_t end, unsigned worker) {
    context.check_stop();
    std::vector<PackedEntry> places;
    places.reserve(end - begin);
    for_places(lines.ends.data, lines.by_rows, lines.ids.data, begin, end,
               [&](PackedEntry place, std::uint64_t) { places.push_back(place); });
    options.preview->add(places, worker);
  });
}

Matrix matrix_of_lines(CompressedLines lines, std::unique_ptr<const StoredValues> values,
                       const LoadOptions& options, JobContext& context) {
  const std::uint64_t count = lines.ids.data.size();
  const bool is_complex = values != nullptr && values->is_complex();
  const bool lists_entries = options.drop_zeros && values != nullptr;
  const bool keeps = options.values == ValueUse::keep && values != nullptr;
  LoadOptions of_block;
  of_block.drop_zeros = options.drop_zeros;
  if (values != nullptr) of_block.values = keeps && !lists_entries ? ValueUse::summary : options.values;
  const auto make = [&](std::uint64_t begin, std::uint64_t end, EntryBlock& block) {
    if (!lists_entries && of_block.values == ValueUse::none) {
      block.count = end - begin;
      block.zeros = values != nullptr ? values->zeros(begin, end) : 0;
      return;
    }
    block.entries.reserve(end - begin);
    for_places(lines.ends.data, lines.by_rows, lines.ids.data, begin, end,
               [&](PackedEntry place, std::uint64_t k) {
                 block.add(row_of(place), col_of(place), values->is_zero(k), of_block,
                           [&] { return values->value(k); });
               });
    if (!lists_entries) block.entries.clear();
  };
  EntryList entries(lists_entries ? options : of_block, context);
  for_element_blocks(count, context, make, [&](EntryBlock&& block) { entries.add(std::move(block)); });
  if (is_complex) entries.set_complex();
  if (lists_entries) return std::move(entries).matrix(lines.rows, lines.cols, lines.mirror);
  if (!keeps) values.reset();
  const bool copies = keeps && !are_in_order(lines, context);
  BookedList<Index> copy(context, "indices of the entries", copies ? count : 0);
  for (std::uint64_t k = 0; copies && k < count; k += kBlock)
    copy.append(std::span<const Index>(lines.ids.data).subspan(k, std::min(kBlock, count - k)));
  Matrix matrix = std::move(entries).matrix_of(lines.mirror, [&](std::int64_t* duplicates) {
    lines.ids.booking = {};  // booked as the pattern
    return SparsePattern::from_lines(lines.rows, lines.cols, lines.by_rows, lines.ends.data,
                                     std::move(lines.ids.data), context, duplicates);
  });
  if (!keeps) return matrix;
  context.begin_stage("values");
  const std::span<const Index> ids =
      copies ? std::span<const Index>(copy.data()) : matrix.pattern->row_indices();
  PatternValues sums(matrix, lines.mirror, is_complex, context);
  const std::uint64_t passes = lines.mirror == Mirror::none ? 1 : 2;
  for (std::uint64_t pass = 0; pass < passes; ++pass)
    for (std::uint64_t k = 0; k < count; k += kBlock) {
      context.checkpoint(pass * count + k, passes * count);
      for_places(lines.ends.data, lines.by_rows, ids, k, std::min(count, k + kBlock),
                 [&](PackedEntry place, std::uint64_t element) {
                   if (pass == 0)
                     sums.add(place, values->value(element));
                   else
                     sums.add_mirrored(place, values->value(element));
                 });
    }
  std::move(sums).finish(matrix);
  return matrix;
}

}  // namespace spyctrum
