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

/// How values get into the matrix.
enum class Route {
  copied,     ///< those of sorted columns: to the same place as in the file
  scattered,  ///< those of sorted rows: to the next place of their column
  listed,     ///< entries are listed with their values, and sorted
  summed      ///< values are not kept: their zeros or statistics are all that is needed
};

/// Makes a matrix of compressed lines, block by block.
class LinesToMatrix {
 public:
  LinesToMatrix(CompressedLines lines, std::unique_ptr<StoredValues> values, const LoadOptions& options,
                JobContext& context)
      : context_(context),
        lines_(std::move(lines)),
        values_(std::move(values)),
        count_(lines_.ids.data.size()),
        route_(route_for(options)),
        of_block_(options_of_blocks(options)),
        is_real_(route_ != Route::listed && of_block_.values != ValueUse::none && !values_->is_complex()),
        singles_(!is_in_order()          ? 0
                 : values_->is_complex() ? 2
                                         : 1,
                 count_, context),
        entries_(of_block_, context) {
    if (route_ != Route::scattered) return;
    places_ = column_begins(lines_, context);
    singles_.make_room(count_);
  }

  /// To be called once.
  Matrix matrix() {
    // Blocks of which only sums are left take little memory: many of them let threads rarely wait.
    const bool keeps_sums_alone = is_real_ && !values_->is_streamed() && route_ != Route::scattered;
    const std::uint64_t at_once = (keeps_sums_alone ? 32 : 2) * std::uint64_t{context_.pool().threads()};
    for_element_blocks(
        count_, at_once, context_, [this](std::uint64_t begin, std::uint64_t end) { prepare(begin, end); },
        [this](std::uint64_t begin, std::uint64_t end, MadeBlock& made) { make(begin, end, made); },
        [this](MadeBlock&& made) { take(std::move(made)); },
        [this](std::uint64_t begin, std::uint64_t end) { release(begin, end); });
    if (values_ != nullptr && values_->is_complex()) entries_.set_complex();
    values_.reset();
    return route_ == Route::listed ? matrix_of_list() : matrix_of_pattern();
  }

 private:
  /// Also determines whether the lines ascend, where the route depends on it.
  Route route_for(const LoadOptions& options) {
    const bool keeps = options.values == ValueUse::keep && values_ != nullptr;
    const bool drops = options.drop_zeros && values_ != nullptr;
    // Values of sorted columns are copied in one piece; those of sorted rows are scattered over all columns.
    const bool can_scatter = count_ <= kMostScattered && lines_.cols <= 4 * count_ + 4096;
    const bool may_be_in_order =
        keeps && !drops && lines_.mirror == Mirror::none && count_ != 0 && (!lines_.by_rows || can_scatter);
    if (may_be_in_order && !lines_.ascend) lines_.ascend = all_ascend(lines_, context_);
    if (may_be_in_order && *lines_.ascend) return lines_.by_rows ? Route::scattered : Route::copied;
    return keeps || drops || lines_.mirror != Mirror::none ? Route::listed : Route::summed;
  }
  [[nodiscard]] bool is_in_order() const { return route_ == Route::copied || route_ == Route::scattered; }

  [[nodiscard]] LoadOptions options_of_blocks(const LoadOptions& options) const {
    LoadOptions of_block;
    of_block.drop_zeros = options.drop_zeros;
    of_block.exact_entries = options.exact_entries;
    if (values_ != nullptr) of_block.values = options.values;
    if (route_ == Route::copied) of_block.values = ValueUse::summary;
    return of_block;
  }

  void prepare(std::uint64_t begin, std::uint64_t end) {
    if (values_ != nullptr && (!is_real_ || values_->is_streamed())) values_->prepare(begin, end);
  }

  /// Makes a block of the elements begin … end−1, on any thread.
  void make(std::uint64_t begin, std::uint64_t end, MadeBlock& made) {
    made.begin = begin;
    if (is_real_ && values_->is_single() && route_ != Route::scattered) return take_singles(begin, end, made);
    if (is_real_) return take_reals(begin, end, made);
    if (route_ == Route::copied) singles_.make_room(end);
    if (route_ != Route::listed && of_block_.values == ValueUse::none) {
      made.entries.count = end - begin;
      made.entries.zeros = values_ != nullptr ? values_->zeros(begin, end) : 0;
      return;
    }
    list_entries(begin, end, made.entries);
    if (route_ == Route::summed) made.entries.entries.clear();
  }

