// SPDX-License-Identifier: Apache-2.0
// The consumers behind a request's outputs, and streaming of stored rows.
#include "core/engine/plane_outputs.hpp"
#include "core/spectrum/rounding_floor.hpp"
#include "core/spectrum/row_consumer.hpp"

#include <algorithm>
#include <atomic>

namespace spyctrum {

std::uint64_t half_spectrum_bytes(std::uint64_t m, std::uint64_t n) {
  return saturating_product(8, half_rows(m), n);
}

Spectrum blank_spectrum(const SparsePattern& pattern) {
  Spectrum spectrum;
  spectrum.m = pattern.rows();
  spectrum.n = pattern.cols();
  spectrum.nonzeros = pattern.nonzeros();
  if (pattern.has_weights())
    spectrum.weights = SpectrumWeights{.sum = pattern.weight_sum(),
                                       .squares = pattern.weight_squares(),
                                       .magnitudes = pattern.weight_magnitudes(),
                                       .exponent = pattern.weight_exponent()};
  spectrum.rounding_floor = rounding_floor(pattern);
  return spectrum;
}

class PlaneOutputs::ValueConsumer : public RowConsumer {
 public:
  ValueConsumer(std::uint64_t m, std::uint64_t n, JobContext& context)
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
std::uint64_t pyramid_bytes(const RequestScope& request) {
  const std::uint64_t cells = std::max<std::uint32_t>(1, request.outputs.pyramid_cells);
  return 8 * std::min(request.pattern->rows(), cells) * std::min(request.pattern->cols(), cells);
}
void set_half_plane(Spectrum& spectrum, std::vector<std::complex<float>> values) {
  spectrum.values = std::move(values);
  spectrum.grid = half_grid(spectrum.m, spectrum.n);
  spectrum.hermitian_half = true;
}

}  // namespace

PlaneOutputs::PlaneOutputs(const RequestScope& request, bool collect_values, JobContext& context) {
  if (request.outputs.features) {
    features_ = std::make_unique<FeatureConsumer>(rounding_floor(*request.pattern));
    consumers_.push_back(features_.get());
  }
  if (request.outputs.pyramid) {
    pyramid_booking_ = Booking(context.memory(), pyramid_bytes(request), "display pyramid");
    pyramid_ = std::make_unique<PyramidConsumer>(std::max<std::uint32_t>(1, request.outputs.pyramid_cells));
    consumers_.push_back(pyramid_.get());
  }
  if (collect_values) {
    values_ = std::make_unique<ValueConsumer>(request.pattern->rows(), request.pattern->cols(), context);
    consumers_.push_back(values_.get());
  }
}

PlaneOutputs::~PlaneOutputs() = default;

void PlaneOutputs::deliver(Spectrum& spectrum, ThreadPool& pool) {
  if (features_) spectrum.features = features_->features();
  if (pyramid_) spectrum.pyramid = std::move(*pyramid_).take(pool);
  if (values_) set_half_plane(spectrum, values_->take());
}

void PlaneOutputs::deliver_stored(BookedVector<std::complex<float>> half, Spectrum& spectrum,
                                  bool keep_values, JobContext& context) {
  feed_stored_rows(half.data, spectrum.m, spectrum.n, consumers_, context);
  deliver(spectrum, context.pool());
  if (keep_values) set_half_plane(spectrum, std::move(half.data));
}

void add_output_terms(ByteTerms& terms, const RequestScope& request, bool collect_values) {
  if (request.outputs.pyramid) terms.add("pyramid", pyramid_bytes(request));
  if (collect_values)
    terms.add("values", half_spectrum_bytes(request.pattern->rows(), request.pattern->cols()));
}

void feed_stored_rows(std::span<const std::complex<float>> values, std::uint64_t m, std::uint64_t n,
                      std::span<RowConsumer* const> consumers, JobContext& context) {
  context.begin_stage("reduce");
  if (consumers.empty()) return;
  const std::uint64_t rows = half_rows(m);
  for (RowConsumer* consumer : consumers) consumer->begin(m, n, context.pool().threads());
  std::atomic<std::uint64_t> done{0};
  // About a quarter of a million coefficients between checkpoints: a few milliseconds.
  const std::size_t grain =
      std::max<std::uint64_t>(1, (std::uint64_t{1} << 18) / std::max<std::uint64_t>(1, n));
  context.pool().parallel_for(rows, grain, [&](std::size_t begin, std::size_t end, unsigned worker) {
    for (std::size_t u = begin; u < end; ++u) {
      SpectrumRow row = spectrum_row(static_cast<std::int64_t>(u), m, values.subspan(u * n, n));
      row.ends_run = u + 1 == end;
      for (RowConsumer* consumer : consumers) consumer->consume(row, worker);
    }
    context.checkpoint(done += end - begin, rows);
  });
  for (RowConsumer* consumer : consumers) consumer->finish();
}

}  // namespace spyctrum
