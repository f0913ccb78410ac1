// SPDX-License-Identifier: Apache-2.0
// Reading is a job of the lane for input and output, one for each source; a source that is read again
// replaces its older job.
#include "app/controller/files/matrix_service.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/controller/files/settings.hpp"
#include "app/controller/files/source_names.hpp"
#include "app/study/study.hpp"
#include "core/io/reader.hpp"
#include "core/matrix/generators.hpp"
#include "core/spectrum/rounding_floor.hpp"

namespace spyctrum {

namespace {

/// Small files are open before the first picture of their reading is due: nothing flashes.
constexpr auto kPreviewInterval = std::chrono::milliseconds(200);

/// rounding_floor() for powers of the weights as they were given.
double floor_of(const SparsePattern& pattern) {
  return std::ldexp(rounding_floor(pattern), 2 * pattern.weight_exponent());
}

struct Loaded {
  Matrix matrix;
  PatternStatistics statistics;
};

}  // namespace

MatrixService::MatrixService(ServiceContext& context) : Service(context) {
  for (const GeneratorInfo& generator : generators())
    state().gallery.push_back({generator.label, generator.help, generator.example});
}

void MatrixService::open(const std::string& source, const Reading& reading,
                         std::function<void(Matrix, PatternStatistics)> take) {
  LoadOptions load;
  load.drop_zeros = state().settings.drop_zeros;
  load.import = reading.import;
  load.import_where_known = true;  // matrices of a folder are read alike
  load.weights = reading.weights;
  load.preview = std::make_shared<PatternPreview>();
  std::erase_if(state().loading, [&](const LoadingMatrix& loading) { return loading.source == source; });
  const JobId job = jobs().submit(
      request_job(Lane::input_output, "load/" + source, "Reading " + short_name(source)),
      [source, load](JobContext& context) {
        Matrix matrix = or_throw(load_matrix(source, load, context));
        PatternStatistics statistics = statistics_of(*matrix.pattern);
        return Loaded{std::move(matrix), statistics};
      },
      [this, source, take = std::move(take)](Result<Loaded> loaded) {
        std::erase_if(state().loading,
                      [&](const LoadingMatrix& loading) { return loading.source == source; });
        if (loaded) {
          take(std::move(loaded->matrix), loaded->statistics);
        } else if (loaded.error().code == ErrorCode::cancelled) {
          notify(Level::info, "Reading " + short_name(source) + " was cancelled.");
        } else {
          report_unreadable(source, loaded.error());
        }
      });
  state().loading.push_back({job, source, {}});
  previews_[job] = load.preview;
  // The first picture is for what is still being read then.
  previews_due_ = std::chrono::steady_clock::now() + kPreviewInterval;
}

void MatrixService::handle(const action::OpenFile& chosen) {
  if (state().interface.overlay == Overlay::gallery) state().interface.overlay = Overlay::none;
  const std::string full = full_source(chosen.source);
  if (is_study_folder(full)) return send(action::OpenStudy{full});
  if (is_folder(full)) return send(action::OpenFolder{full});
  const auto present = std::ranges::find(state().matrices, full, &OpenMatrix::source);
  if (present != state().matrices.end() && full != "-") {
    if (chosen.reading && *chosen.reading != present->reading) read_again(*present, *chosen.reading);
    if (chosen.select)
      handle(action::SelectMatrix{static_cast<std::size_t>(present - state().matrices.begin())});
    return;
  }
  const Reading reading = chosen.reading.value_or(Reading{});
  open(
      full, reading,
      [this, source = full, reading, select_it = chosen.select](Matrix matrix, PatternStatistics statistics) {
        const double floor = floor_of(*matrix.pattern);
        state().matrices.push_back({next_matrix_++, source, reading, std::move(matrix), statistics, floor});
        remember_recent(source);
        note_load(state().matrices.back());
        if (select_it || !state().selected) select(state().matrices.size() - 1);
      });
}

void MatrixService::handle(const action::SetReading& chosen) {
  const OpenMatrix* matrix = state().matrix();
  if (matrix != nullptr && chosen.reading != matrix->reading) read_again(*matrix, chosen.reading);
}

void MatrixService::note_load(const OpenMatrix& matrix) {
  const LoadReport& report = matrix.matrix.report;
  std::string text = matrix.matrix.name + ": " + std::to_string(matrix.matrix.pattern->rows()) + " × " +
                     std::to_string(matrix.matrix.pattern->cols()) + ", " +
                     std::to_string(matrix.matrix.pattern->nonzeros()) + " entries, " + report.format;
  if (report.duplicates > 0) text += ", " + std::to_string(report.duplicates) + " duplicates merged";
  if (report.explicit_zeros > 0)
    text += ", " + std::to_string(report.explicit_zeros) + " explicit zeros " +
            (report.zeros_dropped ? "dropped" : "counted as entries");
  notify(Level::info, text, false);
  for (const std::string& note : report.notes) notify(Level::info, matrix.matrix.name + ": " + note, false);
}

void MatrixService::remember_recent(const std::string& source) {
  if (source == "-") return;
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

void MatrixService::read_again(const OpenMatrix& matrix, const Reading& reading) {
  open(matrix.source, reading, [this, id = matrix.id, reading](Matrix fresh, PatternStatistics statistics) {
    const auto found = std::ranges::find(state().matrices, id, &OpenMatrix::id);
    if (found == state().matrices.end()) return;
    const auto index = static_cast<std::size_t>(found - state().matrices.begin());
    const bool is_shown = state().selected == index;
    if (is_shown) announce(&Service::forget_matrix);
    found->rounding_floor = floor_of(*fresh.pattern);
    found->matrix = std::move(fresh);
    found->reading = reading;
    found->hierarchy.reset();
    found->statistics = statistics;
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
    // Of entries per position: from one entry in a cell to the fullest cell.
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
