// SPDX-License-Identifier: Apache-2.0
// The error row: five measures chosen in the panel, their colours, captions, colour bars, sessions and
// figures.
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "app/controller/files/comparison_figure.hpp"
#include "app/controller/pictures/phase_errors.hpp"
#include "app/controller/pictures/picture_task.hpp"
#include "app/panels/comparison/cell.hpp"
#include "tests/gui/gui_fixture.hpp"

namespace spyctrum::testing {
namespace {

constexpr const char* kMatrix = "gen:stochastic-blocks:n=300,blocks=6,p_in=0.15,p_out=0.005";

class Errors : public GuiTest {
 protected:
  [[nodiscard]] Controller::Options controller_options() override {
    Controller::Options options;
    options.write_figure = [this](const std::string&, const ComparisonFigure& figure, double) {
      figure_ = figure;
      return Result<void>();
    };
    return options;
  }
  void open_error_row() {
    open(kMatrix);
    CompareSettings compare = state().compare;
    compare.rows = {false, true, true, true};
    act(action::SetCompare{compare});
    settle();
  }
  void choose(PictureError measure) {
    const std::string label = std::string("**/") + info(measure).label;
    drive([&](ImGuiTestContext* c) { c->ItemClick(label.c_str()); });
    settle();
    ASSERT_EQ(state().scale.error, measure) << label;
  }
  [[nodiscard]] const Picture& error(std::size_t column) const {
    return state().columns.at(column).picture(Row::error);
  }
  ComparisonFigure figure_;  ///< the newest one that was written
};

TEST_F(Errors, EachMeasureHasItsOwnPictureRangeCaptionAndUnit) {
  open_error_row();
  std::vector<Pixels> seen;
  std::vector<std::string> captions;
  for (std::size_t k = 0; k < kPictureErrors.size(); ++k) {
    const auto measure = static_cast<PictureError>(k);
    choose(measure);
    SCOPED_TRACE(kPictureErrors.at(k));
    keep(std::string("error_") + kPictureErrors.at(k));
    ASSERT_TRUE(error(2).shown);
    EXPECT_EQ(error(2).against == nullptr, measure == PictureError::phase);
    EXPECT_LT(error(2).range.low, error(2).range.high);
    EXPECT_EQ(error(1).range, error(2).range) << "the columns share it";
    if (info(measure).is_signed) {
      EXPECT_EQ(error(2).range.low, -error(2).range.high);
    }
    EXPECT_TRUE(exists("bar error 3"));
    seen.push_back(pixels_of("picture error 3"));
    EXPECT_GT(contrast(seen.back()), 3);
    captions.push_back(panels::caption(state(), state().columns.at(2), Row::error));
    for (std::size_t earlier = 0; earlier < k; ++earlier) {
      EXPECT_GT(share_changed(seen[earlier], seen[k]), 0.2) << kPictureErrors.at(earlier);
      EXPECT_NE(captions[earlier], captions[k]);
      EXPECT_STRNE(info(static_cast<PictureError>(earlier)).unit, info(measure).unit);
    }
  }
  choose(PictureError::ratio);
  EXPECT_LT(share_changed(seen.front(), pixels_of("picture error 3")), 0.01)
      << "control: the first one again";
}

TEST_F(Errors, AreThoseOfThePixelsShown) {
  open_error_row();
  // A pixel's power in the picture of the reconstruction, in that of the reference, and in the exported
  // colours.
  const auto entries = static_cast<double>(state().pattern()->nonzeros());
  for (const PictureError measure :
       {PictureError::ratio, PictureError::magnitude, PictureError::relative, PictureError::squared}) {
    choose(measure);
    const Picture& picture = error(2);
    const RangeSpec spec{1, 99.3, true, true, Channel::mean, measure};
    const ImageRange range = measure_difference(*picture.shown, *picture.against, spec, entries);
    EXPECT_EQ(range.range, picture.own_range) << kPictureErrors.at(static_cast<std::size_t>(measure));
  }
  EXPECT_DOUBLE_EQ(*error_of(PictureError::ratio, 100, 1, 7), 2);
  EXPECT_DOUBLE_EQ(*error_of(PictureError::magnitude, 4, 9, 7), -1);
  EXPECT_DOUBLE_EQ(*error_of(PictureError::relative, 4, 16, 7), -0.5);
  EXPECT_DOUBLE_EQ(*error_of(PictureError::squared, 4, 144, 10), 1);
  EXPECT_FALSE(error_of(PictureError::ratio, 4, 0, 10)) << "not finite";
  EXPECT_EQ(error_of(PictureError::ratio, 0, 0, 10), 0.0);
}

TEST_F(Errors, PhasesOfExactSamplesAgreeAndThoseOfAReducedPlaneDoNot) {
  open_error_row();
  choose(PictureError::phase);
  const auto mean = [&](std::size_t column) {
    double sum = 0, count = 0;
    const CellImage& image = *error(column).shown;
    for (std::size_t k = 0; k < image.cells.size(); k += 2) {
      if (!std::isfinite(image.cells[k])) continue;
      sum += static_cast<double>(image.cells[k]);
      ++count;
    }
    return sum / count;
  };
  EXPECT_LT(mean(1), 1e-3) << "Elastic stores exact coefficients";
  EXPECT_GT(mean(2), 0.1);
  EXPECT_LT(mean(2), std::numbers::pi);
  // Node (0, 1) of the reduced plane against F[0, 1].
  const Spectrum& stored = *state().columns.at(2).spectrum;
  ThreadPool pool(1);
  JobContext context(pool);
  const SpectrumPtr phases = phase_errors(stored, *state().pattern(), context);
  for (std::uint64_t k = 0; k < stored.grid.cols.count(); ++k) {
    if (stored.grid.cols.signed_at(k) != 1) continue;
    const std::uint64_t row = [&] {
      std::uint64_t at = 0;
      while (stored.grid.rows.signed_at(at) != 0) ++at;
      return at;
    }();
    const std::uint64_t at = row * stored.grid.cols.count() + k;
    const auto exact = coefficient_at(*state().pattern(), 0, 1);
    const double apart = std::abs(std::arg(std::complex<double>(stored.values[at]) * std::conj(exact)));
    EXPECT_NEAR(std::norm(phases->values[at]), apart, 1e-4);
  }
}

TEST_F(Errors, TheMeasureIsKeptInASessionAndNamedInAFigure) {
  open_error_row();
  choose(PictureError::relative);
  const std::string session = write_file("errors.json", "");
  const action::ExportFigure figure{action::ExportFigure::One{state().columns.at(2).id, Row::error},
                                    "error.svg"};
  act(action::SaveSession{session});
  act(figure);
  settle();
  const ComparisonFigure relative = figure_;
  choose(PictureError::ratio);
  act(figure);
  settle();
  ASSERT_EQ(relative.rows.size(), 1U);
  ASSERT_EQ(figure_.rows.size(), 1U);
  EXPECT_EQ(relative.rows[0].unit, "Δ|F|/|F|");
  EXPECT_EQ(figure_.rows[0].unit, "dB");
  EXPECT_EQ(relative.rows[0].values, BarValues::plain);
  EXPECT_NE(relative.rows[0].pictures[0]->caption.find("relative"), std::string::npos);
  EXPECT_NE(relative.rows[0].pictures[0]->rgb, figure_.rows[0].pictures[0]->rgb);
  act(action::OpenFile{session});  // as a drop on the window does
  settle();
  EXPECT_EQ(state().scale.error, PictureError::relative);
}

}  // namespace
}  // namespace spyctrum::testing
