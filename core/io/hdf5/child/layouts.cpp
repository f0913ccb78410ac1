// SPDX-License-Identifier: Apache-2.0
// Finder goes through the groups of a file, recognises layouts by the names of arrays and attributes, and
// lists the matrices. Compressed, Coordinates and Dense send the entries of one of them, each index checked.
#include "core/io/hdf5/child/layouts.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <type_traits>

#include "core/io/hdf5/binsparse_description.hpp"

namespace spyctrum::hdf5 {

namespace {

constexpr int kMostDepth = 32;
constexpr const char* kSidesOfSeurat = "dims";
constexpr std::size_t kMostGroups = 100000;
constexpr std::size_t kMostDense = 1000;
// Elements that were never written are 0. Many of a dense matrix may be; of indices hardly any, and reading
// so many takes seconds.
constexpr std::uint64_t kFewElements = std::uint64_t{1} << 28U;
constexpr std::uint64_t kFewIndices = std::uint64_t{1} << 26U;

using Sides = std::vector<std::uint64_t>;

[[noreturn]] void refuse(const std::string& path, const std::string& what) { throw Refused(path, what); }

/// The values of the entries: none, one for each, or one for all (`is_same`). A complex value is one element
/// of a compound type, or two elements: real and imaginary part (`is_pairs`).
class Values {
 public:
  Values() = default;
  explicit Values(Array array, bool is_same = false, bool is_pairs = false)
      : array_(std::move(array)), is_same_(is_same), is_pairs_(is_pairs) {}
  [[nodiscard]] std::uint32_t numbers_per_value() const {
    return !array_ ? 0 : is_pairs_ ? 2 : array_->numbers_per_value();
  }
  [[nodiscard]] std::string field() const {
    return !array_ ? "pattern" : is_pairs_ ? "complex" : array_->field();
  }
  /// Throws Refused unless there are as many values as entries.
  void check(std::uint64_t entries) const {
    if (!array_) return;
    const std::uint64_t expected = (is_same_ ? 1 : entries) * (is_pairs_ ? 2 : 1);
    if (array_->size() != expected)
      refuse(array_->path(), "it has " + std::to_string(array_->size()) + " elements; " +
                                 (is_same_ ? "the value of all entries has " + std::to_string(expected)
                                           : "there are " + std::to_string(entries) + " entries") +
                                 ".");
  }
  /// Whether the values are one array of real numbers.
  [[nodiscard]] bool is_plain() const { return array_ && !is_same_ && numbers_per_value() == 1; }
  /// The numbers of the one value of all entries; empty if entries have different values or none.
  [[nodiscard]] std::vector<double> same() const {
    if (!array_ || !is_same_) return {};
    check(1);
    return array_->values(0, array_->size());
  }
  [[nodiscard]] std::optional<StoredArray> stored() const { return array_->stored(); }
  [[nodiscard]] std::vector<double> read(std::uint64_t first, std::uint64_t count) const {
    if (!array_) return {};
    if (!is_same_) return is_pairs_ ? array_->values(2 * first, 2 * count) : array_->values(first, count);
    const std::vector<double> one = same();
    std::vector<double> all;
    for (std::uint64_t k = 0; k < count; ++k) all.insert(all.end(), one.begin(), one.end());
    return all;
  }

 private:
  std::optional<Array> array_;
  bool is_same_ = false;
  bool is_pairs_ = false;
};

/// Elements of an array, whose numbers count from `base`, counted from 0.
std::vector<std::uint64_t> whole_from(std::uint64_t base, const Array& array, std::uint64_t first,
                                      std::uint64_t count) {
  std::vector<std::uint64_t> numbers = array.whole(first, count);
  for (std::size_t k = 0; base != 0 && k < numbers.size(); ++k) {
    if (numbers[k] < base)
      refuse(array.path() + "[" + std::to_string(first + k) + "]",
             "found 0; expected a whole number from 1.");
    numbers[k] -= base;
  }
  return numbers;
}

void check_index(const Array& indices, std::uint64_t k, std::uint64_t index, std::uint64_t side,
                 const char* what) {
  if (index >= side)
    refuse(indices.path() + "[" + std::to_string(k) + "]",
           "found " + std::to_string(index) + "; the matrix has " + std::to_string(side) + " " + what + ".");
}

/// Compressed rows or columns.
struct Compressed {
  Array pointers;
  Array indices;
  Values values;
  std::optional<Array> lines;  ///< the stored rows or columns, unless all are stored
  bool by_rows = true;
  std::uint64_t base = 0;  ///< of pointers and indices

