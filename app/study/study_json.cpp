// SPDX-License-Identifier: Apache-2.0
// The fields of each record are listed once, for reading and for writing.
#include "app/study/study_json.hpp"
#include "core/features/feature_errors.hpp"
#include "core/reconstruction/reconstruction_errors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <limits>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace spyctrum {

namespace {

/// T or const T: the lists of fields serve readers, and writers, whose object is const.
template <class Given, class T>
concept Of = std::same_as<std::remove_const_t<Given>, T>;

template <class Visit, Of<Features> T>
void list(Visit&& field, T& features) {
  for (const FeatureDefinition& feature : kFeatureTable) {
    auto values = feature.of(features);
    if (feature.is_distribution())
      field(feature.id, values);
    else
      field(feature.id, values.front());
  }
  field("total_power", features.total_power);
  field("samples", features.samples);
  field("zero_share", features.zero_share);
}

template <class Visit, Of<FeatureErrors> T>
void list(Visit&& field, T& errors) {
  for (std::size_t k = 0; k < kFeatureCount; ++k) {
    const FeatureDefinition& feature = kFeatureTable[k];
    auto&& error = errors[FeatureKey(k)];
    field(feature.is_distribution() ? feature.error_column() : std::string(feature.stem), error);
  }
}

template <class Visit, Of<ReconstructionErrors> T>
void list(Visit&& field, T& errors) {
  field("hellinger", errors.hellinger);
  field("recall_top10", errors.recall_top10);
  field("coefficients", errors.coefficients);
  field("sampled", errors.sampled);
  field("above_rounding", errors.above_rounding);
}

template <class Visit, Of<StudyPlan> T>
void list(Visit&& field, T& plan) {
  field("sources", plan.sources);
  field("names", plan.names);
  field("methods", plan.methods);
  field("blocks", plan.blocks);
  field("backend", plan.backend);
  field("seed", plan.seed);
  field("memory_bytes", plan.memory_bytes);
  field("cell_seconds", plan.cell_seconds);
  field("repeats", plan.repeats);
  field("import", plan.import);
  field("weights", plan.weights);
}

template <class Visit, Of<StudyAllowance> T>
void list(Visit&& field, T& allowance) {
  field("bytes", allowance.bytes);
  field("seconds", allowance.seconds);
  field("version", allowance.version);
}

template <class Visit, Of<PlaneDifference> T>
void list(Visit&& field, T& difference) {
  field("of_mean", difference.of_mean);
  field("relative", difference.relative);
}

template <class Visit, Of<StudyMatrix> T>
void list(Visit&& field, T& matrix) {
  field("name", matrix.name);
  field("source", matrix.source);
  field("rows", matrix.rows);
  field("cols", matrix.cols);
  field("nonzeros", matrix.nonzeros);
  field("fingerprint", matrix.fingerprint);
  field("generated", matrix.generated);
  field("load_seconds", matrix.load_seconds);
  field("problem", matrix.problem);
}

template <class Visit, Of<StudyReference> T>
void list(Visit&& field, T& reference) {
  field("matrix", reference.matrix);
  field("seconds", reference.seconds);
  field("problem", reference.problem);
  field("features", reference.features);
  field("status", reference.status);
  field("allowance", reference.allowance);
}

template <class Visit, Of<StudyCell> T>
void list(Visit&& field, T& cell) {
  field("matrix", cell.matrix);
  field("method", cell.method);
  field("label", cell.label);
  field("block", cell.block);
  field("backend", cell.backend);
  field("device", cell.device);
  field("status", cell.status);
  field("reason", cell.reason);
  field("allowance", cell.allowance);
  field("exactness", cell.exactness);
  field("operations", cell.operations);
  field("bytes_forecast", cell.bytes_forecast);
  field("bytes_peak", cell.bytes_peak);
  field("device_bytes_peak", cell.device_bytes_peak);
  field("seconds", cell.seconds);
  field("stages", cell.stages);
  field("runs", cell.runs);
  field("seed", cell.seed);
  field("features", cell.features);
  field("errors", cell.errors);
  field("reconstruction", cell.reconstruction);
  field("reconstruction_note", cell.reconstruction_note);
  field("reconstruction_seconds", cell.reconstruction_seconds);
  field("difference", cell.difference);
}

struct RecordWriter {
  StudyJson& json;
  template <class T>
  void operator()(const std::string& name, const T& value) const {
    json[name] = of(value);
  }
  template <class T>
  static StudyJson of(const T& value) {
    if constexpr (requires(const RecordWriter& writer) { list(writer, value); }) {
      StudyJson object = StudyJson::object();
      list(RecordWriter{object}, value);
      return object;
    } else {
      return value;
    }
  }
  /// null for NaN, which JSON does not have.
  static StudyJson of(double value) { return std::isfinite(value) ? StudyJson(value) : StudyJson(nullptr); }
  static StudyJson of(std::span<const double> shares) {
    return std::vector<double>(shares.begin(), shares.end());
  }
  static StudyJson of(CellStatus status) { return to_string(status); }
  template <class T>
  static StudyJson of(const std::optional<T>& value) {
    return value ? of(*value) : StudyJson(nullptr);
  }
};

struct RecordReader {
  const StudyJson& json;
  template <class T>
  void operator()(const std::string& name, T& value) const {
    if (!is_recent(name) || json.contains(name)) get(json.at(name), value);
  }
  /// Fields that records of earlier versions lack, as they lack allowances and the status of references.
  static bool is_recent(const std::string& name) {
    constexpr std::array kRecent{"zero_share",        "above_rounding", "version",
                                 "device_bytes_peak", "stages",         "reconstruction_seconds",
                                 "difference",        "import",         "weights"};
    return std::ranges::find(kRecent, name) != kRecent.end();
  }
  void operator()(const std::string& name, StudyAllowance& allowance) const {
    if (json.contains(name)) list(RecordReader{json.at(name)}, allowance);
  }
  void operator()(const std::string& name, CellStatus& status) const {
    if (json.contains(name)) get(json.at(name), status);
  }
  template <class T>
  static void get(const StudyJson& json, T& value) {
    if constexpr (requires(const RecordReader& reader) { list(reader, value); }) {
      list(RecordReader{json}, value);
    } else {
      json.get_to(value);
    }
  }
  /// json.get_to() would convert 1e23 to an integer as well, which is undefined; get_ref() throws.
  template <std::integral T>
  requires(!std::same_as<T, bool>) static void get(const StudyJson& json, T& value) {
    value = json.is_number_unsigned() ? static_cast<T>(json.get_ref<const StudyJson::number_unsigned_t&>())
                                      : static_cast<T>(json.get_ref<const StudyJson::number_integer_t&>());
  }
  template <std::integral T>
  static void get(const StudyJson& json, std::vector<T>& values) {
    values.resize(json.size());
    for (std::size_t k = 0; k < values.size(); ++k) get(json.at(k), values[k]);
  }
  static void get(const StudyJson& json, double& value) {
    value = json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
  }
  static void get(const StudyJson& json, std::span<double>& shares) {
    for (std::size_t k = 0; k < shares.size(); ++k) shares[k] = json.at(k).get<double>();
  }
  static void get(const StudyJson& json, CellStatus& status) {
    const std::string text = json;
    status = CellStatus::failed;
    for (const CellStatus one : kCellStatuses)
      if (text == to_string(one)) status = one;
  }
  /// A reference that could not be computed has no features.
  static void get(const StudyJson& json, Features& features) {
    if (!json.is_null()) list(RecordReader{json}, features);
  }
  template <class T>
  static void get(const StudyJson& json, std::optional<T>& value) {
    value.reset();
    if (!json.is_null()) get(json, value.emplace());
  }
};

template <class T>
T read(const StudyJson& json) {
  T record;
  list(RecordReader{json}, record);
  return record;
}

/// An object whose first field is `name`: "version" of a plan, "kind" of a record.
template <class T>
StudyJson object_of(const char* name, const char* word, const T& record) {
  StudyJson json{{name, word}};
  list(RecordWriter{json}, record);
  return json;
}

}  // namespace

