// SPDX-License-Identifier: Apache-2.0
// Runs a study: matrices from small to large, for each the exact reference first, then cells from cheap to
// expensive. Each result is written to the journal before the next run begins.
#include "app/study/study_run.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "app/study/measurement.hpp"
#include "app/study/study_cell.hpp"
#include "app/study/study_journal.hpp"
#include "app/study/study_json.hpp"
#include "app/study/study_values.hpp"
#include "core/base/deadline.hpp"
#include "core/base/stopwatch.hpp"
#include "core/base/text.hpp"
#include "core/device/backends.hpp"
#include "core/io/export.hpp"
#include "core/io/formats.hpp"
#include "core/io/import_options.hpp"
#include "core/io/json_text.hpp"
#include "core/io/quote.hpp"
#include "core/matrix/generators.hpp"

namespace spyctrum {

namespace fs = std::filesystem;

namespace {

/// The exact reference may take this many times a cell's time allowance, since all cells need it.
constexpr double kReferenceFactor = 10;

/// "corafull" for "…/corafull.mtx.gz", "cells::X" for "…/cells.h5ad::X"; a gen: text unchanged.
std::string name_of_source(const std::string& source) {
  if (is_generator_text(source)) return source;
  const std::string path = path_of_matrix(source);
  return matrix_name(path) + source.substr(path.size());
}

std::string unique_name(const std::vector<std::string>& taken, const std::string& name) {
  std::string candidate = name;
  for (int k = 2; std::ranges::find(taken, candidate) != taken.end(); ++k)
    candidate = name + "~" + std::to_string(k);
  return candidate;
}

/// The sources that an input represents. Throws Failure{bad_input}.
std::vector<std::string> expand(const std::string& input) {
  std::error_code ignored;
  if (is_generator_text(input)) return {input};
  if (!fs::exists(path_of_matrix(input), ignored))
    throw Failure(ErrorCode::bad_input, input + " does not exist.");
  if (!fs::is_directory(input, ignored)) return {input};
  std::vector<std::string> found;
  // Pipes and devices in a folder are skipped: reading one might wait for ever, or never end.
  for (const auto& entry : fs::directory_iterator(input, ignored))
    if (is_named_like_a_matrix(entry.path().string()) && entry.is_regular_file(ignored))
      found.push_back(entry.path().string());
  std::ranges::sort(found);
  if (found.empty())
    throw Failure(ErrorCode::bad_input,
                  "The folder " + input + " holds no file named " + any_format_ending("*", "*") + ".");
  return found;
}

using CellName = std::pair<const Method*, std::optional<std::uint32_t>>;

/// The cells that every matrix has. Methods that this version of the program lacks have none.
std::vector<CellName> cells_of(const StudyPlan& plan) {
  std::vector<CellName> list;
  for (const std::string& id : plan.methods) {
    const Method* method = find_method(id);
    if (method == nullptr) continue;
    if (!method->info().uses_block) {
      list.emplace_back(method, std::nullopt);
      continue;
    }
    for (const std::uint32_t block : plan.blocks) list.emplace_back(method, block);
  }
  return list;
}

/// One run of a study; the members are shared by its steps, which throw Failure.
class StudyRun {
 public:
  /// `shard`: null if this run does everything.
  StudyRun(Study study, StudyJournal& journal, StudyShard* shard, Backend backend, ThreadPool& pool,
           const StudyOptions& options)
      : study_(std::move(study)),
        journal_(journal),
        shard_(shard),
        backend_(backend),
        pool_(pool),
        options_(options) {
    total_ = plan_.names.size() * cell_list().size();
    count_done();
  }

  Study run() {
    read_new_matrices([&](std::size_t k) { return is_own(k); });
    for (const StudyMatrix& matrix : by_size())
      if (is_own(position_of(matrix.name))) run_missing_cells(matrix);
    if (shard_ != nullptr) {
      take_records_of_others();
      read_new_matrices([&](std::size_t k) { return !shard_->is_running(owner_of(k)); });
      for (const StudyMatrix& matrix : by_size()) run_missing_cells(matrix);
      take_records_of_others();
    }
    add_missing_errors(study_);
    return std::move(study_);
  }

