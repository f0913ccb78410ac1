// SPDX-License-Identifier: Apache-2.0
// What the full-plane methods share: the grid of the computed half, sinks for the products that a request
// asks for, and the passing of stored rows to sinks. Only u = 0 … ⌊m/2⌋ are computed; the rest follows from
// F[−u,−v] = conj F[u,v].
#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/methods/byte_count.hpp"
#include "core/methods/method.hpp"
#include "core/spectrum/feature_sink.hpp"

namespace spyctrum {

/// h = ⌊m/2⌋+1, the rows that are computed.
[[nodiscard]] constexpr std::uint64_t half_rows(std::uint64_t m) { return m / 2 + 1; }

/// 8·h·n: the half spectrum in single precision.
[[nodiscard]] std::uint64_t half_spectrum_bytes(std::uint64_t m, std::uint64_t n);

/// u = 0 … ⌊m/2⌋ by v = 0 … n−1, both in DFT order: the grid of stored full planes.
[[nodiscard]] FrequencyGrid half_grid(std::uint64_t m, std::uint64_t n);

/// Row u as the sinks want it; `wedge`: with |v| ≤ u alone (SpectrumRow::wedge).
[[nodiscard]] SpectrumRow spectrum_row(std::int64_t u, std::uint64_t m,
                                       std::span<const std::complex<float>> values, bool wedge = false);

/// A result with sides, K and exactness filled in, nothing computed yet.
[[nodiscard]] Spectrum blank_spectrum(const SparsePattern& pattern);

/// The sinks for the products of a request and, once they are finished, what they gathered.
class PlaneProducts {
 public:
  /// `collect_values`: add a sink that stores the rows (8·h·n bytes, booked).
  PlaneProducts(const Request& request, bool collect_values, JobContext& context);
  ~PlaneProducts();
  PlaneProducts(PlaneProducts&&) = delete;

  [[nodiscard]] std::span<RowSink* const> sinks() const { return sinks_; }
  /// Moves features, pyramid and values (with their grid) into `spectrum`.
  void deliver(Spectrum& spectrum);

 private:
  class ValueSink;
  std::unique_ptr<FeatureSink> features_;
  std::unique_ptr<PyramidSink> pyramid_;
  std::unique_ptr<ValueSink> values_;
  Booking pyramid_booking_;
  std::vector<RowSink*> sinks_;
};

/// Bytes that PlaneProducts holds for a request.
void add_product_terms(ByteTerms& terms, const Request& request, bool collect_values);

/// begin(), every row of a stored half spectrum (h×n, row-major) over the pool, finish().
void feed_stored_rows(std::span<const std::complex<float>> values, std::uint64_t m, std::uint64_t n,
                      std::span<RowSink* const> sinks, JobContext& context);

}  // namespace spyctrum
