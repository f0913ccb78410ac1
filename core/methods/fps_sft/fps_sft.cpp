// SPDX-License-Identifier: Apache-2.0
// FPS-SFT, the coefficient-selecting baseline of the BS-FFT paper (§4): searches for the largest coefficients
// of a spectrum that is assumed to be sparse, and returns Q = ⌈m/b⌉·⌈n/b⌉ of them, as many as the grid
// methods. A window of the result has the coefficients that were found there and 0 elsewhere, by the
// assumption of sparsity.
#include <algorithm>

#include "core/device/device_forecast.hpp"
#include "core/engine/plane_outputs.hpp"
#include "core/features/decoders.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/frequency/voronoi_areas.hpp"
#include "core/methods/fps_sft/fps_search.hpp"
#include "core/methods/fps_sft/fps_slices.hpp"
#include "core/methods/make_method.hpp"
#include "core/request/shared_parameters.hpp"
#include "core/spectrum/rounding_floor.hpp"

namespace spyctrum {

namespace {

enum class Amplitude { exact, native };

/// The found coefficients on the window's grid, zero elsewhere.
std::vector<std::complex<float>> on_window(const FpsFound& found, const FrequencyGrid& window,
                                           JobContext& context) {
  context.begin_stage("gather");
  BookedVector<std::complex<float>> values(context, window.count(), "window");
  for (std::uint64_t p = 0; p < window.rows.count(); ++p) {
    const auto u = static_cast<std::int32_t>(window.rows.signed_at(p));
    const auto row = std::equal_range(found.u.begin(), found.u.end(), u);
    const auto first = found.v.begin() + (row.first - found.u.begin());
    const auto last = found.v.begin() + (row.second - found.u.begin());
    for (std::uint64_t q = 0; q < window.cols.count(); ++q) {
      const auto v = static_cast<std::int32_t>(window.cols.signed_at(q));
      const auto at = std::lower_bound(first, last, v);
      if (at != last && *at == v)
        values.data[p * window.cols.count() + q] =
            found.values[static_cast<std::size_t>(at - found.v.begin())];
    }
    context.check_stop();
  }
  return std::move(values.data);
}

}  // namespace

class FpsSft : public Method {
 public:
  FpsSft()
      : Method({.id = "fps-sft",
                .label = "FPS-SFT",
                .citation = "Wang, Patel, Petropulu: FPS-SFT: A multi-dimensional sparse Fourier transform "
                            "based on the Fourier projection-slice theorem, arXiv:1711.11407",
                .cost = "L·log L operations per line, L = lcm(m, n), about 4·Q/L lines for a dense spectrum, "
                        "Q = m0·n0; exact values take at most the work of bs-fft; 60·Q + 48·L bytes",
                .summary = "Searches for the largest coefficients of a sparse spectrum by projection slices; "
                           "of a dense spectrum its choice is hardly better than a random one.",
                .exactness = Exactness::estimate,
                .uses_block = true,
                .scattered = true,
                .takes_weights = true,
                .printed = {{"entropy", "0.0016 … 0.0189"},
                            {"radial", "0.0043 … 0.0509"},
                            {"sectors", "0.0061 … 0.0647"},
                            {"hellinger", "0.43 (b=4) … 0.45 (b=128)"},
                            {"recall", "43.4 % (b=16)"}}},
               {block_parameter("⌈m/b⌉ · ⌈n/b⌉ coefficients are returned"),
                choice_parameter("amplitude", {"exact", "native"},
                                 "exact: the selected coefficients are evaluated exactly; native: amplitudes "
                                 "of the bins, as published"),
                real_parameter("variation", 1e-6, 1.5, "0.05",
                               "a bin is taken for a single coefficient if its three magnitudes have a "
                               "coefficient of variation below this; doubled after a round that finds less "
                               "than 1 % of the missing coefficients"),
                {"iterations",
                 Parameter::Type::integer,
                 0,
                 1e6,
                 {},
                 "0",
                 "largest number of lines with all tests; 0: max(24, 10·Q/L)"}}) {}

