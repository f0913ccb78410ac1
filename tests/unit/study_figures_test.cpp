// SPDX-License-Identifier: Apache-2.0
// The figures of a study are complete files in all three forms, on white, each different from the others, and
// are drawn in full: no value is beyond the end of an axis, where it would be left out or drawn over the
// margin.
#include <fontconfig/fontconfig.h>
#include <gtest/gtest.h>
#include <png.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>

#include "app/figures/comparison_page.hpp"
#include "app/figures/page.hpp"
#include "app/figures/study_figures.hpp"
#include "app/study/study_plots.hpp"
#include "app/study/study_run.hpp"
#include "core/methods/method.hpp"
#include "tests/support/file_bytes.hpp"
#include "tests/support/scratch_folder.hpp"

namespace spyctrum {
namespace {

namespace fs = std::filesystem;

class StudyFigures : public ::testing::Test {
 protected:
  Result<Study> run() {
    StudyPlan plan;
    plan.methods = {"bs-fft", "dense", "elastic", "density-map"};
    plan.blocks = {4, 16, 32};
    plan.memory_bytes = std::uint64_t{1} << 30U;
    plan.repeats = 1;
    EXPECT_TRUE(set_sources(plan, {"gen:band:n=300", "gen:random:n=400,nnz=3000"}, false));
    return run_study(plan, folder_, pool_, {});
  }
  test::ScratchFolder scratch_;
  std::string folder_ = scratch_.file("study");
  ThreadPool pool_{2};
};

TEST_F(StudyFigures, AreCompleteFilesThatDiffer) {
  const auto study = run();
  ASSERT_TRUE(study) << study.error().message();
  JobContext context(pool_);
  const auto files = draw_study_figures(*study, context);
  ASSERT_TRUE(files) << files.error().message();
  EXPECT_EQ(files->size(), 3 * (kStudyPlots + 3 + 1)) << "plots, whole planes, pictures";
  std::set<std::string> contents;
  for (const std::string& file : *files) {
    const std::string text = test::bytes_of(file);
    const std::string ending = fs::path(file).extension().string();
    const bool whole =
        ending == ".png"   ? text.starts_with("\x89PNG") && text.find("IEND") != std::string::npos
        : ending == ".svg" ? text.starts_with("<?xml") && text.ends_with("</svg>\n")
                           : text.starts_with("%PDF") && text.find("%%EOF") != std::string::npos;
    EXPECT_TRUE(whole) << file;
    EXPECT_TRUE(contents.insert(text).second) << file << " equals another figure";
  }
}

TEST_F(StudyFigures, EndWithAMessageWhereTheyCannotBeWritten) {
  auto study = run();
  ASSERT_TRUE(study) << study.error().message();
  std::ofstream(folder_ + "/figures") << "a file in the way";
  JobContext context(pool_);
  const auto files = draw_study_figures(*study, context);
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, ErrorCode::output);
}

TEST_F(StudyFigures, MethodsDifferByColourAndMarkAndWithoutColourByMarkAndDash) {
  std::set<std::pair<std::uint32_t, Mark>> in_colour;
  std::set<std::tuple<Mark, double, double>> in_grey;
  for (const auto& method : methods()) {
    const MethodStyle style = method_style(method->info().id);
    EXPECT_TRUE(in_colour.insert({style.color, style.mark}).second) << method->info().id;
    EXPECT_TRUE(in_grey.insert({style.mark, style.dash[0], style.dash[1]}).second) << method->info().id;
  }
}

TEST(ColumnStyles, DifferFromEachOtherByColourMarkAndDash) {
  const std::vector<std::string> columns{"exact", "exact", "exact", "elastic", "exact"};
  const std::vector<MethodStyle> styles = column_styles(columns);
  ASSERT_EQ(styles.size(), columns.size());
  EXPECT_EQ(styles[0].color, method_style("exact").color);
  EXPECT_EQ(styles[3].color, method_style("elastic").color) << "not given to a column before it";
  std::set<std::tuple<Mark, double, double>> in_grey;
  for (std::size_t k = 0; k < styles.size(); ++k) {
    EXPECT_TRUE(in_grey.insert({styles[k].mark, styles[k].dash[0], styles[k].dash[1]}).second) << k;
    for (std::size_t other = 0; other < columns.size(); ++other) {
      if (k == 0 || k == 3 || other == k) continue;  // those of the methods are as in the table
      int difference = 0;
      for (const unsigned shift : {16U, 8U, 0U})
        difference += std::abs(static_cast<int>(styles[k].color >> shift & 0xFFU) -
                               static_cast<int>(styles[other].color >> shift & 0xFFU));
      EXPECT_GT(difference, 200) << other << ", " << k;
    }
  }
  const std::vector<std::string> many(40, "exact");
  EXPECT_EQ(column_styles(many).back().color, method_style("exact").color) << "no style is left";
}

/// A PNG opened again, 0xRRGGBB.
struct Opened {
  std::uint32_t height = 0, width = 0;
  std::vector<std::uint8_t> rgb;
  [[nodiscard]] std::uint32_t at(double x, double y) const {
    const std::size_t k = 3 * (static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x));
    return static_cast<std::uint32_t>(rgb[k] << 16U | rgb[k + 1] << 8U | rgb[k + 2]);
  }
};
Opened open_png(const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  Opened opened;
  if (png_image_begin_read_from_file(&image, path.c_str()) == 0) return opened;
  image.format = PNG_FORMAT_RGB;
  opened = {image.height, image.width, std::vector<std::uint8_t>(PNG_IMAGE_SIZE(image))};
  png_image_finish_read(&image, nullptr, opened.rgb.data(), 0, nullptr);
  return opened;
}

