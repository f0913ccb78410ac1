// SPDX-License-Identifier: Apache-2.0
// Views and pictures. For every cell of the grid reconcile_pictures() knows the
// picture that should be there; equal ones are made once. The old picture stays
// until the new one arrives, and pictures nobody wants any more are stopped.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/controller/controller.hpp"
#include "core/methods/fixed_point/fixed_point_cpu.hpp"

namespace spyctrum {

namespace {

constexpr std::array<Row, kRows> kAllRows{Row::pattern, Row::spectrum, Row::reconstruction, Row::error};
constexpr double kSmallestSide = 0.25;  // units: a quarter of a coefficient fills the panel
constexpr std::size_t kHistory = 64;
constexpr std::size_t kFailedPictures = 32;

bool is_open(const AppState& state, Row row) { return state.compare.rows[static_cast<std::size_t>(row)]; }

bool full_plane(const Column& column) { return find_method(column.method)->info().full_plane; }

/// Coefficients inside the rectangle, at most those of the plane.
double coefficients_in(const PlaneRect& rect, const PlaneRect& full) {
  const double rows = std::min(rect.bottom, full.bottom) - std::max(rect.top, full.top);
  const double cols = std::min(rect.right, full.right) - std::max(rect.left, full.left);
  return std::max(0.0, rows + 1) * std::max(0.0, cols + 1);
}

}  // namespace

void Controller::set_view(Plane plane, PlaneRect rect, bool remember) {
  View& view = state_.view(plane);
  const bool finite = std::isfinite(rect.top) && std::isfinite(rect.bottom) && std::isfinite(rect.left) &&
                      std::isfinite(rect.right);
  if (!finite || !(view.full.height() > 0) || !(rect.height() > 0) || !(rect.width() > 0)) return;
  const auto fit = [](double low, double high, double full_low, double full_high, double& out_low,
                      double& out_high) {
    // At most twice the plane, at least a quarter of a unit, with the centre inside the plane.
    const double side =
        std::clamp(high - low, std::min(kSmallestSide, full_high - full_low), 2 * (full_high - full_low));
    const double centre = std::clamp((low + high) / 2, full_low, full_high);
    out_low = centre - side / 2;
    out_high = centre + side / 2;
  };
  PlaneRect fitted;
  fit(rect.top, rect.bottom, view.full.top, view.full.bottom, fitted.top, fitted.bottom);
  fit(rect.left, rect.right, view.full.left, view.full.right, fitted.left, fitted.right);
  if (fitted == view.rect) return;
  if (remember) {
    view.back.push_back(view.rect);
    if (view.back.size() > kHistory) view.back.erase(view.back.begin());
    view.forward.clear();
  }
  view.rect = fitted;
}

void Controller::fit_views() {
  const OpenMatrix* matrix = state_.matrix();
  if (matrix == nullptr) return;
  const std::uint64_t m = matrix->matrix.pattern->rows();
  const std::uint64_t n = matrix->matrix.pattern->cols();
  for (const Plane plane : {Plane::pattern, Plane::spectrum}) {
    View& view = state_.view(plane);
    view.full = plane == Plane::pattern ? full_pattern_rect(m, n) : full_spectrum_rect(m, n);
    view.rect = view.full;
    view.back.clear();
    view.forward.clear();
  }
}

PictureSpec Controller::wanted_picture(const Column& column, Row row) const {
  PictureSpec spec;
  const Plane plane = plane_of(row);
  const View& view = state_.view(plane);
  const PatternPtr pattern = pattern_of(column);
  if (!pattern || view.pixels.width == 0 || view.pixels.height == 0) return spec;
  spec.rect = picture_rect(state_, plane);
  spec.size = view.pixels;
  using Source = PictureSpec::Source;
  const auto work = work_.find(column.id);
  if (row == Row::pattern) {
    const bool decimated =
        column.method == "fixed-point" && column.parameters.choice<FixedPoints>("keep") == FixedPoints::decimation;
    spec.source = column.method == "density-map" ? Source::densities
                  : decimated                    ? Source::kept
                                                 : Source::entries;
    spec.pattern = pattern;
    const OpenMatrix* matrix = state_.matrix();
    const bool as_it_is = matrix != nullptr && pattern == pattern_;
    spec.aid.hierarchy = as_it_is ? matrix->hierarchy : column.hierarchy;
    spec.block = spec.source == Source::entries ? 1 : column.block;
  } else if (full_plane(column)) {
    spec.source = row == Row::spectrum ? Source::coefficients : Source::none;
    spec.pattern = pattern;
    // Within the budget every coefficient in view is computed; then a pyramid that arrives changes nothing.
    const bool current = work != work_.end() && work->second.spectrum_of == pattern;
    if (coefficients_in(spec.rect, view.full) > static_cast<double>(kPictureBudget))
      spec.spectrum = column.passed ? column.passed : current ? column.spectrum : nullptr;
  } else if (row == Row::spectrum) {
    spec.spectrum = column.spectrum;
    spec.placement = state_.scale.reduced;
    spec.source = column.spectrum && !column.spectrum->values.empty() ? Source::samples : Source::none;
  } else if (row == Row::reconstruction && work != work_.end() && work->second.reconstruction) {
    spec.source = Source::reconstruction;
    spec.reconstruction = work->second.reconstruction;
  }
  return spec;
}

/// Made once for each matrix, after it has been read, and for each of its orders in a column: until then
/// pictures are counted from the entries.
void Controller::reconcile_hierarchies() {
  const OpenMatrix* matrix = state_.matrix();
  if (matrix == nullptr || !pattern_ || device_pictures_) return;
  if (!matrix->hierarchy && hierarchy_of_ != pattern_) {
    hierarchy_of_ = pattern_;
    make_hierarchy("hierarchy", matrix_name(), pattern_, [this](const HierarchyPtr& made) {
      for (OpenMatrix& open : state_.matrices)
        if (open.matrix.pattern == made->pattern()) open.hierarchy = made;
    });
  }
  for (const Column& column : state_.columns) {
    if (column.arrangement.kind != Arrangement::Kind::reordered || column.hierarchy) continue;
    PatternPtr& asked = work_[column.id].hierarchy_of;
    if (!column.pattern || asked == column.pattern) continue;
    asked = column.pattern;
    make_hierarchy("hierarchy/" + std::to_string(column.id), column.label + " · " + matrix_name(),
                   column.pattern, [this, id = column.id](const HierarchyPtr& made) {
                     Column* target = state_.column(id);
                     if (target != nullptr && target->pattern == made->pattern()) target->hierarchy = made;
                   });
  }
}

/// What a column's pattern had, when it has another.
void Controller::forget_hierarchy(Column& column) {
  PatternPtr& asked = work_[column.id].hierarchy_of;
  if (!asked) return;
  asked.reset();
  runner_.drop("hierarchy/" + std::to_string(column.id));
  column.hierarchy.reset();
}

/// In the background, where it helps.
void Controller::make_hierarchy(const std::string& key, const std::string& label, const PatternPtr& pattern,
                                std::function<void(const HierarchyPtr&)> take) {
  if (pattern->nonzeros() < options_.hierarchy_from || !PatternHierarchy::fits(*pattern)) return;
  JobRequest job = request_job(Lane::background, key, "Hierarchy of the pattern · " + label);
  job.background = true;
  runner_.submit<HierarchyPtr>(
      job,
      [pattern](JobContext& context) { return std::make_shared<const PatternHierarchy>(pattern, context); },
      [this, take = std::move(take)](Result<HierarchyPtr> made) {
        if (made) return take(*made);
        if (made.error().code != ErrorCode::cancelled) notify(Level::warning, made.error().message(), false);
      });
}

void Controller::reconcile_pictures() {
  const bool wants_reconstruction = is_open(state_, Row::reconstruction) || is_open(state_, Row::error);
  std::vector<PictureSpec> wanted;
  for (Column& column : state_.columns) {
    for (const Row row : {Row::pattern, Row::spectrum, Row::reconstruction}) {
      CellWork& cell = work_[column.id].cell(row);
      // Closed rows keep what they show; the spectrum is always made, for the ranges and the errors.
      const bool needed = row == Row::spectrum || (row == Row::pattern && is_open(state_, row)) ||
                          (row == Row::reconstruction && wants_reconstruction);
      cell.wanted = needed ? wanted_picture(column, row) : PictureSpec{};
      if (cell.wanted.source != PictureSpec::Source::none && !(cell.wanted == cell.shown))
        wanted.push_back(cell.wanted);
    }
  }
  const auto is_wanted = [&](const PictureSpec& spec) {
    return std::find(wanted.begin(), wanted.end(), spec) != wanted.end();
  };
  std::erase_if(pictures_in_flight_, [&](const PictureInFlight& flight) {
    if (is_wanted(flight.spec)) return false;
    runner_.drop(flight.key);
    return true;
  });
  std::erase_if(failed_pictures_, [&](const auto& failed) { return !is_wanted(failed.first); });
  for (const PictureSpec& spec : wanted) make_wanted(spec);

  for (Column& column : state_.columns) {
    for (const Row row : {Row::pattern, Row::spectrum, Row::reconstruction}) {
      const CellWork& cell = work_[column.id].cell(row);
      Picture& picture = column.picture(row);
      const auto failed = std::find_if(failed_pictures_.begin(), failed_pictures_.end(),
                                       [&](const auto& at) { return at.first == cell.wanted; });
      const bool waits = cell.wanted.source != PictureSpec::Source::none && !(cell.wanted == cell.shown);
      picture.error = failed != failed_pictures_.end() ? std::optional(failed->second) : std::nullopt;
      const bool rebuilding = row == Row::reconstruction && wants_reconstruction && column.spectrum &&
                              work_[column.id].reconstructed_from != column.spectrum;
      picture.busy =
          !picture.error &&
          (waits ||
           (!full_plane(column) && row != Row::pattern &&
            (column.busy || (rebuilding && runner_.pending("reconstruction/" + std::to_string(column.id))))));
      reconcile_ranges(column, row);
    }
    if (full_plane(column)) mirror_own_spectrum(column);
  }
  for (Column& column : state_.columns) reconcile_error_row(column);
  resolve_ranges();
}

void Controller::make_wanted(const PictureSpec& spec) {
  const auto same = [&](const auto& at) { return at == spec; };
  if (std::any_of(failed_pictures_.begin(), failed_pictures_.end(),
                  [&](const auto& at) { return same(at.first); }) ||
      std::any_of(pictures_in_flight_.begin(), pictures_in_flight_.end(),
                  [&](const auto& at) { return same(at.spec); })) {
    return;
  }
  // Another column may show it already (the pattern is the same for most).
  for (Column& column : state_.columns) {
    for (const Row row : {Row::pattern, Row::spectrum, Row::reconstruction}) {
      const CellWork& cell = work_[column.id].cell(row);
      const Picture& picture = column.picture(row);
      if (!(cell.shown == spec) || !picture.shown) continue;
      show_picture(spec, cell.measured, {picture.shown, {picture.own_range, picture.histogram}, {}});
      return;
    }
  }
  const std::string key = "picture/" + std::to_string(next_picture_++);
  using Source = PictureSpec::Source;
  const bool pattern =
      spec.source == Source::entries || spec.source == Source::densities || spec.source == Source::kept;
  const RangeSpec range = range_spec(state_.scale, pattern ? Row::pattern : Row::spectrum);
  pictures_in_flight_.push_back({key, spec});
  runner_.submit<MadePicture>(
      request_job(Lane::picture, key, pattern ? "Picture of the pattern" : "Picture of the spectrum"),
      [spec, range, device = device_pictures_](JobContext& context) {
        return make_picture(spec, range, device, context);
      },
      [this, key, spec, range](Result<MadePicture> made) {
        std::erase_if(pictures_in_flight_, [&](const PictureInFlight& flight) { return flight.key == key; });
        if (made) {
          if (made->fallback) note_fallback("A picture", *made->fallback);
          show_picture(spec, range, *made);
          return;
        }
        failed_pictures_.emplace_back(spec, made.error());
        if (failed_pictures_.size() > kFailedPictures) failed_pictures_.erase(failed_pictures_.begin());
        if (made.error().code != ErrorCode::cancelled) notify(Level::error, made.error().message());
      });
}

void Controller::show_picture(const PictureSpec& spec, const RangeSpec& range, const MadePicture& made) {
  for (Column& column : state_.columns) {
    for (const Row row : {Row::pattern, Row::spectrum, Row::reconstruction}) {
      CellWork& cell = work_[column.id].cell(row);
      if (!(cell.wanted == spec) || cell.shown == spec) continue;
      cell.shown = spec;
      cell.measured = cell.measuring = range;
      cell.measuring_image = made.image.get();
      Picture& picture = column.picture(row);
      picture.shown = made.image;
      picture.own_range = made.measured.range;
      picture.histogram = made.measured.histogram;
      ++picture.version;
    }
  }
}

/// Measures the pixels again when what counts in the range has changed.
void Controller::reconcile_ranges(Column& column, Row row) {
  CellWork& cell = work_[column.id].cell(row);
  const Picture& picture = column.picture(row);
  const RangeSpec wanted = range_spec(state_.scale, row);
  if (!picture.shown || wanted == cell.measured) return;
  if (wanted == cell.measuring && cell.measuring_image == picture.shown.get()) return;
  cell.measuring = wanted;
  cell.measuring_image = picture.shown.get();
  JobRequest job = request_job(
      Lane::picture, "range/" + std::to_string(column.id) + "/" + std::string(name_of(row)), "Range");
  job.listed = false;
  runner_.submit<ImageRange>(
      job, [image = picture.shown, wanted](JobContext&) { return measure(*image, wanted); },
      [this, id = column.id, row, image = picture.shown, wanted](Result<ImageRange> measured) {
        Column* target = state_.column(id);
        if (target == nullptr || !measured || target->picture(row).shown != image) return;
        work_[id].cell(row).measured = wanted;
        target->picture(row).own_range = measured->range;
        target->picture(row).histogram = std::move(measured->histogram);
      });
}

/// A full plane is its own reconstruction.
void Controller::mirror_own_spectrum(Column& column) {
  const Picture& own = column.picture(Row::spectrum);
  Picture& mirrored = column.picture(Row::reconstruction);
  if (mirrored.shown != own.shown) ++mirrored.version;
  mirrored.shown = own.shown;
  mirrored.busy = own.busy;
  mirrored.error = own.error;
  mirrored.own_range = own.own_range;
  mirrored.histogram = own.histogram;
}

void Controller::reconcile_error_row(Column& column) {
  Picture& picture = column.picture(Row::error);
  picture.empty_reason.clear();
  const Column* reference = state_.reference();
  const bool other = column.arrangement.kind != Arrangement::Kind::matrix;
  if (reference == nullptr || column.reference || other) {
    picture.empty_reason = other ? "Not compared: the spectrum of another arrangement of entries."
                           : reference == nullptr
                               ? "There is no exact column to compare with."
                               : "The reference: what the other columns are compared with.";
    if (picture.shown) ++picture.version;
    picture.shown = picture.against = nullptr;
    picture.busy = false;
    return;
  }
  if (!is_open(state_, Row::error)) return;
  const ImagePtr& image = column.picture(Row::reconstruction).shown;
  const ImagePtr& against = reference->picture(Row::spectrum).shown;
  const bool fits = image && against && image->rect == against->rect && image->height == against->height &&
                    image->width == against->width;
  const RangeSpec range = range_spec(state_.scale, Row::error);
  CellWork& cell = work_[column.id].cell(Row::error);
  const bool current = picture.shown == image && picture.against == against && cell.measured == range;
  picture.busy = pattern_ && (!fits || !current);
  if (!fits || current) return;
  if (cell.wanted_pair[0] == image && cell.wanted_pair[1] == against && cell.measuring == range) return;
  cell.wanted_pair[0] = image;
  cell.wanted_pair[1] = against;
  cell.measuring = range;
  JobRequest job = request_job(Lane::picture, "range/" + std::to_string(column.id) + "/error", "Error range");
  job.listed = false;
  runner_.submit<ImageRange>(
      job, [image, against, range](JobContext&) { return measure_difference(*image, *against, range); },
      [this, id = column.id, image, against, range](Result<ImageRange> measured) {
        Column* target = state_.column(id);
        if (target == nullptr || !measured) return;
        Picture& shown = target->picture(Row::error);
        if (shown.shown != image || shown.against != against) ++shown.version;
        shown.shown = image;
        shown.against = against;
        shown.own_range = measured->range;
        shown.histogram = std::move(measured->histogram);
        work_[id].cell(Row::error).measured = range;
      });
}

/// Which range each picture is drawn with: the manual one, the reference's, or its own.
void Controller::resolve_ranges() {
  const Column* sharing = state_.reference();
  if (sharing == nullptr || !sharing->picture(Row::spectrum).shown) {
    const auto first = std::find_if(state_.columns.begin(), state_.columns.end(), [](const Column& column) {
      return !column.own_range && column.picture(Row::spectrum).shown;
    });
    sharing = first == state_.columns.end() ? nullptr : &*first;
  }
  for (Column& column : state_.columns) {
    for (const Row row : kAllRows) {
      Picture& picture = column.picture(row);
      const bool spectral = row == Row::spectrum || row == Row::reconstruction;
      const bool own = column.own_range || !state_.scale.shared || sharing == nullptr;
      picture.range_is_own = spectral && own && !(state_.scale.manual && !column.own_range);
      if (!spectral || picture.range_is_own) {
        picture.range = picture.own_range;
      } else if (state_.scale.manual) {
        picture.range = *state_.scale.manual;
      } else {
        picture.range = sharing->picture(Row::spectrum).own_range;
      }
    }
  }
}

}  // namespace spyctrum
