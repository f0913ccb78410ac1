// SPDX-License-Identifier: Apache-2.0
// Sessions to JSON and back. A field other than format, version and a column's method may be missing and then
// has its default, so that files of older versions stay readable.
#include "app/controller/files/session.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/controller/files/json_fields.hpp"
#include "app/controller/files/source_names.hpp"
#include "core/io/import_options.hpp"
#include "core/io/json_text.hpp"
#include "core/matrix/generators.hpp"

namespace spyctrum {

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;
constexpr int kVersion = 1;

// Names of enumerators, in their order.
constexpr std::array kCurves{"log", "linear", "symlog", "dB"};
constexpr std::array kChannels{"mean", "maximum"};
constexpr std::array kPlacements{"stretched", "centre"};
constexpr std::array kQuantities{"sum", "mean |a|", "maximum", "count"};
constexpr std::array kValueScales{"automatic", "linear", "log"};

Json rect_json(const PlaneRect& rect) { return {rect.top, rect.left, rect.bottom, rect.right}; }

PlaneRect rect_from(const Json& json) {
  const auto sides = json.get<std::array<double, 4>>();
  const PlaneRect rect{sides[0], sides[1], sides[2], sides[3]};
  if (!(rect.height() > 0 && rect.width() > 0))
    throw Failure(ErrorCode::bad_input,
                  "A rectangle is [top, left, bottom, right] with top < bottom and left < right.");
  return rect;
}

DisplayRange range_from(const Json& json) {
  const auto range = json.get<std::array<float, 2>>();
  if (!std::isfinite(range[0]) || !std::isfinite(range[1]))
    throw Failure(ErrorCode::bad_input, "\"range\" is two numbers of single precision.");
  return {range[0], range[1]};
}

/// The fields of a scale but for its range and percentiles.
void scale_fields(auto& scale, const auto& field) {
  field("curve", scale.curve, kCurves);
  field("channel", scale.channel, kChannels);
  field("skip_dc", scale.skip_dc);
  field("skip_axes", scale.skip_axes);
  field("shared", scale.shared);
  field("color_map", scale.color_map);
  field("pattern_color_map", scale.pattern_color_map);
  field("error_color_map", scale.error_color_map);
  field("values", scale.values, kQuantities);
  field("value_scale", scale.value_scale, kValueScales);
  field("dilate", scale.dilate);
  field("reduced", scale.reduced, kPlacements);
  field("fill", scale.fill, kFillNames);
  field("error", scale.error, kPictureErrors);
  field("single_samples", scale.single_samples);
}

Json scale_json(const ScaleSettings& scale) {
  Json json{{"percentiles", {scale.low_percent, scale.high_percent}}};
  scale_fields(scale, FieldWriter{json});
  if (scale.manual) json["range"] = {scale.manual->low, scale.manual->high};
  return json;
}

ScaleSettings scale_from(const Json& json) {
  ScaleSettings scale;
  scale_fields(scale, FieldReader{json});
  if (json.contains("percentiles")) {
    const auto percent = json.at("percentiles").get<std::array<double, 2>>();
    if (!(percent[0] >= 0 && percent[0] < percent[1] && percent[1] <= 100))
      throw Failure(ErrorCode::bad_input, "\"percentiles\" are two ascending numbers from 0 to 100.");
    scale.low_percent = percent[0];
    scale.high_percent = percent[1];
  }
  if (json.contains("range")) scale.manual = range_from(json.at("range"));
  return scale;
}

Json views_json(const std::array<PlaneRect, kPlanes>& views) {
  return {{"pattern", rect_json(views[0])}, {"spectrum", rect_json(views[1])}};
}

std::array<PlaneRect, kPlanes> views_from(const Json& json) {
  return {rect_from(json.at("pattern")), rect_from(json.at("spectrum"))};
}

Json look_json(const ColumnLook& look) {
  Json json = Json::object();
  if (look.views) json["views"] = views_json(*look.views);
  if (look.range) json["range"] = {look.range->low, look.range->high};
  if (!look.color_map.empty()) json["color_map"] = look.color_map;
  return json;
}

ColumnLook look_from(const Json& json) {
  ColumnLook look;
  if (json.contains("views")) look.views = views_from(json.at("views"));
  if (json.contains("range")) look.range = range_from(json.at("range"));
  look.color_map = json.value("color_map", std::string());
  return look;
}

void aid_fields(auto& aids, const auto& field) {
  field("blink", aids.blink);
  field("wipe", aids.wipe);
  field("line", aids.wipe_line, kWipeLines);
  field("position", aids.wipe_position);
  field("folding", aids.folding);
  field("against", aids.against);
}

CompareSettings aids_from(const Json& json) {
  CompareSettings aids;
  aid_fields(aids, FieldReader{json});
  if (!(aids.wipe_position >= 0 && aids.wipe_position <= 1))
    throw Failure(ErrorCode::bad_input, "\"position\" of a wipe is a number from 0 to 1.");
  return aids;
}

Json column_json(const SessionColumn& column) {
  Json json{{"method", column.method}, {"own_range", column.own_range}};
  if (column.block) json["block"] = *column.block;
  if (column.large) json["large"] = true;
  if (column.look != ColumnLook{}) json["look"] = look_json(column.look);
  if (column.arrangement.kind == Arrangement::Kind::reordered) {
    json["order"] = column.arrangement.order;
    json["order_seed"] = column.arrangement.seed;
  }
  json["parameters"] = column.parameters;
  return json;
}

SessionColumn column_from(const Json& json) {
  SessionColumn column;
  column.method = json.at("method").get<std::string>();
  column.own_range = json.value("own_range", false);
  column.large = json.value("large", false);
  if (json.contains("look")) column.look = look_from(json.at("look"));
  if (json.contains("block")) column.block = whole_number<std::uint32_t>(json.at("block"));
  if (json.contains("order")) {
    column.arrangement = {Arrangement::Kind::reordered, json.at("order").get<std::string>()};
    FieldReader{json}("order_seed", column.arrangement.seed);
  }
  if (json.contains("parameters")) json.at("parameters").get_to(column.parameters);
  return column;
}

/// The source of its text; a relative path is taken relative to the folder of the session.
std::string beside(const std::string& text, const std::string& session_file) {
  std::string source = source_from_text(text);
  if (source == "-" || is_generator_text(source) || fs::path(source).is_absolute()) return source;
  return (fs::absolute(session_file).parent_path() / source).lexically_normal().string();
}

/// The JSON of a matrix without choices of the user is its source alone.
Json matrix_json(const SessionMatrix& matrix) {
  if (matrix.reading == Reading{}) return text_of_source(matrix.source);
  Json json{{"source", text_of_source(matrix.source)}, {"weights", to_string(matrix.reading.weights)}};
  json["import"] = Json::object();
  for (const auto& [name, value] : matrix.reading.import) json["import"][name] = value;
  if (const auto& [least, most] = matrix.reading.kept; matrix.reading.kept != MagnitudeRange{})
    json["kept"] = {least, std::isfinite(most) ? Json(most) : Json()};
  return json;
}

/// [least, most]; null as `most` is no limit.
MagnitudeRange magnitudes_from(const Json& json) {
  MagnitudeRange range;
  range.least = json.at(0).get<double>();
  if (!json.at(1).is_null()) range.most = json.at(1).get<double>();
  if (!(json.size() == 2 && std::isfinite(range.least) && range.least >= 0 && range.most >= range.least))
    throw Failure(ErrorCode::bad_input,
                  R"("kept" is [least, most]: sizes |a|, ascending from 0; null as most is no limit.)");
  return range;
}

SessionMatrix matrix_from(const Json& json, const std::string& session_file) {
  if (json.is_string()) return {beside(json.get<std::string>(), session_file)};
  SessionMatrix matrix{beside(json.at("source").get<std::string>(), session_file)};
  matrix.reading.weights = or_throw(parse_weights(json.value("weights", to_string(Weights::pattern))));
  const Json import = json.value("import", Json::object());
  for (const auto& [name, value] : import.items())
    matrix.reading.import.push_back(or_throw(parse_import_option(name + "=" + value.get<std::string>())));
  if (json.contains("kept")) matrix.reading.kept = magnitudes_from(json.at("kept"));
  return matrix;
}

Budget budget_from(const Json& json) {
  Budget budget;
  FieldReader{json}("kind", budget.kind, kBudgets);
  budget.amount = json.at("amount").get<double>();
  if (!(std::isfinite(budget.amount) && budget.amount >= 0))
    throw Failure(ErrorCode::bad_input,
                  "The amount of a budget is a number of bytes or seconds, at least 0.");
  return budget;
}

/// The fields of a session that are numbers and names.
void session_fields(auto& session, const auto& field) {
  field("selected", session.selected);
  field("block", session.block);
  field("keep_aspect", session.square_units);
  field("grid_lines", session.grid_lines);
  field("grid", session.grid_form, kGridForms);
  field("rows", session.rows);
  field("seed", session.seed);
  field("drop_zeros", session.drop_zeros);
}

Session session_from(const Json& json, const std::string& file) {
  if (json.value("format", std::string()) != "spyctrum-session")
    throw Failure(ErrorCode::bad_input, R"("format" is not "spyctrum-session".)");
  if (const int version = whole_number<int>(json.at("version")); version != kVersion)
    throw Failure(ErrorCode::bad_input,
                  "its version is " + std::to_string(version) + "; this program reads version 1.");
  Session session;
  for (const Json& matrix : json.value("matrices", Json::array()))
    session.matrices.push_back(matrix_from(matrix, file));
  session_fields(session, FieldReader{json});
  session.grid_lines = std::min(session.grid_lines, kMostGridLines);
  if (json.contains("budget")) session.budget = budget_from(json.at("budget"));
  for (const Json& column : json.value("columns", Json::array()))
    session.columns.push_back(column_from(column));
  if (json.contains("views")) session.views = views_from(json.at("views"));
  if (json.contains("scale")) session.scale = scale_from(json.at("scale"));
  if (json.contains("compare")) session.aids = aids_from(json.at("compare"));
  if (json.contains("region")) session.region = rect_from(json.at("region"));
  if (json.contains("wave")) {
    const Json& wave = json.at("wave");
    session.wave = {whole_number<std::int64_t>(wave.at(0)), whole_number<std::int64_t>(wave.at(1))};
  }
  return session;
}

}  // namespace

