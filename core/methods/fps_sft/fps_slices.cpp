// SPDX-License-Identifier: Apache-2.0
// Samples are looked up in the pattern at L positions; the dense A is never formed.
#include "core/methods/fps_sft/fps_slices.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "core/device/row_transform_plans.hpp"
#include "core/fft/fft.hpp"
#include "core/matrix/random.hpp"

namespace spyctrum {

namespace {

constexpr std::uint64_t kPlacesBetweenStops = std::uint64_t{1} << 16U;

/// a·b mod c without overflow.
std::uint64_t product_mod(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  if ((a | b) >> 32U == 0) return a * b % c;
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(a) * b % c);
}

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

std::uint64_t fps_length(std::uint64_t m, std::uint64_t n) {
  std::uint64_t length = 0;
  if (__builtin_mul_overflow(m / std::gcd(m, n), n, &length))
    return std::numeric_limits<std::uint64_t>::max();
  return length;
}

FpsSlices::FpsSlices(const SparsePattern& pattern, JobContext& context)
    : pattern_(pattern),
      length_(fps_length(pattern.rows(), pattern.cols())),
      row_factor_(length_ / pattern.rows()),
      col_factor_(length_ / pattern.cols()),
      row_roots_(pattern.rows()),
      column_roots_(pattern.cols()),
      starts_(context, pattern.cols() + 1, "column table") {
  const auto ids = pattern.column_ids();
  const auto starts = pattern.column_starts();
  std::size_t k = 0;
  for (std::uint64_t j = 0; j <= pattern.cols(); ++j) {
    while (k < ids.size() && ids[k] < j) ++k;
    starts_.data[j] = starts[k];
  }
}

FpsLine FpsSlices::line(std::uint64_t seed, std::uint64_t iteration) const {
  const CounterRandom random(seed, iteration);
  std::uint64_t counter = 0;
  FpsLine line;
  line.offset_rows = random.below(counter++, pattern_.rows());
  line.offset_cols = random.below(counter++, pattern_.cols());
  constexpr int kTries = 10000;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    line.slope_rows = 1 + random.below(counter++, pattern_.rows());
    line.slope_cols = 1 + random.below(counter++, pattern_.cols());
    if (std::gcd(line.slope_rows, line.slope_cols) == 1 && std::gcd(line.slope_rows, row_factor_) == 1 &&
        std::gcd(line.slope_cols, col_factor_) == 1)
      return line;
  }
  line.slope_rows = line.slope_cols = 1;  // satisfies all conditions
  return line;
}

float FpsSlices::entry(std::uint64_t row, std::uint64_t col) const {
  const auto rows = pattern_.row_indices();
  const auto end = rows.begin() + starts_.data[col + 1];
  const auto found = std::lower_bound(rows.begin() + starts_.data[col], end, static_cast<Index>(row));
  if (found == end || *found != row) return 0.0F;
  return pattern_.has_weights() ? pattern_.weights()[static_cast<std::size_t>(found - rows.begin())] : 1.0F;
}

void FpsSlices::bins(const FpsLine& line, std::complex<float>* out, JobContext& context) const {
  const std::uint64_t m = pattern_.rows();
  const std::uint64_t n = pattern_.cols();
  std::uint64_t i = line.offset_rows;
  std::uint64_t j = line.offset_cols;
  const std::uint64_t step_rows = line.slope_rows % m;
  const std::uint64_t step_cols = line.slope_cols % n;
  const float scale = 1.0F / static_cast<float>(length_);
  for (std::uint64_t l = 0; l < length_; ++l) {
    if (l % kPlacesBetweenStops == 0) context.check_stop();
    const std::uint64_t next_row = i + 1 == m ? 0 : i + 1;
    const std::uint64_t next_col = j + 1 == n ? 0 : j + 1;
    out[l] = scale * entry(i, j);
    out[length_ + l] = scale * entry(next_row, j);
    out[2 * length_ + l] = scale * entry(i, next_col);
    i += step_rows;
    if (i >= m) i -= m;
    j += step_cols;
    if (j >= n) j -= n;
  }
  for (int slice = 0; slice < 3; ++slice) {
    context.check_stop();
    fft_rows(out + static_cast<std::uint64_t>(slice) * length_, length_, 1, length_);
  }
}

std::uint64_t FpsSlices::bin_of(const FpsLine& line, std::uint64_t u, std::uint64_t v) const {
  const std::uint64_t a = product_mod(product_mod(line.slope_rows, row_factor_, length_), u, length_);
  const std::uint64_t b = product_mod(product_mod(line.slope_cols, col_factor_, length_), v, length_);
  const std::uint64_t rest = length_ - b;  // a + b mod L without passing 2^64
  return a >= rest ? a - rest : a + b;
}

FpsCuda::FpsCuda(const SparsePattern& pattern, const FpsSlices& slices, Backend backend, std::uint64_t lines,
                 std::uint64_t most_known, JobContext& context)
    : job_(backend, context) {
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
  (void)job_.run(task);
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
  terms.add("slices and sums", saturating_product(72 * lines, task.length));
  if (task.length <= std::numeric_limits<std::uint32_t>::max())
    terms.add("work area of cuFFT", device_fft_work_bytes(backend, cuda::slice_fft(task)));
  return terms;
}

}  // namespace spyctrum
