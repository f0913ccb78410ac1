// SPDX-License-Identifier: Apache-2.0
// The processes of one MPI job, called ranks. A program that was started alone is rank 0 of 1 and needs no
// MPI. All ranks run the same program on the same input; shared data are sent to all ranks, so that all of
// them take the same decisions.
#pragma once

#include <cstddef>
#include <cstdint>
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
  /// The ranks that share this rank's memory, itself included.
  [[nodiscard]] virtual unsigned ranks_on_host() const = 0;
  /// This rank's number among them, from 0.
  [[nodiscard]] virtual unsigned rank_on_host() const = 0;
  /// Returns the data of every rank, by rank, on all ranks. All ranks must call it in the same order, from
  /// one thread at a time. Throws Failure{cancelled} after a stop request; abort() must follow.
  [[nodiscard]] virtual std::vector<std::vector<std::byte>> gather(std::span<const std::byte> own,
                                                                   const std::stop_token& stop) = 0;
  /// Ends all ranks at once, with this exit code of the job. Returns if there is only one rank.
  virtual void abort(int exit_code) = 0;
};

/// A communicator with a single rank.
[[nodiscard]] std::unique_ptr<Communicator> alone();
/// Whether mpirun (or srun) started this process as one of several ranks, or as the only one.
[[nodiscard]] bool is_started_by_mpi();
/// The ranks of this process's job; alone() if is_started_by_mpi() is false. The destructor waits for all
/// ranks. To be called once per process. Errors: backend_unavailable if the program was built without MPI, or
/// its MPI module is missing, cannot be loaded or belongs to another version.
[[nodiscard]] Result<std::unique_ptr<Communicator>> join_ranks();

/// Bytes that this rank has received from other ranks so far, by all calls of Communicator::gather().
[[nodiscard]] std::uint64_t bytes_received();

}  // namespace spyctrum
