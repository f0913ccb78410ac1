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
#include "core/pictures/cell_axis.hpp"

namespace spyctrum {

namespace {

/// The number of positions in each cell of an axis.
std::vector<double> cell_sizes(std::uint64_t size, std::uint32_t cells) {
  std::vector<double> sizes(cells);
  for (std::uint32_t k = 0; k < cells; ++k)
    sizes[k] =
        static_cast<double>(pyramid_cell_begin(k + 1U, size, cells) - pyramid_cell_begin(k, size, cells));
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
      const float p = std::norm(values[v]);
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
  std::vector<float> cell_power;
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
    const std::uint64_t first = pyramid_cell_of(centre - u, n_, cols_);
    const std::uint64_t last = pyramid_cell_of(std::min(centre + u, n_ - 1), n_, cols_);
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
    const auto begin = static_cast<std::int64_t>(pyramid_cell_begin(cell, n_, cols_));
    const auto end = static_cast<std::int64_t>(pyramid_cell_begin(cell + 1, n_, cols_));
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

/// work(r) for each row r of cells.
template <class Work>
void for_each_row(ThreadPool& pool, std::uint32_t rows, Work work) {
  pool.parallel_for(rows, 16, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t r = begin; r < end; ++r) work(static_cast<std::uint32_t>(r));
  });
}

/// Completes a pyramid whose `mean_power` holds sums and whose `streamed_share`, unless it is empty, holds
/// numbers of coefficients: adds the transposes of a symmetric half, then divides.
void sums_to_means(DisplayPyramid& pyramid, bool symmetric_half, ThreadPool& pool) {
  ZeroedVector<float>& power = pyramid.mean_power;
  ZeroedVector<float>& share = pyramid.streamed_share;
  if (symmetric_half) {
    join_transpose(power, pyramid.rows, pool, std::plus<>());
    if (!share.empty()) join_transpose(share, pyramid.rows, pool, std::plus<>());
    join_transpose(pyramid.max_power, pyramid.rows, pool, [](float a, float b) { return std::max(a, b); });
  }
  std::vector<double> parts_of_row = cell_sizes(pyramid.m, pyramid.rows);
  std::vector<double> parts_of_col = cell_sizes(pyramid.n, pyramid.cols);
  for (std::vector<double>* parts : {&parts_of_row, &parts_of_col})
    for (double& part : *parts) part = 1 / part;  // one coefficient as a part of the cell, along this axis
  for_each_row(pool, pyramid.rows, [&](std::uint32_t r) {
    const std::size_t first = std::size_t{r} * pyramid.cols;
    for (std::size_t c = 0; share.empty() && c < pyramid.cols; ++c)
      power[first + c] *= static_cast<float>(parts_of_row[r] * parts_of_col[c]);
    for (std::size_t c = 0; !share.empty() && c < pyramid.cols; ++c) {
      const auto count = static_cast<double>(share[first + c]);
      if (count > 0) power[first + c] = static_cast<float>(static_cast<double>(power[first + c]) / count);
      share[first + c] = static_cast<float>(count * parts_of_row[r] * parts_of_col[c]);
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
  std::vector<std::size_t> first_columns;  // pyramid_cell_begin(c, n, cols) for c = 0 … cols
  ZeroedVector<float> power;
  ZeroedVector<float> maximum;
  // Whether each row was streamed, by shifted position, and whether any row of a row of cells was; guarded,
  // like the cells, by the lock of the row of cells.
  std::vector<std::uint8_t> streamed;
  std::vector<std::uint8_t> begun;
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
    first_columns.resize(cols + 1U);
    for (std::uint32_t c = 0; c <= cols; ++c) first_columns[c] = pyramid_cell_begin(c, n, cols);
    const std::size_t count = static_cast<std::size_t>(rows) * cols;
    power = ZeroedVector<float>(count);
    maximum = ZeroedVector<float>(count);
    streamed.assign(m, 0);
    begun.assign(rows, 0);
    locks = std::make_unique<std::mutex[]>(rows);
    symmetric_half = false;
  }

  /// A worker's arrays are allocated with its first row: where a device sums the rows, no worker has any.
  void allocate(Worker& worker) const {
    for (Band* band : {&worker.upright, &worker.mirrored}) {
      band->power.resize(n);
      band->maximum.resize(n);
    }
    worker.cell_power.resize(cols);
    worker.cell_maximum.resize(cols);
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
  /// Adds sums and maxima, power_of(c) and maximum_of(c), of rows `u` or their mirrors to the cells of row
  /// `r`.
  template <class Power, class Maximum>
  void add_to_cells(std::uint64_t r, std::span<const std::uint32_t> u, bool mirror, std::size_t count,
                    Power power_of, Maximum maximum_of) {
    float* const sums = &power[r * cols];
    float* const most = &maximum[r * cols];
    const std::lock_guard lock(locks[r]);
    // The first rows are written, not added: pages of zeros that are read first cost a second fault.
    const bool adds = begun[r] != 0;
    for (std::size_t c = 0; c < count; ++c) {
      sums[c] = adds ? sums[c] + power_of(c) : power_of(c);
      most[c] = adds ? std::max(most[c], maximum_of(c)) : maximum_of(c);
    }
    begun[r] = 1;
    for (const std::uint32_t one : u) streamed[position_of(one, mirror)] = 1;
  }
  /// Sets counts[c] to the number of streamed coefficients in cell (r, c). The caller holds the lock of row
  /// `r` of cells.
  void count_streamed(std::uint32_t r, const std::vector<double>& widths, float* counts) const {
    SymmetricHalfCounts of_symmetric_half(n, symmetric_half ? cols : 0);
    std::uint64_t count = 0;
    for (std::uint64_t p = pyramid_cell_begin(r, m, rows); p < pyramid_cell_begin(r + 1U, m, rows); ++p) {
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
      if (std::find(at(pyramid_cell_begin(r, m, rows)), at(pyramid_cell_begin(r + 1U, m, rows)), 0) !=
          at(pyramid_cell_begin(r + 1U, m, rows)))
        return false;
    }
    return true;
  }

  void flush(Band& band, bool mirror, Worker& worker) {
    if (band.rows.empty()) return;
    // The DFT index at shifted position 0: v of the row itself ascends from there, that of its mirror falls.
    std::size_t v = mirror ? n / 2 : (n - n / 2) % n;
    for (std::uint32_t c = 0; c < cols; ++c) {
      double sum = 0;
      float most = 0;
      for (std::size_t k = first_columns[c]; k < first_columns[c + 1U]; ++k) {
        sum += static_cast<double>(band.power[v]);
        most = std::max(most, band.maximum[v]);
        if (mirror)
          v = v == 0 ? n - 1 : v - 1;
        else
          v = v + 1 == n ? 0 : v + 1;
      }
      worker.cell_power[c] = static_cast<float>(sum);
      worker.cell_maximum[c] = most;
    }
    add_to_cells(
        band.cell_row, band.rows, mirror, cols, [&](std::size_t c) { return worker.cell_power[c]; },
        [&](std::size_t c) { return worker.cell_maximum[c]; });
    band.clear();
  }

  void add(const SpectrumRow& row, bool mirror, Worker& worker) {
    Band& band = mirror ? worker.mirrored : worker.upright;
    const std::uint64_t cell_row =
        pyramid_cell_of(position_of(static_cast<std::uint64_t>(row.u), mirror), m, rows);
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
  resume(workers);
}

void PyramidConsumer::resume(unsigned workers) { impl_->workers.assign(workers, {}); }

void PyramidConsumer::consume(const SpectrumRow& row, unsigned worker) {
  Impl& impl = *impl_;
  if (row.symmetric_half && !impl.symmetric_half) impl.symmetric_half = true;
  if (impl.workers[worker].cell_power.empty()) impl.allocate(impl.workers[worker]);
  impl.add(row, false, impl.workers[worker]);
  // |F[−u, v]| = |F[u, −v]|.
  if (row.mirrored) impl.add(row, true, impl.workers[worker]);
}

void PyramidConsumer::add_cells(const CellsOfRows& rows, std::span<const cuda::CellSum> cells) {
  Impl& impl = *impl_;
  if (rows.u.empty()) return;
  if (rows.symmetric_half && !impl.symmetric_half) impl.symmetric_half = true;
  impl.add_to_cells(
      cell_row_of(rows.u.front(), rows.mirrors), rows.u, rows.mirrors, cells.size(),
      [&](std::size_t c) { return cells[c].power; }, [&](std::size_t c) { return cells[c].maximum; });
}

std::uint64_t PyramidConsumer::cell_row_of(std::uint32_t u, bool mirrors) const {
  return pyramid_cell_of(impl_->position_of(u, mirrors), impl_->m, impl_->rows);
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
  ZeroedVector<float>& share = pyramid.streamed_share;
  if (!impl.is_whole()) share = ZeroedVector<float>(cells);
  const std::vector<double> widths = cell_sizes(impl.n, impl.cols);
  for_each_row(pool, impl.rows, [&](std::uint32_t r) {
    const std::size_t first = std::size_t{r} * impl.cols;
    const std::lock_guard lock(impl.locks[r]);
    if (!share.empty()) impl.count_streamed(r, widths, &share[first]);
    std::copy_n(&impl.power[first], impl.cols, &pyramid.mean_power[first]);
    std::copy_n(&impl.maximum[first], impl.cols, &pyramid.max_power[first]);
  });
  sums_to_means(pyramid, impl.symmetric_half, pool);
  return pyramid;
}

DisplayPyramid PyramidConsumer::take(ThreadPool& pool) && {
  Impl& impl = *impl_;
  if (!impl.is_whole()) return snapshot(pool);
  DisplayPyramid pyramid{impl.m, impl.n, impl.rows, impl.cols, std::move(impl.power), std::move(impl.maximum),
                         {}};
  sums_to_means(pyramid, impl.symmetric_half, pool);
  return pyramid;
}

}  // namespace spyctrum
