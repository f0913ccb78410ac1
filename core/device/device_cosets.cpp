// SPDX-License-Identifier: Apache-2.0
// Chooses the length of cosets by times that were measured on an NVIDIA H200 (tests/bench/LOG.md).
#include "core/device/device_cosets.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <system_error>
#include <thread>
#include <vector>

#include "core/device/device_forecast.hpp"
#include "core/device/device_module.hpp"
#include "core/features/feature_totals.hpp"
#include "core/fft/spread_shape.hpp"
#include "core/spectrum/rounding_floor.hpp"

namespace spyctrum {

namespace {

/// Picoseconds for a coefficient of a coset of each length, for one of its L·N cells if lines are resampled,
/// for one of its N·(N + L) cells if entries are spread; and for an entry of a coset.
constexpr double kOfCell[] = {7.2, 9.4, 16, 7.5, 8.2, 12.5, 12.5, 12.5, 12, 13.3, 12.6, 16.9, 4.2, 4.45, 5.8};
static_assert(std::size(kOfCell) == std::size(cuda::kCosetLengths));
constexpr double kOfEntry[] = {6.5, 2.2, 83};  // by CosetCellsFrom
/// Picoseconds for sorting the entries and classifying the boxes, by the measured time of n = 10,000.
constexpr double kOfStart = 3e8;
// By rows, for a coefficient of the half plane (of a length that is resampled; others take 13), as much more
// for each entry of a column, and before and after the rows.
constexpr double kOfRows = 18;
constexpr double kOfRowEntry = 0.2;
constexpr double kOfRowStart = 2e8;

/// The tables of a CosetSumsTask.
struct Resampling {
  SpreadShape shape;
  std::vector<float> weights;
  std::vector<float> gains;
  std::vector<float> polynomials;

  explicit Resampling(const cuda::CosetSize& size) {
    const cuda::CosetLength& length = cuda::kCosetLengths[size.length];
    const double ratio = static_cast<double>(size.cells) / length.transformed();  // L/N
    if (length.is_resampled()) {
      shape.width = cuda::kCosetTaps;
      shape.beta = resampling_beta(cuda::kCosetTaps / ratio, 1 / ratio);
      weigh_values(size);
      correct(size, size.cells, ratio);  // φ in values
    } else if (length.is_spread()) {
      shape.width = cuda::kSpreadTaps;
      shape.beta = resampling_beta(cuda::kSpreadTaps, 1 / ratio);
      const std::vector<double> coefficients = TapPolynomials(shape).coefficients();
      polynomials.assign(coefficients.begin(), coefficients.end());
      correct(size, length.transformed(), 1);  // φ in cells
    }
  }
  void fill(cuda::CosetSumsTask& task) const {
    task.weights = weights.data();
    task.gains = gains.empty() ? nullptr : gains.data();
    task.polynomials = polynomials.data();
    task.beta = static_cast<float>(shape.beta);
  }

 private:
  void weigh_values(const cuda::CosetSize& size) {
    const std::uint32_t transformed = cuda::kCosetLengths[size.length].transformed();
    const std::uint32_t groups = transformed / cuda::kResampledCells;
    for (std::uint32_t y = 0; y < cuda::kResampledValues; ++y)
      for (std::uint64_t t = 0; t < groups; ++t) {
        const std::uint64_t cell = cuda::kResampledCells * t;
        const std::uint64_t nearest = cell * size.cells / transformed;
        const double value = static_cast<double>(nearest + y) - cuda::kValuesBefore;
        for (std::uint64_t k = cell; k < cell + cuda::kResampledCells; ++k)
          weights.push_back(static_cast<float>(
              spread_value(shape, value - static_cast<double>(k * size.cells) / transformed)));
      }
  }
  /// gains: factor/φ̂(f/unit) of each frequency |f| ≤ L/2.
  void correct(const cuda::CosetSize& size, std::uint64_t unit, double factor) {
    const std::uint32_t transformed = cuda::kCosetLengths[size.length].transformed();
    const std::vector<double> transform = spread_transform(shape, unit, size.cells / 2 + 1);
    gains.assign(transformed, 0.0F);
    for (std::size_t k = 0; k < transform.size(); ++k) {
      gains[k] = static_cast<float>(factor / transform[k]);
      gains[(transformed - k) % transformed] = gains[k];
    }
  }
};

/// The cosets that are computed.
std::uint64_t cosets_of(const SparsePattern& pattern, const cuda::CosetSize& size) {
  return cuda::different_cosets(size.row_step, size.col_step, pattern.symmetric());
}

/// The cosets of a task, an equal share on each of several devices.
class CosetShares {
 public:
  CosetShares(const cuda::CosetSumsTask& task, std::span<const Backend> devices, JobContext& context)
      : task_(task), context_(context), members_(devices.size()) {
    task_.shares = static_cast<std::uint32_t>(devices.size());
    // All jobs are made before any device can be lost: after a loss, jobs are refused on every device.
    for (std::size_t k = 0; k < members_.size(); ++k) {
      members_[k].job.emplace(devices[k], k == 0, context);
      members_[k].job->on_checkpoint = [this, k](std::uint64_t done, std::uint64_t total) {
        members_[k].done = done;
        std::uint64_t of_all = 0;
        for (const Member& member : members_) of_all += member.done;
        context_.checkpoint(of_all, total * members_.size());
      };
    }
  }

