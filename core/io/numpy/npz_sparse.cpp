// SPDX-License-Identifier: Apache-2.0
// The entries of csr, csc and coo are the stored elements; of bsr, all elements of the stored blocks; of dia,
// the elements inside the matrix that are not zero. csr, csc and coo without the array data are patterns.
#include "core/io/numpy/npz_sparse.hpp"

#include <algorithm>

#include "core/io/byte_source.hpp"
#include "core/io/quote.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum::npz_reader {

LaterArray::LaterArray(const ByteSource& source, std::string_view name, const std::string& path,
                       JobContext& context)
    : context_(context),
      file_(shared_file_source(source, name, context.stop_token())),
      members_(archive_members(*file_, name)) {
  std::string found;
  do {
    if (!members_->next_member(found))
      throw Failure(ErrorCode::bad_input, std::string(name) + " no longer contains " + escaped(path) + ".",
                    "Another program has changed the file: open it again.");
  } while (found != path);
  bytes_.emplace(*members_, name, context);
  array_ = read_npy_header(*bytes_, std::string(name) + ", " + escaped(path));
}

void LaterArray::read(std::span<char> bytes) {
  if (bytes_->read(bytes) < bytes.size()) array_.fail("it has changed while it was read.");
}

void LaterArray::read_pieces(const UsePiece& use) {
  read_npy_pieces(*bytes_, array_, [&](std::uint64_t first) { use(array_, first); });
  members_->finish(context_);
}

void LaterArray::finish() {
  (void)bytes_->pass(~std::uint64_t{0});
  members_->finish(context_);
}

namespace {

std::int64_t offset_of(const NumpyArray& offsets, std::uint64_t k) {
  if (offsets.kind != 'i' || offsets.width == 0 || offsets.width > 8)
    offsets.fail("its elements are not whole numbers with signs.");
  const std::uint64_t number =
      binary_whole(offsets.bytes.data.data() + k * offsets.width, offsets.width, offsets.big_endian);
  const std::size_t unused = 64 - 8 * offsets.width;
  const std::int64_t offset = static_cast<std::int64_t>(number << unused) >> unused;
  if (offset > static_cast<std::int64_t>(kLargestSide) || -offset > static_cast<std::int64_t>(kLargestSide))
    offsets.fail_element(k, "found " + std::to_string(offset) + ", which is outside of any matrix.");
  return offset;
}

/// Adds the elements data[d, j], whose positions are (j − offsets[d], j). Returns the number of positions
/// inside the matrix.
std::uint64_t add_diagonals(const NumpyArray& data, const NumpyArray& offsets, std::uint64_t rows,
                            std::uint64_t cols, EntryList& entries) {
  std::uint64_t stored = 0;
  for (std::uint64_t d = 0; d < offsets.size(); ++d) {
    const std::int64_t offset = offset_of(offsets, d);
    for (std::uint64_t j = 0; j < std::min(cols, data.shape[1]); ++j) {
      const std::int64_t i = static_cast<std::int64_t>(j) - offset;
      if (i < 0 || i >= static_cast<std::int64_t>(rows)) continue;
      ++stored;
      const std::uint64_t k = d * data.shape[1] + j;
      if (!data.is_zero(k))
        entries.add(static_cast<std::uint64_t>(i), j, false, [&] { return data.value(k); });
    }
  }
  return stored;
}

/// The arrays of one sparse matrix.
class SparseArrays {
 public:
  /// `open_data` opens the array data, of which only the number of elements may have been kept.
  SparseArrays(Parts& parts, const MatrixInFile& chosen, const LoadOptions& options, JobContext& context,
               const std::function<LaterArray()>& open_data)
      : parts_(parts),
        chosen_(chosen),
        options_(options),
        context_(context),
        open_data_(open_data),
        data_(parts.contains("data") ? &part(parts, "data") : nullptr) {}

