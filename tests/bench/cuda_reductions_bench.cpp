// SPDX-License-Identifier: Apache-2.0
// How long do features of the whole plane take on a GPU? Rows by BS-FFT on one CUDA device, discarded, and
// the same rows reduced on the device to features, to features, a display pyramid and the strongest
// coefficients, and to the errors of a bilinear reconstruction. Generated graphs of sizes of the paper's
// table. Median of ten after a warm-up, device time by events, without tables, upload and the host's
// evaluation of the sums. The last columns are wall clock times of the whole jobs `exact` and `elastic` (with
// the decoders paper and stratified) with features. bench_cuda_reductions [FILE.json [SIDE [T]]]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/study/study.hpp"
#include "core/base/backend.hpp"
#include "core/device/device_consumers.hpp"
#include "core/device/device_cosets.hpp"
#include "core/device/device_job.hpp"
#include "core/device/device_rows.hpp"
#include "core/engine/refining_stream.hpp"
#include "core/matrix/generators.hpp"
#include "core/methods/method.hpp"
#include "core/reconstruction/reconstruction_errors.hpp"
#include "tests/bench/device_times.hpp"
#include "tests/support/text_request.hpp"

namespace spyctrum {
namespace {

using bench::DeviceTimes;
using bench::json_of;
using bench::measure;

constexpr const char* kMeasured[] = {"Amazon Computers", "CoraFull",   "Facebook Page-Page",
                                     "Penn94",           "ogbl-biokg", "IGB-tiny"};
constexpr Backend kDevice{BackendKind::cuda, 0, false};

class Bench {
 public:
  Bench(PatternPtr pattern, std::uint64_t tile, JobContext& context)
      : pattern_(std::move(pattern)), tile_(tile), context_(context) {}

  /// Rows that are computed and discarded, whole or their symmetric halves |v| ≤ u.
  [[nodiscard]] DeviceTimes rows(bool symmetric_half) {
    struct Nothing : RowConsumer {
      explicit Nothing(bool symmetric_half_suffices) : symmetric_half_(symmetric_half_suffices) {}
      [[nodiscard]] bool accepts_symmetric_half() const override { return symmetric_half_; }
      void begin(std::uint64_t, std::uint64_t, unsigned) override {}
      void consume(const SpectrumRow&, unsigned) override {}
      void finish() override {}
      class Form : public DeviceReduction {
        [[nodiscard]] bool describe(cuda::Reductions&) override { return true; }
        void collect() override {}
      };
      [[nodiscard]] std::unique_ptr<DeviceReduction> device_reduction(std::uint64_t, std::uint64_t, bool,
                                                                      JobContext&) override {
        return std::make_unique<Form>();
      }

     private:
      bool symmetric_half_;
    } nothing(symmetric_half);
    return measure([&] { return stream({&nothing}); });
  }
  /// `pyramid_cells` not 0: with the cells of a pyramid and the strongest coefficients.
  [[nodiscard]] DeviceTimes features(std::uint32_t pyramid_cells) {
    return measure([&] {
      PlaneProgress progress;
      progress.take_rows_in_order(true);
      return stream_refining_on_cuda(*pattern_, kDevice, {.tile = tile_}, pyramid_cells, progress, context_);
    });
  }
  /// Features summed coset by coset; not measured where features by rows take less time.
  [[nodiscard]] DeviceTimes cosets() {
    const std::optional<cuda::CosetSize> size = coset_size(*pattern_, {&kDevice, 1});
    if (!size) return {};
    return measure([&] {
      Moments sums;
      return sum_cosets(*pattern_, {&kDevice, 1}, *size, context_, sums);
    });
  }
  [[nodiscard]] DeviceTimes reconstruction(const char* block) {
    Request request = of({true, false, false, 1024});
    request.parameters["block"] = block;
    auto samples = run_method(*find_method("elastic"), request, context_);
    if (!samples) throw Failure(samples.error());
    auto plane = Reconstruction::make(*samples, Fill::bilinear);
    if (!plane) throw Failure(plane.error());
    return measure([&] {
      ReconstructionErrorConsumer errors(*plane);
      return stream({&errors});
    });
  }
  /// Milliseconds of a whole job by the wall clock; the fastest of three.
  [[nodiscard]] double job(const char* method, const ParameterValues& parameters) {
    double least = 1e9;
    for (int k = 0; k < 3; ++k) {
      Request request = of({false, true, false, 1024});
      request.parameters = parameters;
      const auto began = std::chrono::steady_clock::now();
      auto result = run_method(*find_method(method), request, context_);
      if (!result) throw Failure(result.error());
      const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
      least = std::min(least, took.count());
    }
    return least;
  }

