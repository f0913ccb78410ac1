// SPDX-License-Identifier: Apache-2.0
// A worker sums consecutive rows of the same row of cells by columns and then adds these sums to the cells,
// so that the cost does not depend on the shape of cells. All workers share one array of cells, with a lock
// for each row of cells. Rows of the symmetric half also represent their transposes (F[v,u] = F[u,v]), which
// snapshot() adds. Mirrored by core/cuda/reductions/pyramid_kernels.cu.
#include "core/pictures/pyramid_consumer.hpp"

#include <algorithm>
#include <atomic>
#include <complex>
#include <mutex>

#include "core/base/memory_ledger.hpp"
#include "core/base/thread_pool.hpp"
#include "core/features/row_sample.hpp"
#include "core/pictures/cell_axis.hpp"
#include "core/pictures/partial_pyramid.hpp"
#include "core/pictures/symmetric_half_cells.hpp"

namespace spyctrum {

namespace {

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

/// work(r) for each row r of cells.
template <class Work>
void for_each_row(ThreadPool& pool, std::uint32_t rows, Work work) {
  pool.parallel_for(rows, 16, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t r = begin; r < end; ++r) work(static_cast<std::uint32_t>(r));
  });
}

/// Completes a pyramid of all rows, whose `mean_power` holds sums: adds the transposes of a symmetric half,
/// and divides.
void sums_to_means(DisplayPyramid& pyramid, bool symmetric_half, ThreadPool& pool) {
  std::vector<double> parts_of_row = cell_sizes(pyramid.m, pyramid.rows);
  std::vector<double> parts_of_col = cell_sizes(pyramid.n, pyramid.cols);
  for (std::vector<double>* parts : {&parts_of_row, &parts_of_col})
    for (double& part : *parts) part = 1 / part;  // one coefficient as a part of the cell, along this axis
  const auto mean = [&](float sum, std::size_t r, std::size_t c) {
    return sum * static_cast<float>(parts_of_row[r] * parts_of_col[c]);
  };
  ZeroedVector<float>& power = pyramid.mean_power;
  if (symmetric_half) {
    join_transpose(power, pyramid.rows, pool,
                   [&](float a, float b, std::size_t r, std::size_t c) { return mean(a + b, r, c); });
    join_transpose(pyramid.max_power, pyramid.rows, pool, larger_of);
    return;
  }
  for_each_row(pool, pyramid.rows, [&](std::uint32_t r) {
    const std::size_t first = std::size_t{r} * pyramid.cols;
    for (std::size_t c = 0; c < pyramid.cols; ++c) power[first + c] = mean(power[first + c], r, c);
  });
}

/// `count` zeros on new pages of the system. Smaller arrays may take over memory that was freed, which
/// calloc() then has to clear: 10 ms for the cells of a picture, on one thread. Larger requests than 32 MiB
/// never do (mallopt(3), M_MMAP_THRESHOLD); what is not written of them takes no memory.
ZeroedVector<float> zeros_on_new_pages(std::size_t count) {
  constexpr std::size_t kAlwaysNew = (std::size_t{33} << 20U) / sizeof(float);
  ZeroedVector<float> zeros;
  zeros.reserve(std::max(count, kAlwaysNew));
  zeros.resize(count);
  return zeros;
}

