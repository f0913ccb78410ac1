// SPDX-License-Identifier: Apache-2.0
// The desktop program without its window, with two threads: actions in, state out. The thread of the test
// acts as the interface thread.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "app/controller/controller.hpp"
#include "tests/support/wait_until_idle.hpp"

namespace spyctrum::test {

inline constexpr double kPatience = 600;  // seconds; the thread sanitizer is slow

class ControllerFixture : public ::testing::Test {
 protected:
  /// `pictures`: the size of each picture.
  explicit ControllerFixture(PixelSize pictures, Controller::Options options = {})
      : controller_(with_two_threads(std::move(options))) {
    for (const Plane plane : {Plane::pattern, Plane::spectrum})
      controller_.dispatch(action::SetPictureSize{plane, pictures});
  }
  void settle() { ASSERT_TRUE(test::wait_until_idle(controller_, kPatience)); }
  /// Sends an action and waits for the jobs that follow from it.
  void act(const Action& action) {
    controller_.dispatch(action);
    settle();
  }
  void open(const std::string& source) {
    act(action::OpenFile{source});
    ASSERT_NE(state().matrix(), nullptr);
    ASSERT_EQ(state().matrix()->source, source);
  }
  [[nodiscard]] const AppState& state() const { return controller_.state(); }
  [[nodiscard]] const Column& column(std::size_t index) const { return state().columns.at(index); }
  [[nodiscard]] bool log_has(const std::string& words) const {
    return std::ranges::any_of(
        state().log, [&](const LogEntry& entry) { return entry.text.find(words) != std::string::npos; });
  }

  Controller controller_;

 private:
  static Controller::Options with_two_threads(Controller::Options options) {
    options.threads = 2;
    return options;
  }
};

}  // namespace spyctrum::test
