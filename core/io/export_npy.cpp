// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy, format version 1.0, whose headers have less than 64 kB, and .npz, a ZIP archive of
// uncompressed .npy members.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include <bit>

#include "core/io/export.hpp"
#include "core/io/stored_zip.hpp"

namespace spyctrum {

namespace {

static_assert(std::endian::native == std::endian::little,
              "arrays are written as they lie in memory: little-endian");

std::uint64_t item_bytes(const std::string& descr) {
  if (descr.size() < 3) throw Failure(ErrorCode::internal, "npy: '" + descr + "' is not an element type.");
  return std::stoull(descr.substr(2));
}

std::uint64_t bytes_of(const NpyArray& array) {
  std::uint64_t bytes = item_bytes(array.descr);
  for (const std::uint64_t side : array.shape) bytes *= side;
  return bytes;
}

/// The bytes of a .npy file before its elements.
std::string npy_header(const std::string& descr, const std::vector<std::uint64_t>& shape) {
  std::string sides;
  for (const std::uint64_t side : shape) sides += std::to_string(side) + (shape.size() == 1 ? "," : ", ");
  if (shape.size() > 1) sides.resize(sides.size() - 2);
  const std::string text = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + sides + "), }";
  constexpr std::size_t kPrefix = 10;  // magic string, version, 16-bit length of the rest
  constexpr std::size_t kAlign = 64;   // so that the data can be memory-mapped
  const std::size_t padding = kAlign - (kPrefix + text.size() + 1) % kAlign;
  const std::size_t length = text.size() + padding % kAlign + 1;
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(length & 0xFFU);
  header += static_cast<char>(length >> 8U);
  return header + text + std::string(padding % kAlign, ' ') + '\n';
}

/// The header of an array. Throws Failure{internal} if its shape needs another number of bytes than it has.
std::string header_of(const NpyArray& array) {
  const std::uint64_t bytes = bytes_of(array);
  if (!array.pieces && bytes != array.bytes.size())
    throw Failure(ErrorCode::internal, "npy: this shape of " + array.descr + " needs " +
                                           std::to_string(bytes) + " bytes, " +
                                           std::to_string(array.bytes.size()) + " were given.");
  return npy_header(array.descr, array.shape);
}

/// Errors as for header_of().
std::uint64_t file_bytes(const NpyArray& array) { return header_of(array).size() + bytes_of(array); }

void put_elements(const NpyArray& array, const std::function<bool(std::span<const std::byte>)>& put) {
  if (array.pieces)
    array.pieces(put);
  else
    put(array.bytes);
}

}  // namespace

Result<void> write_npy(const std::string& path, const NpyArray& array, const std::stop_token& stop) {
  if (auto room = run_guarded([&] { or_throw(check_room(path, file_bytes(array))); }); !room) return room;
  return write_atomically(
      path,
      [&](std::ostream& out) {
        const std::string header = header_of(array);
        out.write(header.data(), static_cast<std::streamsize>(header.size()));
        put_elements(array, [&](std::span<const std::byte> bytes) {
          out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
          return bool{out};
        });
      },
      stop);
}

void write_npz_bytes(std::ostream& out, const std::vector<std::pair<std::string, NpyArray>>& members) {
  StoredZip zip(out);
  for (const auto& [name, array] : members) {
    const std::string header = header_of(array);
    zip.begin_member(name + ".npy", header.size() + bytes_of(array));
    zip.put(std::as_bytes(std::span(header)));
    put_elements(array, [&](std::span<const std::byte> bytes) { return zip.put(bytes); });
    if (!out) return;
    zip.end_member();
  }
  zip.finish();
}

Result<void> write_npz(const std::string& path, const std::vector<std::pair<std::string, NpyArray>>& members,
                       const std::stop_token& stop) {
  Result<void> room = run_guarded([&] {
    std::uint64_t bytes = 0;
    for (const auto& [name, array] : members) bytes += file_bytes(array);
    or_throw(check_room(path, bytes));
  });
  if (!room) return room;
  return write_atomically(
      path, [&](std::ostream& out) { write_npz_bytes(out, members); }, stop);
}

Result<void> write_points(const std::string& path, std::span<const std::int32_t> u,
                          std::span<const std::int32_t> v, std::span<const std::complex<float>> values,
                          std::span<const float> weights, std::string_view provenance,
                          const std::stop_token& stop) {
  if (!path.ends_with(".npz")) {
    return fail(ErrorCode::wrong_use, path + ": scattered values form no plane.",
                "Write a .npz (u, v, values, weights), ask for a window, or reconstruct the plane.");
  }
  const std::vector<std::int64_t> rows(u.begin(), u.end());
  const std::vector<std::int64_t> cols(v.begin(), v.end());
  const std::uint64_t count = values.size();
  return write_npz(path,
                   {{"values", npy_of(values, {count})},
                    {"u", npy_of(std::span(rows), {count})},
                    {"v", npy_of(std::span(cols), {count})},
                    {"weights", npy_of(weights, {count})},
                    {"provenance", npy_text(provenance)}},
                   stop);
}

}  // namespace spyctrum