  /// Real values that are in single precision in the file.
  void take_singles(std::uint64_t begin, std::uint64_t end, MadeBlock& made) {
    const bool keeps = route_ == Route::copied;
    singles_.make_room(keeps ? end : 0);
    std::vector<float> not_kept(keeps ? 0 : end - begin);
    const std::span<float> to = keeps ? singles_.at(begin, end - begin) : std::span(not_kept);
    values_->take_singles(begin, to);
    made.entries.count = end - begin;
    const Magnitudes extremes = made.entries.sums.add(std::span<const float>(to));
    if (extremes.least == 0) made.entries.zeros += static_cast<std::uint64_t>(std::ranges::count(to, 0.0F));
    if (keeps) singles_.normalise(to, extremes);
  }

  /// Other real values; those to be scattered remain in made.numbers.
  void take_reals(std::uint64_t begin, std::uint64_t end, MadeBlock& made) {
    const bool scatters = route_ == Route::scattered;
    made.entries.count = end - begin;
    made.numbers.resize(scatters ? end - begin : kCached);
    for (std::uint64_t first = begin; first < end; first += kCached) {
      const std::uint64_t last = std::min(end, first + kCached);
      const std::span<double> numbers =
          std::span(made.numbers).subspan(scatters ? first - begin : 0, last - first);
      made.entries.zeros += values_->take_real(first, numbers);
      const Magnitudes extremes = made.entries.sums.add(numbers);
      if (route_ != Route::copied) continue;
      singles_.make_room(last);
      singles_.set(first, 0, numbers, extremes);
    }
    if (!scatters) made.numbers.clear();
  }

  /// Entries with their values, if any; complex ones to be copied are set at once.
  void list_entries(std::uint64_t begin, std::uint64_t end, EntryBlock& block) {
    block.entries.reserve(end - begin);
    if (of_block_.values == ValueUse::keep) block.values.reserve(end - begin);
    for_places(lines_.ends.data, lines_.by_rows, lines_.ids.data, begin, end,
               [&](PackedEntry place, std::uint64_t k) {
                 if (values_ == nullptr) return block.add(row_of(place), col_of(place));
                 block.add(row_of(place), col_of(place), values_->is_zero(k), of_block_, [&] {
                   const Value value = values_->value(k);
                   if (route_ == Route::copied) set_single(k, value);
                   return value;
                 });
               });
  }

  void set_single(std::uint64_t place, const Value& value) {
    singles_.set(place, 0, value.real());
    if (singles_.numbers() == 2) singles_.set(place, 1, value.imag());
  }

  /// Takes the blocks in their order.
  void take(MadeBlock&& made) {
    EntryBlock& block = made.entries;
    for (std::size_t k = 0; k < made.numbers.size(); ++k)
      singles_.set(places_.data[lines_.ids.data[made.begin + k]]++, 0, made.numbers[k]);
    if (is_in_order()) {
      for (std::size_t k = 0; k < block.values.size(); ++k)
        set_single(places_.data[col_of(block.entries[k])]++, block.values[k]);
      block.entries.clear();
      block.values.clear();
    }
    entries_.add(std::move(block));
  }

  /// Returns the memory of elements that are not needed again.
  void release(std::uint64_t begin, std::uint64_t end) {
    if (count_ * sizeof(PackedEntry) < kReleasedBytes) return;
    if (values_ != nullptr) values_->release(begin, end);
    if (route_ == Route::listed)
      release_memory(lines_.ids.data.data() + begin, (end - begin) * sizeof(Index));
  }

  Matrix matrix_of_list() {
    lines_.ids = {};
    lines_.ends = {};
    return std::move(entries_).matrix(lines_.rows, lines_.cols, lines_.mirror);
  }

  Matrix matrix_of_pattern() {
    context_.begin_stage("sort");
    Matrix matrix = entries_.report();
    lines_.ids.booking = {};  // booked as the pattern
    matrix.pattern = std::make_shared<const SparsePattern>(SparsePattern::from_lines(
        lines_.rows, lines_.cols, lines_.by_rows, lines_.ends.data, std::move(lines_.ids.data), context_,
        &matrix.report.duplicates, lines_.ascend.value_or(false)));
    std::move(singles_).finish(matrix);
    return matrix;
  }

  JobContext& context_;
  CompressedLines lines_;
  std::unique_ptr<StoredValues> values_;  // null: the matrix is a pattern
  const std::uint64_t count_;             // of the elements
  const Route route_;
  const LoadOptions of_block_;
  const bool is_real_;                  // values, or their statistics, are needed, not entries
  SingleValues singles_;                // the values of the matrix, if they are copied or scattered
  BookedVector<std::uint64_t> places_;  // the next place of each column, if values are scattered
  EntryList entries_;                   // unless listed, counts and sums alone
};

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
  return LinesToMatrix(std::move(lines), std::move(values), options, context).matrix();
}

}  // namespace spyctrum
