// SPDX-License-Identifier: Apache-2.0
// The pictures of core/pictures/view.hpp, computed on a CUDA device by the same plans
// (core/pictures/picture_plan.hpp): from a lattice of coefficients, stored values, bilinear reconstructions,
// pyramids or counts of entries. A picture's cells stay on the device for OpenGL (CellImage::device) and are
// also copied to the host: for the automatic range, the crosshair, exports, and for an upload if CUDA cannot
// share them with OpenGL. Patterns and values are resident between pictures (device_cache.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "core/base/backend.hpp"
#include "core/base/job_context.hpp"
#include "core/device/device_cache.hpp"
#include "core/device/interface/pictures.hpp"
#include "core/pictures/picture_plan.hpp"

namespace spyctrum {

/// Thread-safe. Arguments and results are those of the functions of the same names in core/pictures/view.hpp.
/// Throws Failure{cancelled}, and {out_of_memory}, {backend_unavailable}, {internal} as the module reports.
class DevicePictures {
 public:
  /// `pictures` must outlive this object and every image that it returns. `cache`: resident data, shared
  /// with jobs; null: this object has its own cache.
  DevicePictures(cuda::Pictures& pictures, Backend backend, std::shared_ptr<DeviceCache> cache = nullptr)
      : pictures_(pictures),
        backend_(backend),
        cache_(cache ? std::move(cache) : std::make_shared<DeviceCache>(pictures, backend.device)) {}

  [[nodiscard]] CellImage pattern_image(const PatternPtr& pattern, const PictureArea& area,
                                        JobContext& context);
  [[nodiscard]] CellImage density_image(const PatternPtr& pattern, std::uint32_t block,
                                        const PictureArea& area, JobContext& context);
  [[nodiscard]] CellImage decimated_image(const PatternPtr& pattern, std::uint32_t block,
                                          const PictureArea& area, JobContext& context);
  /// `spectrum`: may be null; its pyramid is used if it has one.
  [[nodiscard]] CellImage exact_image(const PatternPtr& pattern, const SpectrumPtr& spectrum,
                                      const PictureArea& area, std::uint64_t budget, JobContext& context);
  [[nodiscard]] CellImage sample_image(const SpectrumPtr& spectrum, ReducedPlacement placement,
                                       const PictureArea& area, JobContext& context);
  /// The CPU computes these cells, since it has the values of the lines; the result is copied to the device.
  [[nodiscard]] CellImage sample_image_with_lines(const SpectrumPtr& spectrum, const Reconstruction& lines,
                                                  const PictureArea& cells, const PictureArea& pixels,
                                                  JobContext& context, const LineValues* rows = nullptr);
  /// The reconstruction must not be the plane itself (b = 1).
  [[nodiscard]] CellImage reconstruction_image(const Reconstruction& reconstruction, const PictureArea& area,
                                               std::uint64_t budget, JobContext& context);

  [[nodiscard]] Backend backend() const { return backend_; }
  [[nodiscard]] DeviceCache& cache() const { return *cache_; }
  /// Free bytes of the device; empty while another thread uses the driver, so that the interface thread never
  /// waits for it.
  [[nodiscard]] std::optional<std::uint64_t> free_now() const;

 private:
  [[nodiscard]] std::uint64_t free_bytes() const;
  [[nodiscard]] std::shared_ptr<const AxisSpectra> axes_of(const PatternPtr& pattern);
  void draw(CellImage& image, const cuda::PictureTask& task, cuda::Host& host);
  void patch(CellImage& image, const std::vector<std::uint32_t>& cells, cuda::Host& host);
  [[nodiscard]] CellImage count_image(const PatternPtr& pattern, EntryWeighting weighting,
                                      std::uint32_t block, const PictureArea& area, JobContext& context);
  void draw_coefficients(CellImage& image, const PatternPtr& pattern, const ExactPlan& plan,
                         JobContext& context);

  cuda::Pictures& pictures_;
  Backend backend_;
  std::shared_ptr<DeviceCache> cache_;
  std::mutex mutex_;  // guards the members below
  std::weak_ptr<const SparsePattern> axes_of_;
  std::shared_ptr<const AxisSpectra> axes_;  ///< of the last pattern drawn from samples
};

}  // namespace spyctrum
