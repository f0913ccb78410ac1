// SPDX-License-Identifier: Apache-2.0
// Computes the sums of features and the column sums of a display pyramid in one pass over a tile. A warp
// reads 128 columns of a band, four rows at a time; the sixteen powers of a lane and their logarithms are
// added in single precision, these sums in double. Mirrors core/features/feature_totals.cpp.
#include <algorithm>

#include "core/cuda/reductions/row_runs.cuh"
#include "core/cuda/tiles/tile_view.cuh"

namespace spyctrum::cuda {

namespace {

enum class Layout { as_stored, resampled };        ///< resampled: TileView::correction applies
enum class Sums { features, column_sums, both };   ///< what is summed
enum class Extent { whole_rows, symmetric_half };  ///< symmetric_half: only |v| ≤ u of each row u

/// The properties for which an instance of the kernel is compiled.
template <Layout kLayout, Sums kSums, Extent kExtent>
struct Variant {
  static constexpr bool kResampled = kLayout == Layout::resampled;
  static constexpr bool kFeatures = kSums != Sums::column_sums;
  static constexpr bool kColumns = kSums != Sums::features;
  static constexpr bool kSymmetricHalf = kExtent == Extent::symmetric_half;
};

/// Span number `index` of rows of `width` coefficients. For symmetric halves the spans of v = 0 … reach come
/// first, then those of v = −reach … −1.
template <class V>
__device__ Span span_at(std::uint64_t index, std::uint64_t width, const Bands& bands) {
  if (!V::kSymmetricHalf) return {index * kSpan, width};
  const std::uint64_t reach = bands.reach;
  const std::uint64_t positive = min(reach + 1, (width + 1) / 2);
  const std::uint64_t spans = (positive + kSpan - 1) / kSpan;
  if (index < spans) return {index * kSpan, positive};
  return {width - reach + (index - spans) * kSpan, width};
}

/// The factor of |F[u, v]|² in the symmetric half: 1 for |v| < u; ½ for |v| = u, where F[v, u] is F[u, v] or
/// its conjugate; 0 for |v| > u.
__device__ float symmetric_half_share(std::uint64_t v, std::uint64_t width, std::uint64_t u) {
  const std::uint64_t distance = v < width - v ? v : width - v;
  return distance < u ? 1.0F : distance == u ? 0.5F : 0.0F;
}

/// The rows of a band in the four columns of a lane, which are 32 apart.
template <class V>
class LaneColumns {
 public:
  __device__ __forceinline__ LaneColumns(const TileView& tile, const Band& band, const Span& span)
      : rows_(tile.values + band.first * tile.stride),
        stride_(tile.stride),
        row_count_(band.rows),
        first_(span.begin + threadIdx.x % 32),
        span_(span) {
#pragma unroll
    for (unsigned k = 0; k < kPerLane; ++k) {
      if (!V::kResampled || (!span_.is_whole() && column(k) >= span_.end)) continue;
      place_[k] = place_of(tile, column(k));
      gain_[k] = gain_of<V::kResampled>(tile, column(k));
    }
  }
  [[nodiscard]] __device__ __forceinline__ std::uint64_t column(unsigned k) const { return first_ + 32 * k; }
  [[nodiscard]] __device__ __forceinline__ bool holds(unsigned k) const { return column(k) < span_.end; }

  /// |F|² of rows first … first + 3 of the band; 0 after its last row and last column.
  __device__ __forceinline__ void load_powers(unsigned first, Powers& power) const {
    float2 values[kRowsAtOnce][kPerLane];
    if (span_.is_whole() && first + kRowsAtOnce <= row_count_)
      load<true>(first, values);
    else
      load<false>(first, values);
#pragma unroll
    for (unsigned r = 0; r < kRowsAtOnce; ++r) {
#pragma unroll
      for (unsigned k = 0; k < kPerLane; ++k)
        power[r][k] = power_of(values[r][k]) * (V::kResampled ? gain_[k] : 1.0F);
    }
  }

 private:
  /// Issues all loads before a value is used. kInside: all rows and columns exist.
  template <bool kInside>
  __device__ __forceinline__ void load(unsigned first, float2 (&values)[kRowsAtOnce][kPerLane]) const {
#pragma unroll
    for (unsigned r = 0; r < kRowsAtOnce; ++r) {
      const float2* const row = rows_ + (first + r) * stride_;
#pragma unroll
      for (unsigned k = 0; k < kPerLane; ++k) {
        const bool is_there = kInside || (first + r < row_count_ && (span_.is_whole() || holds(k)));
        values[r][k] = make_float2(0.0F, 0.0F);
        if (is_there) values[r][k] = __ldg(row + (V::kResampled ? place_[k] : column(k)));
      }
    }
  }

