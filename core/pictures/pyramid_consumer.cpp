// SPDX-License-Identifier: Apache-2.0
// A worker sums consecutive rows of the same row of cells by columns and then adds these sums to the cells,
// so that the cost does not depend on the shape of cells. All workers share one array of cells, with a lock
// for each row of cells. Rows of the symmetric half also represent their transposes (F[v,u] = F[u,v]), which
// snapshot() adds. Mirrored by core/cuda/reductions/pyramid_kernels.cu.
#include "core/pictures/pyramid_consumer.hpp"

#include <algorithm>
#include <atomic>
#include <complex>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/base/thread_pool.hpp"

namespace spyctrum {

namespace {

/// First shifted position of cell k: ⌊k·size/cells⌋. Sides are below 2^32, so products fit.
std::uint64_t cell_begin(std::uint64_t k, std::uint64_t size, std::uint64_t cells) {
  return k * size / cells;
}

/// The cell of a shifted position, the inverse of cell_begin().
std::uint64_t cell_of(std::uint64_t position, std::uint64_t size, std::uint64_t cells) {
  return ((position + 1) * cells - 1) / size;
}

/// The number of positions in each cell of an axis.
std::vector<double> cell_sizes(std::uint64_t size, std::uint32_t cells) {
  std::vector<double> sizes(cells);
  for (std::uint32_t k = 0; k < cells; ++k)
    sizes[k] = static_cast<double>(cell_begin(k + 1U, size, cells) - cell_begin(k, size, cells));
  return sizes;
}

/// Rows of one worker that lie in the same row of cells, summed by columns.
struct Band {
  static constexpr std::size_t kMostRows =
      64;  // summed in single precision before they are added to the cells
  std::uint64_t cell_row = 0;
  std::vector<std::uint32_t> rows;  // u
  std::vector<float> power;
  std::vector<float> maximum;

  void add(const SpectrumRow& row) {
    const std::size_t n = row.values.size();
    const auto u = static_cast<std::size_t>(row.u);
    if (!row.symmetric_half) {
      add_part(row.values, 0, n, 1);
    } else {
      // |v| = u has half weight: (u, u) is its own transpose and (u, −u) the mirror of its transpose, so that
      // adding the transposed cells counts it again.
      if (u > 0) add_part(row.values, 0, u, 1);
      add_part(row.values, u, u + 1, 0.5F);
      if (u > 0 && n - u != u) add_part(row.values, n - u, n - u + 1, 0.5F);
      add_part(row.values, n - u + 1, n, 1);
    }
    rows.push_back(static_cast<std::uint32_t>(u));
  }
  void add_part(std::span<const std::complex<float>> row, std::size_t begin, std::size_t end, float weight) {
    float* sums = power.data();
    float* most = maximum.data();
    const std::complex<float>* values = row.data();
    for (std::size_t v = begin; v < end; ++v) {
      const float p = values[v].real() * values[v].real() + values[v].imag() * values[v].imag();
      sums[v] += weight * p;
      most[v] = most[v] < p ? p : most[v];
    }
  }
  void clear() {
    std::fill(power.begin(), power.end(), 0.0F);
    std::fill(maximum.begin(), maximum.end(), 0.0F);
    rows.clear();
  }
};

struct Worker {
  Band upright;   // rows u
  Band mirrored;  // rows −u, with columns in the order of row u
  std::vector<double> cell_power;
  std::vector<float> cell_maximum;
};

/// The number of coefficients of the symmetric half in each cell of a row of cells, with half weight for |v|
/// = u.
class SymmetricHalfCounts {
 public:
  SymmetricHalfCounts(std::uint64_t n, std::uint32_t cols)
      : n_(n), cols_(cols), partial_(cols), whole_(cols + 1U) {}

  /// Counts |v| ≤ u of row u.
  void add(std::uint64_t u) {
    const std::uint64_t centre = n_ / 2;
    const std::uint64_t first = cell_of(centre - u, n_, cols_);
    const std::uint64_t last = cell_of(std::min(centre + u, n_ - 1), n_, cols_);
    partial_[first] += inside(first, u);
    if (last == first) return;
    partial_[last] += inside(last, u);
    ++whole_[first + 1];
    --whole_[last];
  }
  /// Sets counts[0 … cols−1] to the numbers; `widths`: coefficients per cell and row.
  void write_to(const std::vector<double>& widths, float* counts) const {
    std::int64_t rows = 0;
    for (std::uint32_t c = 0; c < cols_; ++c) {
      rows += whole_[c];
      counts[c] = static_cast<float>(partial_[c] + static_cast<double>(rows) * widths[c]);
    }
  }

