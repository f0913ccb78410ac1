// SPDX-License-Identifier: Apache-2.0
#include "core/io/numpy/compressed_arrays.hpp"

#include "core/io/entry_blocks.hpp"
#include "core/io/quote.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum {

const NumpyArray& part(const Parts& parts, std::string_view role) {
  const auto found = parts.find(role);
  if (found == parts.end())
    parts.begin()->second.fail("the array " + std::string(role) + " that belongs to it is missing.");
  return found->second;
}

BookedVector<std::uint64_t> ends_of(const NumpyArray& pointers, std::uint64_t majors, std::uint64_t stored,
                                    JobContext& context) {
  if (pointers.size() != majors + 1)
    pointers.fail("it has " + counted(pointers.size(), "element", "elements") + "; expected " +
                  grouped(majors + 1) + ".");
  BookedVector<std::uint64_t> ends(context, majors, "pointers");
  std::uint64_t before = pointers.index(0, 0);
  for (std::uint64_t major = 0; major < majors; ++major) {
    if (major % (std::uint64_t{1} << 20U) == 0) context.check_stop();
    const std::uint64_t end = pointers.index(major + 1, stored);
    if (end < before)
      pointers.fail_element(major + 1,
                            "found " + grouped(end) + " after " + grouped(before) + "; pointers never fall.");
    ends.data[major] = before = end;
  }
  return ends;
}

Matrix compressed_matrix(Parts& parts, const BookedVector<std::uint64_t>& ends, const MatrixInFile& matrix,
                         bool by_rows, Mirror mirror, const LoadOptions& options, JobContext& context,
                         bool is_shown) {
  const NumpyArray& data = part(parts, "data");
  const std::uint64_t minors = by_rows ? matrix.cols : matrix.rows;
  NumpyArray& indices = parts.find("indices")->second;
  const std::uint64_t count = ends.data.back();
  if (count > data.size())
    data.fail("it has " + counted(data.size(), "element", "elements") + "; expected " + grouped(count) + ".");
  std::vector<Index> ids = std::move(indices).indices(minors - 1, context);
  ids.resize(count);
  const auto places = [&](std::uint64_t begin, std::uint64_t end) {
    EntryBlock block;
    add_places(
        begin, end, ends.data, by_rows, [&](std::uint64_t k) { return ids[k]; }, block);
    return block;
  };
  if (options.preview != nullptr && !is_shown) {
    options.preview->begin(matrix.rows, matrix.cols, count, mirror != Mirror::none, context.pool().threads());
    context.pool().parallel_for(count, std::size_t{1} << 16U,
                                [&](std::size_t begin, std::size_t end, unsigned worker) {
                                  context.check_stop();
                                  options.preview->add(places(begin, end).entries, worker);
                                });
  }
  const bool lists_entries = !needs_no_entries(options);
  const auto make = [&](std::uint64_t begin, std::uint64_t end, EntryBlock& block) {
    if (!lists_entries && options.values == ValueUse::none) {
      block.count = end - begin;
      block.zeros = data.zeros(begin, end);
      return;
    }
    const EntryBlock own = places(begin, end);
    for (std::uint64_t k = begin; const PackedEntry place : own.entries) {
      block.add(row_of(place), col_of(place), data.is_zero(k), options, [&] { return data.value(k); });
      ++k;
    }
    if (!lists_entries) block.entries.clear();
  };
  const bool is_complex = data.kind == 'c';
  if (lists_entries) {
    EntryList entries(options, context);
    add_in_blocks(count, entries, context, make);
    if (is_complex) entries.set_complex();
    return std::move(entries).matrix(matrix.rows, matrix.cols, mirror);
  }
  EntryTotals totals;
  add_in_blocks(count, totals, context, make);
  parts.clear();  // frees its arrays
  return matrix_of_lines(matrix.rows, matrix.cols, by_rows, ends.data, std::move(ids), totals, mirror,
                         is_complex, context);
}

}  // namespace spyctrum
