// SPDX-License-Identifier: Apache-2.0
// Features as CSV and JSON, values as NumPy files, pictures as PNG.
#include "app/controller/files/exports.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "app/controller/files/comparison_figure.hpp"
#include "core/base/text.hpp"
#include "core/io/csv.hpp"
#include "core/io/export.hpp"
#include "core/io/json_text.hpp"

namespace spyctrum {

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson provenance_json(const Spectrum& spectrum, const std::string& weights) {
  const Provenance& from = spectrum.provenance;
  OrderedJson parameters = OrderedJson::object();
  for (const auto& [name, value] : from.parameters) parameters[name] = value;
  OrderedJson seconds{{"total", from.seconds}};
  for (const auto& [stage, value] : from.stages) seconds[stage] = value;
  return {
      {"method", from.method},    {"weights", weights},
      {"parameters", parameters}, {"backend", from.backend},
      {"device", from.device},    {"exactness", to_string(spectrum.exactness)},
      {"seconds", seconds},       {"bytes", {{"forecast", from.bytes_forecast}, {"peak", from.bytes_peak}}},
      {"seed", from.seed},        {"version", from.version}};
}

OrderedJson record_json(const FeatureRecord& record) {
  const Spectrum& spectrum = *record.spectrum;
  const Features& features = *spectrum.features;
  OrderedJson json{{"file", record.file},           {"rows", spectrum.m},      {"cols", spectrum.n},
                   {"nonzeros", spectrum.nonzeros}, {"block", spectrum.block}, {"samples", features.samples}};
  put_features(json, features);
  if (spectrum.feature_errors) {
    json["standard_errors"] = OrderedJson::object();
    put_standard_errors(json["standard_errors"], *spectrum.feature_errors);
  }
  json.update(provenance_json(spectrum, record.weights));
  if (record.errors) {
    OrderedJson& errors = json["errors"];
    for (std::size_t k = 0; k < kFeatureCount; ++k) {
      const FeatureDefinition& feature = kFeatureTable[k];
      errors[feature.stem + std::string("_") + to_string(feature.measure)] = (*record.errors)[FeatureKey(k)];
    }
  }
  if (record.reconstruction) {
    json["reconstruction"] = {{"hellinger", record.reconstruction->hellinger},
                              {"recall_top10", record.reconstruction->recall_top10},
                              {"above_rounding", record.reconstruction->above_rounding},
                              {"coefficients", record.reconstruction->coefficients},
                              {"sampled", record.reconstruction->sampled}};
  }
  return json;
}

/// Features of one number come before the shares of distributions.
template <class Visit>
void visit_numbers_then_shares(Visit&& visit) {
  for (const bool distributions : {false, true})
    for (const FeatureDefinition& feature : kFeatureTable)
      if (feature.is_distribution() == distributions) visit(feature);
}

void write_head(CsvWriter& csv) {
  for (const char* name :
       {"file", "method", "weights", "parameters", "exactness", "rows", "cols", "nonzeros", "samples"})
    csv.field(name);
  visit_numbers_then_shares([&](const FeatureDefinition& feature) {
    const std::size_t values = feature.of(Features{}).size();
    if (values == 1) csv.field(feature.id);
    for (std::size_t k = 0; values > 1 && k < values; ++k)
      csv.field(feature.stem + std::string("_") + std::to_string(k));
  });
  for (const FeatureDefinition& feature : kFeatureTable)
    if (feature.in_mean_error) csv.field(feature.error_column());
  for (const char* name : {"reconstruction_hellinger", "recall_top10", "above_rounding", "errors_sampled",
                           "seconds", "bytes_forecast", "bytes_peak", "seed", "version"})
    csv.field(name);
  visit_numbers_then_shares([&](const FeatureDefinition& feature) {
    if (feature.standard_error == StandardError::unknown) return;
    const std::size_t values = feature.of(Features{}).size();
    for (std::size_t k = 0; k < values; ++k)
      csv.field((values == 1 ? feature.id : feature.stem + std::string("_") + std::to_string(k)) +
                "_standard_error");
  });
  csv.end_row();
}

void write_record(CsvWriter& csv, const FeatureRecord& record) {
  constexpr int kDigits = 9;
  const Spectrum& spectrum = *record.spectrum;
  const Provenance& from = spectrum.provenance;
  const std::string parameters = joined(
      from.parameters, [](const auto& one) { return one.first + "=" + one.second; }, " ");
  csv.quoted(record.file)
      .field(from.method)
      .field(record.weights)
      .quoted(parameters)
      .field(to_string(spectrum.exactness));
  csv.field(std::to_string(spectrum.m)).field(std::to_string(spectrum.n));
  csv.field(std::to_string(spectrum.nonzeros)).field(std::to_string(spectrum.features->samples));
  visit_numbers_then_shares([&](const FeatureDefinition& feature) {
    for (const double value : feature.of(*spectrum.features)) csv.number(value, kDigits);
  });
  const auto number_or_empty = [&](bool known, double value) {
    if (known)
      csv.number(value, kDigits);
    else
      csv.field("");
  };
  const FeatureErrors errors = record.errors.value_or(FeatureErrors{});
  for (std::size_t k = 0; k < kFeatureCount; ++k)
    if (kFeatureTable[k].in_mean_error) number_or_empty(record.errors.has_value(), errors[FeatureKey(k)]);
  const ReconstructionErrors found = record.reconstruction.value_or(ReconstructionErrors{});
  for (const double value : {found.hellinger, found.recall_top10})
    number_or_empty(record.reconstruction.has_value(), value);
  csv.field(record.reconstruction ? std::to_string(found.above_rounding) : std::string());
  csv.field(!record.reconstruction ? "" : found.sampled ? "yes" : "no");
  csv.number(from.seconds, kDigits).field(std::to_string(from.bytes_forecast));
  csv.field(std::to_string(from.bytes_peak)).field(std::to_string(from.seed)).field(from.version);
  const Features standard_errors = spectrum.feature_errors.value_or(Features{});
  visit_numbers_then_shares([&](const FeatureDefinition& feature) {
    if (feature.standard_error == StandardError::unknown) return;
    for (const double error : feature.of(standard_errors))
      number_or_empty(spectrum.feature_errors.has_value(), error);
  });
  csv.end_row();
}

std::string features_csv(const std::vector<FeatureRecord>& records) {
  std::ostringstream out;
  CsvWriter csv(out);
  write_head(csv);
  for (const FeatureRecord& record : records) write_record(csv, record);
  return out.str();
}

std::vector<std::int64_t> frequencies(const FrequencyAxis& axis) {
  std::vector<std::int64_t> values(axis.count());
  for (std::uint64_t k = 0; k < axis.count(); ++k) values[k] = axis.signed_at(k);
  return values;
}

/// The factor of stored values for the units of the weights.
float unit_of(const Spectrum& spectrum) { return static_cast<float>(std::ldexp(1.0, spectrum.exponent())); }

/// The values in the units of the weights, scaled while they are written.
NpyArray scaled_values(const Spectrum& spectrum, std::vector<std::uint64_t> shape, JobContext& context) {
  NpyArray array = npy_of(std::span<const std::complex<float>>(spectrum.values), std::move(shape));
  array.bytes = {};
  array.pieces = [&spectrum, &context](const auto& put) {
    constexpr std::size_t kMost = std::size_t{1} << 16U;
    std::vector<std::complex<float>> piece;
    for (std::size_t done = 0; done < spectrum.values.size(); done += piece.size()) {
      const std::size_t count = std::min(kMost, spectrum.values.size() - done);
      piece.assign(spectrum.values.begin() + static_cast<std::ptrdiff_t>(done),
                   spectrum.values.begin() + static_cast<std::ptrdiff_t>(done + count));
      for (std::complex<float>& value : piece) value *= unit_of(spectrum);
      if (!put(std::as_bytes(std::span<const std::complex<float>>(piece)))) return;
      context.checkpoint(done + count, spectrum.values.size());
    }
  };
  return array;
}

std::uint32_t color_at(const ColorMap& map, double place) {
  const auto& rgb = map.rgb[static_cast<std::size_t>(std::lround(std::clamp(place, 0.0, 1.0) * 255))];
  return static_cast<std::uint32_t>(rgb[0] << 16U | rgb[1] << 8U | rgb[2]);
}

/// The place of a cell's value on the colour map: from 0 on, or logarithmic; for signed values on both sides
/// of the middle. Empty for a cell without entries and outside of the matrix.
std::optional<double> value_place(const PictureRecord& record, double above, double below) {
  const double size = std::max(above, below);
  if (!std::isfinite(size) || size <= 0) return std::nullopt;
  const double place = record.in_logarithms ? place_in_range(std::log10(size), record.range, 0)
                                            : size / std::pow(10.0, record.range.high);
  if (!record.against) return place;
  constexpr double kOneColor = 1.0 / 255;  // each sign has one of the two colours in the middle
  return 0.5 + (below > above ? -0.5 : 0.5) * std::clamp(place, kOneColor, 1.0);
}

}  // namespace

