// SPDX-License-Identifier: Apache-2.0
// Generated matrices: samples, matrices with a known spectrum for tests, and random models of any size. A
// text gen:KIND:key=value,… means the same matrix on the command line, in the desktop program and in
// sessions, on every machine. README.md lists the kinds with their definitions and sources.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/job_context.hpp"
#include "core/matrix/generator_info.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// All kinds, in the order in which they are listed.
[[nodiscard]] const std::vector<GeneratorInfo>& generators();

/// Whether the text begins with "gen:".
[[nodiscard]] bool is_generator_text(std::string_view text);

/// Makes the matrix of a text gen:KIND:key=value,…; if the text has no seed, the job's seed is used.
/// `with_values`: also sets Matrix::values, for kinds that have values. Errors: wrong_use for an unknown kind
/// or key, a value out of range, or contradicting values, naming the possible ones; cancelled; out_of_memory.
[[nodiscard]] Result<Matrix> generate(std::string_view text, JobContext& context, bool with_values = false);

}  // namespace spyctrum
