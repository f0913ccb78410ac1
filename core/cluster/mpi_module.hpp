// SPDX-License-Identifier: Apache-2.0
// The interface of the MPI module (module/mpi.cpp): plain data, no exceptions.
#pragma once

namespace spyctrum {

/// All calls must come from one thread at a time. A call that fails ends the job (MPI's default).
class MpiModule {
 public:
  virtual ~MpiModule() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// The ranks that share this rank's memory (MPI_COMM_TYPE_SHARED), itself included.
  [[nodiscard]] virtual int ranks_on_host() const = 0;
  /// This rank's number among them.
  [[nodiscard]] virtual int rank_on_host() const = 0;
  /// Starts gathering: the `own` data of rank r, counts[r] bytes, are copied to `all` + starts[r] on all
  /// ranks (MPI_Iallgatherv).
  virtual void begin_gather(const void* own, int bytes, void* all, const int* counts, const int* starts) = 0;
  /// Continues the gathering; returns true if it is complete.
  [[nodiscard]] virtual bool is_gathered() = 0;
  virtual void abort(int exit_code) = 0;
  /// Waits for all ranks.
  virtual void finish() = 0;
};

/// Returns null if `version` is not the module's.
using MpiEntry = MpiModule* (*)(const char* version);
inline constexpr const char* kMpiEntryName = "spyctrum_mpi";
inline constexpr const char* kMpiFileName = "libspyctrum_mpi.so";

}  // namespace spyctrum
