// SPDX-License-Identifier: Apache-2.0
// A thousand random actions, most of which stop and restart work that has just begun: what was open stays
// open, the state is one that panels can draw after every action, and in the end every column has a result or
// a reason why not. The actions are the same in every run (the jobs behind them take their own time); the
// sanitizers watch the threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "app/controller/controller.hpp"
#include "tests/support/controller_fixture.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/wait_until_idle.hpp"

namespace spyctrum {
namespace {

constexpr int kRounds = 1000;
const std::vector<std::string> kKept{"gen:power-law:n=1700,nnz=9000",
                                     "gen:random:rows=1201,cols=820,nnz=7000"};
const std::string kThird = "gen:band:n=900,halfwidth=3";

class RandomUse : public test::ControllerFixture {
 protected:
  RandomUse() : ControllerFixture({80, 60}, on_cpu()) {
    for (const std::string& source : kKept) act(action::OpenFile{source});
  }
  static Controller::Options on_cpu() {
    Controller::Options options;
    options.backend = "cpu";
    return options;
  }
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }
  template <class List>
  const auto& one_of(const List& list) {
    return list[below(std::size(list))];
  }
  ColumnId some_column() { return state().columns.empty() ? 0 : one_of(state().columns).id; }
  [[nodiscard]] std::string file(const char* ending) const {
    return scratch_.file("out" + std::string(ending));
  }

  Action random_action() {
    static const std::vector<std::string> methods{"exact", "elastic", "density-map", "fixed-point", "bs-fft"};
    switch (below(24)) {
      case 0:
        return action::AddColumn{one_of(methods)};
      case 1:
        return action::RemoveColumn{some_column()};
      case 2:
        return action::SetColumnMethod{some_column(), one_of(methods)};
      case 3:
        return action::SetColumnBlock{some_column(), static_cast<std::uint32_t>(1 + below(64))};
      case 4:
        return action::RunColumn{some_column()};
      case 5:
        return action::StopStream{some_column()};
      case 6:
        return action::CancelJob{static_cast<JobId>(below(2000))};
      case 7:
      case 8:
        return action::CancelNewest{};
      case 9:
        return action::StartSweep{};
      case 10:
        return action::MeasureTheory{};
      case 11:
        return action::AskAdvisor{};
      case 12:
        return action::ComputeErrors{};
      case 13:
        return action::ExportFeatures{file(".csv")};
      case 14:
        return action::ExportPicture{some_column(), Row::spectrum, file(".png")};
      case 15:
        return action::SaveSession{file(".json")};
      case 16:
        return action::ReloadMatrix{};
      case 17:
        return action::OpenFile{kThird};
      case 18:
        return close_third();
      case 19:
        return action::SelectMatrix{below(state().matrices.size())};
      case 20:
        return one_of(std::vector<Action>{action::Undo{}, action::Redo{}});
      case 21: {
        const PlaneRect& full = state().view(Plane::spectrum).full;
        const double side = full.height() / static_cast<double>(1 + below(9));
        return action::SetView{
            Plane::spectrum, {full.top, full.left, full.top + side, full.left + side}, false};
      }
      default:
        return action::SetBlock{static_cast<std::uint32_t>(1 + below(48))};
    }
  }
  Action close_third() const {
    for (std::size_t k = 0; k < state().matrices.size(); ++k)
      if (state().matrices[k].source == kThird) return action::CloseMatrix{k};
    return action::CancelNewest{};
  }

  void expect_drawable() const {
    ASSERT_NE(state().matrix(), nullptr);
    for (const std::string& source : kKept)
      ASSERT_TRUE(
          std::ranges::any_of(state().matrices, [&](const auto& one) { return one.source == source; }))
          << source << " was closed";
    for (const Column& column : state().columns) {
      ASSERT_FALSE(column.label.empty());
      ASSERT_NE(find_method(column.method), nullptr);
    }
  }

  test::ScratchFolder scratch_;
  std::mt19937_64 random_{21};
};

TEST_F(RandomUse, LeavesAProgramThatComputesAsBefore) {
  for (int round = 0; round < kRounds; ++round) {
    controller_.dispatch(random_action());
    for (std::size_t frame = below(4); frame > 0; --frame) {
      controller_.poll();
      std::this_thread::sleep_for(std::chrono::microseconds(below(1500)));
    }
    expect_drawable();
    if (HasFatalFailure()) FAIL() << "after " << round << " actions";
  }
  // Stopped runs are started again.
  for (const Column& column : std::vector<Column>(state().columns))
    if (!column.spectrum || column.stopped) controller_.dispatch(action::RunColumn{column.id});
  ASSERT_TRUE(test::wait_until_idle(controller_, test::kPatience));
  expect_drawable();
  for (const Column& column : state().columns)
    EXPECT_TRUE(column.spectrum || column.error || !column.held_back.empty()) << column.label;
}

}  // namespace
}  // namespace spyctrum
