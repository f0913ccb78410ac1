// SPDX-License-Identifier: Apache-2.0
// Mean and maximum of |F|² over cells of the shifted plane while rows pass by.
// One accumulator for all workers, one lock for each row of cells: a worker
// reduces its row on its own and holds the lock for `cols` additions only.
#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "core/spectrum/feature_sink.hpp"

namespace spyctrum {

namespace {

/// First shifted position of cell k: ⌊k·size/cells⌋. Sides are below 2^32, so products fit.
std::uint64_t cell_begin(std::uint64_t k, std::uint64_t size, std::uint64_t cells) {
  return k * size / cells;
}

/// The cell of a shifted position, inverse of cell_begin().
std::uint64_t cell_of(std::uint64_t position, std::uint64_t size, std::uint64_t cells) {
  return ((position + 1) * cells - 1) / size;
}

struct CellSums {
  std::vector<double> power;
  std::vector<float> maximum;
};

}  // namespace

struct PyramidSink::Impl {
  std::uint32_t cells = 0;
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  std::uint32_t rows = 0;
  std::uint32_t cols = 0;
  CellSums sums;
  std::unique_ptr<std::mutex[]> locks;
  std::vector<std::vector<float>> shifted;  // power of one row by shifted position, for each worker
  std::vector<CellSums> reduced;            // that row by cells, for each worker

  void add_row(std::uint64_t shifted_row, unsigned worker) {
    const std::vector<float>& power = shifted[worker];
    CellSums& cell_sums = reduced[worker];
    for (std::uint32_t c = 0; c < cols; ++c) {
      const std::uint64_t end = cell_begin(c + 1U, n, cols);
      double sum = 0;
      float most = 0;
      for (std::uint64_t k = cell_begin(c, n, cols); k < end; ++k) {
        sum += static_cast<double>(power[k]);
        most = std::max(most, power[k]);
      }
      cell_sums.power[c] = sum;
      cell_sums.maximum[c] = most;
    }
    const std::uint64_t r = cell_of(shifted_row, m, rows);
    const std::lock_guard lock(locks[r]);
    for (std::uint32_t c = 0; c < cols; ++c) {
      sums.power[r * cols + c] += cell_sums.power[c];
      sums.maximum[r * cols + c] = std::max(sums.maximum[r * cols + c], cell_sums.maximum[c]);
    }
  }
};

PyramidSink::PyramidSink(std::uint32_t cells) : impl_(std::make_unique<Impl>()) {
  impl_->cells = std::max<std::uint32_t>(1, cells);
}
PyramidSink::~PyramidSink() = default;

void PyramidSink::begin(std::uint64_t m, std::uint64_t n, unsigned workers) {
  Impl& impl = *impl_;
  impl.m = m;
  impl.n = n;
  impl.rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(impl.cells, m));
  impl.cols = static_cast<std::uint32_t>(std::min<std::uint64_t>(impl.cells, n));
  const std::size_t count = static_cast<std::size_t>(impl.rows) * impl.cols;
  impl.sums.power.assign(count, 0.0);
  impl.sums.maximum.assign(count, 0.0F);
  impl.locks = std::make_unique<std::mutex[]>(impl.rows);
  impl.shifted.assign(workers, std::vector<float>(n));
  impl.reduced.assign(workers, {std::vector<double>(impl.cols), std::vector<float>(impl.cols)});
}

void PyramidSink::consume(const SpectrumRow& row, unsigned worker) {
  Impl& impl = *impl_;
  const std::uint64_t negatives = impl.n / 2;
  const std::uint64_t positives = impl.n - negatives;
  const auto power = [&](std::uint64_t v) {
    const std::complex<float> value = row.values[v];
    return value.real() * value.real() + value.imag() * value.imag();
  };
  std::vector<float>& shifted = impl.shifted[worker];
  for (std::uint64_t v = 0; v < positives; ++v) shifted[negatives + v] = power(v);
  for (std::uint64_t k = 0; k < negatives; ++k) shifted[k] = power(positives + k);
  const std::uint64_t centre = impl.m / 2;
  const auto u = static_cast<std::uint64_t>(row.u);
  impl.add_row((centre + u) % impl.m, worker);
  if (!row.mirrored) return;
  // |F[−u, v]| = |F[u, −v]|: reversed about v = 0; position 0 of an even side is its own mirror.
  std::reverse(shifted.begin() + (impl.n % 2 == 0 ? 1 : 0), shifted.end());
  impl.add_row(centre - u, worker);
}

void PyramidSink::finish() {
  impl_->shifted.clear();
  impl_->reduced.clear();
}

DisplayPyramid PyramidSink::take() {
  Impl& impl = *impl_;
  DisplayPyramid pyramid{impl.m, impl.n, impl.rows, impl.cols, {}, std::move(impl.sums.maximum)};
  pyramid.mean_power.resize(impl.sums.power.size());
  for (std::uint32_t r = 0; r < impl.rows; ++r) {
    const std::uint64_t height = cell_begin(r + 1U, impl.m, impl.rows) - cell_begin(r, impl.m, impl.rows);
    for (std::uint32_t c = 0; c < impl.cols; ++c) {
      const std::uint64_t width = cell_begin(c + 1U, impl.n, impl.cols) - cell_begin(c, impl.n, impl.cols);
      const std::size_t cell = static_cast<std::size_t>(r) * impl.cols + c;
      pyramid.mean_power[cell] = static_cast<float>(
          impl.sums.power[cell] / (static_cast<double>(height) * static_cast<double>(width)));
    }
  }
  return pyramid;
}

}  // namespace spyctrum
