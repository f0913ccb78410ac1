// SPDX-License-Identifier: Apache-2.0
// The plane is brought into fftshifted order by modulating the input, so that the transform runs in place and
// needs no second array.
#include "core/engine/reduced_plane.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/device/device_forecast.hpp"
#include "core/engine/plane_outputs.hpp"
#include "core/engine/windows.hpp"
#include "core/features/feature_totals.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/request/shared_parameters.hpp"

namespace spyctrum {

namespace {

/// The coefficients of `window` from an fftshifted m0×n0 plane.
std::vector<std::complex<float>> cropped(const std::vector<std::complex<float>>& plane,
                                         const FrequencyGrid& window, JobContext& context) {
  // Frequency 0 is in row ⌊m0/2⌋ and column ⌊n0/2⌋.
  const auto place_of = [](const FrequencyAxis& axis, std::uint64_t k) {
    return dft_index(axis.at(k) + static_cast<std::int64_t>(axis.size() / 2), axis.size());
  };
  BookedVector<std::complex<float>> values(context, window.count(), "window");
  for (std::uint64_t p = 0; p < window.rows.count(); ++p) {
    const std::uint64_t row = place_of(window.rows, p) * window.cols.size();
    for (std::uint64_t q = 0; q < window.cols.count(); ++q)
      values.data[p * window.cols.count() + q] = plane[row + place_of(window.cols, q)];
    context.check_stop();
  }
  return std::move(values.data);
}

/// e^{2πi·⌊size/2⌋·k/size}: moves frequency −⌊size/2⌋ to the front. Exact signs where the size is even.
std::vector<std::complex<float>> shift_factors(std::uint64_t size) {
  std::vector<std::complex<float>> factors(size);
  for (std::uint64_t k = 0; k < size; ++k) {
    const auto turn = static_cast<double>((size / 2 * k) % size) / static_cast<double>(size);
    factors[k] = turn == 0.5 ? std::complex<float>(-1.0F, 0.0F)
                             : std::complex<float>(std::polar(1.0, 2.0 * std::numbers::pi * turn));
  }
  return factors;
}

}  // namespace

Forecast forecast_reduced(const ResolvedRequest& request, ByteTerms terms, double operations) {
  const std::uint64_t m0 = block_count(request.pattern->rows(), block_of(request));
  const std::uint64_t n0 = block_count(request.pattern->cols(), block_of(request));
  if (request.backend.kind == BackendKind::cuda) terms.add("page-locked rows", cuda::delivery_bytes(m0, n0));
  if (request.window) {
    // The window is cut out after everything but the plane was freed.
    const std::uint64_t plane = saturating_product(8, m0, n0);
    const std::uint64_t cut =
        saturating_product(8, request.window->rows.count(), request.window->cols.count());
    const std::uint64_t rest = terms.total() - plane;
    terms.add("window", cut > rest ? cut - rest : 0);
  }
  const double points = std::max(2.0, static_cast<double>(m0) * static_cast<double>(n0));
  Forecast forecast{terms.total(), operations + 5.0 * points * std::log2(points), terms.text()};
  if (request.backend.kind == BackendKind::cuda) add_device(forecast, device_reduced_terms(request));
  return forecast;
}

ByteTerms device_reduced_terms(const ResolvedRequest& request) {
  const std::uint64_t m0 = block_count(request.pattern->rows(), block_of(request));
  const std::uint64_t n0 = block_count(request.pattern->cols(), block_of(request));
  ByteTerms terms = device_plane_terms(*request.pattern, request.backend, m0, n0, m0, n0);
  if (request.pattern->has_weights())
    terms.add("sums of blocks", saturating_product(8, m0, 2 * (n0 / 2 + 1)));
  return terms;
}

void scale_and_shift(std::complex<float>* grid, std::uint64_t m0, std::uint64_t n0, double gain,
                     JobContext& context) {
  const auto row_factors = shift_factors(m0);
  const auto col_factors = shift_factors(n0);
  const std::size_t grain = std::max<std::uint64_t>(1, (std::uint64_t{1} << 20) / n0);
  context.pool().parallel_for(m0, grain, [&](std::size_t begin, std::size_t end, unsigned /*worker*/) {
    context.check_stop();
    for (std::size_t p = begin; p < end; ++p) {
      const std::complex<double> factor = gain * std::complex<double>(row_factors[p]);
      for (std::uint64_t q = 0; q < n0; ++q) {
        std::complex<float>& cell = grid[p * n0 + q];
        if (cell.real() == 0.0F) continue;
        cell = std::complex<float>(static_cast<double>(cell.real()) * factor *
                                   std::complex<double>(col_factors[q]));
      }
    }
  });
}

Spectrum reduced_spectrum(const ResolvedRequest& request, std::vector<std::complex<float>> plane,
                          JobContext& context, std::optional<Features> features) {
  const std::uint64_t block = block_of(request);
  const std::uint64_t m0 = block_count(request.pattern->rows(), block);
  const std::uint64_t n0 = block_count(request.pattern->cols(), block);
  Spectrum spectrum = blank_spectrum(*request.pattern);
  spectrum.block = static_cast<std::uint32_t>(block);
  spectrum.placement = block == 1 ? Placement::true_frequencies : Placement::reduced_plane;
  spectrum.exactness = block == 1 ? Exactness::exact : Exactness::estimate;
  spectrum.grid = {FrequencyAxis::full(m0), FrequencyAxis::full(n0)};
  spectrum.values = std::move(plane);
  spectrum.features = features;
  if (block > 1 && !spectrum.values.empty()) {
    double power = 0;
    for (const std::complex<float> value : spectrum.values) power += std::norm(std::complex<double>(value));
    const std::complex<float> dc = spectrum.values[(m0 / 2) * n0 + n0 / 2];
    spectrum.rounding_floor = zero_floor_of_plane(m0, n0, power / static_cast<double>(m0 * n0),
                                                  std::norm(std::complex<double>(dc)));
  }
  if (request.window) {
    const Booking booked(context.memory(), 8 * m0 * n0, "coefficients");
    spectrum.grid = {request.window->rows.part(0, request.window->rows.count(), m0),
                     request.window->cols.part(0, request.window->cols.count(), n0)};
    spectrum.values = cropped(spectrum.values, spectrum.grid, context);
    if (block == 1 && !covers_plane(spectrum.grid)) spectrum.exactness = Exactness::exact_samples;
    return spectrum;
  }
  finish_paper_samples(request, spectrum, context);
  return spectrum;
}

}  // namespace spyctrum
