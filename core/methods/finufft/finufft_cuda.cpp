// SPDX-License-Identifier: Apache-2.0
// Passes the host's arrays and the entry points of the loaded cuFINUFFT library to the CUDA module.
#include "core/methods/finufft/finufft_cuda.hpp"

#include "core/methods/finufft/finufft_library.hpp"

namespace spyctrum {

namespace {

/// Cells of cuFINUFFT's grid. Version 2.5.1 made an illegal memory access at 1.95·10^9 cells (28,281 ×
/// 28,281, type 3), after which a process cannot use CUDA; 1.23·10^9 cells worked.
constexpr double kMostCells = 1.5e9;

template <class T>
FinufftRun<T> runner(Backend backend, DeviceUse& use) {
  return [backend, &use](const std::shared_ptr<FinufftArrays<T>>& arrays, std::uint64_t library_bytes,
                         JobContext& context) {
    cuda::NufftTask<T> task;
    task.calls = cufinufft_library().calls<T>();
    task.type = arrays->type;
    task.modes[0] = arrays->modes[0];
    task.modes[1] = arrays->modes[1];
    task.tolerance = arrays->tolerance;
    task.sources = arrays->x.size();
    task.x = arrays->x.data();
    task.y = arrays->y.data();
    task.strengths = arrays->strengths.data();
    task.targets = arrays->s.size();
    task.s = arrays->s.data();
    task.t = arrays->t.data();
    task.results = arrays->result.size();
    task.result = arrays->result.data();
    task.code = &arrays->code;
    task.library_bytes = library_bytes;
    use = DeviceJob(backend, context).run(task);
  };
}

}  // namespace

ByteTerms finufft_device_terms(const FinufftPlan& plan) {
  ByteTerms terms;
  terms.add("points", plan.point_bytes);
  terms.add("modes", plan.mode_bytes);
  terms.add("cuFINUFFT's grids", plan.library_bytes);
  return terms;
}

std::vector<std::complex<float>> finufft_cuda(const SparsePattern& pattern, const FrequencyGrid& grid,
                                              const FinufftOptions& options, Backend backend,
                                              JobContext& context, DeviceUse& use) {
  if (!cufinufft_library().available())
    throw Failure(ErrorCode::backend_unavailable, cufinufft_library().reason + ".");
  const double cells = plan_finufft(pattern, grid, options).largest_grid;
  if (cells > kMostCells) {
    throw Failure(ErrorCode::out_of_memory,
                  "cuFINUFFT would need a grid of " + std::to_string(static_cast<std::uint64_t>(cells)) +
                      " cells for " + std::to_string(pattern.rows()) + "×" + std::to_string(pattern.cols()) +
                      "; the library fails on grids of this size.",
                  "Set mode to type1-lattice, or choose elastic.");
  }
  return finufft_values(pattern, grid, options,
                        {"cuFINUFFT", {runner<float>(backend, use), runner<double>(backend, use)}}, context);
}

}  // namespace spyctrum
