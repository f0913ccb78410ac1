// SPDX-License-Identifier: Apache-2.0
// Thumbnails for lists of matrices, kept from one start to the next in a collection of their own. The cache
// finds a matrix by its file's name, size and time, and thumbnails by the pattern: a changed file is read
// again, and a copy of a file shares its thumbnails.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/collection/fingerprint.hpp"

namespace spyctrum {

/// A larger cache, which has thumbnails of some thousand matrices, is deleted and begun anew.
inline constexpr std::uint64_t kMostCacheBytes = std::uint64_t{64} << 20U;
/// Larger files are not read for a thumbnail.
inline constexpr std::uint64_t kMostThumbnailFileBytes = std::uint64_t{256} << 20U;

/// By source; null: the matrix cannot be read, or its file is too large.
using ThumbnailMap = std::map<std::string, std::shared_ptr<const Thumbnails>>;

/// The thumbnails of all of `sources` (paths, and PATH::NAME) that `cache` has and whose files are unchanged.
/// If it has none of them, reads the first source, as load_matrix() does, and returns its thumbnails alone: a
/// caller repeats the call with the sources that are still missing.
///
/// `cache`: the file of the collection, created if it does not exist; a damaged, foreign or too large file is
/// deleted and made anew. Empty: nothing is kept. If the cache cannot be used (a full disk, a lock), the
/// thumbnail is made all the same. Throws Failure{cancelled}.
[[nodiscard]] ThumbnailMap find_or_make_thumbnails(const std::string& cache,
                                                   const std::vector<std::string>& sources,
                                                   JobContext& context);

}  // namespace spyctrum