  [[nodiscard]] StoredMatrix stored() const {
    if (lines || base != 0) return {};
    std::vector<std::optional<StoredArray>> arrays{pointers.stored(), indices.stored()};
    StoredMatrix all{.value = values.same()};
    if (values.numbers_per_value() != 0 && all.value.empty())
      arrays.push_back(values.is_plain() ? values.stored() : std::nullopt);
    for (std::uint32_t role = 0; std::optional<StoredArray> & one : arrays) {
      if (!one) return {};
      one->head.role = static_cast<Role>(role++);
      one->head.by_rows = by_rows ? 1 : 0;
      all.arrays.push_back(std::move(*one));
    }
    return all;
  }

  void send(const Sides& shape, Sender& sender) const {
    const std::uint64_t side = shape[by_rows ? 0 : 1];
    const std::uint64_t other = shape[by_rows ? 1 : 0];
    const std::uint64_t count = lines ? lines->size() : side;
    const std::vector<std::uint64_t> begins = checked_pointers(count);
    values.check(indices.size());
    const std::vector<std::uint64_t> stored = lines ? lines->whole(0, count) : std::vector<std::uint64_t>();
    for (std::size_t k = 0; k < stored.size(); ++k)
      check_index(*lines, k, stored[k], side, by_rows ? "rows" : "columns");
    sender.set_numbers_per_value(values.numbers_per_value());
    std::uint64_t line = 0;
    for (std::uint64_t first = 0; first < indices.size(); first += indices.block()) {
      const std::uint64_t now = std::min(indices.block(), indices.size() - first);
      const std::vector<std::uint64_t> at = whole_from(base, indices, first, now);
      const std::vector<double> numbers = values.read(first, now);
      for (std::uint64_t k = 0; k < now; ++k) {
        while (begins[line + 1] <= first + k) ++line;
        check_index(indices, first + k, at[k], other, by_rows ? "columns" : "rows");
        const std::uint64_t own = lines ? stored[line] : line;
        sender.entry(by_rows ? own : at[k], by_rows ? at[k] : own,
                     numbers.data() + k * values.numbers_per_value());
      }
    }
  }

 private:
  /// The pointers of `count` rows or columns: 0, then numbers that do not fall, the last that of the indices.
  [[nodiscard]] std::vector<std::uint64_t> checked_pointers(std::uint64_t count) const {
    if (pointers.size() != count + 1)
      refuse(pointers.path(), "it has " + std::to_string(pointers.size()) + " elements; there are " +
                                  std::to_string(count) + (by_rows ? " rows" : " columns") + ", expected " +
                                  std::to_string(count + 1) + ".");
    std::vector<std::uint64_t> begins = whole_from(base, pointers, 0, pointers.size());
    if (begins.front() != 0)
      refuse(pointers.path() + "[0]",
             "found " + std::to_string(begins.front() + base) + "; expected " + std::to_string(base) + ".");
    for (std::size_t k = 1; k < begins.size(); ++k)
      if (begins[k] < begins[k - 1])
        refuse(pointers.path() + "[" + std::to_string(k) + "]",
               "found " + std::to_string(begins[k] + base) + " after " +
                   std::to_string(begins[k - 1] + base) + "; pointers never fall.");
    if (begins.back() != indices.size())
      refuse(pointers.path(), "its last element is " + std::to_string(begins.back() + base) + "; there are " +
                                  std::to_string(indices.size()) + " indices, counted from " +
                                  std::to_string(base) + ".");
    return begins;
  }
};

/// Entries with their rows and columns.
struct Coordinates {
  Array rows;
  Array cols;
  Values values;
  std::optional<Array> scales{};  ///< of a row and a column, by which a value is multiplied

