// SPDX-License-Identifier: Apache-2.0
// Plans and records as JSON, and back. Every record is one object with its "kind".
#pragma once

#include <nlohmann/json.hpp>

#include "app/study/study.hpp"

namespace spyctrum {

using StudyJson = nlohmann::ordered_json;

[[nodiscard]] StudyJson plan_json(const StudyPlan& plan);
[[nodiscard]] StudyJson matrix_json(const StudyMatrix& matrix);
[[nodiscard]] StudyJson reference_json(const StudyReference& reference);
[[nodiscard]] StudyJson cell_json(const StudyCell& cell);

/// These throw nlohmann's exceptions if a field is missing or has another type.
[[nodiscard]] StudyPlan plan_of(const StudyJson& json);
/// Adds the record of one line to the study; ignores unknown kinds.
void add_record(Study& study, const StudyJson& json);

}  // namespace spyctrum