  DeviceUse sum(Moments& sums) {
    {
      std::vector<std::jthread> threads;
      for (std::size_t k = 1; k < members_.size(); ++k) {
        try {
          threads.emplace_back([this, k] { try_own(k); });
        } catch (const std::system_error&) {  // no more threads can be started: others compute the share
          members_[k].failure = std::current_exception();
        }
      }
      try_own(0);
    }
    sums = {};
    DeviceUse most;
    for (std::size_t k = 0; k < members_.size(); ++k) {
      if (members_[k].failure) run(k, another(members_[k].failure));
      sums += members_[k].sums;
    }
    for (const Member& member : members_)
      most = {std::max(most.seconds, member.use.seconds), std::max(most.bytes, member.use.bytes)};
    return most;
  }

 private:
  struct Member {
    std::optional<GroupJob> job;
    std::atomic<std::uint64_t> done = 0;
    Moments sums;                ///< of the share with the member's number
    DeviceUse use;               ///< of its device
    std::exception_ptr failure;  ///< of its device
  };

  /// Computes a share on the device of `member`.
  void run(std::size_t share, Member& member) {
    cuda::CosetSumsTask task = task_;
    task.share = static_cast<std::uint32_t>(share);
    task.sums = &members_[share].sums;
    const DeviceUse use = member.job->run(task);
    member.use = {member.use.seconds + use.seconds, std::max(member.use.bytes, use.bytes)};
  }
  void try_own(std::size_t share) {
    try {
      run(share, members_[share]);
    } catch (...) {
      members_[share].failure = std::current_exception();
    }
  }
  /// A device that has not failed. Rethrows `failure` if there is none, or if a stop was requested.
  Member& another(const std::exception_ptr& failure) {
    const auto found = std::ranges::find_if(members_, [](const Member& member) { return !member.failure; });
    if (found == members_.end() || context_.stop_requested()) std::rethrow_exception(failure);
    return *found;
  }

