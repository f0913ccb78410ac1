// SPDX-License-Identifier: Apache-2.0
// The messages that the child process (child/) writes to its pipe. Both ends are the same version of the
// program on the same machine, so numbers are in the machine's byte order; the reader trusts none of them.
//
// A message is a MessageHead and `bytes` bytes. `spyctrum-hdf5 list` sends one `matrix` for each matrix of
// the file, one `left_out` for each array that is not a matrix, and `end`. `spyctrum-hdf5 read K` sends, for
// the K-th matrix of that list (from 0), a `part` for each named range of its rows, then `entries` until all
// are sent, and `end`. `error` ends either answer. With the argument `balanced`, counts of contact maps are
// multiplied by the balancing weights of their bins. With `places` after `read K`, values are not sent;
// instead the number of explicit `zeros` is sent before `end`.
#pragma once

#include <cstddef>
#include <cstdint>

namespace spyctrum::hdf5 {

enum class Message : std::uint32_t {
  matrix = 1,    ///< MatrixHead; then, each ended by a zero byte: name, layout, field, symmetry
  left_out = 2,  ///< two texts, each ended by a zero byte: the array's name, and why it is no matrix
  entries = 3,   ///< EntriesHead, rows u32[count], columns u32[count], values f64[count × parts]
  error = 4,     ///< a sentence for the user
  end = 5,       ///< nothing
  part = 6,      ///< the first row u64, a text ended by a zero byte
  zeros = 7,     ///< entries with the value zero u64
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

/// Flags of MatrixHead: the main matrix of the file, such as X of AnnData; the matrix has balancing weights.
inline constexpr std::uint64_t kIsDefault = 1;
inline constexpr std::uint64_t kHasBalance = 2;
/// The largest number of parts of one matrix, such as chromosomes of a contact map.
inline constexpr std::size_t kMostParts = 1000;
/// Optional arguments (see above): balanced values; no values.
inline constexpr const char* kBalanced = "balanced";
inline constexpr const char* kPlaces = "places";

struct EntriesHead {
  std::uint32_t count;
  std::uint32_t parts;  ///< numbers per value: 0 for a pattern, 1, or 2 for complex values
};
inline constexpr std::uint32_t kEntriesAtOnce = std::uint32_t{1} << 16U;

// The child's descriptors beside 0 to 2, which are /dev/null.
inline constexpr int kFileDescriptor = 3;
inline constexpr int kPipeDescriptor = 4;

/// Limits of the child's processor time. A list takes milliseconds; reading unpacks all entries.
inline constexpr std::uint64_t kListSeconds = 60;
inline constexpr std::uint64_t kReadSeconds = 600;

/// The child's program, in lib/spyctrum/.
inline constexpr const char* kChildName = "spyctrum-hdf5";

}  // namespace spyctrum::hdf5
