// SPDX-License-Identifier: Apache-2.0
// The command line: declares the options of every command, parses the arguments, returns the exit code.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <future>
#include <iostream>
#include <string_view>
#include <thread>

#include "app/cli/commands.hpp"
#include "app/process/process.hpp"
#include "app/process/wrong_use.hpp"
#include "core/base/text.hpp"
#include "core/device/backends.hpp"
#include "core/features/feature_table.hpp"
#include "core/io/import_options.hpp"
#include "core/io/writer.hpp"
#include "core/pictures/colormap.hpp"

namespace spyctrum::cli {

namespace {

using namespace std::string_view_literals;
using Work = std::function<void(Session&)>;

/// Refuses signs: CLI11 reads -1 as 2^64 − 1.
CLI::Validator digits_alone() {
  return {[](const std::string& text) {
            return text.find_first_not_of("0123456789") == std::string::npos
                       ? std::string()
                       : "'" + text + "' is not a whole number that is possible here";
          },
          ""};
}

void add_common(CLI::App& command, CommonOptions& common) {
  command.add_option("--backend", common.backend, "auto, cpu, cuda, cuda:N, cuda:N,M or cuda:all")
      ->capture_default_str();
  command.add_option("--threads", common.threads, "processor threads; 0: all")->capture_default_str();
  command.add_option("--seed", common.seed, "seed of all random numbers")
      ->capture_default_str()
      ->check(digits_alone());
  command.add_option("--memory", common.memory,
                     "memory allowance in bytes, or 2G, 512Mi; default: three quarters of the free memory, "
                     "divided by the ranks of an MPI job on this machine");
  command.add_flag("--json", common.json, "print exactly one JSON value");
  command.add_flag("--quiet", common.quiet, "no progress");
}

void add_method(CLI::App& command, MethodOptions& method) {
  command.add_option("--method", method.method, "see `spyctrum-cli methods`")->required();
  command.add_option("--block", method.block, "block size b; `methods` has the default of each method");
  command.add_option("--set", method.settings, "parameter of the method as NAME=VALUE; may be repeated")
      ->allow_extra_args(false);
}

void add_plane(CLI::App& command, PlaneOptions& plane) {
  add_method(command, plane.method);
  command.add_option("--window", plane.window,
                     "U0,V0,H,W[,SU,SV]: H×W coefficients from signed frequency (U0, V0)");
  command.add_flag("--centered", plane.centered, "fftshifted order, DC in the middle");
  command.add_option("--out", plane.out, "file to write: .npy, .npz or .png")->required();
  command.add_option("--colormap", plane.colormap,
                     "colour map of a .png: " + joined(color_maps(), &ColorMap::name));
}

void add_fill(CLI::App& command, std::string& fill) {
  command.add_option("--fill", fill, "bilinear, bilinear-centers, nearest, smooth or best")
      ->capture_default_str();
}

/// A list of values, separated by commas.
template <class List>
CLI::Option* add_list(CLI::App& command, const char* name, List& list, const char* help) {
  return command.add_option(name, list, help)->delimiter(',');
}

/// Accepts 0 and positive numbers. CLI::NonNegativeNumber accepts NaN as well.
CLI::Validator finite_number() {
  return {[](const std::string& text) {
            const auto value = parse_number<double>(text);
            return value && std::isfinite(*value) && *value >= 0
                       ? std::string()
                       : "'" + text + "' is not a number of 0 or more";
          },
          "NUMBER"};
}

constexpr const char* kMatrixFileHelp =
    "file to write, in the format of its ending (as `convert` has them; Matrix Market if it has none), or - "
    "for "
    "standard output";
constexpr const char* kInputHelp =
    "a matrix, gen:KIND:key=value,… (`generate --help` lists kinds and keys), or - for standard input";
constexpr const char* kCollectionHelp =
    "file of the collection; default: spyctrum/collection.db in $XDG_DATA_HOME or ~/.local/share";

/// Declares the commands; the one that was named sets `work`.
class CommandLine {
 public:
  CommandLine() {
    app_.require_subcommand(1);
    app_.set_version_flag("--version", "Spyctrum " SPYCTRUM_VERSION);
    app_.footer(kExitCodes);
#if CLI11_VERSION_MAJOR > 2 || CLI11_VERSION_MINOR >= 6
    // Footers have lines of their own, which these versions would join. Commands share the formatter.
    app_.get_formatter()->enable_footer_formatting(false);
#endif
    declare_listing();
    declare_features();
    declare_planes();
    declare_compare();
    declare_advice();
    declare_study();
    declare_files();
    declare_collection();
    declare_bench();
  }

