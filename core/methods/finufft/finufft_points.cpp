// SPDX-License-Identifier: Apache-2.0
// In the library's results the first coordinate varies fastest; columns are passed as the first coordinate,
// so that results are row-major. Positions and phases are reduced modulo the side as integers before they
// become angles.
#include "core/methods/finufft/finufft_points.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "core/base/counts_text.hpp"
#include "core/engine/windows.hpp"
#include "core/fft/phase_table.hpp"
#include "core/methods/finufft/finufft_library.hpp"

namespace spyctrum {

namespace {

/// The smallest and the largest signed frequency of an axis, and the number of frequencies from one to the
/// other.
struct Extent {
  std::int64_t low = 0;
  std::uint64_t count = 1;
};

Extent extent_of(const FrequencyAxis& axis) {
  std::int64_t low = axis.signed_at(0);
  std::int64_t high = low;
  for (std::uint64_t k = 1; k < axis.count(); ++k) {
    low = std::min(low, axis.signed_at(k));
    high = std::max(high, axis.signed_at(k));
  }
  return {low, static_cast<std::uint64_t>(high - low) + 1};
}

/// One axis of a type-1 transform: the frequencies low, low + step, … as `count` modes around the middle one.
struct ModeAxis {
  std::int64_t middle = 0;  ///< frequency that becomes mode 0 of the library
  std::int64_t step = 1;
  std::uint64_t count = 1;
};

ModeAxis box_axis(const FrequencyAxis& axis) {
  const Extent extent = extent_of(axis);
  return {extent.low + static_cast<std::int64_t>(extent.count / 2), 1, extent.count};
}

ModeAxis lattice_axis(const FrequencyAxis& axis) {
  return {axis.at(axis.count() / 2), axis.step(), axis.count()};
}

/// For every row (or column) index i: the angle 2π((step·i) mod size)/size in [−π, π), and the phase of the
/// middle frequency.
template <class T>
class AxisPoints {
 public:
  AxisPoints(std::uint64_t size, const ModeAxis& modes)
      : table_(size), step_(dft_index(modes.step, size)), middle_(dft_index(modes.middle, size)) {}
  [[nodiscard]] T angle(std::uint64_t index) const {
    const auto size = static_cast<std::int64_t>(table_.size());
    const auto at = static_cast<std::int64_t>(table_.product(step_, index));
    const std::int64_t folded = 2 * at >= size ? at - size : at;
    return static_cast<T>(2 * std::numbers::pi * static_cast<double>(folded) / static_cast<double>(size));
  }
  [[nodiscard]] std::complex<double> phase(std::uint64_t index) const {
    return table_.at(table_.product(middle_, index));
  }

 private:
  PhaseTable table_;
  std::uint64_t step_;
  std::uint64_t middle_;
};

template <class T>
void fill_sources(const SparsePattern& pattern, const ModeAxis& rows, const ModeAxis& cols,
                  FinufftArrays<T>& arrays, JobContext& context) {
  const AxisPoints<T> down(pattern.rows(), rows);
  const AxisPoints<T> along(pattern.cols(), cols);
  const auto ids = pattern.column_ids();
  const auto starts = pattern.column_starts();
  const auto indices = pattern.row_indices();
  const auto weights = pattern.weights();
  constexpr std::size_t kGrain = 64;  // columns
  context.pool().parallel_for(ids.size(), kGrain, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t k = begin; k < end; ++k) {
      const T x = along.angle(ids[k]);
      const std::complex<double> phase = along.phase(ids[k]);
      for (auto t = static_cast<std::size_t>(starts[k]); t < static_cast<std::size_t>(starts[k + 1]); ++t) {
        arrays.x[t] = x;
        arrays.y[t] = down.angle(indices[t]);
        const double weight = weights.empty() ? 1.0 : static_cast<double>(weights[t]);
        arrays.strengths[t] = std::complex<T>(weight * phase * down.phase(indices[t]));
      }
      context.check_stop();
    }
  });
}

template <class T>
void fill_targets(const FrequencyGrid& grid, FinufftArrays<T>& arrays, JobContext& context) {
  const std::uint64_t width = grid.cols.count();
  constexpr std::size_t kGrain = 16;  // rows
  context.pool().parallel_for(grid.rows.count(), kGrain, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t p = begin; p < end; ++p) {
      for (std::uint64_t q = 0; q < width; ++q) {
        arrays.s[p * width + q] = static_cast<T>(grid.cols.signed_at(q));
        arrays.t[p * width + q] = static_cast<T>(grid.rows.signed_at(p));
      }
      context.check_stop();
    }
  });
}

/// The number of each frequency's mode within the box; 0, 1, … for a lattice.
std::vector<std::uint64_t> modes_of(const FrequencyAxis& axis, const ModeAxis& modes, bool lattice) {
  std::vector<std::uint64_t> positions(axis.count());
  for (std::uint64_t k = 0; k < positions.size(); ++k)
    positions[k] = lattice ? k
                           : static_cast<std::uint64_t>(axis.signed_at(k) - modes.middle +
                                                        static_cast<std::int64_t>(modes.count / 2));
  return positions;
}

