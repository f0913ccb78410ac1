// SPDX-License-Identifier: Apache-2.0
// Stored magnitudes of the chosen lines, by which the reconstruction "best" replaces its estimate. Since
// F[−u,−v] = conj F[u,v], only one of each pair of lines ±c is stored.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/features/chosen_lines.hpp"

namespace spyctrum {

class LineValues {
 public:
  LineValues() = default;
  /// Computes all of `lines`. Throws Failure{cancelled}, Failure{out_of_memory}.
  LineValues(ChosenLines lines, const SparsePattern& pattern, JobContext& context);

  [[nodiscard]] const ChosenLines& lines() const { return lines_; }
  /// |F| on the chosen line c at the free frequency t (v of a row, otherwise u; DFT index).
  [[nodiscard]] float magnitude(LineDirection direction, std::uint64_t c, std::uint64_t t) const;
  /// Number of coefficients stored.
  [[nodiscard]] std::uint64_t count() const;

 private:
  struct Lines {
    std::vector<std::uint32_t> slots;  // by line index c ≤ size/2
    std::vector<float> values;
    std::uint64_t size = 0;
    std::uint64_t length = 0;
  };
  ChosenLines lines_;
  std::array<Lines, 4> stored_;
};

}  // namespace spyctrum