 private:
  [[nodiscard]] double inside(std::uint64_t cell, std::uint64_t u) const {
    const auto centre = static_cast<std::int64_t>(n_ / 2);
    const auto reach = static_cast<std::int64_t>(u);
    const auto begin = static_cast<std::int64_t>(cell_begin(cell, n_, cols_));
    const auto end = static_cast<std::int64_t>(cell_begin(cell + 1, n_, cols_));
    const auto holds = [&](std::int64_t at) { return begin <= at && at < end ? 0.5 : 0.0; };
    const std::int64_t within = std::min(end, centre + reach) - std::max(begin, centre - reach + 1);
    return static_cast<double>(std::max<std::int64_t>(0, within)) + holds(centre - reach) +
           (u > 0 ? holds(centre + reach) : 0.0);
  }
  std::uint64_t n_;
  std::uint32_t cols_;
  std::vector<double> partial_;
  std::vector<std::int64_t> whole_;
};

/// cells[r, c] = join(cells[r, c], cells[c, r]) for a square array, block by block so that both operands stay
/// in the cache.
template <class Join>
void join_transpose(ZeroedVector<float>& cells, std::size_t side, ThreadPool& pool, Join join) {
  constexpr std::size_t kSquare = 32;
  pool.parallel_for((side + kSquare - 1) / kSquare, 1, [&](std::size_t square, std::size_t, unsigned) {
    const std::size_t top = square * kSquare;
    for (std::size_t left = 0; left <= top; left += kSquare) {
      for (std::size_t r = top; r < std::min(side, top + kSquare); ++r)
        for (std::size_t c = left; c < std::min(r + 1, left + kSquare); ++c)
          cells[r * side + c] = cells[c * side + r] = join(cells[r * side + c], cells[c * side + r]);
    }
  });
}

}  // namespace

struct PyramidConsumer::Impl {
  std::uint32_t cells = 0;
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  std::uint32_t rows = 0;
  std::uint32_t cols = 0;
  ZeroedVector<double> power;
  ZeroedVector<float> maximum;
  // Whether each row was streamed, by shifted position; guarded, like the cells, by the lock of its row of
  // cells.
  std::vector<std::uint8_t> streamed;
  std::atomic<bool> symmetric_half{false};
  std::unique_ptr<std::mutex[]> locks;
  std::vector<Worker> workers;
  class OnDevice;

  /// Sets all cells to zero, for an m×n plane.
  void clear(std::uint64_t plane_rows, std::uint64_t plane_cols) {
    m = plane_rows;
    n = plane_cols;
    rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(cells, m));
    cols = static_cast<std::uint32_t>(std::min<std::uint64_t>(cells, n));
    const std::size_t count = static_cast<std::size_t>(rows) * cols;
    power = ZeroedVector<double>(count);
    maximum = ZeroedVector<float>(count);
    streamed.assign(m, 0);
    locks = std::make_unique<std::mutex[]>(rows);
    symmetric_half = false;
  }

  void allocate_workers(unsigned count) {
    const Band band{0, {}, std::vector<float>(n), std::vector<float>(n)};
    workers.assign(count, {band, band, std::vector<double>(cols), std::vector<float>(cols)});
  }

