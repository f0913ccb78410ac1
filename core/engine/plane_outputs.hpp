// SPDX-License-Identifier: Apache-2.0
// Shared by the methods that compute the whole plane: the grid of the half plane, the consumers of the
// requested outputs, and streaming of stored rows to consumers. Only u = 0 … ⌊m/2⌋ are computed; the rest
// follows from F[−u,−v] = conj F[u,v].
#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/features/feature_consumer.hpp"
#include "core/pictures/pyramid_consumer.hpp"
#include "core/request/byte_terms.hpp"
#include "core/request/request.hpp"

namespace spyctrum {

/// 8·h·n: the half spectrum in single precision.
[[nodiscard]] std::uint64_t half_spectrum_bytes(std::uint64_t m, std::uint64_t n);

/// A result with sides, K and exactness filled in, nothing computed yet.
[[nodiscard]] Spectrum blank_spectrum(const SparsePattern& pattern);

/// The consumers of a request's outputs and, once they are finished, their results.
class PlaneOutputs {
 public:
  /// `collect_values`: add a consumer that stores the rows (8·h·n bytes, booked).
  PlaneOutputs(const RequestScope& request, bool collect_values, JobContext& context);
  ~PlaneOutputs();
  PlaneOutputs(PlaneOutputs&&) = delete;

  [[nodiscard]] std::span<RowConsumer* const> consumers() const { return consumers_; }
  /// Moves features, pyramid and values (with their grid) into `spectrum`.
  void deliver(Spectrum& spectrum);

 private:
  class ValueConsumer;
  std::unique_ptr<FeatureConsumer> features_;
  std::unique_ptr<PyramidConsumer> pyramid_;
  std::unique_ptr<ValueConsumer> values_;
  Booking pyramid_booking_;
  std::vector<RowConsumer*> consumers_;
};

/// Bytes that PlaneOutputs holds for a request.
void add_output_terms(ByteTerms& terms, const RequestScope& request, bool collect_values);

/// begin(), every row of a stored half spectrum (h×n, row-major) over the pool, finish().
void feed_stored_rows(std::span<const std::complex<float>> values, std::uint64_t m, std::uint64_t n,
                      std::span<RowConsumer* const> consumers, JobContext& context);

}  // namespace spyctrum