  CLI::App& app() { return app_; }
  const CommonOptions& common() const { return common_; }
  const Work& work() const { return work_; }
  /// Whether several ranks divide the command's work; others are rank 0's alone.
  [[nodiscard]] bool is_shared() const {
    return app_.got_subcommand("features") || app_.got_subcommand("study") || app_.got_subcommand("index");
  }

 private:
  CLI::App& command(const char* name, const char* help, Work work) {
    CLI::App& added = *app_.add_subcommand(name, help);
    add_common(added, common_);
    added.callback([this, work = std::move(work)] { work_ = work; });
    return added;
  }
  /// A command with its options.
  template <class Options>
  CLI::App& command(const char* name, const char* help, void (*run)(Session&, const Options&),
                    const Options& options) {
    return command(name, help, [run, &options](Session& session) { run(session, options); });
  }
  void add_weighted_input(CLI::App& command) {
    add_input(command);
    add_weights(command);
  }
  /// A matrix whose pattern alone is used. --weights is not in the help, and its refusal says why.
  void add_pattern_input(CLI::App& command) {
    add_input(command);
    add_weights(command)->group("");
  }
  void add_input(CLI::App& command) {
    command.add_option("FILE", common_.file, kInputHelp)->required();
    command.add_flag("--drop-zeros", common_.drop_zeros, "ignore entries whose stored value is zero");
    add_import(command);
  }
  void add_import(CLI::App& command) {
    std::string help = "what the format leaves open, as NAME=VALUE; may be repeated:";
    for (const KnownImportOption& one : import_options()) {
      help.append(help.back() == ':' ? " " : "; ").append(one.option.name);
      for (const std::string_view value : one.option.values)
        help.append(value == one.option.values.front() ? " " : " | ").append(value);
    }
    command.add_option("--import", common_.import, help + ". `info` says what was assumed")
        ->allow_extra_args(false);
  }

  CLI::Option* add_weights(CLI::App& command) {
    return command
        .add_option("--weights", common_.weights,
                    "weight of an entry: pattern (1), or from its value: value, magnitude, log, sign; for "
                    "complex values real, imaginary, magnitude, phase")
        ->capture_default_str();
  }

  void declare_listing() {
    add_pattern_input(command(
        "info",
        "loads a matrix and reports its properties; of a folder, lists the files below it that may hold one",
        run_info));
    command("methods", "lists the methods and their parameters", run_methods);
  }

  void declare_features() {
    CLI::App& features = command("features", "spectral features by one method", run_features, features_);
    add_weighted_input(features);
    add_method(features, features_.method);
    features.add_option("--until", features_.until,
                        "method exact: stop once no standard error exceeds this, e.g. 0.001");
    features.add_option(
        "--state", features_.state,
        "method exact: resume from this file if it exists, and save the state to it every few seconds, at "
        "the end, and when interrupted; a state of another matrix, setting or version is refused");
    features.footer(feature_conventions());
  }

  void declare_planes() {
    CLI::App& spectrum =
        command("spectrum", "coefficients on a frequency grid, as a file", run_spectrum, spectrum_);
    add_weighted_input(spectrum);
    add_plane(spectrum, spectrum_);
    spectrum.add_option("--as", spectrum_.as, "complex, magnitude or power")
        ->check(CLI::IsMember({"complex", "magnitude", "power"}))
        ->capture_default_str();

    CLI::App& reconstruct = command("reconstruct", "full-resolution magnitude from a method's samples",
                                    run_reconstruct, reconstruct_);
    add_weighted_input(reconstruct);
    add_plane(reconstruct, reconstruct_);
    add_fill(reconstruct, reconstruct_.fill);
    reconstruct.add_option("--reference", reconstruct_.reference,
                           "exact: also computes errors against the exact plane");
  }

