// SPDX-License-Identifier: Apache-2.0
// Threshold: the coefficients of the matrix A' that keeps the T = ⌈m/b⌉·⌈n/b⌉ entries of A of largest |a|,
// the best approximation of A by T entries in the Frobenius norm (magnitude pruning: S. Han et al., NeurIPS
// 2015). By Parseval Σ|F − F'|² = mn·Σa² over the dropped entries. An entry takes 8 bytes in compressed
// columns (row index and value), as a stored coefficient does: at the same b the entries take the bytes of
// Elastic's samples and of Density Map's plane.
#include <cmath>
#include <optional>
#include <utility>

#include "core/engine/decoded_samples.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/matrix/kept_entries.hpp"
#include "core/methods/make_method.hpp"
#include "core/request/shared_parameters.hpp"

namespace spyctrum {

namespace {

/// Up to this number of entries a forecast determines which ones are kept; above, it counts the bytes of all
/// of them.
constexpr std::int64_t kForecastEntries = std::int64_t{1} << 21U;

/// T = ⌈m/b⌉·⌈n/b⌉.
std::uint64_t entries_to_keep(const ResolvedRequest& request) {
  const std::uint64_t block = block_of(request);
  return saturating_product(block_count(request.pattern->rows(), block),
                            block_count(request.pattern->cols(), block));
}

/// Bytes of the selection: one key per entry.
std::uint64_t key_bytes(const SparsePattern& pattern) {
  return saturating_product(8, static_cast<std::uint64_t>(pattern.nonzeros()));
}

/// The request for the kept entries: A' in place of A.
ResolvedRequest of_entries(const ResolvedRequest& request, PatternPtr kept) {
  ResolvedRequest changed = request;
  changed.pattern = std::move(kept);
  return changed;
}

/// Converts the spectrum of A' from the unit of its weights, 2^e', to that of the weights of A, 2^e.
void take_unit_of(const SparsePattern& pattern, const SparsePattern& kept, Spectrum& spectrum) {
  const double scale = std::ldexp(1.0, kept.weight_exponent() - pattern.weight_exponent());
  for (std::complex<float>& value : spectrum.values) value *= static_cast<float>(scale);
  if (spectrum.features) spectrum.features->total_power *= scale * scale;
  spectrum.rounding_floor *= scale * scale;
  spectrum.nonzeros = pattern.nonzeros();
  spectrum.weights = SpectrumWeights{.sum = scale * kept.weight_sum(),
                                     .squares = scale * scale * kept.weight_squares(),
                                     .magnitudes = scale * kept.weight_magnitudes(),
                                     .exponent = pattern.weight_exponent()};
}

std::string note_of(const SparsePattern& pattern, const SparsePattern& kept) {
  const double scale = std::ldexp(1.0, kept.weight_exponent() - pattern.weight_exponent());
  const auto percent = [](double share) {
    const double rounded = std::round(share * 1e4) / 100;
    std::string text = std::to_string(rounded);
    return text.substr(0, text.find('.') + 3) + " %";
  };
  return std::to_string(kept.nonzeros()) + " of " + std::to_string(pattern.nonzeros()) + " entries kept (" +
         percent(static_cast<double>(kept.nonzeros()) / static_cast<double>(pattern.nonzeros())) +
         "), with " + percent(kept.weight_squares() * scale * scale / pattern.weight_squares()) + " of Σa²";
}

}  // namespace

class Threshold : public Method {
 public:
  Threshold()
      : Method({.id = "threshold",
                .label = "Threshold",
                .citation = "S. Han, J. Pool, J. Tran, W. Dally, Learning both weights and connections for "
                            "efficient neural networks, NeurIPS 2015 (magnitude pruning)",
                .cost = "K + T·w² + m0·n0·log(m0·n0) operations, T = m0·n0 entries are kept, m0 = ⌈m/b⌉, n0 "
                        "= ⌈n/b⌉; about 8·K + 40·m0·n0 bytes",
                .summary = "The spectrum of the entries of largest magnitude alone, as many as Elastic has "
                           "samples: compression by a threshold, at the same bytes as the others.",
                .exactness = Exactness::estimate,
                .uses_block = true,
                .takes_weights = true},
               {block_parameter("⌈m/b⌉·⌈n/b⌉ entries of largest |a| are kept, 8 bytes each"),
                tolerance_parameter(), tile_parameter()}) {}

  [[nodiscard]] MethodInput input(const ResolvedParameters& /*parameters*/) const override {
    return MethodInput::largest_entries;
  }

  [[nodiscard]] Forecast forecast(const ResolvedRequest& request) const override {
    const SparsePattern& pattern = *request.pattern;
    PatternPtr kept;
    if (pattern.nonzeros() <= kForecastEntries) kept = largest_entries(pattern, entries_to_keep(request));
    const SparsePattern& used = kept ? *kept : pattern;
    const bool selects = entries_to_keep(request) < static_cast<std::uint64_t>(pattern.nonzeros());
    Forecast forecast = forecast_decoded_samples(kept ? of_entries(request, kept) : request,
                                                 GridEngine::automatic, Decoder::stratified);
    if (!selects) return forecast;
    forecast.operations += 10 * static_cast<double>(pattern.nonzeros());
    forecast.bytes += used.bytes();
    forecast.formula = format_bytes(used.bytes()) + " entries kept + " + forecast.formula;
    const std::uint64_t selecting = key_bytes(pattern) + used.bytes();
    if (selecting > forecast.bytes) {
      forecast.bytes = selecting;
      forecast.formula = format_bytes(key_bytes(pattern)) + " to order the entries + " +
                         format_bytes(used.bytes()) + " entries kept";
    }
    return forecast;
  }

  [[nodiscard]] Spectrum run(const ResolvedRequest& request, JobContext& context) const override {
    const SparsePattern& pattern = *request.pattern;
    context.begin_stage("select");
    PatternPtr kept;
    std::optional<Booking> held;
    {
      const bool selects = entries_to_keep(request) < static_cast<std::uint64_t>(pattern.nonzeros());
      const Booking keys(context.memory(), selects ? key_bytes(pattern) : 0, "keys of the entries");
      kept = largest_entries(pattern, entries_to_keep(request), &context);
      if (kept) held.emplace(context.memory(), kept->bytes(), "entries kept");
    }
    Spectrum spectrum = decoded_samples(kept ? of_entries(request, kept) : request, GridEngine::automatic,
                                        Decoder::stratified, context);
    if (!kept) {
      spectrum.provenance.note = "all entries are kept: at this block size there are no more";
      return spectrum;
    }
    take_unit_of(pattern, *kept, spectrum);
    spectrum.exactness = Exactness::estimate;
    // These errors are those of A'; run_method() measures the errors against A by rows of the plane.
    spectrum.feature_errors.reset();
    spectrum.provenance.note = note_of(pattern, *kept) + "; " + spectrum.provenance.note;
    return spectrum;
  }
};

template std::unique_ptr<Method> make_method<Threshold>();

}  // namespace spyctrum
