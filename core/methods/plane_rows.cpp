// SPDX-License-Identifier: Apache-2.0
// One place where the plane's rows part ways by backend.
#include "core/methods/plane_rows.hpp"

#include <algorithm>

#include "core/methods/cuda_forecast.hpp"
#include "core/methods/cuda_row_shape.hpp"
#include "core/methods/device_sinks.hpp"
#include "core/methods/plane.hpp"
#include "core/methods/plane_stream.hpp"

namespace spyctrum {

namespace {

bool on_cuda(const Request& request) { return request.backend.kind == BackendKind::cuda; }

/// The rows of a symmetric pattern as wedges where that is enough.
LengthRule rule_for(const Request& request, const PlaneRows& how, bool wedges_are_enough) {
  const bool wedges = how.rule == LengthRule::library && wedges_are_enough && request.pattern->symmetric();
  return wedges ? LengthRule::bands : how.rule;
}

/// What is to be known about the run.
std::string stream_with_note(const Request& request, const PlaneRows& how, std::span<RowSink* const> sinks,
                             JobContext& context) {
  const LengthRule rule = rule_for(request, how, take_wedges(sinks));
  std::string note = rule == LengthRule::bands ? "symmetric: each (u, v) counts for (v, u)" : "";
  if (on_cuda(request)) {
    const CudaUse use =
        cuda_stream_rows(*request.pattern, request.backend, cuda_rows(request, how), sinks, context);
    return note.empty() ? use.note() : note + "; " + use.note();
  }
  stream_rows(*request.pattern, rule, plane_row_plan(request, rule, context.pool().threads()), sinks,
              context);
  return note;
}

}  // namespace

CudaRows cuda_rows(const Request& request, const PlaneRows& how) {
  return {how.algorithm, how.store_half && !request.window,
          static_cast<std::uint64_t>(integer_value(request.parameters, "tile"))};
}

RowPlan plane_row_plan(const Request& request, LengthRule rule, unsigned threads) {
  return plan_rows(*request.pattern, rule, half_rows(request.pattern->rows()),
                   integer_value(request.parameters, "tile"), threads);
}

Forecast forecast_plane(const Request& request, const PlaneRows& how) {
  const SparsePattern& pattern = *request.pattern;
  ByteTerms terms;
  add_product_terms(terms, request, request.products.values);
  const LengthRule rule = rule_for(request, how, !request.products.values);
  const RowPlan plan = plane_row_plan(request, rule, on_cuda(request) ? 1 : request.threads);
  if (!on_cuda(request)) {
    plan.add_terms(terms);
    return {terms.total(), plan.operations, terms.text()};
  }
  CudaRows rows = cuda_rows(request, how);
  rows.wedges = rule == LengthRule::bands && !takes_rows(request);
  terms.add("classes of the rows", plane_table_bytes(request));
  // A stream that can stop is reduced tile by tile, and nothing of it adds up on the device.
  const bool resumes = request.progress && !request.products.values;
  const bool to_host = takes_rows(request);
  if (to_host)
    add_cuda_staging(terms, pattern, plan.rows, pattern.cols(), rows);
  else
    rows.tile = cuda_reduced_tile(pattern, plan.rows, rows);
  const std::uint64_t parts =
      resumes && request.products.pyramid
          ? cuda::row_parts_bytes(std::min<std::uint64_t>(pattern.cols(), request.products.pyramid_cells),
                                  rows.tile, kDeviceLanes)
          : 0;
  terms.add("page-locked cells and strong coefficients", parts);
  Forecast forecast{terms.total(), plan.operations, terms.text()};
  const std::uint64_t leaving = to_host || how.store_half ? pattern.cols() : 0;
  ByteTerms device = device_row_terms(pattern, request.backend, plan.rows, leaving, rows);
  if (!resumes)
    device.add("tables and sums of what is reduced", plane_reduction_bytes(request, kDeviceLanes));
  else if (!to_host)
    device.add("sums of rows",
               cuda::row_sums_device_bytes(plan.rows, pattern.cols(), rows.tile, kDeviceLanes));
  if (parts > 0)
    device.add("cells and strong coefficients",
               parts + cuda::row_parts_work_bytes(pattern.cols(), kDeviceLanes));
  add_device(forecast, device);
  return forecast;
}

Spectrum run_plane(const Request& request, const PlaneRows& how, JobContext& context) {
  if (request.progress && !request.products.values) return run_plane_on(request, context);
  Spectrum spectrum = blank_spectrum(*request.pattern);
  PlaneProducts products(request, request.products.values, context);
  const std::string run_note = stream_with_note(request, how, products.sinks(), context);
  products.deliver(spectrum);
  std::string& note = spectrum.provenance.note;
  if (!request.products.values && !how.store_half) note = "streamed: values were not stored";
  if (!run_note.empty()) note += (note.empty() ? "" : "; ") + run_note;
  return spectrum;
}

void stream_plane(const Request& request, const PlaneRows& how, std::span<RowSink* const> sinks,
                  JobContext& context) {
  (void)stream_with_note(request, how, sinks, context);
}

}  // namespace spyctrum
