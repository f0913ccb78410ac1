// SPDX-License-Identifier: Apache-2.0
// Bounds follow the block size and the reference's entropy; the pass over the plane and pilot runs wait for
// an action.
#include "app/controller/studies/theory_service.hpp"

#include <utility>

#include "core/advisor/pilot.hpp"
#include "core/theory/related_work.hpp"

namespace spyctrum {

void TheoryService::handle(const action::MeasureTheory&) {
  if (!state().pattern() || state().theory.measuring) return;
  state().theory.measuring = true;
  jobs().submit(
      request_job(Lane::background, "measure theory", "Energy of the plane · " + matrix_name()),
      [pattern = state().pattern()](JobContext& context) {
        return or_throw(measure_plane(pattern, context));
      },
      [this](Result<TheoryMeasurements> measured) {
        state().theory.measuring = false;
        if (!measured) return report(measured.error());
        plane_ = std::make_shared<const TheoryMeasurements>(std::move(*measured));
        state().theory.measured = true;
      });
}

void TheoryService::handle(const action::AskAdvisor& ask) {
  if (!state().pattern() || state().advisor.busy) return;
  state().advisor.busy = true;
  PilotOptions pilot;
  pilot.backend = machine_.backend();
  if (const Column* reference = state().reference(); reference != nullptr && reference->spectrum)
    pilot.exact = reference->spectrum->features;
  jobs().submit(
      request_job(Lane::background, "advisor", "Advisor · " + matrix_name()),
      [pattern = state().pattern(), pilot, allowance = ask.allowance,
       known = ask.anew ? Expectations{} : state().advisor.known](JobContext& context) mutable {
        if (known.prospects.empty()) known = find_expectations(pattern, pilot, context);
        (void)advise(pattern, pilot, allowance, known, context);
        return known;
      },
      [this](Result<Expectations> found) {
        state().advisor.busy = false;
        if (!found) return report(found.error(), "Advisor: ");
        state().advisor.known = std::move(*found);
      });
}

void TheoryService::reconcile() {
  TheorySpec spec;
  spec.pattern = state().pattern();
  spec.block = state().block;
  spec.plane = plane_;
  if (const Column* reference = state().reference(); reference != nullptr && reference->spectrum)
    if (reference->spectrum->features) spec.entropy = reference->spectrum->features->entropy;
  if (spec == spec_) return;
  spec_ = spec;
  jobs().drop("theory");
  state().theory.busy = false;
  if (!state().pattern() || state().pattern()->nonzeros() == 0) {
    state().theory.theory.reset();
    state().theory.related.clear();
    return;
  }
  state().theory.busy = true;
  using Findings = std::pair<Theory, std::vector<RelatedSystem>>;
  jobs().submit(
      request_job(Lane::background, "theory", {}),
      [spec](JobContext& context) {
        TheoryMeasurements measured;
        if (spec.plane) {
          measured = *spec.plane;
          auto share = measure_uniform_share(spec.pattern, spec.block, context);
          if (share) measured.uniform_share = *share;
        }
        if (spec.entropy) measured.entropy = spec.entropy;
        return Findings{theory_of(*spec.pattern, spec.block, measured, context),
                        related_systems(*spec.pattern, spectral_sparsity(*spec.pattern, measured),
                                        context.memory().allowance())};
      },
      [this](Result<Findings> found) {
        state().theory.busy = false;
        if (!found) return report(found.error(), "Theory: ", Level::warning, false);
        state().theory.theory = std::make_shared<const Theory>(std::move(found->first));
        state().theory.related = std::move(found->second);
      });
}

void TheoryService::forget_matrix() {
  for (const char* key : {"theory", "measure theory", "advisor"}) jobs().drop(key);
  spec_ = {};
  plane_.reset();
  state().theory = {};
  state().advisor = {};
}

}  // namespace spyctrum
