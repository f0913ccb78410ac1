// SPDX-License-Identifier: Apache-2.0
// Which pictures the comparison has, and which of them have a colour bar. This follows from the settings
// alone, so that arriving results do not move pictures.
#include <algorithm>
#include <cmath>
#include <string>

#include "app/panels/comparison/cell.hpp"
#include "app/panels/widgets/theme.hpp"
#include "core/methods/method.hpp"

namespace spyctrum::panels {
namespace {

constexpr double kLongestSide = 4;  // longer side of a picture / shorter side; thinner planes get margins

/// Pictures of a row with equal keys share one range.
std::string range_key(const AppState& state, const Column& column, Row row) {
  const std::string own = "column " + std::to_string(column.id);
  if (row == Row::pattern) {
    const MethodInput input = find_method(column.method)->input(column.parameters);
    return column.is_of_matrix() && input == MethodInput::all_entries ? "entries" : own;
  }
  const bool looks_own = column.own_range || column.look.range || !column.look.color_map.empty();
  const bool is_own = !state.scale.shared || (row != Row::error && looks_own);
  return is_own ? own : "shared";
}

}  // namespace

bool has_picture(const Column& column, Row row) {
  if (row == Row::pattern || row == Row::spectrum) return true;
  const bool full_plane = find_method(column.method)->info().full_plane;
  if (row == Row::reconstruction) return !full_plane;
  return !column.reference && column.is_of_matrix();
}

GridRequest grid_request(const AppState& state, ImVec2 room) {
  GridRequest request;
  request.room = {room.x, room.y};
  request.form = state.settings.grid_form;
  // The user draws into the pattern, and the reader of a lesson compares it with the spectrum: it needs as
  // much room.
  const bool are_equal = state.sandbox.is_drawing || (state.lessons.lesson && state.columns.size() == 1);
  if (are_equal && request.form == GridForm::automatic) request.form = GridForm::rows;
  request.lines = state.settings.grid_lines;
  const PlaneRect& full = state.view(Plane::pattern).full;
  if (state.settings.square_units && full.height() > 0 && full.width() > 0)
    request.aspect = std::clamp(full.width() / full.height(), 1 / kLongestSide, kLongestSide);
  constexpr float kSignAndExponent = 8;  // points by which "+1e12" is longer than "5.20"
  const PatternPtr pattern = state.pattern();
  if (pattern && pattern->has_weights()) request.lengths.bar += kSignAndExponent;
  for (float* length :
       {&request.lengths.header, &request.lengths.wide_header, &request.lengths.narrow_header,
        &request.lengths.wide_card, &request.lengths.narrow_card, &request.lengths.caption,
        &request.lengths.narrow_caption, &request.lengths.narrow_picture, &request.lengths.bar,
        &request.lengths.gap, &request.lengths.padding, &request.lengths.spacing, &request.lengths.least_card,
        &request.lengths.least_picture, &request.lengths.least_slot})
    *length = std::round(px(*length));
  for (const Column& column : state.columns) {
    GridMethod method;
    for (std::size_t i = 0; i < kRows; ++i)
      method.shows[i] = state.compare.rows[i] && has_picture(column, static_cast<Row>(i));
    // While the spectra are hidden, a method of the whole plane shows its plane in the row of
    // reconstructions.
    constexpr auto kSpectrum = static_cast<std::size_t>(Row::spectrum),
                   kReconstruction = static_cast<std::size_t>(Row::reconstruction);
    if (!state.compare.rows[kSpectrum]) method.shows[kReconstruction] = state.compare.rows[kReconstruction];
    request.methods.push_back(method);
  }
  for (std::size_t i = 0; i < kRows; ++i) {
    std::vector<std::string> keys;
    for (std::size_t k = state.columns.size(); k-- > 0;) {
      GridMethod& method = request.methods[k];
      if (!method.shows[i]) continue;
      const std::string key = range_key(state, state.columns[k], static_cast<Row>(i));
      const auto known = std::ranges::find(keys, key);
      method.range[i] = static_cast<std::uint32_t>(known - keys.begin());
      method.bars[i] = known == keys.end();
      if (method.bars[i]) keys.push_back(key);
    }
  }
  const auto large = std::ranges::find(state.columns, true, &Column::large);
  if (large != state.columns.end()) request.large = static_cast<std::size_t>(large - state.columns.begin());
  return request;
}

}  // namespace spyctrum::panels
