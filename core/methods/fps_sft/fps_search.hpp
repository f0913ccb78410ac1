// SPDX-License-Identifier: Apache-2.0
// FPS-SFT's search for coefficients (Wang, Patel, Petropulu, arXiv:1711.11407), with what a dense spectrum
// needs added: random lines (fps_slices.hpp), bins from which known coefficients are subtracted, a one-sparse
// test by the coefficient of variation of a bin's three magnitudes, coordinates from the phases between the
// slices, and a check that they fall into the bin that they came from. Exactly as many coefficients as are
// wanted come back; those that no test vouches for are counted apart.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/backend.hpp"
#include "core/base/job_context.hpp"
#include "core/device/device_job.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/request/byte_terms.hpp"

namespace spyctrum {

struct FpsOptions {
  std::uint64_t wanted = 1;  ///< Q, at most mn
  /// Found coefficients are evaluated exactly and subtracted as such; else amplitudes are those of the bins,
  /// as published.
  bool exact_values = true;
  double variation = 0.05;       ///< one-sparse below it; doubled whenever a round adds under 1 % of the rest
  std::uint64_t iterations = 0;  ///< at most this many lines with all tests; 0: 10·Q/L, not under 24
  std::uint64_t seed = 1;
};

struct FpsFound {
  std::vector<std::int32_t> u;  ///< signed, ascending by (u, v), distinct
  std::vector<std::int32_t> v;
  std::vector<std::complex<float>> values;
  std::uint64_t verified = 0;   ///< passed all tests (or are the conjugate of one that did)
  std::uint64_t unchecked = 0;  ///< decoded from bins of small variation, the projection check not passed
  std::uint64_t walked = 0;     ///< taken from a pseudo-random walk through the plane
  std::uint64_t iterations = 0;
  DeviceUse device;  ///< where the slices were computed on one
  [[nodiscard]] std::string note() const;
};

/// Coefficients by their native or exact amplitudes (FpsOptions), forward, unnormalised. The same for equal
/// seeds, whatever the number of threads; another backend rounds differently, and may so choose otherwise
/// where a test is close.
[[nodiscard]] FpsFound fps_search(const SparsePattern& pattern, const FpsOptions& options, Backend backend,
                                  JobContext& context);
[[nodiscard]] ByteTerms fps_device_terms(const SparsePattern& pattern, const FpsOptions& options,
                                         Backend backend);

/// Bytes that fps_search() holds at its peak beyond the 16·Q of its result.
[[nodiscard]] std::uint64_t fps_search_bytes(const SparsePattern& pattern, const FpsOptions& options,
                                             Backend backend, unsigned threads);
/// Floating-point operations, roughly, exact values included.
[[nodiscard]] double fps_search_operations(const SparsePattern& pattern, const FpsOptions& options,
                                           unsigned threads);

}  // namespace spyctrum
