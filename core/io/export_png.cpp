// SPDX-License-Identifier: Apache-2.0
// PNG pictures by libpng, with text chunks: tEXt for ASCII texts, iTXt (UTF-8) for all others.
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <ostream>

#include "core/base/counts_text.hpp"
#include "core/io/export.hpp"

namespace spyctrum {

namespace {

void write_bytes(png_structp png, png_bytep data, png_size_t size) {
  auto& out = *static_cast<std::ostream*>(png_get_io_ptr(png));
  out.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  if (!out) png_error(png, "the disk refused the data");
}

void flush_bytes(png_structp /*png*/) {}

void ignore_warning(png_structp /*png*/, png_const_charp /*text*/) {}

bool is_ascii(const std::string& text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// The input of libpng. It outlives the call of write_picture(), because libpng's longjmp skips destructors.
struct Picture {
  std::uint32_t height = 0;
  std::uint32_t width = 0;
  const std::function<void(std::uint32_t, std::span<std::uint8_t>)>* fill = nullptr;
  std::vector<std::uint8_t> row;
  std::vector<png_text> texts;
};

// Returns whether the picture was written. No local variable may have a destructor, since libpng calls
// longjmp() on errors.
bool write_picture(png_structp png, png_infop info, Picture& picture, std::ostream& out) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;  // NOLINT(cert-err52-cpp): libpng's way of errors
  png_set_write_fn(png, &out, &write_bytes, &flush_bytes);
  png_set_IHDR(png, info, picture.width, picture.height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_text(png, info, picture.texts.data(), static_cast<int>(picture.texts.size()));
  png_write_info(png, info);
  for (std::uint32_t r = 0; r < picture.height; ++r) {
    (*picture.fill)(r, picture.row);
    png_write_row(png, picture.row.data());
  }
  png_write_end(png, info);
  return true;
}

struct Encoder {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, &ignore_warning);
  png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
  Encoder() = default;
  ~Encoder() { png_destroy_write_struct(&png, &info); }
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
};

void write_to(std::ostream& out, Picture& picture) {
  const Encoder encoder;
  const bool written = encoder.info != nullptr && write_picture(encoder.png, encoder.info, picture, out);
  if (!written && out)
    throw Failure(ErrorCode::output,
                  "The PNG encoder refused a picture of " + sides_text(picture.width, picture.height) + ".");
}

Result<void> check_sides(std::uint32_t height, std::uint32_t width) {
  constexpr std::uint32_t kLargestSide = 1'000'000;  // libpng's own limit
  if (height != 0 && width != 0 && height <= kLargestSide && width <= kLargestSide) return {};
  return fail(ErrorCode::output, "A picture of " + sides_text(width, height) + " pixels cannot be a PNG.",
              "Each side must be between 1 and 1,000,000 pixels: choose a smaller window.");
}

}  // namespace

Result<void> write_png_rows(const std::string& path, std::uint32_t height, std::uint32_t width,
                            const std::function<void(std::uint32_t, std::span<std::uint8_t>)>& row,
                            const std::vector<std::pair<std::string, std::string>>& text,
                            const std::stop_token& stop) {
  if (auto checked = check_sides(height, width); !checked) return checked;
  Picture picture{height, width, &row, std::vector<std::uint8_t>(std::size_t{width} * 3), {}};
  for (const auto& [key, value] : text) {
    png_text one{};
    one.compression = is_ascii(value) ? PNG_TEXT_COMPRESSION_NONE : PNG_ITXT_COMPRESSION_NONE;
    // libpng's members are not const, but it does not write to them.
    one.key = const_cast<char*>(key.c_str());
    one.text = const_cast<char*>(value.c_str());
    one.text_length = value.size();
    picture.texts.push_back(one);
  }
  return write_atomically(
      path, [&](std::ostream& out) { write_to(out, picture); }, stop);
}

Result<void> write_png(const std::string& path, std::uint32_t height, std::uint32_t width,
                       std::span<const std::uint8_t> rgb,
                       const std::vector<std::pair<std::string, std::string>>& text,
                       const std::stop_token& stop) {
  if (auto checked = check_sides(height, width); !checked) return checked;
  const std::size_t stride = std::size_t{width} * 3;
  if (rgb.size() != height * stride)
    return fail(ErrorCode::internal, "write_png: " + std::to_string(rgb.size()) + " bytes for " +
                                         sides_text(width, height) + " pixels.");
  const auto row = [&](std::uint32_t r, std::span<std::uint8_t> out) {
    std::ranges::copy(rgb.subspan(r * stride, stride), out.begin());
  };
  return write_png_rows(path, height, width, row, text, stop);
}

}  // namespace spyctrum