Session session_of(const AppState& state) {
  Session session;
  for (const OpenMatrix& matrix : state.matrices)
    session.matrices.push_back({full_source(matrix.source), matrix.reading});
  session.selected = state.selected.value_or(0);
  session.block = state.block;
  session.budget = state.budget;
  ColumnId against = 0;
  for (const Column& column : state.columns) {
    if (column.is_of_region()) continue;
    SessionColumn kept{.method = column.method,
                       .parameters = column.parameters.text_unlike(find_method(column.method)->defaults()),
                       .own_range = column.own_range,
                       .large = column.large,
                       .look = column.look,
                       .arrangement = column.arrangement};
    if (column.own_block) kept.block = column.block;
    session.columns.push_back(std::move(kept));
    if (column.id == state.compare.against) against = static_cast<ColumnId>(session.columns.size());
  }
  const auto is_whole = [](const View& view) { return view.rect == view.full; };
  if (state.selected && !std::ranges::all_of(state.views, is_whole))
    session.views = {state.view(Plane::pattern).rect, state.view(Plane::spectrum).rect};
  session.square_units = state.settings.square_units;
  session.grid_form = state.settings.grid_form;
  session.grid_lines = state.settings.grid_lines;
  session.scale = state.scale;
  session.rows = state.compare.rows;
  session.aids = state.compare;
  session.aids->against = against;
  session.region = state.region;
  session.wave = state.wave;
  session.seed = state.settings.seed;
  session.drop_zeros = state.settings.drop_zeros;
  return session;
}

