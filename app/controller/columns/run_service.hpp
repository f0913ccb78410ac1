// SPDX-License-Identifier: Apache-2.0
// Runs of the columns' methods. A column keeps its result until a newer one arrives. Finished results are
// kept by cache key, so that moving the slider back, or returning to a matrix, computes nothing. Owns the key
// of each column's run and the cache.
#pragma once

#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "app/controller/columns/stream_service.hpp"
#include "app/controller/device_runs.hpp"
#include "app/controller/machine_service.hpp"
#include "app/controller/service.hpp"
#include "core/methods/method.hpp"

namespace spyctrum {

class RunService : public Service {
 public:
  RunService(ServiceContext& context, MachineService& machine, StreamService& streams)
      : Service(context), machine_(machine), streams_(streams) {}
  void handle(const action::RunColumn& chosen);

  /// The pattern of Column::spectrum; null if there is no result.
  [[nodiscard]] PatternPtr spectrum_of(ColumnId column) const;
  /// About how long a run of `column` with this block size takes; empty if it would be refused, or wait for
  /// the user.
  [[nodiscard]] std::optional<double> expected_seconds_with(const Column& column, std::uint32_t block) const;

  void reconcile() override;
  void column_removed(ColumnId column) override;
  void forget_matrix() override;
  void matrix_closed(bool was_selected) override;

 private:
  struct Run {
    std::string key;         ///< of the request that is being computed, has ended or has failed
    std::string result_key;  ///< of the request that gave the column's spectrum
    bool forced = false;     ///< RunColumn was requested, although the run takes long
    bool arranged = false;   ///< the column's entries were in another arrangement at the last reconcile()
    PatternPtr spectrum_of;
  };

  void reconcile_column(Column& column);
  [[nodiscard]] Result<ResolvedRequest> run_request(const Column& column) const;
  /// Submits the run, or sets column.error or column.held_back.
  void start_run(Column& column, const Method& method, ResolvedRequest request, const std::string& key);
  /// Why a run waits until the user requests it; empty if it starts at once. Sets a smaller tile in `request`
  /// if that is enough.
  [[nodiscard]] std::string reason_to_wait(const Column& column, const Method& method,
                                           ResolvedRequest& request, const Forecast& forecast) const;
  void submit_run(Column& column, const Method& method, ResolvedRequest request, const std::string& key,
                  double operations);
  void finish_run(ColumnId id, const std::string& key, Result<RunOutcome> result);
  /// `key`: that of the request that gave `spectrum`.
  void take_spectrum(Column& column, SpectrumPtr spectrum, const std::string& key);
  [[nodiscard]] SpectrumPtr cached(const std::string& key);
  void cache(const std::string& key, const SpectrumPtr& spectrum);

  MachineService& machine_;
  StreamService& streams_;
  std::map<ColumnId, Run> runs_;
  std::list<std::pair<std::string, SpectrumPtr>> cache_;  ///< newest first
};

}  // namespace spyctrum
