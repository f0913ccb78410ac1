// SPDX-License-Identifier: Apache-2.0
// Views are kept near the plane. The views of a matrix return when it is selected again, unless its file was
// read again and has other sides: then only the rectangles return, as far as they lie in the plane.
#include "app/controller/pictures/view_service.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

#include "core/io/quote.hpp"
#include "core/pictures/colormap.hpp"

namespace spyctrum {

namespace {

constexpr double kSmallestSide = 0.25;  // units: a quarter of a coefficient fills the panel
constexpr std::size_t kHistory = 64;

std::string first_map(ColorMap::Kind kind) {
  for (const ColorMap& map : color_maps())
    if (map.kind == kind) return std::string(map.name);
  return {};
}

std::string grouped(double value) {
  if (value < 9.95 && value != std::floor(value)) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", value);
    return text;
  }
  return spyctrum::grouped(static_cast<std::uint64_t>(std::llround(value)));
}

/// Shows the newest rectangle of one side of the history; the present one goes to the other side.
void step(View& view, std::vector<PlaneRect>& from, std::vector<PlaneRect>& to) {
  if (from.empty()) return;
  to.push_back(view.rect);
  view.rect = from.back();
  from.pop_back();
}

/// A rectangle of height×width around (row, col).
PlaneRect around(double row, double col, double height, double width) {
  return {row - height / 2, col - width / 2, row + height / 2, col + width / 2};
}

/// The nearest allowed view: its centre in the plane `full`, its sides between a quarter of a unit and twice
/// the plane. Empty where there is no plane or `rect` is no rectangle.
std::optional<PlaneRect> near_plane(const PlaneRect& rect, const PlaneRect& full) {
  const bool finite = std::isfinite(rect.top) && std::isfinite(rect.bottom) && std::isfinite(rect.left) &&
                      std::isfinite(rect.right);
  if (!finite || !(full.height() > 0) || !(rect.height() > 0) || !(rect.width() > 0)) return std::nullopt;
  const auto fit = [](double low, double high, double full_low, double full_high, double& out_low,
                      double& out_high) {
    // An allowed view is returned unchanged, to the last bit, so that sessions restore views exactly.
    const double least = std::min(kSmallestSide, full_high - full_low), most = 2 * (full_high - full_low);
    const double middle = (low + high) / 2;
    out_low = low;
    out_high = high;
    if (high - low >= least && high - low <= most && middle >= full_low && middle <= full_high) return;
    const double side = std::clamp(high - low, least, most);
    const double centre = std::clamp(middle, full_low, full_high);
    out_low = centre - side / 2;
    out_high = centre + side / 2;
  };
  PlaneRect fitted;
  fit(rect.top, rect.bottom, full.top, full.bottom, fitted.top, fitted.bottom);
  fit(rect.left, rect.right, full.left, full.right, fitted.left, fitted.right);
  return fitted;
}

std::string describe_view(const View& view, const PlaneRect& rect) {
  if (view.pixels.width == 0 || view.pixels.height == 0) return {};
  const double rows = rect.height() / view.pixels.height;
  const double cols = rect.width() / view.pixels.width;
  const std::string where = view.rect == view.full ? "whole spectrum" : "part of the spectrum";
  const auto is_coarse = [](double coefficients) { return coefficients > 0.999; };  // a pixel
  const auto along = [&](double coefficients) {
    return is_coarse(coefficients) ? grouped(coefficients) + " coefficients a pixel"
                                   : grouped(1 / coefficients) + " pixels a coefficient";
  };
  if (is_coarse(rows) != is_coarse(cols)) return where + " · u: " + along(rows) + ", v: " + along(cols);
  return where + " · " + grouped(is_coarse(rows) ? rows : 1 / rows) + " × " + along(cols);
}

}  // namespace

ViewService::ViewService(ServiceContext& context) : Service(context) {
  ScaleSettings& scale = state().scale;
  scale.color_map = first_map(ColorMap::Kind::sequential);
  const ColorMap* pattern_map = find_color_map("magma");
  scale.pattern_color_map = pattern_map != nullptr ? std::string(pattern_map->name) : scale.color_map;
  scale.error_color_map = first_map(ColorMap::Kind::diverging);
}

