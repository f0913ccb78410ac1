// SPDX-License-Identifier: Apache-2.0
// NumPy's .npz, a ZIP archive of arrays: sparse matrices of SciPy's save_npz() (csr, csc, coo, bsr, dia),
// arrays NAME_data, NAME_indices, NAME_indptr, NAME_shape of other programs, rows, columns and values,
// Binsparse, dense matrices and lists of edges with weights.
#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/base/counts_text.hpp"
#include "core/io/failure_at.hpp"
#include "core/io/formats.hpp"
#include "core/io/numpy/binsparse_archive.hpp"
#include "core/io/numpy/edge_arrays.hpp"
#include "core/io/numpy/npz_members.hpp"
#include "core/io/numpy/npz_sparse.hpp"
#include "core/io/quote.hpp"
#include "core/io/several_matrices.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum::npz_reader {
namespace {

constexpr std::array<std::string_view, 1> kEndings{".npz"};
constexpr std::array kOptions{kArrayOptions[0], kTriangleOption};
constexpr FormatInfo kFormat{.id = "npz", .name = "NumPy archive", .endings = kEndings, .options = kOptions};

std::pair<std::uint64_t, std::uint64_t> sides_of(const NumpyArray& shape) {
  if (shape.size() != 2)
    throw Failure(
        ErrorCode::bad_input,
        shape.name + ": it has " + counted(shape.size(), "element", "elements") + "; expected 2 sides.",
        "Save a matrix; coo_array.reshape((ROWS, COLUMNS)) makes one of an array of 1 or more dimensions.");
  return {shape.index(0, kLargestSide), shape.index(1, kLargestSide)};
}

/// NAME and role of "NAME_indices"; an empty role for other arrays.
std::pair<std::string, std::string> role_of(std::string_view stem) {
  static constexpr std::array<std::array<std::string_view, 2>, 14> kRoles{
      {{"data", "data"},
       {"indices", "indices"},
       {"indptr", "indptr"},
       {"shape", "shape"},
       {"row", "row"},
       {"rows", "row"},
       {"col", "col"},
       {"cols", "col"},
       {"columns", "col"},
       {"offsets", "offsets"},
       {"format", "format"},
       {"coords", "coords"},
       {"compressed_axes", "compressed_axes"},
       {"fill_value", "fill_value"}}};
  for (const auto& [ending, role] : kRoles) {
    if (stem == ending) return {"", std::string(role)};
    if (stem.size() > ending.size() + 1 && stem.ends_with(ending) &&
        std::string_view("_.").find(stem[stem.size() - ending.size() - 1]) != std::string_view::npos)
      return {std::string(stem.substr(0, stem.size() - ending.size() - 1)), std::string(role)};
  }
  if (stem == "i" || stem == "I") return {"", "row"};
  if (stem == "j" || stem == "J") return {"", "col"};
  return {};
}

/// Names of the array with the values of entries whose rows and columns are two arrays, beside data; and of
/// edges.
constexpr std::array<std::string_view, 8> kNamesOfValues{"values", "value", "vals",    "val",
                                                         "v",      "V",     "weights", "weight"};
constexpr std::array<std::string_view, 5> kNamesOfWeights{"edge_weight", "edge_weights", "weight", "weights",
                                                          "edge_attr"};

constexpr std::string_view kVertices = "num_nodes";  // of edges

/// Whether the rows and columns of entries may be in the array, if its name says so.
bool may_be_role(std::string_view role, const NumpyArray& array) {
  return (role != "row" && role != "col") || array.shape.size() == 1;
}

/// Whether the array has one number for each of `count` entries.
bool has_numbers_for(const NumpyArray& array, std::uint64_t count) {
  const bool is_column = array.shape.size() == 1 || (array.shape.size() == 2 && array.shape[1] == 1);
  return is_column && array.size() == count && array.kind != 'S' && array.kind != 'U';
}

/// SciPy's name of the layout. If the file, written by another program, does not name it: coo if there are
/// rows and columns of entries, csc if pydata/sparse's compressed_axes is 1 or the number of pointers fits
/// only the columns, else csr.
std::string layout_of(const Parts& parts, std::uint64_t rows, std::uint64_t cols) {
  if (const auto format = parts.find("format"); format != parts.end()) return format->second.text();
  if (parts.contains("row") || parts.contains("coords")) return "coo";
  const auto axes = parts.find("compressed_axes");
  if (axes != parts.end() && axes->second.size() == 1) return axes->second.index(0, 1) == 1 ? "csc" : "csr";
  const auto pointers = parts.find("indptr");
  const bool fits_columns_alone =
      pointers != parts.end() && pointers->second.size() == cols + 1 && pointers->second.size() != rows + 1;
  return fits_columns_alone ? "csc" : "csr";
}

/// The sides of a matrix without shape, as SciPy's constructors infer them: rows and columns of coo, and
/// those that compressed lines cross, end at the largest index. Empty for other layouts and without entries.
std::optional<std::pair<std::uint64_t, std::uint64_t>> inferred_sides(const Parts& parts,
                                                                      const std::string& layout,
                                                                      JobContext& context) {
  const auto all = [&](const NumpyArray& indices) { return least_side(indices, 0, indices.size(), context); };
  std::pair<std::uint64_t, std::uint64_t> sides;
  const auto coords = parts.find("coords");
  if (layout == "coo" && coords != parts.end()) {
    const NumpyArray& array = coords->second;
    if (array.shape.size() != 2 || array.shape[0] != 2 || array.fortran) return std::nullopt;
    const std::uint64_t count = array.size() / 2;
    sides = {least_side(array, 0, count, context), least_side(array, count, 2 * count, context)};
  } else if (layout == "coo") {
    sides = {all(part(parts, "row")), all(part(parts, "col"))};
  } else if (layout == "csr" || layout == "csc") {
    const std::uint64_t pointers = part(parts, "indptr").size();
    sides = {pointers == 0 ? 0 : pointers - 1, all(part(parts, "indices"))};
    if (layout == "csc") std::swap(sides.first, sides.second);
  }
  return sides.first == 0 || sides.second == 0 ? std::nullopt : std::optional(sides);
}

/// The number of stored elements: that of values, or of the indices of a pattern.
std::uint64_t stored_in(const Parts& parts) {
  if (const auto coords = parts.find("coords"); coords != parts.end() && !parts.contains("data"))
    return coords->second.size() / 2;
  for (const std::string_view role : {"data", "row", "indices"})
    if (const auto array = parts.find(role); array != parts.end()) return array->second.size();
  return part(parts, "data").size();  // throws
}

/// The format is certain for a ZIP archive whose first member is an array. Before it there may be folders
/// and files, but none of another format (PKWARE APPNOTE, 4.3.7).
Recognition recognise(std::span<const char> head) {
  constexpr std::size_t kHeader = 30;
  std::string_view text(head.data(), head.size());
  const auto number = [&](std::size_t at, std::size_t width) {
    return static_cast<std::size_t>(binary_whole(text.data() + at, width, false));
  };
  while (text.starts_with("PK\3\4") && text.size() >= kHeader) {
    const std::string_view path = text.substr(kHeader, number(26, 2));
    if (path.ends_with(".npy")) return Recognition::certain;
    const bool has_unknown_size = (number(6, 2) & 8U) != 0;
    if (has_unknown_size || !format_ending_of(path).empty()) break;
    text.remove_prefix(std::min(text.size(), kHeader + number(26, 2) + number(28, 2) + number(18, 4)));
  }
  return Recognition::none;
}

class NpzFile {
 public:
  NpzFile(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context)
      : source_(source), name_(name), options_(options), context_(context), all_(kFormat, name, options) {}

