// SPDX-License-Identifier: Apache-2.0
// The weight a_t of an entry in F[u,v] = Σ_t a_t e^{−2πi(u i_t/m + v j_t/n)}: 1, or a real number computed
// from its value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

class JobContext;

/// The weight a_t of an entry with the value z.
enum class Weights {
  pattern,    ///< 1, for all matrices
  value,      ///< z, for real values
  magnitude,  ///< |z|
  /// sign(z)·ln(1 + |z|/μ) for real values; μ: the median of the |z| that are finite and not zero
  log,
  sign,       ///< −1, 0 or 1, for real values
  real,       ///< Re z
  imaginary,  ///< Im z, for complex values
  phase,      ///< arg z in (−π, π], 0 for z = 0
};

/// "pattern", "value", …
[[nodiscard]] std::string to_string(Weights weights);
/// All names, in the order of the enumerators.
[[nodiscard]] const std::vector<std::string>& weight_names();
/// The weights with this name. Errors: wrong_use, naming the possible names.
[[nodiscard]] Result<Weights> parse_weights(std::string_view text);

/// Gives the entries of `matrix.pattern` their weights, computed from matrix.values and matrix.imaginary
/// (which are released), and sets report.weights. Values that are NaN, infinite or beyond single precision
/// get the weight 0; a note of the report counts them. The reader has already added duplicates; the weight is
/// computed from the sum. Throws Failure{wrong_use} if the matrix has no values, if the weight is not defined
/// for them, or if all weights are zero; {out_of_memory}.
void apply_weights(Matrix& matrix, Weights weights, JobContext& context);

/// Returns the matrix with its weights as Matrix::values and a pattern without weights; a matrix without
/// weights unchanged.
[[nodiscard]] Matrix with_weights_as_values(Matrix matrix);

/// For quantities that are defined for patterns only: throws Failure{wrong_use} if the matrix has weights.
/// `what` begins the sentence of the message: "The theory's bounds".
void require_no_weights(const SparsePattern& pattern, std::string_view what);

}  // namespace spyctrum
