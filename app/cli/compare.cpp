// SPDX-License-Identifier: Apache-2.0
// compare: errors of methods and block sizes against the features of a full-plane reference, and against its
// rows, which are streamed once for all reconstructions.

#include "app/cli/commands.hpp"
#include "app/cli/method_run.hpp"
#include "app/study/measurement.hpp"
#include "core/base/text.hpp"
#include "core/features/feature_errors.hpp"
#include "core/io/csv.hpp"
#include "core/io/export.hpp"
#include "core/io/json_text.hpp"

namespace spyctrum::cli {

namespace {

/// One method with one block size, and its results.
struct Candidate {
  const Method* method = nullptr;
  SpectrumPtr spectrum;
  std::optional<Reconstruction> reconstruction;
  std::optional<ReconstructionErrors> errors;

  /// Bytes of the samples and of the reconstruction, which are held until all candidates are compared.
  [[nodiscard]] std::uint64_t bytes() const {
    return spectrum->values.size() * sizeof(std::complex<float>) +
           (reconstruction ? reconstruction_bytes(*spectrum) : 0);
  }
};

/// Books in the job's ledger what the candidates hold. Throws Failure{out_of_memory}.
Booking held(const std::vector<Candidate>& candidates, JobContext& job) {
  std::uint64_t bytes = 0;
  for (const Candidate& candidate : candidates) bytes += candidate.bytes();
  return {job.memory(), bytes, "list of the other methods' samples"};
}

std::vector<Candidate> run_candidates(const CompareOptions& options, const PatternPtr& pattern, Fill fill,
                                      Session& session) {
  std::vector<Candidate> candidates;
  for (const std::string& id : options.methods) {
    const MethodInfo& info = find_method(id)->info();
    std::vector<std::optional<std::int64_t>> blocks{std::nullopt};
    if (info.uses_block) blocks.assign(options.blocks.begin(), options.blocks.end());
    for (const std::optional<std::int64_t> block : blocks) {
      const Chosen chosen = choose({.method = id, .block = block}, session);
      ResolvedRequest request = request_for(session, pattern, chosen.parameters);
      request.outputs = measured_outputs(*chosen.method, !options.features_only);
      const std::string setting = info.label + (block ? ", b = " + std::to_string(*block) : "");
      const auto job = session.context(setting);
      const Booking others = held(candidates, *job);
      auto run = run_method(*chosen.method, request, *job);
      if (!run) run.error().what.insert(0, setting + ": ");
      Candidate candidate{chosen.method, or_throw(std::move(run)), {}, {}};
      if (request.outputs.values)
        candidate.reconstruction = or_throw(Reconstruction::make(candidate.spectrum, fill, *pattern, *job));
      candidates.push_back(std::move(candidate));
    }
  }
  return candidates;
}

/// Returns the reference's features, and compares the candidates' reconstructions with its rows.
Features measure_against(const Method& reference, const PatternPtr& pattern,
                         std::vector<Candidate>& candidates, Session& session) {
  const ResolvedRequest request = request_for(session, pattern, reference.defaults());
  const auto job = session.context("reference " + reference.info().label);
  const Booking compared_samples = held(candidates, *job);
  const Features features = features_by(reference, request, *job);
  std::vector<Candidate*> compared;
  std::vector<const Reconstruction*> reconstructions;
  for (Candidate& candidate : candidates) {
    if (!candidate.reconstruction) continue;
    compared.push_back(&candidate);
    reconstructions.push_back(&*candidate.reconstruction);
  }
  const auto errors = errors_against_plane(reference, request, reconstructions, *job);
  for (std::size_t k = 0; k < compared.size(); ++k) compared[k]->errors = errors[k];
  return features;
}

/// null for NaN and infinity, which JSON does not have; null leaves a cell of CSV empty.
Json finite_json(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json row_of(const Candidate& candidate, const Features& reference) {
  const Spectrum& spectrum = *candidate.spectrum;
  Json row{{"method", spectrum.provenance.method},
           {"block", block_json(*candidate.method, spectrum)},
           {"exactness", to_string(spectrum.exactness)},
           {"samples", spectrum.features ? spectrum.features->samples : 0}};
  if (spectrum.features) {
    const FeatureErrors errors = feature_errors(*spectrum.features, reference);
    row["entropy"] = spectrum.features->entropy;
    for (std::size_t k = 0; k < kFeatureCount; ++k)
      row[kFeatureTable[k].error_column()] = finite_json(errors[FeatureKey(k)]);
  }
  row["entropy_standard_error"] =
      spectrum.feature_errors ? Json(spectrum.feature_errors->entropy) : Json(nullptr);
  const std::optional<ReconstructionErrors>& errors = candidate.errors;
  row["hellinger"] = errors ? Json(errors->hellinger) : Json(nullptr);
  row["recall_top10"] = errors ? finite_json(errors->recall_top10) : Json(nullptr);
  row["above_rounding"] = errors ? Json(errors->above_rounding) : Json(nullptr);
  row["seconds"] = spectrum.provenance.seconds;
  row["bytes_forecast"] = spectrum.provenance.bytes_forecast;
  row["bytes_peak"] = spectrum.provenance.bytes_peak;
  return row;
}

std::string cell_text(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : json_text(value);
}

void write_csv(const std::string& path, const Json& rows, const std::stop_token& stop) {
  or_throw(write_atomically(
      path,
      [&](std::ostream& out) {
        CsvWriter csv(out);
        for (const auto& field : rows.front().items()) csv.field(field.key());
        csv.end_row();
        for (const Json& row : rows) {
          for (const Json& value : row) csv.field(cell_text(value));
          csv.end_row();
        }
      },
      stop));
}

std::string short_cell(const Json& row, const std::string& field) {
  const auto found = row.find(field);
  if (found == row.end() || found->is_null()) return "–";
  if (field == "bytes_peak") return format_bytes(found->get<std::uint64_t>());
  return found->is_number_float() ? number_text(found->get<double>(), 3) : cell_text(*found);
}

void print_table(Session& session, const Json& rows) {
  struct TableColumn {
    std::string title;
    std::string field;
    std::size_t width;
  };
  std::vector<TableColumn> columns{{"method", "method", 15}, {"block", "block", 6}};
  for (const FeatureDefinition& feature : kFeatureTable) {
    if (!feature.in_mean_error) continue;
    const bool shares = feature.is_distribution();
    columns.push_back(
        {feature.stem + std::string(shares ? " H" : " err"), feature.error_column(), shares ? 10U : 12U});
  }
  columns.insert(columns.end(), {{"recon. H", "hellinger", 10},
                                 {"recall", "recall_top10", 8},
                                 {"seconds", "seconds", 10},
                                 {"peak", "bytes_peak", 10}});
  std::string header;
  for (const TableColumn& column : columns) header += padded(column.title, column.width);
  session.line(header);
  for (const Json& row : rows) {
    std::string text;
    for (const TableColumn& column : columns) text += padded(short_cell(row, column.field), column.width);
    session.line(text);
  }
}

}  // namespace

void run_compare(Session& session, const CompareOptions& options) {
  const Fill fill = or_throw(parse_fill(options.fill));
  const Method& reference = *choose({.method = options.reference}, session).method;
  if (!reference.info().full_plane)
    throw Failure(ErrorCode::wrong_use,
                  "The reference must be a method of the full plane; " + options.reference + " is not.",
                  "Use --reference exact.");
  for (const std::string& id : options.methods) (void)choose({.method = id}, session);
  if (options.csv == "-")
    throw Failure(ErrorCode::wrong_use, "--csv - is refused: standard output has the table.",
                  "Name a file, or use --json.");
  if (!options.csv.empty()) or_throw(check_writable(options.csv, session.stop()));
  const Matrix matrix = session.load_with_weights();
  std::vector<Candidate> candidates = run_candidates(options, matrix.pattern, fill, session);
  const Features features = measure_against(reference, matrix.pattern, candidates, session);

  Json rows = Json::array();
  for (const Candidate& candidate : candidates) rows.push_back(row_of(candidate, features));
  if (!options.csv.empty()) {
    write_csv(options.csv, rows, session.stop());
    session.file_written();
  }
  Json object = matrix_fields(matrix);
  object["reference"] = {{"method", options.reference}};
  add_features(object["reference"], features);
  object["fill"] = options.fill;
  object["results"] = rows;
  object["csv"] = options.csv.empty() ? Json(nullptr) : Json(options.csv);
  object["seed"] = session.options().seed;
  object["version"] = SPYCTRUM_VERSION;
  session.print(object);
  print_table(session, rows);
  if (const std::string note = zero_note(features); !note.empty()) session.line("reference: ", note);
  for (const Candidate& candidate : candidates) {
    if (!candidate.errors) continue;
    const std::string note = recall_note(*candidate.errors);
    if (note.empty()) continue;
    session.line("recall: ", note);  // the reference's coefficients, the same for all
    break;
  }
}

}  // namespace spyctrum::cli
