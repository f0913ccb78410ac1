// SPDX-License-Identifier: Apache-2.0
// Pictures on a device: their cells are computed there and copied into OpenGL textures without a copy on the
// host. Plain data and abstract classes only.
//
// A picture is height × width cells of two floats: spectra (mean power, maximum power), patterns (count,
// fraction occupied), NaN outside the plane (core/pictures/view.hpp). The task lists, for each row and column
// of cells, the range of the source's rows and columns that it covers; sums are in double precision and in
// the order of the CPU, so that both compute the same picture up to the rounding of the values that are
// summed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace spyctrum::cuda {

class Host;
struct LatticeAxisSpec;
enum class LatticeOrder : std::uint8_t;
struct PatternView;

/// first ≤ i < last; nothing where last ≤ first.
struct CellRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// Resident data: a pattern, an order or values that stay on a device between jobs. The destructor frees them
/// and may wait for the device, so it runs on workers only.
class DeviceData {
 public:
  virtual ~DeviceData() = default;
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
};

/// The cells of a picture on a device. Its destructor never waits and may run on any thread.
class DevicePicture {
 public:
  virtual ~DevicePicture() = default;
  [[nodiscard]] virtual int device() const = 0;
  [[nodiscard]] virtual std::uint32_t height() const = 0;
  [[nodiscard]] virtual std::uint32_t width() const = 0;
};

/// One axis of stored values: sorted nodes and where each is stored.
struct NodeAxisView {
  std::uint64_t nodes = 0;
  /// [nodes]. Of rows: at least `stored` means the conjugate of row storage − stored at −v.
  const std::uint64_t* storage = nullptr;
  const std::uint64_t* mirrored = nullptr;  ///< of columns, [nodes]: where −v of each node is stored
  std::uint64_t stored = 0;                 ///< of rows
};

/// A place between two nodes: (1−weight)·[below] + weight·[above].
struct PickView {
  std::uint32_t below = 0;
  std::uint32_t above = 0;
  float weight = 0;
  std::uint32_t is_zero = 0;  ///< frequency 0 of this axis
};

struct PictureTask {
  enum class Source {
    coefficients,  ///< |F|² on the lattice of `row_lattice` × `col_lattice`
    values,        ///< |·|² of stored values
    bilinear,      ///< the square of magnitudes between stored values
    pyramid,       ///< a plane reduced to `pyramid_rows` × `pyramid_cols` cells
    counts,        ///< entries of a pattern
  };
  Source source = Source::coefficients;
  std::uint32_t height = 0;
  std::uint32_t width = 0;
  /// [height], [width]. Coefficients: outputs of the lattice; values: nodes; bilinear, pyramid: signed
  /// frequencies (bilinear: only whether there are any); counts: blocks.
  const CellRange* rows = nullptr;
  const CellRange* cols = nullptr;
  /// Coefficients, counts: a pattern; values, bilinear: complex values; pyramid: (mean, maximum) pairs.
  const DeviceData* data = nullptr;

  const LatticeAxisSpec* row_lattice = nullptr;
  const LatticeAxisSpec* col_lattice = nullptr;
  const DeviceData* order = nullptr;  ///< coefficients: of sort_order() of the pattern and these axes

  NodeAxisView row_nodes;    ///< values, bilinear
  NodeAxisView col_nodes;    ///< values, bilinear
  std::uint64_t stride = 0;  ///< values in a stored row

  const std::uint32_t* row_starts = nullptr;  ///< bilinear, [height + 1]: the picks of each row of cells
  const std::uint32_t* col_starts = nullptr;  ///< bilinear, [width + 1]
  const PickView* row_picks = nullptr;
  const PickView* col_picks = nullptr;

  std::uint64_t m = 0, n = 0;  ///< pyramid, counts: sides of the plane
  std::uint32_t pyramid_rows = 0, pyramid_cols = 0;

  std::uint64_t block = 1;       ///< counts
  bool mean_of_blocks = false;   ///< counts: channel 0 is divided by the blocks of a cell
  bool first_of_blocks = false;  ///< counts: only entries at a block's first row and column; both channels
                                 ///< are divided by the blocks
};

/// A texture of two floats a texel that a device may write. All members, and the destructor, with its OpenGL
/// context current, on the thread of the context; none of them waits for the device.
class TextureLink {
 public:
  enum class State { idle, copying, done, failed };
  virtual ~TextureLink() = default;
  /// Starts copying all cells into level 0, after the work that computes them. The picture must live until
  /// state() is no longer `copying`. False: refused, see why().
  [[nodiscard]] virtual bool start(const DevicePicture& picture) = 0;
  /// After `done` has been returned, OpenGL may read the texture and the state is `idle`.
  [[nodiscard]] virtual State state() = 0;
  [[nodiscard]] virtual const char* why() const = 0;
};

/// The caller owns the returned objects.
class Pictures {
 public:
  virtual ~Pictures() = default;
  [[nodiscard]] virtual std::uint64_t free_bytes(int device) = 0;
  /// `pattern.row_indices` are slots, numbers of the rows that hold entries; `row_ids` [row_slots]: their
  /// rows.
  [[nodiscard]] virtual DeviceData* upload_pattern(int device, const PatternView& pattern,
                                                   const std::uint32_t* row_ids, std::uint64_t row_slots,
                                                   Host& host) = 0;
  /// The entries of a pattern (of upload_pattern()) sorted by where they land on the fine grid of a lattice.
  /// The order depends on size, step, fine and cell of each axis, not on its origin: it serves every window
  /// of the same sizes.
  [[nodiscard]] virtual DeviceData* sort_order(int device, const DeviceData& pattern,
                                               const LatticeAxisSpec& rows, const LatticeAxisSpec& cols,
                                               LatticeOrder order, Host& host) = 0;
  /// `values`: `count` pairs of floats.
  [[nodiscard]] virtual DeviceData* upload_values(int device, const float* values, std::uint64_t count,
                                                  Host& host) = 0;
  /// Computes a picture, and copies its cells [2·height·width] to the host.
  [[nodiscard]] virtual DevicePicture* draw(int device, const PictureTask& task, float* cells,
                                            Host& host) = 0;
  /// Replaces single cells: `values` [2·count] of cells number `cells` [count].
  virtual void patch(DevicePicture& picture, const std::uint32_t* cells, const float* values,
                     std::uint64_t count, Host& host) = 0;
  /// Null where the device cannot write this OpenGL texture (rg32f, immutable); `why` [size] gets the reason.
  /// With the OpenGL context current.
  [[nodiscard]] virtual TextureLink* link(int device, unsigned texture, std::uint32_t height,
                                          std::uint32_t width, char* why, std::size_t size) = 0;
  /// For the thread that draws, before its calls of a TextureLink or link(): false while another thread
  /// blocks the driver for long; then the drawing thread tries again with the next frame instead of waiting.
  /// After true, leave() is called.
  [[nodiscard]] virtual bool try_enter() { return true; }
  virtual void leave() noexcept {}
  /// Frees device memory that is held only for later calls: FFT plans, cells of destroyed pictures, unused
  /// bytes of CUDA's pool. May wait for the device: on workers only.
  virtual void release_unused(int /*device*/) noexcept {}
};

}  // namespace spyctrum::cuda
