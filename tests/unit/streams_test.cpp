// SPDX-License-Identifier: Apache-2.0
// The exact plane while it is computed: error bars become smaller, the stream can be paused and resumed.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "app/controller/controller.hpp"
#include "tests/support/controller_fixture.hpp"

namespace spyctrum {
namespace {

class Streams : public test::ControllerFixture {
 protected:
  Streams() : ControllerFixture({24, 16}) {}
  void set_good_enough(double error) {
    Settings settings = state().settings;
    settings.good_enough = error;
    controller_.dispatch(action::SetSettings{settings});
  }
  /// Polls until `reached` or no job is left. Returns whether it was reached.
  bool poll_until(const std::function<bool()>& reached) {
    while (!reached()) {
      if (controller_.idle()) return controller_.poll() && reached();
      controller_.poll();
    }
    return true;
  }
  [[nodiscard]] const Column& exact() const { return state().columns.at(0); }
  [[nodiscard]] const Column& elastic() const { return state().columns.at(1); }
  void expect_whole() {
    EXPECT_FALSE(exact().stopped);
    EXPECT_EQ(exact().estimate, nullptr);
    EXPECT_EQ(exact().feature_deviations(), nullptr);
    ASSERT_TRUE(exact().spectrum);
    EXPECT_EQ(exact().spectrum->exactness, Exactness::exact);
    EXPECT_EQ(exact().picture(Row::spectrum).shown->exactness, Exactness::exact);
  }
};

TEST_F(Streams, AStreamStopsWhenErrorsAreSmallEnoughAndResumesToTheEnd) {
  set_good_enough(0.02);
  // So large that no picture of the whole plane is computed exactly besides.
  act(action::OpenFile{"gen:random:n=10000,nnz=40000"});
  ASSERT_TRUE(exact().stopped);
  ASSERT_TRUE(exact().estimate);
  EXPECT_LE(exact().estimate->largest, 0.02);
  EXPECT_LT(exact().estimate->rows_done, exact().estimate->rows);
  EXPECT_EQ(exact().exactness, Exactness::estimate);
  EXPECT_FALSE(exact().error);
  const CellImage& partial = *exact().picture(Row::spectrum).shown;
  EXPECT_EQ(partial.exactness, Exactness::exact_samples);
  EXPECT_GT(partial.relative_error, 0);
  ASSERT_TRUE(exact().feature_deviations());
  const double bar = exact().feature_deviations()->entropy;
  const double estimated = exact().features()->entropy;
  EXPECT_TRUE(elastic().feature_errors) << "the unfinished plane serves as the reference";

  act(action::RunColumn{exact().id});
  expect_whole();
  EXPECT_NEAR(estimated, exact().features()->entropy, 5 * bar);
  ASSERT_NE(exact().strongest(), nullptr);
  EXPECT_EQ(state().settings.good_enough, 0.02) << "resuming changes no setting";
}

TEST_F(Streams, SmallerAllowedErrorsResumeAPausedStreamAndLargerOnesDoNot) {
  set_good_enough(0.02);
  // So large that no picture of the whole plane is computed exactly besides.
  act(action::OpenFile{"gen:random:n=10000,nnz=40000"});
  ASSERT_TRUE(exact().stopped);
  const std::uint64_t before = exact().estimate->rows_done;
  set_good_enough(0.05);
  settle();
  ASSERT_TRUE(exact().stopped);
  EXPECT_EQ(exact().estimate->rows_done, before);
  set_good_enough(0);
  settle();
  expect_whole();
}

TEST_F(Streams, AStreamStoppedByHandKeepsItsEstimateAndResumesAfterAnotherMatrix) {
  controller_.dispatch(action::OpenFile{"gen:random:n=14000,nnz=40000"});
  ASSERT_TRUE(poll_until([&] { return exact().estimate != nullptr; }));
  const FeatureEstimate first = *exact().estimate;
  controller_.dispatch(action::StopStream{elastic().id});  // no stream: nothing happens
  act(action::StopStream{exact().id});
  ASSERT_TRUE(exact().stopped) << "the plane has far more rows than pass before the first poll";
  const FeatureEstimate left = *exact().estimate;
  EXPECT_GE(left.rows_done, first.rows_done);
  EXPECT_LE(left.largest, first.largest * 1.5) << "error bars shrink";
  act(action::OpenFile{"gen:random:n=200,nnz=900"});
  expect_whole();
  controller_.dispatch(action::SelectMatrix{0});
  ASSERT_TRUE(exact().estimate) << "the estimate is known at once, from the rows before the pause";
  EXPECT_GE(exact().estimate->rows_done, left.rows_done);
  settle();
  expect_whole();
}

TEST_F(Streams, ACancelledStreamIsPausedNotFailed) {
  controller_.dispatch(action::OpenFile{"gen:random:n=14000,nnz=40000"});
  ASSERT_TRUE(poll_until([&] { return exact().estimate != nullptr; }));
  const auto job = std::ranges::find(state().jobs, exact().id, &JobView::column);
  ASSERT_NE(job, state().jobs.end());
  act(action::CancelJob{job->id});
  EXPECT_TRUE(exact().stopped);
  EXPECT_FALSE(exact().error);
  ASSERT_TRUE(exact().estimate);
  EXPECT_NE(exact().features(), nullptr);
}

}  // namespace
}  // namespace spyctrum
