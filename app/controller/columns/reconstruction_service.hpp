// SPDX-License-Identifier: Apache-2.0
// The reconstruction of each column's plane from its stored coefficients. Owns the reconstructions.
#pragma once

#include <map>

#include "app/controller/service.hpp"
#include "core/reconstruction/known_coefficients.hpp"

namespace spyctrum {

class ReconstructionService : public Service {
 public:
  using Service::Service;

  /// The newest reconstruction; null until there is one, and for full planes. It may be older than
  /// Column::spectrum.
  [[nodiscard]] ReconstructionPtr reconstruction(ColumnId column) const;
  /// The spectrum from which reconstruction() was made.
  [[nodiscard]] SpectrumPtr made_from(ColumnId column) const;
  [[nodiscard]] bool is_pending(ColumnId column) const;
  /// A reconstruction `best` whose chosen lines the method of the column computes beside its samples; null
  /// for other methods and until it exists. It may belong to an earlier block size, since lines depend on the
  /// pattern only.
  [[nodiscard]] ReconstructionPtr lines(const Column& column) const;
  /// The rows that the method of the column sampled for its features (Spectrum::feature_rows); null for other
  /// methods, and until they are computed for Column::spectrum.
  [[nodiscard]] std::shared_ptr<const LineValues> rows(const Column& column) const;

  void reconcile() override;
  void column_removed(ColumnId column) override;
  void forget_matrix() override;

 private:
  struct Work {
    ReconstructionPtr reconstruction, lines;
    std::shared_ptr<const LineValues> rows;
    PatternPtr lines_of;
    SpectrumPtr made_from, requested_from;
    Fill requested_fill = Fill::bilinear;
  };

  void reconcile_column(Column& column);

  std::map<ColumnId, Work> work_;
};

}  // namespace spyctrum
