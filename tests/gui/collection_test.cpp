// SPDX-License-Identifier: Apache-2.0
// The collection: a contact sheet of what was indexed, conditions, orders, a scatter, neighbours, and
// databases that cannot be read.
#include <implot.h>
// After implot.h, which it needs.
#include <implot_internal.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>

#include "core/collection/index.hpp"
#include "tests/gui/gui_fixture.hpp"

namespace spyctrum::testing {
namespace {

namespace fs = std::filesystem;

/// Three kinds of twelve sizes.
std::vector<std::string> generated_texts() {
  std::vector<std::string> texts;
  for (int k = 0; k < 12; ++k) {
    const std::string n = std::to_string(40 + 7 * k);
    texts.push_back("gen:band:n=" + n + ",lower=1,upper=" + std::to_string(2 + k % 3));
    texts.push_back("gen:random:n=" + n + ",nnz=" + std::to_string(300 + 10 * k));
    texts.push_back("gen:arrow:n=" + n);
  }
  return texts;
}

/// The pixel of (x, y) in the plot whose horizontal axis has this name.
std::optional<ImVec2> place_in_plot(const std::string& axis, double x, double y) {
  auto& plots = ImPlot::GetCurrentContext()->Plots;
  for (int k = 0; k < plots.GetBufSize(); ++k) {
    ImPlotPlot& plot = *plots.GetByIndex(k);
    if (plot.GetAxisLabel(plot.Axes[ImAxis_X1]) == axis)
      return ImVec2(static_cast<float>(plot.Axes[ImAxis_X1].PlotToPixels(x)),
                    static_cast<float>(plot.Axes[ImAxis_Y1].PlotToPixels(y)));
  }
  return std::nullopt;
}

/// The collection is made once: every test copies it.
const std::string& made_collection() {
  static const std::string path = [] {
    std::string file =
        (fs::temp_directory_path() / ("spyctrum_gui_collection_" + std::to_string(getpid()) + ".db"))
            .string();
    fs::remove(file);
    ThreadPool pool(2);
    JobContext context(pool);
    Database database = Database::open_or_create(file, {});
    const auto result = index_folders(generated_texts(), database, Backend{}, context);
    EXPECT_TRUE(result) << (result ? "" : result.error().message());
    return file;
  }();
  return path;
}

class Collections : public GuiTest {
 protected:
  void SetUp() override {
    GuiTest::SetUp();
    folder_ = (fs::temp_directory_path() / ("spyctrum_gui_collections_" + std::to_string(getpid()))).string();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    fs::copy_file(made_collection(), path("c.db"));
  }
  void TearDown() override {
    GuiTest::TearDown();
    fs::remove_all(folder_);
  }
  static void TearDownTestSuite() { fs::remove(made_collection()); }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
  [[nodiscard]] const CollectionView& view() const { return state().collection; }
  void open_collection() {
    act(action::OpenFile{path("c.db")});
    settle();
    ASSERT_TRUE(view().table) << view().problem;
    ASSERT_EQ(view().table->matrices.size(), 36U);
  }
  [[nodiscard]] std::string name_of(std::uint32_t row) const {
    return view().table->matrices.at(row).files.front();
  }
  /// What the first card is of.
  [[nodiscard]] std::string first_name() const { return name_of(view().shown.at(0)); }

