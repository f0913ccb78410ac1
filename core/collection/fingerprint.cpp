// SPDX-License-Identifier: Apache-2.0
// Runs a method for features and a small picture of the spectrum, and adds the signature.
#include "core/collection/fingerprint.hpp"

#include <algorithm>
#include <cmath>

#include "core/matrix/entry_weights.hpp"
#include "core/matrix/weights.hpp"
#include "core/methods/method.hpp"

namespace spyctrum {

namespace {

constexpr std::size_t kCells = kThumbnailSide * kThumbnailSide;

bool is_exact(std::uint64_t rows, std::uint64_t cols) { return rows <= kLargestExactPlane / cols; }

std::uint64_t block_for(std::uint64_t rows, std::uint64_t cols) {
  const std::uint64_t longer = std::max(rows, cols);
  return (longer + kMostSampledFrequencies - 1) / kMostSampledFrequencies;
}

std::uint8_t byte_of(double share) {
  return static_cast<std::uint8_t>(std::lround(255 * std::clamp(share, 0.0, 1.0)));
}

/// Sums and numbers of values in at most 64 × 64 cells of a raster of rows × cols places.
class ThumbnailCells {
 public:
  ThumbnailCells(std::uint64_t rows, std::uint64_t cols)
      : rows_(rows), cols_(cols), cell_rows_(std::min(rows, kSide)), cell_cols_(std::min(cols, kSide)) {}
  void add(std::uint64_t row, std::uint64_t col, double value) {
    const std::uint64_t cell = row * cell_rows_ / rows_ * kSide + col * cell_cols_ / cols_;
    sums_[cell] += value;
    ++counts_[cell];
  }
  /// Divides the sum of each cell by the number of its places.
  void divide_by_places() {
    const auto places = [](std::uint64_t cell, std::uint64_t cells, std::uint64_t size) {
      const auto first = [&](std::uint64_t k) { return (k * size + cells - 1) / cells; };
      return static_cast<double>(first(cell + 1) - first(cell));
    };
    for (std::uint64_t r = 0; r < cell_rows_; ++r)
      for (std::uint64_t c = 0; c < cell_cols_; ++c)
        sums_[r * kSide + c] /= places(r, cell_rows_, rows_) * places(c, cell_cols_, cols_);
  }
  /// byte_of(share(sum, count)) of 64 × 64 cells; a raster of fewer rows or columns is stretched.
  template <class Share>
  [[nodiscard]] std::vector<std::uint8_t> picture(const Share& share) const {
    std::vector<std::uint8_t> bytes(kCells);
    for (std::uint64_t r = 0; r < kSide; ++r)
      for (std::uint64_t c = 0; c < kSide; ++c) {
        const std::uint64_t cell = r * cell_rows_ / kSide * kSide + c * cell_cols_ / kSide;
        bytes[r * kSide + c] = byte_of(share(sums_[cell], counts_[cell]));
      }
    return bytes;
  }
  [[nodiscard]] double largest() const { return *std::ranges::max_element(sums_); }

