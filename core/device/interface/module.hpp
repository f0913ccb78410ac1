// SPDX-License-Identifier: Apache-2.0
// The line between the programs and the CUDA module, which is loaded at run time: plain data and abstract
// classes only, no CUDA type and no Failure, so that neither side needs the other's libraries. Coefficients
// are unnormalised, forward e^{−2πi(ui/m+vj/n)}, interleaved single-precision real and imaginary parts.
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

/// Raised with every change of this file; a module of another version is not used.
inline constexpr std::uint32_t kInterfaceVersion = 9;

/// Compute capability 7.5, the oldest that current toolkits compile for.
inline constexpr int kOldestCapability = 75;

/// The slices of all lines of a call.
[[nodiscard]] constexpr FftShape slice_fft(const SliceSpec& spec) {
  return {false, 1, spec.length, spec.length, 3 * spec.lines};
}

struct DeviceFacts {
  char name[256] = {};
  int capability = 0;  ///< 90 for 9.0
  std::uint64_t free_bytes = 0;
  std::uint64_t total_bytes = 0;
};

/// What a call took on the device alone: from the first kernel to the last. Copies to the host are counted
/// only where rows are streamed to a receiver while others are computed.
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

  /// Bytes of cuFFT's work area, which only the library knows. Allocates nothing.
  [[nodiscard]] virtual std::uint64_t fft_work_bytes(int device, const FftShape& shape, Host& host) = 0;

  /// `receiver` null: rows stay on the device. Then, where they are not reduced either, all of them are kept
  /// until the end, for measurements.
  virtual Timing rows(int device, const RowTask& task, RowReceiver* receiver, Host& host) = 0;
  /// Rows u = 0 … ⌊m/2⌋ of n coefficients, by a real two-dimensional cuFFT of the grid of zeros and ones.
  /// `reductions`: of the rows; null for nothing.
  virtual Timing dense(int device, const PatternView& pattern, RowReceiver* receiver,
                       const Reductions* reductions, Host& host) = 0;
  /// Algorithm 3: the ⌈m/b⌉×⌈n/b⌉ plane in fftshifted order into `values` (host; null to leave it), and what
  /// its rows are reduced to.
  virtual Timing density_map(int device, const PatternView& pattern, std::uint64_t block, float* values,
                             const Reductions* reductions, Host& host) = 0;
  /// The k1×k2 outputs of the two axes, row-major, into `values` (host).
  virtual Timing pruned(int device, const PrunedTask& task, float* values, Host& host) = 0;
  /// cuFINUFFT, which the caller has opened, between two copies. `code`: its error, 0 for none; then the
  /// result is as it was.
  virtual Timing nufft(int device, const NufftTask<float>& task, int& code, Host& host) = 0;
  virtual Timing nufft(int device, const NufftTask<double>& task, int& code, Host& host) = 0;
  /// Lines through a pattern, which is copied; the caller owns the result, and `host` must outlive it.
  [[nodiscard]] virtual Slices* slices(int device, const SliceSpec& spec, Host& host) = 0;
  /// Pictures, as long as the module lives.
  [[nodiscard]] virtual Pictures& pictures() = 0;
  /// Values on rows.count × cols.count into `values` (host; null to leave them). Sums are taken in a fixed
  /// order: equal tasks give equal bits on the same device.
  virtual Timing lattice(int device, const LatticeTask& task, float* values, Host& host) = 0;
  /// Power of every line of some directions, and sums over chosen ones, of patterns with sides up to 2^30.
  /// Equal tasks give equal bits on the same device.
  virtual Timing line_powers(int device, const LinePowersTask& task, Host& host) = 0;
  virtual Timing line_sums(int device, const LineSumsTask& task, Host& host) = 0;
};

/// What the module exports: a module, or null where `interface_version` is not its own.
using ModuleEntry = Module* (*)(std::uint32_t interface_version);
inline constexpr const char* kModuleEntryName = "spyctrum_cuda_module";
inline constexpr const char* kModuleFileName = "libspyctrum_cuda.so";

}  // namespace spyctrum::cuda
