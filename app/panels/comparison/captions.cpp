// SPDX-License-Identifier: Apache-2.0
// The text around a picture: which coefficients it is drawn from, how they are averaged, which range the
// colours span, and the values at the crosshair.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/controller/columns/method_input_words.hpp"
#include "app/panels/comparison/cell.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/wave_text.hpp"
#include "app/panels/widgets/widgets.hpp"
#include "core/base/text.hpp"
#include "core/methods/method.hpp"
#include "core/reconstruction/smooth_fill.hpp"

namespace spyctrum::panels {
namespace {

/// Whether every cell shows one coefficient or entry at most. Both sides are checked: in a slender plane a
/// cell may be narrower than a coefficient along one axis and wider along the other.
bool shows_single(const CellImage& image) {
  constexpr double kOne = 1 + 1e-9;
  return image.coefficients_per_cell <= 1 && image.rect.height() <= kOne * image.height &&
         image.rect.width() <= kOne * image.width;
}

bool is_reduced(const Column& column) {
  return column.spectrum && column.spectrum->placement == Placement::reduced_plane;
}

/// Whether the picture of a method of samples shows every coefficient, since all rows were computed.
bool shows_every_row(const Column& column) {
  const CellImage* image = column.picture(Row::spectrum).shown.get();
  return image != nullptr && column.spectrum && image->has_lines && image->sampled_rows == column.spectrum->m;
}

std::string pattern_caption(const AppState& state, const Column& column) {
  if (column.is_of_region()) return "pattern · the region alone";
  if (column.arrangement.kind == Arrangement::Kind::reordered)
    return "pattern · other order" + (column.pattern_note.empty() ? "" : " · " + column.pattern_note);
  if (std::string words = method_input_words(column, shows_values(state, column)); !words.empty())
    return words;
  static constexpr std::array kValues{"values · sum per pixel", "values · mean |a| per pixel",
                                      "values · largest |a| per pixel", "pattern"};
  const PatternPtr pattern = state.pattern_of(column);
  const std::string what = pattern && pattern->has_weights()
                               ? kValues.at(static_cast<std::size_t>(state.scale.values))
                               : "pattern";
  return column.reference ? what : what + " · all entries used";
}

constexpr const char* kCoarser = " · coarser than the pixels";
/// Words that a caption keeps however narrow its picture is: without them the picture would mislead.
struct Warning {
  const char* words;
  const char* brief;  ///< above the narrowest pictures
};
constexpr Warning kRestIsZero{"rest zero to rounding", "rest 0"};
constexpr Warning kMayMissLines{"thin lines may be missing", "lines missing?"};

/// The warning that `caption` contains; null without one.
const Warning* warning_in(const std::string& caption) {
  for (const Warning* one : {&kRestIsZero, &kMayMissLines})
    if (caption.find(one->words) != std::string::npos) return one;
  return nullptr;
}
/// Smaller Hellinger distances and relative differences are rounding errors.
constexpr double kRounding = 1e-6;

/// The relative standard error of a cell's mean power: ", ±12 %".
std::string cell_noise(const AppState& state, const CellImage* image) {
  const bool known = image != nullptr && image->relative_error > 0 && state.scale.channel == Channel::mean;
  return known ? ", ±" + percent_text(image->relative_error, 2) : std::string();
}

/// "nearest of 420 samples", "mean power of 1.2 M samples". Rows that were sampled for the features alone are
/// not counted (CellImage::sampled_rows).
std::string samples_words(const Column& column, const std::string& what) {
  if (!column.spectrum) return what + " of samples";
  const Spectrum& spectrum = *column.spectrum;
  const std::uint64_t count =
      spectrum.placement == Placement::scattered ? spectrum.values.size() : spectrum.grid.count();
  return what + " of " + count_text(static_cast<double>(count), "sample", "samples");
}

/// The part of a caption about the sampled rows and exact lines that a picture of samples shows, too, so that
/// they are not taken for structure of the matrix. A sampled row is drawn in place of the rows next to it:
/// rows of different power are stripes. A pixel of an exact line is the mean of fewer coefficients than the
/// pixels beside it, and has more noise.
std::string lines_words(const CellImage& image, const std::string& noise) {
  constexpr double kMany = 4;  // coefficients along a pixel
  if (image.sampled_rows > 0)
    return ", stripes from " + counted(image.sampled_rows, "row", "rows") + " and exact lines" + noise;
  const double rows = image.rect.height() / image.height, cols = image.rect.width() / image.width;
  return noise + (std::max(rows, cols) < kMany ? ", exact lines unaveraged" : " and exact lines");
}

/// Whether a picture of the whole plane is drawn from so few samples that most of them miss a line of the
/// width of one coefficient.
bool may_miss_lines(const Column& column, const CellImage& image) {
  constexpr double kMostlySeen = 0.5;  // of the coefficients of a cell
  if (!find_method(column.method)->info().full_plane || image.exactness == Exactness::exact) return false;
  const double error = image.relative_error;
  return error > 0 && 1 < kMostlySeen * error * error * image.coefficients_per_cell;
}

std::string spectrum_caption(const AppState& state, const Column& column) {
  const CellImage* image = column.picture(Row::spectrum).shown.get();
  // The lowest colour of the bar stands for a power above 0, so the caption must say that all are 0.
  if (image != nullptr && column.picture(Row::spectrum).histogram.counts.empty()) return "spectrum · all 0";
  const bool maximum = state.scale.channel == Channel::maximum;
  const bool single = image != nullptr && shows_single(*image);
  if (is_reduced(column)) {
    const FrequencyGrid& grid = column.spectrum->grid;
    const std::string size = grouped(grid.rows.count()) + " × " + grouped(grid.cols.count());
    return "spectrum · " + size +
           (state.scale.reduced == ReducedPlacement::centre ? " at its true place" : ", stretched") +
           cell_noise(state, image);
  }
  const std::string what = maximum ? "maximum power" : "mean power";
  const bool from_pyramid =
      image != nullptr && is_coarse(column, Row::spectrum) && image->exactness == Exactness::exact;
  const std::string coarseness = from_pyramid ? kCoarser : "";
  const bool misses_lines = image != nullptr && may_miss_lines(column, *image);
  const std::string zeros = misses_lines                           ? std::string(", ") + kMayMissLines.words
                            : image != nullptr && image->has_zeros ? std::string(", ") + kRestIsZero.words
                                                                   : "";
  const std::string noise = single ? std::string() : cell_noise(state, image);
  const std::string samples = "spectrum · " + samples_words(column, single ? "nearest" : what);
  const std::string whole =
      "spectrum · " + (single ? std::string("single coefficients") : what + " per pixel");
  if (shows_every_row(column)) return whole + ", every row computed" + zeros;
  if (image != nullptr && image->has_lines) return samples + lines_words(*image, noise) + zeros;
  if (!from_pyramid && (column.exactness == Exactness::exact_samples || (image != nullptr && image->sampled)))
    return samples + noise + zeros;
  return whole + coarseness + zeros;
}

/// A magnitude whose square is below the rounding floor is zero.
std::string magnitude(double value, double floor) {
  return value * value < floor ? "|F| 0   zero to rounding" : "|F| " + number_text(value, 4);
}

/// Magnitude and phase; a coefficient that is zero to rounding has no phase.
std::string polar_text(std::complex<double> value, double floor) {
  const bool is_zero = std::norm(value) < floor;
  return magnitude(std::abs(value), floor) + (is_zero ? "" : "   phase " + phase_text(value));
}

/// "   Δ +0.2": of two magnitudes, unless both are zero to rounding.
std::string difference(double value, double exact, double floor) {
  if (value * value < floor && exact * exact < floor) return {};
  const bool is_rounding = std::abs(value - exact) <= kRounding * std::abs(exact);
  return "   Δ " + (is_rounding ? "0" : signed_number_text(value - exact, 3));
}

const ColumnProbe* probe_of(const AppState& state, const Column& column) {
  const auto& probes = state.crosshair.columns;
  const auto at = std::ranges::find(probes, column.id, &ColumnProbe::column);
  return at == probes.end() ? nullptr : &*at;
}

bool is_plane_itself(const Column& column) {
  return column.reference || column.exactness == Exactness::exact;
}

std::string spectrum_read_out(const Crosshair& cross, const Column& column, const ColumnProbe* probe,
                              double floor) {
  if (probe != nullptr && probe->coefficient && find_method(column.method)->info().full_plane)
    return polar_text(*probe->coefficient, floor);
  if (column.is_of_matrix() && (is_plane_itself(column) || shows_every_row(column)))
    return cross.coefficient ? polar_text(*cross.coefficient, floor) : std::string();
  if (probe == nullptr || !probe->sample) return {};
  const double value = std::abs(*probe->sample);
  const bool here = std::abs(probe->sample_u - static_cast<double>(cross.u)) < 0.5 &&
                    std::abs(probe->sample_v - static_cast<double>(cross.v)) < 0.5;
  const auto& exact = probe->coefficient ? probe->coefficient : cross.coefficient;
  if (here && exact) return magnitude(value, floor) + difference(value, std::abs(*exact), floor);
  return magnitude(value, floor) + " at " + signed_grouped(std::llround(probe->sample_u)) + ", " +
         signed_grouped(std::llround(probe->sample_v));
}

/// The chosen fill, or the one that replaces it where the samples do not allow it.
Fill fill_of(const AppState& state, const Column& column) {
  return column.spectrum ? possible_fill(state.scale.fill, *column.spectrum) : state.scale.fill;
}

/// How many coefficients the fills `smooth` and `best` use; empty before there is a spectrum.
std::string budget_of(const Column& column, Fill fill) {
  if (!column.spectrum) return {};
  if (fill == Fill::best && column.plane_share >= 1) return " from every coefficient";
  std::string budget =
      " from " + count_text(static_cast<double>(column.spectrum->grid.count()), "sample", "samples");
  if (fill == Fill::best && column.line_coefficients > 0)
    budget += " + " + count_text(static_cast<double>(column.line_coefficients)) + " on exact lines";
  return budget;
}

std::string reconstruction_caption(const AppState& state, const Column& column) {
  if (column.reference) return "reference";
  if (column.spectrum && column.exactness == Exactness::exact) return "reconstruction · the plane itself";
  const Fill fill = fill_of(state, column);
  if (column.spectrum && column.spectrum->placement == Placement::scattered)
    return fill == Fill::nearest ? "reconstruction · nearest sample" : "reconstruction · natural neighbours";
  switch (fill) {
    case Fill::nearest:
      return "reconstruction · nearest node";
    case Fill::smooth:
      return "reconstruction · smooth (H bound " + number_text(kSmoothingBound, 3) + ")" +
             budget_of(column, fill);
    case Fill::best:
      return "reconstruction · best" + budget_of(column, fill);
    case Fill::bilinear_centers:
      return "reconstruction · bilinear, cell centres";
    case Fill::bilinear:
      break;
  }
  return "reconstruction · bilinear";
}

float width_of(const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x; }

/// The width that a note leaves for words beside it.
float width_beside(const std::string& note, float width) {
  return width - (note.empty() ? 0 : width_of(note) + px(10));
}

/// The part of `words` after `shown`, without the separator between them; empty if `words` do not begin with
/// `shown`.
std::string rest_after(const std::string& shown, const std::string& words) {
  if (!words.starts_with(shown)) return {};  // not even one phrase fits
  std::string_view rest = std::string_view(words).substr(shown.size());
  for (const std::string_view between : {" · ", ", ", " "})
    if (rest.starts_with(between)) return std::string(rest.substr(between.size()));
  return std::string(rest);
}

}  // namespace

std::string error_text(PictureError measure, double estimated_power, double power, double entries) {
  if (measure == PictureError::phase) return number_text(estimated_power, 2);
  const auto error = error_of(measure, estimated_power, power, entries);
  if (!error) return {};
  const bool is_rounding = std::abs(estimated_power - power) <= 2 * kRounding * power;
  switch (measure) {
    case PictureError::ratio:
      return is_rounding ? "0 dB" : signed_number_text(10 * *error, 3) + " dB";
    case PictureError::relative:
      return is_rounding ? "0 %" : signed_percent_text(*error);
    case PictureError::squared:
      return is_rounding ? "0" : number_text(std::pow(10, *error), 2);
    case PictureError::magnitude:
      return is_rounding ? "0" : signed_number_text(*error, 3);
    case PictureError::phase:
      break;
  }
  return {};
}

bool is_coarse(const Column& column, Row row) {
  const CellImage* image = column.picture(row).shown.get();
  const bool whole_view = row == Row::reconstruction || find_method(column.method)->info().full_plane;
  return row != Row::pattern && whole_view && image != nullptr && image->sampled;
}

std::string caption_tip(const AppState& state, const Column& column, Row row) {
  const Fill fill = fill_of(state, column);
  const CellImage* image = row == Row::spectrum ? column.picture(row).shown.get() : nullptr;
  if (image != nullptr && image->has_lines && column.spectrum && !column.outdated)
    return "The features were computed from " + counted(column.samples, "coefficient", "coefficients") +
           ": samples, exact lines and sampled rows of the plane" +
           (image->sampled_rows > 0 ? ", all of which the picture shows."
                                    : ". The picture leaves out the sampled rows.") +
           " Lines that stand out are drawn coefficient by coefficient, everything else as means over cells, "
           "in which "
           "the rows stand for those between them.";
  if (row != Row::reconstruction || !needs_pattern(fill) || !column.spectrum || is_plane_itself(column))
    return {};
  const Spectrum& spectrum = *column.spectrum;
  const std::uint64_t samples = spectrum.grid.count();
  std::string tip = "Computed from " + counted(samples, "sample", "samples") + " (" +
                    percent_text(static_cast<double>(samples) / static_cast<double>(spectrum.m) /
                                 static_cast<double>(spectrum.n)) +
                    " of the plane) and the counts of " + counted(spectrum.m, "row", "rows") + " and " +
                    counted(spectrum.n, "column", "columns");
  if (fill == Fill::smooth)
    return tip +
           ". For a plane of noise with a smooth variance no smoothing of samples has a Hellinger distance H "
           "below " +
           number_text(kSmoothingBound, 3) + ".";
  if (column.line_coefficients > 0)
    tip += ", with " + counted(column.line_coefficients, "coefficient", "coefficients") +
           " of lines that were computed exactly";
  return tip + ". Samples, their conjugates F[−u, −v] and those lines have their exact values.";
}

std::string caption(const AppState& state, const Column& column, Row row) {
  switch (row) {
    case Row::pattern:
      return pattern_caption(state, column);
    case Row::spectrum:
      return spectrum_caption(state, column);
    case Row::reconstruction:
      return reconstruction_caption(state, column) + (is_coarse(column, row) ? kCoarser : "");
    case Row::error:
      break;
  }
  return column.reference ? "error" : std::string("error · ") + info(state.scale.error).caption;
}

std::optional<Exactness> shown_exactness(const Column& column) {
  const CellImage* image = column.picture(Row::spectrum).shown.get();
  return image == nullptr ? std::nullopt : std::optional(image->exactness);
}

bool has_own_range(const AppState& state, const Column& column, Row row) {
  const Picture& picture = column.picture(row);
  return (row == Row::spectrum || row == Row::reconstruction) && picture.shown && picture.range_is_own &&
         state.columns.size() > 1;
}

std::string caption_note(const AppState& state, const Column& column, Row row) {
  const Picture& picture = column.picture(row);
  if (row == Row::pattern) {
    const CellImage* image = picture.shown.get();
    if (image == nullptr || shows_single(*image)) return {};
    const double rows = image->rect.height() / image->height, cols = image->rect.width() / image->width;
    const auto text = [](double size) -> std::string {
      if (size <= 1) return "1";  // a pixel narrower than an entry shows that entry
      return size < 999.5 ? number_text(size, 2) : grouped(static_cast<std::uint64_t>(std::llround(size)));
    };
    return text(rows) + " × " + text(cols) + " per pixel";
  }
  if (row == Row::error) {
    const PictureError measure = state.scale.error;
    if (!picture.shown || !info(measure).is_signed) return {};
    const double limit = std::max(std::abs(picture.range.low), std::abs(picture.range.high));
    if (measure == PictureError::relative) return "±" + percent_text(limit, 2);
    return "±" +
           (measure == PictureError::ratio ? number_text(10 * limit, 3) + " dB" : number_text(limit, 3));
  }
  std::string own(has_own_range(state, column, row) ? kOwnRange : "");
  if (row == Row::reconstruction && !column.reference && column.reconstruction_errors)
    return (column.reconstruction_errors->sampled ? "H ≈ " : "H ") +
           (column.reconstruction_errors->hellinger < kRounding
                ? "0"
                : number_text(column.reconstruction_errors->hellinger,
                              column.reconstruction_errors->sampled ? 2 : 3)) +
           (own.empty() ? "" : " · " + own);
  return own;
}

CaptionLines fit_two_lines(const AppState& state, const Column& column, Row row, float width,
                           float upper_width) {
  const std::string words = caption(state, column, row), whole_note = caption_note(state, column, row);
  std::string note = fit_phrases(whole_note, width);
  if (!whole_note.starts_with(note)) note.clear();  // not even a part of it fits
  if (note == whole_note && width_of(words) <= width_beside(note, width)) return {{}, {words, note}};
  CaptionLines lines{fit_phrases(words, std::max(width, upper_width)), {{}, note}};
  const std::string rest = rest_after(lines.upper, words);
  if (row == Row::pattern && width_of(rest) > width_beside(note, width)) lines.lower.note.clear();
  const float room = width_beside(lines.lower.note, width);
  const Warning* const warning = warning_in(words);
  if (warning != nullptr && lines.upper.find(warning->words) == std::string::npos &&
      (rest.find(warning->words) == std::string::npos || width_of(rest) > room))
    lines.lower = width_of(warning->words) <= room    ? CaptionLine{warning->words, lines.lower.note}
                  : width_of(warning->words) <= width ? CaptionLine{warning->words, {}}
                                                      : CaptionLine{warning->brief, {}};
  else if (std::string shown = fit_phrases(rest, room); rest.starts_with(shown))
    lines.lower.words = std::move(shown);
  return lines;
}

CaptionLine fit_caption(const AppState& state, const Column& column, Row row, float width) {
  const std::string words = caption(state, column, row), note = caption_note(state, column, row);
  const float with_note = width_beside(note, width);
  std::string shown = fit_phrases(words, with_note);
  bool both = width > px(240) || shown == words || shown.find(" · ") != std::string::npos;
  if (!both) shown = fit_phrases(words, width);
  const Warning* const warning = warning_in(words);
  if (warning != nullptr && shown.find(warning->words) == std::string::npos) {
    shown = std::string(name_of(row)) + " · " + warning->words;
    if (width_of(shown) > width) shown = warning->words;
    if (width_of(shown) > width) shown = warning->brief;
    both = width_of(shown) <= with_note;
  }
  return {std::move(shown), both ? note : std::string()};
}

std::string read_out(const AppState& state, const Column& column, Row row) {
  const Crosshair& cross = state.crosshair;
  if (!cross.active || cross.plane != plane_of(row)) return {};
  if (row == Row::pattern) {
    if (!cross.stored || !column.reference) return {};
    const std::string value =
        cross.value ? "   value " + with_true_minus(spyctrum::number_text(*cross.value, 6)) : std::string();
    return std::string(*cross.stored ? "stored" : "not stored") + value +
           "   entries: " + grouped(static_cast<std::uint64_t>(cross.row_count)) + " in row, " +
           grouped(static_cast<std::uint64_t>(cross.col_count)) + " in column";
  }
  const ColumnProbe* probe = probe_of(state, column);
  const OpenMatrix* matrix = state.matrix();
  const double floor = matrix != nullptr ? matrix->rounding_floor : 0;
  if (row == Row::spectrum) return spectrum_read_out(cross, column, probe, floor);
  if (column.reference)
    return row == Row::reconstruction && cross.coefficient ? magnitude(std::abs(*cross.coefficient), floor)
                                                           : std::string();
  if (probe == nullptr || !probe->reconstruction) return {};
  const double value = *probe->reconstruction;
  if (row == Row::reconstruction)
    return magnitude(value, floor) +
           (probe->difference ? difference(value, value - *probe->difference, floor) : std::string());
  if (!cross.coefficient || std::norm(*cross.coefficient) < floor) return {};
  if (state.scale.error == PictureError::phase) return {};
  const double estimate = value * value;
  if (estimate < floor) return {};
  return error_text(state.scale.error, estimate, std::norm(*cross.coefficient),
                    std::pow(magnitude_unit(state), 2) * state.pattern()->weight_squares());
}

std::string place_read_out(const AppState& state, const Column& column, Row row) {
  const Crosshair& cross = state.crosshair;
  const bool is_shown = state.interface.presentation && cross.active && cross.plane == plane_of(row);
  return is_shown && column.reference ? place_text(cross) : std::string();
}

}  // namespace spyctrum::panels
