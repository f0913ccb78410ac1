// SPDX-License-Identifier: Apache-2.0
// FPS-SFT's search for coefficients (Wang, Patel, Petropulu, arXiv:1711.11407), extended for dense spectra.
// Each iteration takes a random line (fps_slices.hpp), subtracts the known coefficients from its bins, tests
// by the coefficient of variation of a bin's three magnitudes whether one coefficient dominates the bin,
// computes the coordinates of that coefficient from the phases between the slices, and checks that these
// coordinates fall into the same bin. Exactly as many coefficients as requested are returned; those that
// passed no test are counted separately.
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
  /// Found coefficients are evaluated exactly, and the exact values are subtracted; false: amplitudes are
  /// those of the bins, as published.
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
  DeviceUse device;  ///< of the slices, where a device computed them
  [[nodiscard]] std::string note() const;
};

/// Coefficients with native or exact amplitudes (FpsOptions), forward, unnormalised. Equal seeds give equal
/// results for any number of threads; another backend rounds differently and may decide a close test
/// differently.
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