  cuda::CosetSumsTask task_;
  JobContext& context_;
  std::vector<Member> members_;
};

/// The time of all cosets in picoseconds.
double time_of(const SparsePattern& pattern, const cuda::CosetSize& size) {
  const cuda::CosetLength& length = cuda::kCosetLengths[size.length];
  const double cells = length.transformed();
  const double of_cells = kOfCell[size.length] * cells * (size.cells + (length.is_spread() ? cells : 0));
  const double of_entries =
      kOfEntry[static_cast<std::size_t>(length.from)] * static_cast<double>(pattern.nonzeros());
  return kOfStart + static_cast<double>(cosets_of(pattern, size)) * (of_cells + of_entries);
}

/// The smallest step so that spread_frequencies(size, step) ≤ most.
std::uint32_t least_step(std::uint64_t size, std::uint32_t most) {
  return static_cast<std::uint32_t>(size / (most - 1) + 1);
}

/// The size with the fewest cosets of a length onto whose cells entries are spread.
std::optional<cuda::CosetSize> spread_size(const SparsePattern& pattern, std::uint32_t length) {
  constexpr std::int64_t kMostSide = 1 << 30;
  if (std::max(pattern.rows(), pattern.cols()) > kMostSide) return std::nullopt;
  const std::uint32_t transformed = cuda::kCosetLengths[length].transformed();
  const auto most = static_cast<std::uint32_t>(cuda::kMostSpread * transformed) / 2 * 2;
  const auto rows = static_cast<std::uint32_t>(pattern.rows());
  const auto cols = static_cast<std::uint32_t>(pattern.cols());
  cuda::CosetSize size{0, length, least_step(rows, most), least_step(cols, most)};
  const std::uint32_t of_rows = cuda::spread_frequencies(rows, size.row_step);
  const std::uint32_t of_cols = cuda::spread_frequencies(cols, size.col_step);
  size.cells = std::max(of_rows, of_cols);
  // The kernels have at least N/2 frequencies; a side that has far fewer than the other would be mostly idle.
  if (2 * std::min(of_rows, of_cols) < transformed + 4) return std::nullopt;
  return size;
}

}  // namespace

std::vector<cuda::CosetSize> possible_coset_sizes(const SparsePattern& pattern) {
  std::vector<cuda::CosetSize> sizes;
  const auto rows = static_cast<std::uint64_t>(pattern.rows());
  const auto cols = static_cast<std::uint64_t>(pattern.cols());
  for (std::uint32_t length = 0; length < std::size(cuda::kCosetLengths); ++length) {
    const cuda::CosetLength& of = cuda::kCosetLengths[length];
    if (of.is_spread()) {
      if (const auto size = spread_size(pattern, length)) sizes.push_back(*size);
      continue;
    }
    const auto share = [&](double of_cells) {
      return static_cast<std::uint32_t>(of_cells * of.transformed());
    };
    const std::uint32_t last = share(of.is_resampled() ? cuda::kMostResampling : 1);
    for (std::uint32_t cells = share(of.is_resampled() ? cuda::kLeastResampling : 1); cells <= last; ++cells)
      if (rows % cells == 0 && cols % cells == 0)
        sizes.push_back({cells, length, static_cast<std::uint32_t>(rows / cells),
                         static_cast<std::uint32_t>(cols / cells)});
  }
  return sizes;
}

std::optional<cuda::CosetSize> coset_size(const SparsePattern& pattern, std::uint64_t block_bytes) {
  if (pattern.nonzeros() == 0) return std::nullopt;
  const auto cols = static_cast<double>(pattern.cols());
  double least = kOfRowStart + (kOfRows + kOfRowEntry * static_cast<double>(pattern.nonzeros()) / cols) *
                                   cols * static_cast<double>(pattern.rows()) / 2;
  std::optional<cuda::CosetSize> best;
  for (const cuda::CosetSize& size : possible_coset_sizes(pattern)) {
    const double time = time_of(pattern, size);
    if (time >= least || cuda::block_bytes(cuda::kCosetLengths[size.length]) > block_bytes) continue;
    least = time;
    best = size;
  }
  return best;
}

std::optional<cuda::CosetSize> coset_size(const SparsePattern& pattern, std::span<const Backend> devices) {
  auto block_bytes = std::numeric_limits<std::uint64_t>::max();  // of every device
  for (const Backend device : devices) {
    const cuda::DeviceFacts facts = cuda_module().facts(device.device);
    block_bytes = std::min(block_bytes, facts.capability >= 80 ? facts.block_bytes : 0);
  }
  return coset_size(pattern, block_bytes);
}

DeviceUse sum_cosets(const SparsePattern& pattern, std::span<const Backend> devices,
                     const cuda::CosetSize& size, JobContext& context, Moments& sums) {
  cuda::CosetSumsTask task;
  task.pattern = view_of(pattern);
  task.is_symmetric = pattern.symmetric();
  task.size = size;
  const Resampling resampling(size);
  resampling.fill(task);
  task.floor = noise_floor(pattern.weight_squares());
  task.zero_floor = rounding_floor(pattern);
  if (devices.size() > 1) return CosetShares(task, devices, context).sum(sums);
  task.sums = &sums;
  return DeviceJob(devices.front(), context).run(task);
}

ByteTerms device_coset_terms(const SparsePattern& pattern, const cuda::CosetSize& size) {
  const std::uint64_t cells = size.cells;
  const std::uint64_t cosets = cuda::cosets_at_once(cells, cosets_of(pattern, size));
  ByteTerms terms;
  add_device_pattern(terms, pattern);
  const auto nonzeros = static_cast<std::uint64_t>(pattern.nonzeros());
  terms.add("entries by rows", sizeof(cuda::CosetEntry) * nonzeros);
  terms.add("cosets", cuda::kCosetLanes * cosets * sizeof(float[2]) * cuda::coset_values(size));
  terms.add("powers of boxes", cuda::kCosetLanes * sizeof(float) * cuda::box_values(cells, cosets));
  terms.add("edge boxes and sums", cuda::coset_sum_bytes(size));
  return terms;
}

}  // namespace spyctrum