TEST_F(StudyFigures, AComparisonOpenedAgainShowsEachPictureInItsFrame) {
  constexpr std::uint32_t kRed = 0xCC2200, kBlue = 0x0033BB;
  const auto picture = [](const PlaneRect& rect) {
    return FigurePicture{1, 2, {kRed, kBlue}, rect, "spectrum"};
  };
  const PlaneRect plane{-8, -8, 8, 8};
  FigureRow row;
  row.map = &color_maps().front();
  row.range = {0, 3};
  row.shown = row.plane = plane;
  // The second picture covers twice the width of what is shown: only its middle is seen.
  row.pictures = {picture(plane), picture({-8, -16, 8, 16})};
  fs::create_directories(folder_);
  for (const bool dark : {false, true}) {
    const ComparisonFigure figure{"a matrix", {"exact", "estimate"}, {row}, dark};
    const std::string path = folder_ + "/figure.png";
    for (const double pixels : {1.0, 4.0}) {
      ASSERT_TRUE(write_comparison(path, figure, pixels));
      const Opened opened = open_png(path);
      ASSERT_GT(opened.width, 400 * pixels);
      const auto brightness = [](std::uint32_t rgb) {
        return (rgb >> 16U) + (rgb >> 8U & 0xFFU) + (rgb & 0xFFU);
      };
      EXPECT_EQ(brightness(opened.at(2, 2)) < 200, dark) << "the margin";
      // Frames are 170 points wide, from 44 and 226 points on.
      for (const double left : {44.0, 226.0}) {
        EXPECT_EQ(opened.at((left + 40) * pixels, 120 * pixels), kRed) << left;
        EXPECT_EQ(opened.at((left + 130) * pixels, 120 * pixels), kBlue) << left;
      }
      EXPECT_NE(opened.at(218 * pixels, 120 * pixels), kBlue) << "nothing is drawn beyond a frame";
    }
  }
  EXPECT_EQ(write_comparison(folder_ + "/figure.bmp", {}, 1).error().code, ErrorCode::wrong_use);
}

/// The pixels of the first PNG that is embedded in an SVG.
Opened picture_in_svg(const std::string& text) {
  const std::string begin = "data:image/png;base64,";
  std::string bytes;
  unsigned bits = 0, count = 0;
  for (std::size_t at = text.find(begin) + begin.size(); at < text.size() && text[at] != '"'; ++at) {
    static const std::string kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t digit = kDigits.find(text[at]);
    if (digit == std::string::npos) continue;  // = or the end of a line
    bits = (bits << 6U | static_cast<unsigned>(digit)) & 0xFFFFU;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFFU);
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  Opened opened;
  if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0) return opened;
  image.format = PNG_FORMAT_RGB;
  opened = {image.height, image.width, std::vector<std::uint8_t>(PNG_IMAGE_SIZE(image))};
  png_image_finish_read(&image, nullptr, opened.rgb.data(), 0, nullptr);
  return opened;
}