  void send(const Sides& shape, Sender& sender) const {
    if (rows.size() != cols.size())
      refuse(cols.path(), "it has " + std::to_string(cols.size()) + " elements; " + rows.path() + " has " +
                              std::to_string(rows.size()) + ".");
    values.check(rows.size());
    if (scales && scales->size() != shape[0])
      refuse(scales->path(), "it has " + std::to_string(scales->size()) + " elements; there are " +
                                 std::to_string(shape[0]) + " bins.");
    const std::vector<double> scale = scales ? scales->values(0, shape[0]) : std::vector<double>();
    sender.set_numbers_per_value(values.numbers_per_value());
    for (std::uint64_t first = 0; first < rows.size(); first += rows.block()) {
      const std::uint64_t now = std::min(rows.block(), rows.size() - first);
      const std::vector<std::uint64_t> i = rows.whole(first, now);
      const std::vector<std::uint64_t> j = cols.whole(first, now);
      std::vector<double> numbers = values.read(first, now);
      for (std::uint64_t k = 0; k < now; ++k) {
        check_index(rows, first + k, i[k], shape[0], "rows");
        check_index(cols, first + k, j[k], shape[1], "columns");
        if (!scale.empty()) numbers[k] *= scale[i[k]] * scale[j[k]];
        sender.entry(i[k], j[k], numbers.data() + k * values.numbers_per_value());
      }
    }
  }
};

/// A dense matrix: an array of two dimensions, or of one, with the elements row by row or column by column;
/// `by_columns`, two dimensions are columns × rows. Elements that are not zero are entries.
struct Dense {
  Array elements;
  bool by_columns = false;

  void send(const Sides& shape, Sender& sender) const {
    const bool is_flat = elements.shape().size() == 1;
    const std::uint64_t per_value = elements.numbers_per_value();
    const std::uint64_t line = is_flat ? 1 : elements.shape()[1];  // elements in the unit of block()
    const std::uint64_t fast = by_columns ? shape[0] : shape[1];
    if (elements.size() != shape[0] * shape[1])
      refuse(elements.path(), "it has " + std::to_string(elements.size()) + " elements; expected " +
                                  std::to_string(shape[0]) + " × " + std::to_string(shape[1]) + ".");
    sender.set_numbers_per_value(static_cast<std::uint32_t>(per_value));
    const std::uint64_t lines = elements.shape()[0];
    for (std::uint64_t first = 0; first < lines; first += elements.block()) {
      const std::uint64_t now = std::min(elements.block(), lines - first);
      const std::vector<double> numbers = elements.values(first, now);
      for (std::uint64_t k = 0; k < now * line; ++k) {
        const double* value = numbers.data() + k * per_value;
        if (value[0] == 0 && (per_value == 1 || value[1] == 0)) continue;
        const std::uint64_t at = first * line + k;
        sender.entry(by_columns ? at % fast : at / fast, by_columns ? at / fast : at % fast, value);
      }
    }
  }
};

/// Names of the arrays and sides of compressed columns.
struct NamesOfColumns {
  const char *pointers, *indices, *values, *rows, *cols;
  std::uint64_t base;  ///< of pointers and indices
};
constexpr NamesOfColumns kJulia{"colptr", "rowval", "nzval", "m", "n", 1};
constexpr NamesOfColumns kOctave{"cidx", "ridx", "data", "nr", "nc", 0};

/// Names of the arrays of entries without pointers: rows and columns; values.
constexpr std::array<std::array<const char*, 2>, 4> kNamesOfEntries{
    {{"row", "col"}, {"rows", "cols"}, {"i", "j"}, {"I", "J"}}};
constexpr std::array<const char*, 7> kNamesOfValues{"data", "values", "value", "vals", "val", "v", "V"};

class Finder {
 public:
  Finder(Contents& contents, bool balanced) : contents_(contents), balanced_(balanced) {}

