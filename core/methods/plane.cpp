// SPDX-License-Identifier: Apache-2.0
// Sinks and grids of the full-plane methods.
#include "core/methods/plane.hpp"

#include <algorithm>
#include <atomic>

namespace spyctrum {

std::uint64_t half_spectrum_bytes(std::uint64_t m, std::uint64_t n) {
  return saturating_product(8, saturating_product(half_rows(m), n));
}

FrequencyGrid half_grid(std::uint64_t m, std::uint64_t n) {
  return {FrequencyAxis::progression(m, 0, 1, half_rows(m)), FrequencyAxis::progression(n, 0, 1, n)};
}

SpectrumRow spectrum_row(std::int64_t u, std::uint64_t m, std::span<const std::complex<float>> values,
                         bool wedge) {
  return {u, u != 0 && 2 * static_cast<std::uint64_t>(u) != m, values, wedge};
}

Spectrum blank_spectrum(const SparsePattern& pattern) {
  Spectrum spectrum;
  spectrum.m = pattern.rows();
  spectrum.n = pattern.cols();
  spectrum.nonzeros = pattern.nonzeros();
  return spectrum;
}

class PlaneProducts::ValueSink : public RowSink {
 public:
  ValueSink(std::uint64_t m, std::uint64_t n, JobContext& context)
      : n_(n), values_(context, half_rows(m) * n, "half spectrum") {}
  void begin(std::uint64_t /*m*/, std::uint64_t /*n*/, unsigned /*workers*/) override {}
  void consume(const SpectrumRow& row, unsigned /*worker*/) override {
    std::copy(row.values.begin(), row.values.end(),
              values_.data.begin() + static_cast<std::ptrdiff_t>(static_cast<std::uint64_t>(row.u) * n_));
  }
  void finish() override {}
  [[nodiscard]] std::vector<std::complex<float>> take() { return std::move(values_.data); }

 private:
  std::uint64_t n_;
  BookedVector<std::complex<float>> values_;
};

namespace {
std::uint64_t pyramid_bytes(const Request& request) {
  const std::uint64_t cells = std::max<std::uint32_t>(1, request.products.pyramid_cells);
  return 8 * std::min(request.pattern->rows(), cells) * std::min(request.pattern->cols(), cells);
}
}  // namespace

PlaneProducts::PlaneProducts(const Request& request, bool collect_values, JobContext& context) {
  if (request.products.features) {
    features_ = std::make_unique<FeatureSink>();
    sinks_.push_back(features_.get());
  }
  if (request.products.pyramid) {
    pyramid_booking_ = Booking(context.memory(), pyramid_bytes(request), "display pyramid");
    pyramid_ = std::make_unique<PyramidSink>(std::max<std::uint32_t>(1, request.products.pyramid_cells));
    sinks_.push_back(pyramid_.get());
  }
  if (collect_values) {
    values_ = std::make_unique<ValueSink>(request.pattern->rows(), request.pattern->cols(), context);
    sinks_.push_back(values_.get());
  }
}

PlaneProducts::~PlaneProducts() = default;

void PlaneProducts::deliver(Spectrum& spectrum) {
  if (features_) spectrum.features = features_->features();
  if (pyramid_) spectrum.pyramid = pyramid_->take();
  if (values_) {
    spectrum.values = values_->take();
    spectrum.grid = half_grid(spectrum.m, spectrum.n);
    spectrum.hermitian_half = true;
  }
}

void add_product_terms(ByteTerms& terms, const Request& request, bool collect_values) {
  if (request.products.pyramid) terms.add("pyramid", pyramid_bytes(request));
  if (collect_values)
    terms.add("values 8·h·n", half_spectrum_bytes(request.pattern->rows(), request.pattern->cols()));
}

void feed_stored_rows(std::span<const std::complex<float>> values, std::uint64_t m, std::uint64_t n,
                      std::span<RowSink* const> sinks, JobContext& context) {
  if (sinks.empty()) return;
  const std::uint64_t rows = half_rows(m);
  for (RowSink* sink : sinks) sink->begin(m, n, context.pool().threads());
  std::atomic<std::uint64_t> done{0};
  // About a quarter of a million coefficients between checkpoints: a few milliseconds.
  const std::size_t grain =
      std::max<std::uint64_t>(1, (std::uint64_t{1} << 18) / std::max<std::uint64_t>(1, n));
  context.pool().parallel_for(rows, grain, [&](std::size_t begin, std::size_t end, unsigned worker) {
    for (std::size_t u = begin; u < end; ++u) {
      SpectrumRow row = spectrum_row(static_cast<std::int64_t>(u), m, values.subspan(u * n, n));
      row.ends_run = u + 1 == end;
      for (RowSink* sink : sinks) sink->consume(row, worker);
    }
    context.checkpoint(done += end - begin, rows);
  });
  for (RowSink* sink : sinks) sink->finish();
}

}  // namespace spyctrum
