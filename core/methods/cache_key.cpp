// SPDX-License-Identifier: Apache-2.0
// Writes what determines a job's result into one text.
#include "core/methods/method.hpp"

namespace spyctrum {

namespace {

std::string axis_text(const FrequencyAxis& axis) {
  std::string text = std::to_string(axis.size()) + "/" + std::to_string(axis.count()) + ":";
  if (axis.is_progression()) return text + std::to_string(axis.origin()) + "+" + std::to_string(axis.step());
  for (std::uint64_t k = 0; k < axis.count(); ++k) text += (k == 0 ? "" : ",") + std::to_string(axis.at(k));
  return text;
}

}  // namespace

std::string cache_key(const Method& method, const ResolvedRequest& request, std::uint64_t seed) {
  std::string key =
      std::to_string(request.pattern ? request.pattern->fingerprint() : 0) + "|" + method.info().id + "|";
  for (const auto& [name, value] : request.parameters.text())
    key.append(name).append("=").append(value).append(";");
  key += "|";
  if (request.window) key += axis_text(request.window->rows) + "x" + axis_text(request.window->cols);
  const RequestedOutputs& outputs = request.outputs;
  key += "|";
  if (outputs.values) key += "v";
  if (outputs.features) key += outputs.errors ? "fe" : "f";
  if (outputs.pyramid) key += "p" + std::to_string(outputs.pyramid_cells);
  return key + "|" + to_string(request.backend) + "|" + std::to_string(seed);
}

}  // namespace spyctrum
