// SPDX-License-Identifier: Apache-2.0
// What the MPI module (module/mpi.cpp) offers to the program that opens it: plain data, no exceptions.
#pragma once

namespace spyctrum {

/// All calls from one thread at a time. A call that fails ends the job (MPI's default).
class MpiModule {
 public:
  virtual ~MpiModule() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// Starts gathering: `own` [bytes] of each rank r goes to `all` + starts[r] [counts[r]] on all ranks
  /// (MPI_Iallgatherv).
  virtual void begin_gather(const void* own, int bytes, void* all, const int* counts, const int* starts) = 0;
  /// Goes on with it; whether it is done.
  [[nodiscard]] virtual bool is_gathered() = 0;
  virtual void abort(int exit_code) = 0;
  /// Waits for all ranks.
  virtual void finish() = 0;
};

/// Null where `version` is not the module's.
using MpiEntry = MpiModule* (*)(const char* version);
inline constexpr const char* kMpiEntryName = "spyctrum_mpi";
inline constexpr const char* kMpiFileName = "libspyctrum_mpi.so";

}  // namespace spyctrum
