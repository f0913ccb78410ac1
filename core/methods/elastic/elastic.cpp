// SPDX-License-Identifier: Apache-2.0
// Elastic BS-FFT: exact samples F[u, v] on a lattice of every b-th row and column frequency that excludes u =
// 0 and v = 0, and features of the whole plane decoded from the samples and the exact axes. The engine
// "lattice" computes the samples by one type-1 non-uniform FFT of their number, with K·w² + m0·n0·log(m0·n0)
// operations, m0 = ⌈m/b⌉, n0 = ⌈n/b⌉, w the spreading width. The engine "rows" is the paper's Algorithm 2
// with m0·(K + L·log L) operations, where the FFT library chooses the length L.
#include "core/engine/decoded_samples.hpp"
#include "core/methods/make_method.hpp"
#include "core/request/shared_parameters.hpp"

namespace spyctrum {

class Elastic : public Method {
 public:
  Elastic()
      : Method({.id = "elastic",
                .label = "Elastic BS-FFT",
                .citation = std::string(kPaperCitation) +
                            ", §3.2, Algorithm 2; sampled on a lattice as a type-1 non-uniform FFT",
                .cost = "K·w² + m0·n0·log(m0·n0) operations, m0 = ⌈m/b⌉, n0 = ⌈n/b⌉; about 40·m0·n0 bytes",
                .summary = "Exact coefficients at every b-th frequency of both axes, 1/b² of the plane; "
                           "features of the whole plane within a fraction of a per cent.",
                .exactness = Exactness::exact_samples,
                .uses_block = true,
                .takes_weights = true,
                .role = MethodRole::samples,
                .crossover_name = "Elastic",
                .printed = {{"entropy", "0.0016 … 0.0189"},
                            {"radial", "0.0043 … 0.0509"},
                            {"sectors", "0.0061 … 0.0647"},
                            {"hellinger", "0.391 (b=4) … 0.414 (b=128)"},
                            {"recall", "48.6 % (b=16), above 60 % (b=4)"}}},
               {block_parameter("every b-th frequency of each axis is computed"),
                choice_parameter("engine", {"auto", "lattice", "rows"},
                                 "lattice: one non-uniform FFT of the samples; rows: the paper's row "
                                 "transforms and a gather; auto: the one with fewer operations"),
                choice_parameter("decoder", {"stratified", "paper"},
                                 "how features are decoded: stratified adds exact lines and sampled rows and "
                                 "uses the known total power; paper uses the samples alone"),
                tolerance_parameter(), tile_parameter()}) {}

  [[nodiscard]] Forecast forecast(const ResolvedRequest& request) const override {
    return forecast_decoded_samples(request, engine_of(request), decoder_of(request));
  }

  [[nodiscard]] Spectrum run(const ResolvedRequest& request, JobContext& context) const override {
    return decoded_samples(request, engine_of(request), decoder_of(request), context);
  }

 private:
  static GridEngine engine_of(const ResolvedRequest& request) {
    return request.parameters.choice<GridEngine>("engine");
  }
  static Decoder decoder_of(const ResolvedRequest& request) {
    return request.parameters.choice<Decoder>("decoder");
  }
};

template std::unique_ptr<Method> make_method<Elastic>();

}  // namespace spyctrum
