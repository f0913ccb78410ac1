// SPDX-License-Identifier: Apache-2.0
// advise: recommends methods and block sizes for this matrix, memory and time, with reasons.
#include <algorithm>

#include "app/cli/commands.hpp"
#include "app/cli/method_run.hpp"
#include "core/advisor/pilot.hpp"
#include "core/base/stopwatch.hpp"

namespace spyctrum::cli {

namespace {

Json advice_json(const Advice& advice) {
  const Prospect& prospect = advice.prospect;
  const bool refused = !prospect.refusal.empty();
  return {{"method", prospect.method},
          {"block", prospect.block ? Json(*prospect.block) : Json(nullptr)},
          {"fits", advice.fits},
          {"reason", advice.reason},
          {"bytes_forecast", refused ? Json(nullptr) : Json(prospect.bytes)},
          {"expected_seconds", refused ? Json(nullptr) : Json(prospect.seconds)},
          {"expected_error", refused ? Json(nullptr) : Json(prospect.error)},
          {"basis", prospect.basis}};
}

void print_for_people(Session& session, const std::vector<Advice>& list, std::size_t most) {
  std::size_t shown = 0;
  for (const Advice& advice : list) {
    if (shown == most) break;
    ++shown;
    const Prospect& prospect = advice.prospect;
    session.line(std::to_string(shown) + ". " + prospect.label +
                 (prospect.block ? ", b = " + std::to_string(*prospect.block) : std::string()) + "   " +
                 (prospect.refusal.empty() ? format_bytes(prospect.bytes) : std::string()));
    session.line("   " + advice.reason + (prospect.basis.empty() ? "" : " (" + prospect.basis + ")"));
  }
}

}  // namespace

Result<void> run_advise(Session& session, const AdviseOptions& options) {
  auto matrix = session.load(options.file);
  if (!matrix) return tl::unexpected<Error>(matrix.error());
  PilotOptions pilot;
  pilot.backend = session.backend();
  if (!options.blocks.empty()) pilot.blocks.clear();
  for (const std::int64_t block : options.blocks) {
    if (block < 1 || block > kLargestBlock)
      return fail(ErrorCode::wrong_use, "A block size is 1 or more, not " + std::to_string(block) + ".");
    pilot.blocks.push_back(static_cast<std::uint32_t>(block));
  }
  Allowance allowance;
  allowance.bytes = session.memory_bytes();
  allowance.seconds = options.seconds;
  if (options.error > 0) allowance.error = options.error;
  allowance.exact = options.exact;
  const auto job = session.context("pilot runs");
  const Stopwatch watch;
  Expectations known = find_expectations(matrix->pattern, pilot, *job);
  const std::vector<Advice> list = advise(matrix->pattern, pilot, allowance, known, *job);
  const double spent = watch.seconds();
  session.clear_progress();

  Json advice = Json::array();
  for (const Advice& one : list) advice.push_back(advice_json(one));
  session.print({{"file", matrix->report.file},
                 {"rows", matrix->pattern->rows()},
                 {"cols", matrix->pattern->cols()},
                 {"nonzeros", matrix->pattern->nonzeros()},
                 {"backend", to_string(session.backend())},
                 {"allowance",
                  {{"bytes", allowance.bytes},
                   {"seconds", options.seconds > 0 ? Json(options.seconds) : Json(nullptr)},
                   {"error", allowance.error ? Json(*allowance.error) : Json(nullptr)},
                   {"exact", allowance.exact}}},
                 {"advice", advice},
                 {"pilot_seconds", spent},
                 {"version", SPYCTRUM_VERSION}});
  print_for_people(session, list, 8);
  return session.finish();
}

}  // namespace spyctrum::cli
