// SPDX-License-Identifier: Apache-2.0
// What all services use: messages, and jobs with the allowance and seed of the settings.
#include "app/controller/service.hpp"

#include <utility>

namespace spyctrum {

void Service::notify(Level level, std::string text, bool toast) const {
  send(action::Notify{level, std::move(text), toast});
}

void Service::report_unreadable(const std::string& source, const Error& error) {
  state().load_failures.emplace_back(source, error);
  notify(Level::error, error.message());
}

JobRequest Service::request_job(Lane lane, std::string key, std::string title) const {
  JobRequest request;
  request.lane = lane;
  request.key = std::move(key);
  request.title = std::move(title);
  request.memory_bytes = state().settings.memory_bytes;
  request.seed = state().settings.seed;
  return request;
}

std::string Service::matrix_name() const {
  const OpenMatrix* matrix = state().matrix();
  return matrix == nullptr ? std::string() : matrix->matrix.name;
}

}  // namespace spyctrum
