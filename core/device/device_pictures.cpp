// SPDX-License-Identifier: Apache-2.0
// Translates picture plans into tasks of the module. The few cells that contain u = 0, v = 0 or DC are
// computed on the host by the code of core/pictures and copied to the device.
#include "core/device/device_pictures.hpp"

#include <algorithm>
#include <numeric>

#include "core/device/device_job.hpp"
#include "core/device/lattice_spec.hpp"
#include "core/pictures/cell_reduction.hpp"
#include "core/spectrum/rounding_floor.hpp"

namespace spyctrum {

namespace {

constexpr double kTolerance = 1e-6;  // as for pictures on the CPU
/// With more entries per cell of the fine grid, sums in single precision lose too many digits.
constexpr double kMostPerCell = 16;

std::vector<cuda::CellRange> ranges_of(const std::vector<IndexRange>& ranges) {
  std::vector<cuda::CellRange> result(ranges.size());
  std::transform(ranges.begin(), ranges.end(), result.begin(), [](const IndexRange& range) {
    return cuda::CellRange{range.first, range.last};
  });
  return result;
}

/// The fields that all tasks share; the ranges must outlive the task.
cuda::PictureTask task_for(cuda::PictureTask::Source source, const std::vector<cuda::CellRange>& rows,
                           const std::vector<cuda::CellRange>& cols) {
  cuda::PictureTask task;
  task.source = source;
  task.height = static_cast<std::uint32_t>(rows.size());
  task.width = static_cast<std::uint32_t>(cols.size());
  task.rows = rows.data();
  task.cols = cols.data();
  return task;
}

/// The lattice of `grid`. Its fine grid has at most kMostPerCell entries per cell: for a small window of a
/// large pattern, `grid` is extended by coefficients that are not shown. Empty if the fine grid of the whole
/// axes has more entries per cell.
std::optional<DeviceLattice> choose_picture_lattice(FrequencyGrid& grid, double entries) {
  for (;;) {
    const std::optional<DeviceLattice> choice = choose_device_lattice(grid, entries, kTolerance);
    if (choice && entries <= kMostPerCell * choice->cells()) return choice;
    const auto more = [](const FrequencyAxis& axis) { return std::min(2 * axis.count(), axis.size()); };
    const std::uint64_t rows = more(grid.rows);
    const std::uint64_t cols = more(grid.cols);
    if (rows <= grid.rows.count() && cols <= grid.cols.count()) return std::nullopt;
    const auto extended = [](const FrequencyAxis& axis, std::uint64_t count) {
      return FrequencyAxis::progression(axis.size(), axis.origin(), axis.step(),
                                        std::max(count, axis.count()));
    };
    grid = {extended(grid.rows, rows), extended(grid.cols, cols)};
  }
}

std::vector<cuda::PickView> picks_on(const SampleAxis& nodes, const CellSamples& picks, bool nearest) {
  std::vector<cuda::PickView> result;
  result.reserve(picks.indices.size());
  for (const std::int64_t index : picks.indices) {
    const auto position = static_cast<double>(index);
    const std::size_t node = nodes.nearest(position);
    const SampleAxis::Bracket at = nearest ? SampleAxis::Bracket{node, node, 0} : nodes.bracket(position);
    result.push_back({static_cast<std::uint32_t>(at.below), static_cast<std::uint32_t>(at.above),
                      static_cast<float>(at.weight), index == 0 ? 1U : 0U});
  }
  return result;
}

std::vector<std::uint32_t> starts_of(const CellSamples& picks) {
  std::vector<std::uint32_t> starts(picks.starts.size());
  std::transform(picks.starts.begin(), picks.starts.end(), starts.begin(),
                 [](std::size_t start) { return static_cast<std::uint32_t>(start); });
  return starts;
}

/// The cells that show the frequency (0, 0).
std::vector<std::uint32_t> cells_of_dc(const ReconstructionPlan& plan) {
  std::vector<std::uint32_t> cells;
  for (std::size_t r = 0; r < plan.rows.size(); ++r) {
    if (!plan.rows[r].contains(0)) continue;
    for (std::size_t c = 0; c < plan.cols.size(); ++c)
      if (plan.cols[c].contains(0)) cells.push_back(static_cast<std::uint32_t>(r * plan.cols.size() + c));
  }
  return cells;
}

}  // namespace

/// Bytes that a picture may allocate: free bytes, and those of resident data that no job uses.
std::uint64_t DevicePictures::free_bytes() const {
  return pictures_.free_bytes(backend_.device) + cache_->idle_bytes();
}

std::optional<std::uint64_t> DevicePictures::free_now() const {
  if (!pictures_.try_enter()) return std::nullopt;
  const std::uint64_t bytes = pictures_.free_bytes(backend_.device);
  pictures_.leave();
  return bytes;
}

std::shared_ptr<const AxisSpectra> DevicePictures::axes_of(const PatternPtr& pattern) {
  {
    const std::lock_guard lock(mutex_);
    if (axes_ && axes_of_.lock() == pattern) return axes_;
  }
  auto axes = std::make_shared<const AxisSpectra>(axis_spectra(*pattern));
  const std::lock_guard lock(mutex_);
  axes_of_ = pattern;
  axes_ = axes;
  return axes;
}

void DevicePictures::draw(CellImage& image, const cuda::PictureTask& task, cuda::Host& host) {
  image.device.reset(pictures_.draw(backend_.device, task, image.cells.data(), host));
}

void DevicePictures::patch(CellImage& image, const std::vector<std::uint32_t>& cells, cuda::Host& host) {
  if (cells.empty()) return;
  std::vector<float> values;
  values.reserve(2 * cells.size());
  for (const std::uint32_t cell : cells)
    values.insert(values.end(), {image.cells[2 * std::size_t{cell}], image.cells[2 * std::size_t{cell} + 1]});
  // const_cast: no other thread has the picture yet.
  pictures_.patch(const_cast<cuda::DevicePicture&>(*image.device), cells.data(), values.data(), cells.size(),
                  host);
}

CellImage DevicePictures::count_image(const PatternPtr& pattern, EntryWeighting weighting,
                                      std::uint32_t block, const PictureArea& area, JobContext& context) {
  const CountPlan plan = plan_count_picture(*pattern, weighting, block, area);
  CellImage image = blank_image(area);
  if (weighting != EntryWeighting::entries) image.exactness = Exactness::estimate;
  DeviceJob host(backend_, context, free_bytes());
  const UsedData data(host, cache_->pattern(pattern, host), "pattern");
  const std::vector<cuda::CellRange> rows = ranges_of(plan.rows.ranges());
  const std::vector<cuda::CellRange> cols = ranges_of(plan.cols.ranges());
  cuda::PictureTask task = task_for(cuda::PictureTask::Source::counts, rows, cols);
  task.data = data.get();
  task.m = pattern->rows();
  task.n = pattern->cols();
  task.block = plan.block;
  task.mean_of_blocks = plan.weighting == EntryWeighting::mean_of_blocks;
  task.first_of_blocks = plan.weighting == EntryWeighting::first_of_blocks;
  draw(image, task, host);
  return image;
}

CellImage DevicePictures::pattern_image(const PatternPtr& pattern, const PictureArea& area,
                                        JobContext& context) {
  return count_image(pattern, EntryWeighting::entries, 1, area, context);
}

CellImage DevicePictures::density_image(const PatternPtr& pattern, std::uint32_t block,
                                        const PictureArea& area, JobContext& context) {
  return count_image(pattern, EntryWeighting::mean_of_blocks, block, area, context);
}

CellImage DevicePictures::decimated_image(const PatternPtr& pattern, std::uint32_t block,
                                          const PictureArea& area, JobContext& context) {
  return count_image(pattern, EntryWeighting::first_of_blocks, block, area, context);
}

void DevicePictures::draw_coefficients(CellImage& image, const PatternPtr& pattern, const ExactPlan& plan,
                                       JobContext& context) {
  FrequencyGrid grid = plan.grid;
  const std::optional<DeviceLattice> lattice =
      choose_picture_lattice(grid, std::max(1.0, static_cast<double>(pattern->nonzeros())));
  if (!lattice) {
    throw Failure(ErrorCode::backend_unavailable,
                  "A window with so few coefficients of so many entries needs double precision.");
  }
  DeviceJob host(backend_, context, free_bytes());
  const cuda::LatticeAxisSpec row_spec = lattice->row_spec(grid.rows);
  const cuda::LatticeAxisSpec col_spec = lattice->col_spec(grid.cols);
  const UsedData points(host, cache_->pattern(pattern, host), "pattern");
  const cuda::LatticeOrder kind = choose_order(*pattern, row_spec, col_spec);
  const UsedData order(host, cache_->order(pattern, row_spec, col_spec, kind, host), "sorted entries");
  const std::vector<cuda::CellRange> rows = ranges_of(plan.row_ranges);
  const std::vector<cuda::CellRange> cols = ranges_of(plan.col_ranges);
  cuda::PictureTask task = task_for(cuda::PictureTask::Source::coefficients, rows, cols);
  task.data = points.get();
  task.order = order.get();
  task.row_lattice = &row_spec;
  task.col_lattice = &col_spec;
  draw(image, task, host);
  if (plan.source == ExactPlan::Source::samples)
    patch(image, draw_axes(image, plan, *pattern, *axes_of(pattern), context), host);
  patch(image, clear_rounding(image, rounding_floor(*pattern), context), host);
}

CellImage DevicePictures::exact_image(const PatternPtr& pattern, const SpectrumPtr& spectrum,
                                      const PictureArea& area, std::uint64_t budget, JobContext& context) {
  // The CPU draws incomplete pyramids: it weights cells by their streamed share.
  const bool whole = spectrum && spectrum->pyramid && spectrum->pyramid->streamed_share.empty();
  const DisplayPyramid* pyramid = whole ? &*spectrum->pyramid : nullptr;
  const ExactPlan plan = plan_exact_picture(*pattern, pyramid, area, budget);
  CellImage image = blank_exact_image(plan, pyramid, area);
  if (plan.source == ExactPlan::Source::coefficients || plan.source == ExactPlan::Source::samples) {
    draw_coefficients(image, pattern, plan, context);
  } else if (pyramid != nullptr && plan.source == ExactPlan::Source::pyramid) {
    DeviceJob host(backend_, context, free_bytes());
    const UsedData data(host, cache_->pyramid(spectrum, host), "pyramid");
    const std::vector<cuda::CellRange> rows = ranges_of(plan.rows.ranges());
    const std::vector<cuda::CellRange> cols = ranges_of(plan.cols.ranges());
    cuda::PictureTask task = task_for(cuda::PictureTask::Source::pyramid, rows, cols);
    task.data = data.get();
    task.m = pyramid->m;
    task.n = pyramid->n;
    task.pyramid_rows = pyramid->rows;
    task.pyramid_cols = pyramid->cols;
    draw(image, task, host);
    patch(image, clear_rounding(image, rounding_floor(*pattern), context), host);
  }
  return image;
}

CellImage DevicePictures::sample_image(const SpectrumPtr& spectrum, ReducedPlacement placement,
                                       const PictureArea& area, JobContext& context) {
  CellImage image = blank_image(area);
  image.exactness = spectrum->exactness;
  if (spectrum->values.empty()) return image;
  const SamplePlan plan = plan_sample_picture(*spectrum, placement, area);
  image.sampled = plan.sampled;
  DeviceJob host(backend_, context, free_bytes());
  const UsedData data(host, cache_->values(spectrum, host), "values");
  const std::vector<cuda::CellRange> rows = ranges_of(plan.row_ranges);
  const std::vector<cuda::CellRange> cols = ranges_of(plan.col_ranges);
  cuda::PictureTask task = task_for(cuda::PictureTask::Source::values, rows, cols);
  task.data = data.get();
  task.row_nodes = {plan.row_storage.size(), plan.row_storage.data(), nullptr, plan.stored_rows};
  task.col_nodes = {plan.upright.size(), plan.upright.data(), plan.mirrored.data(), 0};
  task.stride = plan.stride;
  draw(image, task, host);
  patch(image, weigh_axes(image, plan, *spectrum), host);
  patch(image, clear_rounding(image, spectrum->rounding_floor, context), host);
  return image;
}

CellImage DevicePictures::sample_image_with_lines(const SpectrumPtr& spectrum, const Reconstruction& lines,
                                                  const PictureArea& cells, const PictureArea& pixels,
                                                  JobContext& context, const LineValues* rows) {
  CellImage image = spyctrum::sample_image_with_lines(*spectrum, lines, cells, pixels, context, rows);
  image.device = sample_image(spectrum, ReducedPlacement::stretched, pixels, context).device;
  std::vector<std::uint32_t> all(image.cells.size() / 2);
  std::iota(all.begin(), all.end(), 0U);
  DeviceJob host(backend_, context, free_bytes());
  patch(image, all, host);
  return image;
}

CellImage DevicePictures::reconstruction_image(const Reconstruction& reconstruction, const PictureArea& area,
                                               std::uint64_t budget, JobContext& context) {
  const ReconstructionPlan plan = plan_reconstruction_picture(reconstruction, area, budget);
  CellImage image = blank_reconstruction_image(reconstruction, plan, area);
  if (plan.down.indices.empty() || plan.across.indices.empty()) return image;
  DeviceJob host(backend_, context, free_bytes());
  const UsedData data(host, cache_->values(reconstruction.shared_spectrum(), host), "values");
  const SampleAxis& row_nodes = reconstruction.row_nodes();
  const SampleAxis& col_nodes = reconstruction.col_nodes();
  const std::vector<std::uint64_t> mirrored = reconstruction.mirrored_columns();
  const std::vector<cuda::PickView> down = picks_on(row_nodes, plan.down, reconstruction.is_nearest());
  const std::vector<cuda::PickView> across = picks_on(col_nodes, plan.across, reconstruction.is_nearest());
  const std::vector<std::uint32_t> row_starts = starts_of(plan.down);
  const std::vector<std::uint32_t> col_starts = starts_of(plan.across);
  const std::vector<cuda::CellRange> rows = ranges_of(plan.rows.ranges());
  const std::vector<cuda::CellRange> cols = ranges_of(plan.cols.ranges());
  cuda::PictureTask task = task_for(cuda::PictureTask::Source::bilinear, rows, cols);
  task.data = data.get();
  task.row_nodes = {row_nodes.storage.size(), row_nodes.storage.data(), nullptr, row_nodes.stored};
  task.col_nodes = {col_nodes.storage.size(), col_nodes.storage.data(), mirrored.data(), 0};
  task.stride = reconstruction.spectrum().grid.cols.count();
  task.row_starts = row_starts.data();
  task.col_starts = col_starts.data();
  task.row_picks = down.data();
  task.col_picks = across.data();
  draw(image, task, host);
  const std::vector<std::uint32_t> dc = cells_of_dc(plan);
  for (const std::uint32_t cell : dc)
    add_dc(image, plan, reconstruction.dc_magnitude(), cell / image.width, cell % image.width);
  patch(image, dc, host);
  patch(image, clear_rounding(image, reconstruction.rounding_floor(), context), host);
  return image;
}

}  // namespace spyctrum
