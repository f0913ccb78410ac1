// SPDX-License-Identifier: Apache-2.0
// The conditions, and words for both outcomes.
#include "core/theory/related_work.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "core/base/memory_ledger.hpp"

namespace spyctrum {

namespace {

constexpr double kBytesOfComplexFloat = 8;

std::string number(double value) {
  std::ostringstream text;
  text.precision(value < 1e6 ? 6 : 4);
  text << value;
  return text.str();
}

std::string bytes_text(double bytes) {
  return format_bytes(static_cast<std::uint64_t>(std::min(bytes, 1e18)));
}

/// sFFT beats an FFT of N points where k is o(N/log N): k·log2 N ≤ N.
RelatedSystem sparse_fft(double coefficients, const std::optional<SpectralSparsity>& sparsity) {
  RelatedSystem system;
  system.id = "sfft";
  system.label = "MIT sFFT";
  system.citation =
      "Hassanieh, Indyk, Katabi, Price: Simple and practical algorithm for sparse Fourier transform, SODA "
      "2012";
  system.assumes =
      "A one-dimensional signal whose spectrum has few large coefficients; it finds those and their values.";
  system.condition = "k·log2(N) ≤ N, N = mn, k = coefficients that hold 90 % of the power";
  system.limit = coefficients;
  if (!sparsity) {
    system.verdict = "Not judged: the spectrum was not measured.";
    return system;
  }
  system.value = sparsity->holding_90 * std::log2(std::max(2.0, coefficients));
  system.met = system.value <= system.limit;
  const std::string counts = number(sparsity->holding_90) + " of " + number(coefficients) +
                             " coefficients hold 90 % of the power beside DC";
  system.verdict = *system.met ? counts + ": the spectrum is sparse enough, were it one-dimensional."
                               : counts + ": looking for the large ones costs more than computing all.";
  return system;
}

/// Downsampling to B points adds N/B coefficients into each bucket: few collide only where k is well below B,
/// and there is a gain only where B is well below N.
RelatedSystem downsampled_fft(double coefficients, const std::optional<SpectralSparsity>& sparsity) {
  RelatedSystem system;
  system.id = "sfft-dt";
  system.label = "sFFT-DT";
  system.citation =
      "Hsieh, Lu, Pei: Sparse fast Fourier transform by downsampling, ICASSP 2013; sFFT-DT, 2014";
  system.assumes =
      "A one-dimensional spectrum of k non-zero coefficients at uniformly distributed frequencies, so that "
      "buckets of a downsampled signal hold few of them.";
  system.condition =
      "e^H ≤ N/8, N = mn: an eighth of the samples gives buckets of one coefficient on average";
  constexpr double kSamples = 8;
  system.limit = coefficients / kSamples;
  if (!sparsity) {
    system.verdict = "Not judged: the spectrum was not measured.";
    return system;
  }
  system.value = sparsity->effective;
  system.met = system.value <= system.limit;
  const std::string counts = "The spectrum is as spread as " + number(sparsity->effective) +
                             " equal coefficients of " + number(coefficients);
  system.verdict = *system.met ? counts + ": buckets can be told apart, were it one-dimensional."
                               : counts + ": every bucket mixes several, none can be decoded.";
  return system;
}

/// A library of dense transforms: what it needs is bytes, `arrays` complex planes of them.
struct DenseLibrary {
  const char* id;
  const char* label;
  const char* citation;
  const char* assumes;
  const char* condition;
  double arrays;
};
constexpr std::array<DenseLibrary, 3> kDenseLibraries = {
    {{"spfft", "SpFFT", "ETH-CSCS: SpFFT, https://github.com/eth-cscs/SpFFT",
      "Few wanted frequencies (a cutoff sphere), and a dense grid in space: sparse in the other domain.",
      "8·mn bytes, the dense grid, within the memory", 1},
     {"heffte", "heFFTe",
      "Ayala, Tomov, Haidar, Dongarra: heFFTe: Highly efficient FFT for exascale, ICCS 2020",
      "Dense input and output, shared by many processes or GPUs.",
      "2·8·mn bytes, input and output, within the memory", 2},
     {"cufftmp", "cuFFTMp", "NVIDIA: cuFFTMp, multi-node multi-process cuFFT",
      "Dense arrays in slabs or pencils over several GPUs of a cluster.",
      "2·8·mn bytes, array and workspace, within the memory", 2}}};

RelatedSystem dense_grid(const DenseLibrary& library, double coefficients, std::uint64_t memory,
                         const SparsePattern& pattern) {
  RelatedSystem system;
  system.id = library.id;
  system.label = library.label;
  system.citation = library.citation;
  system.assumes = library.assumes;
  system.condition = library.condition;
  system.value = library.arrays * kBytesOfComplexFloat * coefficients;
  system.limit = static_cast<double>(memory);
  system.met = system.value <= system.limit;
  const double entries = 4 * static_cast<double>(pattern.nonzeros());
  system.verdict = bytes_text(system.value) + " for " + bytes_text(entries) + " of row indices; " +
                   (*system.met ? "it fits here, and the zeros are transformed too."
                                : std::to_string(static_cast<std::uint64_t>(std::ceil(
                                      std::min(1e18, system.value / std::max(1.0, system.limit))))) +
                                      " times the memory of one device or process.");
  return system;
}

}  // namespace

std::optional<SpectralSparsity> spectral_sparsity(const SparsePattern& pattern,
                                                  const TheoryMeasurements& measured) {
  if (!measured.entropy || !measured.energy) return std::nullopt;
  SpectralSparsity sparsity;
  sparsity.coefficients = static_cast<double>(pattern.rows()) * static_cast<double>(pattern.cols());
  sparsity.effective = std::exp(*measured.entropy * std::log(sparsity.coefficients));
  constexpr double kShare = 0.9;
  sparsity.holding_90 = measured.energy->count_holding(kShare);
  return sparsity;
}

std::vector<RelatedSystem> related_systems(const SparsePattern& pattern,
                                           const std::optional<SpectralSparsity>& sparsity,
                                           std::uint64_t memory) {
  const double coefficients = static_cast<double>(pattern.rows()) * static_cast<double>(pattern.cols());
  std::vector<RelatedSystem> systems{sparse_fft(coefficients, sparsity),
                                     downsampled_fft(coefficients, sparsity)};
  for (const DenseLibrary& library : kDenseLibraries)
    systems.push_back(dense_grid(library, coefficients, memory, pattern));
  return systems;
}

}  // namespace spyctrum
