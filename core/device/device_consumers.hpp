// SPDX-License-Identifier: Apache-2.0
// Consumers of a plane whose rows are on a device: those that have a device form are reduced there, the rows
// come to the host only for the others, and only where there are others.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/backend.hpp"
#include "core/base/job_context.hpp"
#include "core/device/interface/module.hpp"
#include "core/request/request.hpp"
#include "core/spectrum/row_consumer.hpp"

namespace spyctrum {

/// Rows that arrive from the device, handed to consumers over the pool.
class ConsumerReceiver : public cuda::RowReceiver {
 public:
  ConsumerReceiver(const SparsePattern& pattern, std::span<RowConsumer* const> consumers, JobContext& context)
      : m_(pattern.rows()), n_(pattern.cols()), consumers_(consumers), context_(context) {}
  void take(std::uint64_t first, std::uint64_t count, const float* values) override;

 private:
  std::uint64_t m_;
  std::uint64_t n_;
  std::span<RowConsumer* const> consumers_;
  JobContext& context_;
};

class DeviceConsumers {
 public:
  /// Calls begin() of the consumers that take rows. A form whose arrays would not fit into half of the
  /// device's free memory is not used.
  DeviceConsumers(const SparsePattern& pattern, Backend backend, std::span<RowConsumer* const> consumers,
                  JobContext& context);
  /// For the module; null where there is nothing to reduce.
  [[nodiscard]] const cuda::Reductions* reductions() const { return forms_.empty() ? nullptr : &reductions_; }
  /// For the module; null where every consumer is reduced.
  [[nodiscard]] cuda::RowReceiver* receiver() { return receiver_ ? &*receiver_ : nullptr; }
  /// After the last row: finish() or collect() of every consumer.
  void finish();

 private:
  bool reduces(RowConsumer& consumer, const SparsePattern& pattern, std::uint64_t most_bytes,
               JobContext& context);
  cuda::Reductions reductions_;
  std::vector<std::unique_ptr<DeviceReduction>> forms_;
  std::vector<RowConsumer*> on_host_;
  std::optional<ConsumerReceiver> receiver_;
};

/// Streams that rows come from on a device; each has sums of its own.
inline constexpr std::uint64_t kDeviceLanes = 2;

/// Whether a request's plane may send rows to the host: values, or consumers that are not known.
[[nodiscard]] inline bool takes_rows(const RequestScope& request) {
  return request.outputs.values || !(request.outputs.features || request.outputs.pyramid);
}
/// Host bytes of the tables by which the rows of a request's plane are reduced.
[[nodiscard]] std::uint64_t plane_table_bytes(const RequestScope& request);
/// Device bytes of what a request's plane is reduced to, for rows from `lanes` streams.
[[nodiscard]] std::uint64_t plane_reduction_bytes(const RequestScope& request, std::uint64_t lanes);

}  // namespace spyctrum
