// SPDX-License-Identifier: Apache-2.0
// Which sinks are reduced on the device.
#include "core/methods/device_sinks.hpp"

#include <algorithm>

#include "core/methods/plane.hpp"
#include "core/spectrum/row_classes.hpp"

namespace spyctrum {

DeviceSinks::DeviceSinks(const SparsePattern& pattern, Backend backend, std::span<RowSink* const> sinks,
                         JobContext& context) {
  context.begin_stage("tables");
  const std::uint64_t most_bytes = cuda_module().facts(backend.device).free_bytes / 2;
  reductions_.wedges = pattern.symmetric() && take_wedges(sinks);
  for (RowSink* sink : sinks) {
    if (reduces(*sink, pattern, most_bytes, context)) continue;
    sink->begin(pattern.rows(), pattern.cols(), context.pool().threads());
    on_host_.push_back(sink);
  }
  if (!on_host_.empty() || forms_.empty()) receiver_.emplace(pattern, on_host_, context);
}

bool DeviceSinks::reduces(RowSink& sink, const SparsePattern& pattern, std::uint64_t most_bytes,
                          JobContext& context) {
  std::unique_ptr<DeviceForm> form =
      sink.device_form(pattern.rows(), pattern.cols(), reductions_.wedges, context);
  cuda::Reductions with = reductions_;
  if (!form || !form->describe(with)) return false;
  constexpr std::uint64_t kTallestTile = 512;
  if (cuda::reduction_device_bytes(with, half_rows(pattern.rows()), pattern.cols(), kTallestTile,
                                   kDeviceLanes) > most_bytes)
    return false;
  reductions_ = with;
  forms_.push_back(std::move(form));
  return true;
}

void DeviceSinks::finish() {
  for (RowSink* sink : on_host_) sink->finish();
  for (const auto& form : forms_) form->collect();
}

std::uint64_t plane_table_bytes(const Request& request) {
  return request.products.features ? RowClasses::bytes(half_rows(request.pattern->rows())) : 0;
}

std::uint64_t plane_reduction_bytes(const Request& request, std::uint64_t lanes) {
  const std::uint64_t m = request.pattern->rows();
  const std::uint64_t n = request.pattern->cols();
  const std::uint64_t cells = std::max<std::uint32_t>(1, request.products.pyramid_cells);
  std::uint64_t bytes = 0;
  if (request.products.features) bytes += cuda::feature_device_bytes(half_rows(m), n, lanes);
  if (request.products.pyramid)
    bytes += cuda::pyramid_device_bytes(n, std::min(m, cells) * std::min(n, cells), lanes);
  return bytes;
}

}  // namespace spyctrum
