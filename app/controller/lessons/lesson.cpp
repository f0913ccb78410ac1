// SPDX-License-Identifier: Apache-2.0
// The parser of lessons: lines "field: value", continued by indented lines. Every field has one entry in a
// table, of the lesson or of a step.
#include "app/controller/lessons/lesson.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "core/base/text.hpp"
#include "core/io/json_text.hpp"
#include "core/matrix/drawing.hpp"
#include "core/matrix/generators.hpp"
#include "core/matrix/reordering.hpp"
#include "core/matrix/weights.hpp"
#include "core/methods/method.hpp"

namespace spyctrum {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFirstLine = "spyctrum lesson 1";
constexpr std::size_t kMostBytes = 1U << 20U, kMostLessonSteps = 200, kMostText = 2000, kMostChoices = 6,
                      kMostColumns = 6;

/// A field of the file: where it stands, its name, its lines.
struct Field {
  std::size_t line = 0;
  std::string name;
  std::vector<std::string> lines;  ///< without the blanks around them; the first one stands behind the colon

  [[nodiscard]] std::string value() const {
    std::string all;
    for (const std::string& one : lines)
      if (!one.empty()) all += (all.empty() ? "" : " ") + one;
    return all;
  }
};

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string short_text(std::string_view text) {
  constexpr std::size_t kMost = 60;
  return "\"" + std::string(text.substr(0, kMost)) + (text.size() > kMost ? "…" : "") + "\"";
}

/// The error of a field; parse_lesson() adds file and line.
Failure wrong(const std::string& what, const std::string& advice = {}) {
  return {ErrorCode::bad_input, what, advice};
}

std::int64_t integer_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto value = parse_number<std::int64_t>(text);
  constexpr std::int64_t kMost = 4'294'967'296;
  if (!value || *value > kMost || *value < -kMost) throw wrong(short_text(text) + " is not a whole number.");
  return *value;
}

/// "-8..8, 0..4": rows and columns, both ends included; "whole": nothing.
std::optional<std::array<std::int64_t, 4>> ranges_of(const std::string& value) {
  if (value == "whole") return {};
  const auto advice = "Write FIRST..LAST, FIRST..LAST for rows and columns, as -8..8, 0..4, or whole.";
  const std::vector<std::string> parts = split(value, ',');
  if (parts.size() != 2) throw wrong(short_text(value) + " is no pair of ranges.", advice);
  std::array<std::int64_t, 4> ends{};
  for (std::size_t k = 0; k < 2; ++k) {
    const std::size_t dots = parts[k].find("..");
    if (dots == std::string::npos) throw wrong(short_text(parts[k]) + " is no range.", advice);
    ends.at(2 * k) = integer_of(trimmed(std::string_view(parts[k]).substr(0, dots)));
    ends.at(2 * k + 1) = integer_of(trimmed(std::string_view(parts[k]).substr(dots + 2)));
    if (ends.at(2 * k) > ends.at(2 * k + 1)) throw wrong(short_text(parts[k]) + " ends before it begins.");
  }
  return ends;
}

std::optional<PlaneRect> rect_of(const std::string& value, double half) {
  const auto ends = ranges_of(value);
  if (!ends) return {};
  const auto& [top, bottom, left, right] = *ends;
  return PlaneRect{static_cast<double>(top) - half, static_cast<double>(left) - half,
                   static_cast<double>(bottom) + 1 - half, static_cast<double>(right) + 1 - half};
}

std::array<bool, kRows> rows_of(const std::string& value) {
  std::array<bool, kRows> rows{};
  for (const std::string& name : split(value, ',')) {
    std::size_t k = 0;
    while (k < kRows && name_of(static_cast<Row>(k)) != name) ++k;
    if (k == kRows)
      throw wrong(short_text(name) + " is no row of pictures.",
                  "Possible: pattern, spectrum, reconstruction, error.");
    rows.at(k) = true;
  }
  return rows;
}

