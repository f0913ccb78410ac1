// SPDX-License-Identifier: Apache-2.0
// The command line: declares the options of every command, parses the arguments, returns the exit code.
#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <functional>
#include <iostream>

#include "app/cli/commands.hpp"
#include "core/features/feature_conventions.hpp"

namespace spyctrum::cli {

namespace {

using Work = std::function<Result<void>(Session&)>;

void add_common(CLI::App& command, CommonOptions& common) {
  command.add_option("--backend", common.backend, "auto, cpu, cuda or cuda:N")->capture_default_str();
  command.add_option("--threads", common.threads, "processor threads; 0: all")->capture_default_str();
  command.add_option("--seed", common.seed, "seed of all random numbers")->capture_default_str();
  command.add_option("--memory", common.memory,
                     "memory allowance in bytes, or 2G, 512Mi; default: three quarters of the free memory");
  command.add_flag("--json", common.json, "print exactly one JSON value");
  command.add_flag("--quiet", common.quiet, "no progress");
}

void add_input(CLI::App& command, std::string& file, CommonOptions& common) {
  command.add_option("FILE", file, "a matrix, gen:KIND:key=value,…, or - for standard input")->required();
  command.add_flag("--drop-zeros", common.drop_zeros, "ignore entries whose stored value is zero");
}

void add_method(CLI::App& command, MethodOptions& method) {
  command.add_option("--method", method.method, "see `spyctrum-cli methods`")->required();
  command.add_option("--block", method.block, "block size b");
  command.add_option("--set", method.settings, "parameter of the method as NAME=VALUE; may be repeated")
      ->allow_extra_args(false);
}

void add_picture(CLI::App& command, std::string& out, std::string& colormap) {
  command.add_option("--out", out, "file to write: .npy, .npz or .png")->required();
  command.add_option("--colormap", colormap, "colour map of a .png");
}

void add_window(CLI::App& command, std::string& window, bool& centered) {
  command.add_option("--window", window,
                     "U0,V0,H,W[,SU,SV]: H×W coefficients from signed frequency (U0, V0)");
  command.add_flag("--centered", centered, "fftshifted order, DC in the middle");
}

/// Accepts 0 and positive numbers. CLI::NonNegativeNumber accepts NaN as well.
CLI::Validator finite_number() {
  return CLI::Validator(
      [](const std::string& text) {
        double value = 0;
        const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool is_whole = parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size();
        return is_whole && std::isfinite(value) && value >= 0 ? std::string()
                                                              : "'" + text + "' is not a number of 0 or more";
      },
      "NUMBER");
}

/// Declares the commands; the one that was named sets `work`.
class CommandLine {
 public:
  CommandLine() {
    app_.require_subcommand(1);
    app_.set_version_flag("--version", "Spyctrum " SPYCTRUM_VERSION);
    app_.footer(
        "Exit codes: 0 done, all results are written; 1 output cannot be written, or an internal error; 2 "
        "wrong "
        "use; 3 input cannot be read; 4 does not fit in memory; 5 backend not available; 130 interrupted, no "
        "incomplete file is left.");
    declare_listing();
    declare_features();
    declare_planes();
    declare_compare();
    declare_theory();
    declare_advise();
    declare_related();
    declare_study();
    declare_generate();
    declare_reorder();
    declare_bench();
  }

  CLI::App& app() { return app_; }
  const CommonOptions& common() const { return common_; }
  const Work& work() const { return work_; }

 private:
  CLI::App* command(const char* name, const char* help, Work work) {
    CLI::App* added = app_.add_subcommand(name, help);
    add_common(*added, common_);
    added->callback([this, work = std::move(work)] { work_ = work; });
    return added;
  }

  void declare_listing() {
    auto* info = command("info", "loads a matrix and reports its properties",
                         [this](Session& s) { return run_info(s, info_); });
    add_input(*info, info_.file, common_);
    command("methods", "lists the methods and their parameters", [](Session& s) { return run_methods(s); });
  }

