// SPDX-License-Identifier: Apache-2.0
// Type-1 NUFFT of the pattern (Dutt & Rokhlin 1993; Barnett, Magland & af Klinteberg 2019): spread onto the
// fine grid, transform along its rows, keep the columns of the output, transform along these columns. Each
// stage is divided into pieces of a few milliseconds over the pool, with a checkpoint before each piece.
#include "core/fft/lattice.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>

#include "core/fft/aligned_buffer.hpp"
#include "core/fft/axis_leaks.hpp"
#include "core/fft/fft.hpp"
#include "core/fft/lattice_axis.hpp"
#include "core/fft/point_order.hpp"

namespace spyctrum {

namespace {

/// Spreading function, precision and sizes of one transform.
struct Choice {
  SpreadShape shape;
  bool double_precision = false;
  LatticeAxisSizes rows;
  LatticeAxisSizes cols;
  double cost = 0;  ///< estimated time on one core, in nanoseconds
};

/// Results are in single precision, so a smaller tolerance cannot be reached.
constexpr double kSmallestTolerance = 3e-8;
/// Smaller tolerances are computed in double precision.
constexpr double kSmallestSingle = 1e-6;

double taps_of(const LatticeAxisSizes& axis, const SpreadShape& shape) {
  return axis.on_grid ? 1 : static_cast<double>(shape.width);
}

double cost_of(const Choice& choice, const SparsePattern& pattern) {
  const double precision = choice.double_precision ? 2 : 1;
  const double row_taps = taps_of(choice.rows, choice.shape);
  const double column_taps = taps_of(choice.cols, choice.shape);
  const double vectors = choice.cols.on_grid ? 1 : std::ceil((column_taps + 3) * precision / 4);
  const double points = static_cast<double>(pattern.nonzeros()) * (8 + 0.4 * row_taps * vectors);
  const double slots =
      60 * static_cast<double>(pattern.row_counts().ids.size() + pattern.column_ids().size());
  const auto cells = static_cast<double>(choice.rows.fine) * static_cast<double>(choice.cols.fine);
  return points + slots + 5 * precision * cells;
}

double additions_per_cell(const SparsePattern& pattern, const Choice& choice) {
  const auto cells = static_cast<double>(choice.rows.fine) * static_cast<double>(choice.cols.fine);
  return static_cast<double>(pattern.nonzeros()) * taps_of(choice.rows, choice.shape) *
         taps_of(choice.cols, choice.shape) / cells;
}

/// Whether so many points fall onto a cell that single-precision sums would lose digits.
bool crowded(const SparsePattern& pattern, const Choice& choice) {
  constexpr double kMostPerCell = 32;
  const auto cells = static_cast<double>(choice.rows.fine) * static_cast<double>(choice.cols.fine);
  return static_cast<double>(pattern.nonzeros()) > kMostPerCell * cells;
}

Choice choose(const SparsePattern& pattern, const FrequencyGrid& grid, const LatticeOptions& options) {
  const double tolerance = std::max(options.tolerance, kSmallestTolerance);
  std::optional<Choice> best;
  for (const SpreadShape& shape : spread_shapes())
    for (const bool double_precision : {false, true}) {
      Choice choice{shape, double_precision, lattice_axis_sizes(grid.rows, shape),
                    lattice_axis_sizes(grid.cols, shape), 0};
      if (!double_precision && (tolerance < kSmallestSingle || crowded(pattern, choice))) continue;
      const double error = expected_error(shape, double_precision, additions_per_cell(pattern, choice),
                                          aliasing_scatter(grid));
      if (error > tolerance) continue;
      choice.cost = cost_of(choice, pattern);
      if (!best || choice.cost <= best->cost) best = choice;  // at equal cost the last one, whose σ is larger
    }
  return *best;  // the widest shapes satisfy every tolerance ≥ kSmallestTolerance
}

double direct_cost(const SparsePattern& pattern, const FrequencyGrid& grid) {
  const auto rows = static_cast<double>(grid.rows.count());
  return rows * (2.0 * static_cast<double>(pattern.nonzeros()) +
                 12.0 * static_cast<double>(pattern.row_counts().ids.size()) +
                 2.0 * static_cast<double>(pattern.column_ids().size()) *
                     static_cast<double>(grid.cols.count())) +
         20.0 * static_cast<double>(pattern.column_ids().size()) * static_cast<double>(grid.cols.count());
}

/// Complex values from one grid row to the next: has room for the padded taps and is no multiple of 4096
/// bytes, which would map every row to the same cache sets.
template <class T>
std::size_t grid_stride(const LatticeAxisSizes& cols, std::size_t padded_taps) {
  const std::size_t line = 64 / sizeof(std::complex<T>);
  const std::size_t stride = (cols.fine + padded_taps + line - 1) / line * line;
  return stride * sizeof(std::complex<T>) % 4096 == 0 ? stride + line : stride;
}

template <class T>
struct Sizes {
  std::size_t row_taps;
  std::size_t column_taps;
  std::size_t column_values;  // see Spread::column_values
  std::size_t grid_rows;      // with padding
  std::size_t stride;
  explicit Sizes(const Choice& choice)
      : row_taps(choice.rows.on_grid ? 1 : choice.shape.width),
        column_taps(choice.cols.on_grid ? 1 : choice.shape.width) {
    const std::size_t lanes = loops<T>().vector_values;
    // Room for the taps from any first cell on, in aligned vectors.
    column_values = choice.cols.on_grid ? 0 : (2 * column_taps + lanes - 2 + lanes - 1) / lanes * lanes;
    grid_rows = choice.rows.fine + row_taps - 1;
    stride = grid_stride<T>(choice.cols, std::max<std::size_t>(column_values / 2, 1));
  }
};

template <class T>
std::uint64_t bytes_of(const SparsePattern& pattern, const FrequencyGrid& grid, const Choice& choice) {
  const Sizes<T> sizes(choice);
  const std::uint64_t grid_bytes = sizes.grid_rows * sizes.stride * sizeof(std::complex<T>);
  const std::uint64_t point_bytes =
      static_cast<std::uint64_t>(pattern.nonzeros()) * (pattern.has_weights() ? 16 : 12);
  const std::uint64_t row_bytes = pattern.row_counts().ids.size() * (sizes.row_taps + 4) * sizeof(T);
  const std::uint64_t column_bytes =
      pattern.column_ids().size() * (sizes.column_values + sizes.column_taps + 4) * sizeof(T);
  return grid_bytes + point_bytes + row_bytes + column_bytes +
         axis_leaks_bytes({grid.rows, choice.rows}, {grid.cols, choice.cols}) +
         grid.count() * sizeof(std::complex<float>);
}

/// The stages of one transform.
template <class T>
class LatticeJob {
 public:
  LatticeJob(const SparsePattern& pattern, const FrequencyGrid& grid, const Choice& choice,
             JobContext& context)
      : pattern_(pattern), request_(grid), choice_(choice), context_(context), sizes_(choice) {}

