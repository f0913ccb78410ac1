// SPDX-License-Identifier: Apache-2.0
// features FILE [METHOD [BLOCK]]: the spectral features of a matrix, here of its whole plane or of Elastic's
// samples. FILE: Matrix Market, or "gen:band:n=1000".
#include <cstdio>
#include <spyctrum/spyctrum.hpp>

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr, "usage: features FILE [METHOD [BLOCK]]\n");
    return 2;
  }
  spyctrum::Parameters parameters;
  if (argc == 4) parameters["block"] = argv[3];

  try {
    const auto engine = spyctrum::Engine::create().value();
    const auto matrix = engine.load(argv[1]).value();
    const auto features = engine.features(matrix, argc > 2 ? argv[2] : "exact", parameters).value();
    std::printf("%llu x %llu, %lld entries, on %s\n", static_cast<unsigned long long>(matrix.rows()),
                static_cast<unsigned long long>(matrix.cols()), static_cast<long long>(matrix.nonzeros()),
                engine.backend().c_str());
    std::printf("entropy %.8f\n", features.entropy);
    std::printf("radial");
    for (const double share : features.radial) std::printf(" %.4f", share);
    std::printf("\n");
  } catch (const spyctrum::BadResult& failure) {
    std::fprintf(stderr, "features: %s\n", failure.what());
    return 1;
  }
  return 0;
}
