// SPDX-License-Identifier: Apache-2.0
// NumPy's format .npy, versions 1 to 3
// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html): a header that is a Python
// dictionary of type, order and shape, then the elements. Arrays of Python objects hold code and are never
// read.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/io/binary_file.hpp"
#include "core/io/numpy/numpy_array.hpp"

namespace spyctrum {

inline constexpr std::string_view kNpyMagic{"\x93NUMPY", 6};

/// Reads an array up to its first element. Throws Failure{bad_input} if it is not an array, an array of
/// objects or of records, or cut off.
[[nodiscard]] NumpyArray read_npy_header(BinaryFile& file, std::string name);
/// The number of bytes of all elements that the header announces.
[[nodiscard]] std::uint64_t announced_bytes(const NumpyArray& array);
/// Reads the elements of an array after its header in pieces: sets array.bytes to each in turn and calls
/// use(first), where `first` is the number of its first element. Throws Failure{bad_input} if there are fewer
/// elements than announced.
void read_npy_pieces(BinaryFile& file, NumpyArray& array,
                     const std::function<void(std::uint64_t first)>& use);
/// Reads an array from its first byte to its last, unless only the number of its elements is kept. Throws as
/// read_npy_header(); Failure{out_of_memory}.
[[nodiscard]] NumpyArray read_npy(ByteSource& source, const std::string& name, JobContext& context,
                                  Keep keep = Keep::bytes);

}  // namespace spyctrum
