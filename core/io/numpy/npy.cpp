// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy, a dense matrix, and .npz, a ZIP archive of arrays: sparse matrices of SciPy's save_npz()
// (csr, csc, coo, bsr, dia), arrays NAME_data, NAME_indices, NAME_indptr, NAME_shape of other programs,
// Binsparse, and dense matrices. The entries of a dense matrix, and of dia, are the elements that are not
// zero; those of bsr are all elements of the stored blocks.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "core/io/binary_file.hpp"
#include "core/io/byte_source.hpp"
#include "core/io/formats.hpp"
#include "core/io/numpy/binsparse_archive.hpp"
#include "core/io/numpy/compressed_arrays.hpp"
#include "core/io/numpy/edge_arrays.hpp"
#include "core/io/quote.hpp"
#include "core/io/several_matrices.hpp"
#include "core/io/text_reader.hpp"
#include "core/io/unpack.hpp"
#include "core/io/zip_directory.hpp"

namespace spyctrum::npy_reader {
namespace {

constexpr std::array<std::string_view, 1> kEndings{".npy"};
constexpr FormatInfo kFormat{
    .id = "npy", .name = "NumPy array", .endings = kEndings, .options = kArrayOptions};

Matrix reported(Matrix matrix, const NumpyArray& facts, bool is_edges, const LoadOptions& options) {
  matrix.report.format = kFormat.name;
  note_meaning(matrix, facts, is_edges, options);
  return matrix;
}

Recognition recognise(std::span<const char> head) {
  return std::string_view(head.data(), head.size()).starts_with(kNpyMagic) ? Recognition::certain
                                                                           : Recognition::none;
}

Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context) {
  BinaryFile file(source, name, context);
  NumpyArray array = read_npy_header(file, std::string(name));
  if (array.shape.size() != 2)
    array.fail("it has " + counted(array.shape.size(), "dimension", "dimensions") + "; a matrix has 2.");
  if (array.kind == 'S' || array.kind == 'U') array.fail("its elements are text; numbers were expected.");
  const std::string_view path = name.substr(0, name.rfind(".npy"));
  if (is_edges(array, path, options)) {
    const std::uint64_t count = announced_bytes(array);
    const auto read = [&](std::span<char> bytes) { return file.read(bytes); };
    if (const std::uint64_t got = read_elements(array, context, read, count, source.total()); got < count)
      array.fail("it ends after " + grouped(got) + " of " + grouped(count) + " bytes of elements.");
    return reported(matrix_of_edges(array, options, context), array, true, options);
  }
  DenseEntries entries(array, options, context);
  read_npy_pieces(file, array, [&](std::uint64_t first) { entries.add(array, 0, array.size(), first); });
  return reported(std::move(entries).matrix(), array, false, options);
}

}  // namespace

extern const Reader kReader{kFormat, recognise, read};

}  // namespace spyctrum::npy_reader

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

/// The array in a member of the archive, or the failure to read it.
struct Member {
  std::string stem;  ///< its path without .npy
  std::optional<NumpyArray> array;
  std::exception_ptr failure;
};

/// A file that several threads read, each all of it; progress counts the bytes that each reads while its
/// source `is_own`.
class SharedSource : public LayeredSource {
 public:
  SharedSource(std::unique_ptr<ByteSource> file, std::atomic<std::uint64_t>& done)
      : LayeredSource(std::move(file)), done_(done) {}
  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = upstream_->read(buffer);
    if (is_own) done_ += count;
    return count;
  }
  [[nodiscard]] std::uint64_t consumed() const override { return done_; }
  bool is_own = false;

 private:
  std::atomic<std::uint64_t>& done_;
};

/// Reads all arrays of an archive, in its order. Several threads unpack a regular file; each thread skips the
/// members that others have taken.
class Members {
 public:
  /// Returns how the array `stem` is kept; `before`: stems of all members before it.
  using KeepOf = std::function<Keep(std::string_view stem, const std::set<std::string>& before)>;

  Members(ByteSource& source, std::string_view name, JobContext& context, KeepOf keep)
      : source_(source), name_(name), context_(context), keep_(std::move(keep)) {}

