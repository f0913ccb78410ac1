// SPDX-License-Identifier: Apache-2.0
// Row frequencies are processed in groups of up to kMostBlocks·lanes consecutive ones. The sums of a group
// are computed in lane format (each entry is read once per group) and transformed there, so that values are
// rearranged only once, at the end. Non-consecutive frequencies are processed `lanes` at a time, after
// looking up the phases of every row index. If a group in lane format would not fit the caches, sums are
// computed in panels of columns, and each row is transformed by itself.
#include "core/fft/row_transform.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/fft/aligned_buffer.hpp"
#include "core/fft/chirp.hpp"
#include "core/fft/fft.hpp"
#include "core/fft/occupied_rows.hpp"
#include "core/fft/phase_table.hpp"
#include "core/fft/resampled_row.hpp"
#include "core/matrix/entry_weights.hpp"

namespace spyctrum {

namespace {

/// Longest transform that is done in lane format.
constexpr std::size_t kLongestInLanes = std::size_t{1} << 17;
constexpr std::size_t kPanelColumns = 2048;
/// Up to this many long rows are summed one by one: idle lanes would cost as much as busy ones.
constexpr std::size_t kFewRows = 2;

/// Where the parts of a caller's scratch begin, in floats.
struct Layout {
  std::size_t blocks = 1;
  std::size_t block_floats = 0;  // one lane buffer
  std::size_t cells = 0;         // onto which rows are resampled
  std::size_t work = 0;
  std::size_t phases = 0;
  std::size_t rotations = 0;
  std::size_t end = 0;
};

constexpr std::size_t aligned(std::size_t floats) { return (floats + 15) / 16 * 16; }

/// The shapes in lane format for a rule; longer rows use the plain FFT of `length`.
std::vector<ResampledRowShape> band_shapes(std::size_t n, std::size_t length, LengthRule rule) {
  if (rule == LengthRule::paper || length > kLongestInLanes) return {{n / 2, length, 0}};
  return resampled_row_shapes(n, rule == LengthRule::resampled_bands);
}

/// Workspace and tables of the FFTs of these shapes.
struct FftNeeds {
  std::size_t workspace = 0;
  std::size_t cells = 0;
  std::uint64_t table_bytes = 0;
};

FftNeeds needs_of(const std::vector<ResampledRowShape>& shapes) {
  // The plan that is made here for its sizes stays in the cache for the transform. Beyond this length no plan
  // is made; sizes are estimated as for a length that DUCC0 pads.
  constexpr std::size_t kLongestPlan = std::size_t{1} << 22;
  FftNeeds needs;
  for (const ResampledRowShape& shape : shapes) {
    if (shape.cells > kLongestPlan) {
      needs.workspace = std::max(needs.workspace, 4 * loops<float>().lanes * shape.cells);
      needs.table_bytes += 32 * std::uint64_t{shape.cells};
      continue;
    }
    const PlanPtr plan = complex_plan<float>(shape.cells);
    needs.workspace = std::max(needs.workspace, kernels::kernels().workspace(plan.get()));
    needs.table_bytes += kernels::kernels().plan_bytes(plan.get()) + ResampledRow::bytes(shape);
    if (shape.resampled()) needs.cells = std::max(needs.cells, shape.cells);
  }
  return needs;
}

Layout layout_of(std::size_t rows, std::size_t n, std::size_t padded, const FftNeeds& needs,
                 std::size_t occupied_rows) {
  const std::size_t lanes = loops<float>().lanes;
  Layout at;
  at.blocks = std::clamp<std::size_t>((rows + lanes - 1) / lanes, 1, kernels::kMostBlocks);
  at.block_floats = aligned(2 * lanes * (padded <= kLongestInLanes ? padded : std::min(n, kPanelColumns)));
  at.cells = at.blocks * at.block_floats;
  at.work = at.cells + aligned(2 * lanes * needs.cells);
  at.phases = at.work + aligned(needs.workspace);
  at.rotations = at.phases + aligned(kernels::kMiddlePhases * occupied_rows);
  at.end = at.rotations + aligned(2 * lanes * occupied_rows);
  return at;
}

constexpr std::size_t scratch_values(const Layout& at) {
  return at.end / 2 + kernels::kAlignment / sizeof(std::complex<float>);
}

}  // namespace

struct RowTransform::Impl {
  Impl(const SparsePattern& p, LengthRule rule)
      : pattern(&p), n(p.cols()), roots(p.rows()), row_ids(p.row_counts().ids) {
    const std::size_t lanes = loops<float>().lanes;
    if (rule == LengthRule::paper && !is_smooth(n))
      chirp = std::make_unique<Chirp>(n, static_cast<std::size_t>(smooth_size(2 * n - 1)));
    const std::vector<ResampledRowShape> shapes = band_shapes(n, padded_length(), rule);
    for (const ResampledRowShape& shape : shapes)
      levels.push_back({shape, complex_plan<float>(shape.cells),
                        shape.resampled() ? std::make_unique<ResampledRow>(n, shape) : nullptr});
    needs = needs_of(shapes);
    in_lanes = padded_length() <= kLongestInLanes;

    slot_of_nonzero = row_slots(p);
    rotations = AlignedBuffer<float>(2 * lanes * row_ids.size());
    std::vector<std::int64_t> first(lanes);
    std::iota(first.begin(), first.end(), 0);
    for (auto& u : first) u %= static_cast<std::int64_t>(p.rows());
    make_rotations(first, rotations.data());
    make_half_steps();
  }

