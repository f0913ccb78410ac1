// SPDX-License-Identifier: Apache-2.0
// features: the spectral features by one method.
#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "app/cli/commands.hpp"
#include "app/cli/feature_state.hpp"
#include "app/cli/method_run.hpp"
#include "core/engine/plane_progress.hpp"
#include "core/features/feature_table.hpp"

namespace spyctrum::cli {

namespace {

/// What a process that is killed loses of its work at most.
constexpr std::chrono::seconds kStateInterval{3};

void print_for_people(Session& session, const Spectrum& spectrum, const Json& fields) {
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
  if (const std::string note = zero_note(features); !note.empty()) session.line("  " + note);
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

/// Errors: wrong_use where --until or --state is given for a method that can neither stop early nor be
/// resumed.
Result<void> check_progress_options(const FeaturesOptions& options) {
  if (options.until.empty() && options.state.empty()) return {};
  if (stops_early(*find_method(options.method.method))) return {};
  std::string able;
  for (const auto& method : methods())
    if (stops_early(*method)) able += (able.empty() ? "" : " or ") + method->info().id;
  return fail(ErrorCode::wrong_use, "--until and --state are for the method " + able + ".",
              "Write --method " + able + ", or omit these options.");
}

/// What the sums of a state depend on: the method and its parameters, but for when it stops and for the size
/// of a tile, which an advice about memory may change.
Json settings_of_state(const Chosen& chosen) {
  const auto parameters = resolve(*chosen.method, chosen.parameters);
  Json settings{{"method", chosen.method->info().id}};
  for (const auto& [name, value] : parameters->text())
    if (name != "until" && name != "tile") settings[name] = value;
  return settings;
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
  if (auto checked = check_progress_options(options); !checked) return checked;
  std::unique_ptr<FeatureState> state;
  if (!options.state.empty()) {
    auto opened = FeatureState::open(options.state, settings_of_state(*chosen), session.memory_bytes());
    if (!opened) return tl::unexpected<Error>(opened.error());
    state = std::move(*opened);
  }
  auto matrix = session.load(options.file);
  if (!matrix) return tl::unexpected<Error>(matrix.error());
  if (state)
    if (auto checked = state->check(*matrix->pattern); !checked) return checked;
  std::shared_ptr<FeatureProgress> progress;
  if (state || !options.until.empty())
    progress = state ? state->progress() : std::make_shared<FeatureProgress>();

  Request request;
  request.pattern = matrix->pattern;
  request.parameters = chosen->parameters;
  request.backend = session.backend();
  if (progress) request.progress = std::make_shared<PlaneProgress>(progress);
  if (!options.until.empty()) request.parameters["until"] = options.until;
  const auto job = session.context(chosen->method->info().label);
  if (state) state->keep_every(kStateInterval, session.stop());
  auto spectrum = run_method(*chosen->method, request, *job);
  session.clear_progress();
  if (state)
    if (auto kept = state->keep_last(); !kept) return kept;
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
  if (progress) add_errors(object, *request.progress);
  object["seconds"] = seconds_json(matrix->report.seconds, from);
  object["bytes"] = bytes_json(from);
  object["seed"] = from.seed;
  object["version"] = from.version;
  session.print(object);
  print_for_people(session, result, object);
  if (!from.note.empty()) session.line("  " + from.note);
  return session.finish();
}

}  // namespace spyctrum::cli
