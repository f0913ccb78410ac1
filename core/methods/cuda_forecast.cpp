// SPDX-License-Identifier: Apache-2.0
// The sizes of core/cuda/row_tiles.cpp, rows.cpp and planes.cpp, term by term.
#include "core/methods/cuda_forecast.hpp"

#include <map>
#include <mutex>
#include <tuple>

#include "core/methods/cuda_row_shape.hpp"
#include "core/methods/device_cache.hpp"
#include "core/methods/plane.hpp"

namespace spyctrum {

namespace {

std::uint64_t product(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return saturating_product(a, saturating_product(b, c));
}

/// Columns of more entries than one block sums, in pieces.
std::uint64_t pieces_of(const SparsePattern& pattern) {
  const auto starts = pattern.column_starts();
  const std::uint64_t piece =
      cuda::piece_entries(static_cast<std::uint64_t>(pattern.nonzeros()), pattern.column_ids().size());
  std::uint64_t pieces = 0;
  for (std::size_t k = 0; k + 1 < starts.size(); ++k) {
    const auto entries = static_cast<std::uint64_t>(starts[k + 1] - starts[k]);
    if (entries > piece) pieces += (entries + piece - 1) / piece;
  }
  return pieces;
}

}  // namespace

std::uint64_t cuda_fft_work_bytes(Backend backend, const cuda::FftShape& shape) {
  using Key = std::tuple<int, bool, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>;
  static std::mutex mutex;
  static std::map<Key, std::uint64_t> known;
  const Key key{backend.device, shape.real, shape.rows, shape.length, shape.stride, shape.batch};
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  ThreadPool pool(1);
  JobContext context(pool);
  CudaHost host(backend, context);
  const auto asked = run_guarded([&] { return cuda_module().fft_work_bytes(backend.device, shape, host); });
  return known[key] = asked ? *asked : 0;
}

void add_device_pattern(ByteTerms& terms, const SparsePattern& pattern) {
  const std::uint64_t index = pattern.rows() <= 65536 ? 2 : 4;
  terms.add("pattern", saturating_sum(index * static_cast<std::uint64_t>(pattern.nonzeros()),
                                      12 * pattern.column_ids().size()));
}

ByteTerms device_row_terms(const SparsePattern& pattern, Backend backend, std::uint64_t count,
                           std::uint64_t width, const CudaRows& rows) {
  const std::uint64_t n = pattern.cols();
  const bool ours = rows.algorithm == cuda::RowAlgorithm::ours;
  const auto [length, split, resampled] = row_shape(n, rows.algorithm, backend);
  const std::uint64_t stride = resampled ? cuda::padded(n) : length;
  const std::uint64_t tile = cuda::tile_rows(rows.tile, count, cuda::built_length(n, rows.algorithm));
  ByteTerms terms;
  add_device_pattern(terms, pattern);
  terms.add("places of the columns and row frequencies", saturating_sum(16 * n, 4 * count));
  if (resampled)
    terms.add("tables of the resampling",
              saturating_sum(saturating_product(4 + 4 * RowResampling::values_of_cell(n), length), 12 * n));
  else if (length != n)
    terms.add("chirps 8·(n + L)", 8 * (n + length));
  if (split != 1) terms.add("twiddles of the parts", cuda::butterfly_bytes(split, length / split));
  if (ours && pattern.rows() <= cuda::kMostPairRows) terms.add("table of pairs 72·m", 72 * pattern.rows());
  const std::uint64_t streams = cuda::row_streams(count, tile);
  terms.add(std::string(streams == 1 ? "a tile 8·T·L" : "two tiles 16·T·L") +
                " of T = " + std::to_string(tile) + ", L = " + std::to_string(length),
            product(8 * streams, tile, resampled ? stride + length : stride));
  const std::uint64_t pieces = pieces_of(pattern);
  if (pieces != 0)
    terms.add("sums of pieces of long columns", product(8, streams * ((tile + 511) / 512 * 512) + 2, pieces));
  if (rows.store_half) terms.add("output 8·m·q", product(8, pattern.rows(), n / 2 + 1));
  terms.add("rows on their way out", product(8 * streams, tile, width));
  terms.add("work areas of cuFFT",
            saturating_product(
                streams, cuda_fft_work_bytes(
                             backend, {false, 1, length / split,
                                       resampled || split != 1 ? length / split : stride, tile * split})));
  return terms;
}

ByteTerms device_plane_terms(const SparsePattern& pattern, Backend backend, std::uint64_t lines,
                             std::uint64_t length, std::uint64_t rows, std::uint64_t width) {
  ByteTerms terms;
  add_device_pattern(terms, pattern);
  terms.add("grid and its half spectrum", product(8, lines, length / 2 + 1));
  terms.add("work area of cuFFT", cuda_fft_work_bytes(backend, {true, lines, length, 1, 1}));
  terms.add("rows on their way out", cuda::delivery_bytes(rows, width));
  return terms;
}

void add_device(Forecast& forecast, const ByteTerms& device) {
  forecast.device_bytes = device.total();
  forecast.formula += "; on the device " + format_bytes(device.total()) + ": " + device.text();
}

std::uint64_t device_allowance(const Request& request) {
  if (request.device_bytes != 0) return request.device_bytes;
  return cuda_module().facts(request.backend.device).free_bytes +
         device_cache(request.backend.device)->idle_bytes();
}

}  // namespace spyctrum
