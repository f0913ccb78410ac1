// SPDX-License-Identifier: Apache-2.0
// How far each column is from the reference: its features at once, its reconstruction by a pass over exact
// rows in the background. Owns what was compared with what.
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
  void column_removed(ColumnId column) override;
  void forget_matrix() override;

 private:
  /// What the errors shown in a column are of.
  struct Compared {
    SpectrumPtr features_of, features_against;
    SpectrumPtr reconstruction_of;
  };

  void compare_features();
  void reconcile_reconstruction_errors();
  void take_errors(const ErrorSpec& wanted, const Result<ColumnErrors>& errors);

  MachineService& machine_;
  const ReconstructionService& reconstructions_;
  std::map<ColumnId, Compared> compared_;
  ErrorSpec pass_;          ///< in flight, done or failed
  bool every_row_ = false;  ///< ComputeErrors
};

}  // namespace spyctrum