/// The pixels of the first image of a PDF.
Opened picture_in_pdf(const std::string& text) {
  const std::size_t image = text.find("/Subtype /Image");
  const std::string begin = "stream\n";
  const std::size_t at = text.find(begin, image);
  if (image == std::string::npos || at == std::string::npos) return {};
  const auto number = [&](const std::string& name) {
    return static_cast<std::uint32_t>(std::stoul(text.substr(text.find(name, image) + name.size(), 6)));
  };
  Opened opened{number("/Height "), number("/Width "), {}};
  opened.rgb.resize(std::size_t{3} * opened.height * opened.width);
  const auto* bytes = reinterpret_cast<const Bytef*>(text.data() + at + begin.size());
  uLongf size = opened.rgb.size();
  const auto left = static_cast<uLong>(text.size() - at - begin.size());
  return uncompress(opened.rgb.data(), &size, bytes, left) == Z_OK ? opened : Opened{};
}

TEST_F(StudyFigures, PicturesEmbeddedInSvgAndPdfHaveTheirPixels) {
  fs::create_directories(folder_);
  const PlaneRect plane{-8, -8, 8, 8};
  for (const std::vector<std::uint32_t>& pixels :
       {std::vector<std::uint32_t>{0xCC2200, 0x0033BB}, {0x0033BB, 0xCC2200}}) {
    FigureRow row;
    row.map = &color_maps().front();
    row.range = {0, 3};
    row.shown = row.plane = plane;
    row.pictures = {FigurePicture{1, 2, pixels, plane, "spectrum"}};
    const ComparisonFigure figure{"a matrix", {"exact"}, {row}, false};
    for (const char* name : {"/figure.svg", "/figure.pdf"}) {
      ASSERT_TRUE(write_comparison(folder_ + name, figure, 1));
      const std::string text = test::bytes_of(folder_ + name);
      const Opened opened = name == std::string("/figure.svg") ? picture_in_svg(text) : picture_in_pdf(text);
      ASSERT_GE(opened.rgb.size(), 6U) << name;
      // Each cell is a rectangle of pixels of the embedded picture.
      EXPECT_EQ(opened.at(0, 0), pixels[0]) << name;
      EXPECT_EQ(opened.at(opened.width - 1, opened.height - 1), pixels[1]) << name;
    }
  }
}

TEST_F(StudyFigures, TheBarOfSignedLogarithmsHasZeroInItsMiddle) {
  const PlaneRect plane{-8, -8, 8, 8};
  FigureRow row;
  row.map = &color_maps().front();
  row.range = {0, 3};
  row.shown = row.plane = plane;
  row.pictures = {FigurePicture{1, 1, {0xCC2200}, plane, "values"}};
  fs::create_directories(folder_);
  const std::string path = folder_ + "/signs.png";
  const auto has_tick_in_the_middle = [&](BarValues values) {
    row.values = values;
    EXPECT_TRUE(write_comparison(path, {"a matrix", {"exact"}, {row}, false}, 1));
    const Opened opened = open_png(path);
    bool is_any = false;  // right of the bar, which is 8 wide and begins at (230, 48)
    for (const double y : {128, 129, 130}) is_any = is_any || opened.at(239, y) != 0xFFFFFFU;
    return is_any;
  };
  EXPECT_TRUE(has_tick_in_the_middle(BarValues::signs));
  EXPECT_FALSE(has_tick_in_the_middle(BarValues::logarithms)) << "control: 31.6 is no tick";
}

TEST_F(StudyFigures, TheBarOfAPatternNamesTheColourOfPlacesWithoutEntries) {
  FigureRow row;
  row.map = &entry_colors(*find_color_map("magma"));
  row.range = {-6, 0};
  row.shown = row.plane = {0, 0, 16, 16};
  row.pictures = {FigurePicture{1, 1, {0xCC2200}, row.plane, "pattern"}};
  const auto lowest = [&] {  // the bar is 8 wide and begins at (230, 48); its picture ends at 210
    const Raster drawn = draw_comparison({"a matrix", {"exact"}, {row}, true}, 1);
    return drawn.rgb[std::size_t{206} * drawn.width + 233] & 0xFFFFFFU;
  };
  EXPECT_GT(lowest(), 0x300000U) << "control: the smallest share";
  row.marks_empty = true;
  EXPECT_EQ(lowest(), 0U);
}

