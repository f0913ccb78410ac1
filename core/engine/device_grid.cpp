// SPDX-License-Identifier: Apache-2.0
// Plans and forecasts. The device makes the tables, spreads, transforms and cuts to the outputs; patterns and
// orders of entries are resident there.
// A window's rows are computed whole on the device; its columns are gathered there and copied to the host.
#include "core/engine/device_grid.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "core/device/device_cache.hpp"
#include "core/device/device_consumers.hpp"
#include "core/device/device_forecast.hpp"
#include "core/device/device_module.hpp"
#include "core/device/device_sample_features.hpp"
#include "core/device/interface/direct.hpp"
#include "core/device/row_receivers.hpp"
#include "core/device/row_transform_plans.hpp"
#include "core/fft/axis_leaks.hpp"

namespace spyctrum {

namespace {

constexpr double kMostPerCell = 32;  // entries per cell; with more, single-precision sums lose digits

/// Bytes of the arrays of cells and outputs.
double grid_bytes(const DeviceLattice& lattice, const FrequencyGrid& grid) {
  if (lattice.in_groups)
    return 8 *
           (static_cast<double>(lattice.values_between()) + static_cast<double>(lattice.group_outputs(grid)));
  return 8 * (lattice.cells() + static_cast<double>(lattice.lattice_rows().values()));
}

/// Sets plan.lattice to the fastest lattice within the tolerance, and plan.in_groups if that is faster, and
/// returns an empty text, or returns why there is none.
std::string choose_lattice(DeviceGridPlan& plan, const SparsePattern& pattern, double tolerance,
                           Backend backend) {
  if (tolerance < 1e-6) return "the tolerance is below 1e-6 and needs double precision";
  const auto entries = static_cast<double>(pattern.nonzeros());
  const std::optional<DeviceLattice> lattice =
      choose_device_lattice(plan.grid, entries, tolerance, most_cosets_of(plan.grid));
  if (!lattice) return "no spreading function satisfies the tolerance in single precision";
  if (entries > kMostPerCell * lattice->cells()) return "the fine grid has more than 32 entries per cell";
  const cuda::DeviceFacts facts = cuda_module().facts(backend.device);
  const auto fits = [&](const DeviceLattice& one) {
    return 2 * grid_bytes(one, plan.grid) <= static_cast<double>(facts.free_bytes);
  };
  if (!fits(*lattice))
    return "the fine grid and the lattice rows would take more than half of the device's memory";
  plan.lattice = lattice;
  if (most_cosets_of(plan.grid) == 1) return {};
  plan.in_groups = choose_lattice_in_groups(plan.grid, entries, tolerance, facts.block_bytes, *lattice);
  if (plan.in_groups && !fits(*plan.in_groups)) plan.in_groups.reset();
  return {};
}

ComputedAxis computed_rows(const DeviceGridPlan& plan) {
  return {plan.grid.rows, plan.lattice->rows, plan.lattice->row_cosets};
}
ComputedAxis computed_cols(const DeviceGridPlan& plan) {
  return {plan.grid.cols, plan.lattice->cols, plan.lattice->col_cosets};
}

/// The axes of a plan and how the entries are sorted for them.
struct Sorted {
  Sorted(const DeviceGridPlan& plan, const SparsePattern& pattern)
      : rows(plan.lattice->row_spec(plan.grid.rows)),
        cols(plan.lattice->col_spec(plan.grid.cols)),
        order(plan.lattice->in_groups ? cuda::LatticeOrder::groups : choose_order(pattern, rows, cols)) {}
  cuda::LatticeAxisSpec rows;
  cuda::LatticeAxisSpec cols;
  cuda::LatticeOrder order;
};

/// Number of tiles of the fine grid; 0 in an order without tiles.
std::uint64_t tiles_of(const Sorted& sorted) {
  if (sorted.order != cuda::LatticeOrder::tiles) return 0;
  return saturating_product((sorted.cols.fine + cuda::kTileCells - 1) / cuda::kTileCells,
                            (sorted.rows.fine + cuda::kTileCells - 1) / cuda::kTileCells);
}

/// Expected number of visits (pairs of an entry and a tile that its taps reach), for entries at random
/// positions.
std::uint64_t expected_visits(const DeviceGridPlan& plan, const SparsePattern& pattern,
                              const Sorted& sorted) {
  const auto entries = static_cast<double>(pattern.nonzeros());
  const double each = sorted.order == cuda::LatticeOrder::tiles ? visits_per_entry(*plan.lattice) : 1;
  return static_cast<std::uint64_t>(std::llround(entries * each));
}

/// Expected number of parts of tiles with several parts, for uniformly distributed entries: rounding up adds
/// half a part per tile on average.
std::uint64_t parts_of_crowded_tiles(std::uint64_t visits, std::uint64_t tiles) {
  const std::uint64_t parts = visits / cuda::longest_part(visits);
  return tiles > 0 && parts > tiles ? parts + tiles / 2 : 0;
}

/// True if direct sums take less time than rows, estimated for a large device: 10^-4 s for their two kernels,
/// and 10^12 terms a second in double precision; rows 10^12 entries and 3·10^10 points of an FFT a second.
bool is_direct_faster(const SparsePattern& pattern, const FrequencyGrid& grid) {
  const auto entries = static_cast<double>(pattern.nonzeros());
  const auto rows = static_cast<double>(grid.rows.count());
  const double direct = 1e-4 + rows * 1e-12 * entries * static_cast<double>(grid.cols.count());
  return direct < rows * (1e-12 * entries + 3e-11 * static_cast<double>(pattern.cols()));
}

std::uint64_t slot_bytes(const SparsePattern& pattern, std::uint64_t each) {
  return saturating_product(each, pattern.row_counts().ids.size() + pattern.column_ids().size());
}

/// Bytes of the weight of an entry.
std::uint64_t weight_bytes(const SparsePattern& pattern) { return pattern.has_weights() ? 4 : 0; }

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

/// Resident bytes of entries in an order of groups, with the tables.
void add_group_order(ByteTerms& terms, std::uint64_t entries, const Sorted& sorted) {
  constexpr std::uint64_t kRounding = 4096;  // of the sizes of all buffers, to multiples of 512
  terms.add("sorted entries", saturating_product(sizeof(cuda::CosetEntry), entries));
  terms.add("tables of the lattice",
            10 * (sorted.rows.fine + sorted.cols.fine) + 4 * sorted.cols.fine + kRounding);
}

/// Device bytes while the entries are sorted: the pattern, positions of the slots, and two arrays of visits
/// with their tiles.
ByteTerms order_terms(const SparsePattern& pattern, const Sorted& sorted, std::uint64_t visits) {
  ByteTerms terms;
  terms.add("pattern", device_entry_bytes(pattern));
  if (sorted.order == cuda::LatticeOrder::groups) {
    add_group_order(terms, visits, sorted);
    terms.add("entries that are being sorted", 4 * sorted.cols.fine);
    return terms;
  }
  add_positions(terms, pattern, sorted);
  terms.add("entries while they are sorted", (24 + weight_bytes(pattern)) * visits);
  return terms;
}

/// Bytes of the corrections by the axes' values, on the device.
std::uint64_t axis_terms(const Sorted& sorted) {
  return 8 * (sorted.rows.outputs() + sorted.cols.outputs()) +
         2 * sizeof(cuda::OutputLeak) * cuda::kMostLeaksOfAxis;
}

ByteTerms group_terms(const DeviceGridPlan& plan, const SparsePattern& pattern, const Sorted& sorted) {
  const DeviceLattice& lattice = *plan.lattice;
  ByteTerms terms;
  terms.add("pattern", device_entry_bytes(pattern));
  add_group_order(terms, static_cast<std::uint64_t>(pattern.nonzeros()), sorted);
  terms.add("corrections", 4 * (lattice.rows.distinct + lattice.cols.distinct) + 2048);
  terms.add("cosets between the transforms", 8 * lattice.values_between());
  terms.add("outputs", 8 * lattice.group_outputs(plan.grid));
  terms.add("values on the axes", axis_terms(sorted));
  return terms;
}

ByteTerms device_lattice_terms(const DeviceGridPlan& plan, const RequestScope& request, const Sorted& sorted,
                               std::uint64_t visits) {
  const DeviceLattice& lattice = *plan.lattice;
  const SparsePattern& pattern = *request.pattern;
  if (lattice.in_groups) return group_terms(plan, pattern, sorted);
  const FrequencyGrid& grid = plan.grid;
  const std::uint64_t tiles = tiles_of(sorted);
  ByteTerms terms;
  terms.add("pattern", device_entry_bytes(pattern));
  terms.add("sorted entries",
            sorted.order == cuda::LatticeOrder::cells
                ? (12 + weight_bytes(pattern)) * visits
                : saturating_sum((8 + weight_bytes(pattern)) * visits, saturating_product(32, tiles)));
  add_positions(terms, pattern, sorted);
  terms.add("tables", saturating_sum(record_bytes(pattern, sorted, kPhaseBytes),
                                     4 * (lattice.rows.distinct + lattice.cols.distinct)));
  terms.add("parts of crowded tiles", (8 * std::uint64_t{cuda::kTileCells} * cuda::kTileCells + 4) *
                                          parts_of_crowded_tiles(visits, tiles));
  terms.add("fine grid", 8 * lattice.rows.fine * lattice.cols.fine);
  terms.add("lattice rows × fine columns", 8 * lattice.lattice_rows().values());
  terms.add("work area of cuFFT",
            std::max(device_fft_work_bytes(request.backend,
                                           cuda::lattice_fft(lattice.rows.fine, lattice.cols.fine)),
                     device_fft_work_bytes(request.backend,
                                           cuda::lattice_fft(lattice.cols.fine, lattice.rows.distinct))));
  terms.add("values on the axes", axis_terms(sorted));
  if (!sorted.rows.is_output() || !sorted.cols.is_output())
    terms.add("rows being copied to the host", cuda::delivery_bytes(grid.rows.count(), grid.cols.count()));
  return terms;
}

/// The terms of the lattice of a plan, or those while its entries are sorted if these are more.
ByteTerms lattice_and_order_terms(const DeviceGridPlan& plan, const RequestScope& request) {
  const Sorted sorted(plan, *request.pattern);
  const std::uint64_t visits = expected_visits(plan, *request.pattern, sorted);
  const ByteTerms lattice = device_lattice_terms(plan, request, sorted, visits);
  const ByteTerms order = order_terms(*request.pattern, sorted, visits);
  return order.total() > lattice.total() ? order : lattice;
}

/// The plan whose lattice is computed in groups.
DeviceGridPlan with_groups(const DeviceGridPlan& plan) {
  DeviceGridPlan groups = plan;
  groups.lattice = std::exchange(groups.in_groups, std::nullopt);
  return groups;
}

ByteTerms device_direct_terms(const DeviceGridPlan& plan, const RequestScope& request, Decoder decoder) {
  const SparsePattern& pattern = *request.pattern;
  const std::uint64_t height = plan.grid.rows.count();
  const std::uint64_t width = plan.grid.cols.count();
  const auto entries = static_cast<std::uint64_t>(pattern.nonzeros());
  ByteTerms terms;
  terms.add("pattern", device_entry_bytes(pattern));
  terms.add("frequencies", 4 * saturating_sum(height, width));
  terms.add("sums over parts of the entries", cuda::direct_cut(height, width, entries).bytes());
  terms.add("rows being copied to the host", cuda::delivery_bytes(height, width));
  terms.add("classes and sums of the samples",
            DeviceSampleFeatures::device_bytes(request, height, width, 1, decoder));
  // cudaMalloc rounds each array up to a multiple of 512 bytes; there are at most twelve.
  terms.add("rounding of array sizes", std::uint64_t{12} * 512);
  return terms;
}

}  // namespace

DeviceGridPlan plan_device_grid(const SparsePattern& pattern, const FrequencyGrid& grid, GridEngine engine,
                                double tolerance, std::int64_t tile, Backend backend,
                                std::optional<std::uint64_t> device_bytes) {
  DeviceGridPlan plan;
  plan.grid = grid;
  plan.by_rows.tile = static_cast<std::uint64_t>(tile);
  if (engine == GridEngine::rows) {
    plan.no_lattice_because = "as requested";
    return plan;
  }
  if (auto progressions = as_lattice(grid)) {
    plan.grid = *progressions;
    plan.no_lattice_because = choose_lattice(plan, pattern, tolerance, backend);
  } else if (engine == GridEngine::lattice) {
    throw Failure(ErrorCode::wrong_use, "The lattice engine needs evenly spaced frequencies on both axes.",
                  "Set engine to auto or rows.");
  } else {
    plan.no_lattice_because = "the frequencies are not evenly spaced";
  }
  if (plan.lattice) return plan;
  plan.direct = engine == GridEngine::lattice || is_direct_faster(pattern, plan.grid);
  if (plan.direct) return plan;
  const std::uint64_t allowed = device_bytes ? *device_bytes : cuda_module().facts(backend.device).free_bytes;
  plan.direct =
      device_row_terms(pattern, backend, plan.grid.rows.count(), plan.grid.cols.count(), plan.by_rows)
          .total() > allowed;
  return plan;
}

Forecast forecast_device_grid(const DeviceGridPlan& plan, const RequestScope& request, Decoder decoder) {
  const SparsePattern& pattern = *request.pattern;
  if (!plan.lattice && !plan.direct) return forecast_device_window(request, plan.grid, plan.by_rows, decoder);
  ByteTerms terms;
  const std::uint64_t height = plan.grid.rows.count();
  const std::uint64_t width = plan.grid.cols.count();
  terms.add("slots of the rows", 4 * static_cast<std::uint64_t>(pattern.nonzeros()));
  if (plan.direct) terms.add("frequencies", 4 * saturating_sum(height, width));
  terms.add("classes of the samples", DeviceSampleFeatures::bytes(request, height, decoder));
  if (request.outputs.values || request.window || !request.outputs.features) {
    terms.add("values", saturating_product(8, height, width));
    terms.add("page-locked rows", cuda::delivery_bytes(height, width));
  }
  if (plan.lattice) terms.add("axes", axis_leaks_bytes(computed_rows(plan), computed_cols(plan)));
  if (plan.direct) {
    const auto entries = static_cast<double>(pattern.nonzeros());
    Forecast forecast{terms.total(), 8 * entries * static_cast<double>(plan.grid.count()), terms.text()};
    add_device(forecast, device_direct_terms(plan, request, decoder));
    return forecast;
  }
  const double cells = std::max(2.0, plan.lattice->cells());
  const auto taps = [&](const LatticeAxisSizes& axis) {
    return axis.on_grid ? 1.0 : static_cast<double>(plan.lattice->shape.width);
  };
  const double operations =
      (4.0 * taps(plan.lattice->rows) * taps(plan.lattice->cols) * static_cast<double>(pattern.nonzeros()) +
       5.0 * cells * std::log2(cells)) *
      static_cast<double>(plan.lattice->lattice_rows().pairs);
  Forecast forecast{terms.total(), operations, terms.text()};
  // Crowded entries are computed on the fine grid, whose buffers are booked against the allowance, too.
  ByteTerms device = lattice_and_order_terms(plan.in_groups ? with_groups(plan) : plan, request);
  device.add("classes and sums of the samples",
             DeviceSampleFeatures::device_bytes(request, height, width, 1, decoder));
  add_device(forecast, device);
  return forecast;
}

namespace {

/// The corrections of a plan's lattice.
class Corrections : public cuda::LatticeCorrections {
 public:
  Corrections(const SparsePattern& pattern, const DeviceGridPlan& plan, JobContext& context)
      : pattern_(pattern),
        plan_(plan),
        context_(context),
        booking_(context.memory(), axis_leaks_bytes(computed_rows(plan), computed_cols(plan)), "axes") {}
  [[nodiscard]] Axes compute() override {
    context_.check_stop();
    const AxisLeaks leaks = axis_leaks(pattern_, computed_rows(plan_), computed_cols(plan_),
                                       plan_.lattice->shape, context_.pool());
    return {rows_.view(leaks.rows, leaks.col_values), cols_.view(leaks.cols, leaks.row_values)};
  }

