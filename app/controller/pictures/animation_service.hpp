// SPDX-License-Identifier: Apache-2.0
// Moving pictures: sweeps one setting, a frame after the other. A frame is a sequence of actions that a user
// could have sent too; the next one begins when all pictures of this one are on the screen. Owns the actions
// of the frames, those that undo them, and the file that is being written.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/controller/files/comparison_figure.hpp"
#include "app/controller/service.hpp"

namespace spyctrum {

class ExportService;
class PatternService;

class AnimationService : public Service {
 public:
  AnimationService(ServiceContext& context, const PatternService& patterns, const ExportService& exports,
                   OpenAnimation open_animation)
      : Service(context),
        patterns_(patterns),
        exports_(exports),
        open_animation_(std::move(open_animation)) {}
  void handle(const action::Animate& chosen);
  void handle(const action::ShowFrame& chosen);
  void handle(const action::PlayFrames& chosen);
  void handle(const action::ExportAnimation& chosen);
  void handle(const action::StopAnimation& chosen);

  /// Goes on to the next frame when this one is on the screen.
  bool refresh(SteadyTime now) override;
  [[nodiscard]] std::optional<SteadyTime> next_change() const override;
  void forget_matrix() override;

 private:
  /// The settings of one frame.
  struct Frame {
    std::string caption;
    ActionQueue actions;
    double rows_share = 0;  ///< the share of the rows at which streams pause; 0 in other sweeps
  };

  [[nodiscard]] bool begin_blocks();
  [[nodiscard]] bool begin_thresholds();
  [[nodiscard]] bool begin_orders();
  [[nodiscard]] bool begin_rows();
  [[nodiscard]] std::string caption() const;
  void remove_repeats();
  void show_frame(std::size_t frame);
  [[nodiscard]] bool is_on_screen() const;
  void write_frame();
  void next_written(const Result<std::string>& written);
  void stop_writing();
  void close();

  const PatternService& patterns_;
  const ExportService& exports_;
  OpenAnimation open_animation_;
  std::vector<Frame> frames_;
  ActionQueue restore_;  ///< return to the settings before the first frame
  bool figure_dark_ = false;
  std::shared_ptr<AnimationFile> file_;  ///< null: none is being written
  SteadyTime next_frame_{};              ///< earliest time of the next frame while frames are played
};

}  // namespace spyctrum
