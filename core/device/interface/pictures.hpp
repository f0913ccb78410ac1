// SPDX-License-Identifier: Apache-2.0
// Pictures on a device: their cells are computed there and copied into OpenGL textures without passing
// through the host. Plain data and abstract classes only.
//
// A picture is height × width cells of two floats: (mean power, maximum power) for spectra, (count, fraction
// occupied) for patterns, NaN outside the plane (core/pictures/view.hpp). The task lists, for each row and
// column of cells, the range of source rows and columns that it covers. Sums are in double precision and in
// the same order as on the CPU, so that the pictures of both agree up to the rounding of the values that are
// summed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace spyctrum::cuda {

class Host;
struct LatticeAxisSpec;
enum class LatticeOrder : std::uint8_t;
struct PatternView;

/// The indices first ≤ i < last; empty if last ≤ first.
struct CellRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// Resident data: a pattern, an order or values that stay on a device between jobs. The destructor frees them
/// and may wait for the device, so it must run on worker threads only.
class DeviceData {
 public:
  virtual ~DeviceData() = default;
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
  /// False for entries in an order of LatticeOrder::groups that are so crowded that sums would lose digits.
  [[nodiscard]] virtual bool is_precise() const { return true; }
};

/// The cells of a picture on a device. The destructor never waits and may run on any thread.
class DevicePicture {
 public:
  virtual ~DevicePicture() = default;
  [[nodiscard]] virtual int device() const = 0;
  [[nodiscard]] virtual std::uint32_t height() const = 0;
  [[nodiscard]] virtual std::uint32_t width() const = 0;
};

/// One axis of stored values: sorted nodes and the position at which each is stored.
struct NodeAxisView {
  std::uint64_t nodes = 0;
  /// [nodes]: the stored position of each node. For rows, a position s ≥ `stored` means the conjugate of row
  /// s − stored at −v.
  const std::uint64_t* storage = nullptr;
  const std::uint64_t* mirrored = nullptr;  ///< for columns, [nodes]: the stored position of −v
  std::uint64_t stored = 0;                 ///< for rows: number of stored rows
};

/// A position between two nodes; value (1−weight)·value[below] + weight·value[above].
struct PickView {
  std::uint32_t below = 0;
  std::uint32_t above = 0;
  float weight = 0;
  std::uint32_t is_zero = 0;  ///< not 0 if this is frequency 0 of the axis
};

struct PictureTask {
  enum class Source {
    coefficients,  ///< |F|² on the lattice of `row_lattice` × `col_lattice`
    values,        ///< |·|² of stored values
    bilinear,      ///< the square of magnitudes between stored values
    pyramid,       ///< stored planes reduced to `pyramid_rows` × `pyramid_cols` cells
    counts,        ///< entries of a pattern
  };
  Source source = Source::coefficients;
  std::uint32_t height = 0;
  std::uint32_t width = 0;
  /// [height], [width]. For coefficients: outputs of the lattice; for values: nodes; for bilinear and
  /// pyramid: signed frequencies (bilinear: only whether there are any); for counts: blocks.
  const CellRange* rows = nullptr;
  const CellRange* cols = nullptr;
  /// For coefficients and counts: a pattern; for values and bilinear: complex values; for pyramid: the result
  /// of upload_pyramid().
  const DeviceData* data = nullptr;

  const LatticeAxisSpec* row_lattice = nullptr;
  const LatticeAxisSpec* col_lattice = nullptr;
  /// coefficients: the result of sort_order() for the pattern and these axes
  const DeviceData* order = nullptr;

  NodeAxisView row_nodes;    ///< values, bilinear
  NodeAxisView col_nodes;    ///< values, bilinear
  std::uint64_t stride = 0;  ///< values in a stored row

  const std::uint32_t* row_starts = nullptr;  ///< bilinear, [height + 1]: the picks of each row of cells
  const std::uint32_t* col_starts = nullptr;  ///< bilinear, [width + 1]
  const PickView* row_picks = nullptr;
  const PickView* col_picks = nullptr;

