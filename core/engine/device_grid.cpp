// SPDX-License-Identifier: Apache-2.0
// Plans and forecasts. The device makes the tables, spreads, transforms and cuts to the outputs; patterns and
// orders of entries are resident there.
#include "core/engine/device_grid.hpp"

#include <algorithm>
#include <cmath>

#include "core/device/device_cache.hpp"
#include "core/device/device_forecast.hpp"
#include "core/device/device_module.hpp"
#include "core/device/device_rows.hpp"
#include "core/device/device_sample_features.hpp"
#include "core/device/fft_work_bytes.hpp"
#include "core/engine/device_windows.hpp"

namespace spyctrum {

namespace {

constexpr double kMostPerCell = 32;  // entries per cell; with more, single-precision sums lose digits

/// Sets plan.lattice to the fastest lattice within the tolerance and returns an empty text, or returns why
/// there is none.
std::string choose_lattice(DeviceGridPlan& plan, const SparsePattern& pattern, double tolerance,
                           Backend backend) {
  if (tolerance < 1e-6) return "the tolerance is below 1e-6 and needs double precision";
  const auto entries = static_cast<double>(pattern.nonzeros());
  const std::optional<DeviceLattice> lattice = choose_device_lattice(plan.grid, entries, tolerance);
  if (!lattice) return "no spreading function satisfies the tolerance in single precision";
  if (entries > kMostPerCell * lattice->cells()) return "the fine grid has more than 32 entries per cell";
  if (32.0 * lattice->cells() > static_cast<double>(cuda_module().facts(backend.device).free_bytes))
    return "the fine grid would take more than half of the device's memory";
  plan.lattice = lattice;
  return {};
}

/// The axes of a plan and how the entries are sorted for them.
struct Sorted {
  Sorted(const DeviceGridPlan& plan, const SparsePattern& pattern)
      : rows(plan.lattice->row_spec(plan.grid.rows)),
        cols(plan.lattice->col_spec(plan.grid.cols)),
        order(choose_order(pattern, rows, cols)) {}
  cuda::LatticeAxisSpec rows;
  cuda::LatticeAxisSpec cols;
  cuda::LatticeOrder order;
};

/// Number of tiles of the fine grid; 0 in an order by cells.
std::uint64_t tiles_of(const Sorted& sorted) {
  if (sorted.order == cuda::LatticeOrder::cells) return 0;
  return saturating_product((sorted.cols.fine + cuda::kTileCells - 1) / cuda::kTileCells,
                            (sorted.rows.fine + cuda::kTileCells - 1) / cuda::kTileCells);
}

/// Expected number of visits (pairs of an entry and a tile that its taps reach), for entries at random
/// positions.
std::uint64_t expected_visits(const DeviceGridPlan& plan, const SparsePattern& pattern,
                              const Sorted& sorted) {
  const auto entries = static_cast<double>(pattern.nonzeros());
  const double each = sorted.order == cuda::LatticeOrder::cells ? 1 : visits_per_entry(*plan.lattice);
  return static_cast<std::uint64_t>(std::llround(entries * each));
}

/// Expected number of parts of tiles with several parts, for uniformly distributed entries: rounding up adds
/// half a part per tile on average.
std::uint64_t parts_of_crowded_tiles(std::uint64_t visits, std::uint64_t tiles) {
  const std::uint64_t parts = visits / cuda::longest_part(visits);
  return tiles > 0 && parts > tiles ? parts + tiles / 2 : 0;
}

std::uint64_t slot_bytes(const SparsePattern& pattern, std::uint64_t each) {
  return saturating_product(each, pattern.row_counts().ids.size() + pattern.column_ids().size());
}

/// `each` bytes per record: a pair of a slot and a tile that its taps reach.
std::uint64_t record_bytes(const SparsePattern& pattern, const Sorted& sorted, std::uint64_t each) {
  return saturating_product(each, saturating_sum(sorted.rows.reaches() * pattern.row_counts().ids.size(),
                                                 sorted.cols.reaches() * pattern.column_ids().size()));
}

constexpr std::uint64_t kPhaseBytes = 8;

/// Resident bytes of the sources' positions and taps; no taps where all sources are on cells.
void add_positions(ByteTerms& terms, const SparsePattern& pattern, const Sorted& sorted) {
  const bool folds = sorted.rows.taps == 1 && sorted.cols.taps == 1;
  terms.add("positions of rows and columns", slot_bytes(pattern, 4));
  terms.add("taps", folds ? 0 : record_bytes(pattern, sorted, 4 * std::uint64_t{cuda::kTileCells}));
}

/// Device bytes while the entries are sorted: the pattern, positions of the slots, and two arrays of visits
/// with their tiles.
ByteTerms order_terms(const SparsePattern& pattern, const Sorted& sorted, std::uint64_t visits) {
  ByteTerms terms;
  add_positions(terms, pattern, sorted);
  terms.add("pattern",
            saturating_sum(8 * static_cast<std::uint64_t>(pattern.nonzeros()), slot_bytes(pattern, 4)));
  terms.add("entries while they are sorted", 24 * visits);
  return terms;
}

ByteTerms device_lattice_terms(const DeviceGridPlan& plan, const RequestScope& request, const Sorted& sorted,
                               std::uint64_t visits) {
  const DeviceLattice& lattice = *plan.lattice;
  const SparsePattern& pattern = *request.pattern;
  const FrequencyGrid& grid = plan.grid;
  const std::uint64_t tiles = tiles_of(sorted);
  ByteTerms terms;
  terms.add("pattern",
            saturating_sum(8 * static_cast<std::uint64_t>(pattern.nonzeros()), slot_bytes(pattern, 4)));
  terms.add("sorted entries", sorted.order == cuda::LatticeOrder::cells
                                  ? 12 * visits
                                  : saturating_sum(8 * visits, saturating_product(32, tiles)));
  add_positions(terms, pattern, sorted);
  terms.add("tables", saturating_sum(record_bytes(pattern, sorted, kPhaseBytes),
                                     4 * (lattice.rows.distinct + lattice.cols.distinct)));
  terms.add("parts of crowded tiles", (8 * std::uint64_t{cuda::kTileCells} * cuda::kTileCells + 4) *
                                          parts_of_crowded_tiles(visits, tiles));
  terms.add("fine grid", 8 * lattice.rows.fine * lattice.cols.fine);
  terms.add("lattice rows × fine columns", 8 * lattice.rows.distinct * lattice.cols.fine);
  terms.add("work area of cuFFT",
            std::max(device_fft_work_bytes(request.backend,
                                           cuda::lattice_fft(lattice.rows.fine, lattice.cols.fine)),
                     device_fft_work_bytes(request.backend,
                                           cuda::lattice_fft(lattice.cols.fine, lattice.rows.distinct))));
  if (!sorted.rows.is_output() || !sorted.cols.is_output())
    terms.add("rows being copied to the host", cuda::delivery_bytes(grid.rows.count(), grid.cols.count()));
  return terms;
}

}  // namespace

DeviceGridPlan plan_device_grid(const SparsePattern& pattern, const FrequencyGrid& grid, GridEngine engine,
                                double tolerance, std::int64_t tile, Backend backend) {
  DeviceGridPlan plan;
  plan.grid = grid;
  plan.by_rows.tile = static_cast<std::uint64_t>(tile);
  if (engine == GridEngine::rows) {
    plan.by_rows_because = "as requested";
    return plan;
  }
  if (auto progressions = as_lattice(grid)) {
    plan.grid = *progressions;
    plan.by_rows_because = choose_lattice(plan, pattern, tolerance, backend);
  } else {
    plan.by_rows_because = "the frequencies are not evenly spaced";
  }
  if (!plan.lattice && engine == GridEngine::lattice) {
    throw Failure(ErrorCode::wrong_use,
                  "The lattice engine cannot be used on CUDA: " + plan.by_rows_because + ".",
                  "Set engine to auto or rows, or use --backend cpu.");
  }
  return plan;
}

Forecast forecast_device_grid(const DeviceGridPlan& plan, const RequestScope& request, Decoder decoder) {
  const SparsePattern& pattern = *request.pattern;
  if (!plan.lattice) return forecast_device_window(request, plan.grid, plan.by_rows, decoder);
  ByteTerms terms;
  const std::uint64_t height = plan.grid.rows.count();
  const std::uint64_t width = plan.grid.cols.count();
  terms.add("slots of the rows", 4 * static_cast<std::uint64_t>(pattern.nonzeros()));
  terms.add("classes of the samples", DeviceSampleFeatures::bytes(request, height, decoder));
  if (request.outputs.values || request.window || !request.outputs.features) {
    terms.add("values", saturating_product(8, height, width));
    terms.add("page-locked rows", cuda::delivery_bytes(height, width));
  }
  const double cells = std::max(2.0, plan.lattice->cells());
  const auto taps = [&](const LatticeAxisSizes& axis) {
    return axis.on_grid ? 1.0 : static_cast<double>(plan.lattice->shape.width);
  };
  const double operations =
      4.0 * taps(plan.lattice->rows) * taps(plan.lattice->cols) * static_cast<double>(pattern.nonzeros()) +
      5.0 * cells * std::log2(cells);
  Forecast forecast{terms.total(), operations, terms.text()};
  const Sorted sorted(plan, pattern);
  const std::uint64_t visits = expected_visits(plan, pattern, sorted);
  ByteTerms device = device_lattice_terms(plan, request, sorted, visits);
  device.add("classes and sums of the samples",
             DeviceSampleFeatures::device_bytes(request, height, width, 1, decoder));
  const ByteTerms order = order_terms(pattern, sorted, visits);
  add_device(forecast, order.total() > device.total() ? order : device);
  return forecast;
}

namespace {

/// `values` null: the coefficients stay on the device.
DeviceUse run_lattice(const PatternPtr& pattern, const DeviceGridPlan& plan, Backend backend, float* values,
                      const cuda::Reductions* reductions, JobContext& context) {
  const std::shared_ptr<DeviceCache> cache = device_cache(backend.device);
  DeviceJob host(backend, context);
  cuda::LatticeTask task;
  const Sorted sorted(plan, *pattern);
  task.rows = sorted.rows;
  task.cols = sorted.cols;
  task.values = values;
  task.reductions = reductions;
  const UsedData points(host, cache->pattern(pattern, host), "pattern");
  const UsedData order(host, cache->order(pattern, task.rows, task.cols, sorted.order, host),
                       "sorted entries");
  task.pattern = points.get();
  task.order = order.get();
  return host.run(task);
}

}  // namespace

std::vector<std::complex<float>> compute_device_grid(const PatternPtr& pattern, const DeviceGridPlan& plan,
                                                     Backend backend, JobContext& context, DeviceUse& use,
                                                     const DeviceSamplesWanted& samples) {
  if (!plan.lattice)
    return gather_on_device(*pattern, backend, plan.by_rows, plan.grid, samples, context, use);
  context.begin_stage("tables");
  BookedVector<std::complex<float>> values(context, samples.to_host ? plan.grid.count() : 0, "coefficients");
  use = run_lattice(pattern, plan, backend,
                    samples.to_host ? reinterpret_cast<float*>(values.data.data()) : nullptr,
                    samples.reductions, context);
  return std::move(values.data);
}

std::string note_of(const DeviceGridPlan& plan, const DeviceUse& use) {
  return (plan.lattice ? std::string("computed by the lattice engine")
                       : "computed by rows (" + plan.by_rows_because + ")") +
         "; " + use.note();
}

}  // namespace spyctrum
