// SPDX-License-Identifier: Apache-2.0
// Runs a study: matrices from small to large, for each the exact reference first, then cells from cheap to
// expensive. Each result is written to the journal before the next run begins.
#include "app/study/study_run.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "app/study/study_cell.hpp"
#include "app/study/study_journal.hpp"
#include "app/study/study_json.hpp"
#include "core/base/deadline.hpp"
#include "core/base/stopwatch.hpp"
#include "core/device/backends.hpp"
#include "core/features/feature_consumer.hpp"
#include "core/features/feature_errors.hpp"
#include "core/io/export.hpp"
#include "core/io/formats.hpp"
#include "core/io/json_text.hpp"
#include "core/matrix/generators.hpp"
#include "core/spectrum/rounding_floor.hpp"

namespace spyctrum {

namespace fs = std::filesystem;

namespace {

/// The exact reference may take this many times a cell's time allowance, since all cells need it.
constexpr double kReferenceFactor = 10;

/// "corafull" of "…/corafull.mtx.gz"; a gen: text as it is.
std::string name_of_source(const std::string& source) {
  return is_generator_text(source) ? source : matrix_name(source);
}

std::string unique_name(const std::vector<std::string>& taken, const std::string& name) {
  std::string candidate = name;
  for (int k = 2; std::ranges::find(taken, candidate) != taken.end(); ++k)
    candidate = name + "~" + std::to_string(k);
  return candidate;
}

Result<std::vector<std::string>> expand(const std::string& input) {
  std::error_code ignored;
  if (is_generator_text(input)) return std::vector{input};
  if (fs::is_directory(input, ignored)) {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(input, ignored))
      if (is_named_like_a_matrix(entry.path().string())) found.push_back(entry.path().string());
    std::ranges::sort(found);
    if (found.empty())
      return fail(ErrorCode::bad_input,
                  "The folder " + input + " holds no file named " + any_format_ending("*", "*") + ".");
    return found;
  }
  if (!fs::exists(input, ignored)) return fail(ErrorCode::bad_input, input + " does not exist.");
  return std::vector{input};
}

/// One run of a study; the members are shared by its steps.
class StudyRun {
 public:
  StudyRun(const StudyPlan& plan, Study study, StudyJournal journal, Backend backend, ThreadPool& pool,
           const StudyOptions& options)
      : plan_(plan),
        study_(std::move(study)),
        journal_(std::move(journal)),
        backend_(backend),
        pool_(pool),
        options_(options) {
    total_ = plan_.names.size() * cells_per_matrix();
    for (const std::string& name : plan_.names)
      for (const auto& [method, block] : cell_list())
        if (is_done(name, {method, block})) ++done_;
  }

  Result<Study> run() {
    for (std::size_t k = 0; k < plan_.names.size(); ++k) {
      // What could not be read may have been repaired, or fit into the memory now.
      const StudyMatrix* known = study_.matrix(plan_.names[k]);
      if (known == nullptr || !known->problem.empty()) {
        if (auto loaded = look_at(k); !loaded) return tl::unexpected<Error>(loaded.error());
      }
    }
    for (const StudyMatrix& matrix : by_size()) {
      if (auto filled = fill(matrix); !filled) return tl::unexpected<Error>(filled.error());
    }
    return std::move(study_);
  }

 private:
  using CellName = std::pair<const Method*, std::optional<std::uint32_t>>;

  [[nodiscard]] std::vector<CellName> cell_list() const {
    std::vector<CellName> list;
    for (const std::string& id : plan_.methods) {
      const Method* method = find_method(id);
      if (!method->info().uses_block) {
        list.emplace_back(method, std::nullopt);
        continue;
      }
      for (const std::uint32_t block : plan_.blocks) list.emplace_back(method, block);
    }
    return list;
  }
  /// Whether the journal holds a record of the cell that stands.
  [[nodiscard]] bool is_done(const std::string& matrix, const CellName& name) const {
    const StudyCell* cell = study_.cell(matrix, name.first->info().id, name.second);
    return cell != nullptr && is_settled(*cell, plan_);
  }
  [[nodiscard]] std::size_t cells_per_matrix() const { return cell_list().size(); }

