// SPDX-License-Identifier: Apache-2.0
// features: the spectral signature by one method.
#include "app/cli/commands.hpp"
#include "app/cli/method_run.hpp"

namespace spyctrum::cli {

namespace {

void print_for_people(const Session& session, const Spectrum& spectrum, const Json& fields) {
  const Features& features = *spectrum.features;
  session.line(fields["file"].get<std::string>() + ": " + spectrum.provenance.label + ", " +
               to_string(spectrum.exactness) + ", " + std::to_string(features.samples) + " coefficients, " +
               number(spectrum.provenance.seconds, 3) + " s, peak " +
               format_bytes(spectrum.provenance.bytes_peak));
  session.line("  entropy              " + number(features.entropy, 8));
  session.line("  low-frequency ratio  " + number(features.low_frequency_ratio));
  session.line("  flatness             " + number(features.flatness));
  session.line("  imbalance            " + number(features.imbalance));
  std::string radial = "  radial  ";
  for (const double share : features.radial) radial += " " + number(share, 4);
  session.line(radial);
  std::string sectors = "  sectors ";
  for (const double share : features.sectors) sectors += " " + number(share, 4);
  session.line(sectors);
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
  const auto job = session.context(chosen->method->info().label);
  auto spectrum = run_method(*chosen->method, request, *job);
  session.clear_progress();
  if (!spectrum) return tl::unexpected<Error>(spectrum.error());
  const Spectrum& result = **spectrum;
  if (!result.features) {
    return fail(ErrorCode::internal, "The method " + options.method.method + " brought no features.");
  }

  const Provenance& from = result.provenance;
  Json object{
      {"file", matrix->report.file}, {"rows", result.m},      {"cols", result.n},
      {"nonzeros", result.nonzeros}, {"method", from.method}, {"block", block_json(*chosen->method, result)},
      {"backend", from.backend},     {"device", from.device}, {"exactness", to_string(result.exactness)}};
  add_features(object, *result.features);
  object["seconds"] = seconds_json(matrix->report.seconds, from);
  object["bytes"] = bytes_json(from);
  object["seed"] = from.seed;
  object["version"] = from.version;
  session.print(object);
  print_for_people(session, result, object);
  return {};
}

}  // namespace spyctrum::cli