  [[nodiscard]] Matrix matrix() {
    const bool is_compressed = layout() == "csr" || layout() == "csc";
    const bool is_needed = layout() == "coo" ? parts_.contains("coords") : !is_compressed;
    if (has_number_alone() && is_needed) read_data();
    check_sides(parts_.contains("shape") ? part(parts_, "shape") : parts_.begin()->second, chosen_.rows,
                chosen_.cols);
    if (const auto fill = parts_.find("fill_value"); fill != parts_.end())
      if (fill->second.size() != 1 || !fill->second.is_zero(0))
        fill->second.fail("the elements that are not stored are not zero: the matrix is dense.");
    return is_compressed ? matrix_of_lines() : matrix_of_entries();
  }

 private:
  [[nodiscard]] const std::string& layout() const { return chosen_.layout; }
  /// Whether only the number of the values was kept.
  [[nodiscard]] bool has_number_alone() const { return data_ != nullptr && data_->keep == Keep::number; }
  [[nodiscard]] std::string field() const { return data_ != nullptr ? data_->field() : "pattern"; }

  void read_data() {
    BookedList<char> all(context_, "array");
    open_data_().read_pieces(
        [&](const NumpyArray& piece, std::uint64_t /*first*/) { all.append(piece.bytes.data); });
    NumpyArray& data = parts_.find("data")->second;
    data.bytes = std::move(all).take();
    data.keep = Keep::bytes;
  }

  Matrix matrix_of_lines() {
    const std::string of_values = field();
    const bool by_rows = layout() == "csr";
    CompressedLines lines{.rows = chosen_.rows, .cols = chosen_.cols, .by_rows = by_rows};
    lines.ends = ends_of(part(parts_, "indptr"), by_rows ? chosen_.rows : chosen_.cols,
                         part(parts_, "indices").size(), context_);
    std::optional<LaterArray> later;
    std::unique_ptr<StoredValues> values;
    if (has_number_alone()) {
      later.emplace(open_data_());
      if (later->facts().kind != data_->kind || later->facts().width != data_->width)
        data_->fail("it has changed while it was read.");
      NumpyArray elements;
      elements.kind = data_->kind;
      elements.width = data_->width;
      elements.big_endian = later->facts().big_endian;
      values = std::make_unique<StreamedValues>(std::move(elements),
                                                [&](std::span<char> bytes) { later->read(bytes); });
    }
    Matrix matrix = compressed_matrix(parts_, std::move(lines), options_, context_, std::move(values));
    if (later) later->finish();
    matrix.report.field = of_values;
    return matrix;
  }

  Matrix matrix_of_entries() {
    EntryList entries(options_, context_);
    entries.begin_preview(chosen_.rows, chosen_.cols, chosen_.stored);
    std::optional<std::uint64_t> on_diagonals;  // elements of stored diagonals, zeros included
    if (layout() == "coo" && parts_.contains("coords")) {
      add_coords(entries);
    } else if (layout() == "coo") {
      add_rows_and_cols(entries);
    } else if (layout() == "bsr") {
      add_blocks(entries);
    } else if (layout() == "dia") {
      const NumpyArray& data = part(parts_, "data");
      const NumpyArray& offsets = part(parts_, "offsets");
      if (data.shape.size() != 2 || data.shape[0] != offsets.size() || data.fortran)
        data.fail("it has no row for each of " + counted(offsets.size(), "diagonal", "diagonals") + ".");
      on_diagonals = add_diagonals(data, offsets, chosen_.rows, chosen_.cols, entries);
    } else {
      part(parts_, "format")
          .fail("the matrix is stored as " + in_quotes(layout()) + "; expected csr, csc, coo, bsr or dia.");
    }
    if (data_ != nullptr && data_->kind == 'c') entries.set_complex();
    Matrix matrix = std::move(entries).matrix(chosen_.rows, chosen_.cols);
    if (on_diagonals) matrix.report.entries_in_file = static_cast<std::int64_t>(*on_diagonals);
    matrix.report.field = field();
    return matrix;
  }

  /// Adds element k as the entry (i, j). `k` ascends: elements before it are not needed again.
  void add(EntryList& entries, std::uint64_t i, std::uint64_t j, std::uint64_t k) {
    constexpr std::uint64_t kPiece = std::uint64_t{1} << 16U;
    if (k != 0 && k % kPiece == 0)
      for (const std::string_view role : {"data", "row", "col"})
        if (const auto found = parts_.find(role); found != parts_.end()) found->second.release(k - kPiece, k);
    if (data_ == nullptr) return entries.add(i, j);
    if (k >= data_->size())
      data_->fail("it has " + counted(data_->size(), "element", "elements") + "; expected more.");
    entries.add(i, j, data_->is_zero(k), [&] { return data_->value(k); });
  }

