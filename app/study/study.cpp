// SPDX-License-Identifier: Apache-2.0
// Look-ups in a study.
#include "app/study/study.hpp"

#include <algorithm>

namespace spyctrum {

const char* to_string(CellStatus status) {
  switch (status) {
    case CellStatus::done:
      return "done";
    case CellStatus::memory:
      return "memory";
    case CellStatus::time:
      return "time";
    case CellStatus::unsupported:
      return "unsupported";
    case CellStatus::failed:
      break;
  }
  return "failed";
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

std::string stand_in_source(const PaperDataSet& data_set) {
  return "gen:power-law:n=" + std::to_string(data_set.nodes) + ",nnz=" + std::to_string(data_set.edges) +
         ",symmetric=0,seed=1";
}

}  // namespace spyctrum