 private:
  [[nodiscard]] Request of(RequestedOutputs outputs) const {
    Request request;
    request.pattern = pattern_;
    request.backend = kDevice;
    request.outputs = outputs;
    return request;
  }
  DeviceUse stream(const std::vector<RowConsumer*>& consumers) {
    return stream_device_rows(*pattern_, kDevice, {.tile = tile_}, consumers, context_);
  }

  PatternPtr pattern_;
  std::uint64_t tile_;
  JobContext& context_;
};

std::string bench_size(const PaperDataSet& size, std::uint64_t tile, ThreadPool& pool) {
  JobContext context(pool, bench::all_memory());
  const std::string text = "gen:power-law:n=" + std::to_string(size.nodes) +
                           ",nnz=" + std::to_string(size.edges) + ",exponent=2.3,shuffle=1";
  auto matrix = generate(text, context);
  if (!matrix) throw Failure(matrix.error());
  Bench bench(matrix->pattern, tile, context);
  const DeviceTimes rows = bench.rows(false);
  const DeviceTimes symmetric_half = bench.rows(true);
  const DeviceTimes features = bench.features(0);
  const DeviceTimes cosets = bench.cosets();
  const DeviceTimes pyramid = bench.features(1024);
  const DeviceTimes errors = bench.reconstruction("16");
  const double job = bench.job("exact", {});
  const double sampled = bench.job("elastic", {{"block", "16"}, {"decoder", "paper"}});
  const double decoded = bench.job("elastic", {{"block", "16"}});
  char by_cosets[32] = "–";
  if (cosets.ran) std::snprintf(by_cosets, sizeof by_cosets, "%.2f", cosets.median);
  std::printf(
      "| %s | %llu | %lld | %.2f | %.2f | %.2f | %s | %.2f | %.2f | %.0f / %.0f | %.1f | %.1f | %.1f |\n",
      size.name, static_cast<unsigned long long>(size.nodes),
      static_cast<long long>(matrix->pattern->nonzeros()), rows.median, symmetric_half.median,
      features.median, by_cosets, pyramid.median, errors.median, static_cast<double>(features.bytes) * 1e-6,
      static_cast<double>(pyramid.bytes) * 1e-6, job, sampled, decoded);
  std::fflush(stdout);
  char jobs[160];
  std::snprintf(
      jobs, sizeof jobs,
      R"(, "exact_job_ms": %.2f, "elastic_16_paper_decoder_job_ms": %.2f, "elastic_16_job_ms": %.2f})", job,
      sampled, decoded);
  return R"({"like": ")" + std::string(size.name) + R"(", "generator": ")" + text + R"(", "tile": )" +
         std::to_string(tile) + R"(, "rows": )" + json_of(rows) + R"(, "symmetric_half": )" +
         json_of(symmetric_half) + R"(, "features": )" + json_of(features) + R"(, "features_by_cosets": )" +
         json_of(cosets) + R"(, "features_and_pyramid": )" + json_of(pyramid) +
         R"(, "reconstruction_errors_16": )" + json_of(errors) + jobs;
}

void bench_all(cuda::Module& module, const char* file, std::uint64_t side, std::uint64_t tile) {
  std::printf("%s. Milliseconds on the device, medians of %d.\n\n", module.facts(0).name, bench::kDeviceRuns);
  std::printf(
      "| size of | n | K | rows | symmetric half | and features | features by cosets | and pyramid | rows "
      "and errors | "
      "MB with features / with pyramid | job `exact` | job `elastic`, paper's decoder | job `elastic` |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  ThreadPool pool(0);
  std::string json = std::string(R"({"device": ")") + module.facts(0).name + R"(", "runs": )" +
                     std::to_string(bench::kDeviceRuns) + R"(, "rows": [)";
  const char* separator = "\n";
  for (const PaperDataSet& size : paper_data_sets()) {
    if (std::ranges::find(kMeasured, std::string_view(size.name)) == std::end(kMeasured)) continue;
    if (side != 0 && size.nodes != side) continue;
    json += separator + bench_size(size, tile, pool);
    separator = ",\n";
  }
  if (file != nullptr) std::ofstream(file) << json << "\n]}\n";
}

}  // namespace
}  // namespace spyctrum

int main(int argc, char** argv) {
  const auto number = [&](int place) { return spyctrum::bench::number_at(argc, argv, place, 0); };
  return spyctrum::bench::run_all([&](spyctrum::cuda::Module& module) {
    spyctrum::bench_all(module, argc > 1 ? argv[1] : nullptr, number(2), number(3));
  });
}
