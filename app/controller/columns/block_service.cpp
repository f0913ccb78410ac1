// SPDX-License-Identifier: Apache-2.0
#include "app/controller/columns/block_service.hpp"

#include <algorithm>
#include <bit>

#include "app/controller/columns/run_service.hpp"
#include "app/controller/files/session_service.hpp"
#include "core/base/counts_text.hpp"

namespace spyctrum {

namespace {

constexpr double kSoonSeconds = 5;          // by expected_seconds(), which counts the operations alone
constexpr double kEnoughNodes = 1U << 24U;  // more than a screen has pixels

}  // namespace

std::optional<double> BlockService::expected_seconds(std::uint32_t block) const {
  double seconds = 0;
  for (const Column& column : state().columns) {
    if (!column.uses_block || column.own_block || !column.is_of_matrix()) continue;
    const std::optional<double> expected = runs_.expected_seconds_with(column, block);
    if (!expected) return std::nullopt;
    seconds = std::max(seconds, *expected);
  }
  return seconds;
}

std::optional<std::uint32_t> BlockService::larger_block(std::uint32_t block) const {
  const SparsePattern& pattern = *state().pattern();
  std::optional<std::uint32_t> starts;
  for (std::uint64_t next = 2 * std::uint64_t{std::bit_floor(block)}; next <= largest_block(state());
       next *= 2) {
    const auto candidate = static_cast<std::uint32_t>(next);
    const std::optional<double> seconds = expected_seconds(candidate);
    if (seconds && !starts) starts = candidate;
    const double nodes = static_cast<double>(block_count(pattern.rows(), candidate)) *
                         static_cast<double>(block_count(pattern.cols(), candidate));
    if (seconds && *seconds <= kSoonSeconds && nodes <= kEnoughNodes) return candidate;
  }
  return starts;
}

void BlockService::matrix_selected() {
  const std::optional<RaisedBlock> last = state().raised_block;
  const bool is_kept = last && state().block == last->to;
  state().raised_block.reset();
  // The block size of a session is the user's choice; with a budget every column has its own.
  if (sessions_.has_brought_matrix() || state().budget.kind != Budget::Kind::none) return;
  if (last && !is_kept) declined_.insert(last->matrix);
  const OpenMatrix& matrix = *state().matrix();
  const std::uint32_t block = is_kept ? last->from : state().block;
  std::uint32_t wanted = block;
  if (!declined_.contains(matrix.id) && !expected_seconds(block))
    wanted = larger_block(block).value_or(block);
  if (wanted != state().block) {
    send(action::BeginChange{});  // a step of undo by itself
    send(action::SetBlock{wanted});
  }
  if (wanted == block) return;
  state().raised_block = RaisedBlock{matrix.id, block, wanted};
  if (is_kept && last->matrix == matrix.id) return;  // read again
  const SparsePattern& pattern = *matrix.matrix.pattern;
  notify(Level::info, "Block size " + std::to_string(wanted) + " instead of " + std::to_string(block) +
                          ", which is too small for " + sides_text(pattern.rows(), pattern.cols()) +
                          " on this computer. Undo, or \"back to " + std::to_string(block) +
                          "\" under the slider, returns to it.");
}

}  // namespace spyctrum
