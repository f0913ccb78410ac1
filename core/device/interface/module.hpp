// SPDX-License-Identifier: Apache-2.0
// The interface between the programs and the CUDA module, which is loaded at run time: plain data and
// abstract classes only, no CUDA type and no Failure, so that neither side needs the other's libraries.
// Coefficients are
//   F[u, v] = Σ_{(i, j) in the pattern} e^{−2πi(ui/m + vj/n)}
// (forward, unnormalised), single-precision real and imaginary parts side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "core/device/interface/fft_shape.hpp"
#include "core/device/interface/host.hpp"
#include "core/device/interface/lattice.hpp"
#include "core/device/interface/lines.hpp"
#include "core/device/interface/nufft.hpp"
#include "core/device/interface/pictures.hpp"
#include "core/device/interface/pruned.hpp"
#include "core/device/interface/reductions.hpp"
#include "core/device/interface/rows.hpp"
#include "core/device/interface/slices.hpp"

namespace spyctrum::cuda {

/// Raised with every change of this folder; a module of another version is not used.
inline constexpr std::uint32_t kInterfaceVersion = 10;

/// Compute capability 7.5, the oldest that current toolkits compile for.
inline constexpr int kOldestCapability = 75;

/// The transform of the slices of all lines of a call.
[[nodiscard]] constexpr FftShape slice_fft(const SliceSpec& spec) {
  return {false, 1, spec.length, spec.length, 3 * spec.lines};
}

struct DeviceFacts {
  char name[256] = {};
  int capability = 0;  ///< 90 for 9.0
  std::uint64_t free_bytes = 0;
  std::uint64_t total_bytes = 0;
};

/// Seconds of a call on the device, from its first kernel to its last, by CUDA events. Copies to the host are
/// counted only where rows are streamed to a receiver while others are computed.
struct Timing {
  double device_seconds = 0;
};

class Module {
 public:
  virtual ~Module() = default;
  /// Why no device can be used; empty when one can. Of static storage duration.
  [[nodiscard]] virtual const char* unavailable_reason() = 0;
  [[nodiscard]] virtual int device_count() = 0;
  [[nodiscard]] virtual DeviceFacts facts(int device) = 0;

  /// Bytes of cuFFT's work area for a transform, as the library reports them. Allocates nothing.
  [[nodiscard]] virtual std::uint64_t fft_work_bytes(int device, const FftShape& shape, Host& host) = 0;

  /// Rows of the plane, each to `receiver` (null: none) and to task.reductions (null: none), on two streams.
  /// Where both are null, all rows are computed into device memory and freed at the end: Timing is then that
  /// of a transform whose result stays on the device, as libraries such as cuFFT are timed.
  virtual Timing rows(int device, const RowTask& task, RowReceiver* receiver, Host& host) = 0;
  /// Rows u = 0 … ⌊m/2⌋ of n coefficients, by a real two-dimensional cuFFT of the dense grid of zeros and
  /// ones, to `receiver` and to `reductions` (null: none). Where both are null the result is freed on the
  /// device.
  virtual Timing dense(int device, const PatternView& pattern, RowReceiver* receiver,
                       const Reductions* reductions, Host& host) = 0;
  /// Algorithm 3 of the paper (Density Map), b = `block`: ⌈m/b⌉×⌈n/b⌉ coefficients in fftshifted order to
  /// `values` on the host (null: not copied) and to `reductions` (null: none).
  virtual Timing density_map(int device, const PatternView& pattern, std::uint64_t block, float* values,
                             const Reductions* reductions, Host& host) = 0;
  /// The k1×k2 outputs of the two axes, row-major, to `values` on the host.
  virtual Timing pruned(int device, const PrunedTask& task, float* values, Host& host) = 0;
  /// Copies points and strengths to the device, calls cuFINUFFT, which the caller has opened, and copies the
  /// result back. `code`: the library's error, 0 for none; with an error the result is not written.
  virtual Timing nufft(int device, const NufftTask<float>& task, int& code, Host& host) = 0;
  virtual Timing nufft(int device, const NufftTask<double>& task, int& code, Host& host) = 0;
  /// Slices along lines through a pattern, which is copied. The caller owns the result; `host` must outlive
  /// it.
  [[nodiscard]] virtual Slices* slices(int device, const SliceSpec& spec, Host& host) = 0;
  /// Lives as long as the module.
  [[nodiscard]] virtual Pictures& pictures() = 0;
  /// rows.count × cols.count coefficients, row-major, to `values` on the host (null: not copied) and to
  /// task.reductions (null: none). Sums are taken in a fixed order: equal tasks give equal bits on the same
  /// device.
  virtual Timing lattice(int device, const LatticeTask& task, float* values, Host& host) = 0;
  /// The power of every line of some directions, and sums over chosen lines, of patterns with sides up to
  /// 2^30. Equal tasks give equal bits on the same device.
  virtual Timing line_powers(int device, const LinePowersTask& task, Host& host) = 0;
  virtual Timing line_sums(int device, const LineSumsTask& task, Host& host) = 0;
};

/// The function that the module exports: returns the module, or null where `interface_version` differs.
using ModuleEntry = Module* (*)(std::uint32_t interface_version);
inline constexpr const char* kModuleEntryName = "spyctrum_cuda_module";
inline constexpr const char* kModuleFileName = "libspyctrum_cuda.so";

}  // namespace spyctrum::cuda
