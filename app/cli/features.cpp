// SPDX-License-Identifier: Apache-2.0
// features: the spectral features by one method.
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "app/cli/commands.hpp"
#include "app/cli/feature_state.hpp"
#include "app/cli/method_run.hpp"
#include "core/base/seconds_text.hpp"
#include "core/base/text.hpp"
#include "core/cluster/communicator.hpp"
#include "core/engine/plane_progress.hpp"
#include "core/features/feature_table.hpp"

namespace spyctrum::cli {

namespace {

/// Time between two writes of the state: a process that is killed loses at most the work of this time.
constexpr std::chrono::seconds kStateInterval{3};

/// The standard errors of the features, in the order of kFeatureTable; empty where none are known.
std::optional<Features> standard_errors(const Spectrum& spectrum,
                                        const std::shared_ptr<PlaneProgress>& progress) {
  if (!progress) return spectrum.feature_errors;
  const auto estimate = progress->estimate();
  if (!estimate || estimate->complete()) return std::nullopt;
  return estimate->errors;
}

void print_for_people(Session& session, const std::string& file, const Spectrum& spectrum,
                      const std::optional<Features>& known) {
  const auto has_error = [&](const FeatureDefinition& feature) {
    return known && feature.standard_error != StandardError::unknown;
  };
  const Features& features = *spectrum.features;
  const Provenance& from = spectrum.provenance;
  session.line(file, ": ", from.label, ", ", to_string(spectrum.exactness), ", ",
               counted(features.samples, "coefficient", "coefficients"), ", ", seconds_text(from.seconds),
               ", peak ", format_bytes(from.bytes_peak));
  for (const FeatureDefinition& feature : kFeatureTable)
    if (!feature.is_distribution())
      session.line("  ", padded(feature.label, 21),
                   number_text(feature.number(features), feature.printed_digits),
                   has_error(feature) ? " ± " + number_text(feature.number(*known), 2) : "");
  if (const std::string note = zero_note(features); !note.empty()) session.line("  ", note);
  for (const FeatureDefinition& feature : kFeatureTable) {
    if (!feature.is_distribution()) continue;
    const auto text_of = [&](double share) { return number_text(share, feature.digits); };
    session.line("  ", padded(feature.id, 9), joined(feature.of(features), text_of, " "));
    if (has_error(feature)) {
      const auto error_of = [](double error) { return number_text(error, 2); };
      session.line("  ", padded("  ±", 10), joined(feature.of(*known), error_of, " "));
    }
  }
  if (!from.note.empty()) session.line("  ", from.note);
}

/// Whether the method takes the parameter that --until sets.
bool stops_early(const Method& method) { return has_parameter(method, "until"); }

/// Throws Failure{wrong_use} where --until or --state is given for a method that can neither stop early nor
/// be resumed.
void check_progress_options(const FeaturesOptions& options, const Method& method) {
  if ((options.until.empty() && options.state.empty()) || stops_early(method)) return;
  std::vector<std::string> able;
  for (const auto& one : methods())
    if (stops_early(*one)) able.push_back(one->info().id);
  const std::string names = joined(able, std::identity(), " or ");
  throw Failure(ErrorCode::wrong_use, "--until and --state are for the method " + names + ".",
                "Write --method " + names + ", or omit these options.");
}

/// The settings on which the sums of a state depend: the method and its parameters, except those that say
/// when it stops, and the tile, which may change when a job is made to fit the memory.
Json settings_of_state(const Chosen& chosen) {
  Json settings{{"method", chosen.method->info().id}};
  for (const auto& [name, value] : chosen.parameters.text())
    if (name != "until" && name != "tile") settings[name] = value;
  return settings;
}

void add_errors(Json& object, const PlaneProgress& progress) {
  const auto estimate = progress.estimate();
  if (!estimate) return;
  Json errors = Json::object();
  put_standard_errors(errors, estimate->errors);
  errors["largest"] = estimate->largest;
  object["standard_errors"] = std::move(errors);
  object["rows_done"] = estimate->rows_done;
  object["rows_to_do"] = estimate->rows - estimate->rows_done;
}

}  // namespace

void run_features(Session& session, const FeaturesOptions& options) {
  const Chosen chosen = choose(options.method, session);
  check_progress_options(options, *chosen.method);
  const bool is_shared = is_started_by_mpi() && stops_early(*chosen.method);
  if (!session.is_first() && !is_shared) return;
  const bool has_progress = is_shared || !options.state.empty() || !options.until.empty();
  if (stops_early(*chosen.method)) session.wake_streams(is_shared);
  std::optional<FeatureState> state;
  if (!options.state.empty()) state.emplace(options.state, settings_of_state(chosen), session.memory_bytes());
  const Matrix matrix = session.load_with_weights();
  if (state) state->check(*matrix.pattern);

  ResolvedRequest request = request_for(session, matrix.pattern, chosen.parameters);
  if (has_progress)
    request.progress =
        std::make_shared<PlaneProgress>(state ? state->progress() : std::make_shared<FeatureProgress>());
  if (is_shared) {
    request.progress->share_with(session.ranks());
    // A random order is needed only for estimates from some of the rows, and takes time to choose.
    request.progress->take_rows_in_order(!state && options.until.empty());
  }
  if (!options.until.empty()) or_throw(request.parameters.set("until", options.until));
  const auto job = session.context(chosen.method->info().label);
  if (state && session.is_first()) state->keep_every(kStateInterval, session.stop());
  auto ended = run_method(*chosen.method, request, *job);
  if (state && session.is_first()) state->keep_last();
  const SpectrumPtr spectrum = or_throw(std::move(ended));
  if (!spectrum->features)
    throw Failure(ErrorCode::internal, "The method " + options.method.method + " has computed no features.");

  Json object = matrix_fields(matrix);
  object["method"] = spectrum->provenance.method;
  object["block"] = block_json(*chosen.method, *spectrum);
  object["exactness"] = to_string(spectrum->exactness);
  add_features(object, *spectrum->features);
  if (spectrum->feature_errors) {
    object["standard_errors"] = Json::object();
    put_standard_errors(object["standard_errors"], *spectrum->feature_errors);
  }
  if (request.progress) add_errors(object, *request.progress);
  add_provenance(object, matrix, spectrum->provenance);
  if (is_shared) {
    const double waited = request.progress->seconds_waited();
    object["seconds"]["wait"] = waited;
    object["seconds"]["total"] = object["seconds"]["total"].get<double>() + waited;
    object["bytes"]["received"] = bytes_received();
  }
  session.print(object);
  print_for_people(session, matrix.report.file, *spectrum, standard_errors(*spectrum, request.progress));
}

}  // namespace spyctrum::cli
