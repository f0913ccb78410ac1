// SPDX-License-Identifier: Apache-2.0
// Opens the MPI module where mpirun started this process.
#include "core/cluster/communicator.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <string>
#include <thread>

#include "core/base/own_files.hpp"
#include "core/cluster/mpi_module.hpp"

namespace spyctrum {

namespace {

/// Bytes received so far; atomic, since one thread gathers while another may read the number.
std::atomic<std::uint64_t>& received() {
  static std::atomic<std::uint64_t> bytes = 0;
  return bytes;
}

class Alone : public Communicator {
 public:
  [[nodiscard]] unsigned rank() const override { return 0; }
  [[nodiscard]] unsigned size() const override { return 1; }
  [[nodiscard]] unsigned ranks_on_host() const override { return 1; }
  [[nodiscard]] unsigned rank_on_host() const override { return 0; }
  [[nodiscard]] std::vector<std::vector<std::byte>> gather(std::span<const std::byte> own,
                                                           const std::stop_token& /*stop*/) override {
    return {{own.begin(), own.end()}};
  }
  void abort(int /*exit_code*/) override {}
};

class Ranks : public Communicator {
 public:
  explicit Ranks(MpiModule& module) : module_(module) {}
  ~Ranks() override { module_.finish(); }
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  [[nodiscard]] unsigned rank() const override { return static_cast<unsigned>(module_.rank()); }
  [[nodiscard]] unsigned size() const override { return static_cast<unsigned>(module_.size()); }
  [[nodiscard]] unsigned ranks_on_host() const override {
    return static_cast<unsigned>(module_.ranks_on_host());
  }
  [[nodiscard]] unsigned rank_on_host() const override {
    return static_cast<unsigned>(module_.rank_on_host());
  }
  [[nodiscard]] std::vector<std::vector<std::byte>> gather(std::span<const std::byte> own,
                                                           const std::stop_token& stop) override {
    const auto bytes = static_cast<std::int64_t>(own.size());
    std::vector<std::int64_t> sizes(size());
    const std::vector<std::int64_t> one(size(), sizeof bytes);
    gather_into(&bytes, one, sizes.data(), stop);
    const std::int64_t total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
    if (total > std::numeric_limits<int>::max())
      throw Failure(ErrorCode::internal, "The ranks exchange more than 2 GiB at once.");
    std::vector<std::byte> all(static_cast<std::size_t>(total));
    gather_into(own.data(), sizes, all.data(), stop);
    received() += static_cast<std::uint64_t>(total - bytes) + (size() - 1) * sizeof bytes;
    std::vector<std::vector<std::byte>> parts;
    auto at = all.begin();
    for (const std::int64_t size : sizes) {
      parts.emplace_back(at, at + size);
      at += size;
    }
    return parts;
  }
  void abort(int exit_code) override { module_.abort(exit_code); }

 private:
  /// `own` is sizes[rank()] bytes; `all` receives those of all ranks.
  void gather_into(const void* own, const std::vector<std::int64_t>& sizes, void* all,
                   const std::stop_token& stop) {
    constexpr std::chrono::microseconds kWait{200};
    const std::vector<int> counts(sizes.begin(), sizes.end());
    std::vector<int> starts(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), 0);
    module_.begin_gather(own, counts[rank()], all, counts.data(), starts.data());
    while (!module_.is_gathered()) {
      if (stop.stop_requested()) throw Failure(ErrorCode::cancelled, "Interrupted.");
      std::this_thread::sleep_for(kWait);
    }
  }

  MpiModule& module_;
};

/// Throws Failure{backend_unavailable}.
MpiModule& open_module() {
#ifdef SPYCTRUM_MPI_BUILT
  const OwnFile file = own_file(kMpiFileName);
  const auto refuse = [](const std::string& why) -> Failure {
    return {ErrorCode::backend_unavailable, "This program was started by mpirun, but " + why,
            "Start it without mpirun, or install the MPI with which it was built."};
  };
  if (file.path.empty()) throw refuse("the MPI module is missing: " + file.missing);
  // Libraries that Open MPI opens later look for its symbols among those of the whole process.
  void* const library = dlopen(file.path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr)
    throw refuse(std::string("the MPI module cannot be loaded: ") +
                 dlerror());  // NOLINT(concurrency-mt-unsafe)
  void* const symbol = dlsym(library, kMpiEntryName);
  MpiModule* const module =
      symbol != nullptr ? reinterpret_cast<MpiEntry>(symbol)(SPYCTRUM_VERSION) : nullptr;
  if (module == nullptr) throw refuse(file.path.string() + " belongs to another version of the program.");
  return *module;
#else
  throw Failure(ErrorCode::backend_unavailable, "This program was started by mpirun and built without MPI.",
                "Start it without mpirun.");
#endif
}

}  // namespace

std::uint64_t bytes_received() { return received(); }

std::unique_ptr<Communicator> alone() { return std::make_unique<Alone>(); }

bool is_started_by_mpi() {
  // Set by the process managers of MPICH (Hydra), of Open MPI, and of Slurm with either.
  constexpr std::array kVariables{"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"};
  return std::ranges::any_of(kVariables, [](const char* name) {
    return std::getenv(name) != nullptr;
  });  // NOLINT(concurrency-mt-unsafe)
}

Result<std::unique_ptr<Communicator>> join_ranks() {
  return run_guarded([]() -> std::unique_ptr<Communicator> {
    if (!is_started_by_mpi()) return alone();
    return std::make_unique<Ranks>(open_module());
  });
}

}  // namespace spyctrum