  /// Shifted position of row u, or of its mirror −u.
  [[nodiscard]] std::uint64_t position_of(std::uint64_t u, bool mirror) const {
    const std::uint64_t centre = m / 2;
    return mirror ? centre - u : (centre + u) % m;
  }
  /// The frequency, 0 … ⌊m/2⌋, of the row at a shifted position or of its mirror.
  [[nodiscard]] std::uint64_t frequency_at(std::uint64_t position) const {
    const std::uint64_t centre = m / 2;
    return position < centre ? centre - position : position - centre;
  }
  /// Marks rows as streamed; the caller holds the lock of their row of cells.
  void mark(std::span<const std::uint32_t> u, bool mirror) {
    for (const std::uint32_t one : u) streamed[position_of(one, mirror)] = 1;
  }
  /// Sets counts[c] to the number of streamed coefficients in cell (r, c). The caller holds the lock of row
  /// `r` of cells.
  void count_streamed(std::uint32_t r, const std::vector<double>& widths, float* counts) const {
    SymmetricHalfCounts of_symmetric_half(n, symmetric_half ? cols : 0);
    std::uint64_t count = 0;
    for (std::uint64_t p = cell_begin(r, m, rows); p < cell_begin(r + 1U, m, rows); ++p) {
      if (streamed[p] == 0) continue;
      ++count;
      if (symmetric_half) of_symmetric_half.add(frequency_at(p));
    }
    for (std::uint32_t c = 0; c < cols && !symmetric_half; ++c)
      counts[c] = static_cast<float>(static_cast<double>(count) * widths[c]);
    if (symmetric_half) of_symmetric_half.write_to(widths, counts);
  }
  /// Whether every row was streamed.
  [[nodiscard]] bool is_whole() const {
    for (std::uint32_t r = 0; r < rows; ++r) {
      const std::lock_guard lock(locks[r]);
      const auto at = [&](std::uint64_t k) { return streamed.begin() + static_cast<std::ptrdiff_t>(k); };
      if (std::find(at(cell_begin(r, m, rows)), at(cell_begin(r + 1U, m, rows)), 0) !=
          at(cell_begin(r + 1U, m, rows)))
        return false;
    }
    return true;
  }

  /// The DFT index v of a shifted position in the row itself, or −v for its mirror.
  [[nodiscard]] std::uint64_t column_at(std::uint64_t position, bool mirror) const {
    const std::uint64_t negatives = n / 2;
    const std::uint64_t column = position < negatives ? position + n - negatives : position - negatives;
    return mirror && column != 0 ? n - column : column;
  }

  void flush(Band& band, bool mirror, Worker& worker) {
    if (band.rows.empty()) return;
    for (std::uint32_t c = 0; c < cols; ++c) {
      const std::uint64_t end = cell_begin(c + 1U, n, cols);
      double sum = 0;
      float most = 0;
      for (std::uint64_t k = cell_begin(c, n, cols); k < end; ++k) {
        const std::uint64_t v = column_at(k, mirror);
        sum += static_cast<double>(band.power[v]);
        most = std::max(most, band.maximum[v]);
      }
      worker.cell_power[c] = sum;
      worker.cell_maximum[c] = most;
    }
    const std::size_t first = band.cell_row * cols;
    {
      const std::lock_guard lock(locks[band.cell_row]);
      for (std::uint32_t c = 0; c < cols; ++c) {
        power[first + c] += worker.cell_power[c];
        maximum[first + c] = std::max(maximum[first + c], worker.cell_maximum[c]);
      }
      mark(band.rows, mirror);
    }
    band.clear();
  }

  void add(const SpectrumRow& row, bool mirror, Worker& worker) {
    Band& band = mirror ? worker.mirrored : worker.upright;
    const std::uint64_t cell_row = cell_of(position_of(static_cast<std::uint64_t>(row.u), mirror), m, rows);
    if (cell_row != band.cell_row || band.rows.size() == Band::kMostRows) flush(band, mirror, worker);
    band.cell_row = cell_row;
    band.add(row);
  }
};

/// The device reduction: sums and maxima of the cells, added when the device has finished.
class PyramidConsumer::Impl::OnDevice : public DeviceReduction {
 public:
  OnDevice(Impl& consumer, bool symmetric_half)
      : consumer_(consumer),
        symmetric_half_(symmetric_half),
        reduction_{consumer.m, consumer.rows, consumer.cols, consumer.power.data(), consumer.maximum.data()} {
  }
  [[nodiscard]] bool describe(cuda::Reductions& reductions) override {
    if (reductions.pyramid != nullptr) return false;
    reductions.pyramid = &reduction_;
    return true;
  }
  void collect() override {
    consumer_.symmetric_half = symmetric_half_;
    consumer_.streamed.assign(consumer_.m, 1);
  }

 private:
  Impl& consumer_;
  bool symmetric_half_;
  cuda::PyramidReduction reduction_;
};

PyramidConsumer::PyramidConsumer(std::uint32_t cells) : impl_(std::make_unique<Impl>()) {
  impl_->cells = std::max<std::uint32_t>(1, cells);
}
PyramidConsumer::~PyramidConsumer() = default;