  const float2* rows_;
  std::uint64_t stride_;
  unsigned row_count_;
  std::uint64_t first_;
  const Span& span_;
  std::uint64_t place_[kPerLane] = {};  ///< of resampled rows
  float gain_[kPerLane] = {};
};

/// Σ and maximum of |F|² over the rows of a band, for the columns of a lane.
template <class V>
class ColumnTotals {
 public:
  /// Adds the powers of four rows; for symmetric halves their frequencies are u … u + 3.
  __device__ __forceinline__ void add(const Powers& power, const LaneColumns<V>& columns, std::uint64_t width,
                                      std::uint32_t u) {
#pragma unroll
    for (unsigned r = 0; r < kRowsAtOnce; ++r) {
#pragma unroll
      for (unsigned k = 0; k < kPerLane; ++k) {
        if constexpr (V::kSymmetricHalf) {
          const float share = symmetric_half_share(columns.column(k), width, u + r);
          const float inside = share != 0 ? power[r][k] : 0.0F;  // values of |v| > u are undefined
          total_[k] += share * inside;
          most_[k] = fmaxf(most_[k], inside);
        } else {
          total_[k] += power[r][k];
          most_[k] = fmaxf(most_[k], power[r][k]);
        }
      }
    }
  }
  __device__ __forceinline__ void store(const LaneColumns<V>& columns, float2* column_sums) const {
#pragma unroll
    for (unsigned k = 0; k < kPerLane; ++k)
      if (columns.holds(k)) column_sums[columns.column(k)] = make_float2(total_[k], most_[k]);
  }

 private:
  float total_[kPerLane] = {};
  float most_[kPerLane] = {};
};

/// Sums the features of a band over a warp's columns. Called by all lanes.
template <class V>
__device__ __forceinline__ void reduce_span(const TileView& tile, std::uint64_t first_row,
                                            std::uint64_t width, const Band& band, const Span& span,
                                            const DeviceClasses& classes, WarpSums& sums,
                                            const FeatureSlots& slots, float2* column_sums) {
  const LaneColumns<V> columns(tile, band, span);
  ColumnTotals<V> totals;
  const auto over_rows = [&](auto add_features) {
    for (unsigned first = 0; first < band.rows; first += kRowsAtOnce) {
      Powers power;
      columns.load_powers(first, power);
      if constexpr (V::kColumns) totals.add(power, columns, width, band.u + first);
      add_features(power, first);
    }
  };
  if constexpr (V::kFeatures) {
    const BandClasses band_classes(classes, first_row + band.first, band, span);
    over_rows([&](const Powers& power, unsigned first) {
      band_classes.add(sums, power, first, columns.column(0), width, slots);
    });
  } else {
    over_rows([](const Powers&, unsigned) {});
  }
  if constexpr (V::kColumns) totals.store(columns, column_sums);
}

/// A thread block reduces kWarps spans of columns (blockIdx.x) of one band (blockIdx.y).
template <class V>
__global__ void __launch_bounds__(32 * kWarps, V::kFeatures ? 2 : 3)
    reduce_bands(TileView tile, std::uint64_t first_row, std::uint64_t width, Bands bands,
                 DeviceClasses classes, FeatureSlots slots, ColumnSums columns) {
  __shared__ BlockSums block;
  if constexpr (V::kFeatures) clear_sums(block);
  const Band band = bands.band[blockIdx.y];
  const unsigned warp = threadIdx.x / 32;
  const Span span = span_at<V>(std::uint64_t{blockIdx.x} * kWarps + warp, width, bands);
  if (span.begin < span.end) {
    WarpSums sums(block, warp, threadIdx.x % 32, band.weight);
    float2* const column_sums = V::kColumns ? columns.values + blockIdx.y * width : nullptr;
    reduce_span<V>(tile, first_row, width, band, span, classes, sums, slots, column_sums);
    if constexpr (V::kFeatures) sums.finish();
  }
  if constexpr (V::kFeatures) {
    __syncthreads();
    add_to_slot(block, slots);
  }
}

template <Layout kLayout, Extent kExtent>
void launch_variant(const TileView& tile, std::uint64_t first_row, std::uint64_t width, const Bands& bands,
                    const DeviceClasses& classes, const FeatureSlots& slots, const ColumnSums& columns,
                    cudaStream_t stream) {
  const std::uint64_t within_reach = std::min(width, std::uint64_t{2} * bands.reach + 1);
  const auto blocks = kExtent == Extent::symmetric_half ? feature_blocks(within_reach)
                                                        : detail::pieces(width, kReduceColumns);
  const dim3 grid(static_cast<unsigned>(blocks), bands.count);
  const auto with = [&](auto kernel) {
    kernel<<<grid, 32 * kWarps, 0, stream>>>(tile, first_row, width, bands, classes, slots, columns);
  };
  if (columns.values == nullptr)
    with(reduce_bands<Variant<kLayout, Sums::features, kExtent>>);
  else if (classes.begins == nullptr)
    with(reduce_bands<Variant<kLayout, Sums::column_sums, kExtent>>);
  else
    with(reduce_bands<Variant<kLayout, Sums::both, kExtent>>);
}

}  // namespace

cudaError_t launch_reduce_bands(const TileView& tile, std::uint64_t first_row, std::uint64_t width,
                                const Bands& bands, const DeviceClasses& classes, const FeatureSlots& slots,
                                const ColumnSums& columns, cudaStream_t stream) {
  if (bands.count == 0 || width == 0) return cudaSuccess;
  const auto with = [&](auto launch_one) {
    launch_one(tile, first_row, width, bands, classes, slots, columns, stream);
  };
  if (tile.correction != nullptr)
    with(bands.symmetric_half ? launch_variant<Layout::resampled, Extent::symmetric_half>
                              : launch_variant<Layout::resampled, Extent::whole_rows>);
  else
    with(bands.symmetric_half ? launch_variant<Layout::as_stored, Extent::symmetric_half>
                              : launch_variant<Layout::as_stored, Extent::whole_rows>);
  return cudaGetLastError();
}

}  // namespace spyctrum::cuda
