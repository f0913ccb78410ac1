// SPDX-License-Identifier: Apache-2.0
// Counts and sums are made in blocks that do not depend on the number of threads.
#include "core/io/compressed_lines.hpp"

#include <algorithm>
#include <utility>

#include "core/io/text_reader.hpp"

namespace spyctrum {

namespace {

constexpr std::uint64_t kBlock = std::uint64_t{1} << 16U;

/// Makes blocks of elements on all threads, passes them to take(block) in their order, and calls
/// prepare(begin, end) before and done(begin, end) after several of them.
template <class Prepare, class Make, class Take, class Done>
void for_element_blocks(std::uint64_t count, JobContext& context, const Prepare& prepare, const Make& make,
                        const Take& take, const Done& done) {
  const std::uint64_t blocks = (count + kBlock - 1) / kBlock;
  const std::uint64_t at_once = std::uint64_t{2} * context.pool().threads();
  for (std::uint64_t first = 0; first < blocks; first += at_once) {
    const auto now = static_cast<std::size_t>(std::min(at_once, blocks - first));
    const std::uint64_t last = std::min(count, (first + now) * kBlock);
    prepare(first * kBlock, last);
    std::vector<EntryBlock> made(now);
    context.pool().parallel_for(now, 1, [&](std::size_t begin, std::size_t end, unsigned /*worker*/) {
      for (std::size_t k = begin; k < end; ++k) {
        context.check_stop();
        const std::uint64_t from = (first + k) * kBlock;
        make(from, std::min(count, from + kBlock), made[k]);
      }
    });
    for (EntryBlock& block : made) take(std::move(block));
    done(first * kBlock, last);
    context.checkpoint(last, count);
  }
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

Matrix matrix_of_lines(CompressedLines lines, std::unique_ptr<StoredValues> values,
                       const LoadOptions& options, JobContext& context) {
  const std::uint64_t count = lines.ids.data.size();
  const bool keeps = options.values == ValueUse::keep && values != nullptr;
  const bool lists = keeps || (options.drop_zeros && values != nullptr) || lines.mirror != Mirror::none;
  LoadOptions of_block;
  of_block.drop_zeros = options.drop_zeros;
  of_block.exact_entries = options.exact_entries;
  if (values != nullptr) of_block.values = options.values;
  const auto make = [&](std::uint64_t begin, std::uint64_t end, EntryBlock& block) {
    if (!lists && of_block.values == ValueUse::none) {
      block.count = end - begin;
      block.zeros = values != nullptr ? values->zeros(begin, end) : 0;
      return;
    }
    block.entries.reserve(end - begin);
    if (keeps) block.values.reserve(end - begin);
    for_places(lines.ends.data, lines.by_rows, lines.ids.data, begin, end,
               [&](PackedEntry place, std::uint64_t k) {
                 if (values == nullptr) return block.add(row_of(place), col_of(place));
                 block.add(row_of(place), col_of(place), values->is_zero(k), of_block,
                           [&] { return values->value(k); });
               });
    if (!lists) block.entries.clear();
  };
  EntryList entries(of_block, context);
  const auto release = [&](std::uint64_t begin, std::uint64_t end) {
    if (count * sizeof(PackedEntry) < kReleasedBytes) return;
    if (values != nullptr) values->release(begin, end);
    if (lists) release_memory(lines.ids.data.data() + begin, (end - begin) * sizeof(Index));
  };
  const auto prepare = [&](std::uint64_t begin, std::uint64_t end) {
    if (values != nullptr) values->prepare(begin, end);
  };
  for_element_blocks(
      count, context, prepare, make, [&](EntryBlock&& block) { entries.add(std::move(block)); }, release);
  if (values != nullptr && values->is_complex()) entries.set_complex();
  values.reset();
  if (lists) {
    lines.ids = {};
    lines.ends = {};
    return std::move(entries).matrix(lines.rows, lines.cols, lines.mirror);
  }
  context.begin_stage("sort");
  Matrix matrix = entries.report();
  lines.ids.booking = {};  // booked as the pattern
  matrix.pattern = std::make_shared<const SparsePattern>(
      SparsePattern::from_lines(lines.rows, lines.cols, lines.by_rows, lines.ends.data,
                                std::move(lines.ids.data), context, &matrix.report.duplicates));
  return matrix;
}

}  // namespace spyctrum
