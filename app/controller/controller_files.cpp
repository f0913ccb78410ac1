// SPDX-License-Identifier: Apache-2.0
// Matrices that open and close, sessions, and files that leave the program. A
// matrix joins the state only when it is whole; whatever fails leaves what was
// open as it is.
#include <algorithm>
#include <filesystem>

#include "app/controller/controller.hpp"
#include "app/controller/exports.hpp"
#include "core/io/export.hpp"
#include "core/io/reader.hpp"
#include "core/matrix/generators.hpp"

namespace spyctrum {

namespace {

struct Loaded {
  Matrix matrix;
  PatternStatistics statistics;
};

std::string short_name(const std::string& source) {
  if (source == "-" || is_generator_text(source)) return source;
  return std::filesystem::path(source).filename().string();
}

/// Files by their absolute path, so that one file has one name in recent files and sessions.
std::string full_source(const std::string& source) {
  if (source == "-" || is_generator_text(source)) return source;
  std::error_code failed;
  const auto absolute = std::filesystem::absolute(source, failed);
  return failed ? source : absolute.lexically_normal().string();
}

}  // namespace

void Controller::open(const std::string& source, std::function<void(Matrix, PatternStatistics)> take) {
  JobRequest request = request_job(Lane::input_output, "load/" + source, "Reading " + short_name(source));
  LoadOptions load;
  load.drop_zeros = state_.settings.drop_zeros;
  load.preview = std::make_shared<PatternPreview>();
  std::erase_if(state_.loading, [&](const LoadingMatrix& loading) { return loading.source == source; });
  const JobId job = runner_.submit<Loaded>(
      request,
      [source, load](JobContext& context) {
        Result<Matrix> matrix = load_matrix(source, load, context);
        if (!matrix) throw Failure(matrix.error());
        PatternStatistics statistics = statistics_of(*matrix->pattern);
        return Loaded{std::move(*matrix), statistics};
      },
      [this, source, take = std::move(take)](Result<Loaded> loaded) {
        std::erase_if(state_.loading, [&](const LoadingMatrix& loading) { return loading.source == source; });
        if (loaded) {
          take(std::move(loaded->matrix), loaded->statistics);
        } else if (loaded.error().code == ErrorCode::cancelled) {
          notify(Level::info, "Reading " + short_name(source) + " was cancelled.");
        } else {
          load_failures_.emplace_back(source, loaded.error());
          notify(Level::error, loaded.error().message());
        }
      });
  state_.loading.push_back({job, source, {}});
  previews_[job] = load.preview;
  // The first picture is for what is still being read then.
  previews_due_ = std::chrono::steady_clock::now() + kPreviewInterval;
}

void Controller::handle(const action::OpenFile& chosen) {
  if (state_.interface.overlay == Overlay::gallery) state_.interface.overlay = Overlay::none;
  const std::string full = full_source(chosen.source);
  if (is_study_folder(full)) return handle(action::OpenStudy{full});
  const auto present = std::find_if(state_.matrices.begin(), state_.matrices.end(),
                                    [&](const OpenMatrix& matrix) { return matrix.source == full; });
  if (present != state_.matrices.end() && full != "-") {
    if (chosen.select)
      handle(action::SelectMatrix{static_cast<std::size_t>(present - state_.matrices.begin())});
    return;
  }
  open(full, [this, source = full, select_it = chosen.select](Matrix matrix, PatternStatistics statistics) {
    state_.matrices.push_back({next_matrix_++, source, std::move(matrix), statistics});
    remember_recent(source);
    note_load(state_.matrices.back());
    const bool awaited = pending_session_ && pending_session_->selected < pending_session_->sources.size() &&
                         pending_session_->sources[pending_session_->selected] == source;
    if (select_it || awaited || !state_.selected) select(state_.matrices.size() - 1);
    if (awaited) apply_pending_view();
  });
}

void Controller::note_load(const OpenMatrix& matrix) {
  const LoadReport& report = matrix.matrix.report;
  std::string text = matrix.matrix.name + ": " + std::to_string(matrix.matrix.pattern->rows()) + " × " +
                     std::to_string(matrix.matrix.pattern->cols()) + ", " +
                     std::to_string(matrix.matrix.pattern->nonzeros()) + " entries, " + report.format;
  if (report.duplicates > 0) text += ", " + std::to_string(report.duplicates) + " duplicates merged";
  if (report.explicit_zeros > 0) {
    text += ", " + std::to_string(report.explicit_zeros) + " explicit zeros " +
            (report.zeros_dropped ? "dropped" : "counted as entries");
  }
  notify(Level::info, text, false);
  for (const std::string& note : report.notes) notify(Level::info, matrix.matrix.name + ": " + note, false);
}

void Controller::remember_recent(const std::string& source) {
  if (source == "-") return;
  std::erase(state_.recent, source);
  state_.recent.insert(state_.recent.begin(), source);
  if (state_.recent.size() > kRecentFiles) state_.recent.resize(kRecentFiles);
  settings_changed_ = true;
}

void Controller::select(std::size_t index) {
  if (const OpenMatrix* left = state_.matrix()) left_views_[left->id] = state_.views;
  forget_results();
  state_.selected = index;
  const OpenMatrix& matrix = *state_.matrix();
  fit_views();
  if (const auto known = left_views_.find(matrix.id); known != left_views_.end()) {
    for (std::size_t plane = 0; plane < kPlanes; ++plane) {
      const PixelSize pixels = state_.views[plane].pixels;
      state_.views[plane] = known->second[plane];
      state_.views[plane].pixels = pixels;
    }
  }
}

void Controller::forget_results() {
  state_.region.reset();
  state_.region_live = false;
  remove_region_columns();
  for (const char* prefix : {"run/", "reconstruction/", "picture/", "passed/", "range/", "errors", "probe",
                             "wave", "arrange/", "sweep", "hierarchy"}) {
    runner_.drop_all(prefix);
  }
  for (Column& column : state_.columns) {
    column.spectrum.reset();
    column.pattern.reset();
    column.hierarchy.reset();
    column.pattern_note.clear();
    column.estimate.reset();
    column.passed.reset();
    column.stopped = false;
    column.busy = column.errors_busy = false;
    column.error.reset();
    column.held_back.clear();
    column.feature_errors.reset();
    column.reconstruction_errors.reset();
    column.cost = {};
    column.samples = 0;
    column.sampling_rate = 0;
    for (Picture& picture : column.pictures) {
      const std::uint64_t version = picture.version + 1;
      picture = Picture{};
      picture.version = version;
    }
  }
  work_.clear();
  pictures_in_flight_.clear();
  failed_pictures_.clear();
  probed_ = {};
  compared_ = {};
  compare_every_row_ = false;
  wave_spec_ = {};
  pattern_.reset();
  hierarchy_of_.reset();
  sweep_queue_.clear();
  state_.sweep.clear();
  state_.sweep_busy = false;
  forget_theory();
  state_.crosshair = {};
  state_.wave.reset();
  state_.wave_sum.reset();
}

void Controller::reconcile_pattern() {
  if (const OpenMatrix* matrix = state_.matrix()) pattern_ = matrix->matrix.pattern;
}

void Controller::handle(const action::SelectMatrix& chosen) {
  if (chosen.index >= state_.matrices.size() || state_.selected == chosen.index) return;
  select(chosen.index);
}

void Controller::handle(const action::CloseMatrix& chosen) {
  if (chosen.index >= state_.matrices.size()) return;
  left_views_.erase(state_.matrices[chosen.index].id);
  const bool shown = state_.selected == chosen.index;
  const auto at = static_cast<std::ptrdiff_t>(chosen.index);
  if (shown) {
    forget_results();
    state_.selected.reset();
    cache_.clear();
  }
  state_.matrices.erase(state_.matrices.begin() + at);
  closed_since_idle_ = true;
  release_closed();
  if (shown && !state_.matrices.empty()) {
    select(std::min(chosen.index, state_.matrices.size() - 1));
  } else if (shown) {
    for (View& view : state_.views) view.rect = view.full = {};
    state_.interface.overlay = Overlay::gallery;
  } else if (state_.selected && *state_.selected > chosen.index) {
    --*state_.selected;
  }
}

void Controller::handle(const action::ReloadMatrix&) {
  const OpenMatrix* matrix = state_.matrix();
  if (matrix == nullptr) return;
  open(matrix->source, [this, id = matrix->id](Matrix fresh, PatternStatistics statistics) {
    const auto found = std::find_if(state_.matrices.begin(), state_.matrices.end(),
                                    [&](const OpenMatrix& open) { return open.id == id; });
    if (found == state_.matrices.end()) return;
    const bool same = found->matrix.pattern->fingerprint() == fresh.pattern->fingerprint();
    found->matrix = std::move(fresh);
    found->hierarchy.reset();
    found->statistics = statistics;
    note_load(*found);
    const auto index = static_cast<std::size_t>(found - state_.matrices.begin());
    if (!same) left_views_.erase(id);
    if (state_.selected == index) {
      state_.selected.reset();
      select(index);
    }
  });
}

void Controller::apply_session(Session session) {
  for (std::size_t k = state_.columns.size(); k-- > 0;) handle(action::RemoveColumn{state_.columns[k].id});
  state_.block = std::clamp(session.block, 1U, kLargestBlock);
  state_.settings.seed = session.seed;
  state_.settings.drop_zeros = session.drop_zeros;
  state_.keep_aspect = session.keep_aspect;
  state_.compare.rows = session.rows;
  for (const SessionColumn& kept : session.columns) {
    const ColumnId id = add_column(kept.method);
    if (id == 0) {
      notify(Level::warning, "The session names a method that is not here: " + kept.method + ".");
      continue;
    }
    for (const auto& [name, value] : kept.parameters) handle(action::SetColumnParameter{id, name, value});
    if (kept.block) handle(action::SetColumnBlock{id, kept.block});
    handle(action::SetColumnArrangement{id, kept.arrangement});
    state_.column(id)->own_range = kept.own_range;
  }
  // Colour maps that this build does not have keep the present ones.
  ScaleSettings scale = session.scale;
  if (scale.color_map.empty()) scale.color_map = state_.scale.color_map;
  if (scale.pattern_color_map.empty()) scale.pattern_color_map = state_.scale.pattern_color_map;
  if (scale.error_color_map.empty()) scale.error_color_map = state_.scale.error_color_map;
  handle(action::SetScale{scale});
  const std::vector<std::string> sources = session.sources;
  const std::size_t selected = session.selected;
  pending_session_ = std::move(session);
  bool open_already = false;
  for (std::size_t k = 0; k < sources.size(); ++k) {
    const auto found = std::find_if(state_.matrices.begin(), state_.matrices.end(),
                                    [&](const OpenMatrix& open) { return open.source == sources[k]; });
    if (found == state_.matrices.end()) {
      handle(action::OpenFile{sources[k], k == selected});
    } else if (k == selected) {
      const auto index = static_cast<std::size_t>(found - state_.matrices.begin());
      if (state_.selected != index) select(index);
      open_already = true;
    }
  }
  if (open_already) apply_pending_view();
}

void Controller::apply_pending_view() {
  const Session session = std::move(*pending_session_);
  pending_session_.reset();
  if (session.views) {
    set_view(Plane::pattern, (*session.views)[0], false);
    set_view(Plane::spectrum, (*session.views)[1], false);
  } else {
    fit_views();
  }
  if (session.region) handle(action::SelectRegion{session.region});
  state_.wave = session.wave;
}

void Controller::handle(const action::LoadSession& chosen) {
  runner_.submit<Session>(
      request_job(Lane::input_output, "session", "Session " + short_name(chosen.path)),
      [path = chosen.path](JobContext&) {
        Result<Session> session = read_session(path);
        if (!session) throw Failure(session.error());
        return std::move(*session);
      },
      [this, path = chosen.path](Result<Session> session) {
        if (session) {
          apply_session(std::move(*session));
        } else {
          load_failures_.emplace_back(path, session.error());
          notify(Level::error, session.error().message());
        }
      });
}

void Controller::write_file(const std::string& path, std::function<void(JobContext&)> write) {
  runner_.submit<bool>(
      request_job(Lane::input_output, "write/" + path, "Writing " + short_name(path)),
      [write = std::move(write)](JobContext& context) {
        write(context);
        return true;
      },
      [this, path](Result<bool> written) {
        if (written) {
          notify(Level::info, "Wrote " + path + ".");
        } else {
          notify(Level::error, written.error().message());
        }
      });
}

void Controller::handle(const action::SaveSession& chosen) {
  write_file(chosen.path, [path = chosen.path, text = to_json_text(session_of(state_))](JobContext&) {
    export_text(path, text);
  });
}

void Controller::handle(const action::ExportFeatures& chosen) {
  const OpenMatrix* matrix = state_.matrix();
  if (matrix == nullptr) return;
  std::vector<FeatureRecord> records;
  for (const Column& column : state_.columns) {
    if (!column.spectrum || !column.spectrum->features) continue;
    records.push_back({column.label, matrix->matrix.name, matrix->matrix.report.file, column.spectrum,
                       column.feature_errors, column.reconstruction_errors});
  }
  if (records.empty()) {
    notify(Level::warning, "There are no features yet to write.");
    return;
  }
  write_file(chosen.path, [path = chosen.path, records = std::move(records)](JobContext&) {
    export_features(path, records);
  });
}

void Controller::handle(const action::ExportValues& chosen) {
  const Column* column = state_.column(chosen.column);
  if (column == nullptr || !column->spectrum) return;
  if (column->spectrum->values.empty()) {
    notify(Level::warning, column->label + " passed by as a stream; its values were not stored.");
    return;
  }
  write_file(chosen.path, [path = chosen.path, spectrum = column->spectrum](JobContext&) {
    export_values(path, *spectrum);
  });
}

void Controller::handle(const action::ExportPicture& chosen) {
  const Column* column = state_.column(chosen.column);
  const OpenMatrix* matrix = state_.matrix();
  if (column == nullptr || matrix == nullptr) return;
  const Picture& picture = column->picture(chosen.row);
  if (!picture.shown) {
    notify(Level::warning, "There is no picture yet to write.");
    return;
  }
  PictureRecord record{picture.shown,
                       picture.against,
                       picture.range,
                       state_.scale,
                       chosen.row,
                       column->label,
                       matrix->matrix.report.file,
                       column->spectrum};
  write_file(chosen.path,
             [path = chosen.path, record = std::move(record)](JobContext&) { export_picture(path, record); });
}

}  // namespace spyctrum