  std::vector<std::complex<float>> run() {
    const Booking booking(context_.memory(), bytes_of<T>(pattern_, request_, choice_), "lattice transform");
    const std::size_t lanes = loops<T>().lanes;
    make_axes();
    pad_column_weights();
    const PointOrder order = order_points(pattern_, rows_->start, cols_->start, choice_.rows.fine,
                                          choice_.cols.fine, sizes_.row_taps, context_);
    grid_ = AlignedBuffer<std::complex<T>>(sizes_.grid_rows * sizes_.stride);
    scratch_.resize(context_.pool().threads());
    total_ =
        order.stripes + (choice_.rows.fine + lanes - 1) / lanes + (choice_.cols.distinct + lanes - 1) / lanes;
    spread_stripes(order);
    fold_row_padding();
    transform_rows();
    std::vector<std::complex<float>> output(request_.count());
    transform_columns(output.data());
    remove_leaks(axis_leaks(pattern_, request_, *rows_, *cols_, choice_.shape, context_.pool()),
                 output.data(), request_.cols.count());
    repeat_periods(output.data());
    return output;
  }

 private:
  struct Scratch {
    AlignedBuffer<T> lanes;
    AlignedBuffer<T> work;
  };

  void make_axes() {
    context_.pool().parallel_for(2, 1, [&](std::size_t which, std::size_t, unsigned) {
      context_.check_stop();
      if (which == 0)
        rows_.emplace(request_.rows, choice_.rows, choice_.shape, pattern_.row_counts().ids);
      else
        cols_.emplace(request_.cols, choice_.cols, choice_.shape, pattern_.column_ids());
    });
  }

