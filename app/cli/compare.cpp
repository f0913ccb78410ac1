// SPDX-License-Identifier: Apache-2.0
// compare: errors of methods and block sizes against a full-plane reference, whose rows are computed once for
// all of them.
#include <algorithm>

#include "app/cli/commands.hpp"
#include "app/cli/method_run.hpp"
#include "core/features/feature_consumer.hpp"
#include "core/features/feature_errors.hpp"
#include "core/io/csv.hpp"
#include "core/io/export.hpp"
#include "core/io/json_text.hpp"
#include "core/reconstruction/reconstruction.hpp"
#include "core/reconstruction/reconstruction_errors.hpp"
#include "core/spectrum/rounding_floor.hpp"

namespace spyctrum::cli {

namespace {

/// One method with one block size, and its results.
struct Candidate {
  const Method* method = nullptr;
  SpectrumPtr spectrum;
  std::optional<Reconstruction> reconstruction;
  std::unique_ptr<ReconstructionErrorConsumer> consumer;
};

Result<std::vector<Candidate>> run_candidates(Session& session, const CompareOptions& options,
                                              const PatternPtr& pattern, Fill fill) {
  std::vector<Candidate> candidates;
  for (const std::string& id : options.methods) {
    const Method* method = find_method(id);
    const bool repeated = method != nullptr && method->info().uses_block;
    std::vector<std::optional<std::int64_t>> blocks{std::nullopt};
    if (repeated) blocks.assign(options.blocks.begin(), options.blocks.end());
    for (const std::optional<std::int64_t> block : blocks) {
      auto chosen = choose(MethodOptions{id, block, {}}, session);
      if (!chosen) return tl::unexpected<Error>(chosen.error());
      Request request;
      request.pattern = pattern;
      request.parameters = chosen->parameters;
      request.backend = session.backend();
      // A full plane is its own reconstruction: only sampled methods have one to compare.
      request.outputs.values = !options.features_only && !method->info().full_plane;
      const auto job =
          session.context(method->info().label + (block ? ", b = " + std::to_string(*block) : ""));
      auto spectrum = run_method(*method, request, *job);
      if (!spectrum) return tl::unexpected<Error>(spectrum.error());
      Candidate candidate{method, *spectrum, std::nullopt, nullptr};
      if (request.outputs.values) {
        auto reconstruction = Reconstruction::make(*spectrum, fill, *pattern, *job);
        if (!reconstruction) return tl::unexpected<Error>(reconstruction.error());
        candidate.reconstruction = *reconstruction;
      }
      candidates.push_back(std::move(candidate));
    }
  }
  return candidates;
}

/// Streams the rows of the reference into its features and into the reconstruction errors of all candidates.
Result<Features> stream_reference(Session& session, const Method& reference, const PatternPtr& pattern,
                                  std::vector<Candidate>& candidates) {
  FeatureConsumer features(rounding_floor(*pattern));
  std::vector<RowConsumer*> consumers{&features};
  for (Candidate& candidate : candidates) {
    if (!candidate.reconstruction) continue;
    candidate.consumer = std::make_unique<ReconstructionErrorConsumer>(*candidate.reconstruction);
    consumers.push_back(candidate.consumer.get());
  }
  Request request;
  request.pattern = pattern;
  request.backend = session.backend();
  const auto job = session.context("reference " + reference.info().label);
  auto streamed = stream_method(reference, request, consumers, *job);
  if (!streamed) return tl::unexpected<Error>(streamed.error());
  return features.features();
}

/// NaN has no place in JSON.
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
      row[kFeatureTable[k].error_column()] = errors[FeatureKey(k)];
  }
  const bool compared = candidate.consumer != nullptr;
  row["hellinger"] = compared ? Json(candidate.consumer->errors().hellinger) : Json(nullptr);
  row["recall_top10"] = compared ? finite_json(candidate.consumer->errors().recall_top10) : Json(nullptr);
  row["above_rounding"] = compared ? Json(candidate.consumer->errors().above_rounding) : Json(nullptr);
  row["seconds"] = spectrum.provenance.seconds;
  row["bytes_forecast"] = spectrum.provenance.bytes_forecast;
  row["bytes_peak"] = spectrum.provenance.bytes_peak;
  return row;
}

