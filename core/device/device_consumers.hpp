// SPDX-License-Identifier: Apache-2.0
// The row consumers of a plane whose rows are computed on a device. If a consumer has a device reduction
// (RowConsumer::device_reduction()), the device does its work; rows are copied to the host only for consumers
// without one.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/backend.hpp"
#include "core/base/job_context.hpp"
#include "core/device/interface/module.hpp"
#include "core/device/row_receivers.hpp"
#include "core/request/request.hpp"
#include "core/spectrum/row_consumer.hpp"

namespace spyctrum {

/// Assigns each consumer to the device or to the host.
class DeviceConsumers {
 public:
  /// Calls begin() of the consumers that receive rows on the host: those without a device reduction, and
  /// those whose device reduction would take more than half of the device's free memory.
  DeviceConsumers(const SparsePattern& pattern, Backend backend, std::span<RowConsumer* const> consumers,
                  JobContext& context);
  /// The device reductions, for the module; null if there are none.
  [[nodiscard]] const cuda::Reductions* reductions() const {
    return device_reductions_.empty() ? nullptr : &reductions_;
  }
  /// The receiver of rows on the host, for the module; null if every consumer's work is done on the device.
  [[nodiscard]] cuda::RowReceiver* receiver() { return receiver_ ? &*receiver_ : nullptr; }
  /// Must be called after the last row; calls RowConsumer::finish() or DeviceReduction::collect() for every
  /// consumer.
  void finish();

 private:
  bool reduces(RowConsumer& consumer, const SparsePattern& pattern, std::uint64_t most_bytes,
               JobContext& context);
  cuda::Reductions reductions_;
  std::vector<std::unique_ptr<DeviceReduction>> device_reductions_;
  std::vector<RowConsumer*> on_host_;
  std::optional<RowsTo> receiver_;
};

/// Number of CUDA streams ("lanes") on which rows are computed; each has sums of its own.
inline constexpr std::uint64_t kDeviceLanes = 2;

/// True if rows of a request's plane may be copied to the host: values are requested, or neither features nor
/// a pyramid are (the caller's consumers are then unknown).
[[nodiscard]] inline bool takes_rows(const RequestScope& request) {
  return request.outputs.values || !(request.outputs.features || request.outputs.pyramid);
}
/// Host bytes of the tables that the device reductions of a request's plane read.
[[nodiscard]] std::uint64_t plane_table_bytes(const RequestScope& request);
/// Device bytes of the device reductions of a request's plane, for rows from `lanes` CUDA streams.
[[nodiscard]] std::uint64_t plane_reduction_bytes(const RequestScope& request, std::uint64_t lanes);

}  // namespace spyctrum