  std::vector<Member> read() {
    if (std::vector<Member> stored; read_stored(stored)) return stored;
    if (source_.descriptor() < 0) {
      bool is_own = false;  // one thread reads all members
      read_those_left(source_, is_own);
    } else {
      const std::size_t threads = std::min(context_.pool().threads(), 3U);
      context_.pool().parallel_for(threads, 1, [&](std::size_t begin, std::size_t end, unsigned /*worker*/) {
        for (std::size_t k = begin; k < end; ++k) {
          SharedSource source(shared_file_source(source_, name_, context_.stop_token()), done_);
          read_those_left(source, source.is_own);
        }
      });
    }
    std::vector<Member> all;
    for (auto& [place, member] : members_) {
      if (failure_ && place >= failed_at_) break;
      all.push_back(std::move(member));
    }
    // A failure of the archive comes after the arrays before it, whose failures have precedence.
    if (failure_) all.push_back({{}, {}, failure_});
    return all;
  }

 private:
  /// Reads the archive on all threads if its members are not compressed. Returns false if they are compressed
  /// or anything is wrong: the archive is then read again in order, with a message about the first fault.
  bool read_stored(std::vector<Member>& all) {
    if (source_.descriptor() < 0) return false;
    const auto stored = stored_members(source_.descriptor());
    if (!stored) return false;
    ReadProgress progress{source_.total()};
    std::set<std::string> before;
    for (const StoredMember& member : *stored) {
      const bool is_array = member.path.ends_with(".npy");
      const std::string stem = is_array ? member.path.substr(0, member.path.size() - 4) : std::string();
      try {
        if (is_array) {
          std::optional<NumpyArray> array = stored_array(member, keep_(stem, before), progress);
          if (!array) return false;
          all.push_back({stem, std::move(array), {}});
        }
      } catch (const Failure& failure) {
        if (failure.error().code != ErrorCode::bad_input) throw;
        return false;
      }
      before.insert(stem);
    }
    return true;
  }

  static uLong checksum(std::span<const char> bytes) {
    return crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  }

  /// Reads an array; empty if the member is longer or shorter than the array, or if its checksum is wrong.
  std::optional<NumpyArray> stored_array(const StoredMember& member, Keep keep, ReadProgress& progress) {
    const auto source = shared_file_source(source_, name_, context_.stop_token(), member.at);
    BinaryFile file(*source, name_, context_);
    NumpyArray array = read_npy_header(file, name_ + ", " + escaped(member.path));
    const std::uint64_t header_bytes = file.position();
    const std::uint64_t element_bytes = announced_bytes(array);
    if (array.width == 0 || header_bytes > member.bytes || member.bytes - header_bytes != element_bytes)
      return std::nullopt;
    array.set_keep(keep);
    if (array.keep == Keep::number) {
      array.count = element_bytes / array.width;
      return array;
    }
    std::vector<char> header(header_bytes);
    const auto again = shared_file_source(source_, name_, context_.stop_token(), member.at);
    if (BinaryFile(*again, name_, context_).read(header) < header.size()) return std::nullopt;
    // The checksums of the pieces, by their first element.
    std::mutex mutex;
    std::map<std::uint64_t, std::pair<uLong, std::size_t>> checksums;
    const auto checksum_of = [&](std::uint64_t first, std::span<const char> bytes, unsigned /*worker*/) {
      const uLong own = checksum(bytes);
      const std::lock_guard lock(mutex);
      checksums[first] = {own, bytes.size()};
    };
    if (!read_elements_at(array, element_bytes / array.width, source_.descriptor(), member.at + header_bytes,
                          progress, context_, checksum_of))
      return std::nullopt;
    uLong crc = checksum(header);
    for (const auto& [first, piece] : checksums)
      crc = crc32_combine(crc, piece.first, static_cast<z_off_t>(piece.second));
    if (crc != member.crc) return std::nullopt;
    return array;
  }

  /// Reads the members that no other thread has taken; `is_own` is true while it reads one of them.
  void read_those_left(ByteSource& source, bool& is_own) {
    std::size_t place = 0;
    std::set<std::string> before;
    try {
      const std::unique_ptr<ArchiveMembers> members = archive_members(source, name_);
      for (std::string path; members->next_member(path); ++place) {
        std::size_t expected = place;
        const bool is_array = path.ends_with(".npy");
        const std::string stem = is_array ? path.substr(0, path.size() - 4) : std::string();
        if (!next_.compare_exchange_strong(expected, place + 1) || !is_array) {
          before.insert(stem);
          continue;
        }
        Member member{stem, {}, {}};
        is_own = true;
        try {
          member.array = read_npy(*members, name_ + ", " + escaped(path), context_, keep_(stem, before));
        } catch (const Failure& failure) {
          if (failure.error().code != ErrorCode::bad_input) throw;
          member.failure = std::current_exception();
        }
        is_own = false;
        before.insert(stem);
        const bool is_read = member.array.has_value();
        {
          const std::lock_guard lock(mutex_);
          members_.emplace(place, std::move(member));
        }
        if (!is_read) {
          ++place;  // if the archive is damaged here, it is after this member
          read_to_end(*members, context_);
          --place;
        }
      }
      members->finish(context_);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (failure_ && failed_at_ <= place) return;
      failure_ = std::current_exception();
      failed_at_ = place;
    }
  }

