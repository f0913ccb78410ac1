// SPDX-License-Identifier: Apache-2.0
// Files that leave the program: features, values, pictures, sessions. Each is written by a job from values
// that are copied when the action arrives. Owns no data.
#pragma once

#include <functional>
#include <string>

#include "app/controller/service.hpp"

namespace spyctrum {

class ExportService : public Service {
 public:
  using Service::Service;
  void handle(const action::ExportFeatures& chosen);
  void handle(const action::ExportValues& chosen);
  void handle(const action::ExportPicture& chosen);
  void handle(const action::SaveSession& chosen);

 private:
  void write_file(const std::string& path, std::function<void(JobContext&)> write);
};

}  // namespace spyctrum