  /// Adds the matrices of the group and of the groups within it.
  void search(const Group& group, int depth) {
    if (depth > kMostDepth)
      return leave_out(group.path(), "deeper than " + std::to_string(kMostDepth) + " groups");
    if (!seen_.insert(group.address()).second)
      return;  // another link to the same group, perhaps from within it
    if (seen_.size() > kMostGroups)
      throw Refused("the file has more than " + std::to_string(kMostGroups) + " groups.");
    if (depth == 0) {
      is_anndata_ = group.has("obs") && group.has("var");
      is_loom_ = group.has("row_attrs") && group.has("col_attrs");
    }
    try {
      if (find_matrix(group)) return;
    } catch (const Refused& refused) {
      return leave_out(group.path(), refused, true);
    }
    for (const Group::Member& member : group.members()) {
      const std::string path = group.path_of(member.name);
      if (member.is_elsewhere) leave_out(path, "a link to another place or file, which is not followed");
      if (member.is_unreadable) leave_out(path, why_unreadable(), true);
      if (member.is_group && member.name != "#refs#" && member.name != "#subsystem#") try {
          search(group.group(member.name), depth + 1);
        } catch (const Refused& refused) {
          leave_out(path, refused);
        }
      if (member.is_data) try {
          const std::vector<Group> referred = group.referred(member.name);
          for (const Group& one : referred) search(one, depth + 1);
          if (referred.empty() && !find_structure(group, member.name)) find_dense(group, member.name);
        } catch (const Refused& refused) {
          leave_out(path, refused);
        }
    }
    if (depth == 0) finish(group);
  }

 private:
  /// Lists an object that cannot be read as a matrix. `is_matrix`: it is a matrix nevertheless; messages name
  /// it before other objects.
  void leave_out(const std::string& name, const std::string& why, bool is_matrix = false) {
    has_damaged_ |= is_matrix;
    if (contents_.left_out.size() >= 100 && !is_matrix) return;
    LeftOut one{name.empty() ? "/" : name, why};
    if (why.ends_with('.')) one.why.pop_back();
    contents_.left_out.insert(is_matrix ? contents_.left_out.begin() : contents_.left_out.end(),
                              std::move(one));
  }
  void leave_out(const std::string& name, const Refused& refused, bool is_matrix = false) {
    leave_out(name, refused.path == (name.empty() ? "/" : name) ? refused.reason : refused.what(), is_matrix);
  }

  template <class Storage>
  FoundMatrix& add(FoundMatrix found, const Sides& shape, std::uint64_t stored, Storage storage) {
    found.head.rows = shape[0];
    found.head.cols = shape[1];
    found.head.stored = stored;
    const auto shared = std::make_shared<Storage>(std::move(storage));
    found.send = [shared, shape](Sender& sender) { shared->send(shape, sender); };
    if constexpr (std::is_same_v<Storage, Compressed>) found.stored = [shared] { return shared->stored(); };
    return contents_.matrices.emplace_back(std::move(found));
  }
  static std::uint32_t flags(bool is_default) { return is_default ? kIsDefault : 0; }
  FoundMatrix& add_compressed(const std::string& name, const Sides& shape, Compressed storage,
                              bool is_default, const std::string& symmetry = "general",
                              const std::string& field = "") {
    storage.indices.check_presence(kFewIndices);
    const std::uint64_t stored = storage.indices.size();
    FoundMatrix found{.name = name,
                      .layout = std::string(storage.lines ? "d" : "") + (storage.by_rows ? "csr" : "csc"),
                      .field = field.empty() ? storage.values.field() : field,
                      .symmetry = symmetry};
    FoundMatrix& added = add(std::move(found), shape, stored, std::move(storage));
    added.head.flags = flags(is_default);
    return added;
  }
  FoundMatrix& add_coordinates(const std::string& name, const Sides& shape, Coordinates storage,
                               const std::string& symmetry, const std::string& field = "") {
    for (const Array* const indices : {&storage.rows, &storage.cols}) indices->check_presence(kFewIndices);
    const std::uint64_t stored = storage.rows.size();
    FoundMatrix found{.name = name,
                      .layout = "coo",
                      .field = field.empty() ? storage.values.field() : field,
                      .symmetry = symmetry};
    return add(std::move(found), shape, stored, std::move(storage));
  }
  FoundMatrix& add_dense(const std::string& name, const Sides& shape, Dense storage, bool is_default) {
    const std::uint64_t stored = storage.elements.size();
    FoundMatrix found{.name = name, .layout = "dense", .field = storage.elements.field()};
    FoundMatrix& added = add(std::move(found), shape, stored, std::move(storage));
    added.head.flags = flags(is_default);
    return added;
  }

