// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy, an array of two dimensions: a dense matrix, whose entries are the elements that are not zero,
// or a list of edges (edge_arrays.hpp). The header is read by numpy_array.hpp.
#include <array>

#include "core/base/counts_text.hpp"
#include "core/io/binary_file.hpp"
#include "core/io/numpy/compressed_arrays.hpp"
#include "core/io/numpy/edge_arrays.hpp"
#include "core/io/numpy/npy_file.hpp"
#include "core/io/text_reader.hpp"

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
    return reported(matrix_of_edges(array, {}, options, context), array, true, options);
  }
  DenseEntries entries(array, options, context);
  read_npy_pieces(file, array, [&](std::uint64_t first) { entries.add(array, 0, array.size(), first); });
  return reported(std::move(entries).matrix(), array, false, options);
}

}  // namespace

extern const Reader kReader{kFormat, recognise, read};

}  // namespace spyctrum::npy_reader
