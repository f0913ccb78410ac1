// SPDX-License-Identifier: Apache-2.0
// The desktop program without a window, as scripts see it: when it ends, with which exit code, and what it
// leaves.
#include "tests/support/cli_fixture.hpp"

namespace spyctrum::test {
namespace {

namespace fs = std::filesystem;

class Program : public CliFixture {
 protected:
  [[nodiscard]] Outcome offscreen(const std::string& arguments) const {
    return shell("timeout 300 " SPYCTRUM_BIN_DIR "/spyctrum --size 640x480 --offscreen " + arguments);
  }
};

TEST_F(Program, EndsWithACodeOfItsOwnWhereTheJobsDidNotEndInTime) {
  const Outcome late = offscreen(path("late.png") + " gen:random:n=300000,nnz=30000000 --wait 1");
  EXPECT_EQ(late.code, 6) << late.err;
  EXPECT_TRUE(fs::exists(path("late.png")));
  EXPECT_NE(late.err.find("not all jobs ended"), std::string::npos) << late.err;
  const Outcome whole = offscreen(path("whole.png") + " gen:band:n=50 --wait 250");
  EXPECT_EQ(whole.code, 0) << whole.err;
  EXPECT_TRUE(fs::exists(path("whole.png")));
  EXPECT_NE(shell(SPYCTRUM_BIN_DIR "/spyctrum --help").out.find("6 the picture"), std::string::npos);
}

TEST_F(Program, AsksForAPngThatCanBeWritten) {
  EXPECT_EQ(offscreen(path("x.jpg")).code, 2);
  EXPECT_EQ(offscreen(path("x")).code, 2);
  EXPECT_EQ(offscreen(path("no/folder/x.png")).code, 1);
  for (const char* wait : {"nan", "inf", "-1", "1e300"})
    EXPECT_EQ(offscreen(path("x.png") + " --wait " + wait).code, 2) << wait;
  EXPECT_TRUE(files().empty());
}

TEST_F(Program, SaysWhichOptionIsWrongAsTheCommandLineDoes) {
  const auto refusal = [&](const std::string& options) {
    const test::Outcome refused = shell(SPYCTRUM_BIN_DIR "/spyctrum " + options);
    EXPECT_EQ(refused.code, 2) << options;
    return refused.err;
  };
  EXPECT_EQ(refusal("--offscren x.png"),
            "spyctrum: There is no option '--offscren'. Did you mean --offscreen?\n");
  EXPECT_EQ(refusal("--wait soon"), "spyctrum: --wait: 'soon' is not a number. See spyctrum --help.\n");
  EXPECT_EQ(refusal("--size"), "spyctrum: --size needs a value. See spyctrum --help.\n");
  EXPECT_NE(refusal("--animate block gen:band").find("--offscreen"), std::string::npos);
}

TEST_F(Program, WritesAMovingPictureOrSaysWhyNot) {
  const std::string sweep = " gen:band:n=24 --animate block";
  const Outcome pictures = offscreen(path("x.png") + sweep);
  EXPECT_EQ(pictures.code, 0) << pictures.err;
  EXPECT_EQ(files().size(), 5U) << "b = 2 … 6";
  for (const char* name : {"x-001.png", "x-005.png"})
    EXPECT_TRUE(text_of(path(name)).starts_with("\x89PNG")) << name;
  EXPECT_NE(text_of(path("x-001.png")), text_of(path("x-005.png")));
  EXPECT_EQ(offscreen(path("y.webp") + " gen:band:n=24").code, 2) << "control: a screen is a PNG";
  EXPECT_EQ(offscreen(path("y.png") + " gen:band:n=24 --animate colour").code, 2);
  fs::create_symlink("/dev/full", path("full-001.png"));
  const Outcome full = offscreen(path("full.png") + sweep);
  EXPECT_EQ(full.code, 1) << full.err;
  EXPECT_FALSE(full.err.empty());
  EXPECT_EQ(files().size(), 6U) << "only the link";
}

TEST_F(Program, LeavesNoPictureOfWhatCannotBeOpened) {
  std::ofstream(path("session.json"))
      << R"({"format":"spyctrum-session","version":1,"matrices":[],"columns":7})";
  std::ofstream(path("bad.mtx")) << "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n4 1\n";
  const std::string before = "an earlier picture";
  std::ofstream(path("x.png")) << before;
  for (const std::string& what : {"--session " + path("session.json"), path("bad.mtx"), path("missing.mtx"),
                                  "gen:band:n=50 " + path("bad.mtx")}) {
    const Outcome refused = offscreen(path("x.png") + " " + what);
    EXPECT_EQ(refused.code, 3) << what << refused.err;
    EXPECT_FALSE(refused.err.empty());
    EXPECT_TRUE(refused.out.empty()) << refused.out;
    EXPECT_EQ(text_of(path("x.png")), before);
  }
}

TEST_F(Program, EndsWithAnErrorWhereItsOutputIsNotTaken) {
  EXPECT_EQ(offscreen(path("x.png") + " gen:band:n=50 > /dev/full").code, 1);
}

TEST_F(Program, ASignalLeavesNoPicture) {
  const Outcome outcome = shell("sh -c '" SPYCTRUM_BIN_DIR "/spyctrum --offscreen " + path("x.png") +
                                " gen:random:n=300000,nnz=30000000 & sleep 2; kill -TERM $!; wait $!'");
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_TRUE(files().empty());
}

TEST_F(Program, ASignalEndsTheWindowAndLeavesNoTemporaryFile) {
  if (shell("command -v Xvfb > " + path("xvfb")).code != 0) GTEST_SKIP() << "Xvfb is not installed";
  for (const char* signal : {"INT", "TERM", "HUP"}) {
    // `timeout` would end a program that does not obey with 137. The sleep lets the window open and compute.
    const std::string line =
        "sh -c 'Xvfb -displayfd 3 -screen 0 800x600x24 3>" + path("display") + " 2> /dev/null & server=$!; " +
        "until [ -s " + path("display") + " ]; do sleep 0.1; done; " + "HOME=" + path("home") +
        " XDG_CONFIG_HOME= XDG_STATE_HOME= DISPLAY=:$(cat " + path("display") + ") LIBGL_ALWAYS_SOFTWARE=1 " +
        SPYCTRUM_BIN_DIR "/spyctrum --size 640x480 gen:random:n=300000,nnz=30000000 & window=$!; sleep 4; " +
        "kill -" + signal +
        " $window; (sleep 20; kill -9 $window) 2> /dev/null & wait $window; code=$?; kill $server $!; " +
        "exit $code'";
    const Outcome outcome = shell(line);
    EXPECT_EQ(outcome.code, 130) << signal << ": " << outcome.err;
    fs::remove(path("display"));
  }
  EXPECT_EQ(shell("find " + path("") + " -name \".spyctrum-*\" | grep -c .").out, "0\n");
}

TEST_F(Program, FilesDoNotTakeThePlaceOfClosedDescriptors) {
  const Outcome outcome = shell("sh -c '" SPYCTRUM_BIN_DIR "/spyctrum --size 640x480 --offscreen " +
                                path("x.png") + " gen:band:n=50 <&- >&- 2>&-'");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(text_of(path("x.png")).starts_with("\x89PNG"));
}

}  // namespace
}  // namespace spyctrum::test