  /// pydata/sparse stores the rows, then the columns, in one array.
  void add_coords(EntryList& entries) {
    const NumpyArray& coords = part(parts_, "coords");
    if (coords.shape.size() != 2 || coords.shape[0] != 2)
      coords.fail("it must have two rows: the rows and the columns of the entries.");
    const std::uint64_t count = coords.shape[1];
    const auto place = [&](std::uint64_t side, std::uint64_t k) {
      return coords.fortran ? 2 * k + side : side * count + k;
    };
    for (std::uint64_t k = 0; k < count; ++k)
      add(entries, coords.index(place(0, k), chosen_.rows - 1), coords.index(place(1, k), chosen_.cols - 1),
          k);
  }

  void add_rows_and_cols(EntryList& entries) {
    const NumpyArray& row = part(parts_, "row");
    const NumpyArray& col = part(parts_, "col");
    const std::uint64_t last_row = chosen_.rows - 1;
    const std::uint64_t last_col = chosen_.cols - 1;
    if (row.size() != col.size())
      col.fail("it has " + counted(col.size(), "element", "elements") + "; the rows are " +
               grouped(row.size()) + ".");
    if (!has_number_alone()) {
      for (std::uint64_t k = 0; k < row.size(); ++k)
        add(entries, row.index(k, last_row), col.index(k, last_col), k);
      return;
    }
    if (data_->size() < row.size())
      data_->fail("it has " + counted(data_->size(), "element", "elements") + "; expected more.");
    open_data_().read_pieces([&](const NumpyArray& piece, std::uint64_t first) {
      const std::uint64_t last = std::min(row.size(), first + piece.size());
      for (std::uint64_t k = first; k < last; ++k)
        entries.add(row.index(k, last_row), col.index(k, last_col), piece.is_zero(k - first),
                    [&] { return piece.value(k - first); });
      for (const NumpyArray* const array : {&row, &col}) array->release(first, std::max(first, last));
    });
    if (entries.count() < row.size()) data_->fail("it has changed while it was read.");
  }

  void add_blocks(EntryList& entries) {
    const NumpyArray& data = part(parts_, "data");
    if (data.shape.size() != 3 || data.shape[1] == 0 || data.shape[2] == 0 || data.fortran)
      data.fail("it has " + counted(data.shape.size(), "dimension", "dimensions") + "; blocks have 3.");
    const std::uint64_t height = data.shape[1];
    const std::uint64_t width = data.shape[2];
    if (chosen_.rows % height != 0 || chosen_.cols % width != 0)
      data.fail("blocks of " + grouped(height) + " × " + grouped(width) + " do not divide a matrix of " +
                grouped(chosen_.rows) + " × " + grouped(chosen_.cols) + ".");
    const NumpyArray& indices = part(parts_, "indices");
    const std::uint64_t block_rows = chosen_.rows / height;
    const auto ends = ends_of(part(parts_, "indptr"), block_rows, indices.size(), context_);
    for (std::uint64_t block = 0, i = 0; i < block_rows; ++i)
      for (; block < ends.data[i]; ++block) {
        const std::uint64_t j = indices.index(block, chosen_.cols / width - 1);
        for (std::uint64_t e = 0; e < height * width; ++e)
          add(entries, i * height + e / width, j * width + e % width, block * height * width + e);
      }
  }

  Parts& parts_;
  const MatrixInFile& chosen_;
  const LoadOptions& options_;
  JobContext& context_;
  const std::function<LaterArray()>& open_data_;
  const NumpyArray* const data_;  // null: the matrix is a pattern
};

}  // namespace

Matrix sparse_matrix(Parts& parts, const MatrixInFile& chosen, const LoadOptions& options,
                     JobContext& context, const std::function<LaterArray()>& open_data) {
  return SparseArrays(parts, chosen, options, context, open_data).matrix();
}

}  // namespace spyctrum::npz_reader