  /// Stores every tap twice, for the real and the imaginary part, in whole vectors that begin at an aligned
  /// cell. So grid vectors are always read and written as wholes, and the next point can load at once what a
  /// point stored.
  void pad_column_weights() {
    column_start_ = cols_->start;
    if (sizes_.column_values == 0) return;
    const std::size_t slots = cols_->start.size();
    const auto cells = static_cast<std::uint32_t>(loops<T>().vector_values / 2);
    column_weights_ = AlignedBuffer<T>(slots * sizes_.column_values);
    for (std::size_t s = 0; s < slots; ++s) {
      const std::uint32_t shift = column_start_[s] % cells;
      column_start_[s] -= shift;
      T* to = column_weights_.data() + s * sizes_.column_values;
      std::fill_n(to, sizes_.column_values, T(0));
      for (std::size_t tap = 0; tap < sizes_.column_taps; ++tap) {
        const T weight = cols_->weights[s * sizes_.column_taps + tap];
        to[2 * (shift + tap)] = weight;
        to[2 * (shift + tap) + 1] = weight;
      }
    }
  }

  /// First the stripes of even number, then those of odd number. An even stripe clears itself and the stripe
  /// after it while both are in the cache.
  void spread_stripes(const PointOrder& order) {
    touched_.assign(sizes_.grid_rows, 0);
    for (std::size_t s = 0; s < order.stripes; ++s)
      if (order.stripe_start[s] != order.stripe_start[s + 1]) {
        const std::size_t begin = s * order.stripe_rows;
        const std::size_t end = std::min(sizes_.grid_rows, begin + order.stripe_rows + sizes_.row_taps - 1);
        std::fill(touched_.begin() + static_cast<std::ptrdiff_t>(begin),
                  touched_.begin() + static_cast<std::ptrdiff_t>(end), char{1});
      }
    for (const std::size_t parity : {0U, 1U}) {
      const std::size_t count = (order.stripes + 1 - parity) / 2;
      context_.pool().parallel_for(count, 1, [&](std::size_t k, std::size_t, unsigned) {
        step();
        const std::size_t stripe = 2 * k + parity;
        if (parity == 0)
          clear_rows(stripe * order.stripe_rows,
                     stripe + 2 >= order.stripes ? sizes_.grid_rows : (stripe + 2) * order.stripe_rows);
        spread_stripe(order, stripe);
      });
    }
  }

  void clear_rows(std::size_t begin, std::size_t end) {
    std::fill(reinterpret_cast<T*>(grid_row(begin)), reinterpret_cast<T*>(grid_row(end)), T(0));
  }

  void spread_stripe(const PointOrder& order, std::size_t stripe) {
    const kernels::Spread<T> to{.row_start = rows_->start.data(),
                                .row_weights = rows_->weights.data(),
                                .row_taps = sizes_.row_taps,
                                .row_phase = rows_->phase.data(),
                                .column_start = column_start_.data(),
                                .column_weights = column_weights_.data(),
                                .column_values = sizes_.column_values,
                                .column_phase = cols_->phase.data(),
                                .grid = grid_.data(),
                                .stride = sizes_.stride};
    constexpr std::size_t kPiece = 1 << 15;  // points between two checks for a stop
    const std::size_t end = order.stripe_start[stripe + 1];
    for (std::size_t k = order.stripe_start[stripe]; k < end; k += kPiece) {
      context_.check_stop();
      const float* weights = order.weights.size() == 0 ? nullptr : order.weights.data() + k;
      loops<T>().spread(to, order.points.data() + k, std::min(kPiece, end - k), weights);
    }
  }

  /// The grid is periodic: adds the padding below the last grid row to the first rows.
  void fold_row_padding() {
    const std::size_t fine = choice_.rows.fine;
    for (std::size_t row = fine; row < sizes_.grid_rows; ++row) {
      if (touched_[row] == 0) continue;
      touched_[row - fine] = 1;
      T* to = reinterpret_cast<T*>(grid_row(row - fine));
      const T* from = reinterpret_cast<const T*>(grid_row(row));
      for (std::size_t k = 0; k < 2 * sizes_.stride; ++k) to[k] += from[k];
    }
  }

