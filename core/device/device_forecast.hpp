// SPDX-License-Identifier: Apache-2.0
// Bytes that a job takes on a CUDA device, before it begins: the arrays by the formulas of the module,
// cuFFT's work areas as the library says. For rows this is M_BSFFT of the paper, 8(n + L + 2·T·L + m·q), with
// what it leaves out: pattern, tables and work areas.
#pragma once

#include "core/device/device_rows.hpp"
#include "core/request/byte_terms.hpp"
#include "core/request/request.hpp"

namespace spyctrum {

/// The pattern as it lies on the device.
void add_device_pattern(ByteTerms& terms, const SparsePattern& pattern);

/// `count` rows, `width` coefficients of each handed to the host, as stream_device_rows() and
/// gather_on_device() do.
[[nodiscard]] ByteTerms device_row_terms(const SparsePattern& pattern, Backend backend, std::uint64_t count,
                                         std::uint64_t width, const DeviceRows& rows);

/// A real transform in place of lines × length, of which rows × width are handed to the host.
[[nodiscard]] ByteTerms device_plane_terms(const SparsePattern& pattern, Backend backend, std::uint64_t lines,
                                           std::uint64_t length, std::uint64_t rows, std::uint64_t width);

/// Adds the device's terms to a forecast of the host's.
void add_device(Forecast& forecast, const ByteTerms& device);

/// What the request may take there: its own limit, else what is free now.
[[nodiscard]] std::uint64_t device_allowance(const RequestScope& request);

}  // namespace spyctrum
