// SPDX-License-Identifier: Apache-2.0
// Destinations, on the host, of rows that a device computed.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "core/base/thread_pool.hpp"
#include "core/device/interface/rows.hpp"

namespace spyctrum {

/// Passes received rows of `width` coefficients to a function, with the number of the first row.
class RowsTo : public cuda::RowReceiver {
 public:
  using Take = std::function<void(std::uint64_t first, std::span<const std::complex<float>> rows)>;
  RowsTo(std::uint64_t width, Take take) : width_(width), take_(std::move(take)) {}
  void take(std::uint64_t first, std::uint64_t count, const float* values) override {
    take_(first, {reinterpret_cast<const std::complex<float>*>(values), count * width_});
  }

 private:
  std::uint64_t width_;
  Take take_;
};

/// Copies the received rows to an array, one after the other, on the threads of `pool`: one alone would take
/// several times as long as the transfer from the device. Both must outlive the result.
[[nodiscard]] inline RowsTo rows_to_array(std::complex<float>* values, std::uint64_t width,
                                          ThreadPool& pool) {
  return {width, [=, &pool](std::uint64_t first, std::span<const std::complex<float>> rows) {
            constexpr std::size_t kPiece = std::size_t{1} << 17U;
            pool.parallel_for(rows.size(), kPiece, [&](std::size_t begin, std::size_t end, unsigned) {
              std::ranges::copy(rows.subspan(begin, end - begin), values + first * width + begin);
            });
          }};
}

}  // namespace spyctrum
