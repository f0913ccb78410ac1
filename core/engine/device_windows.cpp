// SPDX-License-Identifier: Apache-2.0
// A window's rows are computed whole on the device; its columns are gathered there and copied to the host.
#include "core/engine/device_grid.hpp"

#include "core/device/device_consumers.hpp"
#include "core/device/device_forecast.hpp"
#include "core/device/device_job.hpp"
#include "core/device/device_sample_features.hpp"
#include "core/engine/windows.hpp"

namespace spyctrum {

Forecast forecast_device_window(const RequestScope& request, const FrequencyGrid& window,
                                const DeviceRows& rows, Decoder decoder) {
  const SparsePattern& pattern = *request.pattern;
  const std::uint64_t count = window.rows.count();
  ByteTerms terms;
  terms.add("classes of the samples", DeviceSampleFeatures::bytes(request, count, decoder));
  if (request.window || request.outputs.values || !request.outputs.features) {
    terms.add("values", saturating_product(8, count, window.cols.count()));
    const std::uint64_t kept = terms.total();
    add_device_staging(terms, pattern, count, window.cols.count(), rows);
    if (rows.algorithm != cuda::RowAlgorithm::paper) add_axis_values(terms, kept, window);
  }
  const RowPlan plan = plan_rows(pattern, LengthRule::paper, count, static_cast<std::int64_t>(rows.tile), 1);
  Forecast forecast{terms.total(), plan.operations, terms.text()};
  ByteTerms device = device_row_terms(pattern, request.backend, count, window.cols.count(), rows);
  device.add("classes and sums of the samples",
             DeviceSampleFeatures::device_bytes(request, count, window.cols.count(), kDeviceLanes, decoder));
  add_device(forecast, device);
  return forecast;
}

Spectrum run_device_window(const RequestScope& request, const DeviceRows& rows, JobContext& context) {
  DeviceUse use;
  Spectrum spectrum = sampled_spectrum(
      *request.pattern, *request.window,
      compute_rows_of_grid(*request.pattern, request.backend, rows, *request.window, {}, context, use));
  spectrum.provenance.note = use.note();
  return spectrum;
}

std::vector<std::complex<float>> compute_rows_of_grid(const SparsePattern& pattern, Backend backend,
                                                      const DeviceRows& rows, const FrequencyGrid& grid,
                                                      const DeviceSampleOutputs& samples, JobContext& context,
                                                      DeviceUse& use) {
  auto values = gather_on_device(pattern, backend, rows, grid, samples, context, use);
  if (rows.algorithm != cuda::RowAlgorithm::paper) set_axis_values(pattern, grid, values, context);
  return values;
}

}  // namespace spyctrum
