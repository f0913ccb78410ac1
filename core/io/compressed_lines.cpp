// SPDX-License-Identifier: Apache-2.0
// Counts and sums are made in blocks that do not depend on the number of threads.
#include "core/io/compressed_lines.hpp"

#include <atomic>
#include <utility>

#include "core/io/single_values.hpp"
#include "core/io/text_reader.hpp"
#include "core/matrix/ascending_lines.hpp"

namespace spyctrum {

namespace {

constexpr std::uint64_t kBlock = std::uint64_t{1} << 16U;
/// Real values of a block that are converted, added up and rounded at once, so that they stay in a
/// processor's first cache.
constexpr std::uint64_t kCached = 8192;
/// The most values of rows that are scattered over all columns: 8 bytes of the file and 4 of the matrix for
/// each are in memory at once.
constexpr std::uint64_t kMostScattered = 6'000'000;

struct MadeBlock {
  EntryBlock entries;
  std::uint64_t begin = 0;      ///< the number of the first element
  std::vector<double> numbers;  ///< real values of sorted rows, to be scattered over all columns
};

/// Makes blocks of elements on all threads, passes them to take(block) in their order, and calls
/// prepare(begin, end) before and done(begin, end) after `at_once` of them.
template <class Prepare, class Make, class Take, class Done>
void for_element_blocks(std::uint64_t count, std::uint64_t at_once, JobContext& context,
                        const Prepare& prepare, const Make& make, const Take& take, const Done& done) {
  const std::uint64_t blocks = (count + kBlock - 1) / kBlock;
  for (std::uint64_t first = 0; first < blocks; first += at_once) {
    const auto now = static_cast<std::size_t>(std::min(at_once, blocks - first));
    const std::uint64_t last = std::min(count, (first + now) * kBlock);
    prepare(first * kBlock, last);
    std::vector<MadeBlock> made(now);
    context.pool().parallel_for(now, 1, [&](std::size_t begin, std::size_t end, unsigned /*worker*/) {
      for (std::size_t k = begin; k < end; ++k) {
        context.check_stop();
        const std::uint64_t from = (first + k) * kBlock;
        make(from, std::min(count, from + kBlock), made[k]);
      }
    });
    for (MadeBlock& block : made) take(std::move(block));
    done(first * kBlock, last);
    context.checkpoint(last, count);
  }
}

/// Whether the ids of each line ascend strictly, so that nothing must be sorted and no entry is repeated.
bool all_ascend(const CompressedLines& lines, JobContext& context) {
  constexpr std::size_t kLines = 4096;
  const std::span<const std::uint64_t> ends = lines.ends.data;
  const std::uint64_t line_length = lines.by_rows ? lines.cols : lines.rows;
  std::atomic<bool> ascend{true};
  for_blocks(&context, ends.size(), kLines, [&](std::size_t begin, std::size_t end) {
    if (ascend && !all_lines_ascend(ends, lines.ids.data, begin, end, line_length)) ascend = false;
  });
  return ascend;
}

/// For each column the index of its first element in an array of all elements, column by column.
BookedVector<std::uint64_t> column_begins(const CompressedLines& lines, JobContext& context) {
  BookedVector<std::uint64_t> begins(context, lines.cols, "places of the values");
  for (std::size_t k = 0; k < lines.ids.data.size(); ++k) {
    ++begins.data[lines.ids.data[k]];
    if (k % kBlock == 0) context.check_stop();
  }
  std::uint64_t sum = 0;
  for (std::uint64_t& begin : begins.data) sum += std::exchange(begin, sum);
  return begins;
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
  const bool drops = options.drop_zeros && values != nullptr;
  // Values of sorted columns are copied in one piece; those of sorted rows are scattered over all columns.
  const bool can_scatter = count <= kMostScattered && lines.cols <= 4 * count + 4096;
  const bool may_be_in_order =
      keeps && !drops && lines.mirror == Mirror::none && count != 0 && (!lines.by_rows || can_scatter);
  if (may_be_in_order && !lines.ascend) lines.ascend = all_ascend(lines, context);
  const bool is_in_order = may_be_in_order && *lines.ascend;
  const bool lists = !is_in_order && (keeps || drops || lines.mirror != Mirror::none);
  SingleValues singles(is_in_order ? (values->is_complex() ? 2 : 1) : 0, count, context);
  BookedVector<std::uint64_t> places;
  if (is_in_order && lines.by_rows) {
    places = column_begins(lines, context);
    singles.make_room(count);
  }
  const auto set_single = [&](std::uint64_t place, const Value& value) {
    singles.set(place, 0, value.real());
    if (singles.numbers() == 2) singles.set(place, 1, value.imag());
  };
  LoadOptions of_block;
  of_block.drop_zeros = options.drop_zeros;
  of_block.exact_entries = options.exact_entries;
  if (values != nullptr) of_block.values = options.values;
  if (is_in_order && !lines.by_rows) of_block.values = ValueUse::summary;
  // Unless the matrix is made of a list of entries, real values and their statistics need none.
  const bool is_real = !lists && of_block.values != ValueUse::none && !values->is_complex();
  const auto make_real = [&](std::uint64_t begin, std::uint64_t end, MadeBlock& made) {
    const bool scatters = is_in_order && lines.by_rows;
    made.begin = begin;
    made.entries.count = end - begin;
    if (values->is_single() && !scatters) {
      singles.make_room(is_in_order ? end : 0);
      std::vector<float> not_kept(is_in_order ? 0 : end - begin);
      const std::span<float> to = is_in_order ? singles.at(begin, end - begin) : std::span(not_kept);
      values->take_singles(begin, to);
      const Magnitudes extremes = made.entries.sums.add(std::span<const float>(to));
      if (extremes.least == 0) made.entries.zeros += static_cast<std::uint64_t>(std::ranges::count(to, 0.0F));
      if (is_in_order) singles.normalise(to, extremes);
      return;
    }
    made.numbers.resize(scatters ? end - begin : kCached);
    for (std::uint64_t first = begin; first < end; first += kCached) {
      const std::uint64_t last = std::min(end, first + kCached);
      const std::span<double> numbers =
          std::span(made.numbers).subspan(scatters ? first - begin : 0, last - first);
      made.entries.zeros += values->take_real(first, numbers);
      const Magnitudes extremes = made.entries.sums.add(numbers);
      if (!is_in_order || scatters) continue;
      singles.make_room(last);
      singles.set(first, 0, numbers, extremes);
    }
    if (!scatters) made.numbers.clear();
  };
  const auto make = [&](std::uint64_t begin, std::uint64_t end, MadeBlock& made) {
    if (is_real) return make_real(begin, end, made);
    EntryBlock& block = made.entries;
    if (is_in_order && !lines.by_rows) singles.make_room(end);
    if (!lists && of_block.values == ValueUse::none) {
      block.count = end - begin;
      block.zeros = values != nullptr ? values->zeros(begin, end) : 0;
      return;
    }
    block.entries.reserve(end - begin);
    if (of_block.values == ValueUse::keep) block.values.reserve(end - begin);
    for_places(lines.ends.data, lines.by_rows, lines.ids.data, begin, end,
               [&](PackedEntry place, std::uint64_t k) {
                 if (values == nullptr) return block.add(row_of(place), col_of(place));
                 block.add(row_of(place), col_of(place), values->is_zero(k), of_block, [&] {
                   const Value value = values->value(k);
                   if (is_in_order && !lines.by_rows) set_single(k, value);
                   return value;
                 });
               });
    if (!lists && !is_in_order) block.entries.clear();
  };
  EntryList entries(of_block, context);
  const auto release = [&](std::uint64_t begin, std::uint64_t end) {
    if (count * sizeof(PackedEntry) < kReleasedBytes) return;
    if (values != nullptr) values->release(begin, end);
    if (lists) release_memory(lines.ids.data.data() + begin, (end - begin) * sizeof(Index));
  };
  const auto prepare = [&](std::uint64_t begin, std::uint64_t end) {
    if (values != nullptr && (!is_real || values->is_streamed())) values->prepare(begin, end);
  };
  const auto take = [&](MadeBlock&& made) {
    EntryBlock& block = made.entries;
    for (std::size_t k = 0; k < made.numbers.size(); ++k)
      singles.set(places.data[lines.ids.data[made.begin + k]]++, 0, made.numbers[k]);
    if (is_in_order) {
      for (std::size_t k = 0; k < block.values.size(); ++k)
        set_single(places.data[col_of(block.entries[k])]++, block.values[k]);
      block.entries.clear();
      block.values.clear();
    }
    entries.add(std::move(block));
  };
  // Blocks of which only sums are left take little memory: many of them let threads rarely wait.
  const bool keeps_sums_alone = is_real && !values->is_streamed() && !(is_in_order && lines.by_rows);
  const std::uint64_t at_once = (keeps_sums_alone ? 32 : 2) * std::uint64_t{context.pool().threads()};
  for_element_blocks(count, at_once, context, prepare, make, take, release);
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
  matrix.pattern = std::make_shared<const SparsePattern>(SparsePattern::from_lines(
      lines.rows, lines.cols, lines.by_rows, lines.ends.data, std::move(lines.ids.data), context,
      &matrix.report.duplicates, lines.ascend.value_or(false)));
  std::move(singles).finish(matrix);
  return matrix;
}

}  // namespace spyctrum