 private:
  [[nodiscard]] std::vector<CellName> cell_list() const { return cells_of(plan_); }
  [[nodiscard]] std::size_t position_of(const std::string& name) const {
    return static_cast<std::size_t>(std::ranges::find(plan_.names, name) - plan_.names.begin());
  }
  /// The shard that begins with matrix k of the plan.
  [[nodiscard]] unsigned owner_of(std::size_t k) const {
    return static_cast<unsigned>(k % shard_->number().count) + 1;
  }
  [[nodiscard]] bool is_own(std::size_t k) const {
    return shard_ == nullptr || owner_of(k) == shard_->number().index;
  }
  /// Whether this run should do a task.
  [[nodiscard]] bool claim(const std::string& task) {
    return shard_ == nullptr || shard_->claim(task) != Claim::refused;
  }
  static std::string task_of(const std::string& matrix, const CellName& name) {
    return "cell " + name.first->info().id + " " + (name.second ? std::to_string(*name.second) : "-") + " " +
           matrix;
  }
  void count_done() {
    done_ = 0;
    for (const std::string& name : plan_.names)
      for (const CellName& cell : cell_list())
        if (is_done(name, cell)) ++done_;
  }
  /// Reads the records of all shards so far.
  void take_records_of_others() {
    Study all = or_throw(load_study(study_.folder));
    study_.matrices = std::move(all.matrices);
    study_.references = std::move(all.references);
    study_.cells = std::move(all.cells);
    count_done();
  }
  template <class Which>
  void read_new_matrices(Which which) {
    for (std::size_t k = 0; k < plan_.names.size(); ++k) {
      if (!which(k)) continue;
      // A file that could not be read is tried again: it may have been repaired, or may fit the memory now.
      const StudyMatrix* known = study_.matrix(plan_.names[k]);
      if (known == nullptr || !known->problem.empty()) read_matrix(k);
    }
  }
  /// Whether the journal has a record of the cell that is kept.
  [[nodiscard]] bool is_done(const std::string& matrix, const CellName& name) const {
    const StudyCell* cell = study_.cell(matrix, name.first->info().id, name.second);
    return cell != nullptr && is_settled(*cell, plan_);
  }

  /// Matrices of the plan that could be read, by m·n, then by name.
  [[nodiscard]] std::vector<StudyMatrix> by_size() const {
    std::vector<StudyMatrix> list;
    for (const StudyMatrix* matrix : matrices_in_order(study_))
      if (std::ranges::find(plan_.names, matrix->name) != plan_.names.end()) list.push_back(*matrix);
    return list;
  }

  Result<Matrix> load(const std::string& source) {
    JobContext context(pool_, job_options(plan_, options_.stop));
    return load_matrix(source, load_options(plan_), context);
  }

  void write_record(const StudyJson& record) {
    add_record(study_, record);
    journal_.append(json_text(record));
  }

  void report_progress(const std::string& title, const std::string& outcome = {}) const {
    if (options_.on_progress) options_.on_progress({done_, total_, title, outcome, seconds_left()});
  }

  /// The seconds left, estimated from the cells so far: a cell takes time in proportion to its coefficients,
  /// at most its allowance.
  [[nodiscard]] double seconds_left() const {
    if (work_done_ <= 0) return -1;
    double seconds = 0;
    for (const double work : work_left_) seconds += std::min(plan_.cell_seconds, work * spent_ / work_done_);
    return seconds;
  }
  [[nodiscard]] double work_of(const StudyMatrix& matrix, const CellName& cell) const {
    const double area = static_cast<double>(matrix.rows) * static_cast<double>(matrix.cols);
    return 1e6 + (cell.second ? area / *cell.second : area);
  }