 private:
  std::string folder_;
};

TEST_F(Collections, OpenAsAContactSheetWithPicturesOfWhatIsVisible) {
  open_collection();
  EXPECT_TRUE(view().whole);
  EXPECT_EQ(view().shown.size(), 36U);
  ASSERT_TRUE(draw_until([&] { return !view().thumbnails.empty() && controller().idle(); }));
  draw(2);
  for (const auto& [content, pictures] : view().thumbnails) EXPECT_TRUE(pictures) << content;
  keep("collection");
  const std::string card = "matrix " + first_name().substr(4);
  EXPECT_GT(contrast(pixels_of(card)), 20) << "a card without pictures is nearly even";
}

TEST_F(Collections, OnlyPicturesOfVisibleCardsAreRead) {
  open_collection();
  drive([](ImGuiTestContext* c) { c->ItemInputValue("**/##card size", 190.0F); });
  settle();
  // A fresh start with large cards: fewer than all fit on the screen.
  act(action::CloseCollection{});
  act(action::OpenCollection{path("c.db")});
  settle();
  EXPECT_FALSE(view().thumbnails.empty());
  EXPECT_LT(view().thumbnails.size(), 36U);
}

TEST_F(Collections, TypedConditionsSelectAndWrongOnesAreExplained) {
  open_collection();
  const auto type = [&](const char* text) {
    drive([text](ImGuiTestContext* c) {
      c->ItemClick("**/##conditions");
      c->KeyCharsReplaceEnter(text);
    });
    settle();
  };
  type("random rows > 60");
  EXPECT_EQ(view().choice_problem, "");
  ASSERT_EQ(view().shown.size(), 9U);
  for (const std::uint32_t row : view().shown) EXPECT_NE(name_of(row).find("random"), std::string::npos);
  type("rowz > 60");
  EXPECT_NE(view().choice_problem.find("There is no column rowz"), std::string::npos);
  EXPECT_EQ(view().shown.size(), 9U) << "what was shown stays";
  type("rows > 1M");
  EXPECT_EQ(view().choice_problem, "");
  EXPECT_TRUE(view().shown.empty());
}

TEST_F(Collections, AreSortedByAnyColumn) {
  open_collection();
  act(action::ChooseInCollection{{"", "entropy", false}});
  draw(2);
  ASSERT_EQ(view().choice.order, "entropy");
  const auto& entropy = view().table->columns.at(view().table->column("entropy")).values;
  EXPECT_TRUE(std::ranges::is_sorted(view().shown, {}, [&](std::uint32_t row) { return entropy.at(row); }));
  const std::string smallest = first_name();
  drive([](ImGuiTestContext* c) { c->ItemClick("**/order direction"); });
  settle();
  EXPECT_TRUE(view().choice.descending);
  EXPECT_NE(first_name(), smallest);
  EXPECT_TRUE(std::ranges::is_sorted(view().shown, std::greater{},
                                     [&](std::uint32_t row) { return entropy.at(row); }));
}

TEST_F(Collections, ACardOpensItsMatrixAndItsNeighboursAreNamedWithReasons) {
  open_collection();
  const std::string name = first_name();
  drive([&](ImGuiTestContext* c) { c->ItemClick(("**/matrix " + name.substr(4)).c_str()); });
  settle();
  ASSERT_NE(state().matrix(), nullptr);
  EXPECT_EQ(state().matrix()->source, name);
  EXPECT_FALSE(view().whole);
  const NeighbourView& neighbours = view().neighbours;
  ASSERT_TRUE(neighbours.own);
  EXPECT_EQ(name_of(*neighbours.own), name);
  ASSERT_EQ(neighbours.list.size(), 24U);
  const std::string kind = name.substr(0, name.find(':', 4));
  EXPECT_EQ(name_of(static_cast<std::uint32_t>(neighbours.list[0].row)).find(kind), 0U);
  EXPECT_NE(reason_text(neighbours.list[0].found).find("agrees"), std::string::npos);
  const std::string nearest = name_of(static_cast<std::uint32_t>(neighbours.list[0].row));
  drive([](ImGuiTestContext* c) { c->ItemClick("**/$$0/##neighbour"); });
  settle();
  EXPECT_EQ(state().matrix()->source, nearest);
  EXPECT_EQ(state().matrices.size(), 2U);
  keep("neighbours");
}

TEST_F(Collections, AMatrixThatIsNotInTheCollectionHasNeighboursToo) {
  open_collection();
  open("gen:band:n=111,lower=1,upper=3");
  const NeighbourView& neighbours = view().neighbours;
  EXPECT_FALSE(neighbours.own);
  ASSERT_FALSE(neighbours.list.empty());
  EXPECT_NE(name_of(static_cast<std::uint32_t>(neighbours.list[0].row)).find("band"), std::string::npos);
}

TEST_F(Collections, APointOfTheScatterOpensItsMatrix) {
  open_collection();
  act(action::ChooseInCollection{{"\"arrow:n=40\"", "file", false}});
  settle();
  ASSERT_EQ(view().shown.size(), 1U);
  const std::uint32_t row = view().shown.front();
  const auto& columns = view().table->columns;
  const CollectionColumn& x = columns.at(view().table->column("pc_1"));
  const CollectionColumn& y = columns.at(view().table->column("pc_2"));
  const std::optional<ImVec2> at = place_in_plot(x.label, x.values.at(row), y.values.at(row));
  ASSERT_TRUE(at);
  drive([&](ImGuiTestContext* c) {
    c->MouseMoveToPos(*at);
    c->MouseClick(0);
  });
  settle();
  ASSERT_NE(state().matrix(), nullptr);
  EXPECT_EQ(state().matrix()->source, "gen:arrow:n=40");
}

TEST_F(Collections, KeysShowAndHideIt) {
  open_collection();
  open("gen:band:n=60");
  EXPECT_FALSE(view().whole);
  press(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_K);
  EXPECT_TRUE(view().whole);
  drive([](ImGuiTestContext* c) { c->ItemClick("**/###back"); });
  EXPECT_FALSE(view().whole);
  EXPECT_NE(state().matrix(), nullptr);
}

TEST_F(Collections, EscapeAndAnExplanationLeadBackToTheOpenMatrix) {
  open("gen:band:n=60,bandwidth=3");
  open_collection();
  ASSERT_TRUE(view().whole);
  press(ImGuiKey_Escape);
  EXPECT_FALSE(view().whole);
  act(action::ShowCollection{true});
  settle();
  press(ImGuiKey_F3);
  EXPECT_FALSE(view().whole) << "the explanation would be hidden";
  settle();
}

TEST_F(Collections, TheFirstOneIsEmptyAndNoError) {
  const char* before = std::getenv("XDG_DATA_HOME");
  const std::string kept = before != nullptr ? before : "";
  setenv("XDG_DATA_HOME", path("data").c_str(), 1);
  press(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_K);
  settle();
  EXPECT_TRUE(view().whole);
  EXPECT_EQ(view().problem, "");
  EXPECT_TRUE(state().toasts.empty());
  fs::create_directories(path("m"));
  std::ofstream(path("m/new.mtx")) << "%%MatrixMarket matrix coordinate pattern general\n30 50 1\n1 1\n";
  act(action::IndexFolder{path("m")});
  settle();
  ASSERT_TRUE(view().table) << view().problem;
  EXPECT_EQ(view().table->matrices.size(), 1U);
  if (before != nullptr)
    setenv("XDG_DATA_HOME", kept.c_str(), 1);
  else
    unsetenv("XDG_DATA_HOME");
}

TEST_F(Collections, AFolderIsIndexedIntoTheOpenCollection) {
  open_collection();
  fs::create_directories(path("m"));
  std::ofstream(path("m/new.mtx")) << "%%MatrixMarket matrix coordinate pattern general\n30 50 2\n1 1\n2 3\n";
  std::ofstream(path("m/bad.mtx")) << "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n4 1\n";
  act(action::IndexFolder{path("m")});
  settle();
  EXPECT_EQ(view().table->matrices.size(), 37U);
  ASSERT_FALSE(state().toasts.empty());
  EXPECT_NE(state().toasts.back().text.find("bad.mtx"), std::string::npos) << state().toasts.back().text;
}

TEST_F(Collections, DatabasesThatCannotBeReadAreExplainedAndTheTableStays) {
  open_collection();
  const auto expect_problem = [&](const std::string& word) {
    act(action::OpenCollection{path("c.db")});
    settle();
    EXPECT_NE(view().problem.find(word), std::string::npos) << view().problem;
    ASSERT_TRUE(view().table);
    EXPECT_EQ(view().shown.size(), 36U);
  };
  const auto overwrite = [&](std::streamoff at, const std::string& bytes) {
    std::fstream file(path("c.db"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    file << bytes;
  };
  overwrite(60, std::string("\0\0\0\x63", 4));  // user_version
  expect_problem("newer version");
  fs::remove(path("c.db"));
  expect_problem("cannot be opened");
  std::ofstream(path("c.db")) << std::string(5000, 'x');
  expect_problem("not a SQLite database");
  fs::remove(path("c.db"));
  fs::copy_file(made_collection(), path("c.db"));
  const auto size = static_cast<std::streamoff>(fs::file_size(path("c.db")));
  for (std::streamoff at = 4096; at < size; at += 4096) overwrite(at, std::string(1024, '\xa5'));
  expect_problem("damaged");
  // Another collection that cannot be read is on the screen with its reason, and without a table.
  act(action::OpenCollection{path("none.db")});
  settle();
  EXPECT_FALSE(view().table);
  EXPECT_NE(view().problem.find("No such file"), std::string::npos) << view().problem;
  act(action::CloseCollection{});
  draw(2);
  EXPECT_TRUE(view().path.empty());
}

TEST_F(Collections, ALockedDatabaseLeavesTheWindowAtWork) {
  open_collection();
  open("gen:band:n=60");
  sqlite3* writer = nullptr;
  ASSERT_EQ(sqlite3_open(path("c.db").c_str(), &writer), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(writer, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  act(action::OpenCollection{path("c.db")});
  EXPECT_TRUE(view().reading);
  // Another matrix is opened while the lock is waited for.
  act(action::OpenFile{"gen:arrow:n=50"});
  settle();
  EXPECT_EQ(state().matrices.size(), 2U);
  EXPECT_NE(view().problem.find("locked"), std::string::npos) << view().problem;
  EXPECT_EQ(view().shown.size(), 36U) << "the table stays";
  sqlite3_close(writer);
  act(action::OpenCollection{path("c.db")});
  settle();
  EXPECT_EQ(view().problem, "");
}

}  // namespace
}  // namespace spyctrum::testing