  /// The matrix that the options name. To be called once.
  Matrix matrix() {
    const auto keep = [this](std::string_view stem, const std::set<std::string>& before) {
      return keep_of(stem, before);
    };
    for (NpzMember& member : read_npz_members(source_, name_, context_, keep)) take(member);
    list_matrices();
    const MatrixInFile chosen = all_.choose();
    Matrix matrix = made(chosen);
    all_.report(matrix.report);
    const bool is_array = chosen.layout == "edges" || chosen.layout == "dense";
    if (const auto array = dense_.find(chosen.name); is_array && array != dense_.end())
      note_meaning(matrix, array->second, chosen.layout == "edges", options_);
    for (const std::string& note : notes_[chosen.name]) matrix.report.notes.push_back(note);
    return matrix;
  }

 private:
  /// Without values only the zeros are kept of data, and of arrays that may be dense matrices. If the file
  /// can be read again, values of coordinates, and complex values, are read once the indices are known.
  [[nodiscard]] Keep keep_of(std::string_view stem, const std::set<std::string>& before) const {
    const std::string role = role_of(stem).second;
    if (role == "indices" || role == "row" || role == "col") return Keep::indices;
    const bool may_be_edges = !import_choice(options_, "array").empty() || stem.ends_with("edge_index") ||
                              stem.ends_with(kVertices);
    const bool is_of_values =
        role == "data" || (role.empty() && !BinsparseArchive::has_part(stem) && !may_be_edges);
    if (options_.values == ValueUse::none && is_of_values) return Keep::zeros;
    if (role != "data" || source_.descriptor() < 0) return Keep::bytes;
    const std::string matrix(stem.substr(0, stem.size() - 4));
    if (before.contains(matrix + "col")) return Keep::number;
    return before.contains(matrix + "indices") ? Keep::number_of_complex : Keep::bytes;
  }