template <class T>
std::vector<std::complex<float>> transform(const SparsePattern& pattern, const FrequencyGrid& grid,
                                           const FinufftOptions& options, const FinufftRunner& runner,
                                           JobContext& context) {
  const FinufftPlan plan = plan_finufft(pattern, grid, options);
  const bool is_type3 = options.mode == FinufftMode::type3;
  const bool is_lattice = options.mode == FinufftMode::type1_lattice;
  const ModeAxis rows = is_type3 ? ModeAxis{} : is_lattice ? lattice_axis(grid.rows) : box_axis(grid.rows);
  const ModeAxis cols = is_type3 ? ModeAxis{} : is_lattice ? lattice_axis(grid.cols) : box_axis(grid.cols);
  context.begin_stage("points");
  const Booking points(context.memory(), plan.point_bytes, "points");
  std::optional<Booking> modes(std::in_place, context.memory(), plan.mode_bytes, "modes");
  const auto arrays = std::make_shared<FinufftArrays<T>>();
  const auto sources = static_cast<std::size_t>(pattern.nonzeros());
  arrays->type = is_type3 ? 3 : 1;
  arrays->tolerance = static_cast<T>(options.tolerance);
  arrays->threads = static_cast<int>(context.pool().threads());
  arrays->modes = {static_cast<std::int64_t>(cols.count), static_cast<std::int64_t>(rows.count), 1};
  for (auto* coordinates : {&arrays->x, &arrays->y}) coordinates->resize(sources);
  arrays->strengths.resize(sources);
  arrays->result.resize(is_type3 ? grid.count() : rows.count * cols.count);
  fill_sources(pattern, rows, cols, *arrays, context);
  if (is_type3) {
    arrays->s.resize(grid.count());
    arrays->t.resize(grid.count());
    fill_targets(grid, *arrays, context);
  }
  context.begin_stage("finufft");
  if (sources > 0) std::get<FinufftRun<T>>(runner.run)(arrays, plan.library_bytes, context);
  if (arrays->code != 0) {
    throw Failure(Error{ErrorCode::out_of_memory,
                        runner.name + " refused " + sides_text(pattern.rows(), pattern.cols()) + ": " +
                            finufft_error_text(arrays->code) + ".",
                        "Set mode to type1-lattice, or choose elastic.", arrays->code});
  }
  context.begin_stage("gather");
  BookedVector<std::complex<float>> values(context, grid.count(), "coefficients");
  if (is_type3) {
    std::transform(arrays->result.begin(), arrays->result.end(), values.data.begin(),
                   [](std::complex<T> value) { return std::complex<float>(value); });
    return std::move(values.data);
  }
  const auto from_rows = modes_of(grid.rows, rows, is_lattice);
  const auto from_cols = modes_of(grid.cols, cols, is_lattice);
  for (std::size_t p = 0; p < from_rows.size(); ++p) {
    for (std::size_t q = 0; q < from_cols.size(); ++q)
      values.data[p * from_cols.size() + q] =
          std::complex<float>(arrays->result[from_rows[p] * cols.count + from_cols[q]]);
    context.check_stop();
  }
  return std::move(values.data);
}

}  // namespace

FinufftPlan plan_finufft(const SparsePattern& pattern, const FrequencyGrid& grid,
                         const FinufftOptions& options) {
  constexpr double kTightest = 1e-9;  // above it type 3 upsamples by 1.25
  const std::uint64_t real = options.single_precision ? 4 : 8;
  const auto nonzeros = static_cast<std::uint64_t>(pattern.nonzeros());
  FinufftPlan plan;
  const bool is_type3 = options.mode == FinufftMode::type3;
  const bool is_lattice = options.mode == FinufftMode::type1_lattice;
  plan.box_rows = is_lattice ? grid.rows.count() : extent_of(grid.rows).count;
  plan.box_cols = is_lattice ? grid.cols.count() : extent_of(grid.cols).count;
  plan.point_bytes = saturating_product(nonzeros, 4 * real);
  if (is_type3)
    plan.point_bytes = saturating_sum(plan.point_bytes, saturating_product(grid.count(), 2 * real));
  const std::uint64_t box = saturating_product(plan.box_rows, plan.box_cols);
  plan.mode_bytes = saturating_product(2 * real, is_type3 ? grid.count() : box);
  plan.value_bytes = saturating_product(8, grid.count());
  const double upsampling = is_type3 && options.tolerance >= kTightest ? 1.25 : 2.0;
  const double once = upsampling * upsampling;
  const double cells = (is_type3 ? once + once * once : once) * static_cast<double>(box);
  plan.largest_grid = (is_type3 ? once * once : once) * static_cast<double>(box);
  plan.library_bytes =
      cells > 1e18 ? ~std::uint64_t{0} / 4 : static_cast<std::uint64_t>(cells) * 2 * real + nonzeros * 8;
  const double width = std::ceil(-std::log10(options.tolerance)) + 2;
  plan.operations = 4 * width * width * static_cast<double>(nonzeros) +
                    5 * cells * std::log2(std::max(2.0, cells)) +
                    (is_type3 ? 4 * width * width * static_cast<double>(grid.count()) : 0);
  return plan;
}

ByteTerms FinufftPlan::host_terms(bool on_device) const {
  ByteTerms terms;
  terms.add("points", point_bytes);
  terms.add("modes", mode_bytes);
  if (on_device)
    terms.add("values", value_bytes);
  else
    terms.add("FINUFFT's grids, then values", std::max(library_bytes, value_bytes));
  return terms;
}

std::vector<std::complex<float>> finufft_values(const SparsePattern& pattern, const FrequencyGrid& grid,
                                                const FinufftOptions& options, const FinufftRunner& runner,
                                                JobContext& context) {
  FrequencyGrid computed = grid;
  if (options.mode == FinufftMode::type1_lattice) {
    const auto lattice = as_lattice(grid);
    if (!lattice) {
      throw Failure(ErrorCode::wrong_use, "type1-lattice needs evenly spaced frequencies on both axes.",
                    "Set mode to type3 or type1-box.");
    }
    computed = *lattice;
  }
  if (options.single_precision) return transform<float>(pattern, computed, options, runner, context);
  return transform<double>(pattern, computed, options, runner, context);
}

}  // namespace spyctrum
