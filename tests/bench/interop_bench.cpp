// SPDX-License-Identifier: Apache-2.0
// How long from a picture in device memory to its pixels in a panel, by CUDA-OpenGL interop and by pixel
// buffers, and how long do frames take while a full spectrum is computed and the view moves? Offscreen (EGL),
// the program's own frame, no vertical sync; a frame ends when the GPU has drawn it. Ten warm-up rounds are
// not counted.
//
//   bench_interop [JSON]      ends with 77 without a CUDA device that draws OpenGL
#include <glad/gl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "app/controller/controller.hpp"
#include "app/desktop/app_frame.hpp"
#include "core/device/backends.hpp"
#include "core/device/device_pictures.hpp"
#include "core/device/loader.hpp"
#include "core/matrix/generators.hpp"
#include "render/context.hpp"
#include "render/image_texture.hpp"
#include "render/image_view.hpp"

namespace {

using namespace spyctrum;
using Clock = std::chrono::steady_clock;

constexpr int kWarmUp = 10;
constexpr double kFrame = 16.7;  // milliseconds

double milliseconds_since(Clock::time_point began) {
  return std::chrono::duration<double, std::milli>(Clock::now() - began).count();
}

struct Row {
  std::string what;
  std::vector<double> times;  // milliseconds
  double limit = 0;           // times above this are counted; 0: none
  std::string note;
};

double percentile(std::vector<double> times, double share) {
  std::sort(times.begin(), times.end());
  return times.empty() ? 0 : times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
}

std::size_t above(const Row& row) {
  return static_cast<std::size_t>(
      std::count_if(row.times.begin(), row.times.end(), [&](double time) { return time > row.limit; }));
}

void print(const Row& row) {
  std::printf("%-58s %6zu %8.2f %8.2f %8.2f %8.2f", row.what.c_str(), row.times.size(),
              percentile(row.times, 0.5), percentile(row.times, 0.95), percentile(row.times, 0.99),
              percentile(row.times, 1));
  if (row.limit > 0) std::printf("   %zu over %.1f", above(row), row.limit);
  std::printf("%s%s\n", row.note.empty() ? "" : "   ", row.note.c_str());
  std::fflush(stdout);
}

void write_json(const std::string& path, const std::vector<Row>& rows, const std::string& renderer) {
  std::ofstream out(path);
  out << R"({"device": ")" << device_name({BackendKind::cuda, 0, false}) << R"(", "renderer": ")" << renderer
      << R"(", "unit": "ms", "rows": [)";
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Row& row = rows[k];
    out << (k == 0 ? "" : ",") << "\n"
        << R"(  {"what": ")" << row.what << R"(", "count": )" << row.times.size() << R"(, "p50": )"
        << percentile(row.times, 0.5) << R"(, "p95": )" << percentile(row.times, 0.95) << R"(, "p99": )"
        << percentile(row.times, 0.99) << R"(, "max": )" << percentile(row.times, 1);
    if (row.limit > 0) out << R"(, "over_)" << row.limit << R"(_ms": )" << above(row);
    out << R"(, "note": ")" << row.note << R"("})";
  }
  out << "\n]}\n";
}

PatternPtr generated(const std::string& text) {
  ThreadPool pool(0);
  JobContext context(pool);
  auto made = spyctrum::generate(text, context);
  if (!made) throw Failure(made.error());
  return made->pattern;
}

/// From upload() of a picture in device memory to the panel's pixels.
Row time_to_visible(cuda::Pictures* pictures, bool interop, std::uint32_t height, std::uint32_t width,
                    const PatternPtr& pattern) {
  ThreadPool pool(0);
  JobContext context(pool);
  DevicePictures device(*pictures, {BackendKind::cuda, 0, false});
  auto uploader =
      std::move(*render::Uploader::create(render::Uploader::kSliceBytes, interop ? pictures : nullptr));
  auto renderer = std::move(*render::ImageRenderer::create());
  Row row{std::string("result to visible, ") + (interop ? "interop, " : "pixel buffer, ") +
              std::to_string(width) + " x " + std::to_string(height),
          {},
          0,
          {}};
  render::ImageTexture texture(*uploader);
  render::ImageView view;
  const PlaneRect centre{-200.5, -200.5, 199.5, 199.5};
  for (int round = 0; round < 110; ++round) {
    const auto image = std::make_shared<const CellImage>(
        device.exact_image(pattern, nullptr, {centre, height, width}, std::uint64_t{1} << 20U, context));
    glFinish();
    const auto began = Clock::now();
    if (!texture.upload(image)) throw Failure(ErrorCode::internal, "a picture was refused");
    for (;;) {
      auto more = uploader->pump();
      if (!more) throw Failure(more.error());
      if (!*more) break;
    }
    render::ViewRequest request;
    request.view = image->rect;
    request.first = {&texture, {3, 6}};
    if (!view.draw(*renderer, request, height, width)) throw Failure(ErrorCode::internal, "no picture");
    glFinish();
    if (round >= kWarmUp) row.times.push_back(milliseconds_since(began));
  }
  if (interop && texture.path() != render::UploadPath::interop)
    row.note = "NOT BY INTEROP: " + uploader->device_copies().refusal();
  return row;
}

