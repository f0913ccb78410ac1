// SPDX-License-Identifier: Apache-2.0
// features: the spectral features by one method.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "app/cli/commands.hpp"
#include "app/cli/method_run.hpp"
#include "core/engine/plane_progress.hpp"
#include "core/features/feature_table.hpp"
#include "core/io/export.hpp"

namespace spyctrum::cli {

namespace {

void print_for_people(const Session& session, const Spectrum& spectrum, const Json& fields) {
  const Features& features = *spectrum.features;
  session.line(fields["file"].get<std::string>() + ": " + spectrum.provenance.label + ", " +
               to_string(spectrum.exactness) + ", " + std::to_string(features.samples) + " coefficients, " +
               number(spectrum.provenance.seconds, 3) + " s, peak " +
               format_bytes(spectrum.provenance.bytes_peak));
  for (const FeatureDefinition& feature : kFeatureTable) {
    if (feature.is_distribution()) continue;
    std::string label = feature.label;
    label.resize(std::max<std::size_t>(label.size(), 20), ' ');
    session.line("  " + label + ' ' + number(feature.number(features), feature.printed_digits));
  }
  for (const FeatureDefinition& feature : kFeatureTable) {
    if (!feature.is_distribution()) continue;
    std::string line = feature.id;
    line.resize(std::max<std::size_t>(line.size(), 8), ' ');
    for (const double share : feature.of(features)) line += ' ' + number(share, feature.digits);
    session.line("  " + line);
  }
}

/// Whether the method takes the parameter that --until sets.
bool stops_early(const Method& method) {
  return std::ranges::find(method.parameters(), "until", &Parameter::name) != method.parameters().end();
}

/// The state of exact features that may stop early (--until) or be resumed (--state); nullptr for a plain
/// run.
Result<std::shared_ptr<FeatureProgress>> progress_of(const FeaturesOptions& options) {
  if (options.until.empty() && options.state.empty()) return std::shared_ptr<FeatureProgress>();
  if (!stops_early(*find_method(options.method.method))) {
    std::string able;
    for (const auto& method : methods())
      if (stops_early(*method)) able += (able.empty() ? "" : " or ") + method->info().id;
    return fail(ErrorCode::wrong_use, "--until and --state are for the method " + able + ".",
                "Write --method " + able + ", or omit these options.");
  }
  if (options.state.empty() || !std::filesystem::exists(options.state))
    return std::make_shared<FeatureProgress>();
  std::ifstream file(options.state, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  auto loaded = FeatureProgress::load(text.str());
  if (!loaded) loaded.error().what = options.state + ": " + loaded.error().what;
  return loaded;
}

Result<void> write_state(const std::string& path, const FeatureProgress& progress) {
  return write_atomically(path, [&](std::ostream& out) { out << progress.save(); });
}

void add_errors(Json& object, const PlaneProgress& progress) {
  const auto estimate = progress.estimate();
  if (!estimate) return;
  Json errors;
  put_features(errors, estimate->errors);
  for (const FeatureDefinition& feature : kFeatureTable)
    if (feature.standard_error == StandardError::unknown) errors.erase(feature.id);
  errors["largest"] = estimate->largest;
  object["standard_errors"] = std::move(errors);
  object["rows_done"] = estimate->rows_done;
  object["rows_to_do"] = estimate->rows - estimate->rows_done;
}

}  // namespace

Result<void> run_features(Session& session, const FeaturesOptions& options) {
  auto chosen = choose(options.method, session);
  if (!chosen) return tl::unexpected<Error>(chosen.error());
  auto matrix = session.load(options.file);
  if (!matrix) return tl::unexpected<Error>(matrix.error());

  Request request;
  request.pattern = matrix->pattern;
  request.parameters = chosen->parameters;
  request.backend = session.backend();
  auto progress = progress_of(options);
  if (!progress) return tl::unexpected<Error>(progress.error());
  if (*progress) request.progress = std::make_shared<PlaneProgress>(*progress);
  if (!options.until.empty()) request.parameters["until"] = options.until;
  const auto job = session.context(chosen->method->info().label);
  auto spectrum = run_method(*chosen->method, request, *job);
  session.clear_progress();
  if (!options.state.empty()) {
    auto saved = write_state(options.state, **progress);
    if (!saved) return saved;
  }
  if (!spectrum) return tl::unexpected<Error>(spectrum.error());
  const Spectrum& result = **spectrum;
  if (!result.features) {
    return fail(ErrorCode::internal, "The method " + options.method.method + " has computed no features.");
  }

  const Provenance& from = result.provenance;
  Json object{
      {"file", matrix->report.file}, {"rows", result.m},      {"cols", result.n},
      {"nonzeros", result.nonzeros}, {"method", from.method}, {"block", block_json(*chosen->method, result)},
      {"backend", from.backend},     {"device", from.device}, {"exactness", to_string(result.exactness)}};
  add_features(object, *result.features);
  if (*progress) add_errors(object, *request.progress);
  object["seconds"] = seconds_json(matrix->report.seconds, from);
  object["bytes"] = bytes_json(from);
  object["seed"] = from.seed;
  object["version"] = from.version;
  session.print(object);
  print_for_people(session, result, object);
  if (!from.note.empty()) session.line("  " + from.note);
  return {};
}

}  // namespace spyctrum::cli
