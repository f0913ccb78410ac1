// SPDX-License-Identifier: Apache-2.0
// The compressions that HDF5 does not contain and that this program unpacks: those of h5py, of its package
// hdf5plugin, and of PyTables.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <string>

namespace spyctrum::hdf5 {

/// The most bytes of a chunk; larger ones would not fit the cache and be unpacked again for every block.
constexpr std::size_t kChunkCache = std::size_t{256} << 20U;

/// Makes LZF, Blosc, Zstandard, LZ4 and bzip2 known to the library, which then reads arrays that they packed.
void register_filters();
/// Whether arrays packed by this filter can be read: one of the library's own or of register_filters().
[[nodiscard]] bool can_unpack(H5Z_filter_t filter);
/// The name that a person knows the filter by.
[[nodiscard]] std::string name_of_filter(H5Z_filter_t filter);

}  // namespace spyctrum::hdf5
