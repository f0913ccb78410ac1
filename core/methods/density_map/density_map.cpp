// SPDX-License-Identifier: Apache-2.0
// Density Map (Zhang, Manthena, Li, Shen, §3.3, Algorithm 3): the DFT of the ⌈m/b⌉×⌈n/b⌉ matrix of densities
// of b×b blocks. Its values are coefficients of that smaller matrix; they are coefficients of A only at b
// = 1.

#include <algorithm>
#include <complex>
#include <numeric>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/device/device_forecast.hpp"
#include "core/device/device_job.hpp"
#include "core/device/device_sample_features.hpp"
#include "core/engine/reduced_plane.hpp"
#include "core/fft/fft.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/methods/density_map/density_map_cuda.hpp"
#include "core/methods/make_method.hpp"
#include "core/request/byte_terms.hpp"
#include "core/request/shared_parameters.hpp"
#include "core/spectrum/rounding_floor.hpp"

namespace spyctrum {

namespace {

// Algorithm 3 of the paper: D = γ·C/a, C the entries counted in each b×b block and a the cells of the block
// (fewer than b² where the block is clipped by the matrix's edge), γ = K/Σ(C/a), so that ΣD = K; then an FFT
// of the m0×n0 matrix D. With weights C is the sum of the block's weights, and γ that of the pattern, because
// Σ(C/a) may vanish: D is linear in the weights. On a device: density_map_cuda.cpp.

/// The stored columns first … last−1 of one block column. Each block column belongs to one worker, which adds
/// its counts in double precision without atomics.
struct BlockColumn {
  std::uint64_t q = 0;
  std::size_t first = 0;
  std::size_t last = 0;
};

std::vector<BlockColumn> block_columns(const SparsePattern& pattern, std::uint64_t block) {
  const auto ids = pattern.column_ids();
  std::vector<BlockColumn> columns;
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const std::uint64_t q = ids[k] / block;
    if (columns.empty() || columns.back().q != q) columns.push_back({q, k, k});
    columns.back().last = k + 1;
  }
  return columns;
}

/// Writes C/a into the real parts of `grid`; returns Σ C/a of the pattern.
template <bool weighted, class WeightOf>
double scatter_densities(const SparsePattern& pattern, std::uint64_t block, const WeightOf& weight_of,
                         std::complex<float>* grid, JobContext& context) {
  const std::uint64_t m0 = block_count(pattern.rows(), block);
  const std::uint64_t n0 = block_count(pattern.cols(), block);
  const auto columns = block_columns(pattern, block);
  const auto starts = pattern.column_starts();
  const auto rows = pattern.row_indices();
  const unsigned workers = context.pool().threads();
  BookedVector<double> counts(context, workers * m0, "block counts");
  constexpr std::size_t kGrain = 8;  // block columns
  // One sum for each range, so that the order of threads does not matter.
  std::vector<double> sums((columns.size() + kGrain - 1) / kGrain, 0.0);
  context.pool().parallel_for(
      columns.size(), kGrain, [&](std::size_t begin, std::size_t end, unsigned worker) {
        context.check_stop();
        double* count = counts.data.data() + worker * m0;
        for (std::size_t k = begin; k < end; ++k) {
          const BlockColumn& column = columns[k];
          const auto first = static_cast<std::size_t>(starts[column.first]);
          const auto last = static_cast<std::size_t>(starts[column.last]);
          for (std::size_t t = first; t < last; ++t) count[rows[t] / block] += weight_of(t);
          const std::uint64_t width = std::min(block, pattern.cols() - column.q * block);
          // Visits the entries again instead of all m0 counts, since most blocks are empty.
          for (std::size_t t = first; t < last; ++t) {
            const std::uint64_t p = rows[t] / block;
            const std::uint64_t height = std::min(block, pattern.rows() - p * block);
            const double cells = static_cast<double>(height) * static_cast<double>(width);
            if constexpr (weighted) sums[begin / kGrain] += 1 / cells;
            if (count[p] == 0.0) continue;
            const double density = count[p] / cells;
            grid[p * n0 + column.q] = static_cast<float>(density);
            if constexpr (!weighted) sums[begin / kGrain] += density;
            count[p] = 0.0;
          }
        }
        context.checkpoint(end, columns.size());
      });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

/// Bytes of density_map_cpu(): the ⌈m/b⌉×⌈n/b⌉ complex grid and a column of counts for each worker.
std::uint64_t density_map_bytes(const SparsePattern& pattern, std::uint64_t block, unsigned threads) {
  const std::uint64_t m0 = block_count(pattern.rows(), block);
  const std::uint64_t n0 = block_count(pattern.cols(), block);
  return saturating_sum(saturating_product(8, m0, n0), saturating_product(8 * std::uint64_t{threads}, m0));
}

/// The DFT of the density map D = γ·C/a (paper, eq. 12), forward, unnormalised, on the whole m0×n0 plane in
/// fftshifted order (−⌊m0/2⌋ … ⌈m0/2⌉−1), row-major. Coefficient (0, 0) is K. Throws Failure{cancelled},
/// {out_of_memory}.
std::vector<std::complex<float>> density_map_cpu(const SparsePattern& pattern, std::uint64_t block,
                                                 JobContext& context) {
  const std::uint64_t m0 = block_count(pattern.rows(), block);
  const std::uint64_t n0 = block_count(pattern.cols(), block);
  context.begin_stage("scatter");
  BookedVector<std::complex<float>> grid(context, m0 * n0, "density map");
  double sum = 0;
  if (pattern.has_weights())
    sum = scatter_densities<true>(
        pattern, block,
        [weights = pattern.weights()](std::size_t t) { return static_cast<double>(weights[t]); },
        grid.data.data(), context);
  else
    sum = scatter_densities<false>(
        pattern, block, [](std::size_t) { return 1.0; }, grid.data.data(), context);
  const double gamma = sum > 0.0 ? static_cast<double>(pattern.nonzeros()) / sum : 0.0;
  scale_and_shift(grid.data.data(), m0, n0, gamma, context);
  context.begin_stage("fft");
  fft_2d(grid.data.data(), m0, n0, context);
  return std::move(grid.data);
}

}  // namespace

class DensityMap : public Method {
 public:
  DensityMap()
      : Method(
            {.id = "density-map",
             .label = "Density Map",
             .citation = std::string(kPaperCitation) + ", §3.3, Algorithm 3",
             .cost = "K + m0·n0·log(m0·n0) operations, m0 = ⌈m/b⌉, n0 = ⌈n/b⌉; 8·m0·n0 bytes",
             .summary = "The spectrum of the densities of b×b blocks: an estimate, and the fastest method.",
             .exactness = Exactness::estimate,
             .uses_block = true,
             .takes_weights = true,
             .role = MethodRole::estimate,
             .crossover_name = "Density Map",
             .printed = {{"radial", "sometimes above 0.1"},
                         {"sectors", "sometimes above 0.1"},
                         {"entropy", "sometimes above 0.1"},
                         {"hellinger", "0.422 (b=4) … 0.759 (b=128)"},
                         {"recall", "29.0 % (b=16)"},
                         {"seconds", "0.238 … 23.20 ms on an A100"}},
             .paper_cost = PaperCost{
                 .label = "Density Map",
                 .work_formula = "K + m0·n0·(log m0 + log n0)",
                 .work =
                     [](const CostSizes& s) {
                       return s.nonzeros + s.m0 * s.n0 * (paper_log(s.m0) + paper_log(s.n0));
                     },
                 .storage_formula = "8·K + 4·m0·n0 + 8·m0·(⌊n0/2⌋+1)",
                 .bytes =
                     [](const CostSizes& s) { return 8 * s.nonzeros + 4 * s.m0 * s.n0 + 8 * s.m0 * s.q0; },
                 .source = "§3.4"}},
            {block_parameter("entries are counted in b×b blocks; at the edges a block has fewer cells, and "
                             "its count is divided by these")}) {}

