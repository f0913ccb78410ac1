// SPDX-License-Identifier: Apache-2.0
// What an entry of a matrix counts as in F[u,v] = Σ_t a_t e^{−2πi(u i_t/m + v j_t/n)}: 1, or a real weight
// that follows from its value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

class JobContext;

/// The weight a_t of an entry with the value z.
enum class Weights {
  pattern,    ///< 1
  value,      ///< z, of real values
  magnitude,  ///< |z|
  log,  ///< sign(z)·ln(1 + |z|/μ) of real values, μ the median of the |z| that are neither zero nor left out
  sign,       ///< −1, 0 or 1, of real values
  real,       ///< Re z
  imaginary,  ///< Im z, of complex values
  phase,      ///< arg z in (−π, π], 0 for z = 0
};

/// "pattern", "value", …
[[nodiscard]] std::string to_string(Weights weights);
/// All names, in the order of the enumerators.
[[nodiscard]] const std::vector<std::string>& weight_names();
/// Errors: wrong_use, naming the possible words.
[[nodiscard]] Result<Weights> parse_weights(std::string_view text);

/// Gives the entries of `matrix.pattern` their weights, from matrix.values and imaginary, which are released,
/// and sets report.weights. A value that is NaN, infinite or beyond single precision has the weight 0; a note
/// of the report counts them. Duplicates were added by the reader, before `weights` is taken of the sum.
/// Throws Failure{wrong_use} where the matrix has no values, the weight is not defined for them, or all
/// weights are zero; {out_of_memory}.
void apply_weights(Matrix& matrix, Weights weights, JobContext& context);

/// The matrix with its weights as Matrix::values and a pattern without them; one without weights as it is.
[[nodiscard]] Matrix with_weights_as_values(Matrix matrix);

/// For what is defined for patterns alone: throws Failure{wrong_use} where the matrix has weights. `what`
/// begins the sentence: "The theory's bounds".
void require_no_weights(const SparsePattern& pattern, std::string_view what);

}  // namespace spyctrum
