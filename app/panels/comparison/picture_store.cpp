// SPDX-License-Identifier: Apache-2.0
// Uploads changed pictures and draws each cell's picture from its textures.
#include "app/panels/comparison/picture_store.hpp"

#include <algorithm>
#include <cmath>

#include "app/panels/comparison/cell.hpp"
#include "app/panels/comparison/scale_bar.hpp"
#include "app/panels/widgets/theme.hpp"
#include "app/panels/widgets/view_math.hpp"
#include "core/pictures/colormap.hpp"

namespace spyctrum::panels {
namespace {

constexpr float kFromZero = -30;  // log10 of the low end of a linear scale from zero

/// A round number of decibels that divides the range into about a dozen colours.
float decibel_step(const DisplayRange& range) {
  const double target = 10.0 * (range.high - range.low) / 12;
  return target > 0 ? static_cast<float>(round_step(target)) : 0;
}

/// The map's full name: settings may hold a short one.
std::string_view map_name(const std::string& name) {
  const ColorMap* map = find_color_map(name);
  return map == nullptr ? std::string_view() : map->name;
}

render::Color color(ImU32 packed) {
  const ImVec4 c = vec4(packed);
  return {c.x, c.y, c.z, c.w};
}

/// Requests that `texture` shows `image`, unless that was its last request.
void upload_if_changed(const Ui& ui, render::ImageTexture& texture, std::shared_ptr<const CellImage>& old,
                       const std::shared_ptr<const CellImage>& image) {
  if (old == image) return;
  old = image;
  if (!image) return texture.clear();
  if (const auto done = texture.upload(image); !done) ui.notify(Level::error, done.error().message());
}

render::Combination combination_of(PictureError measure) {
  using render::Combination;
  static constexpr std::array kCombinations{Combination::decibel_ratio, Combination::signed_difference,
                                            Combination::relative_difference, Combination::first,
                                            Combination::absolute_difference};
  static_assert(kCombinations.size() == kPictureErrors.size());
  return kCombinations.at(static_cast<std::size_t>(measure));
}

/// The range of the error row in the unit of the shader: log10 of the phases' ends; log10 of squared
/// differences without the division by the mean power Σa².
DisplayRange shader_range(const AppState& state, const DisplayRange& range) {
  if (state.scale.error == PictureError::phase) return {-30, std::log10(range.high)};
  if (state.scale.error != PictureError::squared || !state.pattern()) return range;
  const auto shift = static_cast<float>(std::log10(state.pattern()->weight_squares()));
  return {range.low + shift, range.high + shift};
}

}  // namespace

render::Style style_of(const ScaleSettings& scale, Row row, const DisplayRange& range) {
  render::Style style;
  style.curve = scale.curve;
  style.channel = scale.channel == Channel::maximum ? 1 : 0;
  style.color_map = map_name(scale.color_map);
  style.diverging_map = map_name(scale.error_color_map);
  style.log_threshold = range.low;
  style.log_reference = range.high;
  style.decibel_step = scale.curve == Curve::decibel ? decibel_step(range) : 0;
  style.outside = color(palette().well);
  style.grid_offset = 0.5;
  if (row == Row::pattern) {
    style.quantity = render::Quantity::count;
    // Patterns hold counts, so only the choice between logarithmic and linear applies.
    style.curve = scale.curve == Curve::linear ? Curve::linear : Curve::log;
    style.decibel_step = 0;
    style.channel = 1;  // entries per position: a full block is even at every zoom
    style.color_map = map_name(scale.pattern_color_map);
    style.marks_empty = true;
    style.least_place = least_entry_place(ColorMap::Kind::sequential);
    style.empty = render::Color{0.02F, 0.02F, 0.03F, 1};
    style.dot_pixels = scale.dilate ? 2 : 1;
    style.grid_offset = 0;
  }
  if (row == Row::error) {
    const bool phases = scale.error == PictureError::phase;
    style.curve = phases ? Curve::linear : Curve::log;
    if (phases) style.quantity = render::Quantity::count;
    style.decibel_step = 0;
    style.error_limit = (scale.error == PictureError::ratio ? 10.0F : 1.0F) *
                        std::max(std::abs(range.low), std::abs(range.high));
    if (!(style.error_limit > 0)) style.error_limit = 1;
  }
  return style;
}

PictureStore::PictureStore()
    : uploader_(or_throw(render::Uploader::create())), renderer_(or_throw(render::ImageRenderer::create())) {}

PictureStore::Cell& PictureStore::cell(ColumnId column, Row row) {
  auto& slot = cells_[{column, row}];
  if (!slot) slot = std::make_unique<Cell>(*uploader_);
  return *slot;
}

void PictureStore::sync(const Ui& ui) {
  prepare(ui);
  std::erase_if(cells_, [&](const auto& entry) { return ui.state.column(entry.first.first) == nullptr; });
  for (const Column& column : ui.state.columns) {
    for (std::size_t i = 0; i < kRows; ++i) {
      const Row row = static_cast<Row>(i);
      const Picture& picture = column.pictures[i];
      Cell& mine = cell(column.id, row);
      if (mine.version == picture.version && mine.shown_image == picture.shown) continue;
      mine.version = picture.version;
      upload_if_changed(ui, mine.shown, mine.shown_image, picture.shown);
      upload_if_changed(ui, mine.against, mine.against_image, picture.against);
    }
  }
  sync_previews(ui);
  const auto pending = uploader_->pump();
  if (!pending)
    ui.notify(Level::error, pending.error().message());
  else if (*pending)
    ui.wake_in(0);
}

void PictureStore::sync_previews(const Ui& ui) {
  std::erase_if(previews_, [&](const auto& preview) {
    return std::ranges::none_of(ui.state.loading,
                                [&](const LoadingMatrix& loading) { return loading.job == preview.first; });
  });
  for (const LoadingMatrix& loading : ui.state.loading) {
    if (!loading.preview) continue;
    auto& preview = previews_[loading.job];
    if (!preview) preview = std::make_unique<Preview>(*uploader_);
    upload_if_changed(ui, preview->shown, preview->image, loading.preview);
  }
}

unsigned PictureStore::draw_preview(const AppState& state, const LoadingMatrix& loading, PixelSize pixels) {
  const auto known = previews_.find(loading.job);
  if (known == previews_.end() || known->second->shown.empty()) return 0;
  Preview& preview = *known->second;
  render::ViewRequest request;
  request.view = preview.shown.shown()->rect;
  request.style = style_of(state.scale, Row::pattern, loading.range);
  request.first = {&preview.shown, loading.range};
  const auto texture = preview.view.draw(*renderer_, request, pixels.height, pixels.width);
  return texture ? *texture : 0;
}

unsigned PictureStore::changed_matrix(const AppState& state) {
  const std::shared_ptr<const std::vector<float>>& matrix = state.sandbox.matrix;
  if (changed_ == matrix) return changed_texture_.id();
  changed_ = matrix;
  const ColorMap& map = color_map_or_default(state.scale.error_color_map);
  float most = 0;
  for (const float value : *matrix) most = std::max(most, std::abs(value));
  std::vector<std::uint8_t> texels;
  texels.reserve(4 * matrix->size());
  for (const float value : *matrix) {
    const float share = most > 0 ? 0.5F + 0.5F * value / most : 0.5F;  // 0 in the middle of both signs
    const auto& color =
        map.rgb.at(static_cast<std::size_t>(std::lround(255 * std::clamp(share, 0.0F, 1.0F))));
    texels.insert(texels.end(), {color[0], color[1], color[2], 255});
  }
  const SparsePattern& pattern = *state.matrix()->matrix.pattern;
  const auto rows = static_cast<std::uint32_t>(pattern.rows());
  changed_texture_.resize(rows, static_cast<std::uint32_t>(pattern.cols()));
  changed_texture_.write_rows(0, rows, texels.data());
  return changed_texture_.id();
}

const Column* compared_with(const AppState& state, const Column& column, Row row) {
  const Column* reference = compared_column(state);
  if (reference == nullptr || reference->id == column.id || row == Row::error) return nullptr;
  const bool reordered = column.arrangement.kind == Arrangement::Kind::reordered;
  return row == Row::pattern && !reordered ? nullptr : reference;
}

Row row_against(const Column& compared, Row row) {
  const bool has_reconstruction = row == Row::reconstruction && has_picture(compared, row);
  return row == Row::pattern || has_reconstruction ? row : Row::spectrum;
}

bool shows_reference(const AppState& state, const Column& column, Row row, bool blink_shows_reference) {
  return (state.compare.show_reference || blink_shows_reference) &&
         compared_with(state, column, row) != nullptr;
}

render::ViewRequest PictureStore::request_of(const AppState& state, const Column& column, Row row) {
  Cell& mine = cell(column.id, row);
  const Picture& picture = column.picture(row);
  render::ViewRequest request;
  request.style = style_of(state.scale, row, picture.range);
  if (plane_of(row) == Plane::spectrum && !column.look.color_map.empty())
    request.style.color_map = column.look.color_map;
  request.first = {&mine.shown, picture.range};
  if (row == Row::error) {
    const DisplayRange range = shader_range(state, picture.range);
    request.combination = combination_of(state.scale.error);
    request.first = {&mine.against, range};
    request.second = {&mine.shown, range};
    if (request.combination == render::Combination::first) std::swap(request.first, request.second);
    return request;
  }
  const PatternBar bar = row == Row::pattern ? pattern_bar(state, column) : PatternBar::counts;
  if (bar == PatternBar::counts) return request;
  const bool in_logarithms = has_log_values(state);
  request.style.curve = in_logarithms ? Curve::log : Curve::linear;
  if (!in_logarithms) request.first.range.low = kFromZero;
  if (bar == PatternBar::signs) {
    request.combination = render::Combination::signed_values;
    request.style.least_place = least_entry_place(ColorMap::Kind::diverging);
    request.second = {&mine.against, request.first.range};
  }
  return request;
}

void PictureStore::add_reference(render::ViewRequest& request, const AppState& state, const Column& column,
                                 Row row, bool blink_shows_reference) {
  const Column* reference = compared_with(state, column, row);
  if (reference == nullptr) return;
  const Row against = row_against(*reference, row);
  Cell& other = cell(reference->id, against);
  const DisplayRange range = reference->picture(against).range;
  if (shows_reference(state, column, row, blink_shows_reference)) {
    request.first = {&other.shown, range};
    if (row == Row::pattern && request.second.image != nullptr) request.second = {&other.against, range};
  } else if (state.compare.wipe && row != Row::pattern) {
    request.combination = render::Combination::wipe;
    request.wipe = state.compare.wipe_position;
    request.wipe_line = state.compare.wipe_line;
    request.second = {&other.shown, range};
  }
}

PictureStore::Drawn PictureStore::draw(const AppState& state, const Column& column, Row row,
                                       const PlaneRect& view, PixelSize pixels, bool blink_shows_reference) {
  render::ViewRequest request = request_of(state, column, row);
  request.view = view;
  if (row == Row::error && request.first.image->empty()) return {};
  add_reference(request, state, column, row, blink_shows_reference);
  if (request.first.image->empty() && (request.second.image == nullptr || request.second.image->empty()))
    return {};
  Drawn drawn;
  if (render::is_even_in_cells(request, pixels.height, pixels.width)) {
    const PlaneRect rect = request.first.image->shown()->rect;
    drawn.is_enlarged = true;
    request.style.dot_pixels = 1;  // no cell is smaller than a dot
    request.view = rect;
    pixels = {request.first.image->texture().height(), request.first.image->texture().width()};
    drawn.left = static_cast<float>((view.left - rect.left) / rect.width());
    drawn.top = static_cast<float>((view.top - rect.top) / rect.height());
    drawn.right = static_cast<float>((view.right - rect.left) / rect.width());
    drawn.bottom = static_cast<float>((view.bottom - rect.top) / rect.height());
  }
  const auto texture = cell(column.id, row).view.draw(*renderer_, request, pixels.height, pixels.width);
  drawn.texture = texture ? *texture : 0;
  return drawn;
}

void PictureStore::use(cuda::Pictures* pictures, int device) {
  if (pictures == pictures_ && device == device_) return;
  pictures_ = pictures;
  device_ = device;
  untried_ = pictures != nullptr;
  uploader_->use(pictures);
}

void PictureStore::prepare(const Ui& ui) {
  constexpr int kWindowFirst = 2;  // frames
  if (!untried_ && !unprepared_) return;
  ui.wake_in(0);
  if (++frames_ <= kWindowFirst) return;
  if (untried_) {
    untried_ = false;
    uploader_->try_device(device_);
    return;
  }
  // A software renderer compiles shader programs when it first draws, in less time than one of its frames.
  const bool hardware = ui.state.status.renderer.find("llvmpipe") == std::string::npos;
  unprepared_ = false;  // also if a program cannot be linked: the picture that needs it will report that
  unprepared_ = hardware && renderer_->prepare_next();
}

PictureStore::Arrivals PictureStore::arrivals() const {
  Arrivals seen;
  for (const auto& [key, cell] : cells_) {
    for (const render::ImageTexture* texture : {&cell->shown, &cell->against}) {
      if (texture->empty()) continue;
      ++(texture->path() == render::UploadPath::interop ? seen.by_interop : seen.by_pixel_buffer);
    }
  }
  return seen;
}

std::uint64_t PictureStore::draws() const {
  std::uint64_t sum = 0;
  for (const auto& [key, cell] : cells_) sum += cell->view.draws();
  for (const auto& [job, preview] : previews_) sum += preview->view.draws();
  return sum;
}

}  // namespace spyctrum::panels