void PyramidConsumer::begin(std::uint64_t m, std::uint64_t n, unsigned workers) {
  Impl& impl = *impl_;
  impl.clear(m, n);
  impl.allocate_workers(workers);
}

void PyramidConsumer::resume(unsigned workers) { impl_->allocate_workers(workers); }

void PyramidConsumer::consume(const SpectrumRow& row, unsigned worker) {
  Impl& impl = *impl_;
  if (row.symmetric_half && !impl.symmetric_half) impl.symmetric_half = true;
  impl.add(row, false, impl.workers[worker]);
  // |F[−u, v]| = |F[u, −v]|.
  if (row.mirrored) impl.add(row, true, impl.workers[worker]);
}

void PyramidConsumer::add_cells(const CellsOfRows& rows, std::span<const cuda::CellSum> cells) {
  Impl& impl = *impl_;
  if (rows.u.empty()) return;
  if (rows.symmetric_half && !impl.symmetric_half) impl.symmetric_half = true;
  const std::uint64_t row = cell_of(impl.position_of(rows.u.front(), rows.mirrors), impl.m, impl.rows);
  const std::size_t first = row * impl.cols;
  const std::lock_guard lock(impl.locks[row]);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    impl.power[first + c] += static_cast<double>(cells[c].power);
    impl.maximum[first + c] = std::max(impl.maximum[first + c], cells[c].maximum);
  }
  impl.mark(rows.u, rows.mirrors);
}

std::pair<std::uint32_t, std::uint32_t> PyramidConsumer::raster_size() const {
  return {impl_->rows, impl_->cols};
}

void PyramidConsumer::finish() {
  for (Worker& worker : impl_->workers) {
    impl_->flush(worker.upright, false, worker);
    impl_->flush(worker.mirrored, true, worker);
  }
  impl_->workers.clear();
}

std::unique_ptr<DeviceReduction> PyramidConsumer::device_reduction(std::uint64_t m, std::uint64_t n,
                                                                   bool symmetric_half,
                                                                   JobContext& /*context*/) {
  impl_->clear(m, n);
  return std::make_unique<Impl::OnDevice>(*impl_, symmetric_half);
}

DisplayPyramid PyramidConsumer::snapshot(ThreadPool& pool) const {
  const Impl& impl = *impl_;
  const std::size_t cells = static_cast<std::size_t>(impl.rows) * impl.cols;
  DisplayPyramid pyramid{
      impl.m, impl.n, impl.rows, impl.cols, ZeroedVector<float>(cells), ZeroedVector<float>(cells), {}};
  ZeroedVector<float>& power = pyramid.mean_power;
  ZeroedVector<float>& share = pyramid.streamed_share;
  if (!impl.is_whole()) share = ZeroedVector<float>(cells);
  const std::vector<double> heights = cell_sizes(impl.m, impl.rows);
  const std::vector<double> widths = cell_sizes(impl.n, impl.cols);
  const auto for_each_row = [&](auto work) {
    pool.parallel_for(impl.rows, 16, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t r = begin; r < end; ++r) work(r, r * impl.cols);
    });
  };
  for_each_row([&](std::size_t r, std::size_t first) {
    const std::lock_guard lock(impl.locks[r]);
    if (!share.empty()) impl.count_streamed(static_cast<std::uint32_t>(r), widths, &share[first]);
    std::copy_n(&impl.power[first], impl.cols, &power[first]);
    std::copy_n(&impl.maximum[first], impl.cols, &pyramid.max_power[first]);
  });
  if (impl.symmetric_half) {
    join_transpose(power, impl.rows, pool, std::plus<>());
    if (!share.empty()) join_transpose(share, impl.rows, pool, std::plus<>());
    join_transpose(pyramid.max_power, impl.rows, pool, [](float a, float b) { return std::max(a, b); });
  }
  for_each_row([&](std::size_t r, std::size_t first) {
    for (std::size_t c = 0; c < impl.cols; ++c) {
      const double size = heights[r] * widths[c];
      const double count = share.empty() ? size : share[first + c];
      if (count > 0) power[first + c] = static_cast<float>(power[first + c] / count);
      if (!share.empty()) share[first + c] = static_cast<float>(count / size);
    }
  });
  return pyramid;
}

}  // namespace spyctrum