  /// Reads a matrix that the journal does not have yet, or that could not be read before, and records its
  /// sizes and fingerprint, or that it cannot be read.
  void read_matrix(std::size_t k) {
    if (!claim("matrix " + plan_.names[k])) return;
    StudyMatrix record{.name = plan_.names[k],
                       .source = plan_.sources[k],
                       .generated = is_generator_text(plan_.sources[k]),
                       .problem = {}};
    report_progress("load " + record.name);
    const auto matrix = load(record.source);
    if (matrix) {
      record.rows = matrix->pattern->rows();
      record.cols = matrix->pattern->cols();
      record.nonzeros = matrix->pattern->nonzeros();
      record.fingerprint = matrix->pattern->fingerprint();
      record.load_seconds = matrix->report.seconds;
    } else {
      if (matrix.error().code == ErrorCode::cancelled) throw Failure(matrix.error());
      record.problem = matrix.error().message();
      report_progress(record.name, "cannot be read: " + record.problem);
      const StudyMatrix* known = study_.matrix(record.name);
      if (known != nullptr && known->problem == record.problem) return;
    }
    write_record(matrix_json(record));
  }

  void compute_reference(const StudyMatrix& matrix, const PatternPtr& pattern) {
    const StudyReference* known = study_.reference(matrix.name);
    if ((known != nullptr && is_settled(*known, plan_)) || !claim("reference " + matrix.name)) return;
    report_progress("exact spectrum of " + matrix.name);
    StudyReference record;
    record.matrix = matrix.name;
    record.allowance = plan_.allowance();
    const Method& method = usual_method(MethodRole::plane);
    ResolvedRequest request = default_request(method, pattern);
    request.backend = backend_;
    Deadline deadline(kReferenceFactor * plan_.cell_seconds, options_.stop);
    JobContext context(pool_, job_options(plan_, deadline.token()));
    const Stopwatch watch;
    const auto features = run_guarded([&] { return features_by(method, request, context); });
    record.seconds = watch.seconds();
    check_interrupted(options_.stop);
    if (features) {
      record.features = *features;
    } else {
      record.status = deadline.passed()                                   ? CellStatus::time
                      : features.error().code == ErrorCode::out_of_memory ? CellStatus::memory
                                                                          : CellStatus::failed;
      record.problem = deadline.passed() ? "the exact spectrum took too long" : features.error().message();
    }
    write_record(reference_json(record));
  }

  void run_missing_cells(const StudyMatrix& matrix) {
    std::vector<CellName> missing;
    for (const CellName& cell : cell_list())
      if (!is_done(matrix.name, cell) && (shard_ == nullptr || shard_->is_free(task_of(matrix.name, cell))))
        missing.push_back(cell);
    const StudyReference* reference = study_.reference(matrix.name);
    if (missing.empty() && (reference == nullptr || is_settled(*reference, plan_))) return;
    const PatternPtr pattern = or_throw(load(matrix.source)).pattern;
    if (pattern->fingerprint() != matrix.fingerprint)
      throw Failure(ErrorCode::bad_input,
                    matrix.source + " is not the matrix with which this study was started.",
                    "Restore the file, or start a study in another --out folder.");
    compute_reference(matrix, pattern);
    if (missing.empty()) return;
    JobContext context(pool_, job_options(plan_, options_.stop));
    const auto rows = run_guarded([&] { return ReferenceRows(pattern, backend_, context); });
    if (!rows && rows.error().code == ErrorCode::cancelled) throw Failure(rows.error());

    std::vector<std::pair<double, CellTask>> tasks;
    for (const auto& [method, block] : missing) {
      const CellTask task{&plan_, &matrix,  pattern, method,
                          block,  backend_, nullptr, rows ? &*rows : nullptr};
      tasks.emplace_back(forecast_of(task, pool_.threads()).operations, task);
    }
    std::ranges::stable_sort(tasks, {}, [](const auto& task) { return task.first; });
    work_left_.clear();
    for (const StudyMatrix& other : by_size())
      for (const CellName& cell : cell_list())
        if (!is_done(other.name, cell)) work_left_.insert(work_of(other, cell));
    std::set<std::string> out_of_time;
    for (auto& [operations, task] : tasks) {
      if (shard_ != nullptr && !claim_cell(matrix.name, {task.method, task.block})) continue;
      task.reference = study_.reference(matrix.name);
      run_or_skip(task, out_of_time);
    }
  }