  ByteSource& source_;
  std::string name_;
  JobContext& context_;
  KeepOf keep_;
  std::atomic<std::size_t> next_{0};    ///< index of the first member that no thread has taken
  std::atomic<std::uint64_t> done_{0};  ///< bytes of the members that were read
  std::mutex mutex_;
  std::map<std::size_t, Member> members_;
  std::exception_ptr failure_;  ///< first failure of the archive itself, or a stop
  std::size_t failed_at_ = 0;   ///< index of the member at which it occurred
};

/// NAME and role of "NAME_indices"; an empty role for other arrays.
std::pair<std::string, std::string> role_of(std::string_view stem) {
  static constexpr std::array<std::string_view, 11> kRoles{
      "data",    "indices", "indptr", "shape",           "row",       "col",
      "offsets", "format",  "coords", "compressed_axes", "fill_value"};
  for (const std::string_view role : kRoles) {
    if (stem == role) return {"", std::string(role)};
    if (stem.size() > role.size() + 1 && stem.ends_with(role) &&
        std::string_view("_.").find(stem[stem.size() - role.size() - 1]) != std::string_view::npos)
      return {std::string(stem.substr(0, stem.size() - role.size() - 1)), std::string(role)};
  }
  return {};
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

using UsePiece = std::function<void(const NumpyArray& piece, std::uint64_t first)>;

/// Reads the array `path` of the archive again.
class LaterArray {
 public:
  LaterArray(const ByteSource& source, std::string_view name, const std::string& path, JobContext& context)
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
  /// Type and shape of the elements.
  [[nodiscard]] const NumpyArray& facts() const { return array_; }
  /// Fills `bytes` with the next elements. Throws Failure{bad_input}.
  void read(std::span<char> bytes) {
    if (bytes_->read(bytes) < bytes.size()) array_.fail("it has changed while it was read.");
  }
  /// Reads all elements in pieces.
  void read_pieces(const UsePiece& use) {
    read_npy_pieces(*bytes_, array_, [&](std::uint64_t first) { use(array_, first); });
    members_->finish(context_);
  }
  /// Reads the archive to its end.
  void finish() {
    (void)bytes_->pass(~std::uint64_t{0});
    members_->finish(context_);
  }

 private:
  JobContext& context_;
  std::unique_ptr<ByteSource> file_;
  std::unique_ptr<ArchiveMembers> members_;
  std::optional<BinaryFile> bytes_;
  NumpyArray array_;
};

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
        data_(part(parts, "data")) {}

  [[nodiscard]] Matrix matrix() {
    const bool is_compressed = layout() == "csr" || layout() == "csc";
    const bool is_needed = layout() == "coo" ? parts_.contains("coords") : !is_compressed;
    if (data_.keep == Keep::number && is_needed) read_data();
    check_sides(data_, chosen_.rows, chosen_.cols);
    if (const auto fill = parts_.find("fill_value"); fill != parts_.end())
      if (fill->second.size() != 1 || !fill->second.is_zero(0))
        fill->second.fail("the elements that are not stored are not zero: the matrix is dense.");
    return is_compressed ? matrix_of_lines() : matrix_of_entries();
  }

 private:
  [[nodiscard]] const std::string& layout() const { return chosen_.layout; }

  void read_data() {
    BookedList<char> all(context_, "array");
    open_data_().read_pieces(
        [&](const NumpyArray& piece, std::uint64_t /*first*/) { all.append(piece.bytes.data); });
    NumpyArray& data = parts_.find("data")->second;
    data.bytes = std::move(all).take();
    data.keep = Keep::bytes;
  }

  Matrix matrix_of_lines() {
    const std::string field = data_.field();
    const bool by_rows = layout() == "csr";
    CompressedLines lines{.rows = chosen_.rows, .cols = chosen_.cols, .by_rows = by_rows};
    lines.ends = ends_of(part(parts_, "indptr"), by_rows ? chosen_.rows : chosen_.cols,
                         part(parts_, "indices").size(), context_);
    std::optional<LaterArray> later;
    std::unique_ptr<StoredValues> values;
    if (data_.keep == Keep::number) {
      later.emplace(open_data_());
      if (later->facts().kind != data_.kind || later->facts().width != data_.width)
        data_.fail("it has changed while it was read.");
      NumpyArray elements;
      elements.kind = data_.kind;
      elements.width = data_.width;
      elements.big_endian = later->facts().big_endian;
      values = std::make_unique<StreamedValues>(std::move(elements),
                                                [&](std::span<char> bytes) { later->read(bytes); });
    }
    Matrix matrix = compressed_matrix(parts_, std::move(lines), options_, context_, std::move(values));
    if (later) later->finish();
    matrix.report.field = field;
    return matrix;
  }

  Matrix matrix_of_entries() {
    EntryList entries(options_, context_);
    entries.begin_preview(chosen_.rows, chosen_.cols, data_.size());
    std::optional<std::uint64_t> on_diagonals;  // elements of stored diagonals, zeros included
    if (layout() == "coo" && parts_.contains("coords")) {
      add_coords(entries);
    } else if (layout() == "coo") {
      add_rows_and_cols(entries);
    } else if (layout() == "bsr") {
      add_blocks(entries);
    } else if (layout() == "dia") {
      const NumpyArray& offsets = part(parts_, "offsets");
      if (data_.shape.size() != 2 || data_.shape[0] != offsets.size() || data_.fortran)
        data_.fail("it has no row for each of " + counted(offsets.size(), "diagonal", "diagonals") + ".");
      on_diagonals = add_diagonals(data_, offsets, chosen_.rows, chosen_.cols, entries);
    } else {
      part(parts_, "format")
          .fail("the matrix is stored as " + in_quotes(layout()) + "; expected csr, csc, coo, bsr or dia.");
    }
    if (data_.kind == 'c') entries.set_complex();
    Matrix matrix = std::move(entries).matrix(chosen_.rows, chosen_.cols);
    if (on_diagonals) matrix.report.entries_in_file = static_cast<std::int64_t>(*on_diagonals);
    matrix.report.field = data_.field();
    return matrix;
  }

  /// Adds element k as the entry (i, j). `k` ascends: elements before it are not needed again.
  void add(EntryList& entries, std::uint64_t i, std::uint64_t j, std::uint64_t k) {
    constexpr std::uint64_t kPiece = std::uint64_t{1} << 16U;
    if (k != 0 && k % kPiece == 0)
      for (const std::string_view role : {"data", "row", "col"})
        if (const auto found = parts_.find(role); found != parts_.end()) found->second.release(k - kPiece, k);
    if (k >= data_.size())
      data_.fail("it has " + counted(data_.size(), "element", "elements") + "; expected more.");
    entries.add(i, j, data_.is_zero(k), [&] { return data_.value(k); });
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
    if (data_.keep != Keep::number) {
      for (std::uint64_t k = 0; k < row.size(); ++k)
        add(entries, row.index(k, last_row), col.index(k, last_col), k);
      return;
    }
    if (data_.size() < row.size())
      data_.fail("it has " + counted(data_.size(), "element", "elements") + "; expected more.");
    open_data_().read_pieces([&](const NumpyArray& piece, std::uint64_t first) {
      const std::uint64_t last = std::min(row.size(), first + piece.size());
      for (std::uint64_t k = first; k < last; ++k)
        entries.add(row.index(k, last_row), col.index(k, last_col), piece.is_zero(k - first),
                    [&] { return piece.value(k - first); });
      for (const NumpyArray* const array : {&row, &col}) array->release(first, std::max(first, last));
    });
    if (entries.count() < row.size()) data_.fail("it has changed while it was read.");
  }

  void add_blocks(EntryList& entries) {
    if (data_.shape.size() != 3 || data_.shape[1] == 0 || data_.shape[2] == 0 || data_.fortran)
      data_.fail("it has " + counted(data_.shape.size(), "dimension", "dimensions") + "; blocks have 3.");
    const std::uint64_t height = data_.shape[1];
    const std::uint64_t width = data_.shape[2];
    if (chosen_.rows % height != 0 || chosen_.cols % width != 0)
      data_.fail("blocks of " + grouped(height) + " × " + grouped(width) + " do not divide a matrix of " +
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
  const NumpyArray& data_;
};

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

Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context) {
  SeveralMatrices all(kFormat, name, options);
  std::map<std::string, Parts> sparse;  // by the matrix's name
  std::map<std::string, NumpyArray> dense;
  BinsparseArchive binsparse;
  // Without values only the zeros are kept of data, and of arrays that may be dense matrices.
  const auto keep = [&](std::string_view stem, const std::set<std::string>& before) {
    const std::string role = role_of(stem).second;
    if (role == "indices" || role == "row" || role == "col") return Keep::indices;
    const bool may_be_edges = !import_choice(options, "array").empty() || stem.ends_with("edge_index");
    const bool is_of_values =
        role == "data" || (role.empty() && !BinsparseArchive::has_part(stem) && !may_be_edges);
    if (options.values == ValueUse::none && is_of_values) return Keep::zeros;
    // If the file can be read again, values of coordinates, and complex values, are read once the indices
    // are known.
    if (role != "data" || source.descriptor() < 0) return Keep::bytes;
    const std::string matrix(stem.substr(0, stem.size() - 4));
    if (before.contains(matrix + "col")) return Keep::number;
    return before.contains(matrix + "indices") ? Keep::number_of_complex : Keep::bytes;
  };
  std::map<std::string, std::string> left;  // paths of arrays of which the number is kept
  for (Member& member : Members(source, name, context, keep).read()) {
    const std::string& stem = member.stem;
    const auto [matrix, role] = role_of(stem);
    if (!member.array) {
      // An array that cannot be read may not belong to any matrix.
      try {
        std::rethrow_exception(member.failure);
      } catch (const Failure& failure) {
        if (!role.empty() || stem.empty() || failure.error().code != ErrorCode::bad_input) throw;
        all.leave_out(stem, failure.error().what);
      }
      continue;
    }
    NumpyArray& array = *member.array;
    if (array.keep == Keep::number) left.emplace(matrix, stem + ".npy");
    if (!role.empty())
      sparse[matrix].emplace(role, std::move(array));
    else if (array.shape.size() < 2 && BinsparseArchive::has_part(stem))
      binsparse.add(stem, std::move(array));
    else if (array.shape.size() == 2 && array.kind != 'S' && array.kind != 'U')
      dense.emplace(stem, std::move(array));
    else
      all.leave_out(stem, "no matrix");
  }
  for (const auto& [matrix, parts] : sparse) {
    if (!parts.contains("shape")) {
      for (const auto& [role, array] : parts) all.leave_out(matrix + role, "no shape");
      continue;
    }
    const auto [rows, cols] = sides_of(part(parts, "shape"));
    all.add({matrix, layout_of(parts, rows, cols), rows, cols, part(parts, "data").size()});
  }
  const bool has_binsparse = binsparse.has_matrix();
  if (has_binsparse) all.add(binsparse.facts());
  if (!has_binsparse) binsparse.leave_out(all);
  for (const auto& [stem, array] : dense) {
    if (!is_edges(array, stem, options)) {
      all.add({stem, "dense", array.shape[0], array.shape[1], array.size()});
      continue;
    }
    const std::uint64_t vertices = vertices_of(array, context);
    all.add({stem, "edges", vertices, vertices, array.size() / 2});
  }
  const MatrixInFile chosen = all.choose();
  const bool is_binsparse = has_binsparse && chosen.name.empty();
  const auto array = dense.find(chosen.name);
  const bool is_of_edges = chosen.layout == "edges";
  const bool is_array = array != dense.end() && (is_of_edges || chosen.layout == "dense");
  const auto open_data = [&] { return LaterArray(source, name, left.at(chosen.name), context); };
  Matrix matrix = is_binsparse  ? binsparse.matrix(options, context)
                  : is_of_edges ? matrix_of_edges(array->second, options, context)
                  : is_array
                      ? dense_matrix(array->second, options, context)
                      : SparseArrays(sparse.at(chosen.name), chosen, options, context, open_data).matrix();
  all.report(matrix.report);
  if (is_array) note_meaning(matrix, array->second, is_of_edges, options);
  return matrix;
}

}  // namespace

extern const Reader kReader{kFormat, recognise, read};

}  // namespace spyctrum::npz_reader
