// SPDX-License-Identifier: Apache-2.0
// Reading a study is a job; a study that cannot be read leaves the one that is open.
#include "app/controller/studies/study_service.hpp"

#include <memory>

#include "app/study/study.hpp"

namespace spyctrum {

void StudyService::handle(const action::OpenStudy& chosen) {
  if (state().interface.overlay == Overlay::gallery) state().interface.overlay = Overlay::none;
  jobs().submit(
      request_job(Lane::input_output, "study", "Study " + chosen.folder),
      [folder = chosen.folder](JobContext&) {
        return std::make_shared<const Study>(or_throw(load_study(folder)));
      },
      [this, folder = chosen.folder](Result<std::shared_ptr<const Study>> study) {
        if (study)
          state().study = *study;
        else
          report_unreadable(folder, study.error());
      });
}

void StudyService::handle(const action::CloseStudy&) {
  jobs().drop("study");
  state().study.reset();
  if (state().matrix() == nullptr) state().interface.overlay = Overlay::gallery;
}

}  // namespace spyctrum
