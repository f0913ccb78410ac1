// SPDX-License-Identifier: Apache-2.0
// Hierarchies of large patterns, with which the CPU draws them faster: one per open matrix, one per column
// with another order. Owns the requests.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "app/controller/machine_service.hpp"
#include "app/controller/service.hpp"

namespace spyctrum {

class HierarchyService : public Service {
 public:
  /// `fewest_entries`: patterns with fewer entries get no hierarchy.
  HierarchyService(ServiceContext& context, const MachineService& machine, std::int64_t fewest_entries)
      : Service(context), machine_(machine), fewest_entries_(fewest_entries) {}

  void reconcile() override;
  void column_removed(ColumnId column) override;
  void forget_matrix() override;

 private:
  void forget_left_orders();
  void make(const std::string& key, const std::string& label, const PatternPtr& pattern,
            std::function<void(const HierarchyPtr&)> take);

  const MachineService& machine_;
  std::int64_t fewest_entries_;
  PatternPtr requested_for_matrix_;
  std::map<ColumnId, PatternPtr> requested_for_column_;
};

}  // namespace spyctrum
