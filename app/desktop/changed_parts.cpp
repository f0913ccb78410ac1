// SPDX-License-Identifier: Apache-2.0
// Hashes of the squares of the screen, and the triangles that are visible in a part of it.
#include "app/desktop/changed_parts.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "render/texture.hpp"

namespace spyctrum {

namespace {

using render::PixelRect;

constexpr int kSquare = 16;             // pixels
constexpr int kLeastSide = 64;          // pixels; what smaller opaque rectangles cover is drawn, too
constexpr std::size_t kMostParts = 24;  // the commands that touch a part are repeated for it

/// `hash` must be the result of mixed(), or 0: small numbers would cancel each other (20 and 5, 21 and 4).
std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15U;
  return hash ^ (hash >> 29U);
}

std::uint64_t hash_of(const ImDrawVert& vertex) {
  std::array<std::uint64_t, 2> words{};
  static_assert(sizeof vertex == sizeof words + sizeof vertex.col);
  std::memcpy(words.data(), &vertex, sizeof words);
  return mixed(mixed(mixed(0, words[0]), words[1]), vertex.col);
}

bool meet(const PixelRect& a, const PixelRect& b) {
  return std::max(a.left, b.left) < std::min(a.right, b.right) &&
         std::max(a.top, b.top) < std::min(a.bottom, b.bottom);
}

std::optional<PixelRect> common(const PixelRect& a, const PixelRect& b) {
  if (!meet(a, b)) return {};
  return PixelRect{std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right),
                   std::min(a.bottom, b.bottom)};
}

PixelRect around(const PixelRect& a, const PixelRect& b) {
  return {std::min(a.left, b.left), std::min(a.top, b.top), std::max(a.right, b.right),
          std::max(a.bottom, b.bottom)};
}

std::int64_t area(const PixelRect& rect) {
  return std::int64_t{rect.right - rect.left} * (rect.bottom - rect.top);
}

/// The pixels that ImGui's renderer lets the command draw. Its rounding, which counts from the lower edge, is
/// repeated here.
PixelRect clip_of(const ImDrawCmd& command, int height) {
  const ImVec4& clip = command.ClipRect;
  const int left = static_cast<int>(clip.x), below = static_cast<int>(static_cast<float>(height) - clip.w);
  return {left, height - below - static_cast<int>(clip.w - clip.y), left + static_cast<int>(clip.z - clip.x),
          height - below};
}

PixelRect screen_of(const ImDrawData& data) {
  return {0, 0, static_cast<int>(data.DisplaySize.x), static_cast<int>(data.DisplaySize.y)};
}

/// ⌊at⌋, limited to ±10⁶; −10⁶ for NaN.
int pixel(float at) {
  constexpr float kFar = 1e6F;
  const float near = at > -kFar ? std::min(at, kFar) : -kFar;
  const int towards_zero = static_cast<int>(near);
  return towards_zero - (static_cast<float>(towards_zero) > near ? 1 : 0);
}

/// Calls visit(first index, box) for each triangle of the command; the box holds all pixels that the triangle
/// may touch.
template <class Visit>
void for_each_triangle(const ImDrawList& list, const ImDrawCmd& command, Visit&& visit) {
  const ImDrawVert* vertices = list.VtxBuffer.Data + command.VtxOffset;
  for (unsigned k = 0; k + 2 < command.ElemCount; k += 3) {
    const ImDrawIdx* corner = list.IdxBuffer.Data + command.IdxOffset + k;
    const ImVec2 a = vertices[corner[0]].pos, b = vertices[corner[1]].pos, c = vertices[corner[2]].pos;
    visit(corner, PixelRect{pixel(std::min({a.x, b.x, c.x})), pixel(std::min({a.y, b.y, c.y})),
                            pixel(std::max({a.x, b.x, c.x})) + 1, pixel(std::max({a.y, b.y, c.y})) + 1});
  }
}

/// Whether the texels of the font atlas around `uv`, which linear filtering may mix, are opaque.
bool is_opaque_in_atlas(const ImVec2& uv) {
  constexpr float kRounding = 1.0F / 64;
  ImTextureData& atlas = *ImGui::GetIO().Fonts->TexData;
  const float x = uv.x * static_cast<float>(atlas.Width), y = uv.y * static_cast<float>(atlas.Height);
  const int right = pixel(x + 0.5F - kRounding), below = pixel(y + 0.5F - kRounding);
  if (right > atlas.Width - 1 || below > atlas.Height - 1) return false;
  for (int row = std::max(pixel(y - 0.5F + kRounding), 0); row <= below; ++row)
    for (int col = std::max(pixel(x - 0.5F + kRounding), 0); col <= right; ++col)
      if (static_cast<const std::uint8_t*>(atlas.GetPixelsAt(col, row))[atlas.BytesPerPixel - 1] != 255)
        return false;
  return true;
}