 private:
  static constexpr std::uint64_t kSide = kThumbnailSide;
  std::uint64_t rows_, cols_, cell_rows_, cell_cols_;
  std::vector<double> sums_ = std::vector<double>(kCells);
  std::vector<double> counts_ = std::vector<double>(kCells);
};

std::vector<std::uint8_t> picture_of_pattern(const SparsePattern& pattern, JobContext& context) {
  ThumbnailCells cells(pattern.rows(), pattern.cols());
  for_each_entry(pattern, &context, [&](Index row, Index col, std::size_t) { cells.add(row, col, 1); });
  cells.divide_by_places();
  const double most = cells.largest();
  return cells.picture([&](double density, double) { return most > 0 ? std::pow(density / most, 0.25) : 0; });
}

std::vector<std::uint8_t> picture_of_spectrum(const Spectrum& spectrum) {
  const auto entries = static_cast<double>(std::max<std::int64_t>(spectrum.nonzeros, 1));
  const auto share = [&](double sum, double count) {
    return count > 0 ? std::log1p(sum / count / entries) / std::log1p(entries) : 0;
  };
  if (spectrum.pyramid) {
    const DisplayPyramid& pyramid = *spectrum.pyramid;
    ThumbnailCells cells(pyramid.rows, pyramid.cols);
    for (std::size_t k = 0; k < pyramid.mean_power.size(); ++k)
      cells.add(k / pyramid.cols, k % pyramid.cols, pyramid.mean_power[k]);
    return cells.picture(share);
  }
  ThumbnailCells cells(spectrum.m, spectrum.n);
  const FrequencyGrid& grid = spectrum.grid;
  const auto shifted = [](const FrequencyAxis& axis, std::uint64_t k) {
    return static_cast<std::uint64_t>(axis.signed_at(k) + static_cast<std::int64_t>(axis.size() / 2));
  };
  for (std::uint64_t p = 0; p < grid.rows.count(); ++p)
    for (std::uint64_t q = 0; q < grid.cols.count(); ++q)
      cells.add(shifted(grid.rows, p), shifted(grid.cols, q),
                std::norm(spectrum.values[p * grid.cols.count() + q]));
  return cells.picture(share);
}

const Method& method_for(const SparsePattern& pattern) {
  return usual_method(is_exact(pattern.rows(), pattern.cols()) ? MethodRole::plane : MethodRole::samples);
}

/// A request for the pyramid of a small plane, or for samples of a larger one.
ResolvedRequest request_for(const PatternPtr& pattern, bool with_features, const Backend& backend) {
  const bool exact = is_exact(pattern->rows(), pattern->cols());
  const auto block = exact ? std::nullopt : std::optional(block_for(pattern->rows(), pattern->cols()));
  ResolvedRequest request = default_request(method_for(*pattern), pattern, block);
  request.backend = backend;
  request.outputs.features = request.outputs.errors = with_features;
  request.outputs.pyramid = exact;
  request.outputs.pyramid_cells = kThumbnailSide;
  request.outputs.values = !exact;
  return request;
}

SpectrumPtr small_spectrum(const PatternPtr& pattern, bool with_features, const Backend& backend,
                           JobContext& context) {
  return or_throw(run_method(method_for(*pattern), request_for(pattern, with_features, backend), context));
}

/// A fingerprint with its content, setting and counts only.
Fingerprint identity_of(const SparsePattern& pattern, std::uint64_t seed) {
  Fingerprint made;
  made.content = pattern.fingerprint();
  made.setting = fingerprint_setting(pattern.rows(), pattern.cols(), seed);
  made.rows = pattern.rows();
  made.cols = pattern.cols();
  made.nonzeros = pattern.nonzeros();
  made.symmetric = pattern.symmetric();
  return made;
}

}  // namespace

FingerprintSetting fingerprint_setting(std::uint64_t rows, std::uint64_t cols, std::uint64_t seed) {
  if (is_exact(rows, cols))
    return {usual_method(MethodRole::plane).info().id, "seed=" + std::to_string(seed)};
  return {usual_method(MethodRole::samples).info().id,
          "block=" + std::to_string(block_for(rows, cols)) + " seed=" + std::to_string(seed)};
}

Backend faster_backend(const PatternPtr& pattern, const Backend& backend, unsigned threads) {
  // bench_index: a device takes 0.07 to 0.09 s for a matrix of other sides than those before, most of it for
  // FFT plans. The CPU takes about four times its expected_seconds(), hence the divisor.
  constexpr double kDeviceSeconds = 0.08 / 4;
  if (!backend.automatic) return backend;
  const Method& method = method_for(*pattern);
  const double operations = method.forecast(request_for(pattern, true, {})).operations;
  return expected_seconds(operations, BackendKind::cpu, threads) < kDeviceSeconds ? Backend{} : backend;
}

Result<Fingerprint> fingerprint_of(const PatternPtr& pattern, const Backend& backend, JobContext& context) {
  return run_guarded([&] {
    require_no_weights(*pattern, "Fingerprints of a collection");
    Fingerprint made = identity_of(*pattern, context.seed());
    {
      const SpectrumPtr spectrum = small_spectrum(pattern, true, backend, context);
      if (!spectrum->features)
        throw Failure(ErrorCode::internal,
                      "The method " + made.setting.method + " has computed no features.");
      made.features = *spectrum->features;
      made.errors = spectrum->feature_errors;
      made.thumbnails.spectrum = picture_of_spectrum(*spectrum);
    }
    made.thumbnails.pattern = picture_of_pattern(*pattern, context);
    made.signature = signature_of(*pattern, made.features, context);
    return made;
  });
}

Result<Fingerprint> fingerprint_without_features(const PatternPtr& pattern, const Backend& backend,
                                                 JobContext& context) {
  return run_guarded([&] {
    Fingerprint made = identity_of(*pattern, context.seed());
    made.thumbnails = {picture_of_pattern(*pattern, context),
                       picture_of_spectrum(*small_spectrum(pattern, false, backend, context))};
    return made;
  });
}

}  // namespace spyctrum
