// SPDX-License-Identifier: Apache-2.0
// Features as CSV and JSON, values as NumPy files, pictures as PNG.
#include "app/controller/files/exports.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/io/export.hpp"
#include "core/pictures/colormap.hpp"

namespace spyctrum {

namespace {

using Json = nlohmann::ordered_json;

void check(Result<void> written) {
  if (!written) throw Failure(written.error());
}

bool ends_with(const std::string& path, std::string_view ending) { return path.ends_with(ending); }

Json provenance_json(const Spectrum& spectrum) {
  const Provenance& from = spectrum.provenance;
  Json parameters = Json::object();
  for (const auto& [name, value] : from.parameters) parameters[name] = value;
  Json seconds{{"total", from.seconds}};
  for (const auto& [stage, value] : from.stages) seconds[stage] = value;
  return {{"method", from.method},
          {"parameters", parameters},
          {"backend", from.backend},
          {"device", from.device},
          {"exactness", to_string(spectrum.exactness)},
          {"seconds", seconds},
          {"bytes", {{"forecast", from.bytes_forecast}, {"peak", from.bytes_peak}}},
          {"seed", from.seed},
          {"version", from.version}};
}

Json record_json(const FeatureRecord& record) {
  const Spectrum& spectrum = *record.spectrum;
  const Features& features = *spectrum.features;
  Json json{{"file", record.file},
            {"rows", spectrum.m},
            {"cols", spectrum.n},
            {"nonzeros", spectrum.nonzeros},
            {"block", spectrum.block},
            {"samples", features.samples},
            {"entropy", features.entropy},
            {"radial", features.radial},
            {"sectors", features.sectors},
            {"low_frequency_ratio", features.low_frequency_ratio},
            {"flatness", features.flatness},
            {"imbalance", features.imbalance}};
  json.update(provenance_json(spectrum));
  if (record.errors) {
    json["errors"] = {{"entropy_relative", record.errors->entropy_relative},
                      {"radial_hellinger", record.errors->radial_hellinger},
                      {"sector_hellinger", record.errors->sector_hellinger},
                      {"low_frequency_relative", record.errors->low_frequency_relative},
                      {"flatness_relative", record.errors->flatness_relative},
                      {"imbalance_absolute", record.errors->imbalance_absolute}};
  }
  if (record.reconstruction) {
    json["reconstruction"] = {{"hellinger", record.reconstruction->hellinger},
                              {"recall_top10", record.reconstruction->recall_top10},
                              {"coefficients", record.reconstruction->coefficients},
                              {"sampled", record.reconstruction->sampled}};
  }
  return json;
}

/// A field of CSV (RFC 4180): quoted, with quotes doubled.
std::string quoted(const std::string& text) {
  std::string field = "\"";
  for (const char letter : text) field += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return field + "\"";
}

std::string features_csv(const std::vector<FeatureRecord>& records) {
  std::ostringstream out;
  out << "file,method,parameters,exactness,rows,cols,nonzeros,samples,entropy,low_frequency_ratio,flatness,"
         "imbalance";
  for (std::size_t bin = 0; bin < kRadialBins; ++bin) out << ",radial_" << bin;
  for (std::size_t bin = 0; bin < kSectors; ++bin) out << ",sector_" << bin;
  out << ",entropy_error,radial_hellinger,sector_hellinger,reconstruction_hellinger,recall_top10,errors_"
         "sampled"
         ",seconds,bytes_forecast,bytes_peak,seed,version\n"
      << std::setprecision(9);
  for (const FeatureRecord& record : records) {
    const Spectrum& spectrum = *record.spectrum;
    const Features& features = *spectrum.features;
    std::string parameters;
    for (const auto& [name, value] : spectrum.provenance.parameters) {
      if (!parameters.empty()) parameters += ' ';
      parameters.append(name).append("=").append(value);
    }
    out << quoted(record.file) << ',' << spectrum.provenance.method << ',' << quoted(parameters) << ','
        << to_string(spectrum.exactness) << ',' << spectrum.m << ',' << spectrum.n << ',' << spectrum.nonzeros
        << ',' << features.samples << ',' << features.entropy << ',' << features.low_frequency_ratio << ','
        << features.flatness << ',' << features.imbalance;
    for (const double share : features.radial) out << ',' << share;
    for (const double share : features.sectors) out << ',' << share;
    out << ',';
    if (record.errors) {
      out << record.errors->entropy_relative << ',' << record.errors->radial_hellinger << ','
          << record.errors->sector_hellinger;
    } else {
      out << ",,";
    }
    out << ',';
    if (record.reconstruction) {
      out << record.reconstruction->hellinger << ',' << record.reconstruction->recall_top10 << ','
          << (record.reconstruction->sampled ? "yes" : "no");
    } else {
      out << ",,";
    }
    out << ',' << spectrum.provenance.seconds << ',' << spectrum.provenance.bytes_forecast << ','
        << spectrum.provenance.bytes_peak << ',' << spectrum.provenance.seed << ','
        << spectrum.provenance.version << '\n';
  }
  return out.str();
}

std::vector<std::int64_t> frequencies(const FrequencyAxis& axis) {
  std::vector<std::int64_t> values(axis.count());
  for (std::uint64_t k = 0; k < axis.count(); ++k) values[k] = axis.signed_at(k);
  return values;
}

/// Place of `value` (log10 of power) in the map, 0 … 1, as the shader has it: magnitude for the linear curve.
double place_in_range(double value, const DisplayRange& range, Curve curve) {
  const double low = range.low;
  const double high = range.high;
  if (!(high > low)) return 0.5;
  if (curve == Curve::linear) {
    const auto magnitude = [](double log_power) { return std::pow(10.0, log_power / 2); };
    return (magnitude(value) - magnitude(low)) / (magnitude(high) - magnitude(low));
  }
  return (value - low) / (high - low);
}

const ColorMap& map_of(const PictureRecord& record) {
  const std::string& name = record.row == Row::pattern ? record.scale.pattern_color_map
                            : record.row == Row::error ? record.scale.error_color_map
                                                       : record.scale.color_map;
  const ColorMap* map = find_color_map(name);
  return map != nullptr ? *map : color_maps().front();
}

}  // namespace

void export_text(const std::string& path, const std::string& text) {
  check(write_atomically(path, [&](std::ostream& out) { out << text; }));
}

void export_features(const std::string& path, const std::vector<FeatureRecord>& records) {
  if (!ends_with(path, ".json")) {
    export_text(path, features_csv(records));
    return;
  }
  Json list = Json::array();
  for (const FeatureRecord& record : records) list.push_back(record_json(record));
  export_text(path, list.dump(2) + "\n");
}

void export_values(const std::string& path, const Spectrum& spectrum) {
  if (spectrum.placement == Placement::scattered) {
    const ScatteredPoints& points = spectrum.points;
    check(write_points(path, points.u, points.v, spectrum.values, points.weight,
                       provenance_json(spectrum).dump()));
    return;
  }
  const std::uint64_t rows = spectrum.grid.rows.count();
  const std::uint64_t cols = spectrum.grid.cols.count();
  const NpyArray values = npy_of(std::span(spectrum.values), {rows, cols});
  if (!ends_with(path, ".npz")) {
    check(write_npy(path, values));
    return;
  }
  const std::vector<std::int64_t> u = frequencies(spectrum.grid.rows);
  const std::vector<std::int64_t> v = frequencies(spectrum.grid.cols);
  const std::string provenance = provenance_json(spectrum).dump();
  const NpyArray note{"|S" + std::to_string(provenance.size()), {}, std::as_bytes(std::span(provenance))};
  check(write_npz(path, {{"values", values},
                         {"u", npy_of(std::span(u), {rows})},
                         {"v", npy_of(std::span(v), {cols})},
                         {"provenance", note}}));
}

void export_picture(const std::string& path, const PictureRecord& record) {
  const CellImage& image = *record.image;
  const ColorMap& map = map_of(record);
  const std::size_t cells = static_cast<std::size_t>(image.height) * image.width;
  const std::size_t channel = record.row != Row::pattern && record.scale.channel == Channel::maximum ? 1 : 0;
  std::vector<std::uint8_t> rgb(3 * cells, 0);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    double power = image.cells[2 * cell + channel];
    if (record.against) power /= record.against->cells[2 * cell + channel];
    if (!std::isfinite(power)) continue;
    // An empty cell of the pattern is background; zero power is the low end.
    if (record.row == Row::pattern && power <= 0) continue;
    const Curve curve = record.row == Row::error ? Curve::log : record.scale.curve;
    const double place = power > 0 ? place_in_range(std::log10(power), record.range, curve) : 0.0;
    const auto entry = static_cast<std::size_t>(std::lround(std::clamp(place, 0.0, 1.0) * 255));
    std::copy(map.rgb[entry].begin(), map.rgb[entry].end(),
              rgb.begin() + static_cast<std::ptrdiff_t>(3 * cell));
  }
  std::vector<std::pair<std::string, std::string>> text{{"Software", "Spyctrum"},
                                                        {"Source", record.file},
                                                        {"Column", record.column},
                                                        {"Picture", std::string(name_of(record.row))},
                                                        {"Exactness", to_string(image.exactness)}};
  if (record.spectrum) text.emplace_back("Provenance", provenance_json(*record.spectrum).dump());
  check(write_png(path, image.height, image.width, rgb, text));
}

}  // namespace spyctrum