  /// Adds the matrix that the group itself is; returns false if it is none.
  bool find_matrix(const Group& group) {
    if (const std::string json = group.text("binsparse"); !json.empty()) {
      add_binsparse(group, json);
      return true;
    }
    if (group.has("bins") && group.has("pixels")) {
      add_cooler(group);
      return true;
    }
    if (const std::vector<std::uint64_t> rows = group.numbers("MATLAB_sparse"); rows.size() == 1) {
      add_matlab(group, rows.front());
      return true;
    }
    if (group.has_array("indices") && group.has_array("indptr")) {
      add_pointers(group);
      return true;
    }
    for (const NamesOfColumns& names : {kJulia, kOctave})
      if (group.has_array(names.pointers) && group.has_array(names.indices)) {
        add_columns(group, names);
        return true;
      }
    return std::ranges::any_of(kNamesOfEntries, [&](const auto& names) {
      const auto& [row, col] = names;
      return group.has_array(row) && group.has_array(col) &&
             add_entries(group, group.array(row), group.array(col));
    });
  }

  static std::string name_of(const Group& group) { return group.path().empty() ? "/" : group.path(); }
  static bool has_shape(const Group& group) {
    for (const char* const name : {"shape", "h5sparse_shape", kSidesOfSeurat})
      if (!group.numbers(name).empty()) return true;
    return group.has_array("shape");
  }
  /// The least side of a matrix with these indices.
  static std::uint64_t side_of(const Array& indices) {
    indices.check_presence(kFewIndices);
    std::uint64_t side = 0;
    for (std::uint64_t first = 0; first < indices.size(); first += indices.block())
      for (const std::uint64_t index :
           indices.whole(first, std::min(indices.block(), indices.size() - first)))
        side = std::max(side, index + 1);
    if (side == 0) refuse(indices.path(), "it is empty, and the shape is missing.");
    return side;
  }

  /// Adds a matrix of rows, columns and perhaps values of its entries; returns false if the arrays are not
  /// lists of as many whole numbers.
  bool add_entries(const Group& group, Array rows, Array cols) {
    const auto is_list = [&](const Array& array) {
      return array.field() == "integer" && array.shape().size() == 1 && array.size() == rows.size();
    };
    const bool is_known = has_shape(group);
    if (!is_known && (!is_list(rows) || !is_list(cols))) return false;
    Values values;
    for (const char* const name : kNamesOfValues) {
      if (values.numbers_per_value() != 0 || !group.has_array(name)) continue;
      Array array = group.array(name);
      if (name == kNamesOfValues[0] || array.size() == rows.size()) values = Values(std::move(array));
    }
    const Sides shape = is_known ? shape_of(group) : Sides{side_of(rows), side_of(cols)};
    add_coordinates(name_of(group), shape, {std::move(rows), std::move(cols), std::move(values)}, "general")
        .head.flags |= is_known ? 0 : kHasNoShape;
    return true;
  }

  /// The numbers of rows and columns, from an attribute (`h5sparse_shape` before AnnData 0.7) or an array.
  static Sides shape_of(const Group& group) {
    Sides shape = group.numbers("shape");
    if (shape.empty()) shape = group.numbers("h5sparse_shape");
    if (shape.empty()) shape = group.numbers(kSidesOfSeurat);
    if (shape.empty() && group.has_array("shape")) {
      const Array sides = group.array("shape");
      if (sides.size() == 2) shape = sides.whole(0, sides.shape()[0]);
    }
    if (shape.size() != 2) refuse(group.path_of("shape"), "it is missing, or not two whole numbers.");
    return shape;
  }

