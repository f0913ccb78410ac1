// SPDX-License-Identifier: Apache-2.0
// The short actions: those that only write state and leave the work to reconcile().
#include <algorithm>
#include <cmath>

#include "app/controller/controller.hpp"
#include "core/pictures/colormap.hpp"

namespace spyctrum {

void Controller::handle(const action::ClearRecent&) {
  state_.recent.clear();
  settings_changed_ = true;
}

void Controller::handle(const action::SetColumnOwnRange& chosen) {
  if (Column* column = state_.column(chosen.column)) column->own_range = chosen.own;
}

void Controller::handle(const action::SetPictureSize& chosen) {
  // A panel that is being squeezed to nothing asks for no picture; the old one stays.
  if (chosen.size.width == 0 || chosen.size.height == 0) return;
  constexpr std::uint32_t kLargest = 8192;
  state_.view(chosen.plane).pixels = {std::min(chosen.size.width, kLargest),
                                      std::min(chosen.size.height, kLargest)};
}

void Controller::handle(const action::SetView& chosen) {
  set_view(chosen.plane, chosen.rect, chosen.remember);
}

void Controller::handle(const action::FitView& chosen) {
  set_view(chosen.plane, state_.view(chosen.plane).full, true);
}

void Controller::handle(const action::OneToOne& chosen) {
  const View& view = state_.view(chosen.plane);
  const double row = (view.rect.top + view.rect.bottom) / 2;
  const double col = (view.rect.left + view.rect.right) / 2;
  const double rows = view.pixels.height;
  const double cols = view.pixels.width;
  set_view(chosen.plane, {row - rows / 2, col - cols / 2, row + rows / 2, col + cols / 2}, true);
}

void Controller::handle(const action::ResetViews&) {
  fit_views();
  ScaleSettings fresh;
  fresh.color_map = state_.scale.color_map;
  fresh.pattern_color_map = state_.scale.pattern_color_map;
  fresh.error_color_map = state_.scale.error_color_map;
  state_.scale = fresh;
}

void Controller::handle(const action::ViewBack& chosen) {
  View& view = state_.view(chosen.plane);
  if (view.back.empty()) return;
  view.forward.push_back(view.rect);
  view.rect = view.back.back();
  view.back.pop_back();
}

void Controller::handle(const action::ViewForward& chosen) {
  View& view = state_.view(chosen.plane);
  if (view.forward.empty()) return;
  view.back.push_back(view.rect);
  view.rect = view.forward.back();
  view.forward.pop_back();
}

void Controller::handle(const action::GoTo& chosen) {
  if (state_.matrix() == nullptr) return;
  const View& view = state_.view(chosen.plane);
  // The centre of entry (i, j) is half a unit beyond its index; a coefficient is centred on its own.
  const double half = chosen.plane == Plane::pattern ? 0.5 : 0.0;
  const double row = static_cast<double>(chosen.row) + half;
  const double col = static_cast<double>(chosen.col) + half;
  const PlaneRect& full = view.full;
  if (row < full.top || row > full.bottom || col < full.left || col > full.right) {
    notify(Level::warning, "(" + std::to_string(chosen.row) + ", " + std::to_string(chosen.col) +
                               ") lies outside the plane: rows " +
                               std::to_string(std::llround(std::ceil(full.top))) + " … " +
                               std::to_string(std::llround(std::ceil(full.bottom)) - 1) + ", columns " +
                               std::to_string(std::llround(std::ceil(full.left))) + " … " +
                               std::to_string(std::llround(std::ceil(full.right)) - 1) + ".");
    return;
  }
  const double height = view.rect.height() / 2;
  const double width = view.rect.width() / 2;
  set_view(chosen.plane, {row - height, col - width, row + height, col + width}, true);
  place_crosshair(chosen.plane, row, col);
}

void Controller::handle(const action::SetCrosshair& chosen) {
  if (state_.matrix() != nullptr) place_crosshair(chosen.plane, chosen.row, chosen.col);
}

void Controller::handle(const action::ClearCrosshair&) { state_.crosshair = {}; }

void Controller::handle(const action::SetKeepAspect& chosen) { state_.keep_aspect = chosen.keep; }

void Controller::handle(const action::ShowWave& chosen) { state_.wave = chosen.frequency; }

void Controller::handle(const action::SetScale& chosen) {
  const ScaleSettings& scale = chosen.scale;
  if (!(scale.low_percent >= 0 && scale.low_percent < scale.high_percent && scale.high_percent <= 100)) {
    notify(Level::warning, "The percentiles must ascend and lie within 0 … 100; the scale is unchanged.");
    return;
  }
  if (scale.manual && !(std::isfinite(scale.manual->low) && scale.manual->low < scale.manual->high)) {
    notify(Level::warning, "The low end of the range must be below its high end; the scale is unchanged.");
    return;
  }
  ScaleSettings named = scale;
  for (std::string* map : {&named.color_map, &named.pattern_color_map, &named.error_color_map}) {
    const ColorMap* known = find_color_map(*map);
    if (known == nullptr) {
      notify(Level::warning, "There is no colour map '" + *map + "'; the scale is unchanged.");
      return;
    }
    *map = known->name;  // one name for each: find_color_map() knows short ones, too
  }
  state_.scale = named;
}

void Controller::handle(const action::AutoRange&) {
  state_.scale.manual.reset();
  const ScaleSettings fresh;
  state_.scale.low_percent = fresh.low_percent;
  state_.scale.high_percent = fresh.high_percent;
}

void Controller::handle(const action::SetCompare& chosen) {
  state_.compare = chosen.compare;
  state_.compare.wipe_position = std::clamp(state_.compare.wipe_position, 0.0F, 1.0F);
}

void Controller::handle(const action::CancelJob& chosen) { runner_.cancel(chosen.job); }

void Controller::handle(const action::CancelNewest&) {
  const auto jobs = runner_.views();
  const auto newest =
      std::find_if(jobs.rbegin(), jobs.rend(), [](const JobView& job) { return !job.stopping; });
  if (newest != jobs.rend()) {
    const auto awaited = std::find_if(jobs.rbegin(), jobs.rend(),
                                      [](const JobView& job) { return !job.stopping && !job.background; });
    runner_.cancel(awaited != jobs.rend() ? awaited->id : newest->id);
  } else {
    state_.interface.overlay = Overlay::none;
  }
}

void Controller::handle(const action::CaptureScreen& chosen) { state_.interface.capture_path = chosen.path; }

void Controller::handle(const action::CaptureDone& chosen) {
  state_.interface.capture_path.clear();
  if (chosen.error.empty()) {
    notify(Level::info, "Wrote " + chosen.path + ".");
  } else {
    notify(Level::error, chosen.error);
  }
}

void Controller::handle(const action::SetOverlay& chosen) { state_.interface.overlay = chosen.overlay; }
void Controller::handle(const action::ShowSidePanels& chosen) { state_.interface.side_panels = chosen.show; }
void Controller::handle(const action::ShowLog& chosen) { state_.interface.log_open = chosen.show; }
void Controller::handle(const action::ResetLayout&) {
  ++state_.interface.layout_resets;
  state_.interface.side_panels = true;
}

void Controller::handle(const action::FocusColumn& chosen) {
  if (chosen.index < state_.columns.size()) state_.interface.focused_column = chosen.index;
}

void Controller::handle(const action::SetSettings& chosen) {
  if (chosen.settings.threads != state_.settings.threads) {
    notify(Level::info, "The number of threads changes at the next start.");
  }
  const bool other_backend = chosen.settings.backend != state_.settings.backend;
  const bool other_end = chosen.settings.good_enough != state_.settings.good_enough;
  state_.settings = chosen.settings;
  if (other_backend) {
    options_.backend.reset();  // the newer wish wins over the command line's
    choose_backend();
  }
  if (!(state_.settings.good_enough >= 0 && state_.settings.good_enough <= 0.1))
    state_.settings.good_enough = 0;
  if (other_end) change_good_enough();
  if (!(state_.settings.ui_scale >= 0 && state_.settings.ui_scale <= 8)) state_.settings.ui_scale = 0;
  settings_changed_ = true;
}

void Controller::handle(const action::DismissToast& chosen) {
  std::erase_if(state_.toasts, [&](const Toast& toast) { return toast.id == chosen.toast; });
}

void Controller::handle(const action::Notify& chosen) { notify(chosen.level, chosen.text); }
void Controller::handle(const action::ClearLog&) { state_.log.clear(); }
void Controller::handle(const action::Quit&) { state_.interface.quit = true; }

}  // namespace spyctrum
