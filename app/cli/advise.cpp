// SPDX-License-Identifier: Apache-2.0
// advise: recommends methods and block sizes for this matrix, memory and time, with reasons.
#include <algorithm>

#include "app/cli/commands.hpp"
#include "app/cli/method_run.hpp"
#include "core/advisor/pilot.hpp"
#include "core/base/stopwatch.hpp"

namespace spyctrum::cli {

namespace {

/// Recommendations in the text; --json gives all of them.
constexpr std::size_t kMostPrinted = 8;

Json advice_json(const Advice& advice) {
  const Prospect& prospect = advice.prospect;
  const bool refused = !prospect.refusal.empty();
  return {{"method", prospect.method},
          {"block", or_null(prospect.block)},
          {"fits", advice.fits},
          {"reason", advice.reason},
          {"bytes_forecast", refused ? Json(nullptr) : Json(prospect.bytes)},
          {"expected_seconds", refused ? Json(nullptr) : Json(prospect.seconds)},
          {"expected_error", refused ? Json(nullptr) : Json(prospect.error)},
          {"basis", prospect.basis}};
}

}  // namespace

void run_advise(Session& session, const AdviseOptions& options) {
  const Matrix matrix = session.load_with_weights();
  PilotOptions pilot;
  pilot.backend = session.backend();
  if (!options.blocks.empty()) pilot.blocks = block_sizes(options.blocks);
  Allowance allowance;
  allowance.bytes = session.memory_bytes();
  allowance.seconds = options.seconds;
  if (options.error > 0) allowance.error = options.error;
  allowance.exact = options.exact;
  const auto job = session.context("pilot runs");
  const Stopwatch watch;
  Expectations known = find_expectations(matrix.pattern, pilot, *job);
  const std::vector<Advice> list = advise(matrix.pattern, pilot, allowance, known, *job);
  const double spent = watch.seconds();

  Json object = matrix_fields(matrix);
  object["backend"] = to_string(session.backend());
  object["allowance"] = {{"bytes", allowance.bytes},
                         {"seconds", options.seconds > 0 ? Json(options.seconds) : Json(nullptr)},
                         {"error", or_null(allowance.error)},
                         {"exact", allowance.exact}};
  object["advice"] = Json::array();
  for (const Advice& one : list) object["advice"].push_back(advice_json(one));
  object["pilot_seconds"] = spent;
  object["version"] = SPYCTRUM_VERSION;
  session.print(object);
  for (std::size_t k = 0; k < std::min(list.size(), kMostPrinted); ++k) {
    const Prospect& prospect = list[k].prospect;
    session.line(k + 1, ". ", prospect.label,
                 prospect.block ? ", b = " + std::to_string(*prospect.block) : std::string(), "   ",
                 prospect.refusal.empty() ? format_bytes(prospect.bytes) : std::string());
    session.line("   ", list[k].reason, prospect.basis.empty() ? "" : " (" + prospect.basis + ")");
  }
}

}  // namespace spyctrum::cli