  /// One group: up to kMostBlocks·lanes consecutive frequencies, or at most `lanes` arbitrary ones.
  void row_group(std::span<const std::int64_t> u, bool consecutive, std::size_t half_width,
                 std::complex<float>* output, std::size_t stride, float* scratch) const {
    if (!in_lanes && u.size() <= kFewRows) {
      for (std::size_t r = 0; r < u.size(); ++r) row_alone(u[r], output + r * stride, scratch);
      return;
    }
    const auto& table = kernels::kernels();
    const std::size_t lanes = table.f.lanes;
    const Layout at = layout(u.size());
    float* work = scratch + at.work;
    float* phases = nullptr;
    const float* rotation = rotations.data();
    if (consecutive) {
      phases = scratch + at.phases;
      make_phases(u.front(), at.blocks, phases);
    } else {
      make_rotations(u, scratch + at.rotations);
      rotation = scratch + at.rotations;
    }
    kernels::InnerSums sums = sums_of_all(rotation, phases);
    float* buffers[kernels::kMostBlocks];
    for (std::size_t b = 0; b < kernels::kMostBlocks; ++b) buffers[b] = scratch + b * at.block_floats;
    const auto rows_of = [&](std::size_t b) { return std::min(lanes, u.size() - b * lanes); };

    if (in_lanes) {
      table.inner_sums(sums, at.blocks, buffers);
      for (std::size_t b = 0; b < at.blocks; ++b)
        lanes_to_spectrum(buffers[b], half_width, scratch + at.cells, work,
                          {output + b * lanes * stride, stride, rows_of(b)});
      return;
    }
    const auto ids = pattern->column_ids();
    std::size_t first = 0;
    for (std::size_t column = 0; column < n; column += kPanelColumns) {
      sums.column_begin = column;
      sums.column_end = std::min<std::size_t>(n, column + kPanelColumns);
      std::size_t last = first;
      while (last < ids.size() && ids[last] < sums.column_end) ++last;
      sums.column_ids = ids.data() + first;
      sums.column_starts = pattern->column_starts().data() + first;
      sums.columns = last - first;
      first = last;
      table.inner_sums(sums, at.blocks, buffers);
      for (std::size_t b = 0; b < at.blocks; ++b)
        table.f.lanes_to_rows(buffers[b], sums.column_end - column, output + b * lanes * stride + column,
                              stride, rows_of(b));
    }
    for (std::size_t r = 0; r < u.size(); ++r) row_to_spectrum(output + r * stride, work);
  }

  /// One long row: w^{ui} for each slot, then the sum of each column in turn.
  void row_alone(std::int64_t u, std::complex<float>* row, float* scratch) const {
    const Layout at = layout(1);
    float* powers = scratch + at.rotations;
    for (std::size_t s = 0; s < row_ids.size(); ++s) {
      const std::complex<double> z = roots.at(roots.product(static_cast<std::uint64_t>(u), row_ids[s]));
      powers[2 * s] = static_cast<float>(z.real());
      powers[2 * s + 1] = static_cast<float>(z.imag());
    }
    std::fill_n(row, n, std::complex<float>());
    const auto ids = pattern->column_ids();
    const auto starts = pattern->column_starts();
    const auto sum_columns = [&](const auto& weight_of) {
      for (std::size_t k = 0; k < ids.size(); ++k) {
        double re = 0;
        double im = 0;
        for (std::int64_t t = starts[k]; t < starts[k + 1]; ++t) {
          const auto entry = static_cast<std::size_t>(t);
          const float* power = powers + std::size_t{2} * slot_of_nonzero[entry];
          re += weight_of(entry) * static_cast<double>(power[0]);
          im += weight_of(entry) * static_cast<double>(power[1]);
        }
        row[ids[k]] = {static_cast<float>(re), static_cast<float>(im)};
      }
    };
    with_entry_weights(*pattern, sum_columns);
    row_to_spectrum(row, scratch + at.work);
  }