void export_text(const std::string& path, const std::string& text) {
  or_throw(write_atomically(path, [&](std::ostream& out) { out << text; }));
}

void export_features(const std::string& path, const std::vector<FeatureRecord>& records) {
  if (!path.ends_with(".json")) return export_text(path, features_csv(records));
  OrderedJson list = OrderedJson::array();
  for (const FeatureRecord& record : records) list.push_back(record_json(record));
  export_text(path, json_text(list, 2) + "\n");
}

void export_values(const std::string& path, const Spectrum& spectrum, const std::string& weights,
                   JobContext& context) {
  const std::stop_token stop = context.stop_token();
  if (spectrum.placement == Placement::scattered) {
    const ScatteredPoints& points = spectrum.points;
    std::vector<std::complex<float>> scaled(spectrum.values.begin(), spectrum.values.end());
    for (std::complex<float>& value : scaled) value *= unit_of(spectrum);
    or_throw(write_points(path, points.u, points.v, scaled, points.weight,
                          json_text(provenance_json(spectrum, weights)), stop));
    return;
  }
  const std::uint64_t rows = spectrum.grid.rows.count();
  const std::uint64_t cols = spectrum.grid.cols.count();
  const NpyArray values = scaled_values(spectrum, {rows, cols}, context);
  if (!path.ends_with(".npz")) return or_throw(write_npy(path, values, stop));
  const std::vector<std::int64_t> u = frequencies(spectrum.grid.rows);
  const std::vector<std::int64_t> v = frequencies(spectrum.grid.cols);
  const std::string provenance = json_text(provenance_json(spectrum, weights));
  or_throw(write_npz(path,
                     {{"values", values},
                      {"u", npy_of(std::span(u), {rows})},
                      {"v", npy_of(std::span(v), {cols})},
                      {"provenance", npy_text(provenance)}},
                     stop));
}

