// SPDX-License-Identifier: Apache-2.0
// How a file is read: what was assumed about it, which of its matrices is read, what an entry counts as; and
// going through the files below a folder.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "app/controller/files/session.hpp"
#include "tests/gui/gui_fixture.hpp"

namespace spyctrum::testing {
namespace {

namespace fs = std::filesystem;

class ReadingFiles : public GuiTest {
 protected:
  [[nodiscard]] const OpenMatrix& matrix() const { return *state().matrix(); }
  /// Opens the menu of a choice and clicks a word in it.
  void choose(const std::string& name, const std::string& word) {
    drive([&](ImGuiTestContext* c) {
      c->ItemClick(("**/###read as " + name).c_str());
      c->Yield(2);
      c->ItemClick(("//$FOCUSED/" + word).c_str());
    });
    settle();
  }
};

/// A circle of n vertices and a chord, numbered from 1.
std::string edges(int n) {
  std::string text = "1 3\n";
  for (int k = 1; k <= n; ++k) text += std::to_string(k) + " " + std::to_string(k % n + 1) + "\n";
  return text;
}

TEST_F(ReadingFiles, AnotherBaseReadsTheFileAgainWithTheSameView) {
  open(write_file("circle.txt", edges(50)));
  EXPECT_EQ(matrix().matrix.pattern->rows(), 50U);
  EXPECT_TRUE(exists("###read as base"));
  act(action::SetView{Plane::pattern, {5, 5, 25, 25}});
  settle();
  const Pixels before = pixels_of("picture pattern 1");
  choose("base", "0");
  EXPECT_EQ(matrix().matrix.pattern->rows(), 51U) << "there is a vertex 0 now, which has no edge";
  EXPECT_TRUE(matrix().matrix.pattern->contains(1, 3));
  EXPECT_EQ(state().view(Plane::pattern).rect, (PlaneRect{5, 5, 25, 25})) << "though there is a row more";
  const std::string session = write_file("base.json", to_json_text(session_of(state())));
  choose("base", "auto");
  EXPECT_EQ(matrix().matrix.pattern->rows(), 50U);
  EXPECT_TRUE(matrix().reading.import.empty());
  // A choice that keeps the sides keeps the view.
  act(action::SetView{Plane::pattern, {5, 5, 25, 25}});
  settle();
  EXPECT_EQ(pixels_of("picture pattern 1"), before);
  choose("directed", "no");
  EXPECT_TRUE(matrix().matrix.pattern->symmetric());
  EXPECT_EQ(state().view(Plane::pattern).rect, (PlaneRect{5, 5, 25, 25}));
  // The session from before reads it again as it was read then.
  act(action::LoadSession{session});
  settle();
  EXPECT_EQ(matrix().matrix.pattern->rows(), 51U);
  EXPECT_FALSE(matrix().matrix.pattern->symmetric());
}

/// The opacities of the character's glyph in the interface's font, and whether it is that of the character
/// for what no font has.
struct DrawnGlyph {
  std::vector<std::uint8_t> opacities;
  bool is_fallback = false;
};
DrawnGlyph glyph_of(ImWchar character) {
  ImFontBaked* const baked = ImGui::GetIO().FontDefault->GetFontBaked(14);
  const ImFontGlyph glyph = *baked->FindGlyph(character);
  DrawnGlyph drawn{{}, glyph.Codepoint != character};
  const ImTextureData& atlas = *ImGui::GetIO().Fonts->TexData;
  const auto at = [](float share, int side) {
    return static_cast<int>(std::lround(share * static_cast<float>(side)));
  };
  for (int y = at(glyph.V0, atlas.Height); y < at(glyph.V1, atlas.Height); ++y)
    for (int x = at(glyph.U0, atlas.Width); x < at(glyph.U1, atlas.Width); ++x)
      drawn.opacities.push_back(atlas.Pixels[(y * atlas.Width + x + 1) * atlas.BytesPerPixel - 1]);
  return drawn;
}

TEST_F(ReadingFiles, NamesInEveryScriptAreReadable) {
  open(write_file("矩阵 🎲 é.txt", edges(20)));
  ASSERT_NE(state().matrix(), nullptr);
  // From an installed font or, without one, as the digits of its code. No font has an unassigned code.
  constexpr ImWchar kUnassigned = 0x50123;
  for (const ImWchar character : std::u32string(U"矩阵한글🎲ไא") + char32_t{kUnassigned}) {
    SCOPED_TRACE(static_cast<unsigned>(character));
    const DrawnGlyph drawn = glyph_of(character);
    EXPECT_FALSE(drawn.is_fallback);
    EXPECT_GT(std::ranges::count_if(drawn.opacities, [](int opacity) { return opacity > 100; }), 0);
  }
  EXPECT_NE(glyph_of(U'矩').opacities, glyph_of(U'阵').opacities);
  EXPECT_NE(glyph_of(kUnassigned).opacities, glyph_of(kUnassigned + 1).opacities) << "the last digit differs";
  EXPECT_EQ(glyph_of(kUnassigned).opacities, glyph_of(kUnassigned).opacities) << "control";
  EXPECT_TRUE(glyph_of(0x1).is_fallback) << "control: a character that is none";
}

TEST_F(ReadingFiles, AChoiceThatCannotBeReadReportsTheReasonAndKeepsTheMatrix) {
  open(write_file("circle2.txt", edges(20)));
  act(action::SetReading{{{{"columns", "7,8"}}, Weights::pattern}});
  settle();
  EXPECT_EQ(matrix().matrix.pattern->rows(), 20U);
  EXPECT_TRUE(matrix().reading.import.empty());
  ASSERT_FALSE(state().toasts.empty());
  EXPECT_EQ(state().toasts.back().level, Level::error);
}

TEST_F(ReadingFiles, ARefusedListOfNamesCanBeReadWithItsNamesByAClick) {
  const std::string file = write_file("names.edges", "anna bert\nbert carl\ncarl anna\n");
  act(action::OpenFile{file});
  ASSERT_TRUE(draw_until([&] { return !state().toasts.empty(); }, 20000));
  EXPECT_TRUE(state().matrices.empty());
  ASSERT_TRUE(state().toasts.back().offer) << state().toasts.back().text;
  draw(4);
  drive([](ImGuiTestContext* c) { c->ItemClick("**/###offer"); });
  settle();
  ASSERT_EQ(state().matrices.size(), 1U);
  EXPECT_EQ(matrix().matrix.pattern->rows(), 3U);
  EXPECT_TRUE(exists("###read as vertices"));
  EXPECT_TRUE(state().toasts.empty());
}

/// A safetensors file with `count` elements of single precision, all of which are 1.
std::string tensors(const std::string& head, int count) {
  std::string text(8, '\0');
  const std::uint64_t size = head.size();
  std::memcpy(text.data(), &size, sizeof size);
  text += head;
  for (int k = 0; k < count; ++k) text += std::string("\0\0\x80\x3f", 4);
  return text;
}

/// Two arrays, 3 × 4 and 5 × 2.
std::string two_tensors() {
  return tensors(R"({"small":{"dtype":"F32","shape":[5,2],"data_offsets":[0,40]},)"
                 R"("large":{"dtype":"F32","shape":[3,4],"data_offsets":[40,88]}})",
                 22);
}

TEST_F(ReadingFiles, AFileOfOneMatrixOffersNoList) {
  open(write_file("one.safetensors",
                  tensors(R"({"only":{"dtype":"F32","shape":[5,2],"data_offsets":[0,40]}})", 10)));
  EXPECT_TRUE(exists("###read as orientation"));
  EXPECT_FALSE(exists("###matrices of the file"));
}

TEST_F(ReadingFiles, AFileOfSeveralMatricesListsThemAndOpensTheOneThatIsChosen) {
  open(write_file("two.safetensors", two_tensors()));
  EXPECT_EQ(matrix().matrix.report.matrix, "large");
  EXPECT_EQ(matrix().matrix.pattern->rows(), 3U);
  drive([](ImGuiTestContext* c) { c->ItemClick("**/###matrices of the file"); });
  EXPECT_EQ(state().interface.overlay, Overlay::matrices);
  draw(4);
  const Pixels with_list = screen();
  drive([](ImGuiTestContext* c) {
    c->KeyCharsAppendEnter("sma");
    c->Yield(2);
  });
  settle();
  EXPECT_EQ(state().interface.overlay, Overlay::none);
  EXPECT_EQ(matrix().matrix.report.matrix, "small");
  EXPECT_EQ(matrix().matrix.pattern->rows(), 5U);
  EXPECT_EQ(state().matrices.size(), 2U);
  EXPECT_GT(share_changed(with_list, screen()), 0.05);
  // A session keeps the choice.
  const Session session = session_of(state());
  EXPECT_TRUE(session.matrices.at(session.selected).source.ends_with("two.safetensors::small"));
}

TEST_F(ReadingFiles, AnotherWeightIsReadShownAndKeptInSessions) {
  open("gen:laplacian-2d:nx=14,ny=12,periodic=1");
  EXPECT_FALSE(matrix().matrix.pattern->has_weights());
  const Pixels of_pattern = pixels_of("picture spectrum 1");
  choose("weights", "value");
  ASSERT_TRUE(matrix().matrix.pattern->has_weights());
  EXPECT_NEAR(matrix().matrix.pattern->weight_sum(), 0, 1e-9) << "each row adds up to 0";
  EXPECT_NE(pixels_of("picture spectrum 1"), of_pattern);
  // The entry under the cursor, and F at u = v = n/2: n times 4 of the diagonal, 2 of the neighbours along x,
  // whose places differ by an odd number, and −2 of those along y.
  act(action::SetCrosshair{Plane::pattern, 10.5, 10.5});
  ASSERT_TRUE(state().crosshair.value);
  EXPECT_EQ(*state().crosshair.value, 4);
  act(action::SetCrosshair{Plane::pattern, 10.5, 50.5});
  EXPECT_FALSE(state().crosshair.value);
  act(action::SetCrosshair{Plane::spectrum, -84, -84});
  settle();
  ASSERT_TRUE(state().crosshair.coefficient);
  EXPECT_NEAR(std::abs(*state().crosshair.coefficient), 4 * 168, 1e-6);
  // In a session.
  const auto session = parse_session(to_json_text(session_of(state())), "/s.json");
  ASSERT_TRUE(session) << session.error().message();
  EXPECT_EQ(session->matrices.at(0).reading.weights, Weights::value);
  choose("weights", "pattern");
  EXPECT_EQ(pixels_of("picture spectrum 1"), of_pattern);
  const std::string file = write_file("weights.json", to_json_text(*session));
  act(action::LoadSession{file});
  settle();
  EXPECT_TRUE(matrix().matrix.pattern->has_weights());
}

TEST_F(ReadingFiles, AHandleOfTheHistogramLeavesOutSmallEntries) {
  open("gen:contact-map:n=400,seed=3");
  EXPECT_FALSE(exists("magnitudes")) << "a pattern has no sizes";
  choose("weights", "value");
  const std::int64_t all = matrix().matrix.pattern->nonzeros();
  const PatternPtr whole = matrix().whole;
  const Pixels pattern = pixels_of("picture pattern 1");
  const Pixels spectrum = pixels_of("picture spectrum 1");
  drive([](ImGuiTestContext* c) {
    const ImRect bars = c->ItemInfo("**/magnitudes").RectFull;
    c->MouseMoveToPos({bars.Min.x + 3, bars.GetCenter().y});
    c->MouseDragWithDelta({bars.GetWidth() * 0.6F, 0});
  });
  settle();
  keep("threshold");
  const MagnitudeRange range = matrix().reading.kept;
  EXPECT_GT(range.least, 0);
  EXPECT_TRUE(std::isinf(range.most));
  EXPECT_EQ(matrix().shown, range);
  ASSERT_LT(matrix().matrix.pattern->nonzeros(), all);
  std::int64_t expected = 0;
  for (const float weight : whole->weights())
    expected += std::abs(std::ldexp(double{weight}, whole->weight_exponent())) >= range.least ? 1 : 0;
  EXPECT_EQ(matrix().matrix.pattern->nonzeros(), expected);
  EXPECT_GT(share_changed(pattern, pixels_of("picture pattern 1")), 0.01);
  EXPECT_GT(share_changed(spectrum, pixels_of("picture spectrum 1")), 0.01);
  EXPECT_EQ(state().columns.at(0).spectrum->nonzeros, expected) << "features follow, too";
  EXPECT_TRUE(matrix().matrix.report.weights.starts_with("value, |a| from ")) << "in exports";
  // In a session, which is read again with other weights in between.
  const auto session = parse_session(to_json_text(session_of(state())), "/s.json");
  ASSERT_TRUE(session) << session.error().message();
  EXPECT_EQ(session->matrices.at(0).reading.kept, range);
  choose("weights", "log");
  EXPECT_EQ(matrix().reading.kept, MagnitudeRange{}) << "a range of the values is none of their logarithms";
  EXPECT_EQ(matrix().matrix.pattern->nonzeros(), all);
  act(action::LoadSession{write_file("kept.json", to_json_text(*session))});
  settle();
  EXPECT_EQ(matrix().matrix.pattern->nonzeros(), expected);
  // And back.
  drive([](ImGuiTestContext* c) { c->ItemClick("**/all"); });
  settle();
  EXPECT_EQ(matrix().matrix.pattern->nonzeros(), all);
  EXPECT_EQ(pixels_of("picture pattern 1"), pattern);
  EXPECT_EQ(pixels_of("picture spectrum 1"), spectrum);
}

TEST_F(ReadingFiles, ARangeWithoutEntriesIsRefusedAndTheEntriesStay) {
  act(action::OpenFile{"gen:laplacian-2d:nx=14,ny=12", true, Reading{{}, Weights::value}});
  settle();
  const PatternPtr before = matrix().matrix.pattern;
  act(action::SetReading{{{}, Weights::value, {2, 3}}});  // |a| is 1 or 4
  settle();
  EXPECT_EQ(matrix().matrix.pattern, before);
  EXPECT_EQ(matrix().reading.kept, MagnitudeRange{});
  ASSERT_FALSE(state().toasts.empty());
  EXPECT_NE(state().toasts.back().text.find("No entry"), std::string::npos);
  act(action::SetReading{{{}, Weights::value, {1, 1}}});
  settle();
  EXPECT_EQ(matrix().matrix.pattern->nonzeros(), 2 * (13 * 12 + 14 * 11));
  for (const char* wrong : {"[1]", "[2, 1]", "[-1, null]", "[\"x\", 2]"})
    EXPECT_FALSE(
        parse_session(R"({"format":"spyctrum-session","version":1,"matrices":[{"source":"gen:x","kept":)" +
                          std::string(wrong) + "}]}",
                      "/s.json"))
        << wrong;
}

class Folders : public ReadingFiles {
 protected:
  void SetUp() override {
    ReadingFiles::SetUp();
    folder_ = fs::path(write_file("folder.here", "")).parent_path() / "matrices below";
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "inner");
    for (const int n : {20, 30}) put("circle" + std::to_string(n) + ".mtx", n);
    put("inner/circle40.mtx", 40);
    std::ofstream(folder_ / "notes.here") << "no matrix\n";
    fs::create_directory_symlink(folder_, folder_ / "inner" / "again");
  }
  void TearDown() override {
    ReadingFiles::TearDown();
    fs::remove_all(folder_);
  }
  void put(const std::string& name, int n) const {
    std::ofstream out(folder_ / name);
    out << "%%MatrixMarket matrix coordinate pattern general\n" << n << " " << n << " " << n << "\n";
    for (int k = 1; k <= n; ++k) out << k << " " << k % n + 1 << "\n";
  }
  fs::path folder_;
};

TEST_F(Folders, ListWhatCanBeOpenedAndEnterOpensIt) {
  act(action::OpenFile{folder_.string()});
  settle();
  ASSERT_EQ(state().folder.files.size(), 3U) << "neither notes nor the link to the folder itself";
  EXPECT_EQ(state().interface.overlay, Overlay::folder);
  EXPECT_EQ(state().folder.files.back().bytes, fs::file_size(folder_ / "inner/circle40.mtx"));
  drive([](ImGuiTestContext* c) {
    c->KeyCharsAppend("CIRCLE");
    c->Yield(2);
    c->KeyPress(ImGuiKey_DownArrow);
  });
  keep("folder list");
  drive([](ImGuiTestContext* c) {
    c->KeyPress(ImGuiKey_Enter);
    c->Yield(2);
  });
  settle();
  EXPECT_EQ(state().interface.overlay, Overlay::none);
  ASSERT_NE(state().matrix(), nullptr);
  EXPECT_EQ(matrix().matrix.pattern->rows(), 30U);
}

TEST_F(Folders, PageKeysGoThroughTheMatricesWithTheSamePartInView) {
  act(action::OpenFile{folder_.string()});
  settle();
  press(ImGuiKey_Escape);
  open((folder_ / "circle20.mtx").string());
  act(action::SetView{Plane::pattern, {0, 0, 10, 10}});
  press(ImGuiKey_PageDown);
  settle();
  EXPECT_EQ(matrix().matrix.pattern->rows(), 30U);
  EXPECT_EQ(state().matrices.size(), 1U) << "it replaces the one before";
  EXPECT_EQ(state().view(Plane::pattern).rect, (PlaneRect{0, 0, 15, 15}));
  press(ImGuiKey_PageDown);
  settle();
  EXPECT_EQ(matrix().matrix.pattern->rows(), 40U);
  press(ImGuiKey_PageDown);
  settle();
  EXPECT_EQ(matrix().matrix.pattern->rows(), 40U) << "it is the last one";
  press(ImGuiKey_PageUp);
  settle();
  EXPECT_EQ(matrix().matrix.pattern->rows(), 30U);
}

TEST_F(Folders, ArrowKeysOfTheListGoThroughTheMatricesWithTheSamePartInView) {
  open((folder_ / "circle20.mtx").string());
  act(action::SetView{Plane::pattern, {0, 0, 10, 10}});
  act(action::OpenFile{folder_.string()});
  settle();
  const auto arrow = [&](ImGuiKey key) {
    drive([key](ImGuiTestContext* c) {
      c->KeyPress(key);
      c->Yield(10);  // frames of 1/60 s
    });
    settle();
  };
  drive([](ImGuiTestContext* c) {
    c->KeyCharsAppend("CIRCLE");
    c->Yield(30);
  });
  settle();
  EXPECT_EQ(matrix().matrix.pattern->rows(), 20U) << "what is typed opens nothing";
  arrow(ImGuiKey_DownArrow);
  EXPECT_EQ(matrix().matrix.pattern->rows(), 30U);
  EXPECT_EQ(state().view(Plane::pattern).rect, (PlaneRect{0, 0, 15, 15}));
  EXPECT_EQ(state().matrices.size(), 1U) << "it replaces the one before";
  EXPECT_EQ(state().interface.overlay, Overlay::folder) << "the list stays open";
  EXPECT_GT(rect_of("###list text").Min.x, rect_of("picture pattern 1").Max.x) << "beside the pictures";
  keep("folder arrows");
  arrow(ImGuiKey_DownArrow);
  EXPECT_EQ(matrix().matrix.pattern->rows(), 40U);
  arrow(ImGuiKey_DownArrow);
  EXPECT_EQ(matrix().matrix.pattern->rows(), 40U) << "it is the last one";
  arrow(ImGuiKey_UpArrow);
  EXPECT_EQ(matrix().matrix.pattern->rows(), 30U);
  press(ImGuiKey_Enter);
  settle();
  EXPECT_EQ(state().interface.overlay, Overlay::none);
  EXPECT_EQ(matrix().matrix.pattern->rows(), 30U);
  EXPECT_EQ(state().matrices.size(), 1U);
}

TEST_F(Folders, EnterRightAfterAnArrowKeyOpensTheMatrixOfThatLine) {
  act(action::OpenFile{folder_.string()});
  settle();
  drive([](ImGuiTestContext* c) {
    c->KeyPress(ImGuiKey_DownArrow);
    c->KeyPress(ImGuiKey_Enter);
  });
  settle();
  EXPECT_EQ(state().interface.overlay, Overlay::none);
  ASSERT_EQ(state().matrices.size(), 1U);
  EXPECT_EQ(fs::path(matrix().source).filename(), fs::path(state().folder.files[1].path).filename());
}

TEST_F(Folders, AnArrowKeyThatIsHeldDownOpensOnlyTheMatrixWhereItRests) {
  open((folder_ / "circle20.mtx").string());
  act(action::OpenFile{folder_.string()});
  settle();
  std::set<std::string> opened;
  const auto look = [&] {
    for (const LoadingMatrix& one : state().loading) opened.insert(fs::path(one.source).filename());
    opened.insert(fs::path(matrix().source).filename());
  };
  drive([&](ImGuiTestContext* c) {
    c->KeyDown(ImGuiKey_DownArrow);
    for (int frame = 0; frame < 60; ++frame) {
      c->Yield();
      look();
    }
    EXPECT_EQ(opened, (std::set<std::string>{"circle20.mtx"}));
    c->KeyUp(ImGuiKey_DownArrow);
    for (int frame = 0; frame < 10; ++frame) {
      c->Yield();
      look();
    }
  });
  settle();
  look();
  EXPECT_EQ(opened, (std::set<std::string>{"circle20.mtx", "circle40.mtx"}));
  // A line that is left before its matrix is open opens nothing.
  drive([](ImGuiTestContext* c) {
    c->KeyPress(ImGuiKey_UpArrow);
    c->KeyPress(ImGuiKey_DownArrow);
    c->Yield(10);
  });
  settle();
  EXPECT_EQ(matrix().matrix.pattern->rows(), 40U);
  EXPECT_EQ(state().matrices.size(), 1U);
}

TEST_F(Folders, AFolderThatVanishedIsReported) {
  fs::remove_all(folder_);
  act(action::OpenFolder{folder_.string()});
  settle();
  ASSERT_FALSE(state().toasts.empty());
  EXPECT_NE(state().toasts.back().text.find("no folder"), std::string::npos);
  EXPECT_TRUE(state().folder.files.empty());
}

TEST_F(Folders, AFileThatCannotBeReadIsSkipped) {
  std::ofstream(folder_ / "circle25.mtx") << "%%MatrixMarket matrix coordinate pattern general\n2 2 9\n";
  act(action::OpenFile{folder_.string()});
  settle();
  press(ImGuiKey_Escape);
  open((folder_ / "circle20.mtx").string());
  press(ImGuiKey_PageDown);
  settle();
  EXPECT_EQ(matrix().matrix.pattern->rows(), 20U);
  press(ImGuiKey_PageDown);
  settle();
  EXPECT_EQ(matrix().matrix.pattern->rows(), 30U);
  // The other way it goes on from the one that is seen.
  press(ImGuiKey_PageUp);
  settle();
  EXPECT_EQ(matrix().matrix.pattern->rows(), 30U);
  press(ImGuiKey_PageDown);
  settle();
  EXPECT_EQ(matrix().matrix.pattern->rows(), 40U);
}

/// With a cache folder, as the window has one.
class Thumbnails : public Folders {
 protected:
  void SetUp() override {
    cache_ = fs::temp_directory_path() / ("spyctrum_gui_cache_" + std::to_string(getpid()));
    fs::remove_all(cache_);
    Folders::SetUp();
  }
  void TearDown() override {
    Folders::TearDown();
    fs::remove_all(cache_);
  }
  Controller::Options controller_options() override {
    Controller::Options options;
    options.folders.cache = cache_.string();
    return options;
  }
  [[nodiscard]] const ThumbnailMap& made() const { return state().list_thumbnails; }
  /// The label of a file's line, its slashes as the test engine reads them.
  [[nodiscard]] std::string line_of(const std::string& name) const {
    std::string label = "###line ";
    for (const char c : (folder_ / name).string()) label += c == '/' ? std::string("\\/") : std::string(1, c);
    return label;
  }
  fs::path cache_;
};

TEST_F(Thumbnails, OfAFolderAreMadeWhileTheListIsOpenAndKept) {
  std::ofstream(folder_ / "bad.mtx") << "%%MatrixMarket matrix coordinate pattern general\n2 2 9\n";
  std::ofstream(folder_ / "hostile.h5") << "\x89HDF\r\n\x1a\n" << std::string(500, '\xff');
  std::ofstream(folder_ / "large.mtx") << '%';
  fs::resize_file(folder_ / "large.mtx", kMostThumbnailFileBytes + 1);
  act(action::OpenFile{folder_.string()});
  settle();
  ASSERT_EQ(made().size(), 6U);
  for (const auto& [source, pictures] : made())
    EXPECT_EQ(pictures != nullptr, source.find("circle") != std::string::npos) << source;
  EXPECT_TRUE(state().toasts.empty()) << "nobody has opened a file";
  const std::string line = line_of("circle20.mtx");
  const std::string bad = line_of("bad.mtx");
  keep("folder thumbnails");
  EXPECT_GT(contrast(pixels_of(line)), 1.2 * contrast(pixels_of(bad)));
  const float height = rect_of(line).GetHeight();
  drive([](ImGuiTestContext* c) { c->ItemClick("**/sheet"); });
  settle();
  keep("folder sheet");
  EXPECT_GT(rect_of(line).GetHeight(), 2 * height);
  // Arrow keys go through the cards: bad, circle20, circle30.
  drive([](ImGuiTestContext* c) {
    c->KeyPress(ImGuiKey_RightArrow);
    c->KeyPress(ImGuiKey_RightArrow);
    c->KeyPress(ImGuiKey_Enter);
    c->Yield(2);
  });
  settle();
  ASSERT_NE(state().matrix(), nullptr);
  EXPECT_EQ(matrix().matrix.pattern->rows(), 30U);
  EXPECT_TRUE(made().empty()) << "the list is closed";
  EXPECT_TRUE(fs::exists(cache_ / "thumbnails.db"));
}

TEST_F(Thumbnails, AreNotKeptWhereTheSettingSaysSo) {
  Settings settings = state().settings;
  settings.keep_thumbnails = false;
  act(action::SetSettings{settings});
  act(action::OpenFile{folder_.string()});
  settle();
  EXPECT_EQ(made().size(), 3U);
  EXPECT_FALSE(fs::exists(cache_));
}

TEST_F(Thumbnails, OfTheMatricesOfAFileAreMade) {
  open(write_file("two.safetensors", two_tensors()));
  drive([](ImGuiTestContext* c) { c->ItemClick("**/###matrices of the file"); });
  settle();
  keep("matrices thumbnails");
  ASSERT_EQ(made().size(), 2U);
  for (const auto& [source, pictures] : made()) EXPECT_TRUE(pictures) << source;
  const bool is_last = matrix().matrix.report.matrices.back().name == "large";
  const auto arrow = [&](bool up) {
    drive([up](ImGuiTestContext* c) {
      c->KeyPress(up ? ImGuiKey_UpArrow : ImGuiKey_DownArrow);
      c->Yield(10);
    });
    settle();
  };
  arrow(is_last);
  EXPECT_EQ(matrix().matrix.report.matrix, "small");
  arrow(!is_last);
  // Without the list, the page keys do the same.
  press(ImGuiKey_Escape);
  EXPECT_EQ(state().interface.overlay, Overlay::none);
  ASSERT_EQ(matrix().matrix.report.matrix, "large");
  press(matrix().matrix.report.matrices.front().name == "small" ? ImGuiKey_PageUp : ImGuiKey_PageDown);
  settle();
  EXPECT_EQ(matrix().matrix.report.matrix, "small");
  EXPECT_EQ(state().matrices.size(), 1U) << "it replaces the one before";
}

TEST_F(Thumbnails, AListThatClosesStopsThem) {
  // The list closes while the first of many is being made.
  for (int k = 0; k < 60; ++k) put("more" + std::to_string(k) + ".mtx", 300 + k);
  act(action::OpenFile{folder_.string()});
  ASSERT_TRUE(draw_until([&] { return !made().empty(); }));
  act(action::SetOverlay{Overlay::none});
  settle();
  EXPECT_TRUE(made().empty());
  EXPECT_TRUE(controller().idle());
}

TEST_F(ReadingFiles, TheMatrixIsExportedWithItsWeights) {
  open("gen:laplacian-2d:nx=6,ny=6,periodic=1");
  choose("weights", "value");
  const std::string path = write_file("out.mtx", "");
  act(action::ExportMatrix{path});
  settle();
  std::ifstream in(path);
  std::string head;
  std::getline(in, head);
  EXPECT_NE(head.find("real"), std::string::npos) << head;
  open(path);
  EXPECT_EQ(matrix().matrix.pattern->nonzeros(), 180);
  EXPECT_EQ(matrix().matrix.report.field, "real");
  act(action::ExportMatrix{path + ".unknown"});
  settle();
  EXPECT_EQ(state().toasts.back().level, Level::error);
}

}  // namespace
}  // namespace spyctrum::testing
