// SPDX-License-Identifier: Apache-2.0
// The errors of each column against the reference: features at once, reconstructions by a background pass
// over exact rows. Owns the inputs of the last comparisons.
#pragma once

#include <map>

#include "app/controller/columns/error_pass.hpp"
#include "app/controller/columns/reconstruction_service.hpp"
#include "app/controller/machine_service.hpp"
#include "app/controller/service.hpp"

namespace spyctrum {

class ComparisonService : public Service {
 public:
  ComparisonService(ServiceContext& context, MachineService& machine,
                    const ReconstructionService& reconstructions)
      : Service(context), machine_(machine), reconstructions_(reconstructions) {}
  void handle(const action::ComputeErrors& chosen);

  void reconcile() override;
  void column_removed(ColumnId column) override { compared_.erase(column); }
  void forget_matrix() override;

 private:
  /// The inputs of the errors shown in a column.
  struct Compared {
    SpectrumPtr features_of, features_against;
    SpectrumPtr reconstruction_of;
  };

  void compare_features();
  void reconcile_reconstruction_errors();
  void take_errors(const ErrorSpec& spec, const Result<ColumnErrors>& errors);

  MachineService& machine_;
  const ReconstructionService& reconstructions_;
  std::map<ColumnId, Compared> compared_;
  ErrorSpec pass_;          ///< the newest pass: running, done or failed
  bool every_row_ = false;  ///< ComputeErrors was requested
};

}  // namespace spyctrum
