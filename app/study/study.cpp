// SPDX-License-Identifier: Apache-2.0
// Look-ups in a study, and the table of the paper's data sets.
#include "app/study/study.hpp"

#include <algorithm>

namespace spyctrum {

const char* to_string(CellStatus status) {
  constexpr std::array kNames{"done", "memory", "time", "unsupported", "failed"};
  return kNames.at(static_cast<std::size_t>(status));
}

const char* end_word(CellStatus status) {
  constexpr std::array kWords{"", "OOM", "TIME", "FAIL", "FAIL"};
  return kWords.at(static_cast<std::size_t>(status));
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

const StudyMatrix* Study::matrix(const std::string& name) const {
  const auto found = std::ranges::find(matrices, name, &StudyMatrix::name);
  return found == matrices.end() ? nullptr : &*found;
}

const StudyReference* Study::reference(const std::string& name) const {
  const auto found = std::ranges::find(references, name, &StudyReference::matrix);
  return found == references.end() ? nullptr : &*found;
}

const StudyCell* Study::cell(const std::string& matrix, const std::string& method,
                             std::optional<std::uint32_t> block) const {
  const auto found = std::ranges::find_if(cells, [&](const StudyCell& cell) {
    return cell.matrix == matrix && cell.method == method && cell.block == block;
  });
  return found == cells.end() ? nullptr : &*found;
}

StudyAllowance StudyPlan::allowance() const { return {memory_bytes, cell_seconds, SPYCTRUM_VERSION}; }

namespace {

/// `bytes_forecast`: a run that needs more would be refused again.
bool is_kept(CellStatus status, const StudyAllowance& allowance, std::uint64_t bytes_forecast,
             const StudyPlan& plan) {
  if (allowance.version != SPYCTRUM_VERSION) return false;
  if (status == CellStatus::memory)
    return plan.memory_bytes <= allowance.bytes || plan.memory_bytes < bytes_forecast;
  return status != CellStatus::time || plan.cell_seconds <= allowance.seconds;
}

}  // namespace

bool is_settled(const StudyCell& cell, const StudyPlan& plan) {
  return cell.status == CellStatus::done || is_kept(cell.status, cell.allowance, cell.bytes_forecast, plan);
}

bool is_settled(const StudyReference& reference, const StudyPlan& plan) {
  return reference.problem.empty() || is_kept(reference.status, reference.allowance, 0, plan);
}

const std::vector<PaperDataSet>& paper_data_sets() {
  static const std::vector<PaperDataSet> sets{{"Wiki-CS", "wiki_cs", 11701, 290519},
                                              {"Amazon Computers", "amazon_computers", 13752, 491722},
                                              {"Coauthor CS", "coauthor_cs", 18333, 163788},
                                              {"CoraFull", "corafull", 19793, 126842},
                                              {"Facebook Page-Page", "facebook_page_page", 22470, 341646},
                                              {"Deezer Europe", "deezer_europe", 28281, 185504},
                                              {"Coauthor Physics", "coauthor_physics", 34493, 495924},
                                              {"GitHub", "github", 37700, 578006},
                                              {"Penn94", "penn94", 41554, 2724458},
                                              {"PPI", "ppi", 56944, 1587264},
                                              {"Yelp2018", "yelp2018", 69716, 3122812},
                                              {"Gowalla", "gowalla", 70839, 2054740},
                                              {"Flickr", "flickr", 89250, 899756},
                                              {"ogbl-biokg", "ogbl_biokg", 93773, 3540566},
                                              {"IGB-tiny", "igb_tiny", 100000, 447076}};
  return sets;
}

std::string stand_in_source(const PaperDataSet& data_set) {
  return "gen:power-law:n=" + std::to_string(data_set.nodes) + ",nnz=" + std::to_string(data_set.edges) +
         ",symmetric=0,seed=1";
}

}  // namespace spyctrum
