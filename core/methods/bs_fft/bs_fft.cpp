// SPDX-License-Identifier: Apache-2.0
// BS-FFT: every coefficient F[u, v], u = 0 … ⌊m/2⌋, row by row from the entries (Zhang, Manthena, Li, Shen,
// §3.1, Algorithm 1), streamed into features, a display pyramid or, where values are requested, a stored half
// spectrum. Without stored values only tiles of rows are held. The FFT library chooses the lengths of
// transforms, not the paper's rule.
#include "core/engine/device_grid.hpp"
#include "core/engine/full_plane.hpp"
#include "core/engine/windows.hpp"
#include "core/methods/make_method.hpp"
#include "core/request/shared_parameters.hpp"

namespace spyctrum {

class BsFft : public Method {
 public:
  BsFft()
      : Method({.id = "bs-fft",
                .label = "BS-FFT",
                .citation = std::string(kPaperCitation) + ", §3.1, Algorithm 1",
                .cost = "h·K + h·n·log n operations, h = ⌊m/2⌋+1; memory for tiles of rows, and 8·h·n bytes "
                        "if values are stored",
                .summary = "Computes every coefficient row by row from the entries and reduces each row at "
                           "once: the exact reference.",
                .exactness = Exactness::exact,
                .full_plane = true,
                .resumable = true,
                .takes_weights = true,
                .row_by_row = true,
                .role = MethodRole::plane,
                .crossover_name = "BS-FFT"},
               {tile_parameter()}) {}

  [[nodiscard]] Forecast forecast(const ResolvedRequest& request) const override {
    if (!request.window) return forecast_plane(request, kRows);
    if (request.backend.kind == BackendKind::cuda)
      return forecast_device_window(request, *request.window, device_rows(request, kRows));
    return forecast_row_window(request, kRows.rule);
  }

  [[nodiscard]] Spectrum run(const ResolvedRequest& request, JobContext& context) const override {
    if (!request.window) return run_plane(request, kRows, context);
    if (request.backend.kind == BackendKind::cuda)
      return run_device_window(request, device_rows(request, kRows), context);
    return run_row_window(request, kRows.rule, context);
  }

  void stream(const ResolvedRequest& request, std::span<RowConsumer* const> consumers,
              JobContext& context) const override {
    stream_plane(request, kRows, consumers, context);
  }

 private:
  static constexpr PlaneRows kRows{LengthRule::library, cuda::RowAlgorithm::optimized, false};
};

template std::unique_ptr<Method> make_method<BsFft>();

}  // namespace spyctrum