/// Adds the sums of certain rows to those of the others.
void add_certain(ZeroedVector<float>& power, const std::vector<std::vector<float>>& certain) {
  for (std::size_t r = 0; r < certain.size(); ++r)
    for (std::size_t c = 0; c < certain[r].size(); ++c) power[r * certain[r].size() + c] += certain[r][c];
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
  // Where rows are drawn from strata: the power of certain rows by row of cells, else empty. Other rows have
  // other weights in the picture of a part of the rows (partial_pyramid.hpp).
  std::vector<std::vector<float>> certain_power;
  std::vector<std::uint32_t> stratum_of_row;
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
    power = zeros_on_new_pages(count);
    maximum = zeros_on_new_pages(count);
    certain_power.assign(rows, {});
    stratum_of_row.clear();
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
  /// Whether the row u is streamed in any case: its power is summed into certain_power.
  [[nodiscard]] bool is_certain(std::uint64_t u) const {
    return !stratum_of_row.empty() && stratum_of_row[u] == RowSample::kCertain;
  }
  /// Adds sums and maxima, power_of(c) and maximum_of(c) for begin ≤ c < end, of rows `u` or their mirrors to
  /// the cells of row `r`; those of other columns are zero. All of the rows are certain, or none.
  template <class Power, class Maximum>
  void add_to_cells(std::uint64_t r, std::span<const std::uint32_t> u, bool mirror, std::size_t begin,
                    std::size_t end, Power power_of, Maximum maximum_of) {
    float* const sums = &power[r * cols];
    float* const most = &maximum[r * cols];
    const std::lock_guard lock(locks[r]);
    if (is_certain(u.front())) {
      std::vector<float>& certain = certain_power[r];
      certain.resize(cols);
      for (std::size_t c = begin; c < end; ++c) {
        certain[c] += power_of(c);
        most[c] = std::max(most[c], maximum_of(c));
      }
    } else {
      // The first rows are written, not added: a page of zeros that is read first and written later causes
      // two page faults.
      const bool adds = begun[r] != 0;
      const bool has_certain = !certain_power[r].empty();
      for (std::size_t c = begin; c < end; ++c) {
        sums[c] = adds ? sums[c] + power_of(c) : power_of(c);
        most[c] = adds || has_certain ? std::max(most[c], maximum_of(c)) : maximum_of(c);
      }
      begun[r] = 1;
    }
    for (const std::uint32_t one : u) streamed[position_of(one, mirror)] = 1;
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
        band.cell_row, band.rows, mirror, 0, cols, [&](std::size_t c) { return worker.cell_power[c]; },
        [&](std::size_t c) { return worker.cell_maximum[c]; });
    band.clear();
  }

  void add(const SpectrumRow& row, bool mirror, Worker& worker) {
    Band& band = mirror ? worker.mirrored : worker.upright;
    const std::uint64_t cell_row =
        pyramid_cell_of(position_of(static_cast<std::uint64_t>(row.u), mirror), m, rows);
    const bool continues = !band.rows.empty() && cell_row == band.cell_row &&
                           band.rows.size() < Band::kMostRows &&
                           is_certain(band.rows.front()) == is_certain(static_cast<std::uint64_t>(row.u));
    if (!continues) flush(band, mirror, worker);
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

void PyramidConsumer::map_cells(ThreadPool& pool) {
  constexpr std::size_t kLargePage = (std::size_t{2} << 20U) / sizeof(float);
  for (ZeroedVector<float>* cells : {&impl_->power, &impl_->maximum})
    pool.parallel_for(cells->size(), kLargePage, [&](std::size_t begin, std::size_t end, unsigned) {
      map_pages(&(*cells)[begin], (end - begin) * sizeof(float));
    });
}

void PyramidConsumer::set_strata(std::vector<std::uint32_t> stratum_of_row) {
  impl_->stratum_of_row = std::move(stratum_of_row);
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
  std::size_t begin = 0;
  std::size_t end = cells.size();
  if (rows.symmetric_half) {  // |v| ≤ u
    const auto [first, last] = cells_of_half(std::ranges::max(rows.u), impl.n, impl.cols);
    begin = first;
    end = last + 1;
  }
  const cuda::CellSum* const of = cells.data();
  impl.add_to_cells(
      cell_row_of(rows.u.front(), rows.mirrors), rows.u, rows.mirrors, begin, end,
      [of](std::size_t c) { return of[c].power; }, [of](std::size_t c) { return of[c].maximum; });
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
  const bool is_whole = impl.is_whole();
  DisplayPyramid pyramid{
      impl.m, impl.n, impl.rows, impl.cols, ZeroedVector<float>(cells), ZeroedVector<float>(cells), {}};
  StreamedSums sums{std::move(pyramid), std::vector<std::vector<float>>(impl.rows),
                    std::vector<std::uint8_t>(impl.m), impl.stratum_of_row, false};
  for_each_row(pool, impl.rows, [&](std::uint32_t r) {
    const std::size_t first = std::size_t{r} * impl.cols;
    const std::lock_guard lock(impl.locks[r]);
    std::copy_n(&impl.power[first], impl.cols, &sums.sampled.mean_power[first]);
    std::copy_n(&impl.maximum[first], impl.cols, &sums.sampled.max_power[first]);
    sums.certain[r] = impl.certain_power[r];
    const auto begin = static_cast<std::ptrdiff_t>(pyramid_cell_begin(r, impl.m, impl.rows));
    const auto end = static_cast<std::ptrdiff_t>(pyramid_cell_begin(r + 1U, impl.m, impl.rows));
    std::copy(impl.streamed.begin() + begin, impl.streamed.begin() + end, sums.streamed.begin() + begin);
  });
  sums.symmetric_half = impl.symmetric_half;
  if (sums.stratum_of_row.empty()) sums.stratum_of_row.assign(impl.m / 2 + 1, 0);
  if (!is_whole) return estimated_pyramid(std::move(sums), pool);
  add_certain(sums.sampled.mean_power, sums.certain);
  sums_to_means(sums.sampled, sums.symmetric_half, pool);
  return std::move(sums.sampled);
}

DisplayPyramid PyramidConsumer::take(ThreadPool& pool) && {
  Impl& impl = *impl_;
  if (!impl.is_whole()) return snapshot(pool);
  DisplayPyramid pyramid{impl.m, impl.n, impl.rows, impl.cols, std::move(impl.power), std::move(impl.maximum),
                         {}};
  add_certain(pyramid.mean_power, impl.certain_power);
  sums_to_means(pyramid, impl.symmetric_half, pool);
  return pyramid;
}

}  // namespace spyctrum