  void add_pointers(const Group& group) {
    std::string kind = group.text("encoding-type");
    if (kind.empty()) kind = group.text("h5sparse_format");
    if (kind.empty()) kind = group.text("format");
    if (kind.empty()) kind = group.text_of("format");
    const bool is_known = has_shape(group);
    Array pointers = group.array("indptr");
    Array indices = group.array("indices");
    const bool is_of_cells = group.has("barcodes");
    const bool says_rows = kind.starts_with("csr");
    const bool is_of_seurat = kind.empty() && !group.numbers(kSidesOfSeurat).empty();
    const bool says_cols = kind.starts_with("csc") || is_of_cells || is_of_seurat;
    Sides shape = is_known ? shape_of(group) : Sides{pointers.size() - 1, side_of(indices)};
    const bool fits_cols_alone =
        is_known && pointers.size() == shape[1] + 1 && pointers.size() != shape[0] + 1;
    Values values = group.has_array("data") ? Values(group.array("data")) : Values();
    const bool by_rows = says_rows || (!says_cols && !fits_cols_alone);
    if (!is_known && !by_rows) std::swap(shape[0], shape[1]);
    add_compressed(name_of(group), shape,
                   {std::move(pointers), std::move(indices), std::move(values), std::nullopt, by_rows},
                   group.path() == "X")
        .head.flags |= is_known ? 0 : kHasNoShape;
  }

  /// Compressed columns under names of Julia or Octave.
  void add_columns(const Group& group, const NamesOfColumns& names) {
    Sides shape;
    for (const char* side : {names.rows, names.cols}) {
      Sides numbers = group.numbers(side);
      if (numbers.empty()) numbers = group.numbers_of(side);
      if (numbers.size() != 1) refuse(group.path_of(side), "it is missing, or not one whole number.");
      shape.push_back(numbers.front());
    }
    add_columns(name_of(group), shape, group.array(names.pointers), group.array(names.indices),
                group.has_array(names.values) ? Values(group.array(names.values)) : Values(), names.base);
  }
  void add_columns(const std::string& name, const Sides& shape, Array pointers, Array indices, Values values,
                   std::uint64_t base) {
    add_compressed(name, shape,
                   {.pointers = std::move(pointers),
                    .indices = std::move(indices),
                    .values = std::move(values),
                    .lines = std::nullopt,
                    .by_rows = false,
                    .base = base},
                   false);
  }

  /// Adds the matrix that a structure of Julia is; returns false if it is none.
  bool find_structure(const Group& group, const std::string& name) {
    Structure found = group.structure(name);
    const auto array = [&](const char* field) { return found.arrays.find(field); };
    if (!found.numbers.contains(kJulia.rows) || !found.numbers.contains(kJulia.cols)) return false;
    if (!found.arrays.contains(kJulia.pointers) || !found.arrays.contains(kJulia.indices) ||
        !found.arrays.contains(kJulia.values))
      return false;
    add_columns(group.path_of(name), {found.numbers[kJulia.rows], found.numbers[kJulia.cols]},
                std::move(array(kJulia.pointers)->second), std::move(array(kJulia.indices)->second),
                Values(std::move(array(kJulia.values)->second)), kJulia.base);
    return true;
  }

