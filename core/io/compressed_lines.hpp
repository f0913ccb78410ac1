// SPDX-License-Identifier: Apache-2.0
// Compressed rows and columns, as in files of METIS, Rutherford–Boeing, MATLAB, PETSc, SciPy and HDF5. A
// pattern is made of them without a list of entries. If values are requested, the elements are converted to
// such a list block by block, and each block's memory is returned to the system.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>

#include "core/io/booked_list.hpp"
#include "core/io/entry_arrays.hpp"
#include "core/io/reader.hpp"
#include "core/io/values.hpp"

namespace spyctrum {

/// The values of the stored elements, in the order of the file. Its const functions are called on several
/// threads.
class StoredValues {
 public:
  virtual ~StoredValues() = default;
  /// Whether prepare() reads the elements from a source that is read in order.
  [[nodiscard]] virtual bool is_streamed() const { return false; }
  /// Called on one thread for ascending ranges without gaps, before the elements begin … end−1 are requested;
  /// only take_real() and take_singles() may be called without it, unless is_streamed().
  virtual void prepare(std::uint64_t /*begin*/, std::uint64_t /*end*/) {}
  [[nodiscard]] virtual bool is_complex() const = 0;
  [[nodiscard]] virtual bool is_zero(std::uint64_t k) const = 0;
  /// The number of zeros among the elements begin … end−1.
  [[nodiscard]] virtual std::uint64_t zeros(std::uint64_t begin, std::uint64_t end) const {
    std::uint64_t count = 0;
    for (std::uint64_t k = begin; k < end; ++k) count += is_zero(k) ? 1 : 0;
    return count;
  }
  /// Only called if values are requested.
  [[nodiscard]] virtual Value value(std::uint64_t k) const = 0;
  /// Sets `to` to the values from `begin` on, which are real, and returns how many of them are zero.
  virtual std::uint64_t take_real(std::uint64_t begin, std::span<double> to) const {
    for (std::size_t k = 0; k < to.size(); ++k) to[k] = value(begin + k).real();
    return zeros(begin, begin + to.size());
  }
  /// Whether the values are real numbers in single precision, so that take_singles() may be called.
  [[nodiscard]] virtual bool is_single() const { return false; }
  /// Sets `to` to the values from `begin` on.
  virtual void take_singles(std::uint64_t /*begin*/, std::span<float> /*to*/) const {}
  /// Returns the memory of the elements begin … end−1 to the system, which are not needed again.
  virtual void release(std::uint64_t /*begin*/, std::uint64_t /*end*/) const {}
};

/// The values in a text, in its order; a complex value is two numbers.
class ListedValues : public StoredValues {
 public:
  /// `expected`: about the number of values, if they are requested, so that memory is reserved for them.
  ListedValues(bool is_complex, JobContext& context, std::uint64_t expected)
      : parts_(is_complex ? 2 : 1),
        zeros_(context, "zeros among the values"),
        numbers_(context, "values of the entries", parts_ * expected) {}
  /// Adds `count` numbers: `zeros_among` has the ascending indices, from 0 to count − 1, of those that are
  /// zero; further indices are ignored. `values` are the numbers themselves; empty if they are not requested.
  void add(std::uint64_t count, std::span<const std::uint64_t> zeros_among, std::span<const double> values) {
    for (const std::uint64_t zero : zeros_among)
      if (zero < count) zeros_.add(size_ + zero);
    numbers_.append(values.first(std::min<std::size_t>(values.size(), count)));
    size_ += count;
  }
  [[nodiscard]] bool is_complex() const override { return parts_ == 2; }
  [[nodiscard]] bool is_zero(std::uint64_t k) const override {
    const auto first = std::ranges::lower_bound(zeros_.data(), k * parts_);
    const auto left = static_cast<std::size_t>(zeros_.data().end() - first);
    return left >= parts_ && first[static_cast<std::ptrdiff_t>(parts_ - 1)] == (k + 1) * parts_ - 1;
  }
  [[nodiscard]] std::uint64_t zeros(std::uint64_t begin, std::uint64_t end) const override {
    const auto first = [&](std::uint64_t k) { return std::ranges::lower_bound(zeros_.data(), k * parts_); };
    if (parts_ == 1) return static_cast<std::uint64_t>(first(end) - first(begin));
    return StoredValues::zeros(begin, end);
  }
  [[nodiscard]] Value value(std::uint64_t k) const override {
    return {numbers_[k * parts_], parts_ == 2 ? numbers_[k * parts_ + 1] : 0.0};
  }
  std::uint64_t take_real(std::uint64_t begin, std::span<double> to) const override {
    std::ranges::copy(std::span(numbers_.data()).subspan(begin, to.size()), to.begin());
    return zeros(begin, begin + to.size());
  }
  void release(std::uint64_t begin, std::uint64_t end) const override {
    release_memory(numbers_.data().data() + begin * parts_, (end - begin) * parts_ * sizeof(double));
  }

 private:
  std::uint64_t parts_;
  std::uint64_t size_ = 0;
  BookedList<std::uint64_t> zeros_;  // indices of numbers that are zero, ascending
  BookedList<double> numbers_;       // empty if they are not requested
};

/// Row l (column l unless `by_rows`) has the elements ends[l−1] … ends[l]−1, row 0 those from 0; ids[k] is
/// the column (row) of element k, below the number of columns (rows).
struct CompressedLines {
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  bool by_rows = false;
  BookedVector<std::uint64_t> ends{};  ///< ascending; those of the last lines may be missing
  BookedIndices ids{};
  Mirror mirror = Mirror::none;  ///< which entry each entry implies
  std::optional<bool> ascend{};  ///< whether the ids of each line ascend strictly, if that is known
};

/// Calls use(position, k) for the elements begin … end−1 of lines with these `ends`.
template <class Use>
void for_places(std::span<const std::uint64_t> ends, bool by_rows, std::span<const Index> ids,
                std::uint64_t begin, std::uint64_t end, const Use& use) {
  auto line = static_cast<std::size_t>(std::ranges::upper_bound(ends, begin) - ends.begin());
  for (std::uint64_t k = begin; k < end; ++line) {
    const auto own = static_cast<Index>(line);
    for (const std::uint64_t last = std::min(end, ends[line]); k < last; ++k)
      use(by_rows ? pack_entry(own, ids[k]) : pack_entry(ids[k], own), k);
  }
}

/// Shows all entries in the preview, if one is requested.
void show_lines(const CompressedLines& lines, const LoadOptions& options, JobContext& context);

/// The matrix of these lines, with the counts in its report and with its values if requested. `values`: null
/// if the file has none. Throws Failure{cancelled}, Failure{out_of_memory}.
[[nodiscard]] Matrix matrix_of_lines(CompressedLines lines, std::unique_ptr<StoredValues> values,
                                     const LoadOptions& options, JobContext& context);

}  // namespace spyctrum
