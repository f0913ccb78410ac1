// SPDX-License-Identifier: Apache-2.0
// BS-FFT (ours): the exact spectrum row by row from the nonzeros, streamed into features, display pyramid or
// a stored half spectrum. Nothing but tiles is held unless values are asked for.
#include "core/device/device_module.hpp"
#include "core/engine/device_windows.hpp"
#include "core/engine/full_plane.hpp"
#include "core/engine/windows.hpp"
#include "core/methods/registry.hpp"
#include "core/request/shared_parameters.hpp"

namespace spyctrum {

namespace {

class BsFft : public Method {
 public:
  [[nodiscard]] const MethodInfo& info() const override {
    static const MethodInfo info{"bs-fft",
                                 "BS-FFT",
                                 std::string(kPaperCitation) + ", §3.1, Algorithm 1",
                                 "h·K + h·n log n operations, h = ⌊m/2⌋+1; memory: tiles, and 8·h·n bytes "
                                 "only where values are stored",
                                 "Every coefficient, row by row from the nonzeros, reduced on the way: the "
                                 "exact reference at any size "
                                 "whose work is affordable.",
                                 Exactness::exact,
                                 false,
                                 true,
                                 false,
                                 true};
    return info;
  }

  [[nodiscard]] const std::vector<Parameter>& parameters() const override {
    static const std::vector<Parameter> schema{tile_parameter()};
    return schema;
  }

  [[nodiscard]] Support supports(Backend backend, std::uint64_t /*m*/, std::uint64_t /*n*/) const override {
    return cpu_or_cuda(backend);
  }

  [[nodiscard]] Forecast forecast(const Request& request) const override {
    if (!request.window) return forecast_plane(request, kRows);
    if (request.backend.kind == BackendKind::cuda)
      return forecast_device_window(request, *request.window, device_rows(request, kRows));
    return forecast_row_window(request, kRows.rule, integer_value(request.parameters, "tile"));
  }

  [[nodiscard]] Spectrum run(const Request& request, JobContext& context) const override {
    if (!request.window) return run_plane(request, kRows, context);
    if (request.backend.kind == BackendKind::cuda)
      return run_device_window(request, device_rows(request, kRows), context);
    return run_row_window(request, kRows.rule, integer_value(request.parameters, "tile"), context);
  }

  void stream(const Request& request, std::span<RowConsumer* const> consumers,
              JobContext& context) const override {
    stream_plane(request, kRows, consumers, context);
  }

 private:
  static constexpr PlaneRows kRows{LengthRule::library, cuda::RowAlgorithm::optimized, false};
};

}  // namespace

std::unique_ptr<Method> make_bs_fft() { return std::make_unique<BsFft>(); }

}  // namespace spyctrum
