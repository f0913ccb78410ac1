// SPDX-License-Identifier: Apache-2.0
// The exact spectrum where it is looked at: windows of any place, size and step without forming the rest.
// Asked for the whole plane, it passes the rows of BS-FFT's stream on.
#include <memory>
#include <string>

#include "core/device/device_job.hpp"
#include "core/device/device_module.hpp"
#include "core/engine/device_grid.hpp"
#include "core/engine/full_plane.hpp"
#include "core/engine/plane_outputs.hpp"
#include "core/engine/plane_progress.hpp"
#include "core/methods/exact/exact_cpu.hpp"
#include "core/methods/registry.hpp"
#include "core/request/shared_parameters.hpp"

namespace spyctrum {

namespace {

class Exact : public Method {
 public:
  [[nodiscard]] const MethodInfo& info() const override {
    static const MethodInfo info{
        "exact",
        "Exact (lattice engine)",
        "Dutt and Rokhlin 1993; Barnett, Magland, af Klinteberg 2019 (type-1 non-uniform FFT)",
        "K·w² + H·W·log(H·W) operations and about 40·H·W bytes for a window of H×W; the whole plane as "
        "BS-FFT",
        "Any window of the exact spectrum at the cost of the window, independent of the matrix's size.",
        Exactness::exact,
        false,
        true,
        false,
        true};
    return info;
  }

  [[nodiscard]] const std::vector<Parameter>& parameters() const override {
    static const std::vector<Parameter> schema{
        tolerance_parameter(),
        tile_parameter(),
        {"until",
         Parameter::Type::real,
         0,
         0.1,
         {},
         "0",
         "stop once no standard error of the features is above this (entropy and flatness relative, shares "
         "as they are); 0 goes to the end"}};
    return schema;
  }

  [[nodiscard]] Support supports(Backend backend, std::uint64_t /*m*/, std::uint64_t /*n*/) const override {
    return cpu_or_cuda(backend);
  }

  [[nodiscard]] Forecast forecast(const Request& request) const override {
    if (!request.window) return forecast_plane(as_it_runs(request), kRows);
    if (request.backend.kind == BackendKind::cuda)
      return forecast_device_grid(cuda_window_plan(request), request);
    return window_plan(request, request.threads).forecast();
  }

  [[nodiscard]] Spectrum run(const Request& request, JobContext& context) const override {
    if (!request.window) return run_whole(request, context);
    const SparsePattern& pattern = *request.pattern;
    if (request.backend.kind == BackendKind::cuda) {
      const DeviceGridPlan plan = cuda_window_plan(request);
      DeviceUse use;
      Spectrum spectrum = sampled_spectrum(
          pattern, plan.grid, compute_device_grid(request.pattern, plan, request.backend, context, use));
      spectrum.provenance.note = note_of(plan, use);
      return spectrum;
    }
    const GridPlan plan = window_plan(request, context.pool().threads());
    Spectrum spectrum = sampled_spectrum(pattern, plan.grid, exact_window_cpu(pattern, plan, context));
    spectrum.provenance.note = plan.lattice ? "computed by the lattice engine" : "computed by rows";
    return spectrum;
  }

  void stream(const Request& request, std::span<RowConsumer* const> consumers,
              JobContext& context) const override {
    stream_plane(request, kRows, consumers, context);
  }

 private:
  static Spectrum run_whole(const Request& request, JobContext& context) {
    const double until = real_value(request.parameters, "until");
    const Request running = as_it_runs(request);
    if (until > 0 && !request.outputs.values) running.progress->stop_below(until);
    return run_plane(running, kRows, context);
  }
  /// With the progress that stopping early takes.
  static Request as_it_runs(const Request& request) {
    Request running = request;
    const bool stops = real_value(request.parameters, "until") > 0 && !request.outputs.values;
    if (stops && !running.progress) running.progress = std::make_shared<PlaneProgress>();
    return running;
  }
  static constexpr PlaneRows kRows{LengthRule::library, cuda::RowAlgorithm::optimized, false};
  static DeviceGridPlan cuda_window_plan(const Request& request) {
    return plan_device_grid(*request.pattern, *request.window, GridEngine::automatic,
                            real_value(request.parameters, "tolerance"),
                            integer_value(request.parameters, "tile"), request.backend);
  }
  static GridPlan window_plan(const Request& request, unsigned threads) {
    return plan_grid(*request.pattern, *request.window, GridEngine::automatic,
                     real_value(request.parameters, "tolerance"), integer_value(request.parameters, "tile"),
                     threads);
  }
};

}  // namespace

std::unique_ptr<Method> make_exact() { return std::make_unique<Exact>(); }

}  // namespace spyctrum
