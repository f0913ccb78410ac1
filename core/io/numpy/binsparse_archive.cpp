// SPDX-License-Identifier: Apache-2.0
#include "core/io/numpy/binsparse_archive.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/io/json_text.hpp"
#include "core/io/quote.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum {

namespace {

constexpr std::array<std::string_view, 7> kFormats{"COO", "COOR", "COOC", "CSR", "CSC", "DCSR", "DCSC"};

/// The text with this name in a JSON object; empty if there is none.
std::string text_of(const nlohmann::json& facts, const char* name) {
  const auto found = facts.find(name);
  return found != facts.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

struct BinsparseArchive::Description {
  std::string format;
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  bool is_same = false;   // one value for all entries
  bool is_pairs = false;  // real and imaginary parts one after the other
  bool is_logical = false;
  Mirror mirror = Mirror::none;
  [[nodiscard]] bool is_compressed() const { return !format.starts_with("COO"); }
};

bool BinsparseArchive::has_part(std::string_view name) {
  return name == "binsparse" || name == "pointers_to_1" || name == "indices_0" || name == "indices_1" ||
         name == "values";
}

const NumpyArray& BinsparseArchive::array(std::string_view name) const {
  const auto found = arrays_.find(name);
  if (found == arrays_.end())
    arrays_.at("binsparse").fail("the array " + std::string(name) + " that belongs to it is missing.");
  return found->second;
}

void BinsparseArchive::leave_out(SeveralMatrices& all) const {
  for (const auto& [name, array] : arrays_) all.leave_out(name, "no matrix");
}

BinsparseArchive::Description BinsparseArchive::description() const {
  const NumpyArray& source = arrays_.at("binsparse");
  if (source.kind != 'S' && source.kind != 'U') source.fail("it is no text.");
  nlohmann::json facts = parse_json<nlohmann::json>(source.text(), false);
  if (facts.is_object() && facts.contains("binsparse")) facts = nlohmann::json(facts["binsparse"]);
  if (!facts.is_object() || !facts.contains("shape") || !facts["shape"].is_array())
    source.fail("it is no description of a matrix (format and shape).");
  Description description;
  description.format = text_of(facts, "format");
  if (std::ranges::find(kFormats, description.format) == kFormats.end())
    source.fail("the matrix is stored as " + in_quotes(description.format) +
                "; expected COO, COOC, COOR, CSR, CSC, DCSR or DCSC.");
  const nlohmann::json& shape = facts["shape"];
  if (shape.size() != 2)
    source.fail("its shape has " + counted(shape.size(), "side", "sides") + "; a matrix has 2.");
  for (const nlohmann::json& side : shape)
    if (!side.is_number_unsigned() || side.get<std::uint64_t>() == 0 ||
        side.get<std::uint64_t>() > kLargestSide)
      source.fail("its shape holds " + escaped(json_text(side).substr(0, 40)) + "; expected 1 to " +
                  grouped(kLargestSide) + ".");
  description.rows = shape[0].get<std::uint64_t>();
  description.cols = shape[1].get<std::uint64_t>();
  const auto types = facts.find("data_types");
  const std::string type =
      types != facts.end() && types->is_object() ? text_of(*types, "values") : std::string();
  description.is_same = type.starts_with("iso[");
  description.is_pairs = type.find("complex[") != std::string::npos && array("values").kind != 'c';
  description.is_logical = type.find("bint8") != std::string::npos;
  const std::string structure = text_of(facts, "structure");
  if (structure.starts_with("symmetric")) description.mirror = Mirror::symmetric;
  if (structure.starts_with("hermitian")) description.mirror = Mirror::hermitian;
  if (structure.starts_with("skew_symmetric")) description.mirror = Mirror::skew;
  if (description.mirror != Mirror::none && description.rows != description.cols)
    source.fail("it is " + in_quotes(structure) + " with " + grouped(description.rows) + " rows and " +
                grouped(description.cols) + " columns.");
  return description;
}

MatrixInFile BinsparseArchive::facts() const {
  const Description description = this->description();
  std::string layout = description.is_compressed() ? description.format : "coo";
  std::ranges::transform(layout, layout.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return {"", layout, description.rows, description.cols, array("indices_1").size()};
}

Matrix BinsparseArchive::matrix(const LoadOptions& options, JobContext& context) const {
  const Description from = description();
  const NumpyArray& values = array("values");
  const NumpyArray& indices = array("indices_1");
  const std::uint64_t expected = from.is_same ? 1 : indices.size();
  if (values.size() != (from.is_pairs ? 2 : 1) * expected)
    values.fail("it has " + counted(values.size(), "element", "elements") + "; there are " +
                counted(indices.size(), "entry", "entries") + ".");
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
  entries.begin_preview(from.rows, from.cols, indices.size(), from.mirror);
  const auto add = [&](std::uint64_t row, std::uint64_t col, std::uint64_t k) {
    if (k % (std::uint64_t{1} << 18U) == 0) context.checkpoint(k, indices.size());
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
    if (pointers.size() != lines + 1)
      pointers.fail("it has " + counted(pointers.size(), "element", "elements") + "; expected " +
                    grouped(lines + 1) + ".");
    std::uint64_t k = pointers.index(0, 0);
    for (std::uint64_t line = 0; line < lines; ++line) {
      const std::uint64_t end = pointers.index(line + 1, indices.size());
      if (end < k)
        pointers.fail_element(line + 1,
                              "found " + grouped(end) + " after " + grouped(k) + "; pointers never fall.");
      const std::uint64_t own = stored != nullptr ? stored->index(line, side - 1) : line;
      for (; k < end; ++k) add_line(own, k);
    }
    if (k != indices.size())
      pointers.fail_element(lines, "found " + grouped(k) + "; expected " + grouped(indices.size()) + ".");
  }
  const bool is_complex = from.is_pairs || values.kind == 'c';
  if (is_complex) entries.set_complex();
  Matrix matrix = std::move(entries).matrix(from.rows, from.cols, from.mirror);
  matrix.report.field = is_complex ? "complex" : from.is_logical ? "logical" : values.field();
  return matrix;
}

}  // namespace spyctrum
