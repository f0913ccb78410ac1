// SPDX-License-Identifier: Apache-2.0
// One job for each pattern. A finding is shown by actions that the user has too: views and a wave.
#include "app/controller/studies/explain_service.hpp"

#include <utility>

namespace spyctrum {

namespace {

/// Whether a rectangle is better seen as a mark on the whole plane than by itself: a row, a column, the
/// whole.
bool is_thin(const PlaneRect& rect, const PlaneRect& full) {
  const double down = rect.height() / full.height(), along = rect.width() / full.width();
  return down > 0.7 || along > 0.7 || down > 6 * along || along > 6 * down;
}

}  // namespace

void ExplainService::handle(const action::ShowFinding& chosen) {
  ExplainView& view = state().explain;
  if (!view.explanation || chosen.finding >= view.explanation->findings.size()) return;
  if (view.shown == chosen.finding) {
    view.shown.reset();
    view.marks = {};
    send(action::ShowWave{});
    send(action::FitView{Plane::pattern});
    return send(action::FitView{Plane::spectrum});
  }
  view.shown = chosen.finding;
  view.marks = {};
  const Finding& finding = view.explanation->findings[chosen.finding];
  send(action::ShowWave{finding.wave});
  for (const Plane plane : {Plane::pattern, Plane::spectrum}) {
    const auto& part = plane == Plane::pattern ? finding.pattern : finding.spectrum;
    if (!part || is_thin(*part, state().view(plane).full))
      send(action::FitView{plane});
    else
      send(action::SetView{plane, *part});
    if (part) view.marks.at(static_cast<std::size_t>(plane)) = *part;
  }
}

void ExplainService::reconcile() {
  const PatternPtr pattern = state().pattern();
  if (!state().explain.is_on || !pattern || pattern == explained_) return;
  explained_ = pattern;
  state().explain.busy = true;
  jobs().submit(
      request_job(Lane::background, "explain", "Explanation · " + matrix_name()),
      [pattern](JobContext& context) { return or_throw(explain(pattern, {}, context)); },
      [this](Result<Explanation> found) {
        state().explain.busy = false;
        if (!found) return report(found.error(), "Explanation: ", Level::warning);
        state().explain.explanation = std::make_shared<const Explanation>(std::move(*found));
      });
}

void ExplainService::forget_matrix() {
  jobs().drop("explain");
  explained_.reset();
  state().explain = {.is_on = state().explain.is_on};
}

}  // namespace spyctrum