const ColorMap& map_of(const PictureRecord& record) {
  const ScaleSettings& scale = record.scale;
  if (record.row == Row::pattern)
    return entry_colors(
        color_map_or_default(record.against ? scale.error_color_map : scale.pattern_color_map));
  const bool is_signed = record.row == Row::error && info(scale.error).is_signed;
  return color_map_or_default(is_signed ? scale.error_color_map : scale.color_map);
}

double exponent_of(Row row, const ScaleSettings& scale) {
  if (row == Row::error || scale.curve != Curve::linear) return 0;
  return row == Row::pattern ? 1 : 0.5;
}

std::vector<std::uint32_t> colors_of(const PictureRecord& record) {
  const CellImage& image = *record.image;
  const ColorMap& map = map_of(record);
  // As on the screen: patterns by entries per position.
  const std::size_t channel = record.row == Row::pattern || record.scale.channel == Channel::maximum ? 1 : 0;
  const double exponent = exponent_of(record.row, record.scale);
  std::vector<std::uint32_t> colors(image.cells.size() / 2, 0);
  for (std::size_t cell = 0; cell < colors.size(); ++cell) {
    if (record.of_values) {
      const double below = record.against ? record.against->cells[2 * cell + channel] : 0;
      if (const auto place = value_place(record, image.cells[2 * cell + channel], below))
        colors[cell] = color_at(map, *place);
      continue;
    }
    const double power = image.cells[2 * cell + channel];
    if (!std::isfinite(power)) continue;
    // An empty cell of the pattern is background; zero power is the low end.
    if (record.row == Row::pattern && power <= 0) continue;
    double place = power > 0 ? place_in_range(std::log10(power), record.range, exponent) : 0.0;
    if (record.row == Row::error) {
      const auto error = record.against
                             ? error_of(record.scale.error, power, record.against->cells[2 * cell + channel],
                                        record.mean_power)
                             : std::optional(power);
      if (!error) continue;
      place = place_in_range(*error, record.range, 0);
    }
    colors[cell] = color_at(map, place);
  }
  return colors;
}

void export_picture(const std::string& path, const PictureRecord& record) {
  const CellImage& image = *record.image;
  std::vector<std::uint8_t> rgb;
  rgb.reserve(3 * image.cells.size() / 2);
  for (const std::uint32_t color : colors_of(record))
    for (const unsigned shift : {16U, 8U, 0U}) rgb.push_back(static_cast<std::uint8_t>(color >> shift));
  std::vector<std::pair<std::string, std::string>> text{{"Software", "Spyctrum"},
                                                        {"Source", record.file},
                                                        {"Weights", record.weights},
                                                        {"Column", record.column},
                                                        {"Picture", std::string(name_of(record.row))},
                                                        {"Exactness", to_string(image.exactness)}};
  if (record.spectrum)
    text.emplace_back("Provenance", json_text(provenance_json(*record.spectrum, record.weights)));
  or_throw(write_png(path, image.height, image.width, rgb, text));
}

}  // namespace spyctrum
