// SPDX-License-Identifier: Apache-2.0
// Every source is read by a job of its own; reading it again replaces that job.
#include "app/controller/files/matrix_service.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "app/controller/files/settings.hpp"
#include "app/controller/files/source_names.hpp"
#include "app/controller/lessons/lesson.hpp"
#include "app/study/study.hpp"
#include "core/collection/database.hpp"
#include "core/io/quote.hpp"
#include "core/io/reader.hpp"
#include "core/matrix/drawing.hpp"
#include "core/matrix/generators.hpp"
#include "core/pictures/value_picture.hpp"
#include "core/spectrum/rounding_floor.hpp"

namespace spyctrum {

namespace {

/// The first preview of a matrix that is being read comes after this time: smaller files are open by then.
constexpr auto kPreviewInterval = std::chrono::milliseconds(200);

/// rounding_floor() for powers of the weights as they were given.
double floor_of(const SparsePattern& pattern) {
  return std::ldexp(rounding_floor(pattern), 2 * pattern.weight_exponent());
}

constexpr std::size_t kMagnitudeBins = 96;

/// The weights as exports name them: "value", "value, |a| from 0.5 to 3".
std::string weights_text(Weights weights, const MagnitudeRange& range) {
  std::ostringstream text;
  text << to_string(weights);
  if (range.least > 0) text << ", |a| from " << range.least;
  if (std::isfinite(range.most)) text << (range.least > 0 ? " to " : ", |a| to ") << range.most;
  return std::move(text).str();
}

}  // namespace

MatrixService::MatrixService(ServiceContext& context) : Service(context) {
  for (const GeneratorInfo& generator : generators())
    state().gallery.push_back({generator.label, generator.help, generator.example});
}

MatrixService::Entries MatrixService::entries_of(const PatternPtr& whole, const MagnitudeRange& range,
                                                 JobContext& context) {
  PatternPtr pattern = entries_within(whole, range, context);
  pattern->determine_properties(context);  // the interface thread needs them at once
  return {pattern, statistics_of(*pattern), floor_of(*pattern)};
}

void MatrixService::show(OpenMatrix& matrix, Entries entries, const MagnitudeRange& range) {
  matrix.matrix.pattern = std::move(entries.pattern);
  matrix.statistics = entries.statistics;
  matrix.rounding_floor = entries.rounding_floor;
  matrix.shown = range;
  matrix.hierarchy.reset();
  matrix.matrix.report.weights = weights_text(matrix.reading.weights, range);
}

void MatrixService::take(OpenMatrix& matrix, const Reading& reading, Loaded loaded) {
  matrix.reading = reading;
  matrix.matrix = std::move(loaded.matrix);
  matrix.whole = matrix.matrix.pattern;
  matrix.magnitudes = std::move(loaded.magnitudes);
  matrix.needs_log_scale = loaded.needs_log_scale;
  show(matrix, std::move(loaded.shown), reading.kept);
}

void MatrixService::open(const std::string& source, const Reading& reading,
                         std::function<void(Loaded)> take) {
  LoadOptions load;
  load.drop_zeros = state().settings.drop_zeros;
  load.import = reading.import;
  load.import_where_known = true;  // matrices of a folder are read alike
  load.weights = reading.weights;
  load.preview = std::make_shared<PatternPreview>();
  std::erase_if(state().loading, [&](const LoadingMatrix& loading) { return loading.source == source; });
  const JobId job = jobs().submit(
      request_job(Lane::input_output, "load/" + source, "Reading " + short_name(source)),
      [source, load, kept = reading.kept](JobContext& context) {
        Matrix matrix = or_throw(load_matrix(source, load, context));
        MagnitudeHistogram magnitudes = magnitude_histogram(*matrix.pattern, kMagnitudeBins);
        const bool in_logarithms = needs_log_scale(*matrix.pattern, context);
        Entries shown = entries_of(matrix.pattern, kept, context);
        return Loaded{std::move(matrix), std::move(magnitudes), in_logarithms, std::move(shown)};
      },
      [this, source, reading, take = std::move(take)](Result<Loaded> loaded) {
        std::erase_if(state().loading,
                      [&](const LoadingMatrix& loading) { return loading.source == source; });
        if (loaded) {
          take(std::move(*loaded));
        } else if (loaded.error().code == ErrorCode::cancelled) {
          notify(Level::info, "Reading " + short_name(source) + " was cancelled.");
        } else {
          report_unreadable(source, loaded.error(), reading);
        }
      });
  state().loading.push_back({job, source, {}});
  previews_[job] = load.preview;
  previews_due_ = std::chrono::steady_clock::now() + kPreviewInterval;
}

void MatrixService::handle(const action::OpenFile& chosen) {
  if (state().interface.overlay == Overlay::gallery) state().interface.overlay = Overlay::none;
  const std::string full = full_source(chosen.source);
  if (is_lesson_file(full)) return send(action::OpenLesson{full});
  if (full.ends_with(".json")) return send(action::LoadSession{full});
  if (is_study_folder(full)) return send(action::OpenStudy{full});
  if (is_folder(full)) return send(action::OpenFolder{full});
  if (is_collection(full)) return send(action::OpenCollection{full});
  const auto present = std::ranges::find(state().matrices, full, &OpenMatrix::source);
  if (present != state().matrices.end() && full != "-") {
    if (chosen.reading) read_as(*present, *chosen.reading);
    if (chosen.select)
      handle(action::SelectMatrix{static_cast<std::size_t>(present - state().matrices.begin())});
    return;
  }
  const Reading reading = chosen.reading.value_or(Reading{});
  open(full, reading, [this, source = full, reading, select_it = chosen.select](Loaded loaded) {
    OpenMatrix& matrix = state().matrices.emplace_back();
    matrix.id = next_matrix_++;
    matrix.source = source;
    take(matrix, reading, std::move(loaded));
    remember_recent(source);
    note_load(matrix);
    if (select_it || !state().selected) select(state().matrices.size() - 1);
  });
}

void MatrixService::handle(const action::SetReading& chosen) {
  if (state().selected) read_as(state().matrices[*state().selected], chosen.reading);
}

void MatrixService::read_as(OpenMatrix& matrix, const Reading& reading) {
  Reading same = matrix.reading;
  same.kept = reading.kept;
  if (reading == same)
    matrix.reading = reading;
  else
    read_again(matrix, reading);
}

/// Starts one job at a time: while a handle is dragged, the next job takes the newest range.
void MatrixService::reconcile() {
  const OpenMatrix* matrix = state().matrix();
  if (choosing_ || matrix == nullptr || matrix->shown == matrix->reading.kept) return;
  choosing_ = true;
  jobs().submit(
      request_job(Lane::picture, "entries within", {}),
      [whole = matrix->whole, range = matrix->reading.kept](JobContext& context) {
        return entries_of(whole, range, context);
      },
      [this, id = matrix->id, whole = matrix->whole, range = matrix->reading.kept](Result<Entries> entries) {
        choosing_ = false;
        const auto found = std::ranges::find(state().matrices, id, &OpenMatrix::id);
        if (found == state().matrices.end() || found->whole != whole) return;
        if (!entries) {
          found->reading.kept = found->shown;
          return report(entries.error(), "Entries by |a|: ", Level::warning);
        }
        show(*found, std::move(*entries), range);
        if (&*found == state().matrix()) announce(&Service::entries_changed);
      });
}

void MatrixService::note_load(const OpenMatrix& matrix) {
  const LoadReport& report = matrix.matrix.report;
  const SparsePattern& pattern = *matrix.matrix.pattern;
  std::string text = matrix.matrix.name + ": " + grouped(pattern.rows()) + " × " + grouped(pattern.cols()) +
                     ", " + counted(pattern.nonzeros(), "entry", "entries") + ", " + report.format;
  if (report.duplicates > 0) text += ", " + counted(report.duplicates, "duplicate", "duplicates") + " merged";
  if (report.explicit_zeros > 0)
    text += ", " + counted(report.explicit_zeros, "explicit zero", "explicit zeros") + " " +
            (report.zeros_dropped ? "dropped" : "counted as entries");
  notify(Level::info, text, false);
  for (const std::string& note : report.notes) notify(Level::info, matrix.matrix.name + ": " + note, false);
}

void MatrixService::remember_recent(const std::string& source) {
  if (source == "-" || state().lessons.lesson || is_drawing_text(source)) return;
  std::erase(state().recent, source);
  state().recent.insert(state().recent.begin(), source);
  if (state().recent.size() > kRecentFiles) state().recent.resize(kRecentFiles);
}

void MatrixService::select(std::size_t index) {
  announce(&Service::forget_matrix);
  state().selected = index;
  announce(&Service::matrix_selected);
}

void MatrixService::handle(const action::SelectMatrix& chosen) {
  if (chosen.index >= state().matrices.size() || state().selected == chosen.index) return;
  select(chosen.index);
}

void MatrixService::handle(const action::CloseMatrix& chosen) {
  if (chosen.index >= state().matrices.size()) return;
  const bool shown = state().selected == chosen.index;
  const auto at = static_cast<std::ptrdiff_t>(chosen.index);
  if (shown) {
    announce(&Service::forget_matrix);
    state().selected.reset();
  }
  state().matrices.erase(state().matrices.begin() + at);
  announce(&Service::matrix_closed, shown);
  if (shown && !state().matrices.empty()) {
    select(std::min(chosen.index, state().matrices.size() - 1));
  } else if (shown) {
    state().interface.overlay = Overlay::gallery;
  } else if (state().selected && *state().selected > chosen.index) {
    --*state().selected;
  }
}

void MatrixService::handle(const action::ReloadMatrix&) {
  if (const OpenMatrix* matrix = state().matrix(); matrix != nullptr) read_again(*matrix, matrix->reading);
}

/// Not in a job: a drawing is small, and must be on the screen in the next frame.
void MatrixService::handle(const action::ReplaceDrawing& chosen) {
  if (!state().selected || !is_drawing_text(state().matrix()->source)) return;
  const auto drawing = parse_drawing(chosen.text);
  if (!drawing) return report(drawing.error());
  OpenMatrix& open = state().matrices[*state().selected];
  open.source = chosen.text;
  open.matrix = matrix_of(*drawing);
  open.whole = open.matrix.pattern;
  open.magnitudes = {};
  open.needs_log_scale = false;
  show(open, {open.whole, statistics_of(*open.whole), floor_of(*open.whole)}, {});
  announce(&Service::entries_changed);
}

void MatrixService::read_again(const OpenMatrix& matrix, const Reading& reading) {
  open(matrix.source, reading, [this, id = matrix.id, reading](Loaded fresh) {
    const auto found = std::ranges::find(state().matrices, id, &OpenMatrix::id);
    if (found == state().matrices.end()) return;
    const auto index = static_cast<std::size_t>(found - state().matrices.begin());
    const bool is_shown = state().selected == index;
    if (is_shown) announce(&Service::forget_matrix);
    take(*found, reading, std::move(fresh));
    note_load(*found);
    if (is_shown) announce(&Service::matrix_selected);
  });
}

bool MatrixService::refresh(SteadyTime now) {
  std::erase_if(previews_, [&](const auto& preview) {
    return std::ranges::none_of(state().loading,
                                [&](const LoadingMatrix& loading) { return loading.job == preview.first; });
  });
  if (previews_.empty() || now < previews_due_) return false;
  previews_due_ = now + kPreviewInterval;
  bool changed = false;
  for (LoadingMatrix& loading : state().loading) {
    const auto known = previews_.find(loading.job);
    if (known == previews_.end()) continue;
    const PatternPreview::Snapshot snapshot = known->second->snapshot();
    if (snapshot.counts.empty() || snapshot.entries == loading.entries) continue;
    loading.preview = std::make_shared<const CellImage>(preview_image(snapshot));
    // The range of entries per position: from one entry in a cell to the fullest cell.
    const double positions = loading.preview->coefficients_per_cell;
    const auto fullest =
        static_cast<double>(std::max<std::uint64_t>(10, *std::ranges::max_element(snapshot.counts)));
    loading.range = {static_cast<float>(-std::log10(positions)),
                     static_cast<float>(std::log10(fullest / positions))};
    loading.entries = snapshot.entries;
    loading.declared_entries = snapshot.declared_entries;
    changed = true;
  }
  return changed;
}

std::optional<SteadyTime> MatrixService::next_change() const {
  if (previews_.empty()) return {};
  return previews_due_;
}

}  // namespace spyctrum