 private:
  struct OfAxis {
    std::vector<cuda::OutputLeak> leaks;
    std::vector<std::complex<float>> values;
    cuda::AxisCorrections view(const ZeroOfAxis& zero, const std::vector<std::complex<double>>& at_zero) {
      for (const AxisLeak& leak : zero.leaks)
        leaks.push_back({static_cast<std::uint32_t>(leak.output), static_cast<float>(leak.share)});
      values.assign(at_zero.begin(), at_zero.end());
      return {leaks.data(), static_cast<std::uint32_t>(leaks.size()), zero.output.has_value(),
              static_cast<std::uint32_t>(zero.output.value_or(0)),
              reinterpret_cast<const float*>(values.data())};
    }
  };
  const SparsePattern& pattern_;
  const DeviceGridPlan& plan_;
  JobContext& context_;
  Booking booking_;
  OfAxis rows_;
  OfAxis cols_;
};
static_assert(kMostLeaks * kMostCosets <= cuda::kMostLeaksOfAxis);

/// `receiver` null: the coefficients stay on the device. Empty if an order in groups is not precise.
std::optional<DeviceUse> run_lattice(const PatternPtr& pattern, const DeviceGridPlan& plan, Backend backend,
                                     cuda::RowReceiver* receiver, const cuda::Reductions* reductions,
                                     JobContext& context) {
  const std::shared_ptr<DeviceCache> cache = device_cache(backend.device);
  DeviceJob host(backend, context);
  cuda::LatticeTask task;
  const Sorted sorted(plan, *pattern);
  task.rows = sorted.rows;
  task.cols = sorted.cols;
  task.by = sorted.order;
  Corrections corrections(*pattern, plan, context);
  task.corrections = &corrections;
  task.receiver = receiver;
  task.reductions = reductions;
  const UsedData points(host, cache->pattern(pattern, host), "pattern");
  const UsedData order(host, cache->order(pattern, task.rows, task.cols, sorted.order, host),
                       "sorted entries");
  if (!order.get()->is_precise()) return std::nullopt;
  task.pattern = points.get();
  task.order = order.get();
  return host.run(task);
}

/// As run_lattice(), by direct sums.
DeviceUse run_direct(const PatternPtr& pattern, const DeviceGridPlan& plan, Backend backend,
                     cuda::RowReceiver* receiver, const cuda::Reductions* reductions, JobContext& context) {
  const auto indices = [&](const FrequencyAxis& axis) {
    BookedVector<std::uint32_t> list(context, axis.count(), "frequencies");
    for (std::uint64_t k = 0; k < axis.count(); ++k)
      list.data[k] = static_cast<std::uint32_t>(axis.index_at(k));
    return list;
  };
  const auto u = indices(plan.grid.rows);
  const auto v = indices(plan.grid.cols);
  const std::shared_ptr<DeviceCache> cache = device_cache(backend.device);
  DeviceJob host(backend, context);
  const UsedData points(host, cache->pattern(pattern, host), "pattern");
  cuda::DirectTask task;
  task.pattern = points.get();
  task.rows = u.data.size();
  task.cols = v.data.size();
  task.u = u.data.data();
  task.v = v.data.data();
  task.receiver = receiver;
  task.reductions = reductions;
  return host.run(task);
}

}  // namespace

std::vector<std::complex<float>> compute_device_grid(const PatternPtr& pattern, const DeviceGridPlan& plan,
                                                     Backend backend, JobContext& context, DeviceUse& use,
                                                     const DeviceSampleOutputs& samples) {
  if (!plan.lattice && !plan.direct)
    return compute_rows_of_grid(*pattern, backend, plan.by_rows, plan.grid, samples, context, use);
  context.begin_stage("tables");
  BookedVector<std::complex<float>> values(context, samples.to_host ? plan.grid.count() : 0, "coefficients");
  RowsTo to_values = rows_to_array(values.data.data(), plan.grid.cols.count(), context.pool());
  cuda::RowReceiver* const to = samples.to_host ? &to_values : nullptr;
  std::optional<DeviceUse> used;
  if (plan.direct) used = run_direct(pattern, plan, backend, to, samples.reductions, context);
  if (plan.in_groups)
    used = run_lattice(pattern, with_groups(plan), backend, to, samples.reductions, context);
  if (!used) used = run_lattice(pattern, plan, backend, to, samples.reductions, context);
  use = *used;
  return std::move(values.data);
}

std::string note_of(const DeviceGridPlan& plan, const DeviceUse& use) {
  return (plan.lattice  ? std::string("computed by the lattice engine")
          : plan.direct ? "computed by direct sums (" + plan.no_lattice_because + ")"
                        : "computed by rows (" + plan.no_lattice_because + ")") +
         "; " + use.note();
}

Forecast forecast_device_window(const RequestScope& request, const FrequencyGrid& window,
                                const DeviceRows& rows, Decoder decoder) {
  const SparsePattern& pattern = *request.pattern;
  const std::uint64_t count = window.rows.count();
  ByteTerms terms;
  terms.add("classes of the samples", DeviceSampleFeatures::bytes(request, count, decoder));
  if (request.window || request.outputs.values || !request.outputs.features) {
    terms.add("values", saturating_product(8, count, window.cols.count()));
    const std::uint64_t kept = terms.total();
    add_device_staging(terms, pattern, count, window.cols.count(), rows);
    if (rows.algorithm != cuda::RowAlgorithm::paper) add_axis_values(terms, kept, window);
  }
  const RowPlan plan = plan_rows(pattern, LengthRule::paper, count, static_cast<std::int64_t>(rows.tile), 1);
  Forecast forecast{terms.total(), plan.operations, terms.text()};
  ByteTerms device = device_row_terms(pattern, request.backend, count, window.cols.count(), rows);
  device.add("classes and sums of the samples",
             DeviceSampleFeatures::device_bytes(request, count, window.cols.count(), kDeviceLanes, decoder));
  add_device(forecast, device);
  return forecast;
}

Spectrum run_device_window(const RequestScope& request, const DeviceRows& rows, JobContext& context) {
  DeviceUse use;
  Spectrum spectrum = sampled_spectrum(
      *request.pattern, *request.window,
      compute_rows_of_grid(*request.pattern, request.backend, rows, *request.window, {}, context, use));
  spectrum.provenance.note = use.note();
  return spectrum;
}

std::vector<std::complex<float>> compute_rows_of_grid(const SparsePattern& pattern, Backend backend,
                                                      const DeviceRows& rows, const FrequencyGrid& grid,
                                                      const DeviceSampleOutputs& samples, JobContext& context,
                                                      DeviceUse& use) {
  auto values = gather_on_device(pattern, backend, rows, grid, samples, context, use);
  if (rows.algorithm != cuda::RowAlgorithm::paper) set_axis_values(pattern, grid, values, context);
  return values;
}

}  // namespace spyctrum