std::string cell_text(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : json_text(value);
}

Result<void> write_csv(const std::string& path, const Json& rows, const std::stop_token& stop) {
  const auto write = [&](std::ostream& out) {
    CsvWriter csv(out);
    for (const auto& field : rows.front().items()) csv.field(field.key());
    csv.end_row();
    for (const Json& row : rows) {
      for (const auto& field : row.items()) csv.field(cell_text(field.value()));
      csv.end_row();
    }
  };
  return write_atomically(path, write, stop);
}

std::string short_cell(const Json& row, const std::string& field) {
  const auto found = row.find(field);
  if (found == row.end() || found->is_null()) return "–";
  return found->is_number() ? number(found->get<double>(), 3) : cell_text(*found);
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
    const std::string stem = feature.stem;
    if (feature.is_distribution())
      columns.push_back({stem + " H", feature.error_column(), 10});
    else
      columns.push_back({stem + " err", feature.error_column(), 12});
  }
  columns.insert(columns.end(), {{"recon. H", "hellinger", 10},
                                 {"recall", "recall_top10", 8},
                                 {"seconds", "seconds", 10},
                                 {"peak bytes", "bytes_peak", 10}});
  const auto padded = [](std::string text, std::size_t width) {
    const auto glyphs = static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
    return text + std::string(glyphs < width ? width - glyphs : 1, ' ');
  };
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

Result<void> run_compare(Session& session, const CompareOptions& options) {
  auto fill = parse_fill(options.fill);
  if (!fill) return tl::unexpected<Error>(fill.error());
  auto reference = choose(MethodOptions{options.reference, std::nullopt, {}}, session);
  if (!reference) return tl::unexpected<Error>(reference.error());
  if (!reference->method->info().full_plane) {
    return fail(ErrorCode::wrong_use,
                "The reference must be a method of the full plane; " + options.reference + " is not.",
                "Use --reference exact.");
  }
  for (const std::string& id : options.methods) {
    if (auto chosen = choose(MethodOptions{id, std::nullopt, {}}, session); !chosen) {
      return tl::unexpected<Error>(chosen.error());
    }
  }
  if (!options.csv.empty())
    if (auto writable = check_writable(options.csv); !writable) return writable;
  auto matrix = session.load(options.file);
  if (!matrix) return tl::unexpected<Error>(matrix.error());
  auto candidates = run_candidates(session, options, matrix->pattern, *fill);
  if (!candidates) return tl::unexpected<Error>(candidates.error());
  auto features = stream_reference(session, *reference->method, matrix->pattern, *candidates);
  session.clear_progress();
  if (!features) return tl::unexpected<Error>(features.error());

  Json rows = Json::array();
  for (const Candidate& candidate : *candidates) rows.push_back(row_of(candidate, *features));
  if (!options.csv.empty()) {
    if (auto written = write_csv(options.csv, rows, session.stop()); !written) return written;
    session.file_written();
  }
  Json reference_json{{"method", options.reference}};
  add_features(reference_json, *features);
  session.print({{"file", matrix->report.file},
                 {"rows", matrix->pattern->rows()},
                 {"cols", matrix->pattern->cols()},
                 {"nonzeros", matrix->pattern->nonzeros()},
                 {"reference", reference_json},
                 {"fill", options.fill},
                 {"results", rows},
                 {"csv", options.csv.empty() ? Json(nullptr) : Json(options.csv)},
                 {"seed", session.options().seed},
                 {"version", SPYCTRUM_VERSION}});
  print_table(session, rows);
  if (const std::string note = zero_note(*features); !note.empty()) session.line("reference: " + note);
  for (const Candidate& candidate : *candidates) {
    if (candidate.consumer == nullptr) continue;
    const std::string note = recall_note(candidate.consumer->errors());
    if (note.empty()) continue;
    session.line("recall: " + note);  // the reference's coefficients, the same for all
    break;
  }
  return session.finish();
}

}  // namespace spyctrum::cli