  void add_matlab(const Group& group, std::uint64_t rows) {
    std::string name = group.path();
    std::replace(name.begin(), name.end(), '/', '.');
    Array pointers = group.array("jc");
    if (pointers.size() == 0) refuse(pointers.path(), "it is empty; expected one element more than columns.");
    const Sides shape{rows, pointers.size() - 1};
    const bool is_logical = group.text("MATLAB_class") == "logical";
    if (!group.has_array("ir")) {  // no entries: MATLAB stores neither `ir` nor `data`
      struct Nothing {
        void send(const Sides&, Sender&) const {}
      };
      FoundMatrix found{.name = name, .layout = "csc", .field = is_logical ? "logical" : "real"};
      add(std::move(found), shape, 0, Nothing());
      return;
    }
    Values values(group.array("data"));
    const std::string field = is_logical ? "logical" : values.field() == "integer" ? "real" : "";
    add_compressed(name, shape,
                   {std::move(pointers), group.array("ir"), std::move(values), std::nullopt, false},
                   name == "Problem.A", "general", field);
  }

  void add_cooler(const Group& group) {
    const Group pixels = group.group("pixels");
    Sides bins = group.numbers("nbins");
    const Group table = group.group("bins");
    if (bins.size() != 1) {
      for (const char* column : {"start", "end"})
        if (bins.size() != 1 && table.has_array(column)) bins = {table.array(column).size()};
    }
    if (bins.size() != 1) refuse(group.path_of("bins"), "the number of bins is unknown.");
    const bool is_square = group.text("storage-mode") == "square";
    const bool has_balance = table.has_array("weight") && pixels.has_array("count");
    const bool balances = balanced_ && has_balance;
    FoundMatrix& found =
        add_coordinates(name_of(group), {bins[0], bins[0]},
                        {pixels.array("bin1_id"), pixels.array("bin2_id"),
                         pixels.has_array("count") ? Values(pixels.array("count")) : Values(),
                         balances ? std::optional(table.array("weight")) : std::nullopt},
                        is_square ? "general" : "symmetric", balances ? "real" : "");
    found.parts = chromosomes(group, bins[0]);
    if (has_balance) found.head.flags |= kHasBalance;
  }

  /// The first bin of each chromosome; empty if the file does not list them or has more than kMostParts.
  static std::vector<Part> chromosomes(const Group& group, std::uint64_t bins) try {
    std::vector<Part> parts;
    if (!group.has("indexes") || !group.has("chroms")) return parts;
    const std::vector<std::string> names = group.group("chroms").texts("name", kMostParts);
    const Group indexes = group.group("indexes");
    if (names.empty() || !indexes.has_array("chrom_offset")) return parts;
    const Array offsets = indexes.array("chrom_offset");
    if (offsets.size() != names.size() + 1) return parts;
    const std::vector<std::uint64_t> begins = offsets.whole(0, offsets.size());
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (begins[k] >= bins || (k > 0 && begins[k] < begins[k - 1])) return {};
      parts.push_back({begins[k], names[k]});
    }
    return parts;
  } catch (const Refused&) {
    return {};
  }

  void add_binsparse(const Group& group, const std::string& text) {
    const std::string where = group.path().empty() ? "attribute binsparse" : group.path();
    const BinsparseDescription facts = binsparse_description(nlohmann::json::parse(text, nullptr, false));
    if (!facts.problem.empty()) refuse(where, facts.problem);
    const Sides shape{facts.rows, facts.cols};
    const auto values = [&] {
      Array array = group.array("values");
      const bool is_compound = array.numbers_per_value() == 2;
      return Values(std::move(array), facts.is_same, facts.is_pairs && !is_compound);
    };
    const std::string field = facts.is_logical ? "logical" : "";
    const std::string name = name_of(group);
    const bool by_columns = facts.format.back() == 'C';
    if (facts.is_compressed()) {
      const bool lists_lines = facts.format[0] == 'D';
      add_compressed(
          name, shape,
          {group.array("pointers_to_1"), group.array("indices_1"), values(),
           lists_lines ? std::optional<Array>(group.array("indices_0")) : std::nullopt, !by_columns},
          false, facts.symmetry, field);
    } else if (!facts.is_dense()) {
      add_coordinates(name, shape,
                      {group.array(by_columns ? "indices_1" : "indices_0"),
                       group.array(by_columns ? "indices_0" : "indices_1"), values()},
                      facts.symmetry, field);
    } else {
      if (facts.is_pairs) refuse(where, "dense complex matrices are not read.");
      add_dense(name, shape, {group.array("values"), by_columns}, false);
    }
  }

