// SPDX-License-Identifier: Apache-2.0
// Sums over all coefficients of a plane on a CUDA device, coset by coset (interface/cosets.hpp): faster than
// by rows for symmetric matrices, of whose coefficients a quarter is then computed, and possible where both
// sides are multiples of one of cuda::kCosetLengths.
#pragma once

#include <cstdint>
#include <optional>

#include "core/device/device_job.hpp"
#include "core/device/interface/cosets.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/request/byte_terms.hpp"

namespace spyctrum {

/// The index in cuda::kCosetLengths with which cosets take the least time on `device`; empty if the matrix is
/// not symmetric, if no length divides its side, if rows take less time, or if the shared memory of the
/// device is too small (compute capability below 8.0).
[[nodiscard]] std::optional<std::uint32_t> coset_length(const SparsePattern& pattern, Backend device);

/// Sums over all coefficients but DC. Throws Failure{cancelled}, {out_of_memory}, {backend_unavailable},
/// {internal}.
DeviceUse sum_cosets(const SparsePattern& pattern, Backend device, std::uint32_t length, JobContext& context,
                     Moments& sums);

/// Device bytes of sum_cosets().
[[nodiscard]] ByteTerms device_coset_terms(const SparsePattern& pattern, std::uint32_t length);

}  // namespace spyctrum
