// SPDX-License-Identifier: Apache-2.0
// A picture is identified by its PictureSpec; columns with equal specs share one. Ranges follow the pixels
// shown.
#include "app/controller/pictures/picture_service.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/methods/method.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/controller/pictures/phase_errors.hpp"

namespace spyctrum {

namespace {

constexpr std::array<Row, kRows> kAllRows{Row::pattern, Row::spectrum, Row::reconstruction, Row::error};
constexpr std::size_t kFailedPictures = 32;

std::string range_key(ColumnId column, Row row) {
  return "range/" + std::to_string(column) + "/" + std::string(name_of(row));
}

bool is_open(const AppState& state, Row row) { return state.compare.rows[static_cast<std::size_t>(row)]; }

bool needs_reconstructions(const AppState& state) {
  return is_open(state, Row::reconstruction) || is_open(state, Row::error);
}

/// Whether the error row of the column shows differences of phases.
bool shows_phases(const AppState& state, const Column& column) {
  return is_open(state, Row::error) && state.scale.error == PictureError::phase &&
         state.reference() != nullptr && column.is_of_matrix() && column.spectrum &&
         has_phases(*column.spectrum);
}

bool is_full_plane(const Column& column) { return find_method(column.method)->info().full_plane; }

/// Whether the picture would replace a coarser one that is shown, so that its failure is not reported.
bool is_sharper(const PictureSpec& spec) {
  return spec.budget == kExactBudget.most || spec.budget == kReconstructionBudget.most;
}

bool waits(const PictureSpec& requested, const PictureSpec& shown) {
  return requested.source != PictureSpec::Source::none && !(requested == shown);
}

/// Whether a picture of `shown` is coarser than one of `requested`, or covers only a part of it.
bool misses_view(const PictureArea& requested, const PictureArea& shown) {
  constexpr double kMore = 1.1;  // pixels of one in the other
  const auto is_along = [&](double low, double high, double shown_low, double shown_high, double pixels,
                            double shown_pixels) {
    const double room = 1e-6 * (high - low);
    const bool is_part = low < shown_low - room || high > shown_high + room;
    return is_part || pixels * (shown_high - shown_low) > kMore * shown_pixels * (high - low);
  };
  const PlaneRect &to = requested.rect, &from = shown.rect;
  return is_along(to.top, to.bottom, from.top, from.bottom, requested.height, shown.height) ||
         is_along(to.left, to.right, from.left, from.right, requested.width, shown.width);
}

/// Coefficients inside the rectangle, at most those of the plane.
double coefficients_in(const PlaneRect& rect, const PlaneRect& full) {
  const double rows = std::min(rect.bottom, full.bottom) - std::max(rect.top, full.top);
  const double cols = std::min(rect.right, full.right) - std::max(rect.left, full.left);
  return std::max(0.0, rows + 1) * std::max(0.0, cols + 1);
}

/// A full plane is its own reconstruction.
void mirror_own_spectrum(Column& column) {
  const Picture& own = column.picture(Row::spectrum);
  Picture& mirrored = column.picture(Row::reconstruction);
  if (mirrored.shown != own.shown) ++mirrored.version;
  mirrored.shown = own.shown;
  mirrored.busy = own.busy;
  mirrored.misses_view = own.misses_view;
  mirrored.error = own.error;
  mirrored.own_range = own.own_range;
  mirrored.histogram = own.histogram;
}

void widen(std::optional<DisplayRange>& range, const DisplayRange& by) {
  range = range ? DisplayRange{std::min(range->low, by.low), std::max(range->high, by.high)} : by;
}

/// Sets the range of each picture: the manual, the shared, or its own.
void resolve_ranges(AppState& state) {
  std::optional<DisplayRange> shared = shared_range(state), errors;
  if (shared)
    for (const std::optional<DisplayRange>& of_frame : state.animation.ranges)
      if (of_frame) widen(shared, *of_frame);
  for (const Column& column : state.columns)
    if (const Picture& picture = column.picture(Row::error); picture.shown) widen(errors, picture.own_range);
  for (Column& column : state.columns) {
    for (const Row row : kAllRows) {
      Picture& picture = column.picture(row);
      const bool spectral = row == Row::spectrum || row == Row::reconstruction;
      const bool own = column.own_range || column.look.range || !state.scale.shared || !shared;
      picture.range_is_own =
          spectral && own && !(state.scale.manual && !column.own_range && !column.look.range);
      if (row == Row::error && state.scale.shared && errors) {
        picture.range = *errors;
      } else if (!spectral || picture.range_is_own) {
        picture.range = spectral && column.look.range ? *column.look.range : picture.own_range;
      } else if (state.scale.manual) {
        picture.range = *state.scale.manual;
      } else {
        picture.range = *shared;
      }
    }
  }
}

/// ⌈m/b⌉·⌈n/b⌉.
std::uint64_t blocks_of(const SparsePattern& pattern, std::uint64_t block) {
  return block_count(pattern.rows(), block) * block_count(pattern.cols(), block);
}

/// The number of samples that a cell of the column's picture averages: kSamplesPerCell, or more if the noise
/// of their mean would exceed a sixth of the colours' range and the view still has kManyCells cells. The
/// reference's range is used, so that a picture does not depend on its own range.
std::uint32_t samples_per_cell(const AppState& state, const Column& column, const PlaneRect& rect) {
  constexpr double kShareOfRange = 1.0 / 6, kManyCells = 1024;
  if (state.scale.single_samples) return 1;
  const Column* reference = state.reference();
  const bool shares = state.scale.shared && !column.own_range && !column.look.range;
  if (!shares || reference == nullptr || state.scale.channel != Channel::mean || column.id == reference->id ||
      !reference->picture(Row::spectrum).shown)
    return kSamplesPerCell;
  const DisplayRange& range = reference->picture(Row::spectrum).own_range;
  const double noise = kShareOfRange * std::numbers::ln10 * static_cast<double>(range.high - range.low);
  const PlaneRect& full = state.view(Plane::spectrum).full;
  const double samples = static_cast<double>(column.spectrum->grid.count()) * coefficients_in(rect, full) /
                         coefficients_in(full, full);
  const double most = std::max<double>(kSamplesPerCell, samples / kManyCells);
  double count = kSamplesPerCell;
  while (count < most && 1 / std::sqrt(count) > noise)
    count *= 2;  // doubling: similar ranges give the same number
  return static_cast<std::uint32_t>(std::min(count, most));
}

/// A picture of a drawing has one cell for each entry or coefficient in view, where these are larger than
/// pixels: it is made with every stroke. `offset`: where the edges of coefficients lie.
void fit_to_units(PictureSpec& spec, double offset) {
  const auto fit = [offset](double& low, double& high, std::uint32_t& pixels) {
    const double first = std::floor(low - offset), last = std::ceil(high - offset);
    if (last - first >= pixels) return;
    low = first + offset;
    high = last + offset;
    pixels = static_cast<std::uint32_t>(last - first);
  };
  fit(spec.area.rect.top, spec.area.rect.bottom, spec.area.height);
  fit(spec.area.rect.left, spec.area.rect.right, spec.area.width);
}

/// Why the column has no error against the reference; empty if it has one.
std::string reason_not_compared(const AppState& state, const Column& column) {
  const Column* reference = state.reference();
  if (!column.is_of_matrix()) return "Not compared: the spectrum of another arrangement of entries.";
  if (reference == nullptr) return "There is no exact column to compare with.";
  if (column.reference) return "The reference: what the other columns are compared with.";
  if (view_of(state, column, Plane::spectrum) != view_of(state, *reference, Plane::spectrum))
    return "Not compared: the column and the reference show other parts of the plane.";
  return {};
}

}  // namespace

std::optional<DisplayRange> shared_range(const AppState& state) {
  const auto shares = [](const Column& column) {
    return !column.own_range && column.picture(Row::spectrum).shown;
  };
  std::optional<DisplayRange> range;
  std::vector<Arrangement> seen;
  const auto add = [&](const Column& column) {
    seen.push_back(column.arrangement);
    widen(range, column.picture(Row::spectrum).own_range);
  };
  if (const Column* reference = state.reference(); reference && reference->picture(Row::spectrum).shown) {
    add(*reference);
    if (state.animation.swept != Swept::order) return range;
  }
  for (const Column& column : state.columns) {
    const bool is_seen = std::ranges::find(seen, column.arrangement) != seen.end();
    if (shares(column) && (!range || (!column.is_of_region() && !is_seen))) add(column);
  }
  return range;
}

void PictureService::request_pattern(PictureSpec& spec, const Column& column) const {
  using Source = PictureSpec::Source;
  const MethodInput input = find_method(column.method)->input(column.parameters);
  spec.source = input == MethodInput::densities   ? Source::densities
                : input == MethodInput::decimated ? Source::decimated
                                                  : Source::entries;
  if (shows_values(state(), column)) {
    spec.source = Source::values;
    spec.quantity = input == MethodInput::densities ? ValueQuantity::sum : state().scale.values;
  }
  if (input == MethodInput::largest_entries) spec.largest = blocks_of(*spec.pattern, column.block);
  const OpenMatrix* matrix = state().matrix();
  if (spec.largest == 0)
    spec.aid.hierarchy =
        matrix != nullptr && spec.pattern == matrix->matrix.pattern ? matrix->hierarchy : column.hierarchy;
  const bool in_blocks = input == MethodInput::densities || spec.source == Source::decimated;
  spec.block = in_blocks ? column.block : 1;
  if (state().sandbox.is_drawing && spec.source == Source::entries) fit_to_units(spec, 0);
}

void PictureService::request_plane(PictureSpec& spec, const Column& column) const {
  spec.source = PictureSpec::Source::coefficients;
  spec.budget = kExactBudget.first;
  spec.samples_per_cell = state().scale.single_samples ? 1 : kSamplesPerCell;
  const bool current = runs_.spectrum_of(column.id) == spec.pattern;
  // A stream that pauses is drawn from its rows.
  const bool is_of_rows = state().stream_until < 1 && column.spectrum;
  if (is_of_rows) spec.budget = 0;
  // Within the budget every coefficient in view is computed; then a pyramid that arrives changes nothing.
  const PlaneRect& full = state().view(Plane::spectrum).full;
  if (is_of_rows || coefficients_in(spec.area.rect, full) > static_cast<double>(kExactBudget.first))
    spec.spectrum = column.streamed && column.streamed->pyramid ? column.streamed
                    : current                                   ? column.spectrum
                                                                : nullptr;
  if (state().sandbox.is_drawing) fit_to_units(spec, 0.5);
}

void PictureService::request_samples(PictureSpec& spec, const Column& column) const {
  spec.spectrum = column.spectrum;
  spec.placement = state().scale.reduced;
  if (!column.spectrum || column.spectrum->values.empty()) return;
  spec.source = PictureSpec::Source::samples;
  spec.samples_per_cell = samples_per_cell(state(), column, spec.area.rect);
  spec.reconstruction = reconstructions_.lines(column);
  if (spec.reconstruction && !state().scale.single_samples) spec.rows = reconstructions_.rows(column);
}

void PictureService::request_phases(PictureSpec& spec, const Column& column) const {
  const auto known = phases_.find(column.id);
  if (!shows_phases(state(), column) || known == phases_.end() || known->second.of != column.spectrum) return;
  spec.spectrum = known->second.errors;
  spec.placement = ReducedPlacement::centre;
  spec.samples_per_cell = state().scale.single_samples ? 1 : kSamplesPerCell;
  if (spec.spectrum) spec.source = PictureSpec::Source::samples;
}

PictureSpec PictureService::requested_picture(const Column& column, Row row) const {
  PictureSpec spec;
  const Plane plane = plane_of(row);
  const View& view = state().view(plane);
  const PatternPtr pattern = state().pattern_of(column);
  if (!pattern || view.pixels.width == 0 || view.pixels.height == 0) return spec;
  spec.area = {picture_rect(state(), plane, &column), view.pixels.height, view.pixels.width};
  if (row == Row::pattern || is_full_plane(column)) spec.pattern = pattern;
  if (row == Row::pattern) {
    request_pattern(spec, column);
  } else if (is_full_plane(column)) {
    if (row == Row::spectrum) request_plane(spec, column);
  } else if (row == Row::error) {
    request_phases(spec, column);
  } else if (row == Row::spectrum) {
    request_samples(spec, column);
  } else {
    spec.reconstruction = reconstructions_.reconstruction(column.id);
    if (spec.reconstruction) spec.source = PictureSpec::Source::reconstruction;
    spec.budget = kReconstructionBudget.first;
  }
  return spec;
}

void PictureService::reconcile() {
  for (const Column& column : state().columns) reconcile_phases(column);
  const std::vector<PictureSpec> requested = find_requested();
  stop_others(requested);
  for (const PictureSpec& spec : requested) make_requested(spec);
  for (Column& column : state().columns) {
    for (const Row row : kAllRows)
      if (row != Row::error || shows_phases(state(), column)) reconcile_cell(column, row);
    if (is_full_plane(column)) mirror_own_spectrum(column);
  }
  for (Column& column : state().columns) reconcile_error_row(column);
  resolve_ranges(state());
  describe_reference();
}

/// Sets Cell::requested of every cell; returns those that are not shown.
std::vector<PictureSpec> PictureService::find_requested() {
  std::vector<PictureSpec> requested;
  for (const Column& column : state().columns) {
    for (const Row row : kAllRows) {
      Cell& at = cell(column.id, row);
      // Rows that are hidden keep their pictures. The spectrum is made even if hidden: ranges and errors need
      // it.
      const bool needed = row == Row::spectrum || (row == Row::pattern && is_open(state(), row)) ||
                          (row == Row::reconstruction && needs_reconstructions(state())) ||
                          (row == Row::error && shows_phases(state(), column));
      at.requested = needed ? sharpened(requested_picture(column, row), column, row) : PictureSpec{};
      if (waits(at.requested, at.shown)) requested.push_back(at.requested);
    }
  }
  return requested;
}

/// `spec`; if its picture is shown and coarser than the pixels, `spec` with the larger budget.
PictureSpec PictureService::sharpened(const PictureSpec& spec, const Column& column, Row row) {
  const bool is_exact = spec.source == PictureSpec::Source::coefficients;
  const CellImage* shown = column.picture(row).shown.get();
  if ((!is_exact && spec.source != PictureSpec::Source::reconstruction) || shown == nullptr) return spec;
  // A finer picture of a plane that is being computed would be replaced soon.
  if (is_exact && (column.busy || state().stream_until < 1)) return spec;
  const PictureBudget budget = is_exact ? kExactBudget : kReconstructionBudget;
  PictureSpec sharp = spec;
  sharp.budget = budget.most;
  const PictureSpec& at = cell(column.id, row).shown;
  if (at == sharp) return sharp;
  const bool is_coarse = at == spec && shown->sampled;
  const bool failed = std::ranges::any_of(failed_, [&](const auto& one) { return one.first == sharp; });
  const bool affordable =
      coefficients_in(spec.area.rect, state().view(plane_of(row)).full) <= static_cast<double>(budget.most);
  return is_coarse && affordable && !failed ? sharp : spec;
}

void PictureService::stop_others(const std::vector<PictureSpec>& requested) {
  const auto is_requested = [&](const PictureSpec& spec) {
    return std::find(requested.begin(), requested.end(), spec) != requested.end();
  };
  std::erase_if(in_flight_, [&](const PictureInFlight& flight) {
    if (is_requested(flight.spec)) return false;
    jobs().drop(flight.key);
    return true;
  });
  // A sharper picture that failed stays known while the one that it would replace is shown.
  const auto is_shown_or_requested = [&](const PictureSpec& spec) {
    return is_requested(spec) || std::ranges::any_of(cells_, [&](const auto& column) {
             return std::ranges::any_of(column.second, [&](const Cell& at) {
               PictureSpec sharp = at.shown;
               sharp.budget = spec.budget;
               return sharp == spec;
             });
           });
  };
  std::erase_if(failed_, [&](const auto& failed) { return !is_shown_or_requested(failed.first); });
}

void PictureService::reconcile_cell(Column& column, Row row) {
  const Cell& at = cell(column.id, row);
  Picture& picture = column.picture(row);
  const auto failed = std::find_if(failed_.begin(), failed_.end(),
                                   [&](const auto& one) { return one.first == at.requested; });
  picture.error = failed != failed_.end() ? std::optional(failed->second) : std::nullopt;
  const bool rebuilding = row == Row::reconstruction && needs_reconstructions(state()) && column.spectrum &&
                          reconstructions_.made_from(column.id) != column.spectrum &&
                          reconstructions_.is_pending(column.id);
  const bool computing = !is_full_plane(column) && row != Row::pattern && (column.busy || rebuilding);
  picture.busy = !picture.error && (waits(at.requested, at.shown) || computing);
  picture.misses_view =
      picture.shown && waits(at.requested, at.shown) && misses_view(at.requested.area, at.shown.area);
  reconcile_ranges(column, row);
}

void PictureService::make_requested(const PictureSpec& spec) {
  const auto is_failed = [&](const auto& failed) { return failed.first == spec; };
  const auto is_in_flight = [&](const PictureInFlight& flight) { return flight.spec == spec; };
  if (std::ranges::any_of(failed_, is_failed) || std::ranges::any_of(in_flight_, is_in_flight) ||
      show_known(spec))
    return;
  const std::string key = "picture/" + std::to_string(next_picture_++);
  using Source = PictureSpec::Source;
  const bool pattern = spec.source == Source::entries || spec.source == Source::values ||
                       spec.source == Source::densities || spec.source == Source::decimated;
  const RangeSpec range = range_spec(state().scale, pattern ? Row::pattern : Row::spectrum);
  in_flight_.push_back({key, spec});
  JobRequest job =
      request_job(Lane::picture, key, pattern ? "Picture of the pattern" : "Picture of the spectrum");
  // A drawing must be on the screen in the next frame.
  job.at_once =
      state().sandbox.is_drawing && (spec.source == Source::entries || spec.source == Source::coefficients);
  jobs().submit(
      job,
      [spec, range, device = job.at_once ? nullptr : machine_.pictures()](JobContext& context) {
        return make_picture(spec, range, device, context);
      },
      [this, key, spec, range](Result<MadePicture> made) {
        std::erase_if(in_flight_, [&](const PictureInFlight& flight) { return flight.key == key; });
        if (made) {
          if (made->fallback) machine_.note_fallback("A picture", *made->fallback);
          show_picture(spec, range, *made);
          return;
        }
        failed_.emplace_back(spec, made.error());
        if (failed_.size() > kFailedPictures) failed_.erase(failed_.begin());
        if (!is_sharper(spec)) report(made.error());
      });
}

/// Shows a picture that another column shows already, such as the pattern of most columns; returns whether
/// there is one.
bool PictureService::show_known(const PictureSpec& spec) {
  for (const Column& column : state().columns) {
    for (const Row row : kAllRows) {
      const Cell& at = cell(column.id, row);
      const Picture& picture = column.picture(row);
      if (!(at.shown == spec) || !picture.shown) continue;
      show_picture(spec, at.measured,
                   {picture.shown,
                    row == Row::pattern ? picture.against : nullptr,
                    {picture.own_range, picture.histogram},
                    {}});
      return true;
    }
  }
  return false;
}

void PictureService::show_picture(const PictureSpec& spec, const RangeSpec& range, const MadePicture& made) {
  for (Column& column : state().columns) {
    for (const Row row : kAllRows) {
      Cell& at = cell(column.id, row);
      if (!(at.requested == spec) || at.shown == spec) continue;
      at.shown = spec;
      at.measured = at.measuring = range;
      at.measuring_image = made.image.get();
      Picture& picture = column.picture(row);
      picture.shown = made.image;
      if (row == Row::pattern) picture.against = made.below;
      picture.own_range = made.measured.range;
      picture.histogram = made.measured.histogram;
      ++picture.version;
    }
  }
}

/// Measures the range again when its inputs other than the pixels have changed (RangeSpec).
void PictureService::reconcile_ranges(Column& column, Row row) {
  Cell& at = cell(column.id, row);
  const Picture& picture = column.picture(row);
  const RangeSpec range = range_spec(state().scale, row);
  if (!picture.shown || range == at.measured) return;
  if (range == at.measuring && at.measuring_image == picture.shown.get()) return;
  at.measuring = range;
  at.measuring_image = picture.shown.get();
  jobs().submit(
      request_job(Lane::picture, range_key(column.id, row), {}),
      [image = picture.shown, range](JobContext& context) { return measure(*image, range, context.pool()); },
      [this, id = column.id, row, image = picture.shown, range](Result<ImageRange> measured) {
        Column* target = state().column(id);
        if (target == nullptr || !measured || target->picture(row).shown != image) return;
        cell(id, row).measured = range;
        target->picture(row).own_range = measured->range;
        target->picture(row).histogram = std::move(measured->histogram);
      });
}

/// Compares the phases of the column's stored coefficients, once for each spectrum.
void PictureService::reconcile_phases(const Column& column) {
  const std::string key = "phases/" + std::to_string(column.id);
  if (!shows_phases(state(), column) || is_full_plane(column)) {
    if (phases_.erase(column.id) > 0) jobs().drop(key);
    return;
  }
  PhasesOfColumn& phases = phases_[column.id];
  if (phases.of == column.spectrum) return;
  phases = {column.spectrum, nullptr};
  jobs().submit(
      request_job(Lane::picture, key, "Phases · " + column.label),
      [spectrum = column.spectrum, pattern = state().pattern()](JobContext& context) {
        return phase_errors(*spectrum, *pattern, context);
      },
      [this, id = column.id, spectrum = column.spectrum](Result<SpectrumPtr> made) {
        const auto known = phases_.find(id);
        if (known == phases_.end() || known->second.of != spectrum) return;
        if (made)
          known->second.errors = std::move(*made);
        else
          report(made.error());
      });
}

void PictureService::reconcile_error_row(Column& column) {
  Picture& picture = column.picture(Row::error);
  picture.empty_reason = reason_not_compared(state(), column);
  if (!picture.empty_reason.empty()) return clear_error_picture(column);
  if (!is_open(state(), Row::error)) return;
  Cell& at = cell(column.id, Row::error);
  const bool of_phases = state().scale.error == PictureError::phase;
  if (of_phases) {
    if (picture.against) clear_error_picture(column);  // of another measure
    picture.own_range = {0, std::numbers::pi_v<float>};
    if (column.spectrum && !shows_phases(state(), column)) {
      clear_error_picture(column);
      picture.empty_reason =
          "The method stores no coefficients on a grid, so there are no phases to compare.";
    }
    return;
  }
  if (!(at.shown == PictureSpec{})) {  // phases
    at.shown = at.requested = {};
    clear_error_picture(column);
  }
  const ImagePtr& image = column.picture(Row::reconstruction).shown;
  const ImagePtr& against = state().reference()->picture(Row::spectrum).shown;
  const bool fits = image && against && image->rect == against->rect && image->height == against->height &&
                    image->width == against->width;
  const RangeSpec range = range_spec(state().scale, Row::error);
  const bool current = picture.shown == image && picture.against == against && at.measured == range;
  picture.busy = state().pattern() && (!fits || !current);
  picture.misses_view = picture.shown && (column.picture(Row::reconstruction).misses_view ||
                                          state().reference()->picture(Row::spectrum).misses_view);
  if (!fits || current) return;
  if (at.requested_pair[0] == image && at.requested_pair[1] == against && at.measuring == range) return;
  at.requested_pair[0] = image;
  at.requested_pair[1] = against;
  at.measuring = range;
  jobs().submit(
      request_job(Lane::picture, range_key(column.id, Row::error), {}),
      [image, against, range, mean_power = state().pattern()->weight_squares()](JobContext&) {
        return measure_difference(*image, *against, range, mean_power);
      },
      [this, id = column.id, image, against, range](Result<ImageRange> measured) {
        Column* target = state().column(id);
        if (target == nullptr || !measured) return;
        Picture& shown = target->picture(Row::error);
        if (shown.shown != image || shown.against != against) ++shown.version;
        shown.shown = image;
        shown.against = against;
        shown.own_range = measured->range;
        shown.histogram = std::move(measured->histogram);
        cell(id, Row::error).measured = range;
      });
}

void PictureService::clear_error_picture(Column& column) {
  Picture& picture = column.picture(Row::error);
  if (picture.shown) ++picture.version;
  picture.shown = picture.against = nullptr;
  picture.busy = picture.misses_view = false;
  cell(column.id, Row::error) = {};
}

/// The exactness of the reference's picture, for the status bar.
void PictureService::describe_reference() {
  std::string& text = state().status.exactness;
  text.clear();
  const Column* reference = state().matrix() != nullptr ? state().reference() : nullptr;
  if (reference == nullptr) return;
  const auto& shown = reference->picture(Row::spectrum).shown;
  if (!shown) return;
  text = to_string(shown->exactness);
  if (reference->picture(Row::spectrum).misses_view)
    text = "computing this view";
  else if (shown->sampled && shown->exactness == Exactness::exact)
    text += ", coarser than the pixels";
}

void PictureService::column_removed(ColumnId column) {
  jobs().drop_all("range/" + std::to_string(column) + "/");
  jobs().drop("phases/" + std::to_string(column));
  cells_.erase(column);
  phases_.erase(column);
}

void PictureService::forget_matrix() {
  jobs().drop_all("picture/");
  jobs().drop_all("range/");
  jobs().drop_all("phases/");
  cells_.clear();
  phases_.clear();
  in_flight_.clear();
  failed_.clear();
  for (Column& column : state().columns) {
    for (Picture& picture : column.pictures) {
      const std::uint64_t version = picture.version + 1;
      picture = Picture{};
      picture.version = version;
    }
  }
}

}  // namespace spyctrum