  void transform_rows() {
    const std::size_t fine = choice_.cols.fine;
    const std::size_t lanes = loops<T>().lanes;
    const PlanPtr plan = complex_plan<T>(fine);
    const bool long_rows = fine > (std::size_t{1} << 17);
    const std::size_t groups = (choice_.rows.fine + lanes - 1) / lanes;
    const std::size_t padding = cols_->taps - 1;
    context_.pool().parallel_for(groups, 1, [&](std::size_t group, std::size_t, unsigned worker) {
      step();
      const std::size_t first = group * lanes;
      const std::size_t count = std::min(lanes, choice_.rows.fine - first);
      const auto flags = touched_.begin() + static_cast<std::ptrdiff_t>(first);
      if (std::none_of(flags, flags + static_cast<std::ptrdiff_t>(count),
                       [](char flag) { return flag != 0; }))
        return;  // an untouched row is zero before and after the transform
      for (std::size_t row = first; row < first + count; ++row)
        for (std::size_t k = 0; k < padding; ++k) grid_row(row)[k] += grid_row(row)[fine + k];
      Scratch& scratch = scratch_of(worker, long_rows ? 0 : fine, plan.get());
      if (!long_rows) return transform_row_group(first, count, scratch);
      for (std::size_t row = first; row < first + count; ++row) {
        context_.check_stop();
        transform_long_row(row, scratch);
      }
    });
  }

  /// For up to `lanes` grid rows: folds the padding, transforms, and writes the output frequencies over the
  /// beginning of each row, in the order of the output.
  void transform_row_group(std::size_t first, std::size_t count, Scratch& scratch) {
    const auto& loop = loops<T>();
    const std::size_t fine = choice_.cols.fine;
    const std::size_t distinct = choice_.cols.distinct;
    const PlanPtr plan = complex_plan<T>(fine);
    loop.rows_to_lanes(grid_row(first), sizes_.stride, count, fine, scratch.lanes.data());
    const T* result = loop.fft_lanes(plan.get(), scratch.lanes.data(), scratch.work.data(), true);
    const std::size_t before_wrap = std::min(distinct, fine - cols_->first_cell);
    loop.lanes_to_rows(result + 2 * loop.lanes * cols_->first_cell, before_wrap, grid_row(first),
                       sizes_.stride, count);
    loop.lanes_to_rows(result, distinct - before_wrap, grid_row(first) + before_wrap, sizes_.stride, count);
  }

  /// The same for one row that is too long for lane format.
  void transform_long_row(std::size_t row, Scratch& scratch) {
    const std::size_t fine = choice_.cols.fine;
    const std::size_t distinct = choice_.cols.distinct;
    const PlanPtr plan = complex_plan<T>(fine);
    std::complex<T>* values = grid_row(row);
    loops<T>().fft_single(plan.get(), values, scratch.work.data(), true);
    const std::size_t before_wrap = std::min(distinct, fine - cols_->first_cell);
    std::vector<std::complex<T>> low(values + cols_->first_cell, values + cols_->first_cell + before_wrap);
    std::move_backward(values, values + (distinct - before_wrap), values + distinct);
    std::copy(low.begin(), low.end(), values);
  }

  void transform_columns(std::complex<float>* output) {
    const auto& loop = loops<T>();
    const std::size_t fine = choice_.rows.fine;
    const std::size_t distinct = choice_.rows.distinct;
    const std::size_t columns = choice_.cols.distinct;
    const std::size_t stride = request_.cols.count();
    const PlanPtr plan = complex_plan<T>(fine);
    const std::size_t before_wrap = std::min(distinct, fine - rows_->first_cell);
    const std::size_t groups = (columns + loop.lanes - 1) / loop.lanes;
    context_.pool().parallel_for(groups, 1, [&](std::size_t group, std::size_t, unsigned worker) {
      step();
      const std::size_t first = group * loop.lanes;
      const std::size_t count = std::min(loop.lanes, columns - first);
      Scratch& scratch = scratch_of(worker, fine, plan.get());
      loop.columns_to_lanes(grid_.data() + first, sizes_.stride, count, fine, scratch.lanes.data());
      const T* result = loop.fft_lanes(plan.get(), scratch.lanes.data(), scratch.work.data(), true);
      loop.lanes_to_scaled_columns(result + 2 * loop.lanes * rows_->first_cell, before_wrap, output + first,
                                   stride, count, rows_->correction.data(), cols_->correction.data() + first);
      loop.lanes_to_scaled_columns(result, distinct - before_wrap, output + before_wrap * stride + first,
                                   stride, count, rows_->correction.data() + before_wrap,
                                   cols_->correction.data() + first);
    });
  }

