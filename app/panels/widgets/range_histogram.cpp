// SPDX-License-Identifier: Apache-2.0
// Draws bars, handles and captions, and follows a drag of a handle.
#include "app/panels/widgets/range_histogram.hpp"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/panels/widgets/theme.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {
namespace {

/// Where values lie on the screen.
struct Frame {
  ImVec2 min, max;
  double low = 0, high = 1;
  [[nodiscard]] float x_of(double value) const {
    return min.x + static_cast<float>((value - low) / (high - low)) * (max.x - min.x);
  }
  [[nodiscard]] double value_at(float x) const {
    return low + (high - low) * static_cast<double>((x - min.x) / (max.x - min.x));
  }
};

std::optional<DraggedHandle> dragged_handle(const Frame& frame, const RangeHistogram& histogram,
                                            std::optional<std::uint32_t>& dragged) {
  const float x = ImGui::GetIO().MousePos.x;
  if (ImGui::IsItemActivated())
    dragged = std::abs(x - frame.x_of(histogram.range_low)) <= std::abs(x - frame.x_of(histogram.range_high))
                  ? 0U
                  : 1U;
  if (!ImGui::IsItemActive()) dragged.reset();
  if (!dragged || !ImGui::IsMouseDragging(ImGuiMouseButton_Left, 1)) return {};
  return DraggedHandle{*dragged, frame.value_at(x)};
}

void draw_bars(const Frame& frame, const RangeHistogram& histogram) {
  const double most = *std::ranges::max_element(histogram.heights);
  const double step = (histogram.high - histogram.low) / static_cast<double>(histogram.heights.size());
  for (std::size_t i = 0; i < histogram.heights.size(); ++i) {
    const float x0 = frame.x_of(histogram.low + step * static_cast<double>(i));
    const float x1 = frame.x_of(histogram.low + step * static_cast<double>(i + 1));
    const auto height = static_cast<float>(histogram.heights[i] / most) * (frame.max.y - frame.min.y);
    if (height > 0)
      ImGui::GetWindowDrawList()->AddRectFilled({x0, frame.max.y - height},
                                                {std::max(x1, x0 + 1), frame.max.y},
                                                with_alpha(palette().accent, 0.55F));
  }
}

void draw_texts(const RangeHistogram& histogram, ImVec2 at, float width) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto font = small_font();
  const auto put = [&](const std::string& text, float share) {
    const float left = at.x + share * (width - ImGui::CalcTextSize(text.c_str()).x);
    list.AddText({left, at.y + px(1)}, palette().faint, text.c_str());
  };
  put(histogram.left, 0);
  put(histogram.middle, 0.5F);
  put(histogram.right, 1);
  ImGui::Dummy({1, ImGui::GetFontSize() - px(2)});
}

}  // namespace

std::optional<DraggedHandle> range_histogram(const char* id, const RangeHistogram& histogram,
                                             std::optional<std::uint32_t>& dragged) {
  const Palette& colors = palette();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = {ImGui::GetContentRegionAvail().x, px(52)};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  ImGui::InvisibleButton(id, size);
  const ImVec2 end = {at.x + size.x, at.y + size.y};
  list.AddRectFilled(at, end, colors.well, px(3));
  list.AddRect(at, end, colors.border, px(3));
  if (histogram.heights.empty() || !(histogram.high > histogram.low)) {
    draw_texts(histogram, {at.x, end.y}, size.x);
    return {};
  }
  const Frame frame{
      {at.x + px(2), at.y + px(3)}, {end.x - px(2), end.y - 1}, histogram.shown_low, histogram.shown_high};
  const std::optional<DraggedHandle> moved = dragged_handle(frame, histogram, dragged);
  list.PushClipRect(at, end, true);
  draw_bars(frame, histogram);
  for (const double value : {histogram.range_low, histogram.range_high}) {
    const float x = std::clamp(frame.x_of(value), at.x, end.x);
    list.AddLine({x, at.y}, {x, end.y}, colors.warning, px(1.5F));
    list.AddTriangleFilled({x - px(4), at.y}, {x + px(4), at.y}, {x, at.y + px(5)}, colors.warning);
  }
  list.PopClipRect();
  draw_texts(histogram, {at.x, end.y}, size.x);
  return moved;
}

}  // namespace spyctrum::panels