/// "density-map block=16 order=rcm"
SessionColumn column_of(const std::string& text) {
  const std::vector<std::string> words = words_of(text);
  SessionColumn column;
  column.method = words.empty() ? std::string() : words.front();
  const Method* method = find_method(column.method);
  if (method == nullptr)
    throw wrong(short_text(column.method) + " is no method.",
                "Possible: " + joined(methods(), [](const auto& one) { return one->info().id; }) + ".");
  for (std::size_t k = 1; k < words.size(); ++k) {
    const std::size_t equals = words[k].find('=');
    if (equals == std::string::npos) throw wrong(short_text(words[k]) + " is not name=value.");
    const std::string name = words[k].substr(0, equals), value = words[k].substr(equals + 1);
    if (name == "order") {
      if (find_order(value) == nullptr)
        throw wrong(short_text(value) + " is no order.",
                    "Possible: " + joined(orders(), [](const auto& one) { return one.id; }) + ".");
      column.arrangement = {Arrangement::Kind::reordered, value, 1};
    } else {
      column.parameters[name] = value;
    }
  }
  const auto resolved = resolve(*method, column.parameters);
  if (!resolved) throw wrong(resolved.error().what, resolved.error().advice);
  if (const auto block = column.parameters.extract("block"); !block.empty())
    column.block = static_cast<std::uint32_t>(integer_of(block.mapped()));
  return column;
}

/// "curve=linear reduced=centre": fields of the scale of a session, which are read as a session reads them.
ScaleSettings scale_of(const std::string& value, const std::string& file) {
  nlohmann::json scale = nlohmann::json::object();
  for (const std::string& word : words_of(value)) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) throw wrong(short_text(word) + " is not name=value.");
    const std::string name = word.substr(0, equals), given = word.substr(equals + 1);
    constexpr std::array kNames{"curve", "channel",   "skip_dc", "skip_axes", "shared",        "values",
                                "fill",  "color_map", "reduced", "error",     "single_samples"};
    if (std::ranges::find(kNames, name) == kNames.end())
      throw wrong(short_text(name) + " is no setting of the scale.", "Possible: " + joined(kNames) + ".");
    if (given == "yes" || given == "no")
      scale[name] = given == "yes";
    else
      scale[name] = given;
  }
  const nlohmann::json session{{"format", "spyctrum-session"}, {"version", 1}, {"scale", scale}};
  // An invalid byte becomes a replacement character and is then refused as a name.
  const auto read = parse_session(json_text(session), file);
  if (!read) throw wrong("the scale cannot be used: " + read.error().what);
  return read->scale;
}

/// A drawing: lines of '.' and '#', at most 128 × 128.
std::string drawn_source(const Field& field) {
  std::uint32_t rows = 0, cols = 0;
  for (const std::string& line : field.lines) {
    if (line.empty()) continue;
    ++rows;
    cols =
        std::max(cols, static_cast<std::uint32_t>(std::min<std::size_t>(line.size(), kLargestDrawing + 1)));
  }
  if (rows > kLargestDrawing || cols > kLargestDrawing)
    throw wrong("the drawn matrix is larger than 128 × 128.");
  Drawing drawing(rows, cols);
  std::uint32_t row = 0;
  for (const std::string& line : field.lines) {
    if (line.empty()) continue;
    for (std::uint32_t col = 0; col < line.size(); ++col) {
      if (line[col] != '.' && line[col] != '#')
        throw wrong("'" + line.substr(col, 1) + "' stands in the drawn matrix.",
                    "Draw with '.' for an empty position and '#' for an entry.");
      drawing.at(row, col) = line[col] == '#' ? 1 : 0;
    }
    ++row;
  }
  return drawing_text(drawing);
}

std::string matrix_source(const Field& field, const std::string& file) {
  std::string value = field.value();
  if (value.empty())
    throw wrong("the matrix is missing.", "Name a file, write gen:KIND:key=value,… or draw it.");
  if (field.lines.front().empty()) return drawn_source(field);
  if (is_drawing_text(value)) {
    (void)or_throw(parse_drawing(value));
    return value;
  }
  if (is_generator_text(value)) {
    const std::string kind = split(value, ':').at(1);
    if (std::ranges::find(generators(), kind, &GeneratorInfo::kind) == generators().end())
      throw wrong(short_text(kind) + " is not a kind of matrix.",
                  "Possible: " + joined(generators(), &GeneratorInfo::kind) + ".");
    return value;
  }
  if (fs::path(value).is_absolute()) return value;
  return (fs::absolute(file).parent_path() / value).lexically_normal().string();
}

/// What has been read so far.
struct Draft {
  Lesson lesson;
  bool has_answer = false;  ///< of the present step
  std::string file;

  [[nodiscard]] LessonStep& step() { return lesson.steps.back(); }

