// SPDX-License-Identifier: Apache-2.0
// Bytes come from forecasts, for any block size; seconds from the advisor's runs on this matrix, for the
// block sizes of its list.
#include "app/controller/columns/budget_service.hpp"

#include <algorithm>
#include <cmath>

#include "core/methods/method.hpp"

namespace spyctrum {

void BudgetService::handle(const action::SetBudget& chosen) {
  if (!std::isfinite(chosen.budget.amount) || chosen.budget.amount < 0) return;
  state().budget = chosen.budget;
  if (chosen.budget.kind != Budget::Kind::none) return;
  for (const auto& [id, set_for] : set_for_) send(action::SetColumnBlock{id, std::nullopt});
  for (Column& column : state().columns) column.over_budget = false;
  set_for_.clear();
}

void BudgetService::reconcile() {
  const Budget& budget = state().budget;
  if (budget.kind == Budget::Kind::none || !state().pattern()) return;
  const AdvisorView& advisor = state().advisor;
  if (budget.kind == Budget::Kind::seconds && advisor.known.prospects.empty()) {
    if (!advisor_started_ && !advisor.busy) {
      advisor_started_ = true;
      send(action::AskAdvisor{.allowance = {.seconds = budget.amount}});
    }
    return;
  }
  for (Column& column : state().columns) {
    if (!column.uses_block || !column.is_of_matrix()) continue;
    SetFor set_for{state().pattern(), budget, column.method, column.parameters,
                   advisor.known.prospects.size()};
    SetFor& last = set_for_[column.id];
    if (last == set_for) continue;
    last = std::move(set_for);
    const auto block =
        budget.kind == Budget::Kind::bytes ? smallest_by_forecast(column) : smallest_by_prospects(column);
    column.over_budget = !block;
    send(action::SetColumnBlock{column.id, block.value_or(largest_block(state()))});
  }
}

bool BudgetService::fits(const Column& column, std::uint32_t block) const {
  ResolvedRequest request;
  request.pattern = state().pattern();
  request.parameters = column.parameters;
  if (!request.parameters.set("block", std::int64_t{block})) return false;
  request.outputs.values = request.outputs.features = true;
  request.threads = jobs().threads();
  const Method& method = *find_method(column.method);
  return static_cast<double>(method.forecast(request).bytes) <= state().budget.amount;
}

std::optional<std::uint32_t> BudgetService::smallest_by_forecast(const Column& column) const {
  // Forecasts fall with the block size: bisection between the first power of two that fits and the one before
  // it.
  const std::uint32_t end = largest_block(state());
  std::uint32_t high = 1;
  while (high < end && !fits(column, high)) high = std::min(2 * high, end);
  if (!fits(column, high)) return std::nullopt;
  std::uint32_t low = high / 2;  // does not fit, or is 0
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (fits(column, middle) ? high : low) = middle;
  }
  return high;
}

std::optional<std::uint32_t> BudgetService::smallest_by_prospects(const Column& column) const {
  std::optional<std::uint32_t> smallest;
  for (const Prospect& prospect : state().advisor.known.prospects) {
    if (prospect.method != column.method || !prospect.block || !prospect.refusal.empty()) continue;
    if (prospect.seconds <= state().budget.amount)
      smallest = std::min(smallest.value_or(*prospect.block), *prospect.block);
  }
  return smallest;
}

void BudgetService::forget_matrix() {
  set_for_.clear();
  advisor_started_ = false;
}

}  // namespace spyctrum