TEST_F(StudyFigures, AColumnWithItsOwnZoomAndScaleIsDrawnAtThatZoomBesideItsOwnBar) {
  constexpr std::uint32_t kRed = 0xCC2200, kBlue = 0x0033BB;
  const PlaneRect plane{-8, -8, 8, 8};
  FigureRow row;
  row.map = &color_maps().front();
  row.range = {0, 3};
  row.shown = row.plane = plane;
  FigurePicture own{1, 2, {kRed, kBlue}, plane, "spectrum"};
  own.own_view = PlaneRect{-2, 0, 2, 4};  // of the right half
  own.own_map = &color_maps().back();
  own.own_range = {1, 2};
  row.pictures = {FigurePicture{1, 2, {kRed, kBlue}, plane, "spectrum"}, own};
  fs::create_directories(folder_);
  const std::string path = folder_ + "/own.png";
  ASSERT_TRUE(write_comparison(path, {"a matrix", {"exact", "estimate"}, {row}, false}, 1));
  const Opened opened = open_png(path);
  EXPECT_EQ(opened.at(44 + 40, 120), kRed) << "control: the first shows both halves";
  const double left = 44 + 256;  // a wide gap has room for ticks and a bar
  EXPECT_EQ(opened.at(left + 40, 120), kBlue);
  EXPECT_EQ(opened.at(left + 130, 120), kBlue);
  const auto& last = color_maps().back().rgb[128];
  const std::uint32_t middle = opened.at(left + 170 + 8, 40 + 8 + 81);
  EXPECT_NEAR(static_cast<int>(middle >> 16U), last[0], 30) << "its own bar";
  EXPECT_NEAR(static_cast<int>(middle & 0xFFU), last[2], 30);
  EXPECT_EQ(opened.at(44 + 170 + 8, 40 + 8 + 81), 0xFFFFFFU)
      << "control: the first shares the bar of the row";
}

TEST_F(StudyFigures, ATitleThatIsWiderThanThePageIsBrokenAfterACommaOutsideOfNumbers) {
  const PlaneRect plane{-8, -8, 8, 8};
  const auto drawn = [&](const std::string& title) {
    FigureRow row;
    row.shown = row.plane = plane;
    row.pictures = {FigurePicture{1, 1, {0x0033BB}, plane, ""}};
    return draw_comparison({title, {"exact"}, {row}, false}, 1);
  };
  const Raster one = drawn("band:n=400, 400 × 400");
  const Raster three =
      drawn("stochastic-blocks:n=600,blocks=6,p_in=0.15,p_out=0.005, 600 × 600, K = 10,410, by value");
  EXPECT_EQ(three.width, one.width);
  EXPECT_EQ(three.height, one.height + 28) << "three lines";
  for (std::uint32_t y = 0; y < 30; ++y)
    for (std::uint32_t x = three.width - 3; x < three.width; ++x)
      EXPECT_EQ(three.rgb[y * three.width + x] & 0xFFFFFFU, 0xFFFFFFU) << "no line reaches the edge";
}

TEST_F(StudyFigures, TitlesInChineseAreDrawnByAFontThatHasTheCharacters) {
  const std::unique_ptr<FcCharSet, void (*)(FcCharSet*)> characters(FcCharSetCreate(), FcCharSetDestroy);
  for (const char32_t one : U"矩阵")
    if (one != 0) FcCharSetAddChar(characters.get(), one);
  const std::unique_ptr<FcPattern, void (*)(FcPattern*)> wish(
      FcPatternBuild(nullptr, FC_CHARSET, FcTypeCharSet, characters.get(), nullptr), FcPatternDestroy);
  const std::unique_ptr<FcObjectSet, void (*)(FcObjectSet*)> nothing(FcObjectSetCreate(), FcObjectSetDestroy);
  const std::unique_ptr<FcFontSet, void (*)(FcFontSet*)> fonts(FcFontList(nullptr, wish.get(), nothing.get()),
                                                               FcFontSetDestroy);
  const auto drawn = [](const std::string& words) {
    return draw_raster(
               60, 20, [&](Page& page) { page.text(words, 2, 15, 12, Anchor::left); }, 2)
        .rgb;
  };
  EXPECT_NE(drawn("K = 1"), drawn("矩K = 1"));
  EXPECT_EQ(drawn("K\xFF = 1"), drawn("K = 1")) << "what is no UTF-8 is left out";
  if (fonts->nfont == 0) GTEST_SKIP() << "no font here has Chinese characters";
  EXPECT_NE(drawn("矩K = 1"), drawn("阵K = 1"));
}