  std::uint64_t m = 0, n = 0;  ///< pyramid, counts: sides of the plane
  std::uint32_t pyramid_rows = 0, pyramid_cols = 0;

  std::uint64_t block = 1;      ///< counts
  bool mean_of_blocks = false;  ///< counts: channel 0 is divided by the number of blocks of a cell
  /// counts: only entries at the first row and column of a block count; both channels are divided by the
  /// number of blocks
  bool first_of_blocks = false;
};

/// A texture with two floats per texel that a device may write. All members and the destructor must be called
/// on the thread of its OpenGL context, with the context current; none of them waits for the device.
class TextureLink {
 public:
  enum class State { idle, copying, done, failed };
  virtual ~TextureLink() = default;
  /// Starts copying all cells into level 0 after the work that computes them. The picture must exist until
  /// state() is no longer `copying`. Returns false if the copy is refused; why() returns the reason.
  [[nodiscard]] virtual bool start(const DevicePicture& picture) = 0;
  /// Once `done` has been returned, OpenGL may read the texture, and the state is `idle` again.
  [[nodiscard]] virtual State state() = 0;
  [[nodiscard]] virtual const char* why() const = 0;
};

/// The caller owns the returned objects.
class Pictures {
 public:
  virtual ~Pictures() = default;
  [[nodiscard]] virtual std::uint64_t free_bytes(int device) = 0;
  /// `pattern.row_indices` are slots (positions among the rows that have entries); row_ids[slot],
  /// [row_slots], is the row.
  [[nodiscard]] virtual DeviceData* upload_pattern(int device, const PatternView& pattern,
                                                   const std::uint32_t* row_ids, std::uint64_t row_slots,
                                                   Host& host) = 0;
  /// Sorts the entries of a pattern (from upload_pattern()) by their cells on the fine grid of a lattice. The
  /// order depends on size, step, fine and cell of each axis, not on its origin: it can be used for every
  /// window of the same size.
  [[nodiscard]] virtual DeviceData* sort_order(int device, const DeviceData& pattern,
                                               const LatticeAxisSpec& rows, const LatticeAxisSpec& cols,
                                               LatticeOrder order, Host& host) = 0;
  /// `values`: `count` pairs of floats.
  [[nodiscard]] virtual DeviceData* upload_values(int device, const float* values, std::uint64_t count,
                                                  Host& host) = 0;
  /// Means and maxima of |F|² of the `count` cells of a pyramid.
  [[nodiscard]] virtual DeviceData* upload_pyramid(int device, const float* means, const float* maxima,
                                                   std::uint64_t count, Host& host) = 0;
  /// Computes a picture and copies its cells, [2·height·width], to the host.
  [[nodiscard]] virtual DevicePicture* draw(int device, const PictureTask& task, float* cells,
                                            Host& host) = 0;
  /// Replaces the cells number cells[k], k < count, by the pairs values[2k], values[2k+1].
  virtual void patch(DevicePicture& picture, const std::uint32_t* cells, const float* values,
                     std::uint64_t count, Host& host) = 0;
  /// Returns null if the device cannot write this OpenGL texture (rg32f, immutable); `why`, [size], receives
  /// the reason. The OpenGL context must be current.
  [[nodiscard]] virtual TextureLink* link(int device, unsigned texture, std::uint32_t height,
                                          std::uint32_t width, char* why, std::size_t size) = 0;
  /// The drawing thread calls this before it uses a TextureLink or link(). Returns false while another thread
  /// blocks the driver for long; the drawing thread then tries again with the next frame instead of waiting.
  /// After true, leave() must be called.
  [[nodiscard]] virtual bool try_enter() { return true; }
  virtual void leave() noexcept {}
  /// Frees device memory that is kept only for later calls: FFT plans, cells of destroyed pictures, unused
  /// bytes of CUDA's pool. May wait for the device, so it must run on worker threads only.
  virtual void release_unused(int /*device*/) noexcept {}
};

}  // namespace spyctrum::cuda
