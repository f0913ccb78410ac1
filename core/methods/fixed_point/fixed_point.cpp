// SPDX-License-Identifier: Apache-2.0
// Fixed Point, the spatial baseline of the BS-FFT paper (§4): the DFT of the m0×n0 matrix A' of the entries
// at fixed positions, K' of the K entries of A. Its values are coefficients of A'; they are coefficients of A
// only at b = 1. All are multiplied by √(K/K'), so that F[0, 0] is √(K·K'); the reconstruction sets F[0, 0] =
// K.
#include "core/methods/fixed_point/fixed_point_cpu.hpp"

#include "core/device/device_job.hpp"
#include "core/engine/reduced_plane.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/methods/density_map/density_map_cuda.hpp"
#include "core/methods/make_method.hpp"
#include "core/request/shared_parameters.hpp"

namespace spyctrum {

namespace {

/// A' with its weights, divided by a power of two (SparsePattern::with_weights()).
SparsePattern kept_pattern(const SparsePattern& pattern, std::uint64_t block, FixedPoints points,
                           JobContext& context) {
  const std::uint64_t m0 = block_count(pattern.rows(), block);
  const std::uint64_t n0 = block_count(pattern.cols(), block);
  std::vector<Index> kept_rows;
  std::vector<Index> kept_cols;
  std::vector<float> kept_weights;  // in the order of the entries, which keeping some does not change
  for_each_kept(pattern, block, points, 0, pattern.column_ids().size(), context,
                [&](std::uint64_t p, std::uint64_t q, std::size_t t) {
                  kept_rows.push_back(static_cast<Index>(p));
                  kept_cols.push_back(static_cast<Index>(q));
                  if (pattern.has_weights()) kept_weights.push_back(pattern.weights()[t]);
                });
  SparsePattern made =
      or_throw(SparsePattern::from_coordinates(m0, n0, std::move(kept_rows), std::move(kept_cols)));
  return pattern.has_weights() ? made.with_weights(std::move(kept_weights)) : std::move(made);
}

/// fixed_point_cpu() on a CUDA device: A' becomes an m0×n0 pattern, which Density Map transforms at b = 1.
FixedPointPlane fixed_point_cuda(const SparsePattern& pattern, std::uint64_t block, FixedPoints points,
                                 Backend backend, JobContext& context, DeviceUse& use) {
  context.begin_stage("decimate");
  const SparsePattern kept = kept_pattern(pattern, block, points, context);
  if (!(kept.weight_squares() > 0))
    return fixed_point_cpu(pattern, block, points, context);  // nothing to transform
  FixedPointPlane plane{density_map_cuda(kept, 1, backend, {}, context, use), kept.nonzeros()};
  const auto gain = static_cast<float>(fixed_point_gain(pattern, kept.weight_squares()));
  constexpr std::size_t kGrain = std::size_t{1} << 20U;
  context.pool().parallel_for(plane.values.size(), kGrain,
                              [&](std::size_t begin, std::size_t end, unsigned /*worker*/) {
                                for (std::size_t k = begin; k < end; ++k) plane.values[k] *= gain;
                                context.check_stop();
                              });
  return plane;
}

std::string note_of(std::int64_t kept, std::int64_t nonzeros) {
  if (kept == 0)
    return "none of the fixed positions has an entry; the result is a flat spectrum with the mean power of "
           "the matrix";
  return std::to_string(kept) + " of " + std::to_string(nonzeros) + " entries are at the fixed positions";
}

}  // namespace

class FixedPoint : public Method {
 public:
  FixedPoint()
      : Method({.id = "fixed-point",
                .label = "Fixed Point",
                .citation = std::string(kPaperCitation) + ", §4, spatial baseline",
                .cost = "K + m0·n0·log(m0·n0) operations, m0 = ⌈m/b⌉, n0 = ⌈n/b⌉; 8·m0·n0 bytes",
                .summary = "The spectrum of the entries at fixed positions alone: a baseline, whose estimate "
                           "does not improve with smaller blocks.",
                .exactness = Exactness::estimate,
                .uses_block = true,
                .takes_weights = true,
                .printed = {{"radial", "sometimes above 0.1"},
                            {"sectors", "sometimes above 0.1"},
                            {"entropy", "sometimes above 0.1"},
                            {"hellinger", "0.494 at every b"},
                            {"recall", "21.0 % (b=16)"}}},
               {block_parameter("⌈m/b⌉ × ⌈n/b⌉ positions are used"),
                {"keep",
                 Parameter::Type::choice,
                 0,
                 0,
                 {"decimation", "crop"},  // in the order of FixedPoints
                 "decimation",
                 "decimation: the first position of each b×b block; crop: the corner at the origin"}}) {}

  [[nodiscard]] MethodInput input(const ResolvedParameters& parameters) const override {
    return parameters.choice<FixedPoints>("keep") == FixedPoints::crop ? MethodInput::corner
                                                                       : MethodInput::decimated;
  }

  [[nodiscard]] Forecast forecast(const ResolvedRequest& request) const override {
    const std::uint64_t block = block_of(request);
    ByteTerms terms;
    terms.add("grid", saturating_product(8, block_count(request.pattern->rows(), block),
                                         block_count(request.pattern->cols(), block)));
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