  /// w^{ui} and w^{lanes·i} per slot; for kMostBlocks blocks as make_middle_phases().
  void make_phases(std::int64_t u, std::size_t blocks, float* phases) const {
    if (blocks == kernels::kMostBlocks) return make_middle_phases(u, phases);
    const std::uint64_t step = loops<float>().lanes % roots.size();
    for (const Index i : row_ids) {
      const std::complex<double> anchor = roots.at(roots.product(static_cast<std::uint64_t>(u), i));
      const std::complex<double> advance = roots.at(roots.product(step, i));
      *phases++ = static_cast<float>(anchor.real());
      *phases++ = static_cast<float>(anchor.imag());
      *phases++ = static_cast<float>(advance.real());
      *phases++ = static_cast<float>(advance.imag());
    }
  }

  /// The kMiddlePhases values per slot of kernels::InnerSums for kMostBlocks blocks from u on.
  void make_middle_phases(std::int64_t u, float* phases) const {
    const std::uint64_t middle =
        (static_cast<std::uint64_t>(u) + 3 * loops<float>().lanes / 2) % roots.size();
    for (std::size_t s = 0; s < row_ids.size(); ++s, phases += kernels::kMiddlePhases) {
      const std::complex<double> turn = roots.at(roots.product(middle, row_ids[s]));
      phases[0] = static_cast<float>(turn.real());
      phases[1] = static_cast<float>(turn.imag());
      std::copy(half_steps[s].begin(), half_steps[s].end(), phases + 2);
    }
  }

  /// w^{ui} for each slot and at most `lanes` frequencies u (missing ones repeat the
  /// last).
  void make_rotations(std::span<const std::int64_t> u, float* to) const {
    const std::size_t lanes = loops<float>().lanes;
    for (const Index i : row_ids) {
      for (std::size_t l = 0; l < lanes; ++l) {
        const auto frequency = static_cast<std::uint64_t>(u[std::min(l, u.size() - 1)]);
        const std::complex<double> z = roots.at(roots.product(frequency, i));
        to[l] = static_cast<float>(z.real());
        to[lanes + l] = static_cast<float>(z.imag());
      }
      to += 2 * lanes;
    }
  }

  void make_half_steps() {
    const std::uint64_t step = loops<float>().lanes / 2;
    half_steps.reserve(row_ids.size());
    for (const Index i : row_ids) {
      const std::complex<double> near = roots.at(roots.product(step % roots.size(), i));
      const std::complex<double> far = roots.at(roots.product(3 * step % roots.size(), i));
      half_steps.push_back({static_cast<float>(near.real()), static_cast<float>(near.imag()),
                            static_cast<float>(far.real()), static_cast<float>(far.imag())});
    }
  }

  /// The rows to write: `count` of them, at rows[k·stride].
  struct Destination {
    std::complex<float>* rows;
    std::size_t stride;
    std::size_t count;
  };
  void lanes_to_spectrum(float* lanes, std::size_t half_width, float* cells, float* work,
                         const Destination& to) const {
    const auto& loop = loops<float>();
    if (chirp) {
      const float* there = chirp->transform_lanes(levels.back().plan.get(), lanes, work);
      return loop.lanes_to_rows(there, n, to.rows, to.stride, to.count);
    }
    const Level& level = *std::find_if(levels.begin(), levels.end() - 1,
                                       [&](const Level& one) { return one.shape.half_width >= half_width; });
    const std::size_t positives = std::min(half_width + 1, n - n / 2);
    const std::size_t negatives = std::min(half_width, n / 2);
    if (level.band) {
      level.band->resample(lanes, cells);
      lanes = cells;
    }
    float* there = loop.fft_lanes(level.plan.get(), lanes, work, true);
    if (level.band) level.band->correct(there, positives, negatives);
    loop.lanes_to_rows(there, positives, to.rows, to.stride, to.count);
    loop.lanes_to_rows(there + 2 * loop.lanes * (level.shape.cells - negatives), negatives,
                       to.rows + (n - negatives), to.stride, to.count);
  }

  /// The same for one contiguous row of padded_length() values.
  void row_to_spectrum(std::complex<float>* row, float* work) const {
    const kernels::FftPlan* plan = levels.back().plan.get();
    if (chirp) return chirp->transform_row(plan, row, work);
    loops<float>().fft_single(plan, row, work, true);
  }

  [[nodiscard]] Layout layout(std::size_t rows) const {
    return layout_of(rows, n, padded_length(), needs, row_ids.size());
  }

