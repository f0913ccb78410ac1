// SPDX-License-Identifier: Apache-2.0
// The condition of each system, and its verdict in words.
#include "core/theory/related_work.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/counts_text.hpp"
#include "core/base/memory_ledger.hpp"
#include "core/base/text.hpp"

namespace spyctrum {

namespace {

constexpr double kBytesOfComplexFloat = 8;

/// A count, where e^H and the like are estimates that may have a fraction.
std::string number(double value) {
  return value < 1e15 ? grouped(static_cast<std::uint64_t>(std::llround(value))) : number_text(value, 4);
}

std::string bytes_text(double bytes) {
  return format_bytes(static_cast<std::uint64_t>(std::min(bytes, 1e18)));
}

/// Sets whether the condition is met, and the verdict; `found` states the measured value.
void judge(RelatedSystem& system, double value, const std::string& found, const char* if_met,
           const char* if_not) {
  system.value = value;
  system.met = value <= system.limit;
  system.verdict = found + (*system.met ? if_met : if_not);
}

/// sFFT is asymptotically faster than an FFT of N points where k = o(N/log N) (Hassanieh et al. 2012), here
/// evaluated as k·log2 N ≤ N.
RelatedSystem sparse_fft(double coefficients, const std::optional<SpectralSparsity>& sparsity) {
  RelatedSystem system;
  system.id = "sfft";
  system.label = "MIT sFFT";
  system.citation =
      "Hassanieh, Indyk, Katabi, Price: Simple and practical algorithm for sparse Fourier transform, SODA "
      "2012";
  system.assumes =
      "The signal is one-dimensional and its spectrum has few large coefficients; sFFT finds their "
      "frequencies and values.";
  system.condition =
      "k·log2(N) ≤ N, where N = mn and k is the number of coefficients that hold 90 % of the power";
  system.limit = coefficients;
  if (sparsity)
    judge(system, sparsity->holding_90 * std::log2(std::max(2.0, coefficients)),
          number(sparsity->holding_90) + " of " + number(coefficients) +
              " coefficients hold 90 % of the power without DC",
          ": sparse enough, but sFFT takes one-dimensional signals only.",
          ": finding these takes more operations than an FFT of all.");
  return system;
}

/// The FFT of a signal downsampled to B points has B buckets, each the sum of N/B coefficients. Few of the k
/// nonzero coefficients share a bucket only if k is well below B, and B points are fewer operations only if B
/// is well below N.
RelatedSystem downsampled_fft(double coefficients, const std::optional<SpectralSparsity>& sparsity) {
  RelatedSystem system;
  system.id = "sfft-dt";
  system.label = "sFFT-DT";
  system.citation =
      "Hsieh, Lu, Pei: Sparse fast Fourier transform by downsampling, ICASSP 2013; sFFT-DT, 2014";
  system.assumes =
      "The spectrum is one-dimensional and has k nonzero coefficients at uniformly distributed frequencies, "
      "so that each bucket of a downsampled signal contains few of them.";
  system.condition =
      "e^H ≤ N/8, where N = mn and H is the entropy of the power without DC: with N/8 samples a bucket "
      "contains at most one such coefficient on average";
  constexpr double kSamples = 8;
  system.limit = coefficients / kSamples;
  if (sparsity)
    judge(system, sparsity->effective,
          "The power without DC is spread over as many as " + number(sparsity->effective) + " of " +
              number(coefficients) + " coefficients",
          ": sparse enough, but sFFT-DT takes one-dimensional signals only.",
          ": each bucket would mix several, so none could be decoded.");
  return system;
}

/// A library of dense transforms, which holds `arrays` complex planes of 8·mn bytes.
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
      "Few frequencies are needed (those within a sphere) and the grid in space is dense; here the grid in "
      "space is sparse and all frequencies are needed.",
      "8·mn bytes (the dense grid) fit the memory", 1},
     {"heffte", "heFFTe",
      "Ayala, Tomov, Haidar, Dongarra: heFFTe: Highly efficient FFT for exascale, ICCS 2020",
      "Input and output are dense and distributed over many processes or GPUs.",
      "2·8·mn bytes (input and output) fit the memory", 2},
     {"cufftmp", "cuFFTMp", "NVIDIA: cuFFTMp, multi-node multi-process cuFFT",
      "The arrays are dense and distributed in slabs or pencils over the GPUs of a cluster.",
      "2·8·mn bytes (array and workspace) fit the memory", 2}}};

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
  system.verdict = "It needs " + bytes_text(system.value) + " for a matrix whose row indices take " +
                   bytes_text(entries) + "; " +
                   (*system.met ? "that fits the memory, but all zeros are transformed."
                                : "that is " +
                                      std::to_string(static_cast<std::uint64_t>(std::ceil(
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
  const std::optional<double> entropy = entropy_beside_dc(pattern, *measured.entropy);
  sparsity.effective = entropy ? std::exp(*entropy) : 0;
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
