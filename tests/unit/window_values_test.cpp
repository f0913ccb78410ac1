// SPDX-License-Identifier: Apache-2.0
// A matrix with weights in the window: what its picture shows, what methods of patterns say, and what exports
// and sessions keep of it. Actions in, state out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/controller/controller.hpp"
#include "app/controller/files/session.hpp"
#include "tests/support/controller_fixture.hpp"
#include "tests/support/file_bytes.hpp"
#include "tests/support/scratch_folder.hpp"

namespace spyctrum {
namespace {

class WindowValues : public test::ControllerFixture {
 protected:
  WindowValues() : ControllerFixture({64, 64}) {}
  void weigh(Weights weights) { act(action::SetReading{{{}, weights}}); }
  void show(ValueQuantity quantity) {
    ScaleSettings scale = state().scale;
    scale.values = quantity;
    act(action::SetScale{scale});
  }
  [[nodiscard]] const Picture& pattern_picture() const { return column(0).picture(Row::pattern); }

  test::ScratchFolder scratch_;
};

const char* const kLaplacian = "gen:laplacian-2d:nx=20,ny=15";
const char* const kLarge =
    "%%MatrixMarket matrix coordinate real general\n4 4 3\n1 1 3e9\n2 3 -4e9\n4 2 5e9\n";

TEST_F(WindowValues, ThePictureShowsSignedSumsWithWeightsAndCountsWithout) {
  open(kLaplacian);
  EXPECT_FALSE(shows_values(state(), column(0)));
  EXPECT_FALSE(pattern_picture().against) << "counts have no sign";
  weigh(Weights::value);
  EXPECT_TRUE(shows_values(state(), column(0)));
  ASSERT_TRUE(pattern_picture().shown);
  ASSERT_TRUE(pattern_picture().against);
  const auto largest = [](const CellImage& image) {
    float most = 0;
    for (const float cell : image.cells)
      if (std::isfinite(cell)) most = std::max(most, cell);
    return most;
  };
  EXPECT_GT(largest(*pattern_picture().shown), 0);
  EXPECT_GT(largest(*pattern_picture().against), 0) << "-1 beside the diagonal";
  EXPECT_TRUE(shows_values(state(), column(2))) << "sums of blocks, which the method sees";
  show(ValueQuantity::maximum);
  EXPECT_FALSE(pattern_picture().against);
  EXPECT_EQ(largest(*pattern_picture().shown), 4);
  show(ValueQuantity::count);
  EXPECT_FALSE(shows_values(state(), column(0)));
  EXPECT_FALSE(pattern_picture().against);
}

TEST_F(WindowValues, SessionsKeepWhatThePictureShows) {
  ScaleSettings scale = state().scale;
  scale.values = ValueQuantity::mean_magnitude;
  scale.value_scale = ValueScale::log;
  controller_.dispatch(action::SetScale{scale});
  const auto again = parse_session(to_json_text(session_of(state())), "session.json");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->scale.values, ValueQuantity::mean_magnitude);
  EXPECT_EQ(again->scale.value_scale, ValueScale::log);
}

TEST_F(WindowValues, ColoursAreLogarithmicWhereTheMatrixNeedsItUnlessChosen) {
  open(scratch_.write("large.mtx", kLarge));
  weigh(Weights::value);
  EXPECT_FALSE(has_log_values(state()));
  open("gen:contact-map:n=96");
  weigh(Weights::value);
  EXPECT_TRUE(has_log_values(state()));
  ScaleSettings scale = state().scale;
  scale.value_scale = ValueScale::linear;
  controller_.dispatch(action::SetScale{scale});
  EXPECT_FALSE(has_log_values(state()));
}

TEST_F(WindowValues, MethodsOfPatternsSaySoInTheirColumn) {
  open(kLaplacian);
  act(action::SetColumnMethod{column(1).id, "elastic-paper"});
  EXPECT_TRUE(column(1).spectrum);
  EXPECT_FALSE(column(1).error);
  weigh(Weights::value);
  ASSERT_TRUE(column(1).error);
  EXPECT_NE(column(1).error->what.find("transforms the pattern only"), std::string::npos)
      << column(1).error->what;
  EXPECT_FALSE(column(1).spectrum) << "no result of the pattern under a label of values";
  EXPECT_TRUE(column(0).spectrum);
}

TEST_F(WindowValues, ThresholdIsAColumnWhosePatternIsWhatItKeeps) {
  open("gen:pruned-weights:n=96,density=0.2");
  weigh(Weights::value);
  controller_.dispatch(action::SetBlock{4});
  act(action::SetColumnMethod{column(1).id, "threshold"});
  ASSERT_TRUE(column(1).spectrum);
  EXPECT_FALSE(column(1).error);
  EXPECT_EQ(column(1).spectrum->exactness, Exactness::estimate);
  EXPECT_NE(column(1).spectrum->provenance.note.find("entries kept"), std::string::npos);
  EXPECT_FALSE(column(1).picture(Row::spectrum).shown->has_lines) << "exact lines are not what it keeps";
  const auto occupied = [](const Picture& picture) {
    std::size_t count = 0;
    for (std::size_t k = 0; k < picture.shown->cells.size(); k += 2)
      count += picture.shown->cells[k] > 0 || (picture.against && picture.against->cells[k] > 0) ? 1U : 0U;
    return count;
  };
  EXPECT_LT(occupied(column(1).picture(Row::pattern)), occupied(pattern_picture()));
  EXPECT_GT(occupied(column(1).picture(Row::pattern)), 0U);
}

TEST_F(WindowValues, ExportsNameTheWeights) {
  open(scratch_.write("large.mtx", kLarge));
  weigh(Weights::value);
  controller_.dispatch(action::ExportFeatures{scratch_.file("features.json")});
  controller_.dispatch(action::ExportFeatures{scratch_.file("features.csv")});
  act(action::ExportPicture{column(0).id, Row::spectrum, scratch_.file("picture.png")});
  EXPECT_NE(test::bytes_of(scratch_.file("features.json")).find(R"("weights": "value")"), std::string::npos);
  EXPECT_NE(test::bytes_of(scratch_.file("features.csv")).find(",weights,"), std::string::npos);
  EXPECT_NE(test::bytes_of(scratch_.file("features.csv")).find(",value,"), std::string::npos);
  EXPECT_NE(test::bytes_of(scratch_.file("picture.png")).find(R"("weights":"value")"), std::string::npos);
}

}  // namespace
}  // namespace spyctrum
