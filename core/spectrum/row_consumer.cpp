// SPDX-License-Identifier: Apache-2.0
// The half plane that is computed.
#include "core/spectrum/row_consumer.hpp"

namespace spyctrum {

FrequencyGrid half_grid(std::uint64_t m, std::uint64_t n) {
  return {FrequencyAxis::progression(m, 0, 1, half_rows(m)), FrequencyAxis::progression(n, 0, 1, n)};
}

SpectrumRow spectrum_row(std::int64_t u, std::uint64_t m, std::span<const std::complex<float>> values,
                         bool symmetric_half) {
  return {u, u != 0 && 2 * static_cast<std::uint64_t>(u) != m, values, symmetric_half};
}

}  // namespace spyctrum
