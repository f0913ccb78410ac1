// SPDX-License-Identifier: Apache-2.0
// Numbered PNGs, and animated WebP by libwebp's encoder.
#include "app/figures/animation.hpp"

#ifdef SPYCTRUM_WEBP
#include <webp/encode.h>
#include <webp/mux.h>
#endif

#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <ostream>
#include <system_error>
#include <utility>
#include <vector>

#include "app/figures/comparison_page.hpp"
#include "app/figures/page.hpp"
#include "core/io/export.hpp"

namespace spyctrum {

namespace {

class NumberedPictures : public AnimationFile {
 public:
  NumberedPictures(const std::string& path, double pixels)
      : stem_(path.substr(0, path.size() - 4)), pixels_(pixels) {}
  ~NumberedPictures() override {
    std::error_code ignored;
    for (const std::string& one : written_) std::filesystem::remove(one, ignored);
  }
  NumberedPictures(const NumberedPictures&) = delete;
  NumberedPictures& operator=(const NumberedPictures&) = delete;

  void add(const ComparisonFigure& frame) override {
    std::array<char, 32> number{};
    std::snprintf(number.data(), number.size(), "-%03zu.png", written_.size() + 1);
    const std::string path = stem_ + number.data();
    or_throw(write_comparison(path, frame, pixels_));
    written_.push_back(path);
  }
  std::string finish(const std::stop_token& /*stop*/) override {
    std::string names = written_.size() > 1 ? written_.front() + " … " +
                                                  std::filesystem::path(written_.back()).filename().string()
                                            : written_.front();
    written_.clear();
    return names;
  }

 private:
  std::string stem_;
  double pixels_;
  std::vector<std::string> written_;  ///< files of this moving picture, removed if it is not finished
};

#ifdef SPYCTRUM_WEBP

/// Throws where libwebp refuses; `what`: what it refused.
void check_webp(bool done, const char* what, const char* why = nullptr) {
  if (done) return;
  throw Failure(ErrorCode::output, std::string("The animated WebP could not be made: ") + what +
                                       (why != nullptr && *why != 0 ? std::string(": ") + why : "") + ".");
}

struct FreeEncoder {
  void operator()(WebPAnimEncoder* encoder) const { WebPAnimEncoderDelete(encoder); }
};

class WebpAnimation : public AnimationFile {
 public:
  WebpAnimation(std::string path, double pixels, double seconds)
      : path_(std::move(path)),
        pixels_(pixels),
        milliseconds_(static_cast<int>(std::lround(1000 * seconds))) {}

  void add(const ComparisonFigure& frame) override {
    const Raster raster = draw_comparison(frame, pixels_);
    if (!encoder_) begin(raster.width, raster.height);
    if (raster.width != width_ || raster.height != height_)
      throw Failure(ErrorCode::output,
                    path_ + " cannot hold frames of different sizes: the frame “" + frame.caption + "” has " +
                        std::to_string(raster.width) + " × " + std::to_string(raster.height) +
                        " pixels, the first one " + std::to_string(width_) + " × " + std::to_string(height_) +
                        ".",
                    "End the name in .png: numbered pictures may differ.");
    WebPConfig config;
    check_webp(WebPConfigInit(&config) != 0 && WebPConfigLosslessPreset(&config, kEffort) != 0, "settings");
    WebPPicture picture;
    check_webp(WebPPictureInit(&picture) != 0, "another version of libwebp");
    picture.use_argb = 1;
    picture.width = static_cast<int>(width_);
    picture.height = static_cast<int>(height_);
    // 0xRRGGBB in memory is B, G, R, 0.
    static_assert(std::endian::native == std::endian::little);
    const bool added =
        WebPPictureImportBGRX(&picture, reinterpret_cast<const std::uint8_t*>(raster.rgb.data()),
                              static_cast<int>(4 * width_)) != 0 &&
        WebPAnimEncoderAdd(encoder_.get(), &picture, frames_ * milliseconds_, &config) != 0;
    WebPPictureFree(&picture);
    check_webp(added, "a frame", WebPAnimEncoderGetError(encoder_.get()));
    ++frames_;
  }

  std::string finish(const std::stop_token& stop) override {
    check_webp(WebPAnimEncoderAdd(encoder_.get(), nullptr, frames_ * milliseconds_, nullptr) != 0,
               "the last frame", WebPAnimEncoderGetError(encoder_.get()));
    WebPData data;
    WebPDataInit(&data);
    const bool assembled = WebPAnimEncoderAssemble(encoder_.get(), &data) != 0;
    const std::unique_ptr<WebPData, void (*)(WebPData*)> held(&data, WebPDataClear);
    check_webp(assembled, "the file", WebPAnimEncoderGetError(encoder_.get()));
    or_throw(write_atomically(
        path_,
        [&](std::ostream& out) {
          out.write(reinterpret_cast<const char*>(data.bytes), static_cast<std::streamsize>(data.size));
        },
        stop));
    return path_;
  }

 private:
  static constexpr int kEffort =
      3;  // 0 … 9: files of effort 9 are a little smaller and take many times as long

  void begin(std::uint32_t width, std::uint32_t height) {
    width_ = width;
    height_ = height;
    WebPAnimEncoderOptions options;
    check_webp(WebPAnimEncoderOptionsInit(&options) != 0, "another version of libwebp");
    options.anim_params.loop_count = 0;
    encoder_.reset(WebPAnimEncoderNew(static_cast<int>(width), static_cast<int>(height), &options));
    check_webp(encoder_ != nullptr, "its memory");
  }

  std::string path_;
  double pixels_;
  int milliseconds_;
  std::uint32_t width_ = 0, height_ = 0;
  int frames_ = 0;
  std::unique_ptr<WebPAnimEncoder, FreeEncoder> encoder_;
};

#endif

}  // namespace

Result<std::shared_ptr<AnimationFile>> open_animation(const std::string& path, double pixels,
                                                      double seconds) {
  const bool is_webp = path.ends_with(".webp");
  if (!is_webp && !path.ends_with(".png"))
    return fail(ErrorCode::wrong_use, path + " does not end with .webp or .png.");
  if (auto writable = check_writable(path); !writable) return tl::unexpected<Error>(writable.error());
  if (!is_webp) return std::make_shared<NumberedPictures>(path, pixels);
#ifdef SPYCTRUM_WEBP
  return std::make_shared<WebpAnimation>(path, pixels, seconds);
#else
  static_cast<void>(seconds);
  return fail(ErrorCode::wrong_use, "This program was built without libwebp and writes no animated WebP.",
              "End the name in .png for numbered pictures, or build the program where libwebp-dev is "
              "installed.");
#endif
}

}  // namespace spyctrum
