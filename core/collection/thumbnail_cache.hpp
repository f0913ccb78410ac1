// SPDX-License-Identifier: Apache-2.0
// Thumbnails for lists of matrices, kept from one start to the next in a collection of their own. A matrix is
// known by its file's name, size and time, and its pictures by its pattern: a file that was changed is read
// again, and a copy costs no more than a row.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/collection/fingerprint.hpp"

namespace spyctrum {

/// A larger cache is begun anew: it then holds some thousand matrices.
inline constexpr std::uint64_t kMostCacheBytes = std::uint64_t{64} << 20U;
/// Larger files are not read for a thumbnail.
inline constexpr std::uint64_t kMostThumbnailFileBytes = std::uint64_t{256} << 20U;

/// By source; null: the matrix cannot be read, or its file is too large.
using ThumbnailMap = std::map<std::string, std::shared_ptr<const Thumbnails>>;

/// Thumbnails of those of `sources` (paths, and PATH::NAME) that `cache` has for the files as they are now.
/// If there are none, reads the first source, as load_matrix() does, and returns its thumbnails alone. So a
/// caller that requests again what is missing receives everything that is known first, and then one by one.
///
/// `cache`: the file of the collection, created if it does not exist; a damaged, foreign or too large one is
/// deleted and made anew. Empty: nothing is kept. Where the cache cannot be used (a full disk, a lock), the
/// thumbnail is made all the same. Throws Failure{cancelled}.
[[nodiscard]] ThumbnailMap find_or_make_thumbnails(const std::string& cache,
                                                   const std::vector<std::string>& sources,
                                                   JobContext& context);

}  // namespace spyctrum
