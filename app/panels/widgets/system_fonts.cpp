// SPDX-License-Identifier: Apache-2.0
// A glyph's index is that of a font file and of its glyph, or the negative code of a character that no font
// has. Glyphs of files are drawn by ImGui's own loader (stb_truetype).
#include "app/panels/widgets/system_fonts.hpp"

#include <fontconfig/fontconfig.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace spyctrum {

namespace {

struct Free {
  void operator()(FcFontSet* set) const { FcFontSetDestroy(set); }
  void operator()(FcPattern* pattern) const { FcPatternDestroy(pattern); }
};

/// Whether `pattern` says `value` of a property. A property that is not there is false.
bool is(FcPattern* pattern, const char* property) {
  FcBool value = FcFalse;
  return FcPatternGetBool(pattern, property, 0, &value) == FcResultMatch && value == FcTrue;
}

/// One of the installed fonts. Its file is read when its first glyph is needed.
class InstalledFont {
 public:
  explicit InstalledFont(FcPattern* pattern) : pattern_(pattern) {}
  InstalledFont(const InstalledFont&) = delete;
  InstalledFont& operator=(const InstalledFont&) = delete;
  ~InstalledFont() {
    if (config_.FontLoaderData != nullptr) loader().FontSrcDestroy(nullptr, &config_);
  }

  /// 0: the font has no such glyph, or cannot be read.
  int glyph(ImFontAtlas* atlas, const ImFontConfig& source, ImWchar character) {
    FcCharSet* characters = nullptr;
    if (FcPatternGetCharSet(pattern_, FC_CHARSET, 0, &characters) != FcResultMatch ||
        FcCharSetHasChar(characters, character) == FcFalse)
      return 0;
    if (!std::exchange(was_opened_, true)) open(atlas, source);
    if (config_.FontLoaderData == nullptr) return 0;
    return loader().FontSrcGetGlyphIndexFromCodepoint(atlas, &config_, character);
  }
  bool load(ImFontAtlas* atlas, ImFontBaked* baked, int glyph, ImFontGlyph* out, float* advance) {
    return loader().FontBakedLoadGlyph(atlas, &config_, baked, nullptr, glyph, out, advance);
  }

 private:
  static const ImFontLoader& loader() { return *ImFontAtlasGetFontLoaderForStbTruetype(); }

  void open(ImFontAtlas* atlas, const ImFontConfig& source) {
    FcChar8* path = nullptr;
    int index = 0;
    if (FcPatternGetString(pattern_, FC_FILE, 0, &path) != FcResultMatch) return;
    FcPatternGetInteger(pattern_, FC_INDEX, 0, &index);
    std::ifstream file(reinterpret_cast<const char*>(path), std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    if (bytes_.empty()) return;
    config_.FontData = bytes_.data();
    config_.FontDataSize = static_cast<int>(bytes_.size());
    config_.FontDataOwnedByAtlas = false;
    config_.FontNo = static_cast<ImU32>(index) & 0xFFFFU;  // above: the instance of a variable font
    config_.MergeMode = true;
    config_.SizePixels = source.SizePixels;
    config_.DstFont = source.DstFont;
    // A font that stb_truetype cannot read is none of the user's concern: the next one is tried.
    ImGuiIO& io = ImGui::GetIO();
    const bool asserts = std::exchange(io.ConfigErrorRecoveryEnableAssert, false);
    const bool tells = std::exchange(io.ConfigErrorRecoveryEnableTooltip, false);
    loader().FontSrcInit(atlas, &config_);
    io.ConfigErrorRecoveryEnableAssert = asserts;
    io.ConfigErrorRecoveryEnableTooltip = tells;
  }

  FcPattern* pattern_;  ///< of the set that outlives this
  bool was_opened_ = false;
  std::string bytes_;
  ImFontConfig config_;
};

/// The fonts that stb_truetype may read, those most like the embedded ones in the user's language first.
class InstalledFonts {
 public:
  InstalledFonts() {
    const std::unique_ptr<FcPattern, Free> wish(
        FcPatternBuild(nullptr, FC_FAMILY, FcTypeString, "sans-serif", FC_WEIGHT, FcTypeInteger,
                       FC_WEIGHT_REGULAR, FC_SLANT, FcTypeInteger, FC_SLANT_ROMAN, nullptr));
    FcConfigSubstitute(nullptr, wish.get(), FcMatchPattern);
    FcDefaultSubstitute(wish.get());
    FcResult result = FcResultMatch;
    set_.reset(FcFontSort(nullptr, wish.get(), FcFalse, nullptr, &result));
    if (!set_) return;
    for (int k = 0; k < set_->nfont; ++k) {
      FcPattern* const pattern = set_->fonts[k];
      FcChar8* format = nullptr;
      if (!is(pattern, FC_OUTLINE) || is(pattern, FC_COLOR) ||
          FcPatternGetString(pattern, FC_FONTFORMAT, 0, &format) != FcResultMatch)
        continue;
      const std::string name(reinterpret_cast<const char*>(format));
      if (name == "TrueType" || name == "CFF") fonts_.push_back(std::make_unique<InstalledFont>(pattern));
    }
  }

  int glyph(ImFontAtlas* atlas, const ImFontConfig& source, ImWchar character) {
    const std::size_t most = std::min<std::size_t>(fonts_.size(), kMostFonts);
    for (std::size_t k = 0; k < most; ++k)
      if (const int glyph = fonts_[k]->glyph(atlas, source, character); glyph > 0)
        return static_cast<int>((k + 1) * kGlyphsPerFont) + glyph;
    return 0;
  }
  bool load(ImFontAtlas* atlas, ImFontBaked* baked, int index, ImFontGlyph* out, float* advance) {
    InstalledFont& font = *fonts_.at(static_cast<std::size_t>(index / kGlyphsPerFont) - 1);
    return font.load(atlas, baked, index % kGlyphsPerFont, out, advance);
  }

