// SPDX-License-Identifier: Apache-2.0
// From --method, --block and --set to a request, and from results to JSON fields.
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
/// The block a result was made with, or null for methods without one.
[[nodiscard]] Json block_json(const Method& method, const Spectrum& spectrum);
/// Adds entropy, radial, … in the order of design/cli.md.
void add_features(Json& object, const Features& features);

/// Fixed number of significant digits, for people.
[[nodiscard]] std::string number(double value, int digits = 6);

/// Text pairs that go into every export: file, method, parameters, seed, version, exactness.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> export_text(const Matrix& matrix,
                                                                           const Spectrum& spectrum);

}  // namespace spyctrum::cli