std::string to_json_text(const Session& session) {
  Json json{{"format", "spyctrum-session"},
            {"version", kVersion},
            {"matrices", Json::array()},
            {"columns", Json::array()},
            {"scale", scale_json(session.scale)}};
  session_fields(session, FieldWriter{json});
  for (const SessionMatrix& matrix : session.matrices) json["matrices"].push_back(matrix_json(matrix));
  for (const SessionColumn& column : session.columns) json["columns"].push_back(column_json(column));
  if (session.budget.kind != Budget::Kind::none) {
    FieldWriter{json["budget"]}("kind", session.budget.kind, kBudgets);
    json["budget"]["amount"] = session.budget.amount;
  }
  if (session.views) json["views"] = views_json(*session.views);
  if (session.aids) aid_fields(*session.aids, FieldWriter{json["compare"]});
  if (session.region) json["region"] = rect_json(*session.region);
  if (session.wave) json["wave"] = {session.wave->first, session.wave->second};
  return json_text(json, 2) + "\n";
}

Result<Session> parse_session(const std::string& text, const std::string& file) {
  const auto refuse = [&](const std::string& reason) {
    return fail(ErrorCode::bad_input, "The session " + file + " cannot be used: " + reason,
                "Save the session again, or correct the file.");
  };
  try {
    return session_from(parse_json<Json>(text), file);
  } catch (const std::exception& problem) {
    // The JSON library's messages begin with a number in brackets and end without a full stop.
    std::string reason = problem.what();
    if (reason.starts_with('[')) reason = reason.substr(reason.find("] ") + 2) + ".";
    return refuse(reason);
  }
}

Result<Session> read_session(const std::string& file) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20U;  // hundreds of columns need less
  std::ifstream in(file, std::ios::binary);
  if (!in) return fail(ErrorCode::bad_input, "The session " + file + " cannot be opened.", "Check the path.");
  std::string text(kMostBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  const char* const kAdvice = "Name a session that this program saved.";
  if (in.bad()) return fail(ErrorCode::bad_input, "The session " + file + " cannot be read.", kAdvice);
  if (text.size() > kMostBytes)
    return fail(ErrorCode::out_of_memory, "The session " + file + " is longer than 1 MiB.", kAdvice);
  return parse_session(text, file);
}

}  // namespace spyctrum
