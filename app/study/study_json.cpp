// SPDX-License-Identifier: Apache-2.0
// Fields of the journal's lines.
#include "app/study/study_json.hpp"

#include <cmath>
#include <limits>

namespace spyctrum {

namespace {

/// NaN has no place in JSON.
StudyJson finite(double value) { return std::isfinite(value) ? StudyJson(value) : StudyJson(nullptr); }
double number_of(const StudyJson& json, const char* name) {
  const StudyJson& value = json.at(name);
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

StudyJson features_json(const Features& features) {
  return {{"entropy", features.entropy},         {"radial", features.radial},
          {"sectors", features.sectors},         {"low_frequency_ratio", features.low_frequency_ratio},
          {"flatness", features.flatness},       {"imbalance", features.imbalance},
          {"total_power", features.total_power}, {"samples", features.samples}};
}

Features features_of_json(const StudyJson& json) {
  Features features;
  features.entropy = json.at("entropy");
  features.radial = json.at("radial");
  features.sectors = json.at("sectors");
  features.low_frequency_ratio = json.at("low_frequency_ratio");
  features.flatness = json.at("flatness");
  features.imbalance = json.at("imbalance");
  features.total_power = json.at("total_power");
  features.samples = json.at("samples");
  return features;
}

StudyJson errors_json(const FeatureErrors& errors) {
  return {{"entropy", finite(errors.entropy_relative)},
          {"radial_hellinger", finite(errors.radial_hellinger)},
          {"sector_hellinger", finite(errors.sector_hellinger)},
          {"low_frequency", finite(errors.low_frequency_relative)},
          {"flatness", finite(errors.flatness_relative)},
          {"imbalance", finite(errors.imbalance_absolute)}};
}

FeatureErrors errors_of(const StudyJson& json) {
  return {number_of(json, "entropy"),          number_of(json, "radial_hellinger"),
          number_of(json, "sector_hellinger"), number_of(json, "low_frequency"),
          number_of(json, "flatness"),         number_of(json, "imbalance")};
}

StudyJson reconstruction_json(const ReconstructionErrors& errors) {
  return {{"hellinger", finite(errors.hellinger)},
          {"recall_top10", finite(errors.recall_top10)},
          {"coefficients", errors.coefficients},
          {"sampled", errors.sampled}};
}

CellStatus status_of(const std::string& text) {
  for (const CellStatus status :
       {CellStatus::done, CellStatus::memory, CellStatus::time, CellStatus::unsupported})
    if (text == to_string(status)) return status;
  return CellStatus::failed;
}

StudyMatrix matrix_of(const StudyJson& json) {
  StudyMatrix matrix;
  matrix.name = json.at("name");
  matrix.source = json.at("source");
  matrix.rows = json.at("rows");
  matrix.cols = json.at("cols");
  matrix.nonzeros = json.at("nonzeros");
  matrix.fingerprint = json.at("fingerprint");
  matrix.generated = json.at("generated");
  matrix.load_seconds = json.at("load_seconds");
  matrix.problem = json.at("problem");
  return matrix;
}

StudyReference reference_of(const StudyJson& json) {
  StudyReference reference;
  reference.matrix = json.at("matrix");
  reference.seconds = json.at("seconds");
  reference.problem = json.at("problem");
  if (!json.at("features").is_null()) reference.features = features_of_json(json.at("features"));
  return reference;
}

StudyCell cell_of(const StudyJson& json) {
  StudyCell cell;
  cell.matrix = json.at("matrix");
  cell.method = json.at("method");
  cell.label = json.at("label");
  if (!json.at("block").is_null()) cell.block = json.at("block").get<std::uint32_t>();
  cell.backend = json.at("backend");
  cell.device = json.at("device");
  cell.status = status_of(json.at("status"));
  cell.reason = json.at("reason");
  cell.exactness = json.at("exactness");
  cell.operations = json.at("operations");
  cell.bytes_forecast = json.at("bytes_forecast");
  cell.bytes_peak = json.at("bytes_peak");
  cell.seconds = json.at("seconds");
  cell.runs = json.at("runs");
  cell.seed = json.at("seed");
  if (!json.at("features").is_null()) cell.features = features_of_json(json.at("features"));
  if (!json.at("errors").is_null()) cell.errors = errors_of(json.at("errors"));
  if (const StudyJson& found = json.at("reconstruction"); !found.is_null())
    cell.reconstruction = {number_of(found, "hellinger"), number_of(found, "recall_top10"),
                           found.at("coefficients"), found.at("sampled")};
  cell.reconstruction_note = json.at("reconstruction_note");
  return cell;
}

}  // namespace

StudyJson plan_json(const StudyPlan& plan) {
  return {{"version", SPYCTRUM_VERSION},
          {"sources", plan.sources},
          {"names", plan.names},
          {"methods", plan.methods},
          {"blocks", plan.blocks},
          {"backend", plan.backend},
          {"seed", plan.seed},
          {"memory_bytes", plan.memory_bytes},
          {"cell_seconds", plan.cell_seconds},
          {"repeats", plan.repeats}};
}

StudyPlan plan_of(const StudyJson& json) {
  StudyPlan plan;
  plan.sources = json.at("sources").get<std::vector<std::string>>();
  plan.names = json.at("names").get<std::vector<std::string>>();
  plan.methods = json.at("methods").get<std::vector<std::string>>();
  plan.blocks = json.at("blocks").get<std::vector<std::uint32_t>>();
  plan.backend = json.at("backend");
  plan.seed = json.at("seed");
  plan.memory_bytes = json.at("memory_bytes");
  plan.cell_seconds = json.at("cell_seconds");
  plan.repeats = json.at("repeats");
  return plan;
}

StudyJson matrix_json(const StudyMatrix& matrix) {
  return {{"kind", "matrix"},
          {"name", matrix.name},
          {"source", matrix.source},
          {"rows", matrix.rows},
          {"cols", matrix.cols},
          {"nonzeros", matrix.nonzeros},
          {"fingerprint", matrix.fingerprint},
          {"generated", matrix.generated},
          {"load_seconds", matrix.load_seconds},
          {"problem", matrix.problem}};
}

StudyJson reference_json(const StudyReference& reference) {
  return {{"kind", "reference"},
          {"matrix", reference.matrix},
          {"seconds", reference.seconds},
          {"problem", reference.problem},
          {"features", reference.problem.empty() ? features_json(reference.features) : StudyJson(nullptr)}};
}

StudyJson cell_json(const StudyCell& cell) {
  return {{"kind", "cell"},
          {"matrix", cell.matrix},
          {"method", cell.method},
          {"label", cell.label},
          {"block", cell.block ? StudyJson(*cell.block) : StudyJson(nullptr)},
          {"backend", cell.backend},
          {"device", cell.device},
          {"status", to_string(cell.status)},
          {"reason", cell.reason},
          {"exactness", cell.exactness},
          {"operations", cell.operations},
          {"bytes_forecast", cell.bytes_forecast},
          {"bytes_peak", cell.bytes_peak},
          {"seconds", cell.seconds},
          {"runs", cell.runs},
          {"seed", cell.seed},
          {"features", cell.features ? features_json(*cell.features) : StudyJson(nullptr)},
          {"errors", cell.errors ? errors_json(*cell.errors) : StudyJson(nullptr)},
          {"reconstruction",
           cell.reconstruction ? reconstruction_json(*cell.reconstruction) : StudyJson(nullptr)},
          {"reconstruction_note", cell.reconstruction_note}};
}

void add_record(Study& study, const StudyJson& json) {
  const std::string kind = json.at("kind");
  if (kind == "matrix") study.matrices.push_back(matrix_of(json));
  if (kind == "reference") study.references.push_back(reference_of(json));
  if (kind == "cell") study.cells.push_back(cell_of(json));
}

}  // namespace spyctrum