  void declare_compare() {
    CLI::App& compare =
        command("compare", "errors of methods and block sizes against a reference", run_compare, compare_);
    add_weighted_input(compare);
    add_list(compare, "--methods", compare_.methods, "method ids, separated by commas")->required();
    add_list(compare, "--blocks", compare_.blocks, "block sizes, separated by commas")->required();
    compare.add_option("--reference", compare_.reference, "a method that computes the full plane")
        ->capture_default_str();
    add_fill(compare, compare_.fill);
    compare.add_option("--csv", compare_.csv, "also write the rows as CSV");
    compare.add_flag("--features-only", compare_.features_only, "skip reconstructions");
  }

  void declare_advice() {
    CLI::App& theory = command("theory", "the paper's bounds beside measured values", run_theory, theory_);
    add_weighted_input(theory);
    add_list(theory, "--block,--blocks", theory_.blocks, "block sizes, separated by commas")
        ->capture_default_str();
    theory.add_flag("--bounds-only", theory_.bounds_only, "only bounds and costs; compute no spectrum");

    CLI::App& advise = command("advise", "recommends methods and block sizes for a matrix, memory and time",
                               run_advise, advise_);
    add_weighted_input(advise);
    advise.add_option("--seconds,--time", advise_.seconds, "time allowance in seconds; default: none")
        ->check(finite_number());
    advise
        .add_option(
            "--error", advise_.error,
            "largest feature error (mean of entropy error, radial and directional Hellinger distance)")
        ->check(finite_number());
    advise.add_flag("--exact", advise_.exact, "only methods that compute every coefficient exactly");
    add_list(advise, "--blocks", advise_.blocks, "block sizes to choose from");

    add_weighted_input(command("related",
                               "systems not compared by measurement: what each assumes, and whether it holds",
                               run_related));
    add_pattern_input(command("explain",
                              "what stands out from noise in the spectrum, and what it means for the pattern",
                              run_explain));
  }

  void declare_study() {
    CLI::App& study = command("study", "methods and block sizes over many matrices, into a folder; resumable",
                              run_study_command, study_);
    study.add_option("FILES", study_.files, "matrices, folders of matrices, gen:KIND:key=value,…")
        ->required();
    add_weights(study);
    study
        .add_option("--out", study_.out,
                    "folder of the study; an existing study is continued, and cells that ended for memory or "
                    "time are tried again once more is allowed")
        ->required();
    add_list(study, "--methods", study_.methods, "method ids, separated by commas; default: all");
    add_list(study, "--blocks", study_.blocks, "block sizes, separated by commas")->capture_default_str();
    study.add_option("--cell-seconds", study_.cell_seconds, "time allowance of one run in seconds")
        ->check(finite_number() & CLI::PositiveNumber)
        ->capture_default_str();
    study
        .add_option("--repeats", study_.repeats, "largest number of runs of a cell; their median is reported")
        ->check(CLI::Range(1, 100))
        ->capture_default_str();
    study.add_flag("!--no-figures", study_.figures, "write tables only");
    // By a function, since CLI11 2.7 takes an empty text for an optional value as an absent option.
    study.add_option_function<std::string>(
        "--shard", [this](const std::string& text) { study_.shard = text; },
        "K/N: this process is the K-th of N that share the folder, as in a job array; cells of a "
        "process that ended are taken by others");
    add_import(study);
    study.add_flag("--stand-ins", study_.stand_ins,
                   "add generated matrices for those data sets of the paper that are not among the files");
  }

  void declare_files() {
    CLI::App& generate =
        command("generate", "writes a generated matrix: its pattern, or with --weights numbers", run_generate,
                generate_);
    generate.add_option("KIND", generate_.kind, "diagonal, band, block-diagonal, …: see below")->required();
    generate.add_option("PARAMETERS", generate_.settings, "keys of the kind, each KEY=VALUE");
    generate.add_option("--out", generate_.out, kMatrixFileHelp)->required();
    generate.footer(generator_kinds());
    add_weights(generate);

    CLI::App& convert = command("convert", "writes a matrix in another format", run_convert, convert_);
    convert.add_option("IN", common_.file, kInputHelp)->required();
    convert.add_option("OUT", convert_.out, "file to write, or - for standard output")->required();
    const std::string formats = joined(writers(), [](const auto& writer) {
      return std::string(writer->info.id).append(" (").append(writer->info.endings.front()).append(")");
    });
    convert.add_option(
        "--format", convert_.format,
        formats + "; default: by the ending of OUT. A text file is compressed if OUT ends in .gz");
    convert
        .add_option("--weights", convert_.weights,
                    "pattern, or the numbers of the entries too, in single precision: value, magnitude, log, "
                    "sign, real, imaginary or phase")
        ->capture_default_str();
    convert.add_flag("--drop-zeros", common_.drop_zeros, "ignore entries whose stored value is zero");
    add_import(convert);

    CLI::App& reorder =
        command("reorder",
                "writes a matrix with its rows and columns in another order: its pattern, or with "
                "--weights numbers; the order is that of the pattern",
                run_reorder, reorder_);
    add_weighted_input(reorder);
    reorder.add_option("--order", reorder_.order, "random (--seed), degree, rcm or spectral")->required();
    reorder.add_option("--out", reorder_.out, kMatrixFileHelp)->required();
  }

