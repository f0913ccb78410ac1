// SPDX-License-Identifier: Apache-2.0
// The textures behind the comparison grid: for each cell the picture of the
// column, for the row of errors also the reference it is compared with. A cell
// keeps its old texture until the new one is whole.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "app/panels/widgets/ui.hpp"
#include "render/image_texture.hpp"
#include "render/image_view.hpp"

namespace spyctrum::panels {

class PictureStore {
 public:
  /// Throws Failure where OpenGL refuses the shader or the buffers.
  PictureStore();

  /// Hands changed pictures to the uploader, drops those of removed columns, and copies a bounded
  /// number of bytes. Asks for another frame while something is pending.
  void sync(const Ui& ui);

  /// The texture with what a cell shows at `view`, in device pixels; 0 when nothing is there yet.
  [[nodiscard]] unsigned draw(const AppState& state, const Column& column, Row row, const PlaneRect& view,
                              PixelSize pixels, bool blink_shows_reference);
  /// The same for what is known of a matrix that is being read, the whole of it.
  [[nodiscard]] unsigned draw_preview(const AppState& state, const LoadingMatrix& loading, PixelSize pixels);
  /// What draws pictures, and on which device; null: none does.
  void use(cuda::Pictures* pictures, int device);
  /// By which path the pictures that are shown came.
  struct Arrivals {
    std::size_t by_interop = 0, by_pixel_buffer = 0;
  };
  [[nodiscard]] Arrivals arrivals() const;
  /// Why a device's pictures do not come by interop; empty where they do.
  [[nodiscard]] std::string refusal() const { return uploader_->device_copies().refusal(); }
  /// How often the GPU drew cells, for tests: an idle screen draws none.
  [[nodiscard]] std::uint64_t draws() const;

 private:
  struct Cell {
    explicit Cell(render::Uploader& uploader) : shown(uploader), against(uploader) {}
    render::ImageTexture shown, against;
    std::uint64_t version = 0;
    std::shared_ptr<const CellImage> shown_image, against_image;
    render::ImageView view;
  };
  struct Preview {
    explicit Preview(render::Uploader& uploader) : shown(uploader) {}
    render::ImageTexture shown;
    std::shared_ptr<const CellImage> image;
    render::ImageView view;
  };
  Cell& cell(ColumnId column, Row row);
  void sync_previews(const Ui& ui);

  /// What takes many frames the first time is done on the start screen, a piece in each frame.
  void prepare(const Ui& ui);

  cuda::Pictures* pictures_ = nullptr;
  int device_ = 0;
  bool untried_ = false;
  bool unprepared_ = true;
  int frames_ = 0;
  std::unique_ptr<render::Uploader> uploader_;
  std::unique_ptr<render::ImageRenderer> renderer_;
  std::map<std::pair<ColumnId, Row>, std::unique_ptr<Cell>> cells_;
  std::map<JobId, std::unique_ptr<Preview>> previews_;
};

/// How a row is coloured under the settings; ranges are the pictures'.
[[nodiscard]] render::Style style_of(const ScaleSettings& scale, Row row, const DisplayRange& range);

}  // namespace spyctrum::panels
