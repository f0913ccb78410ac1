// SPDX-License-Identifier: Apache-2.0
// Pictures show what is in the data: ridges at every zoom, brightness of reconstructions, coefficients that
// are zero to rounding, and labels that agree with numbers while the slider moves.
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "app/panels/comparison/cell.hpp"
#include "tests/gui/gui_fixture.hpp"

namespace spyctrum::testing {
namespace {

class TruePictures : public GuiTest {
 protected:
  [[nodiscard]] const CellImage& image(std::size_t column, Row row) const {
    return *state().columns.at(column).picture(row).shown;
  }
  void zoom(double u, double v, double side) {
    act(action::SetView{Plane::spectrum, {u - side / 2, v - side / 2, u + side / 2, v + side / 2}});
    settle();
  }
  /// A full diagonal and `noise` random entries a row: a ridge along u + v = 0 over noise.
  std::string ridge_over_noise(int n, int noise) {
    std::mt19937 random(3);
    std::set<std::pair<int, int>> entries;
    for (int i = 1; i <= n; ++i) {
      entries.emplace(i, i);
      for (int k = 0; k < noise; ++k)
        entries.emplace(i, 1 + static_cast<int>(random() % static_cast<unsigned>(n)));
    }
    std::ostringstream text;
    text << "%%MatrixMarket matrix coordinate pattern general\n"
         << n << ' ' << n << ' ' << entries.size() << '\n';
    for (const auto& [i, j] : entries) text << i << ' ' << j << '\n';
    return write_file("ridge.mtx", text.str());
  }
};

double luma(const Pixels& pixels, std::size_t x, std::size_t y) {
  const std::size_t at = 3 * (y * pixels.width + x);
  return 0.299 * pixels.rgb.at(at) + 0.587 * pixels.rgb.at(at + 1) + 0.114 * pixels.rgb.at(at + 2);
}

/// Share of the pixel rows in which a pixel at most three from the line is clearly brighter than the row's
/// median. The line is u + v = `apart`.
double share_of_rows_with_line(const Pixels& pixels, const PlaneRect& rect, double apart) {
  int rows = 0, found = 0;
  for (std::size_t y = 2; y + 2 < pixels.height; ++y) {
    const double u = rect.top + (static_cast<double>(y) + 0.5) / pixels.height * rect.height();
    const double x = (apart - u - rect.left) / rect.width() * pixels.width;
    if (x < 40 || x > pixels.width - 8.0) continue;  // tick labels are at the left
    std::vector<double> row;
    for (std::size_t k = 40; k < pixels.width; ++k) row.push_back(luma(pixels, k, y));
    std::ranges::nth_element(row, row.begin() + static_cast<std::ptrdiff_t>(row.size() / 2));
    const double median = row[row.size() / 2];
    double brightest = 0;
    for (auto k = static_cast<std::size_t>(x - 3); k <= static_cast<std::size_t>(x + 3); ++k)
      brightest = std::max(brightest, luma(pixels, k, y));
    ++rows;
    if (brightest > median + 30) ++found;
  }
  return rows > 0 ? static_cast<double>(found) / rows : 0;
}

TEST_F(TruePictures, CaptionsOfSamplesTellExactLinesFromMeans) {
  open("gen:stochastic-blocks:n=700,blocks=6,p_in=0.06,p_out=0.004,seed=1");
  const auto has = [&](const std::string& words) {
    return panels::caption(state(), state().columns[1], Row::spectrum).find(words) != std::string::npos;
  };
  ASSERT_TRUE(image(1, Row::spectrum).has_lines);
  EXPECT_TRUE(has(", stripes from ") && has(" rows and exact lines"))
      << panels::caption(state(), state().columns[1], Row::spectrum);
  open("gen:stochastic-blocks:n=8000,blocks=6,p_in=0.006,p_out=0.0004,seed=1");
  zoom(0, 0, 300);
  ASSERT_TRUE(image(1, Row::spectrum).has_lines && image(1, Row::spectrum).sampled_rows == 0);
  EXPECT_TRUE(has(", exact lines unaveraged"))
      << "their grain is no structure: " << panels::caption(state(), state().columns[1], Row::spectrum);
}

TEST_F(TruePictures, CaptionsOfASlenderOrEmptyMatrixSayWhatAPixelShows) {
  const auto caption_of = [&](Row row) { return panels::caption(state(), state().columns[0], row); };
  open("gen:random:rows=20,cols=5000,nnz=2000");
  ASSERT_GT(image(0, Row::spectrum).rect.width(), image(0, Row::spectrum).width);
  ASSERT_LT(image(0, Row::spectrum).coefficients_per_cell, 10) << "narrower than one along the other axis";
  EXPECT_EQ(caption_of(Row::spectrum), "spectrum · mean power per pixel");
  EXPECT_TRUE(panels::caption_note(state(), state().columns[0], Row::pattern).starts_with("1 × "))
      << "a pixel narrower than a row shows that row";
  keep("slender");
  open(write_file("empty.mtx", "%%MatrixMarket matrix coordinate pattern general\n50 40 0\n"));
  EXPECT_EQ(caption_of(Row::spectrum), "spectrum · all 0");
  keep("empty");
  open("gen:band:n=300");
  EXPECT_EQ(caption_of(Row::spectrum).find("all 0"), std::string::npos) << "control";
}

TEST_F(TruePictures, ARidgeIsContinuousInThePictureOfAReconstructionAtEveryZoom) {
  open(ridge_over_noise(1500, 2));
  CompareSettings compare = state().compare;
  compare.rows = {false, true, true, false};
  act(action::SetCompare{compare});
  settle();
  for (const double side : {1500.0, 700.0, 300.0, 120.0}) {
    zoom(0, 0, side);
    keep("ridge_" + std::to_string(static_cast<int>(side)));
    const PlaneRect rect = picture_rect(state(), Plane::spectrum);
    for (const char* picture : {"picture spectrum 1", "picture reconstruction 2"}) {
      const Pixels pixels = pixels_of(picture);
      EXPECT_GT(share_of_rows_with_line(pixels, rect, 0), 0.97) << picture << ", " << side;
    }
    EXPECT_LT(share_of_rows_with_line(pixels_of("picture reconstruction 2"), rect, side / 4), 0.3)
        << "control: there is no ridge, " << side;
  }
}

TEST_F(TruePictures, ARidgeIsContinuousInThePictureOfSamplesWhereTheMethodComputesIt) {
  open(ridge_over_noise(1500, 2));
  act(action::AddColumn{"elastic-paper"});
  CompareSettings compare = state().compare;
  compare.rows = {false, true, false, false};
  act(action::SetCompare{compare});
  settle();
  for (const double side : {1500.0, 700.0, 300.0, 120.0}) {
    zoom(0, 0, side);
    keep("sampled_ridge_" + std::to_string(static_cast<int>(side)));
    const PlaneRect rect = picture_rect(state(), Plane::spectrum);
    EXPECT_GT(share_of_rows_with_line(pixels_of("picture spectrum 2"), rect, 0), 0.97) << side;
    EXPECT_TRUE(image(1, Row::spectrum).has_lines);
    EXPECT_FALSE(image(3, Row::spectrum).has_lines) << "control: this method computes no lines";
    EXPECT_LT(share_of_rows_with_line(pixels_of("picture spectrum 4"), rect, 0), 0.9) << "control, " << side;
  }
  // A pixel is the mean of all that it covers: the power of the picture is that of the exact one.
  zoom(0, 0, 1500);
  const auto power = [&](std::size_t column) {
    double sum = 0;
    const CellImage& cells = image(column, Row::spectrum);
    for (std::size_t k = 0; k < cells.cells.size(); k += 2)
      if (std::isfinite(cells.cells[k])) sum += static_cast<double>(cells.cells[k]);
    return sum;
  };
  EXPECT_NEAR(power(1) / power(0), 1, 0.02);
  ScaleSettings scale = state().scale;
  scale.fill = Fill::bilinear;
  act(action::SetScale{scale});
  settle();
  EXPECT_TRUE(image(1, Row::spectrum).has_lines) << "whatever fills the reconstruction";
}

TEST_F(TruePictures, AReconstructionIsAsBrightAsTheExactSpectrumWhereThatIsFlat) {
  act(action::SetBlock{5});  // so many samples that their mean is known to 0.5 %
  open("gen:random:rows=900,cols=900,nnz=9000");
  const auto mean_of = [&](std::size_t column, Row row) {
    const CellImage& cells = image(column, row);
    double sum = 0, count = 0;
    for (std::uint32_t r = 0; r < cells.height; ++r) {
      for (std::uint32_t c = 0; c < cells.width; ++c) {
        const double u = cells.rect.top + (r + 0.5) * cells.rect.height() / cells.height;
        const double v = cells.rect.left + (c + 0.5) * cells.rect.width() / cells.width;
        const auto power = static_cast<double>(cells.cells[2 * (std::size_t{r} * cells.width + c)]);
        if (std::min(std::abs(u), std::abs(v)) < 20 || !std::isfinite(power)) continue;
        sum += power;
        ++count;
      }
    }
    return sum / count;
  };
  EXPECT_NEAR(mean_of(1, Row::reconstruction) / mean_of(0, Row::spectrum), 1, 0.02);
  const auto brightness = [&](const char* picture) {
    const Pixels pixels = pixels_of(picture);
    double sum = 0;
    for (std::size_t y = 0; y < pixels.height; ++y)
      for (std::size_t x = 40; x < pixels.width; ++x) sum += luma(pixels, x, y);
    return sum / static_cast<double>(pixels.height * (pixels.width - 40));
  };
  EXPECT_NEAR(brightness("picture reconstruction 2"), brightness("picture spectrum 1"), 25)
      << "of 255, on the screen";
  open("gen:stochastic-blocks:n=900,blocks=6,p_in=0.1,p_out=0.002");
  EXPECT_GT(std::abs(mean_of(2, Row::reconstruction) / mean_of(0, Row::spectrum) - 1), 0.1)
      << "control: what knows the low frequencies alone is not as bright";
}

TEST_F(TruePictures, ReadOutsSayZeroToRoundingInEveryColumn) {
  const auto words_of = [&](std::size_t column) {
    act(action::SetCrosshair{Plane::spectrum, -208, -32});
    settle();
    return panels::read_out(state(), state().columns.at(column), Row::spectrum);
  };
  open("gen:circulant:n=512,degree=7,stride=37");
  for (const std::size_t column : {0U, 1U})
    EXPECT_NE(words_of(column).find("zero to rounding"), std::string::npos) << words_of(column);
  open("gen:random:n=512,nnz=3000");
  for (const std::size_t column : {0U, 1U}) {
    EXPECT_NE(words_of(column).find("|F|"), std::string::npos) << words_of(column);
    EXPECT_EQ(words_of(column).find("zero to rounding"), std::string::npos)
        << "control, " << words_of(column);
  }
}

TEST_F(TruePictures, APictureOfEveryRowIsReadCoefficientByCoefficient) {
  const auto words_of = [&](std::size_t column) {
    act(action::SetCrosshair{Plane::spectrum, 5, -19});
    settle();
    return panels::read_out(state(), state().columns.at(column), Row::spectrum);
  };
  open("gen:random:n=200,nnz=1500");
  const std::string caption = panels::caption(state(), state().columns.at(1), Row::spectrum);
  ASSERT_NE(caption.find("every row computed"), std::string::npos) << caption;
  EXPECT_EQ(words_of(1), words_of(0));
  open("gen:random:n=3000,nnz=20000");
  EXPECT_NE(words_of(1).find(" at "), std::string::npos) << "control: the nearest sample, " << words_of(1);
}

TEST_F(TruePictures, ACirculantShowsItsLinesAndNothingElse) {
  const auto share_of_powers = [&] {
    const CellImage& cells = image(0, Row::spectrum);
    double count = 0;
    for (std::size_t k = 0; k < cells.cells.size(); k += 2) count += cells.cells[k] > 0 ? 1 : 0;
    return count / (static_cast<double>(cells.cells.size()) / 2);
  };
  open("gen:circulant:n=1024,degree=8,stride=24");
  const CellImage& cells = image(0, Row::spectrum);
  for (std::uint32_t r = 0; r < cells.height; ++r) {
    for (std::uint32_t c = 0; c < cells.width; ++c) {
      const double size = cells.rect.height() / cells.height;
      const double u = cells.rect.top + (r + 0.5) * size, v = cells.rect.left + (c + 0.5) * size;
      const double off = std::abs(std::remainder(u + v, 1024));
      if (off > 1.5 * size + 1) {
        ASSERT_EQ(cells.cells[2 * (std::size_t{r} * cells.width + c)], 0) << u << ", " << v;
      }
    }
  }
  EXPECT_LT(share_of_powers(), 0.03);
  const CellImage& sampled = image(1, Row::spectrum);
  ASSERT_EQ(sampled.cells.size(), cells.cells.size());
  for (std::size_t k = 0; k < cells.cells.size(); k += 2) {
    ASSERT_NEAR(sampled.cells[k], cells.cells[k], 1e-4 * std::abs(cells.cells[k]))
        << "Elastic computed the lines";
  }
  EXPECT_GT(share_of_powers(), 0.001);
  const Pixels pixels = pixels_of("picture spectrum 1");
  std::size_t bright = 0;
  for (std::size_t y = 0; y < pixels.height; ++y)
    for (std::size_t x = 40; x < pixels.width; ++x) bright += luma(pixels, x, y) > 90 ? 1 : 0;
  EXPECT_LT(static_cast<double>(bright) / (pixels.height * pixels.width), 0.1);
  open("gen:random:rows=1024,cols=1024,nnz=8192");
  EXPECT_GT(share_of_powers(), 0.9) << "control";
}

TEST_F(TruePictures, LabelsAndNumbersAgreeWhileTheSliderIsMoved200Times) {
  open("gen:stochastic-blocks:n=1200,blocks=6,p_in=0.05,p_out=0.002");
  CompareSettings compare = state().compare;
  compare.rows = {false, true, false, false};
  act(action::SetCompare{compare});
  settle();
  const ImRect slider = rect_of("block slider");
  std::mt19937 random(7);
  std::set<std::uint32_t> seen;
  drive([&](ImGuiTestContext* c) {
    c->MouseMoveToPos({slider.Min.x + 20, slider.GetCenter().y});
    c->MouseDown(0);
    for (int move = 0; move < 200; ++move) {
      const float x = slider.Min.x + slider.GetWidth() * static_cast<float>(random() % 1000) / 1000;
      c->MouseTeleportToPos({x, slider.GetCenter().y});
      c->Yield(1 + static_cast<int>(random() % 2));
      seen.insert(state().block);
      for (std::size_t k = 1; k < state().columns.size(); ++k) {
        const Column& column = state().columns[k];
        EXPECT_EQ(column.block, state().block);
        ASSERT_TRUE(column.spectrum);
        EXPECT_EQ(column.outdated, column.spectrum->block != column.block) << "move " << move;
        EXPECT_EQ(column.samples, column.spectrum->features->samples) << "numbers of one result";
      }
      EXPECT_FALSE(state().columns[0].outdated);
    }
    c->MouseUp(0);
  });
  settle();
  EXPECT_GT(seen.size(), 30U) << "the slider was moved";
  // That late results are marked does not depend on how fast this machine is in ControllerTest
  // .ResultsOfAnEarlierBlockSizeAreMarkedAsOutdated.
  for (std::size_t k = 1; k < state().columns.size(); ++k) {
    EXPECT_FALSE(state().columns[k].outdated);
    EXPECT_EQ(state().columns[k].spectrum->block, state().block);
  }
}

}  // namespace
}  // namespace spyctrum::testing
