// SPDX-License-Identifier: Apache-2.0
// Matrices made here: samples, tests with a known spectrum, and stand-ins of
// any size. `gen:KIND:key=value,…` means the same on the command line, in the
// desktop program and in sessions.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/job_context.hpp"
#include "core/matrix/generator_info.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// All kinds: diagonal, band, block-diagonal, checkerboard, circulant, arrow,
/// laplacian-2d, laplacian-3d, random, power-law (Chung–Lu), rmat
/// (R-MAT/Kronecker), stochastic-blocks.
[[nodiscard]] const std::vector<GeneratorInfo>& generators();

[[nodiscard]] bool is_generator_text(std::string_view text);

/// "gen:KIND:key=value,…" → matrix. Errors: wrong_use naming the kind or key
/// and what is possible; bad_input where sizes make no sense; cancelled;
/// out_of_memory.
[[nodiscard]] Result<Matrix> generate(std::string_view text, JobContext& context);

}  // namespace spyctrum
