// SPDX-License-Identifier: Apache-2.0
// The arrays in an .npz archive.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/numpy/numpy_array.hpp"
#include "core/io/reader.hpp"

namespace spyctrum::npz_reader {

/// The array in a member of the archive, or the failure to read it.
struct NpzMember {
  std::string stem;  ///< its path without .npy
  std::optional<NumpyArray> array;
  std::exception_ptr failure;
};

/// Returns how the array `stem` is kept; `before`: stems of all members before it.
using KeepOf = std::function<Keep(std::string_view stem, const std::set<std::string>& before)>;

/// Reads all arrays of an archive, in its order, on several threads if it is a regular file. `name` is the
/// file's name in messages. Throws Failure{cancelled}, {out_of_memory}; a failure of the archive itself is
/// the last element, without a stem.
[[nodiscard]] std::vector<NpzMember> read_npz_members(ByteSource& source, std::string_view name,
                                                      JobContext& context, KeepOf keep);

}  // namespace spyctrum::npz_reader