StudyJson plan_json(const StudyPlan& plan) { return object_of("version", SPYCTRUM_VERSION, plan); }
StudyPlan plan_of(const StudyJson& json) { return read<StudyPlan>(json); }

StudyJson matrix_json(const StudyMatrix& matrix) { return object_of("kind", "matrix", matrix); }
StudyJson cell_json(const StudyCell& cell) { return object_of("kind", "cell", cell); }
StudyJson reference_json(const StudyReference& reference) {
  StudyJson json = object_of("kind", "reference", reference);
  if (!reference.problem.empty()) json["features"] = nullptr;
  return json;
}

void add_record(Study& study, const StudyJson& json) {
  // A later record of the same name replaces the earlier one.
  const auto put = [](auto& records, auto record, auto&& name_of) {
    const auto found = std::ranges::find(records, name_of(record), name_of);
    if (found == records.end())
      records.push_back(std::move(record));
    else
      *found = std::move(record);
  };
  const std::string kind = json.at("kind");
  if (kind == "matrix")
    put(study.matrices, read<StudyMatrix>(json),
        [](const StudyMatrix& one) -> const std::string& { return one.name; });
  if (kind == "reference")
    put(study.references, read<StudyReference>(json),
        [](const StudyReference& one) -> const std::string& { return one.matrix; });
  if (kind == "cell")
    put(study.cells, read<StudyCell>(json),
        [](const StudyCell& one) { return std::tie(one.matrix, one.method, one.block); });
}

}  // namespace spyctrum
