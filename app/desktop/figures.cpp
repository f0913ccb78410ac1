// SPDX-License-Identifier: Apache-2.0
// Draws one frame for each figure, then the comparison grid of one matrix with every sampled method.
#include "app/desktop/figures.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "app/controller/controller.hpp"
#include "app/desktop/app_frame.hpp"
#include "app/panels/plots/study_plots.hpp"

namespace spyctrum {

namespace {

constexpr std::chrono::seconds kPatience{180};  // for the jobs behind the pictures
constexpr std::uint64_t kLargest = 25000;       // longest side of a matrix whose pictures are drawn

Result<void> show(AppFrame& frame, const std::string& path) {
  for (int k = 0; k < 3; ++k) frame.frame();  // the effect of an action is laid out one frame later
  return frame.capture(path);
}

/// The matrix whose pictures are drawn: CoraFull as in the paper, else the largest with sides up to kLargest.
const StudyMatrix* pictured(const Study& study) {
  const StudyMatrix* best = study.matrix("corafull");
  if (best != nullptr && best->problem.empty()) return best;
  best = nullptr;
  for (const StudyMatrix& matrix : study.matrices)
    if (matrix.problem.empty() && std::max(matrix.rows, matrix.cols) <= kLargest &&
        (best == nullptr || matrix.rows > best->rows))
      best = &matrix;
  return best;
}

/// The block size of those pictures: the paper's b = 32 where the study has it.
std::uint32_t pictured_block(const Study& study) {
  const std::vector<std::uint32_t> blocks = study_blocks(study);
  if (blocks.empty() || std::ranges::find(blocks, 32U) != blocks.end()) return 32;
  return blocks[blocks.size() / 2];
}

std::string slug_of(std::string title) {
  std::ranges::replace_if(
      title, [](unsigned char c) { return std::isalnum(c) == 0; }, '-');
  return title;
}

}  // namespace

Result<std::vector<std::string>> draw_figures(AppFrame& frame, Controller& controller,
                                              const std::string& folder) {
  controller.dispatch(action::OpenStudy{folder});
  frame.run_until_idle(AppFrame::Clock::now() + kPatience);
  const std::shared_ptr<const Study> study = controller.state().study;
  if (!study) {
    return controller.load_failures().empty()
               ? Result<std::vector<std::string>>(fail(ErrorCode::bad_input, folder + " could not be read."))
               : tl::unexpected<Error>(controller.load_failures().front().second);
  }
  const auto target = std::filesystem::path(folder) / "figures";
  std::error_code problem;
  std::filesystem::create_directories(target, problem);
  if (problem)
    return fail(ErrorCode::output, target.string() + " cannot be made: " + problem.message() + ".");
  std::vector<std::string> files;
  const std::vector<StudyGroup> groups = study_groups(*study);
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (std::size_t plot = 0; plot < panels::kStudyPlots; ++plot) {
      controller.dispatch(action::ShowStudyFigure{StudyFigure{plot, group}});
      files.push_back((target / (slug_of(groups[group].title) + "-" +
                                 panels::file_name_of(static_cast<panels::StudyPlot>(plot))))
                          .string());
      if (auto shown = show(frame, files.back()); !shown) return tl::unexpected<Error>(shown.error());
    }
  }
  controller.dispatch(action::ShowStudyFigure{});
  const StudyMatrix* matrix = pictured(*study);
  if (matrix == nullptr) return files;
  controller.dispatch(action::ShowSidePanels{false});
  controller.dispatch(action::OpenStudyCell{matrix->name, usual_method(MethodRole::samples).info().id,
                                            pictured_block(*study)});
  frame.run_until_idle(AppFrame::Clock::now() + kPatience);
  for (const std::string& method : study_methods(*study)) {
    const Method* known = find_method(method);
    if (known != nullptr && known->info().uses_block)
      controller.dispatch(action::UseSetting{method, pictured_block(*study)});
  }
  controller.dispatch(action::CloseStudy{});
  frame.run_until_idle(AppFrame::Clock::now() + kPatience);
  files.push_back((target / ("pictures-" + slug_of(matrix->name) + ".png")).string());
  if (auto shown = show(frame, files.back()); !shown) return tl::unexpected<Error>(shown.error());
  return files;
}

}  // namespace spyctrum
