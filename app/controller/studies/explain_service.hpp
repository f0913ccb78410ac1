// SPDX-License-Identifier: Apache-2.0
// Explanations of the selected matrix: made from the first request on, and a finding shown in both domains.
// Owns the pattern that the explanation is of.
#pragma once

#include "app/controller/service.hpp"

namespace spyctrum {

class ExplainService : public Service {
 public:
  using Service::Service;
  void handle(const action::Explain& /*chosen*/) { state().explain.is_on = true; }
  void handle(const action::ShowFinding& chosen);

  void reconcile() override;
  void forget_matrix() override;
  void entries_changed() override { forget_matrix(); }

 private:
  PatternPtr explained_;  ///< the pattern of the explanation, or of the job that makes it
};

}  // namespace spyctrum
