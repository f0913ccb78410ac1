// SPDX-License-Identifier: Apache-2.0
// The textures behind the comparison grid: for each cell the picture of its column, and for the error row
// also the reference. A cell keeps its old texture until the new one is complete.
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

  /// Gives changed pictures to the uploader, drops those of removed columns, and copies a bounded number of
  /// bytes. Requests another frame while an upload is pending.
  void sync(const Ui& ui);

  struct Drawn {
    unsigned texture = 0;  ///< OpenGL name; 0: there is no picture yet
    /// The part of the texture that is in view, 0 … 1.
    float left = 0, top = 0, right = 1, bottom = 1;
    bool is_enlarged = false;  ///< texels are larger than pixels and have sharp edges
  };
  /// The part `view` of a cell's picture, in device pixels.
  [[nodiscard]] Drawn draw(const AppState& state, const Column& column, Row row, const PlaneRect& view,
                           PixelSize pixels, bool blink_shows_reference);
  /// The texture of the pattern of a matrix that is being read, with the entries read so far.
  [[nodiscard]] unsigned draw_preview(const AppState& state, const LoadingMatrix& loading, PixelSize pixels);
  /// The texture of SandboxView::matrix, which must not be null, on the diverging colour map.
  [[nodiscard]] unsigned changed_matrix(const AppState& state);
  /// Sets the device that draws pictures; null: none does.
  void use(cuda::Pictures* pictures, int device);
  /// How many of the pictures on the screen were uploaded by each path.
  struct Arrivals {
    std::size_t by_interop = 0, by_pixel_buffer = 0;
  };
  [[nodiscard]] Arrivals arrivals() const;
  /// Whether pictures are being copied into their textures, over several frames.
  [[nodiscard]] bool uploading() const { return !uploader_->idle(); }
  /// Why a device's pictures are not copied directly (interop); empty where they are.
  [[nodiscard]] std::string refusal() const { return uploader_->device_copies().refusal(); }
  /// How often the GPU drew cells; used by tests, since an idle screen must draw none.
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
  /// The request for the column's own picture, still without a view.
  [[nodiscard]] render::ViewRequest request_of(const AppState& state, const Column& column, Row row);
  /// Puts the picture of compared_with() in place of the column's own, or beside it for a wipe.
  void add_reference(render::ViewRequest& request, const AppState& state, const Column& column, Row row,
                     bool blink_shows_reference);
  void sync_previews(const Ui& ui);

  /// Does the slow first work (device link, shader programs) on the start screen, one part in each frame.
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
  std::shared_ptr<const std::vector<float>> changed_;  // shown by changed_texture_
  render::Texture2D changed_texture_{render::TexelFormat::rgba8, render::Sampling::nearest};
};

/// The column with which Space, blink and wipe compare `column` in `row`: compared_column(), or null for that
/// column itself, for errors, and for patterns in the order of the matrix.
[[nodiscard]] const Column* compared_with(const AppState& state, const Column& column, Row row);
/// The row of `compared` whose picture is compared with one in `row`: for a reconstruction the spectrum,
/// where `compared` has no reconstruction.
[[nodiscard]] Row row_against(const Column& compared, Row row);
/// Whether the cell shows the reference's picture: Space is held, or blinking currently shows the reference.
[[nodiscard]] bool shows_reference(const AppState& state, const Column& column, Row row,
                                   bool blink_shows_reference);

/// The colours of a row's pictures under these settings and the range of one picture.
[[nodiscard]] render::Style style_of(const ScaleSettings& scale, Row row, const DisplayRange& range);

}  // namespace spyctrum::panels
