// SPDX-License-Identifier: Apache-2.0
// Settings are checked when they arrive, and written by a job at the next frame.
#include "app/controller/files/settings_service.hpp"

#include <utility>

namespace spyctrum {

SettingsService::SettingsService(ServiceContext& context, Folders folders)
    : Service(context), folders_(std::move(folders)), recent_(state().recent) {}

SettingsService::~SettingsService() {
  if (changed_ || state().recent != recent_)
    static_cast<void>(keep(folders_, state().settings, state().recent));
}

void SettingsService::handle(const action::SetSettings& chosen) {
  Settings& settings = state().settings;
  if (chosen.settings.threads != settings.threads)
    notify(Level::info, "The number of threads changes at the next start.");
  settings = chosen.settings;
  if (!(settings.good_enough >= 0 && settings.good_enough <= 0.1)) settings.good_enough = 0;
  if (!(settings.ui_scale >= 0 && settings.ui_scale <= 8)) settings.ui_scale = 0;
  changed_ = true;
}

void SettingsService::handle(const action::ClearRecent& /*chosen*/) { state().recent.clear(); }

bool SettingsService::refresh(SteadyTime /*now*/) {
  if (!changed_ && state().recent == recent_) return false;
  changed_ = false;
  recent_ = state().recent;
  if (folders_.config.empty() && folders_.state.empty()) return false;
  JobRequest request = request_job(Lane::input_output, "settings", "Settings");
  request.background = true;
  request.listed = false;
  jobs().submit<bool>(
      request,
      [folders = folders_, settings = state().settings, recent = recent_](JobContext&) {
        if (auto kept = keep(folders, settings, recent); !kept) throw Failure(kept.error());
        return true;
      },
      [this](Result<bool> kept) {
        if (!kept) notify(Level::warning, kept.error().message());
      });
  return false;
}

}  // namespace spyctrum
