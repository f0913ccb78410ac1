// SPDX-License-Identifier: Apache-2.0
// Features by run_method(), reconstruction errors by one stream of the plane.
#include "app/study/measurement.hpp"

#include <memory>

#include "core/spectrum/rounding_floor.hpp"

namespace spyctrum {

RequestedOutputs measured_outputs(const Method& method, bool reconstruct) {
  return {.values = reconstruct && !method.info().full_plane, .features = true, .pyramid = false};
}

Features features_by(const Method& method, ResolvedRequest request, JobContext& context) {
  request.outputs = measured_outputs(method, false);
  const SpectrumPtr spectrum = or_throw(run_method(method, std::move(request), context));
  if (!spectrum->features)
    throw Failure(ErrorCode::internal, "The method " + method.info().id + " has computed no features.");
  return *spectrum->features;
}

std::vector<ReconstructionErrors> errors_against_plane(const Method& reference, ResolvedRequest request,
                                                       std::span<const Reconstruction* const> reconstructions,
                                                       JobContext& context) {
  std::vector<std::unique_ptr<ReconstructionErrorConsumer>> consumers;
  std::vector<RowConsumer*> streamed;
  const double floor = reconstructions.empty() ? 0 : rounding_floor(*request.pattern);
  for (const Reconstruction* reconstruction : reconstructions) {
    consumers.push_back(std::make_unique<ReconstructionErrorConsumer>(*reconstruction, floor));
    streamed.push_back(consumers.back().get());
  }
  if (!streamed.empty()) or_throw(stream_method(reference, std::move(request), streamed, context));
  std::vector<ReconstructionErrors> errors;
  errors.reserve(consumers.size());
  for (const auto& consumer : consumers) errors.push_back(consumer->errors());
  return errors;
}

}  // namespace spyctrum
