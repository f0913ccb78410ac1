// SPDX-License-Identifier: Apache-2.0
// What the picture of a matrix with weights shows, with input of the mouse: the choice beside the scale,
// colours of both signs, the colour bar, and a column of Threshold.
#include <cstddef>
#include <string>

#include "tests/gui/gui_fixture.hpp"

namespace spyctrum::testing {
namespace {

class ValuesByHand : public GuiTest {
 protected:
  void open_with(const std::string& source, Weights weights) {
    act(action::OpenFile{source, true, Reading{{}, weights}});
    settle();
    ASSERT_NE(state().matrix(), nullptr);
  }
  void click(const std::string& label) {
    drive([&](ImGuiTestContext* context) { context->ItemClick(("**/" + label).c_str()); });
    settle();
  }
  /// Pixels that are clearly red (`red`), or blue.
  [[nodiscard]] std::size_t coloured(bool red) {
    const Pixels pixels = pixels_of("picture pattern 1");
    std::size_t count = 0;
    for (std::size_t k = 0; k + 2 < pixels.rgb.size(); k += 3) {
      const int apart = static_cast<int>(pixels.rgb[k]) - static_cast<int>(pixels.rgb[k + 2]);
      count += (red ? apart : -apart) > 40 ? 1U : 0U;
    }
    return count;
  }
};

TEST_F(ValuesByHand, PositiveAndNegativeValuesHaveTheColoursOfTheirSigns) {
  open_with("gen:laplacian-2d:nx=12,ny=10", Weights::value);
  EXPECT_GT(coloured(true), 100U) << "4 on the diagonal";
  EXPECT_GT(coloured(false), 100U) << "-1 beside it";
  keep("values_sum");
  // Where all values are positive there is one sign.
  const Pixels both = pixels_of("picture pattern 1");
  EXPECT_TRUE(state().columns.at(0).picture(Row::pattern).against);
  open_with("gen:laplacian-2d:nx=12,ny=10", Weights::magnitude);
  EXPECT_FALSE(state().columns.at(0).picture(Row::pattern).against);
  EXPECT_GT(share_changed(both, pixels_of("picture pattern 1")), 0.02);
}

TEST_F(ValuesByHand, TheChoiceBesideTheScaleChangesPictureAndBar) {
  open_with("gen:laplacian-2d:nx=12,ny=10", Weights::value);
  const Pixels sums = pixels_of("picture pattern 1");
  click("mean |a|");
  EXPECT_EQ(state().scale.values, ValueQuantity::mean_magnitude);
  const Pixels means = pixels_of("picture pattern 1");
  EXPECT_GT(share_changed(sums, means), 0.02);
  click("count");
  EXPECT_EQ(state().scale.values, ValueQuantity::count);
  EXPECT_GT(share_changed(sums, pixels_of("picture pattern 1")), 0.02);
  click("sum");
  EXPECT_LT(share_changed(sums, pixels_of("picture pattern 1")), 0.001) << "as before";
  keep("values_back");
}

TEST_F(ValuesByHand, APatternHasNoChoiceOfValues) {
  open("gen:laplacian-2d:nx=12,ny=10");
  EXPECT_FALSE(exists("max |a|"));
  open_with("gen:laplacian-2d:nx=12,ny=10", Weights::value);
  EXPECT_TRUE(exists("max |a|"));
}

TEST_F(ValuesByHand, ThresholdShowsFewerEntriesThanTheMatrix) {
  open_with("gen:pruned-weights:n=128,density=0.2", Weights::value);
  act(action::SetBlock{4});
  act(action::SetColumnMethod{state().columns.at(1).id, "threshold"});
  settle();
  ASSERT_TRUE(state().columns.at(1).spectrum);
  EXPECT_GT(share_changed(pixels_of("picture pattern 1"), pixels_of("picture pattern 2")), 0.05);
  keep("values_threshold");
}

}  // namespace
}  // namespace spyctrum::testing