 private:
  static constexpr int kGlyphsPerFont = 1 << 16, kMostFonts = (1 << 15) - 2;
  std::unique_ptr<FcFontSet, Free> set_;
  std::vector<std::unique_ptr<InstalledFont>> fonts_;
};

/// Code points that change how others look and are not seen: joiners, directions, selectors of variants.
bool is_invisible(ImWchar character) {
  return (character >= 0x200B && character <= 0x200F) || (character >= 0x2028 && character <= 0x202E) ||
         (character >= 0x2060 && character <= 0x206F) || (character >= 0xFE00 && character <= 0xFE0F) ||
         character == 0xFEFF || character >= 0xE0000;
}

/// Hexadecimal digits, 3 × 5 pixels, row by row from the most significant bit of 15.
constexpr std::array<unsigned, 16> kDigits{
    0b111101101101111, 0b010110010010111, 0b111001111100111, 0b111001111001111,
    0b101101111001001, 0b111100111001111, 0b111100111101111, 0b111001001001001,
    0b111101111101111, 0b111101111001111, 0b111101111101101, 0b110101110101110,
    0b111100100100111, 0b110101101101110, 0b111100110100111, 0b111100110100100};

/// The code of `character` in two lines inside a frame, as browsers draw it.
bool load_code(ImFontAtlas* atlas, ImFontConfig* source, ImFontBaked* baked, ImWchar character,
               ImFontGlyph* out, float* advance) {
  const int columns = character > 0xFFFF ? 3 : 2;
  const float density = source->RasterizerDensity * baked->RasterizerDensity;
  const int dot = std::max(1, static_cast<int>(baked->Size * density / 14));
  const int width = (4 * columns + 3) * dot, height = 15 * dot;
  const float room = static_cast<float>(width + 2 * dot) / density;
  if (advance != nullptr) {
    *advance = is_invisible(character) ? 0 : room;
    return true;
  }
  if (is_invisible(character)) return true;
  const ImFontAtlasRectId id = ImFontAtlasPackAddRect(atlas, width, height);
  if (id == ImFontAtlasRectId_Invalid) return false;
  std::vector<unsigned char> pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  const auto fill = [&](int left, int top, int wide, int high) {
    for (int row = top * dot; row < (top + high) * dot; ++row) {
      const std::ptrdiff_t at = std::ptrdiff_t{row} * width + std::ptrdiff_t{left} * dot;
      std::fill_n(pixels.begin() + at, wide * dot, 255);
    }
  };
  const int right = 4 * columns + 2;
  for (const int row : {0, 14}) fill(0, row, right + 1, 1);
  for (const int column : {0, right}) fill(column, 0, 1, 15);
  for (int k = 0; k < 2 * columns; ++k) {
    const unsigned digit = kDigits.at((character >> (4 * (2 * columns - 1 - k))) & 0xFU);
    for (int bit = 0; bit < 15; ++bit)
      if ((digit >> (14 - bit) & 1U) != 0)
        fill(2 + 4 * (k % columns) + bit % 3, 2 + 6 * (k / columns) + bit / 3, 1, 1);
  }
  out->AdvanceX = room;
  out->X0 = static_cast<float>(dot) / density;
  out->Y0 = std::round((baked->Ascent - baked->Descent - static_cast<float>(height) / density) / 2);
  out->X1 = out->X0 + static_cast<float>(width) / density;
  out->Y1 = out->Y0 + static_cast<float>(height) / density;
  out->Visible = true;
  out->PackId = id;
  ImFontAtlasBakedSetFontGlyphBitmap(atlas, baked, source, out, ImFontAtlasPackGetRect(atlas, id),
                                     pixels.data(), ImTextureFormat_Alpha8, width);
  return true;
}

InstalledFonts& fonts_of(ImFontConfig& source) {
  if (source.FontLoaderData == nullptr) source.FontLoaderData = new InstalledFonts;
  return *static_cast<InstalledFonts*>(source.FontLoaderData);
}

int glyph_of(ImFontAtlas* atlas, ImFontConfig* source, ImWchar character) {
  const bool is_control = character < 0x20 || (character >= 0x7F && character < 0xA0);
  const bool is_none = (character >= 0xD800 && character < 0xE000) || (character & 0xFFFFU) >= 0xFFFD;
  if (is_control || is_none) return 0;
  const int glyph = is_invisible(character) ? 0 : fonts_of(*source).glyph(atlas, *source, character);
  return glyph != 0 ? glyph : -static_cast<int>(character);
}

bool load_glyph(ImFontAtlas* atlas, ImFontConfig* source, ImFontBaked* baked, void* /*data*/, int index,
                ImFontGlyph* out, float* advance) {
  return index < 0 ? load_code(atlas, source, baked, static_cast<ImWchar>(-index), out, advance)
                   : fonts_of(*source).load(atlas, baked, index, out, advance);
}

ImFontLoader make_loader() {
  ImFontLoader loader;
  loader.Name = "installed fonts";
  loader.FontSrcDestroy = [](ImFontAtlas*, ImFontConfig* source) {
    delete static_cast<InstalledFonts*>(source->FontLoaderData);
    source->FontLoaderData = nullptr;
  };
  loader.FontSrcGetGlyphIndexFromCodepoint = glyph_of;
  loader.FontSrcContainsGlyph = [](ImFontAtlas*, ImFontConfig*, int index) { return index != 0; };
  loader.FontBakedLoadGlyph = load_glyph;
  return loader;
}

}  // namespace

const ImFontLoader& system_font_loader() {
  static const ImFontLoader loader = make_loader();
  return loader;
}

}  // namespace spyctrum
