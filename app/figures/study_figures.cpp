// SPDX-License-Identifier: Apache-2.0
// The list of figures, and the files of each.
#include "app/figures/study_figures.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "app/figures/illustration.hpp"
#include "app/figures/plot.hpp"
#include "core/io/quote.hpp"

namespace spyctrum {

namespace {

constexpr double kWidth = 468, kHeight = 250;  // points: 6.5 inches, the text width of a letter page
constexpr double kMargin = 8;
constexpr std::uint64_t kLargest = 25000;  // longest side of a matrix whose pictures are drawn

struct ByMatrix {
  const char* file;
  const char* title;
  CellValue value;
};
std::vector<ByMatrix> by_matrix() {
  return {{"11-whole-plane-seconds", "Seconds", value_seconds()},
          {"12-whole-plane-preparation", "Seconds of preparation", value_preparation()},
          {"13-whole-plane-memory", "Peak of booked bytes", value_bytes()}};
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

/// The block size of the pictures of that matrix: the paper's b = 32 if the study has it.
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

/// Writes one page in every form. Throws Failure.
class Writer {
 public:
  explicit Writer(const Study& study, JobContext& context)
      : folder_(std::filesystem::path(study.folder) / "figures"), context_(context) {
    std::error_code problem;
    std::filesystem::create_directories(folder_, problem);
    if (problem)
      throw Failure(ErrorCode::output, folder_.string() + " cannot be made: " + problem.message() + ".");
  }
  void write(const std::string& name, double width, double height, const std::function<void(Page&)>& draw) {
    for (const char* ending : {".svg", ".pdf", ".png"}) {
      context_.check_stop();
      files_.push_back((folder_ / (name + ending)).string());
      or_throw(write_page(files_.back(), width, height, draw));
    }
  }
  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }

 private:
  std::filesystem::path folder_;
  JobContext& context_;
  std::vector<std::string> files_;
};

void draw_pictures(Writer& writer, const Study& study, JobContext& context) {
  const StudyMatrix* const matrix = pictured(study);
  if (matrix == nullptr) return;
  const auto tiles =
      run_guarded([&] { return illustration_tiles(study, *matrix, pictured_block(study), context); });
  context.check_stop();
  if (!tiles) return;  // the file is gone, or too large for the memory: the figures do without its pictures
  const std::string title = matrix->name + ", " + grouped(matrix->rows) + " × " + grouped(matrix->cols) +
                            ", K = " + grouped(matrix->nonzeros) +
                            ", b = " + std::to_string(pictured_block(study));
  writer.write("pictures-" + slug_of(matrix->name), kWidth, illustration_height(tiles->size(), kWidth),
               [&](Page& page) { draw_illustration(page, kWidth, title, *tiles); });
}

}  // namespace

Result<std::vector<std::string>> draw_study_figures(const Study& study, JobContext& context) {
  return run_guarded([&] {
    Writer writer(study, context);
    const Box whole{kMargin, kMargin, kWidth - 2 * kMargin, kHeight - 2 * kMargin};
    for (const StudyGroup& group : study_groups(study)) {
      const std::string prefix = slug_of(group.title) + "-";
      for (std::size_t k = 0; k < kStudyPlots; ++k) {
        const auto plot = static_cast<StudyPlot>(k);
        writer.write(prefix + file_name_of(plot), kWidth, kHeight,
                     [&](Page& page) { draw_study_plot(page, whole, study, plot, group); });
      }
      for (const ByMatrix& figure : by_matrix())
        writer.write(prefix + figure.file, kWidth, kHeight, [&](Page& page) {
          draw_by_matrix(page, whole, study, group, figure.title, figure.value);
        });
    }
    draw_pictures(writer, study, context);
    return writer.files();
  });
}

}  // namespace spyctrum
