// SPDX-License-Identifier: Apache-2.0
// The Matrix Market reader, for the registry.
#pragma once

#include <memory>

#include "core/io/reader.hpp"

namespace spyctrum {

/// Coordinate and array; pattern, integer, real, complex; general, symmetric,
/// skew-symmetric, hermitian. Blocks of lines are parsed on all threads of the
/// job while one of them reads on.
[[nodiscard]] std::unique_ptr<Reader> make_matrix_market_reader();

}  // namespace spyctrum
