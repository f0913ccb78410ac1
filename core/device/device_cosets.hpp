// SPDX-License-Identifier: Apache-2.0
// Sums over all coefficients of a plane on CUDA devices, coset by coset (interface/cosets.hpp): faster than
// by rows, most of all for symmetric matrices, of whose coefficients a quarter is then computed. Fastest
// where both sides are multiples of an L of 1000, 1300, 1750, 2000, 2048, or from 400 to 1800; for other
// sides the entries are spread onto a finer grid (a non-uniform FFT).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/device/device_job.hpp"
#include "core/device/interface/cosets.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/request/byte_terms.hpp"

namespace spyctrum {

/// All sizes of cosets that the kernels have for the sides of a pattern.
[[nodiscard]] std::vector<cuda::CosetSize> possible_coset_sizes(const SparsePattern& pattern);

/// The cosets that take the least time; empty if rows take less time. `block_bytes`: shared memory that a
/// thread block can have.
[[nodiscard]] std::optional<cuda::CosetSize> coset_size(const SparsePattern& pattern,
                                                        std::uint64_t block_bytes);
/// The same on `devices`, which need compute capability 8.0.
[[nodiscard]] std::optional<cuda::CosetSize> coset_size(const SparsePattern& pattern,
                                                        std::span<const Backend> devices);

/// Sums over all coefficients but DC, an equal share of the cosets on each of `devices`. The sums have equal
/// bits whenever the number of devices is the same. The share of a device that fails is computed by another
/// one. `size`: one of possible_coset_sizes(). Throws Failure{cancelled} and, if all devices fail,
/// {out_of_memory}, {backend_unavailable}, {internal}.
DeviceUse sum_cosets(const SparsePattern& pattern, std::span<const Backend> devices,
                     const cuda::CosetSize& size, JobContext& context, Moments& sums);

/// The most bytes of sum_cosets() on a device.
[[nodiscard]] ByteTerms device_coset_terms(const SparsePattern& pattern, const cuda::CosetSize& size);

}  // namespace spyctrum