  [[nodiscard]] Forecast forecast(const ResolvedRequest& request) const override {
    const unsigned threads = thread_count(request.threads);
    const SparsePattern& pattern = *request.pattern;
    const FpsOptions options = options_of(request, 1);
    const std::uint64_t found = saturating_product(16, options.points);
    const std::uint64_t search = fps_search_bytes(pattern, options, request.backend, threads);
    const std::uint64_t after =
        request.window
            ? saturating_product(8, request.window->rows.count(), request.window->cols.count())
            : saturating_sum(saturating_product(4, options.points),
                             std::max(voronoi_areas_bytes(options.points),
                                      site_raster_bytes(pattern.rows(), pattern.cols(), options.points)));
    ByteTerms terms;
    terms.add("coordinates and values", found);
    terms.add("slices of length " + std::to_string(fps_length(pattern.rows(), pattern.cols())) +
                  ", then areas of the samples",
              std::max(search, after));
    Forecast forecast{terms.total(), fps_search_operations(pattern, options, threads), terms.text()};
    if (request.backend.kind == BackendKind::cuda)
      add_device(forecast, fps_device_terms(pattern, options, request.backend));
    return forecast;
  }

  [[nodiscard]] Spectrum run(const ResolvedRequest& request, JobContext& context) const override {
    const SparsePattern& pattern = *request.pattern;
    const FpsOptions options = options_of(request, context.seed());
    FpsFound found = fps_search(pattern, options, request.backend, context);
    const Booking booked(context.memory(), 16 * options.points, "points");
    Spectrum spectrum = blank_spectrum(pattern);
    spectrum.block = static_cast<std::uint32_t>(block_of(request));
    spectrum.provenance.note = found.note();
    if (request.backend.kind == BackendKind::cuda) spectrum.provenance.note += "; " + found.device.note();
    spectrum.exactness = Exactness::estimate;
    if (request.window) {
      spectrum.grid = *request.window;
      spectrum.values = on_window(found, spectrum.grid, context);
      return spectrum;
    }
    if (options.exact_values) spectrum.exactness = Exactness::exact_samples;
    place(found, spectrum, context);
    if (request.outputs.features) {
      context.begin_stage("decode");
      spectrum.features = decode_scattered(spectrum.m, spectrum.n, spectrum.points, spectrum.values,
                                           rounding_floor(pattern), context);
    }
    if (request.outputs.values) return spectrum;
    spectrum.values = {};
    spectrum.points = {};
    spectrum.placement = Placement::true_frequencies;
    return spectrum;
  }

 private:
  static FpsOptions options_of(const ResolvedRequest& request, std::uint64_t seed) {
    const auto block = block_of(request);
    FpsOptions options;
    options.points = saturating_product(block_count(request.pattern->rows(), block),
                                        block_count(request.pattern->cols(), block));
    options.exact_values = request.parameters.choice<Amplitude>("amplitude") == Amplitude::exact;
    options.variation = request.parameters.real("variation");
    options.iterations = static_cast<std::uint64_t>(request.parameters.integer("iterations"));
    options.seed = seed;
    return options;
  }

  /// Stores the found coefficients with their areas, as the samples of a scattered spectrum.
  static void place(FpsFound& found, Spectrum& spectrum, JobContext& context) {
    context.begin_stage("areas");
    const Booking weights(context.memory(), 4 * found.u.size(), "weights");
    spectrum.placement = Placement::scattered;
    spectrum.values = std::move(found.values);
    spectrum.points.u = std::move(found.u);
    spectrum.points.v = std::move(found.v);
    spectrum.points.weight =
        voronoi_areas(spectrum.m, spectrum.n, spectrum.points.u, spectrum.points.v, context);
    spectrum.points.raster = std::make_shared<SiteRaster>(
        make_site_raster(spectrum.m, spectrum.n, spectrum.points.u, spectrum.points.v, context));
  }
};

template std::unique_ptr<Method> make_method<FpsSft>();

}  // namespace spyctrum