  /// Matrices of the plan that could be read, by m·n, then by name.
  [[nodiscard]] std::vector<StudyMatrix> by_size() const {
    std::vector<StudyMatrix> list;
    for (const StudyMatrix& matrix : study_.matrices)
      if (matrix.problem.empty() && std::ranges::find(plan_.names, matrix.name) != plan_.names.end())
        list.push_back(matrix);
    std::ranges::sort(list, [](const StudyMatrix& a, const StudyMatrix& b) {
      return std::pair(a.rows * a.cols, a.name) < std::pair(b.rows * b.cols, b.name);
    });
    return list;
  }

  [[nodiscard]] JobContext::Options job_options(std::stop_token stop) const {
    JobContext::Options options;
    options.memory_bytes = plan_.memory_bytes;
    options.seed = plan_.seed;
    options.stop = std::move(stop);
    return options;
  }

  Result<Matrix> load(const std::string& source) {
    JobContext context(pool_, job_options(options_.stop));
    return load_matrix(source, {}, context);
  }

  Result<void> keep(const StudyJson& record) {
    add_record(study_, record);
    return journal_.append(json_text(record));
  }

  void say(const std::string& title, const std::string& outcome = {}) const {
    if (options_.on_progress) options_.on_progress({done_, total_, title, outcome, seconds_left()});
  }

  /// Time left at the rate of the cells so far; a cell's work is measured by its coefficients, and no cell
  /// takes more than its allowance.
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

  /// Reads a matrix that the journal does not hold yet, or that could not be read before, and records its
  /// sizes and fingerprint, or that it cannot be read.
  Result<void> look_at(std::size_t k) {
    const std::string& source = plan_.sources[k];
    say("load " + plan_.names[k]);
    auto matrix = load(source);
    StudyMatrix record;
    record.name = plan_.names[k];
    record.source = source;
    record.generated = is_generator_text(source);
    if (matrix) {
      record.rows = matrix->pattern->rows();
      record.cols = matrix->pattern->cols();
      record.nonzeros = matrix->pattern->nonzeros();
      record.fingerprint = matrix->pattern->fingerprint();
      record.load_seconds = matrix->report.seconds;
    } else if (matrix.error().code == ErrorCode::cancelled) {
      return tl::unexpected<Error>(matrix.error());
    } else {
      record.problem = matrix.error().message();
      say(plan_.names[k], "cannot be read: " + record.problem);
      if (const StudyMatrix* known = study_.matrix(record.name);
          known != nullptr && known->problem == record.problem)
        return {};
    }
    return keep(matrix_json(record));
  }

  Result<void> refer(const StudyMatrix& matrix, const PatternPtr& pattern) {
    if (const StudyReference* known = study_.reference(matrix.name);
        known != nullptr && is_settled(*known, plan_))
      return {};
    say("exact spectrum of " + matrix.name);
    StudyReference record;
    record.matrix = matrix.name;
    record.allowance = plan_.allowance();
    FeatureConsumer consumer(rounding_floor(*pattern));
    RowConsumer* const consumers[] = {&consumer};
    Request request;
    request.pattern = pattern;
    request.backend = backend_;
    Deadline deadline(kReferenceFactor * plan_.cell_seconds, options_.stop);
    JobContext context(pool_, job_options(deadline.token()));
    const Stopwatch watch;
    auto streamed = stream_method(usual_method(MethodRole::plane), request, consumers, context);
    record.seconds = watch.seconds();
    if (options_.stop.stop_requested()) return fail(ErrorCode::cancelled, "The study was interrupted.");
    if (streamed) {
      record.features = consumer.features();
    } else {
      record.status = deadline.passed()                                   ? CellStatus::time
                      : streamed.error().code == ErrorCode::out_of_memory ? CellStatus::memory
                                                                          : CellStatus::failed;
      record.problem = deadline.passed() ? "the exact spectrum took too long" : streamed.error().message();
    }
    if (auto kept = keep(reference_json(record)); !kept) return kept;
    return add_errors(record);
  }