  [[nodiscard]] std::size_t padded_length() const { return chirp ? chirp->length() : n; }
  [[nodiscard]] kernels::InnerSums sums_of_all(const float* rotation, const float* phases) const {
    return {.column_ids = pattern->column_ids().data(),
            .column_starts = pattern->column_starts().data(),
            .columns = pattern->column_ids().size(),
            .slots = slot_of_nonzero.data(),
            .rotations = rotation,
            .phases = phases,
            .column_begin = 0,
            .column_end = n,
            .weights = pattern->has_weights() ? pattern->weights().data() : nullptr};
  }

  const SparsePattern* pattern;
  std::size_t n;
  PhaseTable roots;
  std::span<const Index> row_ids;  // per slot: the index of an occupied row
  std::vector<Index> slot_of_nonzero;
  AlignedBuffer<float> rotations;                // w^{ki}, k < lanes: real parts, imaginary parts, per slot
  std::vector<std::array<float, 4>> half_steps;  // w^{i·lanes/2}, w^{3i·lanes/2}, per slot
  std::unique_ptr<Chirp> chirp;
  /// Transforms to |v| ≤ half_width, by ascending half width; the last one gives whole rows.
  struct Level {
    ResampledRowShape shape;
    PlanPtr plan;
    std::unique_ptr<ResampledRow> band;  // where resampled
  };
  std::vector<Level> levels;
  FftNeeds needs;
  bool in_lanes;
};

RowTransform::RowTransform(const SparsePattern& pattern, LengthRule rule)
    : impl_(std::make_unique<Impl>(pattern, rule)) {}
RowTransform::~RowTransform() = default;
RowTransform::RowTransform(RowTransform&&) noexcept = default;
RowTransform& RowTransform::operator=(RowTransform&&) noexcept = default;

void RowTransform::transform(std::span<const std::int64_t> u, std::complex<float>* output, std::size_t stride,
                             std::span<std::complex<float>> scratch) const {
  transform_band(u, impl_->n, output, stride, scratch);
}

void RowTransform::transform_band(std::span<const std::int64_t> u, std::size_t half_width,
                                  std::complex<float>* output, std::size_t stride,
                                  std::span<std::complex<float>> scratch) const {
  const std::size_t lanes = loops<float>().lanes;
  const auto address = reinterpret_cast<std::uintptr_t>(scratch.data());
  const std::uintptr_t to_align = (kernels::kAlignment - address % kernels::kAlignment) % kernels::kAlignment;
  auto* floats = reinterpret_cast<float*>(reinterpret_cast<char*>(scratch.data()) + to_align);
  while (!u.empty()) {
    std::size_t run = 1;
    while (run < u.size() && run < kernels::kMostBlocks * lanes && u[run] == u[run - 1] + 1) ++run;
    // A run shorter than a vector is transformed together with the frequencies after it.
    const std::size_t take = run >= lanes ? run : std::min(u.size(), lanes);
    impl_->row_group(u.first(take), run == take, half_width, output, stride, floats);
    u = u.subspan(take);
    output += take * stride;
  }
}

std::size_t RowTransform::scratch_size(std::size_t rows) const { return scratch_values(impl_->layout(rows)); }

std::size_t RowTransform::length() const { return impl_->padded_length(); }

std::uint64_t RowTransform::bytes() const {
  std::uint64_t sum =
      impl_->rotations.size() * sizeof(float) + impl_->half_steps.size() * sizeof(impl_->half_steps.front()) +
      impl_->slot_of_nonzero.size() * sizeof(Index) + impl_->roots.bytes() + impl_->needs.table_bytes;
  if (impl_->chirp) sum += impl_->chirp->bytes();
  return sum;
}

RowTransformSizes row_transform_sizes(const SparsePattern& pattern, LengthRule rule) {
  const std::size_t n = pattern.cols();
  const bool padded = rule == LengthRule::paper && !is_smooth(n);
  const std::size_t occupied_rows = pattern.row_counts().ids.size();
  RowTransformSizes sizes;
  sizes.lanes = loops<float>().lanes;
  sizes.length = padded ? static_cast<std::size_t>(smooth_size(2 * n - 1)) : n;
  const FftNeeds needs = needs_of(band_shapes(n, sizes.length, rule));
  sizes.table_bytes = needs.table_bytes;
  sizes.table_bytes += (2 * sizes.lanes + 4) * occupied_rows * sizeof(float) +
                       static_cast<std::uint64_t>(pattern.nonzeros()) * sizeof(Index) +
                       PhaseTable::bytes_for(pattern.rows());
  if (padded) sizes.table_bytes += (n + sizes.length) * sizeof(std::complex<float>);
  for (std::size_t groups = 1; groups <= kernels::kMostBlocks; ++groups)
    sizes.scratch_of_group.push_back(
        scratch_values(layout_of(groups * sizes.lanes, n, sizes.length, needs, occupied_rows)));
  return sizes;
}

}  // namespace spyctrum
