// SPDX-License-Identifier: Apache-2.0
// One budget of bytes or seconds for all columns: every method with a block size uses the smallest one that
// fits, which gives the most samples. Owns the inputs from which each column's block size was last computed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "app/controller/service.hpp"

namespace spyctrum {

class BudgetService : public Service {
 public:
  using Service::Service;
  void handle(const action::SetBudget& chosen);
  void reconcile() override;
  void column_removed(ColumnId column) override { set_for_.erase(column); }
  void forget_matrix() override;

 private:
  /// The inputs from which a column's block size is computed.
  struct SetFor {
    PatternPtr pattern;
    Budget budget;
    std::string method;
    ResolvedParameters parameters;
    std::size_t prospects = 0;
    friend bool operator==(const SetFor&, const SetFor&) = default;
  };
  [[nodiscard]] bool fits(const Column& column, std::uint32_t block) const;
  [[nodiscard]] std::optional<std::uint32_t> smallest_by_forecast(const Column& column) const;
  [[nodiscard]] std::optional<std::uint32_t> smallest_by_prospects(const Column& column) const;

  std::map<ColumnId, SetFor> set_for_;
  bool advisor_started_ = false;  ///< AskAdvisor was sent for this matrix
};

}  // namespace spyctrum
