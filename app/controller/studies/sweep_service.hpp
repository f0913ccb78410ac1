// SPDX-License-Identifier: Apache-2.0
// The sweep behind the trade-off plot: every method with a block size over a ladder of them, one run after
// the other in the background, compared with the reference. Owns the runs that are still to do.
#pragma once

#include <deque>
#include <string>
#include <utility>

#include "app/controller/device_runs.hpp"
#include "app/controller/machine_service.hpp"
#include "app/controller/service.hpp"

namespace spyctrum {

class SweepService : public Service {
 public:
  SweepService(ServiceContext& context, MachineService& machine) : Service(context), machine_(machine) {}
  void handle(const action::StartSweep& chosen);

  void reconcile() override;
  void forget_matrix() override;

 private:
  void take_point(SweepPoint point, const Result<RunOutcome>& result);

  MachineService& machine_;
  std::deque<std::pair<std::string, std::uint32_t>> waiting_;  ///< method and block size
};

}  // namespace spyctrum