TEST_F(StudyFigures, TicksMarkTheMiddleOfWholeIndices) {
  /// Places of the ticks below the picture, as shares of its width.
  const auto ticks_of = [](const PlaneRect& plane, const PlaneRect& shown) {
    FigureRow row;
    row.plane = plane;
    row.shown = shown;
    row.pictures = {FigurePicture{1, 1, {0x0033BB}, plane, ""}};
    const Raster drawn = draw_comparison({"a matrix", {"exact"}, {row}, false}, 4);
    std::vector<double> places;
    bool was_inked = false;
    for (std::uint32_t x = 4 * 44 + 8; x < 4 * (44 + 170) - 8; ++x) {  // without the frame
      const std::uint32_t y = 4 * 210 + 8;                             // below it
      const bool is_inked = (drawn.rgb[std::size_t{y} * drawn.width + x] & 0xFFU) < 0x80U;
      if (is_inked && !was_inked) places.push_back((x / 4.0 - 44) / 170);
      was_inked = is_inked;
    }
    return places;
  };
  const auto expect_near = [](const std::vector<double>& places, const std::vector<double>& expected) {
    ASSERT_EQ(places.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(places[k], expected[k], 0.01) << k;
  };
  const std::vector<double> quarters{0.125, 0.375, 0.625, 0.875};
  const PlaneRect pattern{0, 0, 4, 4}, spectrum{-2.5, -2.5, 1.5, 1.5};
  expect_near(ticks_of(pattern, pattern), quarters);
  expect_near(ticks_of(spectrum, spectrum), quarters);
  expect_near(ticks_of({0, 0, 9, 9}, {2.4, 2.4, 4.4, 4.4}), {0.05, 0.55});
  expect_near(ticks_of({0, 0, 9, 9}, {3.1, 3.1, 3.4, 3.4}), {});
}

TEST_F(StudyFigures, LabelsAtTheCornersLeaveTheSpaceBetweenPicturesFree) {
  const PlaneRect plane{0, 0, 1001, 1001};
  FigureRow row;
  row.shown = row.plane = plane;
  row.pictures = {FigurePicture{1, 1, {0x0033BB}, plane, ""}, FigurePicture{1, 1, {0x0033BB}, plane, ""}};
  const Raster drawn = draw_comparison({"a matrix", {"exact", "estimate"}, {row}, false}, 1);
  const auto is_inked = [&](std::uint32_t left, std::uint32_t right) {
    bool is_any = false;
    for (std::uint32_t y = 214; y < 222; ++y)  // the labels of the horizontal axes
      for (std::uint32_t x = left; x < right; ++x)
        is_any = is_any || (drawn.rgb[y * drawn.width + x] & 0xFFFFFFU) != 0xFFFFFFU;
    return is_any;
  };
  EXPECT_FALSE(is_inked(215, 226));
  EXPECT_TRUE(is_inked(198, 214)) << "control: 1000 at the right of the first picture";
  EXPECT_TRUE(is_inked(226, 234)) << "control: 0 at the left of the second one";
}

TEST_F(StudyFigures, ALongCaptionEndsBelowItsPicture) {
  const PlaneRect plane{-8, -8, 8, 8};
  const auto drawn = [&](const std::string& caption) {
    FigureRow row;
    row.shown = row.plane = plane;
    row.pictures = {FigurePicture{1, 1, {0x0033BB}, plane, caption},
                    FigurePicture{1, 1, {0x0033BB}, plane, ""}};
    return draw_comparison({"a matrix", {"exact", "estimate"}, {row}, false}, 1);
  };
  const auto inked = [](const Raster& raster, std::uint32_t top, std::uint32_t bottom, std::uint32_t left,
                        std::uint32_t right) {
    for (std::uint32_t y = top; y < bottom; ++y)
      for (std::uint32_t x = left; x < right; ++x)
        if ((raster.rgb[y * raster.width + x] & 0xFFFFFFU) != 0xFFFFFFU) return true;
    return false;
  };
  // The first picture begins at (44, 40), is 170 high and wide, and ends 12 before the next one.
  const Raster two_lines = drawn("spectrum, exact samples, coarser than the pixels, own range, own zoom");
  EXPECT_TRUE(inked(two_lines, 238, 246, 44, 100)) << "a second line";
  EXPECT_FALSE(inked(two_lines, 230, 246, 216, 400)) << "nothing below the next picture";
  EXPECT_FALSE(inked(drawn("spectrum, exact"), 238, 246, 44, 100)) << "control: a short one has one line";
}

}  // namespace
}  // namespace spyctrum
