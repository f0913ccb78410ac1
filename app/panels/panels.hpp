// SPDX-License-Identifier: Apache-2.0
// The whole screen, drawn from AppState; what the user does comes back as Actions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/controller/action.hpp"
#include "app/controller/state.hpp"
#include "app/panels/widgets/theme.hpp"

namespace spyctrum {

namespace cuda {
class Pictures;
}

class Panels {
 public:
  /// The OpenGL context is current; ImGui, ImPlot, their backends and fonts are there. Throws Failure
  /// where OpenGL refuses shaders or buffers.
  Panels();
  ~Panels();
  Panels(const Panels&) = delete;
  Panels& operator=(const Panels&) = delete;

  /// Between NewFrame() and Render().
  void draw(const AppState& state, ActionQueue& actions);
  /// Seconds until another frame is wanted though no input came; negative: none.
  [[nodiscard]] double next_frame_in() const;
  /// How often a picture was drawn by the GPU, over all cells.
  [[nodiscard]] std::uint64_t picture_draws() const;
  /// The OpenGL context was lost: what was made in it goes, before it does. Nothing may be drawn until
  /// make_pictures().
  void drop_pictures();
  /// All pictures anew, in the context that is current now. Throws Failure as Panels() does.
  void make_pictures();
  /// What draws pictures, and on which device, from the next frame on; null: none does.
  void use(cuda::Pictures* pictures, int device);
  struct UploadFacts {
    std::string path;    ///< "interop", "pixel buffer", "interop, 3 of 4"; empty before the first picture
    std::string reason;  ///< why not interop, where a device drew; may be empty
  };
  /// How the pictures on the screen came there.
  [[nodiscard]] UploadFacts upload_facts() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace spyctrum