/// From the request of a picture to its cells on the device and on the host.
Row time_to_draw(cuda::Pictures* pictures, const PatternPtr& pattern, const char* name, double share) {
  ThreadPool pool(0);
  JobContext context(pool);
  DevicePictures device(*pictures, {BackendKind::cuda, 0, false});
  Row row{std::string("request to cells, ") + name, {}, 0, {}};
  const PlaneRect full = full_spectrum_rect(pattern->rows(), pattern->cols());
  for (int round = 0; round < 60; ++round) {
    const double at = round * 3.0;
    const PlaneRect rect{full.top * share + at, full.left * share + at, full.bottom * share + at,
                         full.right * share + at};
    const auto began = Clock::now();
    const CellImage image =
        device.exact_image(pattern, nullptr, {rect, 1080, 1920}, std::uint64_t{1} << 21U, context);
    if (round >= kWarmUp) row.times.push_back(milliseconds_since(began));
  }
  return row;
}

/// " (tables 0.015, transform 0.062)"
std::string stages_of(const Spectrum& spectrum) {
  std::string text;
  for (const auto& [name, seconds] : spectrum.provenance.stages) {
    char part[64];
    std::snprintf(part, sizeof part, "%s%s %.3f", text.empty() ? " (" : ", ", name.c_str(), seconds);
    text += part;
  }
  return text.empty() ? text : text + ")";
}

/// Frames of the program, 60 per second, while it computes; the view moves every third frame.
std::vector<Row> frames_while_computing(render::Context& context, const std::string& source,
                                        const char* backend, double seconds) {
  Controller::Options options;
  options.wake = [&context] { context.wake(); };
  options.backend = backend;
  Controller controller(options);
  AppFrame frame(context, controller, {{}, 1});
  for (int k = 0; k < 30; ++k) frame.frame();
  Row row{"frame while " + source + " is computed, " + backend, {}, kFrame, {}};
  Row quiet{"frame with nothing to compute, " + std::string(backend), {}, kFrame, {}};
  controller.dispatch(action::OpenFile{source});
  const auto began = Clock::now();
  bool computing = true;
  std::string long_frames;
  for (int k = 0; milliseconds_since(began) < 1000 * seconds; ++k) {
    const auto due = Clock::now() + std::chrono::microseconds(16667);
    const AppState& state = controller.state();
    computing = !state.loading.empty() || std::any_of(state.columns.begin(), state.columns.end(),
                                                      [](const Column& column) { return column.busy; });
    if (state.matrix() != nullptr && computing && k % 3 == 0) {
      const PlaneRect& full = state.view(Plane::spectrum).full;
      const double side = full.height() / 30;
      const double at = full.height() * (0.1 + 0.001 * (k % 500));
      controller.dispatch(
          action::SetView{Plane::spectrum,
                          {full.top + at, full.left + at, full.top + at + side, full.left + at + side},
                          false});
    }
    const auto frame_began = Clock::now();
    frame.frame();
    const double of_interface = milliseconds_since(frame_began);
    glFinish();
    const double took = milliseconds_since(frame_began);
    (computing ? row : quiet).times.push_back(took);
    if (took > kFrame) {
      char text[96];
      std::snprintf(text, sizeof text, "; after %.0f ms a frame of %.0f, %.0f before the GPU had it",
                    milliseconds_since(began), took, of_interface);
      long_frames += text;
    }
    if (!computing && state.matrix() != nullptr && quiet.times.size() > 200) break;
    std::this_thread::sleep_until(due);
  }
  row.note = controller.state().status.backend + ", " + controller.state().status.upload_path;
  const Column& exact = controller.state().columns.front();
  row.note += exact.spectrum ? ", spectrum in " + std::to_string(exact.spectrum->provenance.seconds) +
                                   " s on " + exact.spectrum->provenance.backend + stages_of(*exact.spectrum)
                             : ", spectrum not finished";
  row.note += long_frames;
  return {row, quiet};
}

int run(int argc, char** argv) {
  cuda::Module* module = cuda::loaded_module().module;
  if (module == nullptr) {
    std::fprintf(stderr, "bench_interop: SKIPPED, %s\n", cuda_unavailable_reason().c_str());
    return 77;
  }
  auto context = render::open_offscreen({1920, 1080, 1, render::OffscreenDevice::hardware});
  if (!context) {
    std::fprintf(stderr, "bench_interop: SKIPPED, %s\n", context.error().message().c_str());
    return 77;
  }
  std::printf("%s\n%s\n%-58s %6s %8s %8s %8s %8s\n", device_name({BackendKind::cuda, 0, false}).c_str(),
              (*context)->renderer().c_str(), "milliseconds", "count", "p50", "p95", "p99", "max");
  std::vector<Row> rows;
  const auto add = [&](Row row) {
    print(row);
    rows.push_back(std::move(row));
  };
  const PatternPtr pattern = generated("gen:power-law:n=100000,nnz=450000");
  for (const auto& [height, width] :
       {std::pair{540U, 960U}, std::pair{1080U, 1920U}, std::pair{2160U, 3840U}})
    for (const bool interop : {true, false})
      add(time_to_visible(&module->pictures(), interop, height, width, pattern));
  add(time_to_draw(&module->pictures(), pattern, "1050 x 1050 coefficients, K = 450 k", 0.0105));
  const PatternPtr large = generated("gen:power-law:n=100000,nnz=3500000");
  add(time_to_draw(&module->pictures(), large, "1050 x 1050 coefficients, K = 3.5 M", 0.0105));
  add(time_to_draw(&module->pictures(), large, "overview of 100,000 x 100,000, K = 3.5 M", 1));
  for (const char* backend : {"cuda", "cpu"})
    for (Row& row : frames_while_computing(**context, "gen:power-law:n=60000,nnz=600000", backend,
                                           std::string(backend) == "cuda" ? 25 : 8))
      add(std::move(row));
  if (argc > 1) write_json(argv[1], rows, (*context)->renderer());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto code = run_guarded([&] { return run(argc, argv); });
  if (code) return *code;
  std::fprintf(stderr, "bench_interop: %s\n", code.error().message().c_str());
  return 1;
}
