// SPDX-License-Identifier: Apache-2.0
// The paper's bounds for the selected matrix, and the advisor's pilot runs on it. Owns the inputs of the
// bounds shown.
#pragma once

#include <memory>
#include <optional>

#include "app/controller/machine_service.hpp"
#include "app/controller/service.hpp"
#include "core/theory/theory.hpp"

namespace spyctrum {

class TheoryService : public Service {
 public:
  TheoryService(ServiceContext& context, const MachineService& machine)
      : Service(context), machine_(machine) {}
  void handle(const action::MeasureTheory& chosen);
  void handle(const action::AskAdvisor& ask);

  void reconcile() override;
  void forget_matrix() override;
  void entries_changed() override { forget_matrix(); }

 private:
  struct TheorySpec {
    PatternPtr pattern;
    std::uint32_t block = 0;
    std::optional<double> entropy;  ///< of the reference
    std::shared_ptr<const TheoryMeasurements> plane;
    friend bool operator==(const TheorySpec&, const TheorySpec&) = default;
  };

  const MachineService& machine_;
  TheorySpec spec_;
  std::shared_ptr<const TheoryMeasurements> plane_;  ///< measured by MeasureTheory; null until then
};

}  // namespace spyctrum