  /// Whether this shard should compute the cell: no other running shard computes it, and none has computed
  /// it.
  bool claim_cell(const std::string& matrix, const CellName& name) {
    const Claim claim = shard_->claim(task_of(matrix, name));
    if (claim == Claim::inherited) take_records_of_others();
    return claim != Claim::refused && !is_done(matrix, name);
  }

  /// Runs a cell, unless a smaller cell of the same method and matrix ran out of time.
  void run_or_skip(const CellTask& task, std::set<std::string>& out_of_time) {
    const std::string& id = task.method->info().id;
    const std::string title = task.matrix->name + " · " + task.method->info().label +
                              (task.block ? ", b = " + std::to_string(*task.block) : std::string());
    report_progress(title);
    const Stopwatch watch;
    StudyCell cell;
    if (out_of_time.contains(id)) {
      cell = blank_cell(task, pool_.threads());
      cell.status = CellStatus::time;
      cell.reason = "not started: the method exceeded its time allowance on this matrix with less work";
    } else {
      cell = run_cell(task, pool_, options_.stop);
    }
    if (cell.status == CellStatus::time) out_of_time.insert(id);
    cell.allowance = plan_.allowance();
    write_record(cell_json(cell));
    ++done_;
    const double work = work_of(*task.matrix, {task.method, task.block});
    spent_ += watch.seconds();
    work_done_ += work;
    if (const auto found = work_left_.find(work); found != work_left_.end()) work_left_.erase(found);
    report_progress(title, cell.status == CellStatus::done
                               ? "done"
                               : std::string(to_string(cell.status)) + ": " + cell.reason);
  }

  Study study_;
  const StudyPlan& plan_ = study_.plan;
  StudyJournal& journal_;
  StudyShard* shard_;
  Backend backend_;
  ThreadPool& pool_;
  const StudyOptions& options_;
  std::size_t done_ = 0, total_ = 0;
  double spent_ = 0, work_done_ = 0;
  std::multiset<double> work_left_;  ///< work of each missing cell
};

/// Whether source k of `plan` is source j of `old`. `old` was read from a file, in which invalid UTF-8 was
/// replaced (json_text.hpp); sources with invalid UTF-8 are compared by their names.
bool is_same_source(const StudyPlan& old, std::size_t j, const StudyPlan& plan, std::size_t k) {
  const std::string& source = plan.sources[k];
  if (old.sources[j] == source) return true;
  return old.names[j] == plan.names[k] &&
         parse_json<StudyJson>(json_text(StudyJson(source))).get<std::string>() == old.sources[j];
}

/// The folder's plan extended by `plan`; existing names keep their sources. Throws Failure{wrong_use}.
StudyPlan extended_plan(const Study& before, const StudyPlan& plan) {
  const StudyPlan& old = before.plan;
  const auto require = [&](bool is_same, const std::string& settings) {
    if (!is_same)
      throw Failure(ErrorCode::wrong_use, before.folder + " holds a study " + settings + ".",
                    "Continue it with these settings, or choose another --out folder.");
  };
  require(old.seed == plan.seed && old.backend == plan.backend,
          "with seed " + std::to_string(old.seed) + " and backend " + old.backend);
  require(old.import == plan.import,
          "of matrices that were read with " +
              (old.import.empty() ? "no import options" : "--import " + joined(old.import)));
  require(old.weights == plan.weights, "with --weights " + old.weights);
  StudyPlan all = plan;
  const auto merge = [](auto& into, const auto& from) {
    auto merged = from;
    for (const auto& one : into)
      if (std::ranges::find(merged, one) == merged.end()) merged.push_back(one);
    into = std::move(merged);
  };
  merge(all.methods, old.methods);
  merge(all.blocks, old.blocks);
  all.sources = old.sources;
  all.names = old.names;
  for (std::size_t k = 0; k < plan.sources.size(); ++k) {
    std::size_t j = 0;
    while (j < old.sources.size() && !is_same_source(old, j, plan, k)) ++j;
    if (j < old.sources.size()) {
      all.sources[j] = plan.sources[k];  // as bytes, which can be opened
    } else {
      all.sources.push_back(plan.sources[k]);
      all.names.push_back(unique_name(all.names, plan.names[k]));
    }
  }
  return all;
}

/// Throws Failure{wrong_use}.
void check_plan(const StudyPlan& plan) {
  (void)load_options(plan);
  for (const std::string& id : plan.methods)
    if (find_method(id) == nullptr)
      throw Failure(ErrorCode::wrong_use, "There is no method '" + id + "'.",
                    "`spyctrum-cli methods` lists them.");
  if (plan.sources.empty() || plan.methods.empty())
    throw Failure(ErrorCode::wrong_use, "A study needs matrices and methods.");
  if (std::ranges::find(plan.blocks, 0U) != plan.blocks.end())
    throw Failure(ErrorCode::wrong_use, "A block size is 1 or more, not 0.");
}

/// The study of the folder with the plan extended by `plan`, which is written there. Throws Failure.
Study begin_study(const StudyPlan& plan, const std::string& folder) {
  Study study;
  study.plan = plan;
  if (is_study_folder(folder)) {
    study = or_throw(load_study(folder));
    study.plan = extended_plan(study, plan);
  }
  study.folder = folder;
  or_throw(write_atomically(folder + "/study.json",
                            [&](std::ostream& out) { out << json_text(plan_json(study.plan), 2) << '\n'; }));
  return study;
}

/// run_study() without its guard; throws Failure.
Study run(const StudyPlan& plan, const std::string& folder, ThreadPool& pool, const StudyOptions& options) {
  check_plan(plan);
  or_throw(check_study_folder(folder));
  const Backend backend = options.backend ? *options.backend : or_throw(parse_backend(plan.backend));
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) throw Failure(ErrorCode::output, folder + " cannot be made: " + problem.message() + ".");
  if (options.shard) {
    StudyShard shard(folder, *options.shard);
    Study study = [&] {
      const FileLock one_at_a_time(folder + "/claims/plan", FileLock::Kind::exclusive, options.stop);
      return begin_study(plan, folder);
    }();
    return StudyRun(std::move(study), shard.journal(), &shard, backend, pool, options).run();
  }
  StudyJournal journal(folder + "/cells.jsonl");
  merge_shards(folder, journal);
  return StudyRun(begin_study(plan, folder), journal, nullptr, backend, pool, options).run();
}

}  // namespace