  [[nodiscard]] MethodInput input(const ResolvedParameters& /*parameters*/) const override {
    return MethodInput::densities;
  }

  [[nodiscard]] Forecast forecast(const ResolvedRequest& request) const override {
    const unsigned threads = thread_count(request.threads);
    const std::uint64_t m0 = block_count(request.pattern->rows(), block_of(request));
    const std::uint64_t n0 = block_count(request.pattern->cols(), block_of(request));
    ByteTerms terms;
    terms.add("counts and grid", density_map_bytes(*request.pattern, block_of(request), threads));
    Forecast forecast = forecast_reduced(request, terms, static_cast<double>(request.pattern->nonzeros()));
    if (request.backend.kind != BackendKind::cuda) return forecast;
    ByteTerms on_host;  // where only features are requested, the plane stays on the device
    on_host.add("classes of the samples", DeviceSampleFeatures::bytes(request, m0));
    if (!request.window && request.outputs.features && !request.outputs.values) {
      forecast.bytes = on_host.total();
      forecast.formula = on_host.text();
    }
    ByteTerms device = device_reduced_terms(request);
    device.add("classes and sums of the samples", DeviceSampleFeatures::device_bytes(request, m0, n0, 1));
    add_device(forecast, device);
    return forecast;
  }

  [[nodiscard]] Spectrum run(const ResolvedRequest& request, JobContext& context) const override {
    const SparsePattern& pattern = *request.pattern;
    const std::uint64_t block = block_of(request);
    if (request.backend.kind != BackendKind::cuda)
      return reduced_spectrum(request, density_map_cpu(pattern, block, context), context);
    DeviceUse use;
    const FrequencyGrid grid{FrequencyAxis::full(block_count(pattern.rows(), block)),
                             FrequencyAxis::full(block_count(pattern.cols(), block))};
    const DeviceSampleFeatures samples(request, grid, context,
                                       block == 1 ? std::optional(rounding_floor(pattern)) : std::nullopt);
    auto plane = density_map_cuda(pattern, block, request.backend, samples.outputs(), context, use);
    Spectrum spectrum = reduced_spectrum(request, std::move(plane), context, samples.features());
    spectrum.provenance.note = use.note();
    return spectrum;
  }
};

template std::unique_ptr<Method> make_method<DensityMap>();

}  // namespace spyctrum
