// SPDX-License-Identifier: Apache-2.0
// Builds the module's slice tasks, and forecasts their device bytes.
#include "core/methods/fps_sft/fps_cuda.hpp"

#include <limits>
#include <vector>

#include "core/device/device_forecast.hpp"
#include "core/device/device_module.hpp"
#include "core/device/fft_work_bytes.hpp"

namespace spyctrum {

namespace {

cuda::SliceTask task_of(const SparsePattern& pattern, std::uint64_t lines, std::uint64_t most_known) {
  cuda::SliceTask task;
  task.rows = pattern.rows();
  task.cols = pattern.cols();
  task.length = fps_length(pattern.rows(), pattern.cols());
  task.lines = lines;
  task.most_known = most_known;
  task.nonzeros = static_cast<std::uint64_t>(pattern.nonzeros());
  task.row_indices = pattern.row_indices().data();
  if (pattern.has_weights()) task.weights = pattern.weights().data();
  return task;
}

}  // namespace

FpsCuda::FpsCuda(const SparsePattern& pattern, const FpsSlices& slices, Backend backend, std::uint64_t lines,
                 std::uint64_t most_known, JobContext& context)
    : host_(backend, context) {
  cuda::SliceTask task = task_of(pattern, lines, most_known);
  if (task.length > std::numeric_limits<std::uint32_t>::max()) {
    throw Failure(
        ErrorCode::out_of_memory,
        "FPS-SFT's slices have " + std::to_string(task.length) + " values; a device takes fewer than 2^32.",
        "Choose the CPU, or elastic.");
  }
  task.starts = slices.column_starts();
  cuda::Slices* made = nullptr;
  task.made = &made;
  (void)host_.run(task);
  slices_.reset(made);
}

void FpsCuda::bins(std::span<const FpsLine> lines, const FpsKnown& known, std::uint64_t known_count,
                   std::complex<float>* out) {
  std::vector<cuda::SliceLine> requests;
  requests.reserve(lines.size());
  for (const FpsLine& line : lines)
    requests.push_back({line.slope_rows, line.slope_cols, line.offset_rows, line.offset_cols});
  const cuda::SliceKnown subtracted{known_count, known.rows(), known.cols(), known.values()};
  seconds_ += slices_->bins(requests.data(), requests.size(), subtracted, reinterpret_cast<float*>(out));
}

ByteTerms FpsCuda::device_terms(const SparsePattern& pattern, Backend backend, std::uint64_t lines,
                                std::uint64_t most_known) {
  const cuda::SliceTask task = task_of(pattern, lines, most_known);
  ByteTerms terms;
  terms.add("pattern",
            saturating_sum((task.weights != nullptr ? 8 : 4) * task.nonzeros, 8 * (task.cols + 1)));
  terms.add("known coefficients", saturating_product(16, most_known));
  terms.add("slices and sums 72·L per line", saturating_product(72 * lines, task.length));
  if (task.length <= std::numeric_limits<std::uint32_t>::max())
    terms.add("work area of cuFFT", device_fft_work_bytes(backend, cuda::slice_fft(task)));
  return terms;
}

}  // namespace spyctrum