/// A rectangle of opaque pixels: a filled one, or a picture.
struct OpaqueRect {
  PixelRect rect;            ///< pixels that lie whole in it
  std::size_t triangle = 0;  ///< the first of its two, counted over all lists
};

std::vector<OpaqueRect> opaque_rects(const ImDrawData& data) {
  const PixelRect screen = screen_of(data);
  std::vector<OpaqueRect> found;
  std::size_t before = 0;
  for (const ImDrawList* list : data.CmdLists)
    for (const ImDrawCmd& command : list->CmdBuffer) {
      const bool is_picture = render::writes_of(static_cast<GLuint>(command.TexRef.GetTexID())) > 0;
      const std::optional<PixelRect> clip = common(screen, clip_of(command, screen.bottom));
      const ImDrawVert* vertices = list->VtxBuffer.Data + command.VtxOffset;
      for (unsigned k = 0; clip && k + 5 < command.ElemCount; k += 3) {
        // ImGui fills a rectangle with the triangles 0, 1, 2 and 0, 2, 3 of its corners.
        const ImDrawIdx* corner = list->IdxBuffer.Data + command.IdxOffset + k;
        if (corner[0] != corner[3] || corner[2] != corner[4]) continue;
        const std::array<ImDrawVert, 4> at{vertices[corner[0]], vertices[corner[1]], vertices[corner[2]],
                                           vertices[corner[5]]};
        const ImVec2 low{std::min(at[0].pos.x, at[2].pos.x), std::min(at[0].pos.y, at[2].pos.y)};
        const ImVec2 high{std::max(at[0].pos.x, at[2].pos.x), std::max(at[0].pos.y, at[2].pos.y)};
        const auto inside = common(*clip, {-pixel(-low.x), -pixel(-low.y), pixel(high.x), pixel(high.y)});
        if (!inside || inside->right - inside->left < kLeastSide || inside->bottom - inside->top < kLeastSide)
          continue;
        const auto meets = [](const ImDrawVert& one, const ImDrawVert& first, const ImDrawVert& second) {
          return one.pos.x == first.pos.x && one.pos.y == second.pos.y;
        };
        const bool is_upright = (meets(at[1], at[0], at[2]) && meets(at[3], at[2], at[0])) ||
                                (meets(at[1], at[2], at[0]) && meets(at[3], at[0], at[2]));
        const bool is_opaque = std::ranges::all_of(at, [&](const ImDrawVert& one) {
          return one.col >> IM_COL32_A_SHIFT == 255 &&
                 (is_picture || (one.uv.x == at[0].uv.x && one.uv.y == at[0].uv.y));
        });
        if (is_upright && is_opaque && (is_picture || is_opaque_in_atlas(at[0].uv)))
          found.push_back({*inside, before + k / 3});
      }
      before += command.ElemCount / 3;
    }
  return found;
}

/// A part of the screen, and the number, counted over all lists, of the first triangle that is visible in it:
/// an opaque rectangle that is drawn later covers all triangles before it.
struct SeenPart {
  PixelRect rect;
  std::size_t first = 0;
};

/// Divides the parts at the edges of opaque rectangles.
std::vector<SeenPart> uncovered(std::vector<PixelRect> parts, const std::vector<OpaqueRect>& opaque) {
  constexpr std::int64_t kLeastArea = std::int64_t{kLeastSide} * kLeastSide;
  std::vector<SeenPart> seen;
  for (std::size_t k = opaque.size(); k-- > 0;) {
    std::vector<PixelRect> rest;
    for (const PixelRect& part : parts) {
      const std::optional<PixelRect> in = common(part, opaque[k].rect);
      if (!in || (*in != part && area(*in) < kLeastArea)) {
        rest.push_back(part);
        continue;
      }
      seen.push_back({*in, opaque[k].triangle});
      for (const PixelRect& piece : {PixelRect{part.left, part.top, part.right, in->top},
                                     PixelRect{part.left, in->bottom, part.right, part.bottom},
                                     PixelRect{part.left, in->top, in->left, in->bottom},
                                     PixelRect{in->right, in->top, part.right, in->bottom}})
        if (common(piece, piece)) rest.push_back(piece);
    }
    parts = std::move(rest);
  }
  for (const PixelRect& part : parts) seen.push_back({part, 0});
  return seen;
}

