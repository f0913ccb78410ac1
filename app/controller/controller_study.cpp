// SPDX-License-Identifier: Apache-2.0
// Studies, theory and advice: an opened study and its cells, the bounds for what is open, pilot runs.
#include <algorithm>

#include "app/controller/controller.hpp"
#include "app/study/study.hpp"
#include "core/advisor/pilot.hpp"

namespace spyctrum {

void Controller::handle(const action::OpenStudy& chosen) {
  if (state_.interface.overlay == Overlay::gallery) state_.interface.overlay = Overlay::none;
  runner_.submit<std::shared_ptr<const Study>>(
      request_job(Lane::input_output, "study", "Study " + chosen.folder),
      [folder = chosen.folder](JobContext&) -> std::shared_ptr<const Study> {
        auto study = load_study(folder);
        if (!study) throw Failure(study.error());
        return std::make_shared<const Study>(std::move(*study));
      },
      [this, folder = chosen.folder](Result<std::shared_ptr<const Study>> study) {
        if (study) {
          state_.study = *study;
        } else {
          load_failures_.emplace_back(folder, study.error());
          notify(Level::error, study.error().message());
        }
      });
}

void Controller::handle(const action::CloseStudy&) {
  runner_.drop("study");
  state_.study.reset();
  if (state_.matrix() == nullptr) state_.interface.overlay = Overlay::gallery;
}

void Controller::handle(const action::OpenStudyCell& chosen) {
  if (!state_.study) return;
  const StudyMatrix* matrix = state_.study->matrix(chosen.matrix);
  const Method* method = find_method(chosen.method);
  if (matrix == nullptr || method == nullptr) return;
  Session session = session_of(state_);
  session.sources = {matrix->source};
  session.selected = 0;
  session.views.reset();
  session.region.reset();
  session.wave.reset();
  session.seed = state_.study->plan.seed;
  if (session.columns.empty()) session.columns.push_back({"bs-fft", {}, std::nullopt, false});
  if (chosen.block) session.block = *chosen.block;
  auto column = std::ranges::find(session.columns, chosen.method, &SessionColumn::method);
  if (column == session.columns.end())
    column = session.columns.insert(session.columns.end(), {chosen.method, {}, std::nullopt, false});
  column->block.reset();
  apply_session(std::move(session));
}

void Controller::handle(const action::ShowStudyFigure& chosen) {
  state_.interface.study_figure = chosen.figure;
}

void Controller::handle(const action::UseSetting& chosen) {
  auto column = std::ranges::find(state_.columns, chosen.method, &Column::method);
  ColumnId id = column == state_.columns.end() ? add_column(chosen.method) : column->id;
  if (id == 0) return;
  if (chosen.block) {
    if (state_.column(id)->own_block)
      handle(action::SetColumnBlock{id, chosen.block});
    else
      handle(action::SetBlock{*chosen.block});
  }
  column = std::ranges::find(state_.columns, id, &Column::id);
  handle(action::FocusColumn{static_cast<std::size_t>(column - state_.columns.begin())});
}

void Controller::reconcile_theory() {
  TheorySpec wanted;
  wanted.pattern = pattern_;
  wanted.block = state_.block;
  wanted.plane = plane_measured_;
  if (const Column* reference = state_.reference(); reference != nullptr && reference->spectrum)
    if (reference->spectrum->features) wanted.entropy = reference->spectrum->features->entropy;
  if (wanted == theory_spec_) return;
  theory_spec_ = wanted;
  runner_.drop("theory");
  state_.theory.busy = false;
  if (!pattern_ || pattern_->nonzeros() == 0) {
    state_.theory.theory.reset();
    state_.theory.related.clear();
    return;
  }
  state_.theory.busy = true;
  JobRequest job = request_job(Lane::background, "theory", "Theory · " + matrix_name());
  job.background = true;
  job.listed = false;
  using Findings = std::pair<Theory, std::vector<RelatedSystem>>;
  runner_.submit<Findings>(
      job,
      [wanted](JobContext& context) {
        TheoryMeasurements measured;
        if (wanted.plane) {
          measured = *wanted.plane;
          auto share = measure_uniform_share(wanted.pattern, wanted.block, context);
          if (share) measured.uniform_share = *share;
        }
        if (wanted.entropy) measured.entropy = wanted.entropy;
        return Findings{theory_of(*wanted.pattern, wanted.block, measured, context),
                        related_systems(*wanted.pattern, spectral_sparsity(*wanted.pattern, measured),
                                        context.memory().allowance())};
      },
      [this](Result<Findings> found) {
        state_.theory.busy = false;
        if (found) {
          state_.theory.theory = std::make_shared<const Theory>(std::move(found->first));
          state_.theory.related = std::move(found->second);
        } else if (found.error().code != ErrorCode::cancelled) {
          notify(Level::warning, "Theory: " + found.error().message(), false);
        }
      });
}

void Controller::handle(const action::MeasureTheory&) {
  if (!pattern_ || state_.theory.measuring) return;
  state_.theory.measuring = true;
  JobRequest job = request_job(Lane::background, "measure theory", "Energy of the plane · " + matrix_name());
  job.background = true;
  runner_.submit<TheoryMeasurements>(
      job,
      [pattern = pattern_](JobContext& context) {
        auto measured = measure_plane(pattern, context);
        if (!measured) throw Failure(measured.error());
        return std::move(*measured);
      },
      [this](Result<TheoryMeasurements> measured) {
        state_.theory.measuring = false;
        if (measured) {
          plane_measured_ = std::make_shared<const TheoryMeasurements>(std::move(*measured));
          state_.theory.measured = true;
        } else if (measured.error().code != ErrorCode::cancelled) {
          notify(Level::error, measured.error().message());
        }
      });
}

void Controller::handle(const action::AskAdvisor& ask) {
  if (!pattern_ || state_.advisor.busy) return;
  state_.advisor.busy = true;
  PilotOptions pilot;
  pilot.backend = backend_;
  if (const Column* reference = state_.reference(); reference != nullptr && reference->spectrum)
    pilot.exact = reference->spectrum->features;
  JobRequest job = request_job(Lane::background, "advisor", "Advisor · " + matrix_name());
  job.background = true;
  runner_.submit<Expectations>(
      job,
      [pattern = pattern_, pilot, allowance = ask.allowance,
       known = ask.anew ? Expectations{} : state_.advisor.known](JobContext& context) mutable {
        if (known.prospects.empty()) known = find_expectations(pattern, pilot, context);
        (void)advise(pattern, pilot, allowance, known, context);
        return known;
      },
      [this](Result<Expectations> found) {
        state_.advisor.busy = false;
        if (found) {
          state_.advisor.known = std::move(*found);
        } else if (found.error().code != ErrorCode::cancelled) {
          notify(Level::error, "Advisor: " + found.error().message());
        }
      });
}

void Controller::forget_theory() {
  for (const char* key : {"theory", "measure theory", "advisor"}) runner_.drop(key);
  theory_spec_ = {};
  plane_measured_.reset();
  state_.theory = {};
  state_.advisor = {};
}

}  // namespace spyctrum
