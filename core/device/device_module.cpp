// SPDX-License-Identifier: Apache-2.0
// Access to the loaded module, and views of patterns and axes.
#include "core/device/device_module.hpp"

#include "core/base/error.hpp"
#include "core/device/backends.hpp"
#include "core/device/loader.hpp"

namespace spyctrum {

std::vector<std::uint32_t> indices_of(const FrequencyAxis& axis) {
  std::vector<std::uint32_t> indices(axis.count());
  for (std::uint64_t k = 0; k < axis.count(); ++k) indices[k] = static_cast<std::uint32_t>(axis.index_at(k));
  return indices;
}

cuda::Module& cuda_module() {
  const std::string reason = cuda_unavailable_reason();
  if (!reason.empty()) {
    throw Failure(ErrorCode::backend_unavailable, "The CUDA backend is not available: " + reason + ".",
                  "Use --backend cpu.");
  }
  return *cuda::loaded_module().module;
}

cuda::PatternView view_of(const SparsePattern& pattern) {
  return {pattern.rows(),
          pattern.cols(),
          static_cast<std::uint64_t>(pattern.nonzeros()),
          pattern.column_ids().size(),
          pattern.column_ids().data(),
          pattern.column_starts().data(),
          pattern.row_indices().data(),
          pattern.has_weights() ? pattern.weights().data() : nullptr};
}

}  // namespace spyctrum
