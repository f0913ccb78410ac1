// SPDX-License-Identifier: Apache-2.0
// Matrices: read, selected, closed, read again, cut down to a range of |a|. A matrix joins AppState only when
// all of it is read; whatever fails leaves what was open as it is. Owns the pictures of matrices that are
// still being read.
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

  /// Makes OpenMatrix::shown follow its reading.
  void reconcile() override;
  /// Replaces the previews of matrices that are being read.
  bool refresh(SteadyTime now) override;
  [[nodiscard]] std::optional<SteadyTime> next_change() const override;

 private:
  /// The entries of a matrix that are shown, and what follows from them.
  struct Entries {
    PatternPtr pattern;
    PatternStatistics statistics;
    double rounding_floor = 0;
  };
  struct Loaded {
    Matrix matrix;
    MagnitudeHistogram magnitudes;
    Entries shown;
  };
  static Entries entries_of(const PatternPtr& whole, const MagnitudeRange& range, const JobContext& context);
  static void show(OpenMatrix& matrix, Entries entries, const MagnitudeRange& range);
  static void take(OpenMatrix& matrix, const Reading& reading, Loaded loaded);
  void open(const std::string& source, const Reading& reading, std::function<void(Loaded)> take);
  /// Reads an open matrix again where more than the entries shown changes.
  void read_as(OpenMatrix& matrix, const Reading& reading);
  /// Reads an open matrix again; it is replaced once all of it is read.
  void read_again(const OpenMatrix& matrix, const Reading& reading);
  void select(std::size_t index);
  void note_load(const OpenMatrix& matrix);
  void remember_recent(const std::string& source);

  MatrixId next_matrix_ = 1;
  bool choosing_ = false;  ///< a job finds the entries within a range
  std::map<JobId, std::shared_ptr<const PatternPreview>> previews_;
  SteadyTime previews_due_{};
};

}  // namespace spyctrum