/// Covers the marked squares with disjoint rectangles, `most` of them at most.
std::vector<PixelRect> covering(std::vector<char> marked, int rows, int cols, const PixelRect& screen) {
  const auto at = [&](int row, int col) -> char& {
    return marked[static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) +
                  static_cast<std::size_t>(col)];
  };
  std::vector<PixelRect> parts;
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col) {
      if (at(row, col) == 0) continue;
      int right = col, below = row;
      while (right < cols && at(row, right) != 0) ++right;
      const auto is_marked = [&](int line) {
        for (int k = col; k < right; ++k)
          if (at(line, k) == 0) return false;
        return true;
      };
      for (; below < rows && is_marked(below); ++below)
        for (int k = col; k < right; ++k) at(below, k) = 0;
      parts.push_back(*common(screen, {col * kSquare, row * kSquare, right * kSquare, below * kSquare}));
    }
  // Joins the two parts whose common bounds add the fewest pixels, and all parts that these bounds meet.
  while (parts.size() > kMostParts) {
    std::pair<std::size_t, std::size_t> best{0, 1};
    std::int64_t least = INT64_MAX;
    for (std::size_t a = 0; a < parts.size(); ++a)
      for (std::size_t b = a + 1; b < parts.size(); ++b) {
        const std::int64_t more = area(around(parts[a], parts[b])) - area(parts[a]) - area(parts[b]);
        if (more < least) {
          least = more;
          best = {a, b};
        }
      }
    PixelRect whole = around(parts[best.first], parts[best.second]);
    for (bool grows = true; grows;) {
      grows = false;
      std::erase_if(parts, [&](const PixelRect& one) {
        if (!common(whole, one)) return false;
        grows |= around(whole, one) != whole;
        whole = around(whole, one);
        return true;
      });
    }
    parts.push_back(whole);
  }
  return parts;
}

/// Whether the command has no callback, or one that chooses a sampler.
bool is_known(ImDrawCallback callback) {
  const ImGuiPlatformIO& platform = ImGui::GetPlatformIO();
  return callback == nullptr || callback == platform.DrawCallback_SetSamplerLinear ||
         callback == platform.DrawCallback_SetSamplerNearest;
}

}  // namespace

std::vector<PixelRect> ChangedParts::compare(const ImDrawData& data) {
  const PixelRect screen = screen_of(data);
  const int rows = (screen.bottom + kSquare - 1) / kSquare, cols = (screen.right + kSquare - 1) / kSquare;
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
  std::vector<std::uint64_t> corners;
  ImDrawCallback sampler = nullptr;
  for (const ImDrawList* list : data.CmdLists) {
    corners.clear();
    for (const ImDrawVert& vertex : list->VtxBuffer) corners.push_back(hash_of(vertex));
    for (const ImDrawCmd& command : list->CmdBuffer) {
      const std::optional<PixelRect> clip = common(screen, clip_of(command, screen.bottom));
      if (command.UserCallback != nullptr) sampler = command.UserCallback;
      if (!clip || command.UserCallback != nullptr) continue;
      const ImTextureID texture = command.TexRef.GetTexID();  // 0 until it is uploaded
      std::uint64_t look = mixed(mixed(0, texture), render::writes_of(static_cast<GLuint>(texture)));
      look = mixed(look, reinterpret_cast<std::uintptr_t>(sampler));
      for (const int edge : {clip->left, clip->top, clip->right, clip->bottom})
        look = mixed(look, static_cast<std::uint64_t>(edge));
      const std::uint64_t* first = corners.data() + command.VtxOffset;
      for_each_triangle(*list, command, [&](const ImDrawIdx* corner, const PixelRect& box) {
        const std::optional<PixelRect> seen = common(box, *clip);
        if (!seen) return;
        const std::uint64_t triangle =
            mixed(mixed(mixed(look, first[corner[0]]), first[corner[1]]), first[corner[2]]);
        for (int row = seen->top / kSquare; row <= (seen->bottom - 1) / kSquare; ++row)
          for (int col = seen->left / kSquare; col <= (seen->right - 1) / kSquare; ++col) {
            std::uint64_t& hash = hashes[static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) +
                                         static_cast<std::size_t>(col)];
            hash = mixed(hash, triangle);
          }
      });
    }
  }
  std::vector<char> marked(hashes.size(), 1);
  if (screen == screen_ && hashes_.size() == hashes.size())
    std::ranges::transform(hashes, hashes_, marked.begin(), std::not_equal_to<>());
  screen_ = screen;
  hashes_ = std::move(hashes);
  return covering(std::move(marked), rows, cols, screen);
}

