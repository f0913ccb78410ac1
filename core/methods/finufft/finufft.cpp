// SPDX-License-Identifier: Apache-2.0
// The libraries FINUFFT and, on CUDA, cuFINUFFT as a spectral baseline of the BS-FFT paper (§4), in three
// modes: a type-3 transform to the frequencies of elastic-paper; a type-1 transform to the box that bounds
// them; or, not in the paper, a type-1 transform to a lattice alone.

#include <complex>
#include <vector>

#include "core/base/counts_text.hpp"
#include "core/device/device_forecast.hpp"
#include "core/device/device_job.hpp"
#include "core/engine/windows.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/methods/finufft/finufft_cpu.hpp"
#include "core/methods/finufft/finufft_library.hpp"
#include "core/methods/finufft/finufft_points.hpp"
#include "core/methods/make_method.hpp"
#include "core/request/shared_parameters.hpp"
#include "core/spectrum/rounding_floor.hpp"

namespace spyctrum {

namespace {

// Passes the host's arrays and the entry points of the loaded cuFINUFFT library to the CUDA module.

/// Cells of cuFINUFFT's grid. Version 2.5.1 made an illegal memory access at 1.95·10^9 cells (28,281 ×
/// 28,281, type 3), after which a process cannot use CUDA; 1.23·10^9 cells worked.
constexpr double kMostCells = 1.5e9;

template <class T>
FinufftRun<T> runner(Backend backend, DeviceUse& use) {
  return [backend, &use](const std::shared_ptr<FinufftArrays<T>>& arrays, std::uint64_t library_bytes,
                         JobContext& context) {
    cuda::NufftTask<T> task;
    task.calls = cufinufft_library().calls<T>();
    task.type = arrays->type;
    task.modes[0] = arrays->modes[0];
    task.modes[1] = arrays->modes[1];
    task.tolerance = arrays->tolerance;
    task.sources = arrays->x.size();
    task.x = arrays->x.data();
    task.y = arrays->y.data();
    task.strengths = arrays->strengths.data();
    task.targets = arrays->s.size();
    task.s = arrays->s.data();
    task.t = arrays->t.data();
    task.results = arrays->result.size();
    task.result = arrays->result.data();
    task.code = &arrays->code;
    task.library_bytes = library_bytes;
    use = DeviceJob(backend, context).run(task);
  };
}

/// Device bytes: points, targets and modes as on the host, and the library's grids.
ByteTerms finufft_device_terms(const FinufftPlan& plan) {
  ByteTerms terms;
  terms.add("points", plan.point_bytes);
  terms.add("modes", plan.mode_bytes);
  terms.add("cuFINUFFT's grids", plan.library_bytes);
  return terms;
}

/// finufft_cpu() on a CUDA device, with two differences: a stop waits until the library's call ends, and the
/// library's atomic sums differ in their last digits from run to run.
std::vector<std::complex<float>> finufft_cuda(const SparsePattern& pattern, const FrequencyGrid& grid,
                                              const FinufftOptions& options, Backend backend,
                                              JobContext& context, DeviceUse& use) {
  if (!cufinufft_library().available())
    throw Failure(ErrorCode::backend_unavailable, cufinufft_library().reason + ".");
  const double cells = plan_finufft(pattern, grid, options).largest_grid;
  if (cells > kMostCells) {
    throw Failure(ErrorCode::out_of_memory,
                  "cuFINUFFT would need a grid of " + grouped(static_cast<std::uint64_t>(cells)) +
                      " cells for " + sides_text(pattern.rows(), pattern.cols()) +
                      "; the library fails on grids of this size.",
                  "Set mode to type1-lattice, or choose elastic.");
  }
  return finufft_values(pattern, grid, options,
                        {"cuFINUFFT", {runner<float>(backend, use), runner<double>(backend, use)}}, context);
}

enum class Precision { binary64, binary32 };  // IEEE 754: "double" and "single"

FinufftOptions options_of(const ResolvedRequest& request) {
  FinufftOptions options;
  options.mode = request.parameters.choice<FinufftMode>("mode");
  options.tolerance = tolerance_of(request);
  options.single_precision = request.parameters.choice<Precision>("precision") == Precision::binary32;
  return options;
}

}  // namespace

class Finufft : public Method {
 public:
  Finufft()
      : Method({.id = "nufft",
                .label = "FINUFFT",
                .citation = "Barnett, Magland, af Klinteberg: A parallel nonuniform fast Fourier transform "
                            "library, SISC 41(5), 2019",
                .cost = "w²·(K + Q) + mn·log(mn) operations for type 3 and for the box, w the kernel's "
                        "width, Q coefficients; w²·K + m0·n0·log(m0·n0) for the lattice; its grids take "
                        "64·mn, 64·mn or 64·m0·n0 bytes",
                .summary = "Chosen coefficients by the FINUFFT library if it is installed; for comparison.",
                .exactness = Exactness::exact_samples,
                .uses_block = true,
                .repeatable = false,
                .takes_weights = true},
               {block_parameter(
                    "⌈m/b⌉ × ⌈n/b⌉ coefficients: those of elastic-paper, or of elastic for type1-lattice"),
                choice_parameter("mode", {"type3", "type1-box", "type1-lattice"},
                                 "type3: caller-selected frequencies, as in the paper; type1-box: all "
                                 "frequencies of their bounding box; type1-lattice: only a lattice that "
                                 "excludes u = 0 and v = 0, not in the paper"),
                choice_parameter("precision", {"double", "single"},
                                 "precision of the library; single is faster, but with type3 and type1-box "
                                 "its phases err by 6e-8·m/2"),
                real_parameter("tolerance", 1e-14, 1e-1, "1e-07",
                               "requested of the library: relative L2 error of all values, hence relative to "
                               "DC if that dominates")}) {}