  void declare_features() {
    auto* features = command("features", "spectral features by one method",
                             [this](Session& s) { return run_features(s, features_); });
    add_input(*features, features_.file, common_);
    add_method(*features, features_.method);
    features->add_option("--until", features_.until,
                         "method exact: stop once no standard error is above this, e.g. 0.001");
    features->add_option(
        "--state", features_.state,
        "method exact: resume from this file if it exists, and save the state to it every few seconds, at "
        "the "
        "end, and when interrupted; a state of another matrix, setting or version is refused");
    features->footer(feature_conventions());
  }

  void declare_planes() {
    auto* spectrum = command("spectrum", "coefficients on a frequency grid, as a file",
                             [this](Session& s) { return run_spectrum(s, spectrum_); });
    add_input(*spectrum, spectrum_.file, common_);
    add_method(*spectrum, spectrum_.method);
    add_window(*spectrum, spectrum_.window, spectrum_.centered);
    spectrum->add_option("--as", spectrum_.as, "complex, magnitude or power")
        ->check(CLI::IsMember({"complex", "magnitude", "power"}))
        ->capture_default_str();
    add_picture(*spectrum, spectrum_.out, spectrum_.colormap);

    auto* reconstruct = command("reconstruct", "full-resolution magnitude from a method's samples",
                                [this](Session& s) { return run_reconstruct(s, reconstruct_); });
    add_input(*reconstruct, reconstruct_.file, common_);
    add_method(*reconstruct, reconstruct_.method);
    add_window(*reconstruct, reconstruct_.window, reconstruct_.centered);
    reconstruct
        ->add_option("--fill", reconstruct_.fill, "bilinear, bilinear-centers, nearest, smooth or best")
        ->capture_default_str();
    reconstruct->add_option("--reference", reconstruct_.reference,
                            "exact: also computes errors against the exact plane");
    add_picture(*reconstruct, reconstruct_.out, reconstruct_.colormap);
  }

  void declare_compare() {
    auto* compare = command("compare", "errors of methods and block sizes against a reference",
                            [this](Session& s) { return run_compare(s, compare_); });
    add_input(*compare, compare_.file, common_);
    compare->add_option("--methods", compare_.methods, "method ids, separated by commas")
        ->delimiter(',')
        ->required();
    compare->add_option("--blocks", compare_.blocks, "block sizes, separated by commas")
        ->delimiter(',')
        ->required();
    compare->add_option("--reference", compare_.reference, "a method that computes the full plane")
        ->capture_default_str();
    compare->add_option("--fill", compare_.fill, "bilinear, bilinear-centers, nearest, smooth or best")
        ->capture_default_str();
    compare->add_option("--csv", compare_.csv, "also write the rows as CSV");
    compare->add_flag("--features-only", compare_.features_only, "skip reconstructions");
  }

  void declare_theory() {
    auto* theory = command("theory", "the paper's bounds beside measured values",
                           [this](Session& s) { return run_theory(s, theory_); });
    add_input(*theory, theory_.file, common_);
    theory->add_option("--block,--blocks", theory_.blocks, "block sizes, separated by commas")
        ->delimiter(',')
        ->capture_default_str();
    theory->add_flag("--bounds-only", theory_.bounds_only, "only bounds and costs; compute no spectrum");
  }

  void declare_advise() {
    auto* advise = command("advise", "recommends methods and block sizes for a matrix, memory and time",
                           [this](Session& s) { return run_advise(s, advise_); });
    add_input(*advise, advise_.file, common_);
    advise->add_option("--seconds,--time", advise_.seconds, "time allowance in seconds; default: none")
        ->check(finite_number());
    advise
        ->add_option(
            "--error", advise_.error,
            "largest feature error (mean of entropy error, radial and directional Hellinger distance)")
        ->check(finite_number());
    advise->add_flag("--exact", advise_.exact, "only methods that compute every coefficient exactly");
    advise->add_option("--blocks", advise_.blocks, "block sizes to choose from")->delimiter(',');
  }

