// SPDX-License-Identifier: Apache-2.0
// Mean and maximum of |F|² over cells of the shifted plane while rows pass by.
// A worker sums its rows column by column while they fall into one row of cells
// and passes on only what comes of that, so that cells of any shape cost the
// same; one accumulator for all workers, one lock for each row of cells.
#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
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

/// Rows of one worker that fall into the same row of cells, summed column by column.
struct Band {
  static constexpr unsigned kMostRows = 64;  // summed in single precision before they are passed on
  std::uint64_t cell_row = 0;
  unsigned rows = 0;
  std::vector<float> power;
  std::vector<float> maximum;

  void add(const SpectrumRow& row) {
    const std::size_t n = row.values.size();
    const auto u = static_cast<std::size_t>(row.u);
    if (!row.wedge) {
      add_part(row.values, 0, n, 1);
    } else {
      // What is its own transpose, or has its conjugate for one, meets itself when the cells are transposed.
      if (u > 0) add_part(row.values, 0, u, 1);
      add_part(row.values, u, u + 1, 0.5F);
      if (u > 0 && n - u != u) add_part(row.values, n - u, n - u + 1, 0.5F);
      add_part(row.values, n - u + 1, n, 1);
    }
    ++rows;
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
    rows = 0;
  }
};

struct Worker {
  Band upright;   // the rows as they come
  Band mirrored;  // the same for −u: columns still in the order of +u
  std::vector<double> cell_power;
  std::vector<float> cell_maximum;
  bool wedges = false;
};

}  // namespace

struct PyramidSink::Impl {
  std::uint32_t cells = 0;
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  std::uint32_t rows = 0;
  std::uint32_t cols = 0;
  std::vector<double> power;
  std::vector<float> maximum;
  std::vector<std::uint32_t> passed;  // rows of the plane in each row of cells
  std::unique_ptr<std::mutex[]> locks;
  std::vector<Worker> workers;
  class OnDevice;

  /// Empty cells for an m×n plane.
  void shape(std::uint64_t plane_rows, std::uint64_t plane_cols) {
    m = plane_rows;
    n = plane_cols;
    rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(cells, m));
    cols = static_cast<std::uint32_t>(std::min<std::uint64_t>(cells, n));
    const std::size_t count = static_cast<std::size_t>(rows) * cols;
    power.assign(count, 0.0);
    maximum.assign(count, 0.0F);
    passed.assign(rows, 0);
  }

  void hire(unsigned count) {
    const Band band{0, 0, std::vector<float>(n), std::vector<float>(n)};
    workers.assign(count, {band, band, std::vector<double>(cols), std::vector<float>(cols), false});
  }

  /// Means of row `r` of cells over `height` rows of the plane.
  void divide(std::uint32_t r, std::uint64_t height, float* means) const {
    for (std::uint32_t c = 0; c < cols; ++c) {
      const std::uint64_t width = cell_begin(c + 1U, n, cols) - cell_begin(c, n, cols);
      const double area = static_cast<double>(height) * static_cast<double>(width);
      means[c] = static_cast<float>(power[static_cast<std::size_t>(r) * cols + c] / area);
    }
  }

  /// DFT column of a shifted position, in the row itself or in its mirror (−v).
  [[nodiscard]] std::uint64_t column_at(std::uint64_t position, bool mirror) const {
    const std::uint64_t negatives = n / 2;
    const std::uint64_t column = position < negatives ? position + n - negatives : position - negatives;
    return mirror && column != 0 ? n - column : column;
  }

  void flush(Band& band, bool mirror, Worker& worker) {
    if (band.rows == 0) return;
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
      passed[band.cell_row] += band.rows;
    }
    band.clear();
  }

  /// Adds to the cells, of which there are as many rows as columns, their transpose.
  void add_transpose() {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c <= r; ++c) {
        const std::size_t here = r * cols + c;
        const std::size_t there = c * cols + r;
        power[here] = power[there] = power[here] + power[there];
        maximum[here] = maximum[there] = std::max(maximum[here], maximum[there]);
      }
    }
  }

  void add(std::uint64_t shifted_row, const SpectrumRow& row, bool mirror, Worker& worker) {
    Band& band = mirror ? worker.mirrored : worker.upright;
    const std::uint64_t cell_row = cell_of(shifted_row, m, rows);
    if (cell_row != band.cell_row || band.rows == Band::kMostRows) flush(band, mirror, worker);
    band.cell_row = cell_row;
    band.add(row);
  }
};

