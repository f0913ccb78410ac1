// SPDX-License-Identifier: Apache-2.0
// Pictures of the comparison. reconcile() determines the picture that each cell of the grid should show;
// equal pictures are made once. The old picture stays until the new one arrives, and jobs whose picture is no
// longer requested are stopped. Owns what each cell shows and requests, and the pictures being made.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/controller/columns/reconstruction_service.hpp"
#include "app/controller/columns/run_service.hpp"
#include "app/controller/machine_service.hpp"
#include "app/controller/pictures/picture_task.hpp"
#include "app/controller/service.hpp"

namespace spyctrum {

/// The range of the spectra that share one: the automatic range of the reference. Without a reference, and in
/// a sweep over orders, the range that covers that of the first column of each order of the entries, since
/// the spectra of a reordered matrix may be much brighter or darker. Empty while no such spectrum is shown.
[[nodiscard]] std::optional<DisplayRange> shared_range(const AppState& state);

class PictureService : public Service {
 public:
  PictureService(ServiceContext& context, MachineService& machine, const RunService& runs,
                 const ReconstructionService& reconstructions)
      : Service(context), machine_(machine), runs_(runs), reconstructions_(reconstructions) {}

  void reconcile() override;
  void column_removed(ColumnId column) override;
  void forget_matrix() override;

 private:
  /// The picture that a cell should show, and the one that it shows.
  struct Cell {
    PictureSpec requested, shown;
    RangeSpec measured, measuring;  ///< of `shown`: measured, and being measured
    const void* measuring_image = nullptr;
    std::array<ImagePtr, 2> requested_pair;  ///< row error
  };
  /// Row error, measure phase: differences of the phases of `of`; null while they are computed.
  struct PhasesOfColumn {
    SpectrumPtr of, errors;
  };
  struct PictureInFlight {
    std::string key;
    PictureSpec spec;
  };

  [[nodiscard]] Cell& cell(ColumnId column, Row row) { return cells_[column][static_cast<std::size_t>(row)]; }
  [[nodiscard]] PictureSpec requested_picture(const Column& column, Row row) const;
  /// Each completes a request that has area and pattern: for the pattern, the spectrum of a method of the
  /// whole plane, stored samples, and differences of phases.
  void request_pattern(PictureSpec& spec, const Column& column) const;
  void request_plane(PictureSpec& spec, const Column& column) const;
  void request_samples(PictureSpec& spec, const Column& column) const;
  void request_phases(PictureSpec& spec, const Column& column) const;
  [[nodiscard]] std::vector<PictureSpec> find_requested();
  [[nodiscard]] PictureSpec sharpened(const PictureSpec& spec, const Column& column, Row row);
  void stop_others(const std::vector<PictureSpec>& requested);
  void make_requested(const PictureSpec& spec);
  [[nodiscard]] bool show_known(const PictureSpec& spec);
  void show_picture(const PictureSpec& spec, const RangeSpec& range, const MadePicture& made);
  void reconcile_cell(Column& column, Row row);
  void reconcile_ranges(Column& column, Row row);
  void reconcile_phases(const Column& column);
  void reconcile_error_row(Column& column);
  void clear_error_picture(Column& column);
  void describe_reference();

  MachineService& machine_;
  const RunService& runs_;
  const ReconstructionService& reconstructions_;
  std::map<ColumnId, std::array<Cell, kRows>> cells_;
  std::map<ColumnId, PhasesOfColumn> phases_;
  std::vector<PictureInFlight> in_flight_;
  std::vector<std::pair<PictureSpec, Error>> failed_;
  std::uint64_t next_picture_ = 1;
};

}  // namespace spyctrum