  /// Cells of the matrix that were done while the reference was not there get their errors.
  Result<void> add_errors(const StudyReference& reference) {
    if (!reference.problem.empty()) return {};
    std::vector<StudyCell> cells;
    for (const StudyCell& cell : study_.cells)
      if (cell.matrix == reference.matrix && cell.features && !cell.errors) cells.push_back(cell);
    for (StudyCell& cell : cells) {
      cell.errors = feature_errors(*cell.features, reference.features);
      if (auto kept = keep(cell_json(cell)); !kept) return kept;
    }
    return {};
  }

  Result<void> fill(const StudyMatrix& matrix) {
    std::vector<CellName> missing;
    for (const CellName& cell : cell_list())
      if (!is_done(matrix.name, cell)) missing.push_back(cell);
    const StudyReference* reference = study_.reference(matrix.name);
    if (missing.empty() && (reference == nullptr || is_settled(*reference, plan_))) return {};
    auto loaded = load(matrix.source);
    if (!loaded) return tl::unexpected<Error>(loaded.error());
    const PatternPtr pattern = loaded->pattern;
    if (pattern->fingerprint() != matrix.fingerprint) {
      return fail(ErrorCode::bad_input,
                  matrix.source + " is not the matrix with which this study was started.",
                  "Restore the file, or start a study in another --out folder.");
    }
    if (auto referred = refer(matrix, pattern); !referred) return referred;
    JobContext context(pool_, job_options(options_.stop));
    auto rows = ReferenceRows::make(pattern, backend_, context);
    if (!rows && rows.error().code == ErrorCode::cancelled) return tl::unexpected<Error>(rows.error());

    std::vector<std::pair<double, CellTask>> tasks;
    for (const CellName& cell : missing) {
      CellTask task{&plan_,
                    &matrix,
                    pattern,
                    cell.first,
                    cell.second,
                    backend_,
                    study_.reference(matrix.name),
                    rows ? &*rows : nullptr};
      tasks.emplace_back(forecast_of(task, pool_.threads()).operations, task);
    }
    std::ranges::stable_sort(tasks, {}, [](const auto& task) { return task.first; });
    work_left_.clear();
    for (const StudyMatrix& other : by_size())
      for (const CellName& cell : cell_list())
        if (!is_done(other.name, cell)) work_left_.insert(work_of(other, cell));
    std::set<std::string> out_of_time;
    for (auto& [operations, task] : tasks) {
      task.reference = study_.reference(matrix.name);
      if (auto ran = run_one(task, out_of_time); !ran) return ran;
    }
    return {};
  }

  /// Runs a cell, unless a smaller cell of the same method and matrix ran out of time.
  Result<void> run_one(const CellTask& task, std::set<std::string>& out_of_time) {
    const std::string& id = task.method->info().id;
    const std::string title = task.matrix->name + " · " + task.method->info().label +
                              (task.block ? ", b = " + std::to_string(*task.block) : std::string());
    say(title);
    const Stopwatch watch;
    StudyCell cell;
    if (out_of_time.contains(id)) {
      cell = blank_cell(task, pool_.threads());
      cell.status = CellStatus::time;
      cell.reason = "not started: the method exceeded its time allowance on this matrix with less work";
    } else {
      auto ran = run_cell(task, pool_, options_.stop);
      if (!ran) return tl::unexpected<Error>(ran.error());
      cell = std::move(*ran);
    }
    if (cell.status == CellStatus::time) out_of_time.insert(id);
    cell.allowance = plan_.allowance();
    if (auto kept = keep(cell_json(cell)); !kept) return kept;
    ++done_;
    const double work = work_of(*task.matrix, {task.method, task.block});
    spent_ += watch.seconds();
    work_done_ += work;
    if (const auto found = work_left_.find(work); found != work_left_.end()) work_left_.erase(found);
    say(title,
        cell.status == CellStatus::done ? "done" : std::string(to_string(cell.status)) + ": " + cell.reason);
    return {};
  }

