// SPDX-License-Identifier: Apache-2.0
// The public Matrix gives access to a pattern and the report of its reader, the public Spectrum to the result
// of a method.

#include "core/library/impl.hpp"

namespace spyctrum::v0 {

namespace {

spyctrum::Matrix assembled(std::uint64_t rows, std::uint64_t cols, std::span<const std::uint32_t> row,
                           std::span<const std::uint32_t> col) {
  if (row.size() != col.size())
    throw Failure(spyctrum::ErrorCode::bad_input, "There are " + std::to_string(row.size()) +
                                                      " row indices and " + std::to_string(col.size()) +
                                                      " column indices.");
  std::int64_t duplicates = 0;
  SparsePattern pattern = or_throw(SparsePattern::from_coordinates(rows, cols, {row.begin(), row.end()},
                                                                   {col.begin(), col.end()}, &duplicates));
  spyctrum::Matrix matrix{std::make_shared<const SparsePattern>(std::move(pattern)), "entries", {}};
  matrix.report.format = "entries in memory";
  matrix.report.duplicates = duplicates;
  if (duplicates > 0)
    matrix.report.notes.push_back(std::to_string(duplicates) +
                                  (duplicates == 1 ? " entry repeats" : " entries repeat") +
                                  " the position of an earlier one.");
  return matrix;
}

}  // namespace

Result<Matrix> Matrix::from_entries(std::uint64_t rows, std::uint64_t cols,
                                    std::span<const std::uint32_t> row, std::span<const std::uint32_t> col) {
  return guarded<Matrix>(
      [&] { return Matrix(std::make_shared<const Impl>(Impl{assembled(rows, cols, row, col)})); });
}

Matrix::Matrix(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

std::uint64_t Matrix::rows() const { return impl_->matrix.pattern->rows(); }
std::uint64_t Matrix::cols() const { return impl_->matrix.pattern->cols(); }
std::int64_t Matrix::nonzeros() const { return impl_->matrix.pattern->nonzeros(); }
bool Matrix::symmetric() const { return impl_->matrix.pattern->symmetric(); }
std::span<const std::uint32_t> Matrix::column_ids() const { return impl_->matrix.pattern->column_ids(); }
std::span<const std::int64_t> Matrix::column_starts() const { return impl_->matrix.pattern->column_starts(); }
std::span<const std::uint32_t> Matrix::row_indices() const { return impl_->matrix.pattern->row_indices(); }
const std::string& Matrix::name() const { return impl_->matrix.name; }
const std::string& Matrix::format() const { return impl_->matrix.report.format; }
std::span<const std::string> Matrix::notes() const { return impl_->matrix.report.notes; }

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
