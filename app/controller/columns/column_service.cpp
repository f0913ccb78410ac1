// SPDX-License-Identifier: Apache-2.0
// Every change that may affect a column's role or label ends with choose_reference().
#include "app/controller/columns/column_service.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/study/method_style.hpp"
#include "core/matrix/reordering.hpp"
#include "core/methods/method.hpp"

namespace spyctrum {

namespace {

void style_columns(std::vector<Column>& columns) {
  std::vector<std::string> methods;
  std::ranges::transform(columns, std::back_inserter(methods), &Column::method);
  const std::vector<MethodStyle> styles = column_styles(methods);
  for (std::size_t k = 0; k < columns.size(); ++k) columns[k].style = styles[k];
}

void adopt_method(Column& column) {
  const Method& method = *find_method(column.method);
  const MethodInfo& info = method.info();
  column.label = info.label;
  column.uses_block = info.uses_block;
  column.exactness = info.exactness;
  column.parameters = method.defaults();
  // The powers of a reduced plane are smaller: in the range of the other columns they would all have one
  // colour.
  column.own_range = info.exactness == Exactness::estimate;
}

}  // namespace

ColumnId ColumnService::add_column(const std::string& method) {
  if (find_method(method) == nullptr) return 0;
  Column column;
  column.id = state().next_column++;
  column.method = method;
  column.block = state().block;
  adopt_method(column);
  state().columns.push_back(std::move(column));
  style_columns(state().columns);
  choose_reference(state());
  return state().columns.back().id;
}

void choose_reference(AppState& state) {
  Column* chosen = nullptr;
  for (Column& column : state.columns) {
    const MethodInfo& info = find_method(column.method)->info();
    const bool exact = info.full_plane && info.exactness == Exactness::exact;
    column.reference = exact && column.is_of_matrix() && chosen == nullptr;
    column.label = info.label;
    if (column.is_of_region()) column.label += " · region";
    if (const OrderInfo* order = find_order(column.arrangement.order);
        order != nullptr && !column.is_of_matrix())
      column.label += " · " + std::string(order->label);
    if (column.reference) chosen = &column;
  }
}

void ColumnService::handle(const action::AddColumn& chosen) {
  const ColumnId id = add_column(chosen.method);
  if (id == 0) return notify(Level::warning, "There is no method '" + chosen.method + "'.");
  send(action::SetColumnArrangement{id, chosen.arrangement});
}

void ColumnService::handle(const action::RemoveColumn& chosen) {
  if (state().column(chosen.column) == nullptr) return;
  std::erase_if(state().columns, [&](const Column& column) { return column.id == chosen.column; });
  if (state().interface.focused_column >= state().columns.size()) state().interface.focused_column = 0;
  style_columns(state().columns);
  choose_reference(state());
  announce(&Service::column_removed, chosen.column);
}

void ColumnService::handle(const action::MoveColumn& chosen) {
  const auto from = std::ranges::find(state().columns, chosen.column, &Column::id);
  if (from == state().columns.end()) return;
  Column moved = std::move(*from);
  state().columns.erase(from);
  const std::size_t place = std::min(chosen.index, state().columns.size());
  state().columns.insert(state().columns.begin() + static_cast<std::ptrdiff_t>(place), std::move(moved));
}

void ColumnService::handle(const action::SetColumnMethod& chosen) {
  Column* column = state().column(chosen.column);
  if (column == nullptr || column->method == chosen.method) return;
  if (find_method(chosen.method) == nullptr)
    return notify(Level::warning, "There is no method '" + chosen.method + "'.");
  column->method = chosen.method;
  adopt_method(*column);
  style_columns(state().columns);
  choose_reference(state());
}

void ColumnService::handle(const action::SetColumnParameter& chosen) {
  Column* column = state().column(chosen.column);
  if (column == nullptr) return;
  ResolvedParameters parameters = column->parameters;
  if (const auto set = parameters.set(chosen.name, chosen.value); !set)
    return notify(Level::warning, set.error().message());
  if (chosen.name == "block")
    handle(action::SetColumnBlock{column->id, static_cast<std::uint32_t>(parameters.integer("block"))});
  else
    column->parameters = std::move(parameters);
}

void ColumnService::handle(const action::SetColumnBlock& chosen) {
  Column* column = state().column(chosen.column);
  if (column == nullptr) return;
  column->own_block = chosen.block.has_value();
  column->block = std::clamp(chosen.block.value_or(state().block), 1U, kLargestBlock);
}

void ColumnService::handle(const action::SetColumnOwnRange& chosen) {
  if (Column* column = state().column(chosen.column)) column->own_range = chosen.own;
}

void ColumnService::handle(const action::SetColumnLarge& chosen) {
  for (Column& column : state().columns)
    if (chosen.large || column.id == chosen.column) column.large = chosen.large && column.id == chosen.column;
}

void ColumnService::handle(const action::SetBlock& chosen) {
  state().block = std::clamp(chosen.block, 1U, kLargestBlock);
  for (Column& column : state().columns)
    if (!column.own_block) column.block = state().block;
}

void ColumnService::handle(const action::ApplyAdvice& chosen) {
  const Column* column = state().column(chosen.column);
  if (column == nullptr) return;
  const ParameterValues setting = advised_setting(state(), *column);
  const auto advised = resolve(*find_method(column->method), setting);
  if (!advised) return notify(Level::warning, advised.error().message());
  for (const auto& [name, value] : setting) {
    if (name == "block" && !column->own_block)
      handle(action::SetBlock{static_cast<std::uint32_t>(advised->integer("block"))});
    else
      handle(action::SetColumnParameter{chosen.column, name, value});
  }
  send(action::RunColumn{chosen.column});
}

void ColumnService::handle(const action::UseSetting& chosen) {
  auto column = std::ranges::find(state().columns, chosen.method, &Column::method);
  ColumnId id = column == state().columns.end() ? add_column(chosen.method) : column->id;
  if (id == 0) return;
  if (chosen.block) {
    if (state().column(id)->own_block)
      handle(action::SetColumnBlock{id, chosen.block});
    else
      handle(action::SetBlock{*chosen.block});
  }
  column = std::ranges::find(state().columns, id, &Column::id);
  send(action::FocusColumn{static_cast<std::size_t>(column - state().columns.begin())});
}

}  // namespace spyctrum
