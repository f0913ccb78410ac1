// SPDX-License-Identifier: Apache-2.0
// The signature of a pattern: a vector of numbers by which similar matrices are found. Its parts describe the
// spectrum of the matrix as stored (rings, sectors, lines, local spectra of blocks at three scales), the
// matrix in a canonical order (reverse Cuthill–McKee, by degree), which a permutation hardly changes, and its
// counts. README.md defines each part; tests/bench/similar_bench.cpp evaluates them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/spectrum/features.hpp"

namespace spyctrum {

// Local spectra: the power of the two-dimensional DFT of 32 × 32 cells of a matrix, by rings and sectors. A
// cell contains the number of entries in c × c positions, so that the same transform covers 32 c rows and
// columns.
inline constexpr std::size_t kBlockSide = 32;
inline constexpr std::size_t kBlockRings = 4;
inline constexpr std::size_t kBlockShares = kBlockRings * kSectors;

/// Square roots of the shares of non-DC power: value r·kSectors + k is of ring r, 4r ≤ √(u²+v²) < 4r + 4 (the
/// last ring ends at the corner), and sector k as in core/features. All zero if there is no such power.
using BlockShares = std::array<float, kBlockShares>;

/// Shares of the power summed over `blocks` blocks of 32·cell rows and columns around entries drawn with
/// `seed`; the power of each block is divided by its number of entries. Throws Failure{cancelled}.
[[nodiscard]] BlockShares local_shares(const SparsePattern& pattern, std::uint64_t cell, std::size_t blocks,
                                       std::uint64_t seed, JobContext& context);
/// Shares of the whole matrix in 32 × 32 cells of equal shape. If `rows` and `cols` are not empty, entry
/// (i, j) is first moved to (rows[i], cols[j]). Throws Failure{cancelled}.
[[nodiscard]] BlockShares whole_shares(const SparsePattern& pattern, const std::vector<Index>& rows,
                                       const std::vector<Index>& cols, JobContext& context);

/// Changes whenever the definition of a part, or of the fingerprint around it, changes: signatures of
/// different versions are not compared.
inline constexpr int kSignatureVersion = 1;

/// The description of a matrix to which a part belongs.
enum class SignatureView : std::uint8_t {
  common,     ///< does not depend on the order of rows and columns
  stored,     ///< the matrix as stored
  canonical,  ///< the matrix in a canonical order
};

/// How the values of a part change when the matrix is transposed.
enum class TransposeRule : std::uint8_t {
  same,       ///< not at all
  halves,     ///< first and second half change places
  first_two,  ///< the first two values change places
  sectors,    ///< groups of kSectors values: sector k becomes (4 − k) mod 8
};

struct SignaturePart {
  std::string_view id;     ///< "radial"
  std::string_view label;  ///< for the user, in reasons
  SignatureView view;
  TransposeRule rule;
  std::size_t size;    ///< number of values
  float weight;        ///< of the squared Euclidean distance of the part
  float most = 1e30F;  ///< upper bound of the weighted squared distance
};

inline constexpr std::size_t kLevels = 7;  ///< numbers that describe the counts of one axis

/// The parts, in the order of the values. Shares are stored as square roots, so that half the squared
/// Euclidean distance of two distributions is their squared Hellinger distance.
inline constexpr std::array kSignatureParts{
    SignaturePart{"size", "size", SignatureView::common, TransposeRule::first_two, 3, 0.2F, 0.1F},
    SignaturePart{"counts", "counts of rows and columns", SignatureView::common, TransposeRule::halves,
                  2 * kLevels, 0.02F},
    SignaturePart{"radial", "rings", SignatureView::stored, TransposeRule::same, kRadialBins, 0.5F},
    SignaturePart{"sectors", "sectors", SignatureView::stored, TransposeRule::sectors, kSectors, 0.5F},
    SignaturePart{"lines", "strongest lines", SignatureView::stored, TransposeRule::first_two, 4, 1.0F},
    SignaturePart{"numbers", "entropy, low frequencies, flatness", SignatureView::stored, TransposeRule::same,
                  3, 0.3F},
    SignaturePart{"blocks-1", "local spectra of 32 × 32 entries", SignatureView::stored,
                  TransposeRule::sectors, kBlockShares, 0.5F},
    SignaturePart{"blocks-8", "local spectra of 256 × 256 entries", SignatureView::stored,
                  TransposeRule::sectors, kBlockShares, 0.5F},
    SignaturePart{"whole", "spectrum of the whole in 32 × 32 cells", SignatureView::stored,
                  TransposeRule::sectors, kBlockShares, 0.5F},
    SignaturePart{"rcm", "spectrum in reverse Cuthill–McKee order", SignatureView::canonical,
                  TransposeRule::sectors, kBlockShares, 0.5F},
    SignaturePart{"band", "distances from the diagonal in that order", SignatureView::canonical,
                  TransposeRule::same, 5, 1.0F},
    SignaturePart{"degree", "spectrum in the order of degrees", SignatureView::canonical,
                  TransposeRule::sectors, kBlockShares, 0.5F},
};

/// First value of each part, and their number at the end.
inline constexpr auto kSignatureOffsets = [] {
  std::array<std::size_t, kSignatureParts.size() + 1> offsets{};
  for (std::size_t p = 0; p < kSignatureParts.size(); ++p)
    offsets[p + 1] = offsets[p] + kSignatureParts[p].size;
  return offsets;
}();
inline constexpr std::size_t kSignatureSize = kSignatureOffsets.back();

using Signature = std::array<float, kSignatureSize>;

/// The signature of a pattern with these features. Takes O(K log K) steps and about the bytes of three copies
/// of the pattern. Blocks are drawn by the context's seed. Throws Failure{cancelled}, Failure{out_of_memory}.
[[nodiscard]] Signature signature_of(const SparsePattern& pattern, const Features& features,
                                     JobContext& context);

/// The signature of the transposed matrix, up to the choice of blocks.
[[nodiscard]] Signature transposed(const Signature& signature);

/// The parts that a comparison uses. For evaluation; `similar` uses the default.
struct SignatureUse {
  bool stored = true;
  bool canonical = true;
  bool transposed = true;  ///< also compares the transpose
};

/// Weighted distances of two signatures.
struct SignatureDistance {
  float distance = 0;  ///< √min(common² + stored², 5·common² + canonical²)
  std::array<float, kSignatureParts.size()> parts{};  ///< weighted distance of each part
  bool transposed = false;                            ///< the transpose is nearer than the matrix itself
  SignatureView view = SignatureView::stored;         ///< the view that determines the distance
};
[[nodiscard]] SignatureDistance distance_between(const Signature& a, const Signature& b,
                                                 const SignatureUse& use = {});

/// The distances alone of `query` to `count` signatures, one after the other in `all`: an exact scan on the
/// pool.
[[nodiscard]] std::vector<float> distances_to_all(const Signature& query, std::span<const float> all,
                                                  ThreadPool& pool, const SignatureUse& use = {});

}  // namespace spyctrum
