// SPDX-License-Identifier: Apache-2.0
#include "core/io/numpy/edge_arrays.hpp"

#include "core/io/numpy/compressed_arrays.hpp"
#include "core/io/text_reader.hpp"
#include "core/matrix/index.hpp"

namespace spyctrum {

namespace {

bool has_two_lines(const NumpyArray& array) {
  return (array.kind == 'i' || array.kind == 'u') && array.shape.size() == 2 &&
         (array.shape[0] == 2 || array.shape[1] == 2);
}

}  // namespace

bool is_edges(const NumpyArray& array, std::string_view stem, const LoadOptions& options) {
  if (!has_two_lines(array)) return false;
  const std::string_view choice = import_choice(options, "array");
  const std::string_view name = stem.substr(stem.rfind('/') + 1);
  return choice.empty() ? name == "edge_index" && array.shape[0] == 2 && array.shape[1] > 2
                        : choice == kArrayMeanings[1];
}

void note_meaning(Matrix& matrix, const NumpyArray& facts, bool is_edges, const LoadOptions& options) {
  if (!has_two_lines(facts)) return;
  note_assumption(matrix.report, options, "array", kArrayMeanings.at(is_edges ? 1 : 0));
  if (is_edges)
    matrix.report.notes.emplace_back(
        "The array was taken as the sources and the targets of edges, whose vertices count from 0.");
}

Matrix matrix_of_edges(const NumpyArray& array, const EdgeParts& parts, const LoadOptions& options,
                       JobContext& context) {
  const std::uint64_t vertices =
      parts.vertices != 0 ? parts.vertices : least_side(array, 0, array.size(), context);
  if (array.size() == 0) array.fail("it has no edge.");
  const bool is_by_edge = array.shape[0] != 2;
  const std::uint64_t edges = array.size() / 2;
  // Both ends of an edge follow each other, or all sources are before all targets.
  const bool is_interleaved = is_by_edge != array.fortran;
  EntryList entries(options, context);
  entries.begin_preview(vertices, vertices, edges);
  for (std::uint64_t k = 0; k < edges; ++k) {
    const std::uint64_t from = array.index(is_interleaved ? 2 * k : k, vertices - 1);
    const std::uint64_t to = array.index(is_interleaved ? 2 * k + 1 : edges + k, vertices - 1);
    if (parts.weights)
      entries.add(from, to, parts.weights->is_zero(k), [&] { return parts.weights->value(k); });
    else
      entries.add(from, to);
  }
  if (parts.weights && parts.weights->kind == 'c') entries.set_complex();
  Matrix matrix = std::move(entries).matrix(vertices, vertices);
  matrix.report.field = parts.weights ? parts.weights->field() : "pattern";
  return matrix;
}

}  // namespace spyctrum