  void declare_related() {
    auto* related =
        command("related", "systems not compared by measurement: what each assumes, and whether it holds",
                [this](Session& s) { return run_related(s, related_); });
    add_input(*related, related_.file, common_);
  }

  void declare_study() {
    auto* study = command("study", "methods and block sizes over many matrices, into a folder; resumable",
                          [this](Session& s) { return run_study_command(s, study_); });
    study->add_option("FILES", study_.files, "matrices, folders of matrices, gen:KIND:key=value,…")
        ->required();
    study
        ->add_option("--out", study_.out,
                     "folder of the study; an existing study is continued, and cells that ended for memory "
                     "or time are tried again "
                     "once more is allowed")
        ->required();
    study->add_option("--methods", study_.methods, "method ids, separated by commas; default: all")
        ->delimiter(',');
    study->add_option("--blocks", study_.blocks, "block sizes, separated by commas")
        ->delimiter(',')
        ->capture_default_str();
    study->add_option("--cell-seconds", study_.cell_seconds, "time allowance of one run in seconds")
        ->check(finite_number() & CLI::PositiveNumber)
        ->capture_default_str();
    study
        ->add_option("--repeats", study_.repeats,
                     "largest number of runs of a cell; their median is reported")
        ->check(CLI::Range(1, 100))
        ->capture_default_str();
    study->add_flag("!--no-figures", study_.figures, "write tables only");
    study->add_flag("--stand-ins", study_.stand_ins,
                    "add generated matrices for those data sets of the paper that are not among the files");
  }

  void declare_generate() {
    auto* generate = command("generate", "writes a generated matrix as Matrix Market",
                             [this](Session& s) { return run_generate(s, generate_); });
    generate->add_option("KIND", generate_.kind, "diagonal, band, block-diagonal, …")->required();
    generate->add_option("KEY=VALUE", generate_.settings, "parameters of the kind");
    generate->add_option("--out", generate_.out, "file to write")->required();
  }

  void declare_reorder() {
    auto* reorder = command("reorder", "writes a matrix with its rows and columns in another order",
                            [this](Session& s) { return run_reorder(s, reorder_); });
    add_input(*reorder, reorder_.file, common_);
    reorder->add_option("--order", reorder_.order, "random (--seed), degree, rcm or spectral")->required();
    reorder->add_option("--out", reorder_.out, "file to write")->required();
  }

  void declare_bench() {
    auto* bench = command("bench", "runs the benchmark programs, which are built with the tests",
                          [this](Session& s) { return run_bench(s, bench_); });
    bench
        ->add_option("--what", bench_.what,
                     "names separated by commas, or all; without it the benchmarks are listed")
        ->delimiter(',');
  }

  CLI::App app_{"Spyctrum: a sparse matrix and its two-dimensional Fourier spectrum, at any size.",
                "spyctrum-cli"};
  CommonOptions common_;
  Work work_;
  InfoOptions info_;
  FeaturesOptions features_;
  SpectrumOptions spectrum_;
  ReconstructOptions reconstruct_;
  CompareOptions compare_;
  TheoryOptions theory_;
  AdviseOptions advise_;
  RelatedOptions related_;
  StudyCommandOptions study_;
  GenerateOptions generate_;
  ReorderOptions reorder_;
  BenchOptions bench_;
};

}  // namespace

int run(int argc, const char* const* argv, const std::stop_token& stop) {
  CommandLine line;
  try {
    line.app().parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool informative = error.get_exit_code() == 0;  // --help, --version
    line.app().exit(error, std::cout, std::cerr);
    if (!informative) return exit_code(ErrorCode::wrong_use);
    const auto printed = flush_output();
    return printed ? 0 : report_error(printed.error(), false);
  }
  Session session(line.common(), stop);
  auto outcome = session.prepare();
  if (outcome) {
    auto guarded = run_guarded([&] { return line.work()(session); });
    outcome = guarded ? *guarded : Result<void>(tl::unexpected<Error>(guarded.error()));
  }
  if (outcome) outcome = session.finish();
  return outcome ? 0 : report_error(outcome.error(), line.common().json);
}

}  // namespace spyctrum::cli
