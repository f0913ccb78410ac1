// SPDX-License-Identifier: Apache-2.0
// Matrices of HDF5 files: 10x, AnnData, loom, cooler, Binsparse, MATLAB 7.3, and groups with data, indices,
// indptr and shape (child/layouts.hpp). Since the HDF5 library has known memory faults, a child process
// parses the file: it lists the matrices, then sends the entries of the chosen one (messages.hpp).
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <optional>

#include "core/io/hdf5/child_matrices.hpp"
#include "core/io/hdf5/child_process.hpp"
#include "core/io/hdf5/messages.hpp"
#include "core/io/hdf5/stored_arrays.hpp"
#include "core/io/import_options.hpp"
#include "core/io/quote.hpp"
#include "core/matrix/index.hpp"

namespace spyctrum::hdf5_reader {
namespace {

constexpr std::array<std::string_view, 8> kEndings{".h5ad", ".loom", ".bsp.h5", ".h5",
                                                   ".hdf5", ".cool", ".mcool",  ".scool"};
constexpr std::array<std::string_view, 2> kValues{"count", "balanced"};
constexpr std::array kOptions{
    ImportOption{"values", kValues, "of a contact map: counts, or counts times the weights of both bins"},
    kTriangleOption};
constexpr FormatInfo kFormat{.id = "hdf5", .name = "HDF5", .endings = kEndings, .options = kOptions};
constexpr std::string_view kSignature("\x89HDF\r\n\x1a\n", 8);

/// A descriptor of the file itself, or of a copy in memory if the bytes come from a pipe or an archive.
class WholeFile {
 public:
  WholeFile(ByteSource& source, JobContext& context)
      : descriptor_(source.descriptor()), booking_(context.memory(), 0, "copy of the file") {
    if (descriptor_ >= 0) return;
    descriptor_ = copy_ = memfd_create("spyctrum-hdf5", MFD_CLOEXEC);
    std::vector<char> bytes(std::size_t{1} << 17U);
    std::uint64_t size = 0;
    while (const std::size_t count = source.read(bytes)) {
      size += count;
      if (size > booked_) {
        booked_ = 2 * size;
        booking_ = Booking(context.memory(), booked_, "copy of the file");
      }
      if (copy_ < 0 || write(copy_, bytes.data(), count) != static_cast<ssize_t>(count))
        throw Failure(ErrorCode::out_of_memory, "The system has no memory for a copy of the file.",
                      "Unpack the file first.");
      context.checkpoint(source.consumed(), source.total());
    }
  }
  ~WholeFile() {
    if (copy_ >= 0) close(copy_);
  }
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
  int copy_ = -1;
  std::uint64_t booked_ = 0;
  Booking booking_;
};

/// A note about the first bins of the chromosomes of a contact map.
std::string parts_text(const std::vector<NamedPart>& parts) {
  constexpr std::size_t kMost = 40;
  std::string text =
      "Rows and columns are bins of " + counted(parts.size(), "chromosome", "chromosomes") + ": ";
  for (std::size_t k = 0; k < std::min(parts.size(), kMost); ++k)
    text += (k == 0 ? "" : ", ") + escaped(parts[k].name) + " from " + grouped(parts[k].begin);
  return text + (parts.size() > kMost ? ", …" : ".");
}

void check_sides(const MatrixInFile& matrix, const std::string& file) {
  if (matrix.rows == 0 || matrix.cols == 0 || std::max(matrix.rows, matrix.cols) > kLargestSide)
    throw Failure(ErrorCode::bad_input,
                  file + ": " + in_quotes(matrix.name) + " has " + grouped(matrix.rows) + " rows and " +
                      grouped(matrix.cols) + " columns; each may be 1 to " + grouped(kLargestSide) + ".",
                  "Check the program that wrote the file.");
}

/// The signature is at byte 0, or after a user block of 512·2^k bytes (in MATLAB's files 512).
Recognition recognise(std::span<const char> head) {
  const std::string_view bytes(head.data(), head.size());
  for (std::size_t at = 0; at < bytes.size(); at = at == 0 ? 512 : 2 * at)
    if (bytes.substr(at).starts_with(kSignature)) return Recognition::certain;
  return Recognition::none;
}

Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context) {
  const std::string file(name);
  const bool balances = import_choice(options, "values") == hdf5::kBalanced;
  const WholeFile whole(source, context);
  SeveralMatrices all(kFormat, name, options);
  std::optional<hdf5::ChildProcess> child(std::in_place, whole.descriptor(), balances, file, context);
  const auto read_child = [&](std::span<char> bytes) { return child->read(bytes); };
  const std::vector<hdf5::ListedMatrix> listed = hdf5::listed_matrices(read_child, file, all);
  std::string usual;
  for (const hdf5::ListedMatrix& one : listed)
    if (one.is_default) usual = one.facts.name;
  const std::string chosen = all.choose(usual).name;
  std::size_t index = 0;
  while (listed[index].facts.name != chosen) ++index;
  const hdf5::ListedMatrix& matrix = listed[index];
  check_sides(matrix.facts, file);
  if (balances && !matrix.has_balance && !options.import_where_known)
    throw Failure(ErrorCode::wrong_use,
                  file + ": " + in_quotes(matrix.facts.name) + " has no balancing weights (bins/weight).",
                  "Leave out --import values=balanced, or balance the map first, with cooler balance.");
  const bool expands = import_choice(options, "triangle") != "stored";
  const Mirror mirror = expands ? mirror_named(matrix.symmetry) : Mirror::none;
  std::string request = std::to_string(index);
  if (options.values == ValueUse::none && !options.drop_zeros) request.append(" ").append(hdf5::kPlaces);
  EntryList entries(options, context);
  const auto answer_to = [&](const std::string& words) {
    child->request(words);
    return hdf5::take_entries(read_child, file, matrix, entries, options, context);
  };
  entries.begin_preview(matrix.facts.rows, matrix.facts.cols, matrix.facts.stored, mirror);
  hdf5::Answer answer = answer_to(request + " " + hdf5::kStored);
  std::optional<Matrix> from_arrays;
  if (!answer.stored.arrays.empty()) {
    child->dismiss();  // the child ends while the arrays are read
    from_arrays = hdf5::matrix_of_arrays(whole.descriptor(), answer.stored, matrix, mirror, options, context);
    if (!from_arrays) {
      child.emplace(whole.descriptor(), balances, file, context);
      SeveralMatrices again(kFormat, name, options);
      (void)hdf5::listed_matrices(read_child, file, again);
      entries.begin_preview(matrix.facts.rows, matrix.facts.cols, matrix.facts.stored, mirror);
      answer = answer_to(request);
    }
  }
  if (matrix.field == "complex") entries.set_complex();
  Matrix read = from_arrays ? *std::move(from_arrays)
                            : std::move(entries).matrix(matrix.facts.rows, matrix.facts.cols, mirror);
  read.report.field = matrix.field;
  read.report.symmetry = matrix.symmetry;
  read.report.entries_in_file = static_cast<std::int64_t>(matrix.facts.stored);
  if (matrix.has_balance) note_assumption(read.report, options, "values", kValues.at(balances ? 1 : 0));
  if (mirror_named(matrix.symmetry) != Mirror::none)
    note_assumption(read.report, options, "triangle", expands ? "expand" : "stored");
  all.report(read.report);
  sort_by_name(read.report.matrices);
  if (!matrix.has_shape)
    read.report.notes.push_back("The file has no shape: " +
                                std::string(matrix.facts.layout == "csr"   ? "columns end"
                                            : matrix.facts.layout == "csc" ? "rows end"
                                                                           : "rows and columns end") +
                                " at the largest index.");
  if (!answer.parts.empty()) read.report.notes.push_back(parts_text(answer.parts));
  read.report.parts = std::move(answer.parts);
  hdf5::ChildProcess::start_next();
  return read;
}

}  // namespace

extern const Reader kReader{kFormat, recognise, read};

}  // namespace spyctrum::hdf5_reader
