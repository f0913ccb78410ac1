// SPDX-License-Identifier: Apache-2.0
// Schema entries that several methods share.
#pragma once

#include <cstdint>
#include <string>

#include "core/request/request.hpp"

namespace spyctrum {

/// The schema entry of the block size b.
[[nodiscard]] inline Parameter block_parameter(std::string help) {
  return {"block", Parameter::Type::integer, 1, kLargestBlock, {}, "16", std::move(help)};
}

/// b of a request whose parameters were resolved.
[[nodiscard]] inline std::uint64_t block_of(const Request& request) {
  return static_cast<std::uint64_t>(integer_value(request.parameters, "block"));
}

/// The schema entry of the tile height T.
[[nodiscard]] inline Parameter tile_parameter() {
  return {
      "tile",
      Parameter::Type::integer,
      0,
      65536,
      {},
      "0",
      "rows computed at a time (by each thread, or in one pass of the lattice); 0 chooses. Changes memory "
      "and time, never the result"};
}

/// The schema entry of the lattice engine's accuracy.
[[nodiscard]] inline Parameter tolerance_parameter() {
  return {"tolerance",
          Parameter::Type::real,
          1e-12,
          1e-2,
          {},
          "1e-06",
          "error of the lattice engine relative to √K (root mean square)"};
}

}  // namespace spyctrum
