// SPDX-License-Identifier: Apache-2.0
// The whole screen: drawn from AppState; the user's input comes back as Actions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/controller/action.hpp"
#include "app/controller/state.hpp"

namespace spyctrum {

/// The factor by which type and panels grow in a presentation, which is read from the last row of a room.
inline constexpr float kPresentationScale = 1.35F;

namespace cuda {
class Pictures;
}

class Panels {
 public:
  /// The OpenGL context must be current, and ImGui, ImPlot, their backends and fonts initialised. Throws
  /// Failure where OpenGL refuses shaders or buffers.
  Panels();
  ~Panels();
  Panels(const Panels&) = delete;
  Panels& operator=(const Panels&) = delete;

  /// Draws the screen. Call it between ImGui's NewFrame() and Render().
  void draw(const AppState& state, ActionQueue& actions);
  /// Seconds until another frame is needed without input; negative: none.
  [[nodiscard]] double next_frame_in() const;
  /// Whether some pictures are not whole in their textures yet: the screen shows older ones, or none.
  [[nodiscard]] bool uploading() const;
  /// How often the GPU drew a picture, over all cells.
  [[nodiscard]] std::uint64_t picture_draws() const;
  /// Destroys all OpenGL objects, before a lost context is closed. Do not draw until make_pictures().
  void drop_pictures();
  /// Creates the OpenGL objects again in the context that is current now. Throws Failure as Panels() does.
  void make_pictures();
  /// Sets the device that draws pictures from the next frame on; null: none does.
  void use(cuda::Pictures* pictures, int device);
  struct UploadFacts {
    std::string path;    ///< "interop", "pixel buffer", "interop, 3 of 4"; empty before the first picture
    std::string reason;  ///< why pictures of a device are not copied by interop; empty if they are
  };
  /// By which path pictures reach the screen: copied on the device (interop) or through pixel buffers.
  [[nodiscard]] UploadFacts upload_facts() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace spyctrum
