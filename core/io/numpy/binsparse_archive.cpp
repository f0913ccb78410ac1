// SPDX-License-Identifier: Apache-2.0
#include "core/io/numpy/binsparse_archive.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/io/import_options.hpp"
#include "core/io/json_text.hpp"
#include "core/io/numpy/compressed_arrays.hpp"
#include "core/io/quote.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum {

bool BinsparseArchive::has_part(std::string_view name) {
  return std::ranges::find(kParts, name) != kParts.end();
}

const NumpyArray& BinsparseArchive::array(std::string_view name) const {
  const auto found = arrays_.find(name);
  if (found == arrays_.end())
    arrays_.at("binsparse").fail("the array " + std::string(name) + " that belongs to it is missing.");
  return found->second;
}

BinsparseDescription BinsparseArchive::description() const {
  const NumpyArray& source = arrays_.at("binsparse");
  if (source.kind != 'S' && source.kind != 'U') source.fail("it is not a text.");
  BinsparseDescription description = binsparse_description(parse_json<nlohmann::json>(source.text(), false));
  if (!description.problem.empty()) source.fail(escaped(description.problem));
  if (description.is_dense()) source.fail("a dense matrix (DMAT) is not read from an archive.");
  if (array("values").kind == 'c') description.is_pairs = false;
  return description;
}

MatrixInFile BinsparseArchive::facts() const {
  const BinsparseDescription description = this->description();
  std::string layout = description.is_compressed() ? description.format : "coo";
  std::ranges::transform(layout, layout.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return {"", layout, description.rows, description.cols, array("indices_1").size()};
}

Matrix BinsparseArchive::matrix(const LoadOptions& options, JobContext& context) const {
  const BinsparseDescription from = description();
  const bool expands = import_choice(options, "triangle") != "stored";
  const Mirror mirror = expands ? mirror_named(from.symmetry) : Mirror::none;
  const NumpyArray& values = array("values");
  const NumpyArray& indices = array("indices_1");
  const std::uint64_t expected = from.is_same ? 1 : indices.size();
  if (values.size() != (from.is_pairs ? 2 : 1) * expected)
    values.fail("it has " + counted(values.size(), "element", "elements") + "; there are " +
                counted(indices.size(), "entry", "entries") + ".");
  const std::uint64_t parts = from.is_pairs ? 2 : 1;
  const auto value = [&](std::uint64_t k) {
    if (from.is_same) k = 0;
    if (!from.is_pairs) return values.value(k);
    return Value(values.value(2 * k).real(), values.value(2 * k + 1).real());
  };
  const auto is_zero = [&](std::uint64_t k) {
    if (from.is_same) k = 0;
    return from.is_pairs ? values.is_zero(2 * k) && values.is_zero(2 * k + 1) : values.is_zero(k);
  };
  EntryList entries(options, context);
  entries.begin_preview(from.rows, from.cols, indices.size(), mirror);
  const auto add = [&](std::uint64_t row, std::uint64_t col, std::uint64_t k) {
    constexpr std::uint64_t kPiece = std::uint64_t{1} << 16U;
    if (k % kPiece == 0) context.checkpoint(k, indices.size());
    if (k % kPiece == 0 && k != 0) {
      indices.release(k - kPiece, k);
      if (!from.is_same) values.release((k - kPiece) * parts, k * parts);
      if (!from.is_compressed()) array("indices_0").release(k - kPiece, k);
    }
    entries.add(row, col, is_zero(k), [&] { return value(k); });
  };
  // COOC's first indices are those of the columns.
  const bool by_columns = from.format.back() == 'C';
  const std::uint64_t side = by_columns ? from.cols : from.rows;
  const std::uint64_t other = by_columns ? from.rows : from.cols;
  const auto add_line = [&](std::uint64_t line, std::uint64_t k) {
    const std::uint64_t at = indices.index(k, other - 1);
    add(by_columns ? at : line, by_columns ? line : at, k);
  };
  if (!from.is_compressed()) {
    const NumpyArray& lines = array("indices_0");
    if (lines.size() != indices.size())
      lines.fail("it has " + counted(lines.size(), "element", "elements") + "; indices_1 has " +
                 grouped(indices.size()) + ".");
    for (std::uint64_t k = 0; k < indices.size(); ++k) add_line(lines.index(k, side - 1), k);
  } else {
    const NumpyArray* const stored = from.format[0] == 'D' ? &array("indices_0") : nullptr;
    const NumpyArray& pointers = array("pointers_to_1");
    const std::uint64_t lines = stored != nullptr ? stored->size() : side;
    const BookedVector<std::uint64_t> ends = ends_of(pointers, lines, indices.size(), context);
    for (std::uint64_t k = 0, line = 0; line < lines; ++line) {
      const std::uint64_t own = stored != nullptr ? stored->index(line, side - 1) : line;
      for (; k < ends.data[line]; ++k) add_line(own, k);
    }
    if (const std::uint64_t last = lines == 0 ? 0 : ends.data.back(); last != indices.size())
      pointers.fail_element(lines, "found " + grouped(last) + "; expected " + grouped(indices.size()) + ".");
  }
  const bool is_complex = from.is_pairs || values.kind == 'c';
  if (is_complex) entries.set_complex();
  Matrix matrix = std::move(entries).matrix(from.rows, from.cols, mirror);
  matrix.report.field = is_complex ? "complex" : from.is_logical ? "logical" : values.field();
  if (mirror_named(from.symmetry) != Mirror::none)
    note_assumption(matrix.report, options, "triangle", expands ? "expand" : "stored");
  return matrix;
}

}  // namespace spyctrum
