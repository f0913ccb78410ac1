// SPDX-License-Identifier: Apache-2.0
// How far are Elastic's features from the exact ones? A table over generated matrices and, where that folder
// is present, the shared ones, for b = 4 … 128: relative entropy error, Hellinger distances of radial and
// directional energy, share of the plane that was computed. At the end the medians, and the largest with the
// matrix and its share. Arguments: names of matrices; none: all of them.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>

#include "core/features/feature_errors.hpp"
#include "tests/bench/bench_matrices.hpp"
#include "tests/support/text_request.hpp"

namespace spyctrum::bench {
namespace {

const std::vector<std::string> kGenerated{
    "gen:band:n=6000,lower=3,upper=5",
    "gen:band:rows=5003,cols=7001,bandwidth=40",
    "gen:stochastic-blocks:n=6000,blocks=7",
    "gen:power-law:n=7001,nnz=60000",
    "gen:rmat:n=8192,nnz=100000",
    "gen:laplacian-2d:nx=83,ny=77",
    "gen:laplacian-2d:n=80,points=9,periodic=1",
    "gen:laplacian-3d:nx=19,ny=18,nz=17",
    "gen:circulant:n=6007,degree=9,stride=31",
    "gen:random:n=9973,nnz=50000",
    "gen:random:rows=4000,cols=9001,nnz=60000",
    "gen:arrow:n=6000,head=3",
    "gen:block-diagonal:n=6000,block=24",
};

std::vector<std::string> all_matrices() {
  std::vector<std::string> names;
  const auto folder = std::filesystem::path(SPYCTRUM_SOURCE_DIR) / ".." / "shared" / "data";
  std::error_code none;
  for (const auto& file : std::filesystem::directory_iterator(folder, none))
    if (file.path().string().ends_with(".mtx.gz")) names.push_back(file.path().string());
  std::sort(names.begin(), names.end());
  names.insert(names.end(), kGenerated.begin(), kGenerated.end());
  return names;
}

Result<Features> features_by(const PatternPtr& pattern, const char* method, int block, double* seconds) {
  Request request;
  request.pattern = pattern;
  if (block > 0) request.parameters["block"] = std::to_string(block);
  JobContext context(pool());
  auto result = run_method(*find_method(method), request, context);
  if (!result) return tl::unexpected<Error>(result.error());
  *seconds = (*result)->provenance.seconds;
  return (*result)->features.value();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0.0 : (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

/// The errors of one feature, and the largest with its matrix.
struct Errors {
  std::vector<double> all;
  double largest = 0;
  double share = 0;  ///< of the plane that was computed there
  std::string matrix;

  void add(double error, double computed, const std::string& name) {
    all.push_back(error);
    if (error < largest) return;
    largest = error;
    share = computed;
    matrix = name;
  }
};
struct FeatureErrorsOfBlock {
  Errors entropy, radial, sectors;
};

void measure(const std::string& name, std::map<int, FeatureErrorsOfBlock>& table) {
  JobContext context(pool());
  const auto matrix = load_matrix(name, {}, context);
  if (!matrix) {
    std::printf("%-34s %s\n", name.c_str(), matrix.error().message().c_str());
    return;
  }
  const std::string label = std::filesystem::path(name).filename().string();
  const double cells =
      static_cast<double>(matrix->pattern->rows()) * static_cast<double>(matrix->pattern->cols());
  double exact_seconds = 0;
  const auto exact = features_by(matrix->pattern, "exact", 0, &exact_seconds);
  if (!exact) return;
  for (const int block : {4, 8, 16, 32, 64, 128}) {
    double seconds = 0;
    const auto found = features_by(matrix->pattern, "elastic", block, &seconds);
    if (!found) {
      std::printf("%-34s %4d  %s\n", label.c_str(), block, found.error().message().c_str());
      continue;
    }
    const FeatureErrors errors = feature_errors(*found, *exact);
    std::printf(
        "%-34s %4d  entropy %8.4f %%  radial %.4f  sectors %.4f  computed %6.3f %%  %.3f s (exact %.3f s)\n",
        label.c_str(), block, 100 * errors["entropy"], errors["radial"], errors["sectors"],
        100 * static_cast<double>(found->samples) / cells, seconds, exact_seconds);
    std::fflush(stdout);
    const double share = 100 * static_cast<double>(found->samples) / cells;
    table[block].entropy.add(100 * errors["entropy"], share, label);
    table[block].radial.add(errors["radial"], share, label);
    table[block].sectors.add(errors["sectors"], share, label);
  }
}

}  // namespace
}  // namespace spyctrum::bench

int main(int count, char** arguments) {
  using namespace spyctrum::bench;
  const std::vector<std::string> names =
      count > 1 ? std::vector<std::string>(arguments + 1, arguments + count) : all_matrices();
  std::map<int, FeatureErrorsOfBlock> table;
  for (const std::string& name : names) measure(name, table);
  for (const auto& [block, errors] : table)
    std::printf("median of %zu                       %4d  entropy %8.4f %%  radial %.4f  sectors %.4f\n",
                errors.entropy.all.size(), block, median(errors.entropy.all), median(errors.radial.all),
                median(errors.sectors.all));
  for (const auto& [block, errors] : table)
    for (const auto& [feature, one] :
         {std::pair{"entropy, %", &errors.entropy}, std::pair{"radial", &errors.radial},
          std::pair{"sectors", &errors.sectors}})
      std::printf("largest %-10s %4d  %.4f  %s, computed %.2f %%\n", feature, block, one->largest,
                  one->matrix.c_str(), one->share);
}
