// SPDX-License-Identifier: Apache-2.0
// The table of kinds, the parser of gen: texts with its checks, and the parameters that several kinds share.
#include "core/matrix/generators.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/base/counts_text.hpp"
#include "core/base/stopwatch.hpp"
#include "core/base/text.hpp"
#include "core/matrix/drawing.hpp"
#include "core/matrix/generator_parameters.hpp"

namespace spyctrum {

namespace {

constexpr std::string_view kGeneratorPrefix = "gen:";
constexpr double kBytesPerEntry = 20;  // two packed copies of 8 bytes while sorting, and 4 in the pattern

std::string format_number(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15)
    return std::to_string(static_cast<std::int64_t>(value));
  std::string text(32, '\0');
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  text.resize(static_cast<std::size_t>(end - text.data()));
  return text;
}

std::string list_of_keys(const GeneratorInfo& info) {
  return joined(info.parameters, &GeneratorParameter::name) + (info.random ? ", seed" : "");
}

std::string list_of_kinds() { return joined(generators(), &GeneratorInfo::kind) + ", drawing"; }

std::optional<double> parse_plain(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto value = parse_number<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::vector<float> values_of(const SparsePattern& pattern, const Generator::Outcome& outcome,
                             JobContext& context) {
  std::vector<float> values(static_cast<std::size_t>(pattern.nonzeros()));
  const auto ids = pattern.column_ids();
  for_blocks(&context, ids.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      auto t = static_cast<std::size_t>(pattern.column_starts()[k]);
      for (const Index row : pattern.column(k)) values[t++] = static_cast<float>(outcome.value(row, ids[k]));
    }
  });
  return values;
}

Matrix make_matrix(std::string_view text, bool with_values, JobContext& context) {
  if (is_drawing_text(text)) return matrix_of(or_throw(parse_drawing(text)));
  const Stopwatch watch;
  std::string_view rest = text.substr(kGeneratorPrefix.size());
  const std::string_view kind = rest.substr(0, rest.find(':'));
  const auto& table = generator_table();
  const auto found = std::ranges::find(table, kind, [](const Generator& one) { return one.info.kind; });
  if (found == table.end())
    throw Failure(ErrorCode::wrong_use,
                  std::string(text) + ": '" + std::string(kind) + "' is not a kind of matrix.",
                  "Possible kinds: " + list_of_kinds() + ".");
  GeneratorValues values(std::string(text), found->info, context.seed());
  rest.remove_prefix(std::min(rest.size(), kind.size() + 1));
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find(','));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos)
      throw Failure(ErrorCode::wrong_use,
                    std::string(text) + ": '" + std::string(pair) + "' lacks its '='; expected key=value.",
                    "Keys of " + found->info.kind + ": " + list_of_keys(found->info) + ".");
    values.set(pair.substr(0, equals), pair.substr(equals + 1));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
  }
  context.begin_stage("generate");
  Generator::Outcome outcome = found->make(values, context);
  context.begin_stage("sort");
  Matrix matrix;
  auto pattern = SparsePattern::from_packed(outcome.rows, outcome.cols, std::move(outcome.chunks), context);
  if (outcome.mirror) pattern = pattern.symmetrised(&context);
  matrix.pattern = std::make_shared<const SparsePattern>(std::move(pattern));
  matrix.name = std::string(text.substr(kGeneratorPrefix.size()));
  matrix.report.file = text;
  matrix.report.format = "generated " + found->info.kind;
  matrix.report.field = "pattern";
  if (with_values && outcome.value) {
    context.begin_stage("values");
    matrix.report.field = "real";
    matrix.values = std::make_shared<const std::vector<float>>(values_of(*matrix.pattern, outcome, context));
  }
  matrix.report.entries_in_file = matrix.pattern->nonzeros();
  matrix.report.notes = std::move(outcome.notes);
  if (found->info.random) matrix.report.notes.push_back("Seed " + std::to_string(values.seed()) + ".");
  matrix.report.seconds = watch.seconds();
  return matrix;
}

}  // namespace

Result<double> parse_generator_number(std::string_view text) {
  if (const auto plain = parse_plain(text)) return *plain;
  if (const std::size_t hat = text.find('^'); hat != std::string_view::npos) {
    const auto base = parse_plain(text.substr(0, hat)), exponent = parse_plain(text.substr(hat + 1));
    if (base && exponent && *exponent == std::floor(*exponent) && *exponent >= 0 && *exponent <= 64) {
      double value = 1;
      for (int k = 0; k < static_cast<int>(*exponent); ++k) value *= *base;
      if (std::isfinite(value)) return value;
    }
  }
  return fail(ErrorCode::wrong_use, "'" + std::string(text) + "' is not a number.",
              "Write 1000, 1e6, 0.01 or 2^20.");
}

GeneratorValues::GeneratorValues(std::string text, const GeneratorInfo& info, std::uint64_t default_seed)
    : text_(std::move(text)), info_(info), default_seed_(default_seed) {}

