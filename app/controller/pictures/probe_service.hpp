// SPDX-License-Identifier: Apache-2.0
// The linked crosshair and the wave of a frequency. Quantities that follow from the position are set at once;
// sums over all entries are computed by a job in its own lane, of which the latest wins. Owns the position of
// the values shown.
#pragma once

#include <utility>

#include "app/controller/columns/reconstruction_service.hpp"
#include "app/controller/pictures/probe.hpp"
#include "app/controller/service.hpp"

namespace spyctrum {

class ProbeService : public Service {
 public:
  ProbeService(ServiceContext& context, const ReconstructionService& reconstructions)
      : Service(context), reconstructions_(reconstructions) {}
  void handle(const action::SetCrosshair& chosen);
  void handle(const action::ClearCrosshair& /*chosen*/) { state().crosshair = {}; }
  void handle(const action::ShowWave& chosen) { state().wave = chosen.frequency; }

  void reconcile() override;
  void forget_matrix() override;

 private:
  struct WaveSpec {
    PatternPtr pattern;
    std::pair<std::int64_t, std::int64_t> frequency;
    friend bool operator==(const WaveSpec&, const WaveSpec&) = default;
  };

  void look_up_frequency();
  void look_up_entry();
  void reconcile_values();
  void reconcile_wave();

  const ReconstructionService& reconstructions_;
  ProbeSpec probed_;
  WaveSpec wave_;
};

}  // namespace spyctrum