  [[nodiscard]] Support supports(Backend backend) const override {
    if (backend.kind == BackendKind::cuda) {
      Support support = Method::supports(backend);
      if (!support.ok) return support;
      if (!cufinufft_library().available()) return {false, cufinufft_library().reason};
      // cuFINUFFT takes the device in an options structure whose layout changes between versions.
      if (backend.device != 0) return {false, "cuFINUFFT is used on the first CUDA device only"};
      return {};
    }
    if (!finufft_library().available()) return {false, finufft_library().reason};
    return {};
  }

  [[nodiscard]] Forecast forecast(const ResolvedRequest& request) const override {
    const bool on_device = request.backend.kind == BackendKind::cuda;
    const FinufftPlan plan = plan_finufft(*request.pattern, grid_of(request), options_of(request));
    const ByteTerms terms = plan.host_terms(on_device);
    Forecast forecast{terms.total(), plan.operations, terms.text()};
    if (on_device) add_device(forecast, finufft_device_terms(plan));
    return forecast;
  }

  [[nodiscard]] Spectrum run(const ResolvedRequest& request, JobContext& context) const override {
    const FrequencyGrid grid = grid_of(request);
    const SparsePattern& pattern = *request.pattern;
    const bool on_device = request.backend.kind == BackendKind::cuda;
    DeviceUse use;
    Spectrum spectrum = sampled_spectrum(
        pattern, grid,
        on_device ? finufft_cuda(pattern, grid, options_of(request), request.backend, context, use)
                  : finufft_cpu(pattern, grid, options_of(request), context));
    spectrum.provenance.note = (on_device ? cufinufft_library().path : finufft_library().path) +
                               "; its memory is an estimate from its grids";
    spectrum.rounding_floor = rounding_floor(pattern, std::max(kUsualTolerance, tolerance_of(request)));
    if (request.window) return spectrum;
    finish_paper_samples(request, spectrum, context);
    return spectrum;
  }

 private:
  static FrequencyGrid grid_of(const ResolvedRequest& request) {
    if (request.window) return *request.window;
    const SparsePattern& pattern = *request.pattern;
    if (options_of(request).mode == FinufftMode::type1_lattice)
      return off_axis_grid(pattern.rows(), pattern.cols(), block_of(request));
    return paper_grid(pattern.rows(), pattern.cols(), block_of(request));
  }
};

template std::unique_ptr<Method> make_method<Finufft>();

}  // namespace spyctrum
