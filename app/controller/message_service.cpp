// SPDX-License-Identifier: Apache-2.0
// Toasts expire, errors later than other messages; the log keeps its newest lines.
#include "app/controller/message_service.hpp"

#include <algorithm>

namespace spyctrum {

namespace {

constexpr std::size_t kLogEntries = 2000;
constexpr auto kInfoToast = std::chrono::seconds(5);
constexpr auto kErrorToast = std::chrono::seconds(12);

}  // namespace

void MessageService::handle(const action::Notify& chosen) {
  state().log.push_back({std::chrono::system_clock::now(), chosen.level, chosen.text});
  if (state().log.size() > kLogEntries) state().log.pop_front();
  if (!chosen.toast) return;
  // A repeated message replaces its earlier toast, unless the user has pinned that.
  std::erase_if(state().toasts, [&](const Toast& toast) {
    return (!toast.pinned || toast.offer) && toast.text == chosen.text;
  });
  const auto stays = chosen.level == Level::info ? kInfoToast : kErrorToast;
  state().toasts.push_back({next_toast_++, chosen.level, chosen.text,
                            std::chrono::steady_clock::now() + stays, chosen.offer.has_value(),
                            chosen.offer});
}

void MessageService::handle(const action::DismissToast& chosen) {
  std::erase_if(state().toasts, [&](const Toast& toast) { return toast.id == chosen.toast; });
}

void MessageService::handle(const action::PinToast& chosen) {
  for (Toast& toast : state().toasts)
    if (toast.id == chosen.toast) toast.pinned = true;
}

bool MessageService::refresh(SteadyTime now) {
  return std::erase_if(state().toasts,
                       [&](const Toast& toast) { return !toast.pinned && toast.expires <= now; }) > 0;
}

std::optional<SteadyTime> MessageService::next_change() const {
  std::optional<SteadyTime> next;
  for (const Toast& toast : state().toasts)
    if (!toast.pinned) next = std::min(next.value_or(toast.expires), toast.expires);
  return next;
}

}  // namespace spyctrum
