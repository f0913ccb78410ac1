// SPDX-License-Identifier: Apache-2.0
// Matrices are read, selected, closed, read again, and restricted to a range of |a|. A matrix is added to
// AppState only when it is complete; a failure leaves the open matrices unchanged. Owns the previews of
// matrices that are being read.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "app/controller/service.hpp"
#include "core/matrix/pattern_preview.hpp"

namespace spyctrum {

class MatrixService : public Service {
 public:
  explicit MatrixService(ServiceContext& context);
  void handle(const action::OpenFile& chosen);
  void handle(const action::SetReading& chosen);
  void handle(const action::SelectMatrix& chosen);
  void handle(const action::CloseMatrix& chosen);
  void handle(const action::ReloadMatrix& chosen);
  void handle(const action::ReplaceDrawing& chosen);

  /// Makes OpenMatrix::shown follow OpenMatrix::reading.
  void reconcile() override;
  /// Updates the previews of matrices that are being read.
  bool refresh(SteadyTime now) override;
  [[nodiscard]] std::optional<SteadyTime> next_change() const override;

 private:
  /// The shown entries of a matrix, and what depends on them.
  struct Entries {
    PatternPtr pattern;
    PatternStatistics statistics;
    double rounding_floor = 0;
  };
  struct Loaded {
    Matrix matrix;
    MagnitudeHistogram magnitudes;
    bool needs_log_scale = false;
    Entries shown;
  };
  static Entries entries_of(const PatternPtr& whole, const MagnitudeRange& range, JobContext& context);
  static void show(OpenMatrix& matrix, Entries entries, const MagnitudeRange& range);
  static void take(OpenMatrix& matrix, const Reading& reading, Loaded loaded);
  void open(const std::string& source, const Reading& reading, std::function<void(Loaded)> take);
  /// Reads an open matrix again unless only the range of |a| changes.
  void read_as(OpenMatrix& matrix, const Reading& reading);
  /// Reads an open matrix again; it is replaced when reading is complete.
  void read_again(const OpenMatrix& matrix, const Reading& reading);
  void select(std::size_t index);
  void note_load(const OpenMatrix& matrix);
  void remember_recent(const std::string& source);

  MatrixId next_matrix_ = 1;
  bool choosing_ = false;  ///< a job is determining the entries within a range
  std::map<JobId, std::shared_ptr<const PatternPreview>> previews_;
  SteadyTime previews_due_{};
};

}  // namespace spyctrum