bool can_draw_parts(const ImDrawData& data) {
  return data.FramebufferScale.x == 1 && data.FramebufferScale.y == 1 && data.DisplayPos.x == 0 &&
         data.DisplayPos.y == 0 && std::ranges::none_of(data.CmdLists, [](const ImDrawList* list) {
           return std::ranges::any_of(list->CmdBuffer,
                                      [](const ImDrawCmd& one) { return !is_known(one.UserCallback); });
         });
}

void draw_within(ImDrawData& data, const std::vector<PixelRect>& parts,
                 const std::function<void(const std::vector<PixelRect>&)>& clear,
                 const std::function<void(ImDrawData*)>& draw) {
  const int height = screen_of(data).bottom;
  const std::vector<SeenPart> seen_parts = uncovered(parts, opaque_rects(data));
  std::vector<PixelRect> bare;
  for (const SeenPart& part : seen_parts)
    if (part.first == 0) bare.push_back(part.rect);
  std::vector<std::pair<ImVector<ImDrawCmd>, ImVector<ImDrawIdx>>> whole(
      static_cast<std::size_t>(data.CmdLists.Size));
  std::size_t drawn = 0;         // triangles of earlier commands
  std::vector<PixelRect> boxes;  // bounds of the command's triangles
  for (int k = 0; k < data.CmdLists.Size; ++k) {
    ImDrawList* list = data.CmdLists[k];
    ImVector<ImDrawCmd>& commands = whole[static_cast<std::size_t>(k)].first;
    ImVector<ImDrawIdx>& indices = whole[static_cast<std::size_t>(k)].second;
    for (const ImDrawCmd& command : list->CmdBuffer) {
      if (command.UserCallback != nullptr) commands.push_back(command);
      const PixelRect clip = clip_of(command, height);
      boxes.clear();
      for (const SeenPart& part : seen_parts) {
        const std::optional<PixelRect> seen = common(clip, part.rect);
        if (!seen || drawn + command.ElemCount / 3 <= part.first) continue;
        ImDrawCmd less = command;
        less.IdxOffset = static_cast<unsigned>(indices.Size);
        less.ClipRect = {static_cast<float>(seen->left), static_cast<float>(seen->top),
                         static_cast<float>(seen->right), static_cast<float>(seen->bottom)};
        if (boxes.empty())
          for_each_triangle(*list, command,
                            [&](const ImDrawIdx*, const PixelRect& box) { boxes.push_back(box); });
        const ImDrawIdx* corner = list->IdxBuffer.Data + command.IdxOffset;
        for (std::size_t t = part.first > drawn ? part.first - drawn : 0; t < boxes.size(); ++t)
          if (meet(boxes[t], *seen))
            for (std::size_t c = 0; c < 3; ++c) indices.push_back(corner[3 * t + c]);
        less.ElemCount = static_cast<unsigned>(indices.Size) - less.IdxOffset;
        if (less.ElemCount > 0) commands.push_back(less);
      }
      drawn += command.ElemCount / 3;
    }
    list->CmdBuffer.swap(commands);
    list->IdxBuffer.swap(indices);
  }
  ImVector<ImDrawList*> lists;
  for (ImDrawList* list : data.CmdLists)
    if (list->CmdBuffer.Size > 0) lists.push_back(list);
  data.CmdLists.swap(lists);
  const auto restore = [&] {
    data.CmdLists.swap(lists);
    for (std::size_t k = 0; k < whole.size(); ++k) {
      data.CmdLists[static_cast<int>(k)]->CmdBuffer.swap(whole[k].first);
      data.CmdLists[static_cast<int>(k)]->IdxBuffer.swap(whole[k].second);
    }
  };
  try {
    clear(bare);
    draw(&data);
  } catch (...) {
    restore();
    throw;
  }
  restore();
}

}  // namespace spyctrum
