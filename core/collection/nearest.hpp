// SPDX-License-Identifier: Apache-2.0
// The matrices of a collection that are nearest to a signature, and which parts of the signatures agree.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/collection/signature.hpp"

namespace spyctrum {

/// Parts whose weighted distance is at most this agree: for a distribution a Hellinger distance of 0.1; for
/// the size, one of its three numbers different by a factor of 1.17; for the counts, one number by 1.6.
inline constexpr float kAgreement = 0.1F;

struct Neighbour {
  std::size_t row = 0;  ///< index in Database::matrices() and CollectionTable::matrices
  SignatureDistance found;
};

/// The `count` nearest of `signatures` (kSignatureSize values each), nearest first, by an exact scan.
[[nodiscard]] std::vector<Neighbour> nearest(const Signature& query, std::span<const float> signatures,
                                             std::size_t count, ThreadPool& pool,
                                             const SignatureUse& use = {});

/// "agrees: rings 0.02, sectors 0.01; differs: strongest lines 0.31": the parts of the view that determines
/// the distance, with their weighted distances.
[[nodiscard]] std::string reason_text(const SignatureDistance& found);

}  // namespace spyctrum
