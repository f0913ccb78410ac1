// SPDX-License-Identifier: Apache-2.0
// For a request that does not fit the memory, finds a similar one that does. Candidates are tested with the
// methods' own forecasts, so that run_method() accepts what is proposed.
#include <algorithm>

#include "core/base/counts_text.hpp"
#include "core/device/device_forecast.hpp"
#include "core/methods/method.hpp"
#include "core/request/byte_terms.hpp"
#include "core/request/shared_parameters.hpp"

namespace spyctrum {

namespace {

/// Fewest samples along the longer side: with fewer, some radial bins contain no sample.
constexpr std::uint64_t kFewestSamples = 16;

std::string in_bytes(std::uint64_t bytes) { return " (" + format_bytes(bytes) + ")."; }

/// "Use Elastic BS-FFT, --method elastic": its name in the window and on the command line.
std::string use_method(const Method& method) {
  return "Use " + method.info().label + ", --method " + method.info().id;
}

/// The request itself or, if its tile was left open (0), with the largest tile that fits.
std::optional<FeasibleRequest> with_fitting_tile(const Method& method, ResolvedRequest request,
                                                 std::uint64_t allowance) {
  const Forecast forecast = method.forecast(request);
  const std::uint64_t bytes = forecast.bytes;
  if (forecast_fits(request, forecast, allowance))
    return FeasibleRequest{method.info().id, std::move(request), bytes, false, {}};
  if (!request.parameters.contains("tile") || tile_of(request) != 0) return std::nullopt;
  for (std::int64_t rows = 4096; rows >= 1; rows /= 2) {
    or_throw(request.parameters.set("tile", rows));
    const Forecast with_tile = method.forecast(request);
    const std::uint64_t tiled = with_tile.bytes;
    if (forecast_fits(request, with_tile, allowance))
      return FeasibleRequest{method.info().id, std::move(request), tiled, false,
                             "Set tile to " + std::to_string(rows) + in_bytes(tiled)};
  }
  return std::nullopt;
}

std::optional<FeasibleRequest> with_larger_block(const Method& method, const ResolvedRequest& request,
                                                 std::uint64_t allowance) {
  const auto attempt = [&](std::int64_t block) {
    ResolvedRequest candidate = request;
    or_throw(candidate.parameters.set("block", block));
    return with_fitting_tile(method, std::move(candidate), allowance);
  };
  auto fails = static_cast<std::int64_t>(block_of(request));
  const auto largest = static_cast<std::int64_t>(std::min<std::uint64_t>(
      kLargestBlock, std::max(request.pattern->rows(), request.pattern->cols()) / kFewestSamples));
  std::int64_t fits = fails;
  std::optional<FeasibleRequest> best;
  while (!best && fits < largest) {
    fits = std::min(largest, 2 * fits);
    best = attempt(fits);
    if (!best) fails = fits;
  }
  if (!best) return std::nullopt;
  while (fits - fails > 1) {
    const std::int64_t middle = fails + (fits - fails) / 2;
    if (auto found = attempt(middle)) {
      best = std::move(found);
      fits = middle;
    } else {
      fails = middle;
    }
  }
  best->advice = "Set block to " + std::to_string(fits) + " or more" + in_bytes(best->bytes);
  return best;
}

/// The request with another choice of one parameter, such as the mode of a library; if none suffices, with
/// another choice and a larger block.
std::optional<FeasibleRequest> with_other_choice(const Method& method, const ResolvedRequest& request,
                                                 std::uint64_t allowance) {
  for (const bool enlarges : {false, true}) {
    for (const Parameter& parameter : method.parameters()) {
      for (const std::string& choice : parameter.choices) {
        ResolvedRequest candidate = request;
        or_throw(candidate.parameters.set(parameter.name, choice));
        auto found = enlarges ? with_larger_block(method, candidate, allowance)
                              : with_fitting_tile(method, std::move(candidate), allowance);
        if (!found) continue;
        found->advice = "Set " + parameter.name + " to " + choice;
        if (enlarges)
          found->advice += " and block to " + std::to_string(block_of(found->request)) + " or more";
        found->advice += in_bytes(found->bytes);
        return found;
      }
    }
  }
  return std::nullopt;
}

std::optional<FeasibleRequest> with_smaller_window(const Method& method, const ResolvedRequest& request,
                                                   std::uint64_t allowance) {
  std::uint64_t height = request.window->rows.count();
  std::uint64_t width = request.window->cols.count();
  while (height > 1 || width > 1) {
    height = (height + 1) / 2;
    width = (width + 1) / 2;
    ResolvedRequest candidate = request;
    const auto& [rows, cols] = *request.window;
    candidate.window = FrequencyGrid{rows.part(0, height, rows.size()), cols.part(0, width, cols.size())};
    if (auto found = with_fitting_tile(method, std::move(candidate), allowance)) {
      found->advice = "Choose a window of at most " + sides_text(height, width) + in_bytes(found->bytes);
      return found;
    }
  }
  return std::nullopt;
}

/// The request for another method, with that method's default parameters; empty if that method cannot run
/// here.
std::optional<ResolvedRequest> moved_to(const Method& other, const ResolvedRequest& request) {
  const bool is_refused = request.pattern->has_weights() && !other.info().takes_weights;
  if (is_refused || !other.supports(request.backend).ok) return std::nullopt;
  ResolvedRequest moved = request;
  moved.parameters = other.defaults();
  return moved;
}

/// The request for the method of a role; empty if `method` has that role itself.
std::optional<FeasibleRequest> with_role(MethodRole role, const Method& method,
                                         const ResolvedRequest& request, std::uint64_t allowance) {
  if (method.info().role == role) return std::nullopt;
  const Method& other = usual_method(role);
  auto moved = moved_to(other, request);
  if (!moved) return std::nullopt;
  auto found = with_fitting_tile(other, std::move(*moved), allowance);
  if (found) found->advice = use_method(other) + in_bytes(found->bytes);
  return found;
}

std::optional<FeasibleRequest> with_samples(const ResolvedRequest& request, std::uint64_t allowance) {
  const Method& samples = usual_method(MethodRole::samples);
  auto moved = moved_to(samples, request);
  if (!moved) return std::nullopt;
  or_throw(moved->parameters.set("block", std::int64_t{1}));
  moved->outputs.pyramid = false;
  auto found = with_larger_block(samples, *moved, allowance);
  if (found)
    found->advice = use_method(samples) + ", with block " + std::to_string(block_of(found->request)) +
                    " or more" + in_bytes(found->bytes);
  return found;
}

std::optional<FeasibleRequest> without_values(const Method& method, const ResolvedRequest& request,
                                              std::uint64_t allowance) {
  if (!request.outputs.values) return std::nullopt;
  ResolvedRequest candidate = request;
  candidate.outputs.values = false;
  candidate.outputs.features = true;
  auto found = with_fitting_tile(method, std::move(candidate), allowance);
  if (found) found->advice = "Request features or the picture without stored values" + in_bytes(found->bytes);
  return found;
}

}  // namespace

bool forecast_fits(const RequestScope& request, const Forecast& forecast, std::uint64_t allowance) {
  if (forecast.bytes > allowance) return false;
  return forecast.device_bytes == 0 || forecast.device_bytes <= device_allowance(request);
}

std::optional<FeasibleRequest> find_feasible_request(const Method& method, const ResolvedRequest& request,
                                                     std::uint64_t allowance) {
  if (auto found = with_fitting_tile(method, request, allowance)) {
    found->same_result = true;
    return found;
  }
  if (request.window) {
    if (auto found = with_role(MethodRole::window, method, request, allowance)) return found;
    return with_smaller_window(method, request, allowance);
  }
  if (method.info().uses_block) {
    if (auto found = with_larger_block(method, request, allowance)) return found;
    return with_other_choice(method, request, allowance);
  }
  if (auto found = with_role(MethodRole::plane, method, request, allowance)) return found;
  if (auto found = without_values(method, request, allowance)) return found;
  return with_samples(request, allowance);
}

}  // namespace spyctrum
