// SPDX-License-Identifier: Apache-2.0
// Columns of a region and of other orders beside the matrix as it is, and the wave of a frequency.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/controller/controller.hpp"
#include "app/controller/files/session.hpp"
#include "core/matrix/reordering.hpp"
#include "tests/support/controller_fixture.hpp"

namespace spyctrum {
namespace {

class Arrangements : public test::ControllerFixture {
 protected:
  Arrangements() : ControllerFixture({96, 64}) { open("gen:band:n=400,bandwidth=3"); }
  [[nodiscard]] const SparsePattern& matrix() const { return *state().matrix()->matrix.pattern; }
  const Column& add(const std::string& order) {
    act(action::AddColumn{"exact", {Arrangement::Kind::reordered, order, 3}});
    return state().columns.back();
  }
};

TEST_F(Arrangements, AColumnOfAnotherOrderHasThatPatternAndItsSpectrum) {
  for (const OrderInfo& order : orders()) {
    const Column& column = add(std::string(order.id));
    ASSERT_TRUE(column.pattern) << order.id;
    EXPECT_EQ(column.pattern->nonzeros(), matrix().nonzeros());
    ASSERT_TRUE(column.spectrum);
    EXPECT_NEAR(column.spectrum->features->total_power,
                400.0 * 400.0 * static_cast<double>(matrix().nonzeros()),
                1e-3 * 400 * 400 * static_cast<double>(matrix().nonzeros()));
    EXPECT_FALSE(column.reference);
    EXPECT_FALSE(column.feature_errors) << "no method's error";
    EXPECT_NE(column.label.find(order.label), std::string::npos);
    ASSERT_TRUE(column.picture(Row::pattern).shown);
  }
  EXPECT_TRUE(state().columns.front().reference);
  // A band and its shuffled entries give different pictures; the original order restores the picture.
  const auto pattern_of = [&](std::size_t index) {
    return state().columns[index].picture(Row::pattern).shown->cells;
  };
  EXPECT_NE(pattern_of(3), pattern_of(0));
}

TEST_F(Arrangements, AnUnknownOrderAndAMissingRegionAreRefused) {
  const ColumnId first = state().columns.front().id;
  controller_.dispatch(
      action::SetColumnArrangement{first, {Arrangement::Kind::reordered, "alphabetical", 1}});
  act(action::SetColumnArrangement{first, {Arrangement::Kind::region, {}, 1}});
  EXPECT_EQ(state().columns.front().arrangement, Arrangement{});
  EXPECT_TRUE(state().columns.front().reference);
}

TEST_F(Arrangements, WhileARegionIsDraggedItsPictureIsDrawnAndItsRunWaits) {
  act(action::SelectRegion{PlaneRect{0, 0, 100, 100}, true});
  const Column& column = state().columns.back();
  ASSERT_EQ(column.arrangement.kind, Arrangement::Kind::region);
  ASSERT_TRUE(column.picture(Row::spectrum).shown);
  EXPECT_FALSE(column.spectrum) << "no run before the drag ends";
  const auto first = column.picture(Row::spectrum).shown;
  act(action::SelectRegion{PlaneRect{0, 0, 200, 200}, true});
  EXPECT_NE(column.picture(Row::spectrum).shown->cells, first->cells);
  EXPECT_EQ(column.picture(Row::spectrum).shown->exactness, Exactness::exact);
  act(action::SelectRegion{PlaneRect{0, 0, 200, 200}, false});
  ASSERT_TRUE(column.spectrum);
  EXPECT_EQ(column.spectrum->nonzeros, matrix().restricted_to(0, 0, 200, 200).nonzeros());
  EXPECT_EQ(state().columns.size(), 4U) << "one column however far it is dragged";
  controller_.dispatch(action::RemoveColumn{column.id});
  EXPECT_FALSE(state().region) << "without its column there is no region";
}

TEST_F(Arrangements, TheCrosshairShowsTheCoefficientOfEachArrangement) {
  const ColumnId id = add("random").id;
  act(action::SetCrosshair{Plane::spectrum, 5, -3});
  const auto probe = std::ranges::find(state().crosshair.columns, id, &ColumnProbe::column);
  ASSERT_NE(probe, state().crosshair.columns.end());
  ASSERT_TRUE(probe->coefficient && state().crosshair.coefficient);
  EXPECT_NEAR(std::abs(*probe->coefficient - coefficient_at(*state().column(id)->pattern, 5, -3)), 0, 1e-9);
  EXPECT_GT(std::abs(*probe->coefficient - *state().crosshair.coefficient), 1e-6);
}

TEST_F(Arrangements, AWaveShowsTheSumThatEqualsItsCoefficient) {
  act(action::ShowWave{std::pair(std::int64_t{7}, std::int64_t{-7})});
  ASSERT_TRUE(state().wave_sum);
  EXPECT_NEAR(std::abs(state().wave_sum->coefficient - coefficient_at(matrix(), 7, -7)), 0, 1e-9);
  EXPECT_EQ(state().wave_sum->on_crests + state().wave_sum->in_troughs, matrix().nonzeros());
  controller_.dispatch(action::ShowWave{});
  EXPECT_FALSE(state().wave_sum);
}

TEST_F(Arrangements, ASessionKeepsOrdersAndTheRegion) {
  add("rcm");
  act(action::SelectRegion{PlaneRect{10, 20, 110, 120}});
  const auto parsed = parse_session(to_json_text(session_of(state())), "session.json");
  ASSERT_TRUE(parsed);
  ASSERT_EQ(parsed->columns.size(), 4U) << "the region's column follows from the region";
  EXPECT_EQ(parsed->columns[3].arrangement, (Arrangement{Arrangement::Kind::reordered, "rcm", 3}));
  ASSERT_TRUE(parsed->region);
}

}  // namespace
}  // namespace spyctrum