  /// Throws where the present step lacks something. Called before the next one begins.
  void finish_step() {
    if (lesson.steps.empty()) return;
    const LessonStep& last = lesson.steps.back();
    const std::string name = "step " + short_text(last.title);
    if (last.text.empty()) throw wrong(name + " has no text.");
    if (last.session.matrices.empty()) throw wrong(name + " has no matrix, and no step before it has one.");
    if (!last.question.empty() && !(has_answer && last.choices.size() >= 2))
      throw wrong(name + " asks, but has no two choices of which one is the answer.",
                  "Write a line choice: for a wrong and answer: for the right one.");
    if (last.question.empty() && (!last.choices.empty() || !last.reveal.empty()))
      throw wrong(name + " has an answer but no ask:.");
  }

  /// Matrix, columns, block size, rows and scale stay until a step changes them.
  void begin_step(const std::string& title) {
    finish_step();
    if (lesson.steps.size() == kMostLessonSteps) throw wrong("a lesson has at most 200 steps.");
    LessonStep next;
    if (lesson.steps.empty()) {
      next.session.columns = {{.method = usual_method(MethodRole::window).info().id}};
      next.session.rows = {true, true, false, false};
    } else {
      next.session = lesson.steps.back().session;
      next.session.region.reset();
      next.session.wave.reset();
      next.matrix_line = lesson.steps.back().matrix_line;
    }
    next.title = title;
    lesson.steps.push_back(std::move(next));
    has_answer = false;
  }

  void add_choice(const std::string& value, bool is_answer) {
    if (step().choices.size() == kMostChoices) throw wrong("a question has at most 6 choices.");
    if (is_answer && has_answer) throw wrong("the question has two answers.");
    if (is_answer) step().answer = step().choices.size();
    has_answer = has_answer || is_answer;
    step().choices.push_back(value);
  }
};

using Take = void (*)(Draft&, const Field&);
struct FieldRule {
  const char* name;
  Take take;
};

constexpr std::array<FieldRule, 3> kLessonFields = {{
    {"title", [](Draft& to, const Field& field) { to.lesson.title = field.value(); }},
    {"about", [](Draft& to, const Field& field) { to.lesson.about = field.value(); }},
    {"step", [](Draft& to, const Field& field) { to.begin_step(field.value()); }},
}};

constexpr std::array<FieldRule, 19> kStepFields = {{
    {"step", [](Draft& to, const Field& field) { to.begin_step(field.value()); }},
    {"text", [](Draft& to, const Field& field) { to.step().text = field.value(); }},
    {"try", [](Draft& to, const Field& field) { to.step().to_try = field.value(); }},
    {"ask", [](Draft& to, const Field& field) { to.step().question = field.value(); }},
    {"choice", [](Draft& to, const Field& field) { to.add_choice(field.value(), false); }},
    {"answer", [](Draft& to, const Field& field) { to.add_choice(field.value(), true); }},
    {"reveal", [](Draft& to, const Field& field) { to.step().reveal = field.value(); }},
    {"before", [](Draft& to, const Field& field) { to.step().rows_before = rows_of(field.value()); }},
    {"matrix",
     [](Draft& to, const Field& field) {
       to.step().session.matrices = {{matrix_source(field, to.file), {}}};
       to.step().matrix_line = field.line;
     }},
    {"weights",
     [](Draft& to, const Field& field) {
       const auto weights = parse_weights(field.value());
       if (!weights) throw wrong(weights.error().what, weights.error().advice);
       if (to.step().session.matrices.empty()) throw wrong("weights: stands before the matrix.");
       to.step().session.matrices.front().reading.weights = *weights;
     }},
    {"columns",
     [](Draft& to, const Field& field) {
       std::vector<SessionColumn>& columns = to.step().session.columns;
       columns.clear();
       for (const std::string& one : split(field.value(), ',')) columns.push_back(column_of(one));
       if (columns.size() > kMostColumns) throw wrong("a step has at most 6 columns.");
     }},
    {"block",
     [](Draft& to, const Field& field) {
       const std::int64_t block = integer_of(field.value());
       if (block < 1 || block > kLargestBlock) throw wrong("a block size is at least 1.");
       to.step().session.block = static_cast<std::uint32_t>(block);
     }},
    {"rows", [](Draft& to, const Field& field) { to.step().session.rows = rows_of(field.value()); }},
    {"pattern", [](Draft& to, const Field& field) { to.step().views[0] = rect_of(field.value(), 0); }},
    {"spectrum", [](Draft& to, const Field& field) { to.step().views[1] = rect_of(field.value(), 0.5); }},
    {"region", [](Draft& to, const Field& field) { to.step().session.region = rect_of(field.value(), 0); }},
    {"wave",
     [](Draft& to, const Field& field) {
       const std::vector<std::string> parts = split(field.value(), ',');
       if (parts.size() != 2) throw wrong(short_text(field.value()) + " is no frequency.", "Write u, v.");
       to.step().session.wave = {integer_of(parts[0]), integer_of(parts[1])};
     }},
    {"folding",
     [](Draft& to, const Field& field) {
       if (field.value() != "yes" && field.value() != "no") throw wrong("folding: is yes or no.");
       to.step().folding = field.value() == "yes";
     }},
    {"scale",
     [](Draft& to, const Field& field) { to.step().session.scale = scale_of(field.value(), to.file); }},
}};

