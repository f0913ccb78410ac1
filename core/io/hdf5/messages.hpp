// SPDX-License-Identifier: Apache-2.0
// The messages that the child process (child/) writes to its socket. Both ends are the same version of the
// program on the same machine, so numbers are in the machine's byte order; the reader trusts none of them.
//
// First the child receives the open file (SCM_RIGHTS) with a line "BYTES [balanced]": BYTES is the memory
// that it may use; if `balanced`, it multiplies the counts of contact maps by the balancing weights of their
// bins.
//
// A message is a MessageHead and `bytes` bytes. The child sends the list: one `matrix` for each matrix of the
// file, one `left_out` for each array that is not a matrix, and `end`. Then it answers requests, each a line
// of words in the socket, until the socket is closed. A request begins with the number K of a matrix in the
// list, from 0. The answer is a `part` for each named range of its rows, `entries` until all are sent, and
// `end`. An `error` ends the list or an answer, and the child. The words after K:
//   places   values are not sent; the number of explicit `zeros` is sent before `end`
//   stored   instead of entries the answer names the arrays of a matrix of compressed rows or columns, if the
//            program can read them itself: a `stored` for indptr, indices and data, each followed by its
//            `pieces`; a `value` in place of data if all values are the same, nothing if there are none
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace spyctrum::hdf5 {

enum class Message : std::uint32_t {
  matrix = 1,    ///< MatrixHead; then, each ended by a zero byte: name, layout, field, symmetry
  left_out = 2,  ///< two texts, each ended by a zero byte: the array's name, and why it is not a matrix
  entries = 3,   ///< EntriesHead, rows u32[count], columns u32[count], values f64[count × numbers_per_value]
  error = 4,     ///< a sentence for the user
  end = 5,       ///< nothing
  part = 6,      ///< the first row u64, a text ended by a zero byte
  zeros = 7,     ///< entries with the value zero u64
  stored = 8,    ///< StoredHead
  pieces = 9,    ///< PieceHead[], of the array before
  value = 10,    ///< the value of all entries: f64, or two for a complex one
};

struct MessageHead {
  Message kind;
  std::uint32_t bytes;  ///< at most kMostBytes
};
inline constexpr std::uint32_t kMostBytes = std::uint32_t{1} << 22U;

struct MatrixHead {
  std::uint64_t rows, cols;
  std::uint64_t stored;  ///< entries as the file stores them; of a dense matrix, all elements
  std::uint64_t flags;
};

/// Flags of MatrixHead: the main matrix of the file, such as X of AnnData; the matrix has balancing weights;
/// its sides are those that its indices need, since no shape is stored; it is read only if the user names it.
inline constexpr std::uint64_t kIsDefault = 1;
inline constexpr std::uint64_t kHasBalance = 2;
inline constexpr std::uint64_t kHasNoShape = 4;
inline constexpr std::uint64_t kIfNamed = 8;
/// In a text why an array is no matrix: its compression is one that the child does not unpack.
inline constexpr const char* kNotUnpacked = ", which this program does not unpack";
/// The largest number of parts of one matrix, such as chromosomes of a contact map.
inline constexpr std::size_t kMostParts = 1000;
/// Words of the first line and of requests (see above).
inline constexpr const char* kBalanced = "balanced";
inline constexpr const char* kPlaces = "places";
inline constexpr const char* kStored = "stored";

enum class Role : std::uint32_t { indptr = 0, indices = 1, data = 2 };
/// An array in pieces of `piece` elements; of the last piece only those up to `elements` count. If
/// `is_shuffled`, a piece has the first bytes of all its elements, then the second ones, and so on (HDF5's
/// filter 2); if `is_deflated`, it is then packed by zlib (filter 1). Elements are in the machine's byte
/// order.
struct StoredHead {
  Role role;
  std::uint32_t kind;   ///< 'i', 'u' or 'f', as NumPy's
  std::uint32_t width;  ///< 1, 2, 4 or 8 bytes
  std::uint32_t is_shuffled, is_deflated;
  std::uint32_t by_rows;  ///< of the matrix
  std::uint64_t elements, piece;
};
struct PieceHead {
  std::uint64_t at, bytes;  ///< in the file
};
/// An array of one dimension in the file.
struct StoredArray {
  StoredHead head{};
  std::vector<PieceHead> pieces;
};
/// The answer to a request with `stored`.
struct StoredMatrix {
  std::vector<StoredArray> arrays{};
  std::vector<double> value{};  ///< one number, or two, if all values are the same
};
/// The largest piece in bytes, packed and unpacked; an array that is one unpacked piece may be larger.
inline constexpr std::uint64_t kMostPieceBytes = std::uint64_t{16} << 20U;

struct EntriesHead {
  std::uint32_t count;
  std::uint32_t numbers_per_value;  ///< 0 for a pattern, 1, or 2 for complex values
};
inline constexpr std::uint32_t kEntriesAtOnce = std::uint32_t{1} << 16U;

// The child's descriptors beside 0 to 2, which are /dev/null. The file comes through the socket and gets the
// lowest number that is free.
inline constexpr int kFileDescriptor = 3;
inline constexpr int kSocketDescriptor = 4;

/// Limits of the child's processor time, for the list of a file of this size and in all: a damaged file can
/// make the HDF5 library compute without end. A list takes milliseconds, one of 20,000 matrices in 22 MB up
/// to 4 s; unpacking of all entries takes longer.
constexpr std::uint64_t most_list_seconds(std::uint64_t file_bytes) {
  return std::min<std::uint64_t>(60, 4 + (file_bytes >> 20U));
}
inline constexpr std::uint64_t kMostSeconds = 600;

/// The file name of the child's program, in lib/spyctrum/.
inline constexpr const char* kChildName = "spyctrum-hdf5";

}  // namespace spyctrum::hdf5
