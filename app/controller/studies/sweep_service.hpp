// SPDX-License-Identifier: Apache-2.0
// The sweep behind the trade-off plot: every method with a block size at eight block sizes, one run after the
// other in the background, compared with the reference. Runs that by the forecasts take longer than all
// others together are skipped at first. While the advisor measures, the sweep pauses. Owns the runs that are
// still to do.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "app/controller/device_runs.hpp"
#include "app/controller/machine_service.hpp"
#include "app/controller/service.hpp"

namespace spyctrum {

struct SweepRun {
  std::string method;
  std::uint32_t block = 1;
  double operations = 0;  ///< forecast
};
/// Removes from `runs`, heaviest first, those of more than 10^11 operations (half a minute) that take more
/// operations than all remaining runs together. Returns them.
std::vector<SweepRun> take_dominating(std::vector<SweepRun>& runs);

class SweepService : public Service {
 public:
  SweepService(ServiceContext& context, MachineService& machine) : Service(context), machine_(machine) {}
  void handle(const action::StartSweep& chosen);

  void reconcile() override;
  void forget_matrix() override;
  void entries_changed() override { forget_matrix(); }

 private:
  void take_point(SweepPoint point, const Result<RunOutcome>& result);

  /// Share of the operations of runs that have ended.
  [[nodiscard]] double done() const;

  MachineService& machine_;
  std::deque<SweepRun> waiting_;
  std::optional<SweepRun> running_;
  double operations_ = 0;  ///< of all runs of the sweep
  SteadyTime began_;
};

}  // namespace spyctrum