/// Sums and maxima of the cells from the device.
class PyramidSink::Impl::OnDevice : public DeviceForm {
 public:
  explicit OnDevice(Impl& sink)
      : reduction_{sink.m, sink.rows, sink.cols, sink.power.data(), sink.maximum.data()} {}
  [[nodiscard]] bool describe(cuda::Reductions& reductions) override {
    if (reductions.pyramid != nullptr) return false;
    reductions.pyramid = &reduction_;
    return true;
  }
  void collect() override {}

 private:
  cuda::PyramidReduction reduction_;
};

PyramidSink::PyramidSink(std::uint32_t cells) : impl_(std::make_unique<Impl>()) {
  impl_->cells = std::max<std::uint32_t>(1, cells);
}
PyramidSink::~PyramidSink() = default;

void PyramidSink::begin(std::uint64_t m, std::uint64_t n, unsigned workers) {
  Impl& impl = *impl_;
  impl.shape(m, n);
  impl.locks = std::make_unique<std::mutex[]>(impl.rows);
  impl.hire(workers);
}

void PyramidSink::go_on(unsigned workers) { impl_->hire(workers); }

void PyramidSink::consume(const SpectrumRow& row, unsigned worker) {
  Impl& impl = *impl_;
  const std::uint64_t centre = impl.m / 2;
  const auto u = static_cast<std::uint64_t>(row.u);
  impl.add((centre + u) % impl.m, row, false, impl.workers[worker]);
  // |F[−u, v]| = |F[u, −v]|.
  if (row.mirrored) impl.add(centre - u, row, true, impl.workers[worker]);
  impl.workers[worker].wedges |= row.wedge;
}

void PyramidSink::add_cells(std::uint32_t row, std::uint32_t passed, std::span<const cuda::CellSum> cells) {
  Impl& impl = *impl_;
  const std::size_t first = static_cast<std::size_t>(row) * impl.cols;
  const std::lock_guard lock(impl.locks[row]);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    impl.power[first + c] += static_cast<double>(cells[c].power);
    impl.maximum[first + c] = std::max(impl.maximum[first + c], cells[c].maximum);
  }
  impl.passed[row] += passed;
}

std::pair<std::uint32_t, std::uint32_t> PyramidSink::shape() const { return {impl_->rows, impl_->cols}; }

void PyramidSink::finish() {
  bool wedges = false;
  for (Worker& worker : impl_->workers) {
    impl_->flush(worker.upright, false, worker);
    impl_->flush(worker.mirrored, true, worker);
    wedges |= worker.wedges;
  }
  if (wedges) impl_->add_transpose();
  impl_->workers.clear();
}

std::unique_ptr<DeviceForm> PyramidSink::device_form(std::uint64_t m, std::uint64_t n,
                                                     JobContext& /*context*/) {
  impl_->shape(m, n);
  return std::make_unique<Impl::OnDevice>(*impl_);
}

DisplayPyramid PyramidSink::take() {
  Impl& impl = *impl_;
  DisplayPyramid pyramid{impl.m, impl.n, impl.rows, impl.cols, {}, std::move(impl.maximum), {}};
  pyramid.mean_power.resize(impl.power.size());
  for (std::uint32_t r = 0; r < impl.rows; ++r) {
    const std::uint64_t height = cell_begin(r + 1U, impl.m, impl.rows) - cell_begin(r, impl.m, impl.rows);
    impl.divide(r, height, &pyramid.mean_power[static_cast<std::size_t>(r) * impl.cols]);
  }
  return pyramid;
}

DisplayPyramid PyramidSink::snapshot() const {
  const Impl& impl = *impl_;
  DisplayPyramid pyramid{impl.m, impl.n, impl.rows, impl.cols, {}, {}, {}};
  pyramid.mean_power.assign(impl.power.size(), 0.0F);
  pyramid.max_power.assign(impl.power.size(), 0.0F);
  pyramid.passed.assign(impl.rows, 0);
  bool whole = true;
  for (std::uint32_t r = 0; r < impl.rows; ++r) {
    const std::size_t first = static_cast<std::size_t>(r) * impl.cols;
    const std::lock_guard lock(impl.locks[r]);
    pyramid.passed[r] = impl.passed[r];
    whole &= impl.passed[r] == cell_begin(r + 1U, impl.m, impl.rows) - cell_begin(r, impl.m, impl.rows);
    if (impl.passed[r] == 0) continue;
    impl.divide(r, impl.passed[r], &pyramid.mean_power[first]);
    std::copy_n(&impl.maximum[first], impl.cols, &pyramid.max_power[first]);
  }
  if (whole) pyramid.passed.clear();
  return pyramid;
}

}  // namespace spyctrum
