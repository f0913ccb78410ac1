// SPDX-License-Identifier: Apache-2.0
// The desktop program: options, context, frame. With --offscreen the same screen runs the same jobs without a
// window and becomes a PNG. Exit codes: kExitCodes of app/process/process.hpp.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "app/controller/controller.hpp"
#include "app/controller/files/settings.hpp"
#include "app/desktop/app_frame.hpp"
#include "app/figures/animation.hpp"
#include "app/figures/comparison_page.hpp"
#include "app/figures/study_figures.hpp"
#include "app/process/process.hpp"
#include "app/process/wrong_use.hpp"
#include "core/base/error.hpp"
#include "core/base/own_files.hpp"
#include "core/base/text.hpp"
#include "core/device/backends.hpp"
#include "core/io/export.hpp"
#include "core/io/import_options.hpp"
#include "render/context.hpp"

namespace {

using namespace spyctrum;

const AppFrame::Clock::time_point kBegin = AppFrame::Clock::now();
constexpr int kIncomplete = 6;        // exit code
constexpr double kLongestWait = 1e8;  // seconds, three years

struct Arguments {
  std::vector<std::string> files;
  std::string session;
  std::string offscreen;
  std::string animate;
  std::string figures;
  std::string size;
  std::string backend;
  std::string weights = "pattern";
  std::vector<std::string> import;
  double scale = 0;
  std::string theme = "dark";
  std::optional<double> wait;
  std::uint32_t width = 1920, height = 1080;
};

int complain(const Error& error) {
  std::fprintf(stderr, "spyctrum: %s\n", error.message().c_str());
  return exit_code(error.code);
}

/// "1920x1080" → width and height.
std::string check_size(Arguments& arguments) {
  unsigned width = 0;
  unsigned height = 0;
  char rest = 0;
  if (std::sscanf(arguments.size.c_str(), "%5ux%5u%c", &width, &height, &rest) != 2 || width < 320 ||
      height < 240 || width > 16384 || height > 16384) {
    return "--size is WIDTHxHEIGHT in pixels, from 320x240 to 16384x16384, not '" + arguments.size + "'";
  }
  arguments.width = width;
  arguments.height = height;
  return {};
}

void describe(CLI::App& app, Arguments& arguments) {
  app.add_option("FILE", arguments.files, "Matrices to open: files, '-' or gen:KIND:key=value,…");
  app.add_option("--session", arguments.session, "Open a session file");
  app.add_option("--weights", arguments.weights,
                 "Weight of an entry: " + joined(weight_names()) + " (default: pattern)");
  app.add_option("--import", arguments.import,
                 "NAME=VALUE: decide what the format of the files leaves open, as in spyctrum-cli")
      ->allow_extra_args(false);
  app.add_option(
      "--offscreen", arguments.offscreen,
      "Open no window: write the screen to this PNG, unless a matrix or the session cannot be opened");
  app.add_option("--animate", arguments.animate,
                 "With --offscreen: write a moving picture of the comparison instead, .webp or a numbered "
                 ".png for each frame, over " +
                     joined(kSweptNames) + "")
      ->check(CLI::IsMember(std::vector<std::string>(kSweptNames.begin(), kSweptNames.end())));
  app.add_option("--figures", arguments.figures,
                 "Open no window: draw the figures of the study in this folder into its subfolder figures");
  app.add_option("--size", arguments.size,
                 "Size of the window or of the PNG, WIDTHxHEIGHT (default: 1920x1080 for a PNG)");
  app.add_option(
      "--backend", arguments.backend,
      "Where to compute: auto, cpu, cuda, cuda:N, cuda:N,M or cuda:all (default: as chosen in Preferences)");
  app.add_option("--scale", arguments.scale, "Scale of the interface, 0.5 to 8 (default: the monitor's)")
      ->check(CLI::Range(0.5, 8.0));
  app.add_option("--theme", arguments.theme, "With --offscreen: dark (default) or light")
      ->check(CLI::IsMember({"dark", "light"}));
  app.add_option("--wait", arguments.wait,
                 "With --offscreen: end after about this many seconds, counted from the start, with what was "
                 "computed by then (default: no limit)");
  app.footer(kExitCodes);
}

Result<std::unique_ptr<render::Context>> open_context(const Arguments& arguments) {
  if (arguments.offscreen.empty()) {
    render::WindowOptions window;
    if (!arguments.size.empty()) {
      window.width = static_cast<int>(arguments.width);
      window.height = static_cast<int>(arguments.height);
    }
    return render::open_window(window);
  }
  render::OffscreenOptions picture;
  picture.width = arguments.width;
  picture.height = arguments.height;
  picture.content_scale = arguments.scale > 0 ? static_cast<float>(arguments.scale) : 1.0F;
  return render::open_offscreen(picture);
}

/// Errors: wrong_use where there are no such weights or no such import option.
Result<Reading> reading_of(const Arguments& arguments) {
  return run_guarded([&] {
    Reading reading;
    reading.weights = or_throw(parse_weights(arguments.weights));
    for (const std::string& choice : arguments.import)
      reading.import.push_back(or_throw(parse_import_option(choice)));
    return reading;
  });
}

void open_all(Controller& controller, const Arguments& arguments) {
  ActionQueue actions;
  if (!arguments.session.empty()) actions.emplace_back(action::LoadSession{arguments.session});
  const Reading reading = or_throw(reading_of(arguments));
  for (const std::string& file : arguments.files)
    actions.emplace_back(action::OpenFile{file, &file == arguments.files.data(), reading});
  controller.dispatch(actions);
}

/// Errors: wrong_use if the name of the file or a time is not valid; output if the file cannot be written.
Result<void> check_offscreen(const Arguments& arguments) {
  const bool is_webp = !arguments.animate.empty() && arguments.offscreen.ends_with(".webp");
  if (!arguments.offscreen.ends_with(".png") && !is_webp)
    return fail(ErrorCode::wrong_use, "--offscreen '" + arguments.offscreen + "' is not the name of a PNG.",
                arguments.animate.empty() ? "End it in .png." : "End it in .webp or .png.");
  if (arguments.wait && !(*arguments.wait >= 0 && *arguments.wait <= kLongestWait))
    return fail(ErrorCode::wrong_use, "--wait is a number of seconds from 0 to 1e8.");
  return check_writable(arguments.offscreen);
}

/// Returns whether the moving picture was written in time. Throws Failure{output} where it cannot be written.
bool write_animation(AppFrame& frame, Controller& controller, const Arguments& arguments,
                     AppFrame::Clock::time_point until) {
  if (!frame.run_until_idle(until)) return false;
  if (!controller.load_failures().empty()) return true;
  const auto name = std::ranges::find(kSweptNames, arguments.animate);
  controller.dispatch(action::Animate{static_cast<Swept>(name - kSweptNames.begin())});
  // The player takes room from the pictures, and the file has as many pixels as the pictures on the screen.
  if (!frame.run_until_idle(until)) return false;
  controller.dispatch(action::ExportAnimation{arguments.offscreen, arguments.theme == "dark"});
  const bool whole = frame.run_until_idle(until);
  const auto& log = controller.state().log;
  const auto error = std::ranges::find(log, Level::error, &LogEntry::level);
  if (whole && error != log.end()) throw Failure(ErrorCode::output, error->text);
  return whole;
}

int draw_offscreen(AppFrame& frame, Controller& controller, const Arguments& arguments) {
  using Clock = AppFrame::Clock;
  const auto until = arguments.wait ? kBegin + std::chrono::duration_cast<Clock::duration>(
                                                   std::chrono::duration<double>(*arguments.wait))
                                    : Clock::time_point::max();
  const bool is_picture = arguments.animate.empty();
  const bool whole =
      is_picture ? frame.run_until_idle(until) : write_animation(frame, controller, arguments, until);
  int code = 0;
  for (const auto& [source, error] : controller.load_failures()) code = complain(error);
  if (code != 0) return code;
  if (is_picture) or_throw(frame.capture(arguments.offscreen));
  if (is_picture || whole) std::printf("%s\n", arguments.offscreen.c_str());
  if (whole) return 0;
  std::fprintf(stderr, "spyctrum: not all jobs ended within %g s; %s.\n", arguments.wait.value_or(0),
               is_picture ? "the picture shows what was computed by then" : "no moving picture was written");
  std::fflush(nullptr);
  _exit(kIncomplete);  // the jobs that still run are not waited for
}

/// A signal ends the program at once, and no temporary file is left.
void end_at_once() {
  abandon_writes();
  _exit(exit_code(ErrorCode::cancelled));
}

void obey_signals(const StopSignals& signals) {
  try {
    std::thread([signals] {
      signals.wait();
      end_at_once();
    }).detach();
  } catch (const std::system_error&) {
    // Without a thread for them, signals have their ordinary effect.
    signals.release();
  }
}

/// Draws the figures of a study and prints their paths. Throws Failure.
int draw_figures(const Arguments& arguments) {
  const Study study = or_throw(load_study(arguments.figures));
  ThreadPool pool;
  JobContext context(pool);
  for (const std::string& file : or_throw(draw_study_figures(study, context)))
    std::printf("%s\n", file.c_str());
  return 0;
}

/// Loads CUDA while the window opens; the controller waits for the end. Not called if the CPU was chosen.
std::future<void> load_device(const std::string& backend) {
  try {
    return std::async(std::launch::async, [backend] {
      const Result<Backend> chosen = parse_backend(backend);
      if (chosen && chosen->kind == BackendKind::cuda) (void)device_name(*chosen);
    });
  } catch (const std::system_error&) {
    return {};  // the system gives no more threads
  }
}

/// The exit code. Throws Failure.
int run(const Arguments& arguments) {
  if (!arguments.figures.empty()) return draw_figures(arguments);
  Controller::Options options;
  // Offscreen pictures must not depend on stored settings, so only the window reads them.
  const bool window = arguments.offscreen.empty();
  if (window) options.folders = user_folders();
  const std::string backend =
      arguments.backend.empty() ? remember(options.folders).settings.backend : arguments.backend;
  std::future<void> loading;
  if (backend != "cpu") loading = load_device(backend);
  const std::unique_ptr<render::Context> context = or_throw(open_context(arguments));
  options.wake = [&target = *context] { target.wake(); };
  options.write_figure = write_comparison;
  options.open_animation = open_animation;
  if (const OwnFile lessons = own_file("lessons"); lessons.missing.empty())
    options.lessons.push_back(lessons.path.string());
  if (!options.folders.config.empty()) options.lessons.push_back(options.folders.config + "/lessons");
  if (!arguments.backend.empty()) {
    // A backend that does not exist ends the program with an error, as every wrong option does.
    (void)or_throw(parse_backend(arguments.backend));
    options.backend = arguments.backend;
  }
  Controller controller(options);
  // ImGui writes the layout file but does not create its folder.
  std::error_code ignored;
  if (!options.folders.state.empty()) std::filesystem::create_directories(options.folders.state, ignored);
  AppFrame::Options look;
  look.ini_path = layout_path(options.folders);
  look.scale = arguments.scale;
  if (!window && arguments.theme == "light") {
    Settings settings = controller.state().settings;
    settings.theme = Theme::light;
    controller.dispatch(action::SetSettings{settings});
  }
  AppFrame frame(*context, controller, look);
  // The first frame is drawn before any file is read, so that the window appears at once.
  frame.frame();
  open_all(controller, arguments);
  if (!arguments.offscreen.empty()) return draw_offscreen(frame, controller, arguments);
  frame.run();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_descriptors();
  end_where_memory_is_refused(abandon_writes);
  keep_freed_memory();
  CLI::App app("A sparse matrix's pattern and its spectrum, side by side", "spyctrum");
  app.set_version_flag("--version", SPYCTRUM_VERSION);
  Arguments arguments;
  describe(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& wrong) {
    if (wrong.get_exit_code() == 0) return app.exit(wrong);  // --help, --version
    return complain(wrong_use(app, wrong));
  }
  if (!arguments.size.empty())
    if (const std::string wrong = check_size(arguments); !wrong.empty())
      return complain({ErrorCode::wrong_use, wrong, {}, 0});
  if (const auto reading = reading_of(arguments); !reading) return complain(reading.error());
  if (!arguments.animate.empty() && arguments.offscreen.empty())
    return complain({ErrorCode::wrong_use, "--animate writes a file.", "Name it with --offscreen.", 0});
  if (!arguments.offscreen.empty())
    if (const auto checked = check_offscreen(arguments); !checked) return complain(checked.error());
  if (!arguments.offscreen.empty() || !arguments.figures.empty())
    obey_signals(StopSignals());
  else
    call_on_signals(end_at_once);  // dialogs start programs
  const Result<int> code = run_guarded([&] { return run(arguments); });
  // Names of written files are printed; if standard output is closed (EBADF), they are not wanted.
  if (code && *code == 0 && std::fflush(stdout) != 0 && errno != EBADF)
    return complain({ErrorCode::output, "Standard output cannot be written.", {}, errno});
  return code ? *code : complain(code.error());
}
