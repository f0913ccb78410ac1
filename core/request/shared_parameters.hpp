// SPDX-License-Identifier: Apache-2.0
// Entries of the parameter schema that several methods share, each with the function that reads its value
// from a request.
#pragma once

#include <cstdint>
#include <string>

#include "core/request/request.hpp"

namespace spyctrum {

/// An entry with the possible values `choices`; the first is the default.
[[nodiscard]] inline Parameter choice_parameter(std::string name, std::vector<std::string> choices,
                                                std::string help) {
  std::string first = choices.front();
  return {std::move(name),  Parameter::Type::choice, 0, 0, std::move(choices),
          std::move(first), std::move(help)};
}

[[nodiscard]] inline Parameter real_parameter(std::string name, double minimum, double maximum,
                                              std::string default_value, std::string help) {
  return {std::move(name),          Parameter::Type::real, minimum, maximum, {},
          std::move(default_value), std::move(help)};
}

/// The schema entry of the block size b.
[[nodiscard]] inline Parameter block_parameter(std::string help) {
  return {"block", Parameter::Type::integer, 1, kLargestBlock, {}, "16", std::move(help)};
}

/// The block size b ≥ 1.
[[nodiscard]] inline std::uint64_t block_of(const ResolvedRequest& request) {
  return static_cast<std::uint64_t>(request.parameters.integer("block"));
}

/// The schema entry of the tile height T.
[[nodiscard]] inline Parameter tile_parameter() {
  return {"tile",
          Parameter::Type::integer,
          0,
          65536,
          {},
          "0",
          "rows computed at a time (by each thread, or in one pass of the lattice); 0 chooses. Changes "
          "memory and time, never the result"};
}

/// The tile height T in rows; 0: the plan chooses.
[[nodiscard]] inline std::int64_t tile_of(const ResolvedRequest& request) {
  return request.parameters.integer("tile");
}

/// The schema entry of the lattice engine's accuracy.
[[nodiscard]] inline Parameter tolerance_parameter() {
  return real_parameter("tolerance", 1e-12, 1e-2, "1e-06",
                        "root-mean-square error of the lattice engine relative to √K; for banded matrices up "
                        "to three times this, and single coefficients may err by this times K");
}

/// The lattice engine's root-mean-square error relative to √K. Measured at tolerance 1e-6 for 10 sparse
/// matrices and steps 2 … 32, rounding included: 0.002e-6 … 1.4e-6, and 2.8e-6 for one stiffness matrix at
/// step 2, whose coefficients near u = −v reach 535·√K; the largest error of one coefficient 8e-7·K.
[[nodiscard]] inline double tolerance_of(const ResolvedRequest& request) {
  return request.parameters.real("tolerance");
}

}  // namespace spyctrum
