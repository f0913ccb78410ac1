// SPDX-License-Identifier: Apache-2.0
// Fixed Point, the spatial baseline of the BS-FFT paper (§4): the DFT of the m0×n0 matrix A' of the entries
// at fixed positions, K' of the K entries of A. Its values are coefficients of A'; they are coefficients of A
// only at b = 1. All are multiplied by √(K/K'), so that F[0, 0] is √(K·K'); the reconstruction sets F[0, 0] =
// K.
#include "core/methods/fixed_point/fixed_point_cpu.hpp"

#include "core/device/device_job.hpp"
#include "core/device/device_module.hpp"
#include "core/engine/reduced_plane.hpp"
#include "core/frequency/sampling_grids.hpp"
#include "core/methods/fixed_point/fixed_point_cuda.hpp"
#include "core/methods/make_method.hpp"
#include "core/methods/paper_citation.hpp"
#include "core/request/shared_parameters.hpp"

namespace spyctrum {

namespace {

std::string note_of(std::int64_t kept, std::int64_t nonzeros) {
  if (kept == 0)
    return "none of the fixed positions has an entry; the result is a flat spectrum with the mean power of "
           "the matrix";
  return std::to_string(kept) + " of " + std::to_string(nonzeros) + " entries are at the fixed positions";
}

}  // namespace

class FixedPoint : public Method {
 public:
  [[nodiscard]] const MethodInfo& info() const override {
    static const MethodInfo info{
        .id = "fixed-point",
        .label = "Fixed Point",
        .citation = std::string(kPaperCitation) + ", §4, spatial baseline",
        .cost = "K + m0·n0·log(m0·n0) operations, m0 = ⌈m/b⌉, n0 = ⌈n/b⌉; 8·m0·n0 bytes",
        .summary =
            "The spectrum of the entries at fixed positions alone: a baseline, whose estimate does not "
            "improve with "
            "smaller blocks.",
        .exactness = Exactness::estimate,
        .uses_block = true,
        .printed = {{"radial", "sometimes above 0.1"},
                    {"sectors", "sometimes above 0.1"},
                    {"entropy", "sometimes above 0.1"},
                    {"hellinger", "0.494 at every b"},
                    {"recall", "21.0 % (b=16)"}}};
    return info;
  }

  [[nodiscard]] const std::vector<Parameter>& parameters() const override {
    static const std::vector<Parameter> schema{
        block_parameter("⌈m/b⌉ × ⌈n/b⌉ positions are used"),
        {"keep",
         Parameter::Type::choice,
         0,
         0,
         {"decimation", "crop"},  // in the order of FixedPoints
         "decimation",
         "decimation: the first position of each b×b block; crop: the corner at the origin"}};
    return schema;
  }

  [[nodiscard]] SeenPattern sees(const ResolvedParameters& parameters) const override {
    return parameters.choice<FixedPoints>("keep") == FixedPoints::crop ? SeenPattern::kept_corner
                                                                       : SeenPattern::kept_positions;
  }

  [[nodiscard]] Support supports(Backend backend, std::uint64_t /*m*/, std::uint64_t /*n*/) const override {
    return cpu_or_cuda(backend);
  }

  [[nodiscard]] Forecast forecast(const ResolvedRequest& request) const override {
    const std::uint64_t block = block_of(request);
    ByteTerms terms;
    terms.add("grid 8·m0·n0",
              saturating_product(8, saturating_product(block_count(request.pattern->rows(), block),
                                                       block_count(request.pattern->cols(), block))));
    return forecast_reduced(request, std::move(terms), static_cast<double>(request.pattern->nonzeros()));
  }

  [[nodiscard]] Spectrum run(const ResolvedRequest& request, JobContext& context) const override {
    const auto points = request.parameters.choice<FixedPoints>("keep");
    const std::uint64_t block = block_of(request);
    const bool on_cuda = request.backend.kind == BackendKind::cuda;
    DeviceUse use;
    FixedPointPlane plane =
        on_cuda ? fixed_point_cuda(*request.pattern, block, points, request.backend, context, use)
                : fixed_point_cpu(*request.pattern, block, points, context);
    Spectrum spectrum = reduced_spectrum(request, std::move(plane.values), context);
    spectrum.provenance.note = note_of(plane.kept, request.pattern->nonzeros());
    if (on_cuda && plane.kept != 0) spectrum.provenance.note += "; " + use.note();
    return spectrum;
  }
};

template std::unique_ptr<Method> make_method<FixedPoint>();

}  // namespace spyctrum
