// SPDX-License-Identifier: Apache-2.0
// The two-dimensional Fourier spectrum of a pattern with K entries (i, j), forward and unnormalised:
//   F[u,v] = Σ exp(−2πi(ui/m + vj/n)),   F[0,0] = K,   F[−u,−v] = conj F[u,v].
// Frequencies u and v are DFT indices modulo m and n, signed: −⌊m/2⌋ … ⌈m/2⌉−1.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "spyctrum/export.hpp"

namespace spyctrum::v0 {

/// Parameters of a method by name, as text: {{"block", "16"}}. Parameters not named have their defaults.
using Parameters = std::map<std::string, std::string>;

/// How the values of a result relate to the coefficients F[u,v] of the matrix.
enum class Exactness {
  exact,          ///< every coefficient of the DFT
  exact_samples,  ///< some of the coefficients, each exact; for example a window
  estimate,       ///< not coefficients of this matrix's DFT
};

struct MethodParameter {
  std::string name;
  std::string help;
  std::string default_value;
  double minimum = 0, maximum = 0;   ///< for numbers
  std::vector<std::string> choices;  ///< possible values; empty for numbers
};

struct MethodInfo {
  std::string id;  ///< Request::method
  std::string label;
  std::string summary;  ///< what it computes and when to choose it
  Exactness exactness = Exactness::exact;
  std::vector<MethodParameter> parameters;
};

/// height × width coefficients F[u0 + r·step_u, v0 + c·step_v]. Frequencies are taken
/// modulo m and n. Steps may be negative, but not 0.
struct Window {
  std::int64_t u0 = 0, v0 = 0;
  std::uint64_t height = 1, width = 1;
  std::int64_t step_u = 1, step_v = 1;
};

/// What to compute, by which method.
struct Request {
  std::string method = "exact";  ///< an id of methods()
  Parameters parameters = {};
  /// Only these coefficients; the result then has values and no features. For the method density-map a window
  /// names frequencies of its reduced plane.
  std::optional<Window> window = {};
  bool values = true;  ///< store the coefficients, 8 bytes each
  bool features = true;
};

/// Numbers that summarise the power |F|² of the whole plane, or their estimate from samples.
/// r = √((u/m)² + (v/n)²), 0 … √½, and the angle is atan2(u/m, v/n) mod π.
struct Features {
  double entropy = 0;  ///< −Σ p ln p / ln(mn) with p = |F|²/Σ|F|², F[0,0] included; 0 … 1
  std::array<double, 16> radial{};  ///< shares of power in 16 equal rings of r, F[0,0] included
  std::array<double, 8> sectors{};  ///< shares of power by angle, bin k around kπ/8, F[0,0] left out
  double low_frequency_ratio = 0;   ///< share of power with r ≤ √½/8, F[0,0] left out
  double flatness = 0;   ///< exp(mean ln |F|²) / mean |F|², F[0,0] left out; 0 if many are zero to rounding
  double imbalance = 0;  ///< (max − min)/(max + min) of the sectors
  double total_power = 0;     ///< Σ|F|² over the plane; mnK by Parseval
  std::uint64_t samples = 0;  ///< number of coefficients from which the features were computed
};

/// The arrangement of the values; u are the frequencies of rows, v those of columns.
enum class Layout {
  none,           ///< no values were requested
  grid,           ///< values()[r·v().size() + c] = F[u()[r], v()[c]]
  half_plane,     ///< a grid of the rows u = 0 … ⌊m/2⌋; F[−u,−v] = conj F[u,v] gives the others
  reduced_plane,  ///< a grid: the plane of the ⌈m/b⌉×⌈n/b⌉ matrix made with block size b
  scattered,      ///< values()[k] = F[u()[k], v()[k]]
};

/// How a result was computed.
struct Provenance {
  std::string method;
  Parameters parameters;  ///< all parameters, defaults included
  std::string backend;    ///< "cpu", "cuda:0"
  std::string device;     ///< model of the processor or GPU
  std::string version;    ///< of the library
  std::string note;       ///< a remark for the user; may be empty
  std::uint64_t seed = 0;
  double seconds = 0;  ///< of the computation
  std::uint64_t peak_bytes = 0;
};

/// The result of a method. Immutable; copies share the values.
class SPYCTRUM_API Spectrum {
 public:
  [[nodiscard]] std::uint64_t rows() const;  ///< m of the matrix
  [[nodiscard]] std::uint64_t cols() const;  ///< n of the matrix
  [[nodiscard]] Exactness exactness() const;
  [[nodiscard]] Layout layout() const;
  [[nodiscard]] std::span<const std::int64_t> u() const;  ///< signed, or as in the requested window
  [[nodiscard]] std::span<const std::int64_t> v() const;
  [[nodiscard]] std::span<const std::complex<float>> values() const;
  [[nodiscard]] const std::optional<Features>& features() const;
  [[nodiscard]] const Provenance& provenance() const;

  struct Impl;
  explicit Spectrum(std::shared_ptr<const Impl> impl);
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace spyctrum::v0
