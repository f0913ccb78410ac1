// SPDX-License-Identifier: Apache-2.0
// Shared by the methods that compute the whole plane: the row consumers that make a request's outputs, and
// the streaming of stored rows to consumers. Only the h = ⌊m/2⌋+1 rows u = 0 … ⌊m/2⌋ are computed; the others
// follow from F[−u,−v] = conj F[u,v].
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

/// 8·h·n, the bytes of the half plane in single precision; h = ⌊m/2⌋+1.
[[nodiscard]] std::uint64_t half_spectrum_bytes(std::uint64_t m, std::uint64_t n);

/// A result with m, n, K and exactness set and without any output.
[[nodiscard]] Spectrum blank_spectrum(const SparsePattern& pattern);

/// The row consumers that make a request's outputs; deliver() once they have received every row.
class PlaneOutputs {
 public:
  /// `collect_values`: one of the consumers stores the rows (8·h·n bytes, booked).
  PlaneOutputs(const RequestScope& request, bool collect_values, JobContext& context);
  ~PlaneOutputs();
  PlaneOutputs(PlaneOutputs&&) = delete;

  [[nodiscard]] std::span<RowConsumer* const> consumers() const { return consumers_; }
  /// Moves features, pyramid and values (with their grid) into `spectrum`.
  void deliver(Spectrum& spectrum, ThreadPool& pool);

 private:
  class ValueConsumer;
  std::unique_ptr<FeatureConsumer> features_;
  std::unique_ptr<PyramidConsumer> pyramid_;
  std::unique_ptr<ValueConsumer> values_;
  Booking pyramid_booking_;
  std::vector<RowConsumer*> consumers_;
};

/// Adds the bytes of a PlaneOutputs to a forecast.
void add_output_terms(ByteTerms& terms, const RequestScope& request, bool collect_values);

/// Streams the rows of a stored half plane (h×n, row-major) to `consumers` on all threads, begin() and
/// finish() included. Throws Failure{cancelled}.
void feed_stored_rows(std::span<const std::complex<float>> values, std::uint64_t m, std::uint64_t n,
                      std::span<RowConsumer* const> consumers, JobContext& context);

}  // namespace spyctrum