  /// Copies the frequencies that are requested more than once.
  void repeat_periods(std::complex<float>* output) const {
    const std::size_t rows = request_.rows.count();
    const std::size_t cols = request_.cols.count();
    for (std::size_t p = 0; p < choice_.rows.distinct; ++p)
      for (std::size_t q = choice_.cols.distinct; q < cols; ++q)
        output[p * cols + q] = output[p * cols + q - choice_.cols.distinct];
    for (std::size_t p = choice_.rows.distinct; p < rows; ++p)
      std::copy_n(output + (p - choice_.rows.distinct) * cols, cols, output + p * cols);
  }

  void step() { context_.checkpoint(++done_, total_); }
  Scratch& scratch_of(unsigned worker, std::size_t length, const kernels::FftPlan* plan) {
    Scratch& scratch = scratch_[worker];
    const std::size_t lanes = 2 * length * loops<T>().lanes;
    const std::size_t work = kernels::kernels().workspace(plan);
    if (scratch.lanes.size() < lanes) scratch.lanes = AlignedBuffer<T>(lanes);
    if (scratch.work.size() < work) scratch.work = AlignedBuffer<T>(work);
    return scratch;
  }

  std::complex<T>* grid_row(std::size_t row) { return grid_.data() + row * sizes_.stride; }

  const SparsePattern& pattern_;
  const FrequencyGrid& request_;
  const Choice& choice_;
  JobContext& context_;
  Sizes<T> sizes_;
  std::optional<LatticeAxis<T>> rows_;
  std::optional<LatticeAxis<T>> cols_;
  AlignedBuffer<T> column_weights_;
  std::vector<std::uint32_t> column_start_;  // first cells, rounded down to aligned ones
  AlignedBuffer<std::complex<T>> grid_;
  std::vector<char> touched_;  // grid rows that a point reached
  std::vector<Scratch> scratch_;
  std::atomic<std::uint64_t> done_{0};
  std::uint64_t total_ = 0;
};

void require_progressions(const FrequencyGrid& grid) {
  if (!grid.rows.is_progression() || !grid.cols.is_progression())
    throw Failure(ErrorCode::wrong_use, "A lattice needs an arithmetic progression on each axis.",
                  "Use the direct sum for lists of frequencies.");
}

}  // namespace

std::vector<std::complex<float>> lattice_transform(const SparsePattern& pattern, const FrequencyGrid& grid,
                                                   const LatticeOptions& options, JobContext& context) {
  require_progressions(grid);
  if (grid.count() == 0 || pattern.nonzeros() == 0) return std::vector<std::complex<float>>(grid.count());
  const Choice choice = choose(pattern, grid, options);
  if (direct_cost(pattern, grid) < choice.cost) {
    const auto values = direct_transform(pattern, grid, context);
    return {values.begin(), values.end()};
  }
  if (choice.double_precision) return LatticeJob<double>(pattern, grid, choice, context).run();
  return LatticeJob<float>(pattern, grid, choice, context).run();
}

std::uint64_t lattice_bytes(const SparsePattern& pattern, const FrequencyGrid& grid,
                            const LatticeOptions& options) {
  require_progressions(grid);
  if (grid.count() == 0 || pattern.nonzeros() == 0) return grid.count() * sizeof(std::complex<float>);
  const Choice choice = choose(pattern, grid, options);
  return choice.double_precision ? bytes_of<double>(pattern, grid, choice)
                                 : bytes_of<float>(pattern, grid, choice);
}

}  // namespace spyctrum