void ViewService::handle(const action::SetPictureSize& chosen) {
  // A panel without room for a picture requests none; the previous one is kept.
  if (chosen.size.width == 0 || chosen.size.height == 0) return;
  constexpr std::uint32_t kLargest = 8192;
  state().view(chosen.plane).pixels = {std::min(chosen.size.width, kLargest),
                                       std::min(chosen.size.height, kLargest)};
}

void ViewService::handle(const action::SetView& chosen) {
  Column* column = state().column(chosen.column);
  if (column == nullptr || !column->look.views) return set_view(chosen.plane, chosen.rect, chosen.remember);
  if (const auto fitted = near_plane(chosen.rect, state().view(chosen.plane).full))
    column->look.views->at(static_cast<std::size_t>(chosen.plane)) = *fitted;
}

void ViewService::handle(const action::FitView& chosen) {
  handle(action::SetView{chosen.plane, state().view(chosen.plane).full, true, chosen.column});
}

void ViewService::handle(const action::SetColumnLook& chosen) {
  Column* column = state().column(chosen.column);
  if (column == nullptr) return;
  ColumnLook look = chosen.look;
  if (look.range && !(std::isfinite(look.range->low) && look.range->low < look.range->high))
    return notify(Level::warning, "The low end of the range must be below its high end; it is unchanged.");
  if (!look.color_map.empty()) {
    const ColorMap* known = find_color_map(look.color_map);
    if (known == nullptr) return notify(Level::warning, "There is no colour map '" + look.color_map + "'.");
    look.color_map = known->name;
  }
  if (look.views) {
    for (std::size_t k = 0; k < kPlanes; ++k) {
      PlaneRect& rect = look.views->at(k);
      rect = near_plane(rect, state().views[k].full).value_or(state().views[k].rect);
    }
  }
  column->look = std::move(look);
}

void ViewService::handle(const action::OneToOne& chosen) {
  const View& view = state().view(chosen.plane);
  set_view(chosen.plane,
           around((view.rect.top + view.rect.bottom) / 2, (view.rect.left + view.rect.right) / 2,
                  view.pixels.height, view.pixels.width),
           true);
}

void ViewService::handle(const action::ResetViews&) {
  fit_views();
  ScaleSettings fresh;
  fresh.color_map = state().scale.color_map;
  fresh.pattern_color_map = state().scale.pattern_color_map;
  fresh.error_color_map = state().scale.error_color_map;
  state().scale = fresh;
}

void ViewService::handle(const action::ViewBack& chosen) {
  View& view = state().view(chosen.plane);
  step(view, view.back, view.forward);
}

void ViewService::handle(const action::ViewForward& chosen) {
  View& view = state().view(chosen.plane);
  step(view, view.forward, view.back);
}

void ViewService::handle(const action::GoTo& chosen) {
  if (state().matrix() == nullptr) return;
  const View& view = state().view(chosen.plane);
  // The centre of entry (i, j) is half a unit beyond its index; a coefficient is centred on its own.
  const double half = chosen.plane == Plane::pattern ? 0.5 : 0.0;
  const double row = static_cast<double>(chosen.row) + half;
  const double col = static_cast<double>(chosen.col) + half;
  const PlaneRect& full = view.full;
  if (row < full.top || row > full.bottom || col < full.left || col > full.right) {
    const auto range = [](double low, double high) {
      return std::to_string(std::llround(std::ceil(low))) + " … " +
             std::to_string(std::llround(std::ceil(high)) - 1);
    };
    return notify(Level::warning, "(" + std::to_string(chosen.row) + ", " + std::to_string(chosen.col) +
                                      ") lies outside the plane: rows " + range(full.top, full.bottom) +
                                      ", columns " + range(full.left, full.right) + ".");
  }
  set_view(chosen.plane, around(row, col, view.rect.height(), view.rect.width()), true);
  send(action::SetCrosshair{chosen.plane, row, col});
}

void ViewService::handle(const action::SetKeepAspect& chosen) {
  Settings settings = state().settings;
  settings.square_units = chosen.keep;
  send(action::SetSettings{settings});
}

