// SPDX-License-Identifier: Apache-2.0
// MPI behind MpiModule. Compiled against the MPI that was found at build time: MPICH and those derived from
// it (Intel MPI, MVAPICH) share one binary interface, Open MPI has its own.
#include <mpi.h>

#include <cstring>

#include "core/cluster/mpi_module.hpp"

namespace spyctrum {

namespace {

class Mpi : public MpiModule {
 public:
  Mpi() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm host = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &ranks_on_host_);
    MPI_Comm_rank(host, &rank_on_host_);
    MPI_Comm_free(&host);
  }
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] int ranks_on_host() const override { return ranks_on_host_; }
  [[nodiscard]] int rank_on_host() const override { return rank_on_host_; }
  void begin_gather(const void* own, int bytes, void* all, const int* counts, const int* starts) override {
    MPI_Iallgatherv(own, bytes, MPI_BYTE, all, counts, starts, MPI_BYTE, MPI_COMM_WORLD, &request_);
  }
  [[nodiscard]] bool is_gathered() override {
    int done = 0;
    MPI_Test(&request_, &done, MPI_STATUS_IGNORE);
    return done != 0;
  }
  void abort(int exit_code) override { MPI_Abort(MPI_COMM_WORLD, exit_code); }
  void finish() override { MPI_Finalize(); }

 private:
  int rank_ = 0;
  int size_ = 1;
  int ranks_on_host_ = 1;
  int rank_on_host_ = 0;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace

}  // namespace spyctrum

extern "C" __attribute__((visibility("default"))) spyctrum::MpiModule* spyctrum_mpi(const char* version) {
  if (std::strcmp(version, SPYCTRUM_VERSION) != 0) return nullptr;
  static spyctrum::Mpi module;
  return &module;
}
