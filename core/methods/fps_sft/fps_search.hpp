// SPDX-License-Identifier: Apache-2.0
// FPS-SFT's search for coefficients (Wang, Patel, Petropulu, arXiv:1711.11407), extended for dense spectra.
// Each iteration takes a random line (fps_slices.hpp), subtracts the known coefficients from its bins, tests
// by the coefficient of variation of a bin's three magnitudes whether one coefficient dominates the bin (the
// one-sparse test), computes the coordinates of that coefficient from the phases between the slices, and
// checks that these coordinates fall into the same bin (the projection check). Exactly as many coefficients
// as requested are returned; those without a passed test are counted separately.
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
  std::uint64_t points = 1;  ///< Q, at most mn
  /// True: found coefficients are evaluated exactly, and the exact values are subtracted. False: amplitudes
  /// are those of the bins, as published.
  bool exact_values = true;
  /// A bin whose three magnitudes have a coefficient of variation below this is taken for a single
  /// coefficient (one-sparse). Doubled after a round that finds less than 1 % of the missing coefficients.
  double variation = 0.05;
  std::uint64_t iterations = 0;  ///< largest number of lines with all tests; 0: max(24, 10·Q/L)
  std::uint64_t seed = 1;
};

struct FpsFound {
  std::vector<std::int32_t> u;  ///< signed, ascending by (u, v), distinct
  std::vector<std::int32_t> v;
  std::vector<std::complex<float>> values;
  std::uint64_t verified = 0;   ///< passed all tests, or the conjugate did
  std::uint64_t unchecked = 0;  ///< decoded from bins of small variation, whatever bin their coordinates have
  std::uint64_t walked = 0;     ///< taken from a pseudo-random walk through the plane
  std::uint64_t iterations = 0;
  DeviceUse device;  ///< for the slices; 0 on the CPU
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
