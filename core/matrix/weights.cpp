// SPDX-License-Identifier: Apache-2.0
// Computes weights from values, and values from weights.
#include "core/matrix/weights.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/job_context.hpp"
#include "core/base/text.hpp"

namespace spyctrum {

namespace {

using Values = std::vector<float>;

[[noreturn]] void refuse(const Matrix& matrix, Weights weights, const std::string& reason,
                         const std::string& advice) {
  throw Failure(ErrorCode::wrong_use,
                "--weights " + to_string(weights) + ": " + matrix.report.file +
                    (matrix.report.file.empty() ? "" : " ") + reason,
                advice);
}

double median_magnitude(const Values& values) {
  Values sizes;
  sizes.reserve(values.size());
  for (const float value : values)
    if (std::isfinite(value) && value != 0) sizes.push_back(std::abs(value));
  if (sizes.empty()) return 1;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  const double upper = *middle;
  if (sizes.size() % 2 == 1) return upper;
  return (upper + *std::max_element(sizes.begin(), middle)) / 2;
}

double sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

double weight_of(Weights weights, double real, double imaginary, double median) {
  switch (weights) {
    case Weights::pattern:
      return 1;
    case Weights::value:
    case Weights::real:
      return real;
    case Weights::magnitude:
      return std::hypot(real, imaginary);
    case Weights::log:
      return sign_of(real) * std::log1p(std::abs(real) / median);
    case Weights::sign:
      return sign_of(real);
    case Weights::imaginary:
      return imaginary;
    case Weights::phase:
      return real == 0 && imaginary == 0 ? 0 : std::atan2(imaginary, real);
  }
  return 0;
}

void check_values(const Matrix& matrix, Weights weights) {
  if (matrix.values == nullptr)
    refuse(matrix, weights,
           "has no values" + (matrix.report.field.empty() ? "." : " (field " + matrix.report.field + ")."),
           "Use --weights pattern, or a file with values.");
  const bool is_complex = matrix.imaginary != nullptr;
  const bool is_of_real = weights == Weights::value || weights == Weights::log || weights == Weights::sign;
  if (is_complex && is_of_real)
    refuse(matrix, weights, "has complex values.", "Choose real, imaginary, magnitude or phase.");
  if (!is_complex && weights == Weights::imaginary)
    refuse(matrix, weights, "has real values, whose imaginary parts are 0.", "Choose value.");
}

}  // namespace

const std::vector<std::string>& weight_names() {
  static const std::vector<std::string> names{"pattern", "value", "magnitude", "log",
                                              "sign",    "real",  "imaginary", "phase"};
  return names;
}

std::string to_string(Weights weights) { return weight_names().at(static_cast<std::size_t>(weights)); }

Result<Weights> parse_weights(std::string_view text) {
  const auto& names = weight_names();
  const auto found = std::ranges::find(names, text);
  if (found != names.end()) return static_cast<Weights>(found - names.begin());
  return fail(ErrorCode::wrong_use, "There are no weights '" + std::string(text) + "'.",
              "Choose " + joined(names) + ".");
}

void apply_weights(Matrix& matrix, Weights weights, JobContext& context) {
  const auto values = std::exchange(matrix.values, nullptr);
  const auto imaginary = std::exchange(matrix.imaginary, nullptr);
  matrix.report.weights = to_string(weights);
  if (weights == Weights::pattern) return;
  matrix.values = values;
  matrix.imaginary = imaginary;
  check_values(matrix, weights);
  matrix.values = matrix.imaginary = nullptr;
  context.begin_stage("weights");
  const std::size_t count = values->size();
  matrix.pattern->determine_properties(context);
  const Booking booking(context.memory(), matrix.pattern->bytes() + 8 * std::uint64_t{count},
                        "weights of the entries");
  const double median = weights == Weights::log ? median_magnitude(*values) : 1;
  Values made(count);
  std::int64_t left_out = 0;
  bool is_zero = true;
  for (std::size_t t = 0; t < count; ++t) {
    if (t % (std::size_t{1} << 19U) == 0) context.check_stop();
    const float re = (*values)[t];
    const float im = imaginary ? (*imaginary)[t] : 0.0F;
    const auto weight = static_cast<float>(weight_of(weights, re, im, median));
    const bool counts = std::isfinite(re) && std::isfinite(im) && std::isfinite(weight);
    made[t] = counts ? weight : 0.0F;
    left_out += counts ? 0 : 1;
    is_zero = is_zero && made[t] == 0;
  }
  if (left_out != 0)
    matrix.report.notes.push_back(std::to_string(left_out) + (left_out == 1 ? " entry is" : " entries are") +
                                  " NaN, infinite or beyond single precision and " +
                                  (left_out == 1 ? "has" : "have") + " the weight 0.");
  if (is_zero) {
    const bool lost = matrix.report.values && matrix.report.values->beyond_single != 0;
    refuse(matrix, weights,
           lost ? "has no weight other than 0 within single precision, 1.4e-45 to 3.4e38."
                : "has no weight other than 0: its spectrum is zero everywhere.",
           lost ? "Scale its values." : "Choose other weights.");
  }
  const auto zeros_before = std::ranges::count(made, 0.0F);
  matrix.pattern = std::make_shared<const SparsePattern>(matrix.pattern->with_weights(std::move(made)));
  const auto vanished = std::ranges::count(matrix.pattern->weights(), 0.0F) - zeros_before;
  if (vanished != 0)
    matrix.report.notes.push_back(std::to_string(vanished) + (vanished == 1 ? " entry is" : " entries are") +
                                  " below 1e-45 of the root mean square of all weights and " +
                                  (vanished == 1 ? "counts" : "count") + " as 0.");
}

Matrix with_weights_as_values(Matrix matrix) {
  const PatternPtr weighted = matrix.pattern;
  if (!weighted->has_weights()) return matrix;
  std::vector<float> values;
  values.reserve(weighted->weights().size());
  for (const float weight : weighted->weights())
    values.push_back(std::ldexp(weight, weighted->weight_exponent()));
  matrix.pattern = std::make_shared<const SparsePattern>(weighted->without_weights());
  matrix.values = std::make_shared<const std::vector<float>>(std::move(values));
  matrix.report.field = "real";
  return matrix;
}

void require_no_weights(const SparsePattern& pattern, std::string_view what) {
  if (pattern.has_weights())
    throw Failure(ErrorCode::wrong_use,
                  std::string(what) + " are defined for patterns only, and this matrix has weights.",
                  "Use --weights pattern.");
}

}  // namespace spyctrum