  void take(NpzMember& member) {
    const std::string& stem = member.stem;
    const auto [matrix, role] = role_of(stem);
    if (!member.array) return leave_out(member, !role.empty() || stem.empty());
    NumpyArray& array = *member.array;
    if (array.keep == Keep::number) path_of_data_.emplace(matrix, stem + ".npy");
    if (!role.empty() && may_be_role(role, array))
      sparse_[matrix].emplace(role, std::move(array));
    else if (array.shape.size() < 2)
      lists_.emplace(stem, std::move(array));
    else if (array.shape.size() == 2 && array.kind != 'S' && array.kind != 'U')
      dense_.emplace(stem, std::move(array));
    else
      all_.leave_out(stem, "no matrix");
  }

  /// Leaves out an array that could not be read; throws its failure if it `is_needed`. Others may not belong
  /// to any matrix.
  void leave_out(const NpzMember& member, bool is_needed) {
    try {
      std::rethrow_exception(member.failure);
    } catch (const FailureAt& failure) {
      if (is_needed) throw;
      all_.leave_out(member.stem, failure.reason);
    }
  }

  /// Moves lists into the matrices to which they belong.
  void distribute_lists() {
    if (lists_.contains("binsparse"))
      for (const std::string_view name : BinsparseArchive::kParts)
        if (auto part = lists_.extract(std::string(name)))
          binsparse_.add(part.key(), std::move(part.mapped()));
    for (auto& [matrix, parts] : sparse_) {
      if (!parts.contains("row") || !parts.contains("col") || parts.contains("data")) continue;
      const std::string prefix = matrix.empty() ? "" : matrix + "_";
      if (auto values = values_for(prefix, kNamesOfValues, part(parts, "row").size(), "entries", matrix))
        parts.emplace("data", std::move(*values));
    }
    for (const auto& [stem, array] : dense_)
      if (is_edges(array, stem, options_)) add_parts_of_edges(stem, array.size() / 2);
    for (const auto& [stem, array] : lists_) all_.leave_out(stem, "no matrix");
  }

  /// Moves the weights and the number of vertices of a list of edges to `edges_`.
  void add_parts_of_edges(const std::string& stem, std::uint64_t edges) {
    EdgeParts& parts = edges_[stem];
    constexpr std::string_view kEnding = "edge_index";
    const std::string prefix = stem.ends_with(kEnding) ? stem.substr(0, stem.size() - kEnding.size()) : "";
    parts.weights = values_for(prefix, kNamesOfWeights, edges, "edges", stem);
    const auto vertices = lists_.find(prefix + std::string(kVertices));
    if (vertices != lists_.end() && vertices->second.size() == 1 &&
        (vertices->second.kind == 'i' || vertices->second.kind == 'u'))
      parts.vertices = vertices->second.index(0, kLargestSide);
  }

