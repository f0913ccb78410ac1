// SPDX-License-Identifier: Apache-2.0
// The fingerprint of a matrix: the data that a collection stores about it. The features of a small plane are
// exact; those of a larger one are estimated from exact samples, with standard errors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/backend.hpp"
#include "core/base/error.hpp"
#include "core/base/job_context.hpp"
#include "core/collection/signature.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/spectrum/features.hpp"

namespace spyctrum {

/// Planes of at most this many coefficients are computed whole; of larger ones, samples at 256 or fewer
/// frequencies of the longer axis.
inline constexpr std::uint64_t kLargestExactPlane = std::uint64_t{1} << 22U;
inline constexpr std::uint64_t kMostSampledFrequencies = 256;
inline constexpr std::size_t kThumbnailSide = 64;

/// Method and setting of a fingerprint, as text; with the content hash they identify a row.
struct FingerprintSetting {
  std::string method;   ///< registry id
  std::string setting;  ///< "block=16 seed=1"
};
[[nodiscard]] FingerprintSetting fingerprint_setting(std::uint64_t rows, std::uint64_t cols,
                                                     std::uint64_t seed);

/// Pictures of a pattern and of its spectrum, kThumbnailSide × kThumbnailSide bytes each, row-major.
struct Thumbnails {
  std::vector<std::uint8_t> pattern;   ///< 255·(density of the cell/largest density)^¼
  std::vector<std::uint8_t> spectrum;  ///< fftshifted: 255·ln(1 + mean P/K)/ln(1 + K)
};

struct Fingerprint {
  std::uint64_t content = 0;  ///< SparsePattern::fingerprint()
  FingerprintSetting setting;
  int version = kSignatureVersion;
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::int64_t nonzeros = 0;
  bool symmetric = false;
  Features features;
  std::optional<Features> errors;  ///< standard errors; empty if the features are exact
  Thumbnails thumbnails;
  Signature signature{};
};

/// The backend for one of many matrices whose fingerprints `threads` threads compute concurrently: `backend`,
/// or the CPU where the program may choose (Backend::automatic) and the threads are expected to compute more
/// such fingerprints a second than the device. Throws Failure, as default_request().
[[nodiscard]] Backend faster_backend(const PatternPtr& pattern, const Backend& backend, unsigned threads);

/// The fingerprint of a pattern. Errors: those of run_method().
[[nodiscard]] Result<Fingerprint> fingerprint_of(const PatternPtr& pattern, const Backend& backend,
                                                 JobContext& context);

/// The same without features and signature, which take most of the time. Errors: those of run_method().
[[nodiscard]] Result<Fingerprint> fingerprint_without_features(const PatternPtr& pattern,
                                                               const Backend& backend, JobContext& context);

}  // namespace spyctrum