  /// Adds a dense matrix of AnnData (X, layers, obsp and varp) or of loom (matrix and layers;
  /// linnarssonlab.org/loompy, "Specification").
  void find_dense(const Group& group, const std::string& name) {
    const std::string path = group.path_of(name);
    static constexpr std::array<std::string_view, 3> kGroups{"layers", "obsp", "varp"};
    const bool is_x = (name == "X" && (group.path().empty() || group.path() == "raw")) ||
                      path == "raw.X";  // before AnnData 0.7
    const bool is_one = is_x || std::ranges::find(kGroups, group.path()) != kGroups.end();
    const bool is_of_loom = path == "matrix" || group.path() == "layers";
    if ((is_anndata_ && is_one) || (is_loom_ && is_of_loom))
      add_array(group, name, path);
    else
      other_arrays_.push_back(path);
  }

  /// `by_columns`: the array has the columns of the matrix as rows.
  void add_array(const Group& group, const std::string& name, const std::string& path,
                 bool by_columns = false) try {
    Array elements = group.array(name);
    Sides shape = elements.shape();
    if (shape.size() != 2) refuse(path, "it has one dimension; expected 2.");
    if (elements.size() == 0) refuse(path, "it has no element.");
    elements.check_presence(kFewElements);
    if (by_columns) std::swap(shape[0], shape[1]);
    add_dense(path, shape, {std::move(elements), by_columns}, path == "X" || path == "matrix");
  } catch (const Refused& refused) {
    leave_out(path, refused);
  }

  /// Adds a dense variable of MATLAB, which stores columns as rows, for users who name it.
  void add_variable(const Group& root, const std::string& path, const std::string& matlab_class) {
    static constexpr std::array<std::string_view, 3> kOthers{"char", "cell", "struct"};
    if (std::ranges::find(kOthers, matlab_class) != kOthers.end())
      return leave_out(path, "a variable of MATLAB that is no matrix");
    const std::size_t before = contents_.matrices.size();
    add_array(root, path, path, true);
    if (contents_.matrices.size() == before) return;
    FoundMatrix& added = contents_.matrices.back();
    std::replace(added.name.begin(), added.name.end(), '/', '.');
    added.head.flags |= kIfNamed;
    if (matlab_class == "logical") added.field = matlab_class;
  }

  /// Whether the array is the value of a dense matrix of Octave, which stores columns as rows, too.
  static bool is_of_octave(const Group& root, const std::string& path) {
    constexpr std::string_view kEnding = "/value";
    if (!path.ends_with(kEnding)) return false;
    const std::string type = path.substr(0, path.size() - kEnding.size()) + "/type";
    return root.has(type) && root.text_of(type).ends_with("matrix");
  }

  /// If the file has no other matrix, arrays of two dimensions are dense matrices.
  void finish(const Group& root) {
    const bool are_matrices = contents_.matrices.empty() && !has_damaged_;
    for (const std::string& path : other_arrays_) {
      const std::string matlab_class =
          root.has_array(path) ? root.text_of_member(path, "MATLAB_class") : std::string();
      const bool is_full = contents_.matrices.size() == kMostDense;
      if (!matlab_class.empty() && !is_full)
        add_variable(root, path, matlab_class);
      else if (!are_matrices || is_full || !root.has_array(path))
        leave_out(path, "an array without the pointers of a sparse matrix");
      else
        add_array(root, path, path, is_of_octave(root, path));
    }
  }

  Contents& contents_;
  bool balanced_;
  bool is_anndata_ = false;
  bool is_loom_ = false;
  bool has_damaged_ = false;               // whether a matrix was left out
  std::vector<std::string> other_arrays_;  // paths of arrays that no layout has as a matrix
  std::set<std::uint64_t> seen_;
};

}  // namespace

Contents contents_of(const Group& root, bool balanced) {
  Contents contents;
  Finder(contents, balanced).search(root, 0);
  return contents;
}

}  // namespace spyctrum::hdf5
