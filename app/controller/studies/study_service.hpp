// SPDX-License-Identifier: Apache-2.0
// The folder of a study that is open, and which of its figures fills the screen. Owns no data of its own;
// cells of the study are opened by SessionService.
#pragma once

#include "app/controller/service.hpp"

namespace spyctrum {

class StudyService : public Service {
 public:
  using Service::Service;
  void handle(const action::OpenStudy& chosen);
  void handle(const action::CloseStudy& chosen);
};

}  // namespace spyctrum
