// SPDX-License-Identifier: Apache-2.0
// picture FILE OUT.ppm: the exact spectrum of a matrix on 256 × 256 pixels, as a PPM file that most viewers
// open. Shows progress, and stops on Ctrl+C.
#include <csignal>
#include <cstdio>
#include <fstream>
#include <spyctrum/spyctrum.hpp>
#include <stop_token>

namespace {
volatile std::sig_atomic_t interrupted = 0;
}

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: picture FILE OUT.ppm\n");
    return 2;
  }
  std::signal(SIGINT, [](int) { interrupted = 1; });
  std::stop_source stop;
  spyctrum::Job job;
  job.stop = stop.get_token();
  job.on_progress = [&stop](const spyctrum::Progress& progress) {
    if (interrupted != 0) stop.request_stop();
    std::fprintf(stderr, "\r%s %llu/%llu", progress.stage.c_str(),
                 static_cast<unsigned long long>(progress.done),
                 static_cast<unsigned long long>(progress.total));
  };

  try {
    const auto engine = spyctrum::Engine::create().value();
    const auto matrix = engine.load(argv[1], job).value();
    const auto picture = engine.spectrum_picture(matrix, {.height = 256, .width = 256}, job).value();
    std::fprintf(stderr, "\n");
    std::ofstream file(argv[2], std::ios::binary);
    file << "P6 " << picture.width << ' ' << picture.height << " 255\n";
    for (std::size_t k = 0; k < picture.values.size(); ++k)
      file.write(reinterpret_cast<const char*>(&picture.rgba[4 * k]), 3);
    if (!file.flush()) {
      std::fprintf(stderr, "picture: %s cannot be written\n", argv[2]);
      return 1;
    }
    std::printf("%s: log10 of |F|^2 from %.2f to %.2f\n", argv[2], static_cast<double>(picture.low),
                static_cast<double>(picture.high));
  } catch (const spyctrum::BadResult& failure) {
    std::fprintf(stderr, "\npicture: %s\n", failure.what());
    return 1;
  }
  return 0;
}