void GeneratorValues::set(std::string_view key, std::string_view value) {
  const std::string name(key);
  const auto refuse = [&](const std::string& what, const std::string& advice) {
    throw Failure(ErrorCode::wrong_use, text_ + ": " + what, advice);
  };
  GeneratorParameter parameter = seed_parameter();
  if (!info_.random || key != "seed") {
    const auto found = std::ranges::find(info_.parameters, key, &GeneratorParameter::name);
    if (found == info_.parameters.end())
      refuse("'" + name + "' is not a key of " + info_.kind + ".",
             "Possible keys: " + list_of_keys(info_) + ".");
    parameter = *found;
  }
  const Result<double> number = parse_generator_number(value);
  if (!number) refuse(name + ": " + number.error().what, number.error().advice);
  if (parameter.integer && *number != std::floor(*number))
    refuse(name + "=" + std::string(value) + " is not a whole number.", parameter.help);
  if (*number < parameter.minimum || *number > parameter.maximum)
    refuse(name + "=" + std::string(value) + " is out of range; possible: " +
               format_number(parameter.minimum) + " to " + format_number(parameter.maximum) + ".",
           parameter.help);
  if (!given_.emplace(name, *number).second) refuse("'" + name + "' is given twice.", "Give it once.");
}

double GeneratorValues::real(std::string_view key) const {
  if (const auto found = given_.find(key); found != given_.end()) return found->second;
  const auto found = std::ranges::find(info_.parameters, key, &GeneratorParameter::name);
  if (found != info_.parameters.end()) return found->default_value;
  throw Failure(ErrorCode::internal, info_.kind + " has no parameter '" + std::string(key) + "'.");
}

std::int64_t GeneratorValues::integer(std::string_view key) const {
  return static_cast<std::int64_t>(real(key));
}

std::uint64_t GeneratorValues::seed() const {
  const auto found = given_.find("seed");
  return found == given_.end() ? default_seed_ : static_cast<std::uint64_t>(found->second);
}

std::uint64_t GeneratorValues::side(std::string_view key) const { return given(key) ? size(key) : size("n"); }

Failure GeneratorValues::bad(const std::string& what, const std::string& advice) const {
  return {ErrorCode::wrong_use, text_ + ": " + what, advice};
}

void GeneratorValues::check_memory(double entries, JobContext& context) const {
  const double bytes = entries * kBytesPerEntry;
  const MemoryLedger& memory = context.memory();
  if (bytes <= static_cast<double>(memory.allowance()) - static_cast<double>(memory.current())) return;
  const auto needed = static_cast<std::uint64_t>(std::min(bytes, 1e19));
  throw Failure(ErrorCode::out_of_memory,
                text_ + " would hold about " +
                    grouped(static_cast<std::uint64_t>(std::min(std::round(entries), 1e19))) +
                    " entries and need " + format_bytes(needed) + " while it is made; the allowance is " +
                    format_bytes(memory.allowance()) + ".",
                "Choose fewer entries or a smaller side, or allow more memory (--memory, or Preferences in "
                "the window).");
}

GeneratorParameter side_parameter(double default_value) {
  return {"n", "rows and columns", 1, kMostRows, default_value, true};
}

std::vector<GeneratorParameter> rectangle_parameters(double default_n) {
  return {side_parameter(default_n),
          {"rows", "rows; default: n", 1, kMostRows, default_n, true},
          {"cols", "columns; default: n", 1, kMostRows, default_n, true}};
}

GeneratorParameter seed_parameter() {
  constexpr double kLargestExact = 9007199254740992;  // 2^53: every whole number up to it is a double
  return {"seed", "the seed is a whole number; the same one makes the same matrix", 0, kLargestExact, 1,
          true};
}

void fill_columns(Generator::Outcome& outcome, const GeneratorValues& values, double entries,
                  JobContext& context,
                  const std::function<void(std::uint64_t, std::vector<PackedEntry>&)>& rows_of) {
  values.check_memory(entries, context);
  const std::uint64_t cols = outcome.cols;
  // Blocks of columns with about 2^18 entries: a few ms of work each.
  const double per_column = std::max(1.0, entries / static_cast<double>(cols));
  const auto block = static_cast<std::uint64_t>(std::max(1.0, 262144.0 / per_column));
  EntryChunks& chunks = outcome.chunks;
  chunks.resize((cols + block - 1) / block);
  std::atomic<std::uint64_t> done{0};
  context.pool().parallel_for(chunks.size(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t c = begin; c < end; ++c) {
      const std::uint64_t last = std::min(cols, (c + 1) * block);
      for (std::uint64_t col = c * block; col < last; ++col) rows_of(col, chunks[c]);
      chunks[c].shrink_to_fit();
      context.checkpoint(done.fetch_add(1) + 1, chunks.size());
    }
  });
}

const std::vector<Generator>& generator_table() {
  static const std::vector<Generator> table = [] {
    std::vector<Generator> all;
    add_structured_generators(all);
    add_grid_generators(all);
    add_random_generators(all);
    add_graph_generators(all);
    add_number_generators(all);
    return all;
  }();
  return table;
}

const std::vector<GeneratorInfo>& generators() {
  static const std::vector<GeneratorInfo> infos = [] {
    std::vector<GeneratorInfo> all;
    for (const Generator& one : generator_table()) all.push_back(one.info);
    return all;
  }();
  return infos;
}

bool is_generator_text(std::string_view text) { return text.starts_with(kGeneratorPrefix); }

Result<Matrix> generate(std::string_view text, JobContext& context, bool with_values) {
  if (!is_generator_text(text))
    return fail(ErrorCode::wrong_use, "'" + std::string(text) + "' is not a generator text.",
                "Write gen:KIND:key=value,…; kinds: " + list_of_kinds() + ".");
  return run_guarded([&] { return make_matrix(text, with_values, context); });
}

}  // namespace spyctrum
