// SPDX-License-Identifier: Apache-2.0
// Sinks of a plane whose rows are on a device: those that have a device form are reduced there, the rows
// come to the host only for the others, and only where there are others.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/methods/cuda_job.hpp"
#include "core/spectrum/row_sink.hpp"

namespace spyctrum {

class DeviceSinks {
 public:
  /// Calls begin() of the sinks that take rows. A form whose arrays would not fit into half of the device's
  /// free memory is not used.
  DeviceSinks(const SparsePattern& pattern, Backend backend, std::span<RowSink* const> sinks,
              JobContext& context);
  /// For the module; null where there is nothing to reduce.
  [[nodiscard]] const cuda::Reductions* reductions() const { return forms_.empty() ? nullptr : &reductions_; }
  /// For the module; null where every sink is reduced.
  [[nodiscard]] cuda::RowReceiver* receiver() { return receiver_ ? &*receiver_ : nullptr; }
  /// After the last row: finish() or collect() of every sink.
  void finish();

 private:
  bool reduces(RowSink& sink, const SparsePattern& pattern, std::uint64_t most_bytes, JobContext& context);
  cuda::Reductions reductions_;
  std::vector<std::unique_ptr<DeviceForm>> forms_;
  std::vector<RowSink*> on_host_;
  std::optional<SinkReceiver> receiver_;
};

/// Streams that rows come from on a device; each has sums of its own.
inline constexpr std::uint64_t kDeviceLanes = 2;

/// Whether a request's plane may send rows to the host: values, or sinks that are not known.
[[nodiscard]] inline bool takes_rows(const Request& request) {
  return request.products.values || !(request.products.features || request.products.pyramid);
}
/// Host bytes of the tables by which the rows of a request's plane are reduced.
[[nodiscard]] std::uint64_t plane_table_bytes(const Request& request);
/// Device bytes of what a request's plane is reduced to, for rows from `lanes` streams.
[[nodiscard]] std::uint64_t plane_reduction_bytes(const Request& request, std::uint64_t lanes);

}  // namespace spyctrum
