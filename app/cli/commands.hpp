// SPDX-License-Identifier: Apache-2.0
// The commands: a function that runs each, and a struct of the options that only this command has. Results go
// to standard output; errors are thrown as Failure and become the exit code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/common_options.hpp"

namespace spyctrum::cli {

/// Method, block and further parameters, as typed.
struct MethodOptions {
  std::string method;
  std::optional<std::int64_t> block{};
  std::vector<std::string> settings{};  ///< "name=value" each
};

struct FeaturesOptions {
  MethodOptions method;
  std::string until;  ///< empty: the method's own setting
  std::string state;  ///< file from which to resume, and to which the state is saved
};
/// For commands that write a plane or a window of it.
struct PlaneOptions {
  MethodOptions method;
  std::string window;  ///< "U0,V0,H,W[,SU,SV]"
  bool centered = false;
  std::string out;
  std::string colormap;
};
struct SpectrumOptions : PlaneOptions {
  std::string as = "complex";
};
struct ReconstructOptions : PlaneOptions {
  std::string fill = "bilinear";
  std::string reference;  ///< "exact" adds the Hellinger distance
};
struct CompareOptions {
  std::vector<std::string> methods;
  std::vector<std::int64_t> blocks;
  std::string reference = "exact";
  std::string fill = "bilinear";
  std::string csv;
  bool features_only = false;
};
struct TheoryOptions {
  std::vector<std::int64_t> blocks{16};
  bool bounds_only = false;  ///< compute no transform: bounds and costs only
};
struct AdviseOptions {
  double seconds = 0;  ///< 0: no limit
  double error = 0;    ///< largest acceptable feature error; 0: as small as possible
  bool exact = false;
  std::vector<std::int64_t> blocks;  ///< empty: chosen by the advisor
};
struct StudyCommandOptions {
  std::vector<std::string> files;  ///< matrices, folders, gen: texts
  std::string out;
  std::vector<std::string> methods;  ///< empty: all
  std::vector<std::int64_t> blocks{4, 8, 16, 32, 64, 128};
  double cell_seconds = 60;
  unsigned repeats = 3;
  bool figures = true;  ///< also draw figures, by the desktop program
  /// Adds generated matrices for the data sets of the paper that are not among the files.
  bool stand_ins = false;
  std::optional<std::string> shard;  ///< "2/8"
};
struct GenerateOptions {
  std::string kind;
  std::vector<std::string> settings;
  std::string out;
};
struct ConvertOptions {
  std::string out;
  std::string format;  ///< empty: by the ending of `out`
  std::string weights = "pattern";
};
struct ReorderOptions {
  std::string order;
  std::string out;
};
struct IndexOptions {
  std::vector<std::string> folders;  ///< files and gen: texts, too
  std::string list;                  ///< file with one of these in each line; "-": standard input
  std::string db;                    ///< empty: default_collection_path()
};
struct SimilarOptions {
  std::string db;
  std::size_t count = 10;
};
struct BenchOptions {
  std::vector<std::string> what;  ///< names without "bench_", or "all"; empty: list them
};

void run_info(Session& session);
void run_methods(Session& session);
void run_features(Session& session, const FeaturesOptions& options);
void run_spectrum(Session& session, const SpectrumOptions& options);
void run_reconstruct(Session& session, const ReconstructOptions& options);
void run_compare(Session& session, const CompareOptions& options);
void run_theory(Session& session, const TheoryOptions& options);
void run_advise(Session& session, const AdviseOptions& options);
void run_related(Session& session);
void run_explain(Session& session);
void run_study_command(Session& session, const StudyCommandOptions& options);
void run_generate(Session& session, const GenerateOptions& options);
void run_convert(Session& session, const ConvertOptions& options);
void run_reorder(Session& session, const ReorderOptions& options);
void run_index(Session& session, const IndexOptions& options);
void run_similar(Session& session, const SimilarOptions& options);
void run_bench(Session& session, const BenchOptions& options);

/// The kinds of generated matrices and their keys, for the help of `generate`.
[[nodiscard]] std::string generator_kinds();

/// Parses the command line, runs the command, returns the exit code. `stop` ends jobs at their next
/// checkpoint.
int run(int argc, const char* const* argv, const std::stop_token& stop);

}  // namespace spyctrum::cli
