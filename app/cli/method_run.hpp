// SPDX-License-Identifier: Apache-2.0
// Turns --method, --block and --set into a request, and results into lines and JSON fields.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/commands.hpp"
#include "core/base/counts_text.hpp"
#include "core/methods/method.hpp"

namespace spyctrum::cli {

struct Chosen {
  const Method* method = nullptr;
  ResolvedParameters parameters;
};

/// Throws Failure{wrong_use} naming the methods or parameters that exist.
[[nodiscard]] Chosen choose(const MethodOptions& options, const Session& session);
[[nodiscard]] bool has_parameter(const Method& method, std::string_view name);
/// The block sizes as typed. Throws Failure{wrong_use} if one is not within 1 … kLargestBlock.
[[nodiscard]] std::vector<std::uint32_t> block_sizes(const std::vector<std::int64_t>& typed);
/// A request on the backend of the session.
[[nodiscard]] ResolvedRequest request_for(Session& session, const PatternPtr& pattern,
                                          const ResolvedParameters& parameters);
/// height×width coefficients from signed frequency (u, v) in steps (step_u, step_v).
struct Window {
  std::int64_t u = 0, v = 0, height = 1, width = 1, step_u = 1, step_v = 1;
  [[nodiscard]] FrequencyGrid of(const SparsePattern& pattern) const;
};
/// Parses "U0,V0,H,W[,SU,SV]"; empty for empty text. Throws Failure{wrong_use}.
[[nodiscard]] std::optional<Window> parse_window(const std::string& text);

/// The value, or null if there is none.
template <class T>
[[nodiscard]] Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
/// Fields file, rows, cols, nonzeros, and those of add_weights().
[[nodiscard]] Json matrix_fields(const Matrix& matrix);
/// All fields of `info --json`, which `convert` prints as well (info.cpp).
[[nodiscard]] Json info_fields(const Matrix& matrix);
/// Adds the field weights and, unless they are those of the pattern, weight_sum Σa and weight_squares Σa².
void add_weights(Json& object, const Matrix& matrix);
/// The factor, a power of two, from the spectrum's coefficients (powers) to those of the weights: 1 for a
/// pattern. Throws Failure{wrong_use} if the products exceed single precision.
[[nodiscard]] double scale_of(const Spectrum& spectrum, bool is_power);
/// Adds the fields samples and zero_share, and one field for each entry of kFeatureTable, in its order.
void add_features(Json& object, const Features& features);
/// Adds the provenance of a result: fields backend, device, seconds, bytes, seed, version.
void add_provenance(Json& object, const Matrix& matrix, const Provenance& from);
/// The block size of a result, or null for methods without one.
[[nodiscard]] Json block_json(const Method& method, const Spectrum& spectrum);

/// Says on standard error that every coefficient of the plane is computed, where that takes minutes or more;
/// `advice` follows.
void note_whole_plane(const Session& session, const SparsePattern& pattern, const std::string& advice);
/// A count that is an estimate, in whole numbers: 250,000, not 2.5e+05.
[[nodiscard]] std::string count_text(double count);
/// `text` padded with blanks to `width` characters; at least one blank.
[[nodiscard]] std::string padded(const std::string& text, std::size_t width);
/// Names and values that every export records: file, method, parameters, seed, version, exactness.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> export_text(const Matrix& matrix,
                                                                           const Spectrum& spectrum);

}  // namespace spyctrum::cli