  void declare_collection() {
    CLI::App& index = command("index",
                              "fingerprints of every matrix below some folders, into a collection; an "
                              "interrupted run is continued, and only new or changed files are read",
                              run_index, index_);
    index.add_option("FOLDERS", index_.folders,
                     "folders that are searched, with those below them; files; gen:KIND:key=value,…");
    index.add_option("--list", index_.list,
                     "text file with a folder, a file or a gen: text in each line; - for standard input");
    add_weights(index)->group("");
    index.add_option("--db", index_.db, kCollectionHelp);
    add_import(index);

    CLI::App& similar =
        command("similar", "the matrices of a collection whose signatures are nearest, with the reasons",
                run_similar, similar_);
    add_pattern_input(similar);
    similar.add_option("--db", similar_.db, kCollectionHelp);
    similar.add_option("--top,--count", similar_.count, "how many are listed")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
  }

  void declare_bench() {
    CLI::App& bench =
        command("bench", "runs the benchmark programs, which are built with the tests", run_bench, bench_);
    add_list(bench, "--what", bench_.what,
             "names separated by commas, or all; without it the benchmarks are listed");
  }

  CLI::App app_{"Spyctrum: a sparse matrix and its two-dimensional Fourier spectrum, at any size.",
                "spyctrum-cli"};
  CommonOptions common_;
  Work work_;
  FeaturesOptions features_;
  SpectrumOptions spectrum_;
  ReconstructOptions reconstruct_;
  CompareOptions compare_;
  TheoryOptions theory_;
  AdviseOptions advise_;
  StudyCommandOptions study_;
  GenerateOptions generate_;
  ConvertOptions convert_;
  ReorderOptions reorder_;
  IndexOptions index_;
  SimilarOptions similar_;
  BenchOptions bench_;
};

}  // namespace

int run(int argc, const char* const* argv, const std::stop_token& stop) {
  CommandLine line;
  try {
    line.app().parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0)
      return report_error(wrong_use(line.app(), error),
                          std::find(argv, argv + argc, "--json"sv) != argv + argc);
    line.app().exit(error, std::cout, std::cerr);  // --help, --version
    const auto printed = flush_output();
    return printed ? 0 : report_error(printed.error(), false);
  }
  // The driver of the devices starts while MPI does.
  const bool names_devices = line.common().backend.starts_with("cuda");
  const auto driver =
      names_devices ? std::async([] { (void)cuda_unavailable_reason(); }) : std::future<void>();
  auto ranks = join_ranks();
  if (!ranks) return report_error(ranks.error(), line.common().json);
  const auto outcome = run_guarded([&] {
    Session session(line.common(), stop, **ranks);
    if (line.is_shared() && session.ranks().size() > 1 && line.common().file == "-")
      throw Failure(ErrorCode::wrong_use, "mpirun gives standard input to one rank only.",
                    "Name a file that every rank can read.");
    if (session.is_first() || line.is_shared()) line.work()(session);
    session.finish();
  });
  if (outcome) return 0;
  // If all ranks fail for the same reason, rank 0 reports it and ends the others; these wait so long for
  // that.
  constexpr std::chrono::seconds kTimeOfRankZero{5};
  if ((*ranks)->rank() > 0) std::this_thread::sleep_for(kTimeOfRankZero);
  const int code = report_error(outcome.error(), line.common().json && (*ranks)->rank() == 0);
  if (is_started_by_mpi()) wait_until_output_is_read();
  (*ranks)->abort(code);
  return code;
}

}  // namespace spyctrum::cli