void ViewService::handle(const action::SetScale& chosen) {
  const ScaleSettings& scale = chosen.scale;
  if (!(scale.low_percent >= 0 && scale.low_percent < scale.high_percent && scale.high_percent <= 100))
    return notify(Level::warning,
                  "The percentiles must ascend and lie within 0 … 100; the scale is unchanged.");
  if (scale.manual && !(std::isfinite(scale.manual->low) && scale.manual->low < scale.manual->high))
    return notify(Level::warning,
                  "The low end of the range must be below its high end; the scale is unchanged.");
  ScaleSettings named = scale;
  for (std::string* map : {&named.color_map, &named.pattern_color_map, &named.error_color_map}) {
    const ColorMap* known = find_color_map(*map);
    if (known == nullptr)
      return notify(Level::warning, "There is no colour map '" + *map + "'; the scale is unchanged.");
    *map = known->name;  // one name for each: find_color_map() knows short ones, too
  }
  state().scale = named;
}

void ViewService::handle(const action::AutoRange&) {
  state().scale.manual.reset();
  const ScaleSettings fresh;
  state().scale.low_percent = fresh.low_percent;
  state().scale.high_percent = fresh.high_percent;
}

void ViewService::handle(const action::SetCompare& chosen) {
  state().compare = chosen.compare;
  state().compare.wipe_position = std::clamp(state().compare.wipe_position, 0.0F, 1.0F);
}

void ViewService::set_view(Plane plane, PlaneRect rect, bool remember) {
  View& view = state().view(plane);
  const auto near = near_plane(rect, view.full);
  if (!near) return;
  const PlaneRect& fitted = *near;
  if (fitted == view.rect) return;
  if (remember) {
    view.back.push_back(view.rect);
    if (view.back.size() > kHistory) view.back.erase(view.back.begin());
    view.forward.clear();
  }
  view.rect = fitted;
}

void ViewService::fit_views() {
  const OpenMatrix* matrix = state().matrix();
  if (matrix == nullptr) return;
  const std::uint64_t m = matrix->matrix.pattern->rows();
  const std::uint64_t n = matrix->matrix.pattern->cols();
  for (const Plane plane : {Plane::pattern, Plane::spectrum}) {
    View& view = state().view(plane);
    view.full = plane == Plane::pattern ? full_pattern_rect(m, n) : full_spectrum_rect(m, n);
    view.rect = view.full;
    view.back.clear();
    view.forward.clear();
  }
}

void ViewService::reconcile() {
  std::erase_if(left_, [&](const auto& left) {
    return std::ranges::find(state().matrices, left.first, &OpenMatrix::id) == state().matrices.end();
  });
  state().status.view = state().matrix() == nullptr ? std::string()
                                                    : describe_view(state().view(Plane::spectrum),
                                                                    picture_rect(state(), Plane::spectrum));
}

void ViewService::forget_matrix() {
  if (const OpenMatrix* left = state().matrix())
    left_[left->id] = {left->matrix.pattern->rows(), left->matrix.pattern->cols(), state().views};
}

void ViewService::matrix_selected() {
  fit_views();
  for (Column& column : state().columns) column.look.views.reset();
  const OpenMatrix& matrix = *state().matrix();
  const auto known = left_.find(matrix.id);
  if (known == left_.end()) return;
  if (known->second.rows != matrix.matrix.pattern->rows() ||
      known->second.cols != matrix.matrix.pattern->cols()) {
    // The matrix was read again and has other sides: the view keeps the part of the rectangle that still
    // exists.
    for (const Plane plane : {Plane::pattern, Plane::spectrum}) {
      const View& before = known->second.views[static_cast<std::size_t>(plane)];
      if (before.rect != before.full) set_view(plane, before.rect, false);
    }
    left_.erase(known);
    return;
  }
  for (std::size_t plane = 0; plane < kPlanes; ++plane) {
    const PixelSize pixels = state().views[plane].pixels;
    state().views[plane] = known->second.views[plane];
    state().views[plane].pixels = pixels;
  }
}

void ViewService::matrix_closed(bool was_selected) {
  if (!was_selected) return;
  for (View& view : state().views) view.rect = view.full = {};
}

}  // namespace spyctrum
