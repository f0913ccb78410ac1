// SPDX-License-Identifier: Apache-2.0
// Density Map: the spectrum of the matrix seen through b×b blocks. Its values are coefficients of a smaller
// matrix's DFT, not of this one's, except at b = 1. A window addresses the reduced plane by that plane's own
// signed frequencies, p in −⌊m0/2⌋ … ⌈m0/2⌉−1.
#include "core/methods/density_map/density_map_cpu.hpp"

#include <cmath>
#include <thread>

#include "core/methods/byte_count.hpp"
#include "core/methods/density_map/density_map_cuda.hpp"
#include "core/methods/plane.hpp"
#include "core/methods/registry.hpp"
#include "core/methods/sampling.hpp"
#include "core/methods/schema.hpp"
#include "core/methods/windows.hpp"

namespace spyctrum {

namespace {

FrequencyAxis with_size(const FrequencyAxis& axis, std::uint64_t size) {
  if (axis.is_progression())
    return FrequencyAxis::progression(size, axis.origin(), axis.step(), axis.count());
  std::vector<std::int64_t> frequencies(axis.count());
  for (std::uint64_t k = 0; k < axis.count(); ++k) frequencies[k] = axis.at(k);
  return FrequencyAxis::list(size, std::move(frequencies));
}

/// The window's coefficients of a shifted plane of m0×n0.
std::vector<std::complex<float>> cropped(const std::vector<std::complex<float>>& plane,
                                         const FrequencyGrid& window, JobContext& context) {
  const auto m0 = static_cast<std::int64_t>(window.rows.size());
  const auto n0 = static_cast<std::int64_t>(window.cols.size());
  BookedVector<std::complex<float>> values(context, window.count(), "window");
  for (std::uint64_t p = 0; p < window.rows.count(); ++p) {
    const std::int64_t row = dft_index(window.rows.at(p) + m0 / 2, m0);
    for (std::uint64_t q = 0; q < window.cols.count(); ++q) {
      const std::int64_t col = dft_index(window.cols.at(q) + n0 / 2, n0);
      values.data[p * window.cols.count() + q] = plane[static_cast<std::size_t>(row * n0 + col)];
    }
    context.check_stop();
  }
  return std::move(values.data);
}

class DensityMap : public Method {
 public:
  [[nodiscard]] const MethodInfo& info() const override {
    static const MethodInfo info{
        "density-map",
        "Density Map",
        std::string(kPaperCitation) + ", §3.3, Algorithm 3",
        "K + m0·n0·log(m0·n0) operations, m0 = ⌈m/b⌉, n0 = ⌈n/b⌉; 8·m0·n0 bytes",
        "The spectrum of the matrix as seen through b×b blocks: the fastest, an estimate.",
        Exactness::estimate,
        true,
        false};
    return info;
  }

  [[nodiscard]] const std::vector<Parameter>& parameters() const override {
    static const std::vector<Parameter> schema{
        block_parameter("entries are counted in b×b blocks, clipped ones by the cells that they have")};
    return schema;
  }

  [[nodiscard]] Support supports(Backend backend, std::uint64_t /*m*/, std::uint64_t /*n*/) const override {
    return cpu_or_cuda(backend);
  }

  [[nodiscard]] Forecast forecast(const Request& request) const override {
    const std::uint64_t block = block_of(request);
    const std::uint64_t m0 = block_count(request.pattern->rows(), block);
    const std::uint64_t n0 = block_count(request.pattern->cols(), block);
    const unsigned threads =
        request.threads != 0 ? request.threads : std::max(1U, std::thread::hardware_concurrency());
    ByteTerms terms;
    terms.add("grid 8·m0·n0 and counts", density_map_bytes(*request.pattern, block, threads));
    if (request.backend.kind == BackendKind::cuda)
      terms.add("page-locked rows", cuda::delivery_bytes(m0, n0));
    if (request.window) {
      // The window is cut out when the counts are gone.
      const std::uint64_t plane = saturating_product(8, saturating_product(m0, n0));
      const std::uint64_t cut = saturating_product(
          8, saturating_product(request.window->rows.count(), request.window->cols.count()));
      const std::uint64_t counts = terms.total() - plane;
      terms.add("window", cut > counts ? cut - counts : 0);
    }
    const double points = std::max(2.0, static_cast<double>(m0) * static_cast<double>(n0));
    return {terms.total(),
            static_cast<double>(request.pattern->nonzeros()) + 5.0 * points * std::log2(points),
            terms.text()};
  }

  [[nodiscard]] Spectrum run(const Request& request, JobContext& context) const override {
    const SparsePattern& pattern = *request.pattern;
    const std::uint64_t block = block_of(request);
    Spectrum spectrum = blank_spectrum(pattern);
    spectrum.block = static_cast<std::uint32_t>(block);
    spectrum.placement = block == 1 ? Placement::true_frequencies : Placement::reduced_plane;
    spectrum.exactness = block == 1 ? Exactness::exact : Exactness::estimate;
    const std::uint64_t m0 = block_count(pattern.rows(), block);
    const std::uint64_t n0 = block_count(pattern.cols(), block);
    spectrum.grid = {FrequencyAxis::full(m0), FrequencyAxis::full(n0)};
    if (request.backend.kind == BackendKind::cuda) {
      CudaUse use;
      spectrum.values = density_map_cuda(pattern, block, request.backend, context, use);
      spectrum.provenance.note = use.note();
    } else {
      spectrum.values = density_map_cpu(pattern, block, context);
    }
    if (request.window) {
      const Booking booked(context.memory(), 8 * m0 * n0, "coefficients");
      spectrum.grid = {with_size(request.window->rows, m0), with_size(request.window->cols, n0)};
      spectrum.values = cropped(spectrum.values, spectrum.grid, context);
      if (block == 1 && !covers_plane(spectrum.grid)) spectrum.exactness = Exactness::exact_samples;
      return spectrum;
    }
    finish_paper_samples(request, spectrum, context);
    return spectrum;
  }

 private:
  static std::uint64_t block_of(const Request& request) {
    return static_cast<std::uint64_t>(integer_value(request.parameters, "block"));
  }
};

}  // namespace

std::unique_ptr<Method> make_density_map() { return std::make_unique<DensityMap>(); }

}  // namespace spyctrum
