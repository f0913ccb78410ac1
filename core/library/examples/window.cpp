// SPDX-License-Identifier: Apache-2.0
// window U0 V0 HEIGHT WIDTH: exact coefficients around a frequency, as CSV (u, v, real, imaginary), of a
// matrix that is assembled in memory: a ring of 1000 nodes, each joined to the next. Errors are
// handled as values, without exceptions.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <spyctrum/spyctrum.hpp>
#include <vector>

int complain(const spyctrum::Error& error) {
  std::fprintf(stderr, "window: %s\n", error.message().c_str());
  return 1;
}

/// Adding 0 drops the sign that rounding gives to a zero.
static double to_three_digits(float value) { return std::round(1000.0 * value) / 1000.0 + 0.0; }

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: window U0 V0 HEIGHT WIDTH\n");
    return 2;
  }
  const spyctrum::Window window{.u0 = std::atoll(argv[1]),
                                .v0 = std::atoll(argv[2]),
                                .height = std::strtoull(argv[3], nullptr, 10),
                                .width = std::strtoull(argv[4], nullptr, 10)};

  constexpr std::uint32_t kNodes = 1000;
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> cols;
  for (std::uint32_t node = 0; node < kNodes; ++node) {
    rows.push_back(node);
    cols.push_back((node + 1) % kNodes);
  }
  const auto matrix = spyctrum::Matrix::from_entries(kNodes, kNodes, rows, cols);
  if (!matrix) return complain(matrix.error());

  const auto engine = spyctrum::Engine::create({.backend = "cpu"});
  if (!engine) return complain(engine.error());
  const auto spectrum = engine->window(*matrix, window);
  if (!spectrum) return complain(spectrum.error());

  std::printf("u,v,real,imaginary\n");
  const auto values = spectrum->values();
  for (std::size_t r = 0; r < spectrum->u().size(); ++r)
    for (std::size_t c = 0; c < spectrum->v().size(); ++c) {
      const auto value = values[r * spectrum->v().size() + c];
      std::printf("%lld,%lld,%.3f,%.3f\n", static_cast<long long>(spectrum->u()[r]),
                  static_cast<long long>(spectrum->v()[c]), to_three_digits(value.real()),
                  to_three_digits(value.imag()));
    }
  return 0;
}
