// SPDX-License-Identifier: Apache-2.0
// Features of the whole plane estimated from samples of it.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <span>

#include "core/base/job_context.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/frequency/scattered_points.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/spectrum/features.hpp"

namespace spyctrum {

struct FeatureTotals;

/// How the features of a plane are estimated from samples: decode_stratified() or decode_paper().
enum class Decoder { stratified, paper };

/// The decoder of the BS-FFT paper (§3.6): all samples have the same area; entropy is −Σ p ln p / ln Q over
/// the Q samples. Frequencies are normalised by grid.rows.size() and grid.cols.size(), so that a reduced
/// plane uses its own sides. `hermitian_half`: grid.rows lists u = 0 … ⌊m/2⌋ of a real input's plane, and
/// each row also counts for −u. `zero_floor`: rounding_floor() of the pattern; empty for the values of a
/// reduced plane, whose floor is zero_floor_of_plane().
[[nodiscard]] Features decode_paper(const FrequencyGrid& grid, std::span<const std::complex<float>> values,
                                    std::optional<double> zero_floor, bool hermitian_half = false);

/// The same from the totals over `samples` coefficients, conjugate mirrors included.
[[nodiscard]] Features decode_paper(const FrequencyGrid& grid, const FeatureTotals& totals,
                                    std::uint64_t samples, std::optional<double> zero_floor);

/// The stratified decoder (decode_stratified.cpp): chosen lines exactly, coefficients above a threshold of
/// power from a sample of whole rows, the bulk from the lattice and those rows; everything is adjusted to the
/// known total Σ|F|² = mnK. Coefficients of rows and lines count in Features::samples. `zero_floor`:
/// rounding_floor() for the tolerance of the values. Standard errors come from the sampled rows
/// (stratified_errors.cpp); there are none for sides above kLongestWholeLine and for a lattice that is the
/// whole plane.
[[nodiscard]] EstimatedFeatures decode_stratified(const SparsePattern& pattern, const FrequencyGrid& grid,
                                                  std::span<const std::complex<float>> values,
                                                  double zero_floor, JobContext& context);
/// The same without a lattice, from the chosen lines and sampled rows alone: a function of the pattern. For
/// sides above kLongestWholeLine nothing is estimated, and there are no errors.
[[nodiscard]] EstimatedFeatures decode_rows(const SparsePattern& pattern, double zero_floor,
                                            JobContext& context);
/// Bytes that decode_stratified() books beside the values.
[[nodiscard]] std::uint64_t stratified_bytes(const SparsePattern& pattern, unsigned threads);
/// The least number of lines of the plane whose transforms decode_stratified() computes; 0 for sides above
/// kLongestWholeLine.
[[nodiscard]] std::uint64_t stratified_lines(const SparsePattern& pattern);

/// The decoder of the BS-FFT paper, §3.6, for weighted samples Z_t of area α_t: p_t = α_t|Z_t|²/S, entropy
/// −Σ p ln p / ln Q over the Q samples, radial bins and sectors by p. This entropy is biased: lower by about
/// 0.42·(1/ln Q − 1/ln mn) for a flat Gaussian plane, and further where areas vary; decode_stratified() has
/// no such bias. The coefficient (0, 0), known to be K, has area 1. The same bits on any number of threads.
/// `zero_floor`: rounding_floor() of the pattern.
[[nodiscard]] Features decode_scattered(std::uint64_t m, std::uint64_t n, const ScatteredPoints& points,
                                        std::span<const std::complex<float>> values, double zero_floor,
                                        JobContext& context);

}  // namespace spyctrum
