// SPDX-License-Identifier: Apache-2.0
// The processes of one MPI job, called ranks. A program that was started alone is rank 0 of 1 and needs no
// MPI. All ranks run the same program on the same input; what they share, each gives and all receive, so that
// all of them take the same decisions afterwards.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/error.hpp"

namespace spyctrum {

class Communicator {
 public:
  virtual ~Communicator() = default;
  [[nodiscard]] virtual unsigned rank() const = 0;
  [[nodiscard]] virtual unsigned size() const = 0;
  /// What each rank gives, by rank, on every rank. All ranks must call it, in the same order; from one thread
  /// at a time. Throws Failure{cancelled} after a request to stop: abort() must follow.
  [[nodiscard]] virtual std::vector<std::vector<std::byte>> gather(std::span<const std::byte> own,
                                                                   const std::stop_token& stop) = 0;
  /// Ends all ranks at once, with this exit code of the job. Returns where there is one rank.
  virtual void abort(int exit_code) = 0;
};

/// One rank.
[[nodiscard]] std::unique_ptr<Communicator> alone();
/// Whether mpirun (or srun) started this process as one of several ranks, or as the only one.
[[nodiscard]] bool is_started_by_mpi();
/// The ranks of the job that this process belongs to; alone() where is_started_by_mpi() is false. The
/// destructor waits for all ranks. Once in a process. Errors: backend_unavailable where the program was
/// started by mpirun and has no MPI, or that of another mpirun.
[[nodiscard]] Result<std::unique_ptr<Communicator>> join_ranks();

}  // namespace spyctrum
