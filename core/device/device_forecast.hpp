// SPDX-License-Identifier: Apache-2.0
// Forecasts of the bytes that a job needs on a CUDA device: arrays by the formulas that the module itself
// uses, cuFFT's work areas as the library reports them. For rows: M = 8(n + L + 2·T·L + m·q) of the BS-FFT
// paper (§3.4), where n is the number of columns, L the length of the transform, T the rows of a tile and
// q = ⌊n/2⌋+1; and the pattern, tables and work areas, which that formula omits.
#pragma once

#include "core/device/device_rows.hpp"
#include "core/request/byte_terms.hpp"
#include "core/request/request.hpp"

namespace spyctrum {

/// Adds the bytes of the matrix in compressed columns on the device.
void add_device_pattern(ByteTerms& terms, const SparsePattern& pattern);
/// Bytes of the matrix as a list of entries, which is resident on the device.
[[nodiscard]] std::uint64_t device_entry_bytes(const SparsePattern& pattern);

/// Device bytes of stream_device_rows() and gather_on_device() for `count` rows, of each of which `width`
/// coefficients are copied to the host.
[[nodiscard]] ByteTerms device_row_terms(const SparsePattern& pattern, Backend backend, std::uint64_t count,
                                         std::uint64_t width, const DeviceRows& rows);

/// Device bytes of an in-place real FFT of a lines×length array, of which rows×width coefficients are copied
/// to the host.
[[nodiscard]] ByteTerms device_plane_terms(const SparsePattern& pattern, Backend backend, std::uint64_t lines,
                                           std::uint64_t length, std::uint64_t rows, std::uint64_t width);

/// Adds the bytes on the device to a forecast of those on the host.
void add_device(Forecast& forecast, const ByteTerms& device);

/// Bytes that the request may allocate on its device: its own limit, else the bytes that are free now and
/// those of resident data that no job uses.
[[nodiscard]] std::uint64_t device_allowance(const RequestScope& request);

}  // namespace spyctrum
