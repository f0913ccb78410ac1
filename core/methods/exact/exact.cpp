// SPDX-License-Identifier: Apache-2.0
// Any window of the exact spectrum without computing the rest of the plane: by one type-1 non-uniform FFT of
// the window's size, with K·w² + H·W·log(H·W) operations for H×W coefficients and a spreading width w,
// independent of m and n (Dutt and Rokhlin 1993; Barnett, Magland, af Klinteberg 2019); by rows if an axis is
// not evenly spaced or rows take fewer operations. The whole plane is streamed as by BS-FFT.
#include <memory>

#include "core/device/device_forecast.hpp"
#include "core/device/device_job.hpp"
#include "core/engine/device_grid.hpp"
#include "core/engine/full_plane.hpp"
#include "core/engine/plane_outputs.hpp"
#include "core/engine/plane_progress.hpp"
#include "core/methods/make_method.hpp"
#include "core/request/shared_parameters.hpp"

namespace spyctrum {

class Exact : public Method {
 public:
  Exact()
      : Method({.id = "exact",
                .label = "Exact",
                .citation =
                    "Dutt and Rokhlin 1993; Barnett, Magland, af Klinteberg 2019 (type-1 non-uniform FFT)",
                .cost = "K·w² + H·W·log(H·W) operations and about 40·H·W bytes for a window of H×W; the "
                        "whole plane as BS-FFT",
                .summary = "Any window of the exact spectrum, at a cost that depends on the window and not "
                           "on the matrix's size.",
                .exactness = Exactness::exact,
                .full_plane = true,
                .resumable = true,
                .takes_weights = true,
                .role = MethodRole::window},
               {tolerance_parameter(), tile_parameter(),
                real_parameter("until", 0, 0.1, "0",
                               "stop once no standard error of a feature is above this (relative for entropy "
                               "and flatness, absolute for shares); 0: compute every row")}) {}

  [[nodiscard]] Forecast forecast(const ResolvedRequest& request) const override {
    if (!request.window) return forecast_plane(as_it_runs(request), kRows);
    if (request.backend.kind == BackendKind::cuda)
      return forecast_device_grid(cuda_window_plan(request), request);
    return window_plan(request, request.threads).forecast();
  }

  [[nodiscard]] Spectrum run(const ResolvedRequest& request, JobContext& context) const override {
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
    Spectrum spectrum = sampled_spectrum(pattern, plan.grid, compute_grid(pattern, plan, context));
    spectrum.provenance.note = plan.lattice ? "computed by the lattice engine" : "computed by rows";
    return spectrum;
  }

  void stream(const ResolvedRequest& request, std::span<RowConsumer* const> consumers,
              JobContext& context) const override {
    stream_plane(request, kRows, consumers, context);
  }

 private:
  static Spectrum run_whole(const ResolvedRequest& request, JobContext& context) {
    const double until = request.parameters.real("until");
    const ResolvedRequest running = as_it_runs(request);
    if (until > 0 && !request.outputs.values) running.progress->stop_below(until);
    return run_plane(running, kRows, context);
  }
  /// The request with a progress, which stopping early needs.
  static ResolvedRequest as_it_runs(const ResolvedRequest& request) {
    ResolvedRequest running = request;
    const bool stops = request.parameters.real("until") > 0 && !request.outputs.values;
    if (stops && !running.progress) running.progress = std::make_shared<PlaneProgress>();
    return running;
  }
  static constexpr PlaneRows kRows{LengthRule::library, cuda::RowAlgorithm::optimized, false};
  static DeviceGridPlan cuda_window_plan(const ResolvedRequest& request) {
    return plan_device_grid(*request.pattern, *request.window, GridEngine::automatic, tolerance_of(request),
                            tile_of(request), request.backend, device_allowance(request));
  }
  static GridPlan window_plan(const ResolvedRequest& request, unsigned threads) {
    return plan_grid(*request.pattern, *request.window, GridEngine::automatic, tolerance_of(request),
                     tile_of(request), threads);
  }
};

template std::unique_ptr<Method> make_method<Exact>();

}  // namespace spyctrum
