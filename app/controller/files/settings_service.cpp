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
  if (chosen.settings.threads != state().settings.threads)
    notify(Level::info, "The number of threads changes at the next start.");
  state().settings = within_limits(chosen.settings);
  changed_ = true;
}

bool SettingsService::refresh(SteadyTime /*now*/) {
  if (!changed_ && state().recent == recent_) return false;
  changed_ = false;
  recent_ = state().recent;
  if (folders_.config.empty() && folders_.state.empty()) return false;
  jobs().submit(
      request_job(Lane::input_output, "settings", {}),
      [folders = folders_, settings = state().settings, recent = recent_](JobContext&) {
        or_throw(keep(folders, settings, recent));
      },
      [this](const Result<void>& kept) {
        if (!kept) notify(Level::warning, kept.error().message());
      });
  return false;
}

}  // namespace spyctrum