template <std::size_t Count>
void take_field(const std::array<FieldRule, Count>& rules, Draft& reading, const Field& field) {
  const auto rule = std::ranges::find_if(rules, [&](const FieldRule& one) { return one.name == field.name; });
  if (rule == rules.end())
    throw wrong("there is no field " + short_text(field.name) + " here.",
                "Possible: " + joined(rules, &FieldRule::name) + ".");
  if (field.name != "matrix" && field.value().empty()) throw wrong(field.name + ": has no value.");
  if (field.name != "matrix" && field.value().size() > kMostText)
    throw wrong(field.name + ": is longer than 2000 bytes.");
  rule->take(reading, field);
}

/// The fields of the file. Throws for a line that is not a field, whose number `line` then is.
std::vector<Field> fields_of(std::string_view text, std::size_t& line) {
  std::vector<Field> fields;
  line = 0;
  bool has_first = false;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view raw = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++line;
    if (raw.ends_with('\r')) raw.remove_suffix(1);
    if (line == 1) raw = without_byte_order_mark(raw);
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 32 && c != '\t'; };
    if (std::ranges::any_of(raw, is_control)) throw wrong("a control character stands in this line.");
    const std::string_view content = trimmed(raw);
    const bool is_indented = raw.starts_with(' ') || raw.starts_with('\t');
    if (content.empty() || (!is_indented && content.starts_with('#'))) continue;
    if (!has_first) {
      if (content != kFirstLine)
        throw wrong("a lesson begins with the line \"" + std::string(kFirstLine) + "\", not " +
                    short_text(content) + ".");
      has_first = true;
      continue;
    }
    if (is_indented) {
      if (fields.empty()) throw wrong("an indented line continues a field, and none stands before it.");
      fields.back().lines.emplace_back(content);
      continue;
    }
    const std::size_t colon = content.find(':');
    if (colon == std::string_view::npos) throw wrong(short_text(content) + " is not \"field: value\".");
    fields.push_back({line,
                      std::string(trimmed(content.substr(0, colon))),
                      {std::string(trimmed(content.substr(colon + 1)))}});
  }
  if (!has_first)
    throw wrong("the file is empty.", "A lesson begins with \"" + std::string(kFirstLine) + "\".");
  return fields;
}

}  // namespace

bool is_lesson_file(std::string_view path) { return path.ends_with(kLessonEnding); }

Result<Lesson> parse_lesson(std::string_view text, const std::string& file) {
  std::size_t line = 1;
  const auto read = [&] {
    Draft reading;
    reading.file = file;
    reading.lesson.path = file;
    for (const Field& field : fields_of(text, line)) {
      line = field.line;
      if (reading.lesson.steps.empty())
        take_field(kLessonFields, reading, field);
      else
        take_field(kStepFields, reading, field);
    }
    reading.finish_step();
    if (reading.lesson.title.empty()) throw wrong("the lesson has no title:.");
    if (reading.lesson.steps.empty()) throw wrong("the lesson has no step:.");
    return std::move(reading.lesson);
  };
  Result<Lesson> lesson = run_guarded(read);
  if (!lesson) {
    lesson.error().code = ErrorCode::bad_input;
    lesson.error().what =
        fs::path(file).filename().string() + ", line " + std::to_string(line) + ": " + lesson.error().what;
  }
  return lesson;
}

Result<Lesson> read_lesson(const std::string& file) {
  std::error_code failed;
  const bool is_file = fs::is_regular_file(file, failed);
  const auto size = is_file ? fs::file_size(file, failed) : 0;
  if (!is_file || failed)
    return fail(ErrorCode::bad_input, "There is no file " + file + ".", "Check the path.");
  if (size > kMostBytes)
    return fail(ErrorCode::bad_input, file + " is larger than a megabyte, which no lesson is.");
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) return fail(ErrorCode::bad_input, file + " cannot be read.", "Check its permissions.");
  return parse_lesson(text.str(), file);
}

}  // namespace spyctrum
