// SPDX-License-Identifier: Apache-2.0
// What all services use: messages, and jobs with the allowance and seed of the settings.
#include "app/controller/service.hpp"

#include <utility>

#include "core/base/text.hpp"

namespace spyctrum {

void Service::notify(Level level, std::string text, bool toast) const {
  send(action::Notify{level, std::move(text), toast});
}

void Service::report_unreadable(const std::string& source, const Error& error, const Reading& reading) {
  state().load_failures.emplace_back(source, error);
  std::optional<ReadingOffer> offer;
  if (!error.setting.empty()) {
    offer = {"Read again: ", source, reading};
    for (const auto& choice : error.setting) {
      std::erase_if(offer->reading.import, [&](const auto& chosen) { return chosen.first == choice.first; });
      offer->reading.import.emplace_back(choice);
    }
    offer->label += joined(error.setting, [](const auto& one) { return one.first + " = " + one.second; });
  }
  send(action::Notify{Level::error, error.message(), true, std::move(offer)});
}

void Service::report(const Error& error, const std::string& prefix, Level level, bool toast) const {
  if (error.code != ErrorCode::cancelled) notify(level, prefix + error.message(), toast);
}

JobRequest Service::request_job(Lane lane, std::string key, std::string title, ColumnId column) const {
  const bool listed = !title.empty();
  const Settings& settings = state().settings;
  return {lane, std::move(key), std::move(title), column, listed, settings.memory_bytes, settings.seed};
}

std::string Service::matrix_name() const {
  const OpenMatrix* matrix = state().matrix();
  return matrix == nullptr ? std::string() : matrix->matrix.name;
}

}  // namespace spyctrum