  /// Takes out the first array with one of the names that has a number for each of `count` `elements` of a
  /// matrix; notes those that have not.
  template <std::size_t n>
  std::optional<NumpyArray> values_for(const std::string& prefix,
                                       const std::array<std::string_view, n>& names, std::uint64_t count,
                                       const char* elements, const std::string& matrix) {
    for (const std::string_view name : names)
      for (std::map<std::string, NumpyArray>* arrays : {&lists_, &dense_}) {
        const auto found = arrays->find(prefix + std::string(name));
        if (found == arrays->end()) continue;
        if (has_numbers_for(found->second, count)) return std::move(arrays->extract(found).mapped());
        notes_[matrix].push_back(in_quotes(found->first) + " was left out: it does not have one number for " +
                                 "each of " + grouped(count) + " " + elements + ".");
      }
    return std::nullopt;
  }

  void list_matrices() {
    distribute_lists();
    for (const auto& [matrix, parts] : sparse_) {
      const auto sides = sides_or_leave_out(matrix, parts);
      if (!sides) continue;
      const auto [rows, cols] = *sides;
      all_.add({matrix, layout_of(parts, rows, cols), rows, cols, stored_in(parts)});
    }
    if (binsparse_.has_matrix()) all_.add(binsparse_.facts());
    for (const auto& [stem, array] : dense_) {
      if (!is_edges(array, stem, options_)) {
        all_.add({stem, "dense", array.shape[0], array.shape[1], array.size()});
        continue;
      }
      EdgeParts& parts = edges_[stem];
      if (parts.vertices == 0) parts.vertices = least_side(array, 0, array.size(), context_);
      all_.add({stem, "edges", parts.vertices, parts.vertices, array.size() / 2});
    }
  }

  /// The sides of a matrix; leaves out its arrays if they are not known.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> sides_or_leave_out(const std::string& matrix,
                                                                            const Parts& parts) {
    if (parts.contains("shape")) return sides_of(part(parts, "shape"));
    std::string reason = "no shape";
    try {
      if (const auto sides = inferred_sides(parts, layout_of(parts, 0, 0), context_)) return sides;
    } catch (const FailureAt& failure) {
      reason += ", and " + failure.reason;
    }
    for (const auto& [role, array] : parts) all_.leave_out(matrix + role, reason);
    return std::nullopt;
  }

  Matrix made(const MatrixInFile& chosen) {
    if (binsparse_.has_matrix() && chosen.name.empty()) return binsparse_.matrix(options_, context_);
    const auto array = dense_.find(chosen.name);
    if (chosen.layout == "edges")
      return matrix_of_edges(array->second, edges_.at(chosen.name), options_, context_);
    if (chosen.layout == "dense" && array != dense_.end())
      return dense_matrix(array->second, options_, context_);
    Parts& parts = sparse_.at(chosen.name);
    const bool has_shape = parts.contains("shape");
    Matrix matrix = sparse_matrix(parts, chosen, options_, context_, [&] {
      return LaterArray(source_, name_, path_of_data_.at(chosen.name), context_);
    });
    if (!has_shape)
      matrix.report.notes.push_back("No array has the shape: " +
                                    std::string(chosen.layout == "csr"   ? "columns end"
                                                : chosen.layout == "csc" ? "rows end"
                                                                         : "rows and columns end") +
                                    " at the largest index.");
    return matrix;
  }

  ByteSource& source_;
  std::string_view name_;
  const LoadOptions& options_;
  JobContext& context_;
  SeveralMatrices all_;
  std::map<std::string, Parts> sparse_;  ///< by the matrix's name
  std::map<std::string, NumpyArray> dense_;
  std::map<std::string, NumpyArray> lists_;  ///< arrays of one number or of one dimension, without a role
  std::map<std::string, EdgeParts> edges_;   ///< by the name of the list of edges
  std::map<std::string, std::vector<std::string>> notes_;  ///< by the matrix's name
  BinsparseArchive binsparse_;
  /// By the matrix's name: the member with data of which only the number of elements is kept.
  std::map<std::string, std::string> path_of_data_;
};

Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context) {
  return NpzFile(source, name, options, context).matrix();
}

}  // namespace

extern const Reader kReader{kFormat, recognise, read};

}  // namespace spyctrum::npz_reader
