// SPDX-License-Identifier: Apache-2.0
// The public Spectrum over a method's result.
#include "core/library/impl.hpp"

namespace spyctrum::v0 {

Spectrum::Spectrum(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

std::uint64_t Spectrum::rows() const { return impl_->spectrum->m; }
std::uint64_t Spectrum::cols() const { return impl_->spectrum->n; }
Exactness Spectrum::exactness() const { return to_public(impl_->spectrum->exactness); }

Layout Spectrum::layout() const {
  const spyctrum::Spectrum& spectrum = *impl_->spectrum;
  if (spectrum.values.empty()) return Layout::none;
  if (spectrum.placement == Placement::scattered) return Layout::scattered;
  if (spectrum.placement == Placement::reduced_plane) return Layout::reduced_plane;
  return spectrum.hermitian_half ? Layout::half_plane : Layout::grid;
}

std::span<const std::int64_t> Spectrum::u() const { return impl_->u; }
std::span<const std::int64_t> Spectrum::v() const { return impl_->v; }
std::span<const std::complex<float>> Spectrum::values() const { return impl_->spectrum->values; }
const std::optional<Features>& Spectrum::features() const { return impl_->features; }
const Provenance& Spectrum::provenance() const { return impl_->provenance; }

}  // namespace spyctrum::v0
