// SPDX-License-Identifier: Apache-2.0
// Turns --method, --block and --set into a request, and results into JSON fields.
#pragma once

#include <string>

#include "app/cli/commands.hpp"
#include "core/methods/method.hpp"

namespace spyctrum::cli {

struct Chosen {
  const Method* method = nullptr;
  ParameterValues parameters;
};

/// Errors: wrong_use naming the methods or parameters that exist.
[[nodiscard]] Result<Chosen> choose(const MethodOptions& options, const Session& session);

/// "U0,V0,H,W[,SU,SV]" → H×W coefficients from signed frequency (U0, V0) in steps (SU, SV).
[[nodiscard]] Result<FrequencyGrid> parse_window(const std::string& text, const SparsePattern& pattern);

[[nodiscard]] Json seconds_json(double load, const Provenance& provenance);
[[nodiscard]] Json bytes_json(const Provenance& provenance);
/// The block size of a result, or null for methods without one.
[[nodiscard]] Json block_json(const Method& method, const Spectrum& spectrum);
/// Adds the fields samples, entropy, radial, sectors, low_frequency_ratio, flatness, imbalance, in this
/// order.
void add_features(Json& object, const Features& features);

/// A number with a fixed number of significant digits.
[[nodiscard]] std::string number(double value, int digits = 6);

/// Names and values that every export records: file, method, parameters, seed, version, exactness.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> export_text(const Matrix& matrix,
                                                                           const Spectrum& spectrum);

}  // namespace spyctrum::cli
