// SPDX-License-Identifier: Apache-2.0
// What follows from AppState without being stored: rectangles of pictures, the reference, advised settings.
#include "app/controller/state.hpp"

#include <algorithm>
#include <cmath>

#include "core/frequency/frequency_grid.hpp"
#include "core/methods/method.hpp"

namespace spyctrum {

std::string_view name_of(Row row) {
  constexpr std::array<std::string_view, kRows> kNames{"pattern", "spectrum", "reconstruction", "error"};
  return kNames.at(static_cast<std::size_t>(row));
}

const Features* Column::features() const {
  if (estimate) return &estimate->features;
  return spectrum && spectrum->features ? &*spectrum->features : nullptr;
}

const Features* Column::feature_deviations() const {
  if (estimate) return &estimate->errors;
  return spectrum && spectrum->feature_errors ? &*spectrum->feature_errors : nullptr;
}

const std::vector<StrongCoefficient>* Column::strongest() const {
  const Spectrum* source = streamed ? streamed.get() : spectrum.get();
  return source == nullptr || source->strongest.empty() ? nullptr : &source->strongest;
}

const Column* AppState::column(ColumnId id) const {
  const auto found = std::ranges::find(columns, id, &Column::id);
  return found == columns.end() ? nullptr : &*found;
}
Column* AppState::column(ColumnId id) { return const_cast<Column*>(std::as_const(*this).column(id)); }

double magnitude_unit(const AppState& state) {
  const PatternPtr pattern = state.pattern();
  return pattern ? std::ldexp(1.0, pattern->weight_exponent()) : 1;
}

float power_shift(const AppState& state) { return static_cast<float>(2 * std::log10(magnitude_unit(state))); }

PatternPtr AppState::pattern() const {
  const OpenMatrix* open = matrix();
  return open == nullptr ? nullptr : open->matrix.pattern;
}

PatternPtr AppState::pattern_of(const Column& column) const {
  return column.is_of_matrix() ? pattern() : column.pattern;
}

const Column* AppState::reference() const {
  const auto found = std::ranges::find(columns, true, &Column::reference);
  return found == columns.end() ? nullptr : &*found;
}

const Column* AppState::focused() const {
  if (columns.empty()) return nullptr;
  return &columns[std::min(interface.focused_column, columns.size() - 1)];
}

bool shows_values(const AppState& state, const Column& column) {
  const PatternPtr pattern = state.pattern_of(column);
  const MethodInput input = find_method(column.method)->input(column.parameters);
  return pattern && pattern->has_weights() && state.scale.values != ValueQuantity::count &&
         (input == MethodInput::all_entries || input == MethodInput::largest_entries ||
          input == MethodInput::densities);
}

bool has_log_values(const AppState& state) {
  if (state.scale.value_scale != ValueScale::automatic) return state.scale.value_scale == ValueScale::log;
  return state.matrix() != nullptr && state.matrix()->needs_log_scale;
}

std::uint32_t largest_block(const AppState& state) {
  constexpr std::uint64_t kLeast = 128;
  const OpenMatrix* open = state.matrix();
  if (open == nullptr) return kLargestBlock;
  const SparsePattern& pattern = *open->matrix.pattern;
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(std::max(pattern.rows(), pattern.cols()), kLeast, kLargestBlock));
}

namespace {

/// A sixteenth more, and no more than two digits of it.
std::uint32_t with_room(std::uint32_t block) {
  const std::uint32_t more = block + (block + 15) / 16;
  std::uint32_t unit = 1;
  while (more / unit >= 100) unit *= 10;
  return (more + unit - 1) / unit * unit;
}

}  // namespace

ParameterValues advised_setting(const AppState& state, const Column& column) {
  if (!column.error) return {};
  ParameterValues setting = column.error->setting;
  const auto block = setting.find("block");
  if (block == setting.end()) return setting;
  const auto resolved = resolve(*find_method(column.method), setting);
  if (!resolved) return {};
  const auto advised = static_cast<std::uint32_t>(resolved->integer("block"));
  block->second = std::to_string(std::max(advised, std::min(with_room(advised), largest_block(state))));
  return setting;
}

PlaneRect view_of(const AppState& state, const Column& column, Plane plane) {
  return column.look.views ? column.look.views->at(static_cast<std::size_t>(plane)) : state.view(plane).rect;
}

const Column* compared_column(const AppState& state) {
  const Column* chosen = state.column(state.compare.against);
  return chosen != nullptr ? chosen : state.reference();
}

namespace {

/// Squares would make of a plane with a side beyond this many times the other a line in its picture.
constexpr double kMostSlender = 16;

bool has_square_units(const AppState& state) {
  const PlaneRect& full = state.view(Plane::pattern).full;
  return state.settings.square_units && full.width() <= kMostSlender * full.height() &&
         full.height() <= kMostSlender * full.width();
}

}  // namespace

PlaneRect picture_rect(const AppState& state, Plane plane, const Column* column) {
  const View& view = state.view(plane);
  const PlaneRect rect = column != nullptr ? view_of(state, *column, plane) : view.rect;
  if (!has_square_units(state) || view.pixels.width == 0 || view.pixels.height == 0) return rect;
  const double row_unit = rect.height() / view.pixels.height;
  const double col_unit = rect.width() / view.pixels.width;
  const double unit = std::max(row_unit, col_unit);
  const double more_rows = (unit * view.pixels.height - rect.height()) / 2;
  const double more_cols = (unit * view.pixels.width - rect.width()) / 2;
  return {rect.top - more_rows, rect.left - more_cols, rect.bottom + more_rows, rect.right + more_cols};
}

std::optional<KeptShare> kept_share(const AppState& state, const Column& column) {
  const PatternPtr pattern = state.pattern_of(column);
  const MethodInput input = find_method(column.method)->input(column.parameters);
  if (input != MethodInput::largest_entries || !column.spectrum || !pattern || pattern->nonzeros() == 0)
    return std::nullopt;
  const Spectrum& spectrum = *column.spectrum;
  const double kept = static_cast<double>(block_count(spectrum.m, spectrum.block)) *
                      static_cast<double>(block_count(spectrum.n, spectrum.block));
  const double squares = spectrum.weights ? spectrum.weights->squares : pattern->weight_squares();
  return KeptShare{std::min(1.0, kept / static_cast<double>(pattern->nonzeros())),
                   std::min(1.0, squares / pattern->weight_squares())};
}

}  // namespace spyctrum
