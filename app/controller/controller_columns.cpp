// SPDX-License-Identifier: Apache-2.0
// Columns and the runs of their methods. A column's result stays on the screen
// until a newer one is there; finished results are kept by cache key, so that
// moving the slider back, or returning to a matrix, computes nothing.
#include <algorithm>
#include <array>

#include "app/controller/controller.hpp"
#include "core/base/memory_ledger.hpp"
#include "core/matrix/reordering.hpp"

namespace spyctrum {

namespace {

constexpr std::array<std::uint32_t, 8> kColors{0x5FD38D, 0x4DA3FF, 0xC792EA, 0xF2A65A,
                                               0x4EC9B0, 0xF47C9F, 0xE5D45B, 0x9AA7C7};
constexpr std::uint32_t kPyramidCells = 2048;
constexpr std::uint64_t kCacheBytes = std::uint64_t{512} << 20U;
/// Floating-point operations (as forecast) beyond which a run is not started unasked: about ten
/// minutes on the two cores that this was measured on.
constexpr double kUnaskedOperations = 2e12;
constexpr double kUnaskedOperationsOnDevice = 2e14;

std::uint64_t bytes_of(const Spectrum& spectrum) {
  std::uint64_t bytes = spectrum.values.size() * sizeof(spectrum.values[0]);
  if (spectrum.pyramid) bytes += 2 * spectrum.pyramid->mean_power.size() * sizeof(float);
  return bytes;
}

std::string run_name(ColumnId id) { return "run/" + std::to_string(id); }

}  // namespace

ColumnId Controller::add_column(const std::string& method) {
  if (find_method(method) == nullptr) return 0;
  Column column;
  column.id = state_.next_column++;
  column.method = method;
  column.block = state_.block;
  column.color = free_color();
  adopt_method(column);
  state_.columns.push_back(std::move(column));
  choose_reference();
  return state_.columns.back().id;
}

/// The method's colour when nobody has it: Exact is green on every screen.
std::uint32_t Controller::free_color() const {
  for (const std::uint32_t color : kColors) {
    if (std::none_of(state_.columns.begin(), state_.columns.end(),
                     [&](const Column& column) { return column.color == color; })) {
      return color;
    }
  }
  return kColors[state_.columns.size() % kColors.size()];
}

void Controller::adopt_method(Column& column) {
  const Method& method = *find_method(column.method);
  const MethodInfo& info = method.info();
  column.label = info.label;
  column.uses_block = info.uses_block;
  column.exactness = info.exactness;
  column.parameters = resolve(method, {}).value();
  // Power on a reduced plane is of another size: within the others' range it would be one colour.
  column.own_range = info.exactness == Exactness::estimate;
}

void Controller::choose_reference() {
  Column* chosen = nullptr;
  for (Column& column : state_.columns) {
    const MethodInfo& info = find_method(column.method)->info();
    const bool exact = info.full_plane && info.exactness == Exactness::exact;
    const bool as_stored = column.arrangement.kind == Arrangement::Kind::matrix;
    column.reference = exact && as_stored && chosen == nullptr;
    column.label = exact && !as_stored ? "Exact" : info.label;
    if (column.arrangement.kind == Arrangement::Kind::region) column.label += " · region";
    if (const OrderInfo* order = find_order(column.arrangement.order); order != nullptr && !as_stored)
      column.label += " · " + std::string(order->label);
    if (column.reference) {
      chosen = &column;
      column.label = "Exact";
    }
  }
}

void Controller::handle(const action::AddColumn& chosen) {
  const ColumnId id = add_column(chosen.method);
  if (id == 0) return notify(Level::warning, "There is no method '" + chosen.method + "'.");
  handle(action::SetColumnArrangement{id, chosen.arrangement});
}

void Controller::handle(const action::RemoveColumn& chosen) {
  if (state_.column(chosen.column) == nullptr) return;
  const std::string id = std::to_string(chosen.column);
  for (const char* prefix : {"run/", "reconstruction/", "passed/", "arrange/", "hierarchy/"})
    runner_.drop(prefix + id);
  runner_.drop_all("range/" + id + "/");
  work_.erase(chosen.column);
  std::erase_if(state_.columns, [&](const Column& column) { return column.id == chosen.column; });
  if (state_.interface.focused_column >= state_.columns.size()) state_.interface.focused_column = 0;
  if (std::none_of(state_.columns.begin(), state_.columns.end(),
                   [](const Column& column) { return column.arrangement.kind == Arrangement::Kind::region; }))
    state_.region.reset();
  choose_reference();
}

void Controller::handle(const action::MoveColumn& chosen) {
  const auto from = std::find_if(state_.columns.begin(), state_.columns.end(),
                                 [&](const Column& column) { return column.id == chosen.column; });
  if (from == state_.columns.end()) return;
  Column moved = std::move(*from);
  state_.columns.erase(from);
  const std::size_t place = std::min(chosen.index, state_.columns.size());
  state_.columns.insert(state_.columns.begin() + static_cast<std::ptrdiff_t>(place), std::move(moved));
}

void Controller::handle(const action::SetColumnMethod& chosen) {
  Column* column = state_.column(chosen.column);
  if (column == nullptr || column->method == chosen.method) return;
  if (find_method(chosen.method) == nullptr) {
    notify(Level::warning, "There is no method '" + chosen.method + "'.");
    return;
  }
  column->method = chosen.method;
  adopt_method(*column);
  choose_reference();
}

void Controller::handle(const action::SetColumnParameter& chosen) {
  Column* column = state_.column(chosen.column);
  if (column == nullptr) return;
  ResolvedParameters parameters = column->parameters;
  if (const auto set = parameters.set(chosen.name, chosen.value); !set) {
    notify(Level::warning, set.error().message());
    return;
  }
  if (chosen.name == "block") {
    handle(action::SetColumnBlock{column->id, static_cast<std::uint32_t>(parameters.integer("block"))});
  } else {
    column->parameters = std::move(parameters);
  }
}

void Controller::handle(const action::SetColumnBlock& chosen) {
  Column* column = state_.column(chosen.column);
  if (column == nullptr) return;
  column->own_block = chosen.block.has_value();
  column->block = std::clamp(chosen.block.value_or(state_.block), 1U, kLargestBlock);
}

void Controller::handle(const action::ApplyAdvice& chosen) {
  const Column* column = state_.column(chosen.column);
  if (column == nullptr) return;
  const ParameterValues setting = advised_setting(state_, *column);
  const auto advised = resolve(*find_method(column->method), setting);
  if (!advised) return notify(Level::warning, advised.error().message());
  for (const auto& [name, value] : setting) {
    if (name == "block" && !column->own_block)
      handle(action::SetBlock{static_cast<std::uint32_t>(advised->integer("block"))});
    else
      handle(action::SetColumnParameter{chosen.column, name, value});
  }
}

void Controller::handle(const action::SetBlock& chosen) {
  state_.block = std::clamp(chosen.block, 1U, kLargestBlock);
  for (Column& column : state_.columns) {
    if (!column.own_block) column.block = state_.block;
  }
}

void Controller::handle(const action::RunColumn& chosen) {
  Column* column = state_.column(chosen.column);
  if (column == nullptr || (column->busy && column->held_back.empty())) return;
  ColumnWork& work = work_[column->id];
  work.forced = true;
  work.to_the_end = column->stopped;
  if (column->error || column->stopped || !column->held_back.empty()) work.run_key.clear();
}

Result<ResolvedRequest> Controller::run_request(const Column& column) const {
  const Method& method = *find_method(column.method);
  ResolvedRequest request;
  request.pattern = pattern_of(column);
  request.parameters = column.parameters;
  if (column.uses_block)
    if (auto set = request.parameters.set("block", std::int64_t{column.block}); !set)
      return tl::unexpected<Error>(set.error());
  const bool streams = method.info().full_plane;
  request.outputs.values = !streams;
  request.outputs.features = true;
  request.outputs.pyramid = streams;
  request.outputs.pyramid_cells = kPyramidCells;
  request.threads = runner_.threads();
  request.backend = backend_;
  return request;
}

void Controller::reconcile_run(Column& column) {
  if (!pattern_of(column)) return;
  ColumnWork& work = work_[column.id];
  if (column.arrangement.kind == Arrangement::Kind::region && state_.region_live) {
    runner_.drop(run_name(column.id));
    column.busy = false;
    work.run_key.clear();
    return;
  }
  const Method& method = *find_method(column.method);
  Result<ResolvedRequest> request = run_request(column);
  const std::string key =
      request ? cache_key(method, *request, state_.settings.seed) : request.error().message();
  if (key == work.run_key) return;
  work.run_key = key;
  runner_.drop(run_name(column.id));
  column.busy = false;
  column.error.reset();
  column.held_back.clear();
  column.estimate.reset();
  column.passed.reset();
  column.stopped = false;
  work.progress.reset();
  if (!request) {
    column.error = request.error();
  } else if (SpectrumPtr known = cached(key)) {
    take_spectrum(column, std::move(known));
  } else {
    start_run(column, method, std::move(*request), key);
  }
}

void Controller::start_run(Column& column, const Method& method, ResolvedRequest request,
                           const std::string& key) {
  Support support = method.supports(request.backend, pattern_->rows(), pattern_->cols());
  if (!support.ok && request.backend.automatic) {  // the program's own choice; run_method() does the same
    request.backend = {};
    support = method.supports(request.backend, pattern_->rows(), pattern_->cols());
  }
  if (!support.ok) {
    column.error = Error{ErrorCode::wrong_use, column.label + ": " + support.reason, {}, 0};
    return;
  }
  const bool on_device = request.backend.kind == BackendKind::cuda;
  // The operations are the CPU's count on either backend: a device's forecast asks the driver, which may be
  // busy for many frames. The job asks it, and its provenance has the bytes.
  ResolvedRequest estimated = request;
  estimated.backend = {};
  const Forecast forecast = method.forecast(estimated);
  if (!on_device) column.cost.bytes_forecast = forecast.bytes;
  ColumnWork& work = work_[column.id];
  const bool takes_long = forecast.operations > (on_device ? kUnaskedOperationsOnDevice : kUnaskedOperations);
  const bool streams = method.info().full_plane;
  // What would not fit is refused at once, with a block size that does: no need to ask first.
  const bool is_refused = takes_long && !streams && !on_device &&
                          forecast.bytes > memory_allowance_bytes(state_.settings.memory_bytes);
  if (takes_long && !is_refused && !work.forced) {
    column.held_back = streams ? column.label +
                                     " of every coefficient takes long at this size and was not started; "
                                     "pictures are drawn from exact samples and windows meanwhile."
                               : column.label + " takes long at this size and was not started.";
    if (method.info().uses_block) column.held_back += " A larger block size takes less.";
    return;
  }
  work.forced = false;
  column.busy = true;
  if (method.info().resumable) prepare_stream(column, key, request);
  JobRequest job = request_job(streams ? Lane::stream : Lane::compute, run_name(column.id),
                               column.label + " · " + matrix_name());
  job.column = column.id;
  runner_.submit<RunOutcome>(
      job,
      [&method, request = std::move(request)](JobContext& context) {
        return run_or_fall_back(method, request, context);
      },
      [this, id = column.id, key](Result<RunOutcome> result) { finish_run(id, key, std::move(result)); });
}

void Controller::finish_run(ColumnId id, const std::string& key, Result<RunOutcome> result) {
  Column* column = state_.column(id);
  if (column == nullptr) return;
  column->busy = false;
  if (result) {
    if (result->fallback) note_fallback(column->label, *result->fallback);
    if (!pause_stream(*column)) {
      pass_stream(*column);
      cache(key, result->spectrum);
    }
    take_spectrum(*column, std::move(result->spectrum));
    return;
  }
  if (result.error().code == ErrorCode::cancelled && pause_stream(*column)) return take_passed_rows(*column);
  column->error = result.error();
  if (result.error().code != ErrorCode::cancelled) {
    notify(Level::error, column->label + ": " + result.error().message());
  }
}

void Controller::take_spectrum(Column& column, SpectrumPtr spectrum) {
  column.busy = false;
  column.exactness = spectrum->exactness;
  column.cost = {spectrum->provenance.seconds, spectrum->provenance.stages,
                 spectrum->provenance.bytes_forecast, spectrum->provenance.bytes_peak};
  const double plane = static_cast<double>(spectrum->m) * static_cast<double>(spectrum->n);
  const bool whole = find_method(column.method)->info().full_plane;
  const bool scattered = spectrum->placement == Placement::scattered;
  const bool left = whole && column.stopped && spectrum->features;
  column.samples = left        ? spectrum->features->samples
                   : whole     ? spectrum->m * spectrum->n
                   : scattered ? spectrum->points.count()
                               : spectrum->grid.count();
  column.sampling_rate = whole && !left ? 1.0 : static_cast<double>(column.samples) / plane;
  column.feature_errors.reset();
  if (column.reference)
    for (Column& other : state_.columns) other.feature_errors.reset();  // they were against another one
  column.reconstruction_errors.reset();
  column.spectrum = std::move(spectrum);
  work_[column.id].spectrum_of = pattern_of(column);
}

void Controller::reconcile_reconstruction(Column& column) {
  const Fill fill = state_.scale.fill;
  ColumnWork& work = work_[column.id];
  const std::string key = "reconstruction/" + std::to_string(column.id);
  if (!column.spectrum || column.spectrum->values.empty()) {
    runner_.drop(key);
    work.reconstruction.reset();
    work.reconstructed_from = work.reconstructing_from = nullptr;
    return;
  }
  if (work.reconstructing_from == column.spectrum && work.reconstructing_fill == fill) return;
  if (!pattern_of(column)) return;
  work.reconstructing_from = column.spectrum;
  work.reconstructing_fill = fill;
  JobRequest job = request_job(Lane::compute, key, "Reconstruction of " + column.label);
  job.column = column.id;
  runner_.submit<ReconstructionPtr>(
      job,
      [spectrum = column.spectrum, fill,
       pattern = pattern_of(column)](JobContext& context) -> ReconstructionPtr {
        Result<Reconstruction> made = Reconstruction::make(spectrum, fill, *pattern, context);
        if (!made) throw Failure(made.error());
        return std::make_shared<const Reconstruction>(std::move(*made));
      },
      [this, id = column.id, spectrum = column.spectrum, fill](Result<ReconstructionPtr> made) {
        Column* target = state_.column(id);
        if (target == nullptr) return;
        if (!made) {
          target->picture(Row::reconstruction).error = made.error();
          if (made.error().code != ErrorCode::cancelled) notify(Level::error, made.error().message());
          return;
        }
        ColumnWork& finished = work_[id];
        finished.reconstruction = std::move(*made);
        finished.reconstructed_from = spectrum;
        finished.reconstructed_fill = fill;
        target->line_coefficients = finished.reconstruction->line_coefficients();
      });
}

SpectrumPtr Controller::cached(const std::string& key) {
  const auto found =
      std::find_if(cache_.begin(), cache_.end(), [&](const auto& kept) { return kept.first == key; });
  if (found == cache_.end()) return nullptr;
  cache_.splice(cache_.begin(), cache_, found);
  return cache_.front().second;
}

void Controller::cache(const std::string& key, const SpectrumPtr& spectrum) {
  std::erase_if(cache_, [&](const auto& kept) { return kept.first == key; });
  cache_.emplace_front(key, spectrum);
  std::uint64_t bytes = 0;
  for (auto at = cache_.begin(); at != cache_.end();) {
    bytes += bytes_of(*at->second);
    // The newest stays whatever it holds: a column shows it anyway.
    at = bytes > kCacheBytes && at != cache_.begin() ? cache_.erase(at) : std::next(at);
  }
}

}  // namespace spyctrum