LoadOptions load_options(const StudyPlan& plan) {
  LoadOptions options;
  options.import_where_known = true;
  for (const std::string& text : plan.import) options.import.push_back(or_throw(parse_import_option(text)));
  options.weights = or_throw(parse_weights(plan.weights));
  return options;
}

Result<void> set_sources(StudyPlan& plan, const std::vector<std::string>& inputs, bool stand_ins) {
  for (const std::string& input : inputs) {
    const auto found = run_guarded([&] { return expand(input); });
    if (!found) return tl::unexpected<Error>(found.error());
    for (const std::string& given : *found) {
      // The desktop program may open the study from another working folder.
      const std::string source =
          is_generator_text(given) ? given : fs::absolute(given).lexically_normal().string();
      if (std::ranges::find(plan.sources, source) != plan.sources.end()) continue;
      plan.sources.push_back(source);
      plan.names.push_back(unique_name(plan.names, escaped(name_of_source(source))));
    }
  }
  if (!stand_ins) return {};
  for (const PaperDataSet& set : paper_data_sets()) {
    if (std::ranges::find(plan.names, set.shared_name) != plan.names.end()) continue;
    plan.sources.push_back(stand_in_source(set));
    plan.names.push_back(unique_name(plan.names, std::string(set.name) + " (generated)"));
  }
  return {};
}

std::size_t cells_left(const Study& study) {
  std::size_t left = 0;
  for (const std::string& name : study.plan.names) {
    const StudyMatrix* const matrix = study.matrix(name);
    if (matrix != nullptr && !matrix->problem.empty()) continue;
    for (const auto& [method, block] : cells_of(study.plan))
      if (study.cell(name, method->info().id, block) == nullptr) ++left;
  }
  return left;
}

Result<Study> run_study(const StudyPlan& plan, const std::string& folder, ThreadPool& pool,
                        const StudyOptions& options) {
  return run_guarded([&] { return run(plan, folder, pool, options); });
}

}  // namespace spyctrum