  const StudyPlan& plan_;
  Study study_;
  StudyJournal journal_;
  Backend backend_;
  ThreadPool& pool_;
  const StudyOptions& options_;
  std::size_t done_ = 0, total_ = 0;
  double spent_ = 0, work_done_ = 0;
  std::multiset<double> work_left_;  ///< work of each missing cell
};

/// The folder's plan extended by `plan`; existing names keep their sources.
Result<StudyPlan> grown(const Study& before, const StudyPlan& plan) {
  const StudyPlan& old = before.plan;
  if (old.seed != plan.seed || old.backend != plan.backend) {
    return fail(ErrorCode::wrong_use,
                before.folder + " holds a study with seed " + std::to_string(old.seed) + " and backend " +
                    old.backend + ".",
                "Continue it with these settings, or choose another --out folder.");
  }
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
    if (std::ranges::find(all.sources, plan.sources[k]) != all.sources.end()) continue;
    all.sources.push_back(plan.sources[k]);
    all.names.push_back(unique_name(all.names, plan.names[k]));
  }
  return all;
}

Result<void> check_plan(const StudyPlan& plan) {
  for (const std::string& id : plan.methods)
    if (find_method(id) == nullptr)
      return fail(ErrorCode::wrong_use, "There is no method '" + id + "'.",
                  "`spyctrum-cli methods` lists them.");
  if (plan.sources.empty() || plan.methods.empty())
    return fail(ErrorCode::wrong_use, "A study needs matrices and methods.");
  for (const std::uint32_t block : plan.blocks)
    if (block == 0) return fail(ErrorCode::wrong_use, "A block size is 1 or more, not 0.");
  return {};
}

}  // namespace

Result<void> set_sources(StudyPlan& plan, const std::vector<std::string>& inputs, bool stand_ins) {
  for (const std::string& input : inputs) {
    auto found = expand(input);
    if (!found) return tl::unexpected<Error>(found.error());
    for (const std::string& given : *found) {
      // The desktop program may open the study from another working folder.
      const std::string source =
          is_generator_text(given) ? given : fs::absolute(given).lexically_normal().string();
      if (std::ranges::find(plan.sources, source) != plan.sources.end()) continue;
      plan.sources.push_back(source);
      plan.names.push_back(unique_name(plan.names, name_of_source(source)));
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

Result<Study> run_study(const StudyPlan& plan, const std::string& folder, ThreadPool& pool,
                        const StudyOptions& options) {
  if (auto checked = check_plan(plan); !checked) return tl::unexpected<Error>(checked.error());
  if (auto checked = check_study_folder(folder); !checked) return tl::unexpected<Error>(checked.error());
  auto backend = parse_backend(plan.backend);
  if (!backend) return tl::unexpected<Error>(backend.error());
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) return fail(ErrorCode::output, folder + " cannot be made: " + problem.message() + ".");
  auto journal = StudyJournal::open(folder + "/cells.jsonl");
  if (!journal) return tl::unexpected<Error>(journal.error());
  Study study;
  study.plan = plan;
  if (is_study_folder(folder)) {
    auto before = load_study(folder);
    if (!before) return before;
    auto merged = grown(*before, plan);
    if (!merged) return tl::unexpected<Error>(merged.error());
    study = std::move(*before);
    study.plan = std::move(*merged);
  }
  study.folder = folder;
  auto written = write_atomically(
      folder + "/study.json", [&](std::ostream& out) { out << json_text(plan_json(study.plan), 2) << '\n'; });
  if (!written) return tl::unexpected<Error>(written.error());
  const StudyPlan settled = study.plan;
  return StudyRun(settled, std::move(study), std::move(*journal), *backend, pool, options).run();
}

}  // namespace spyctrum
