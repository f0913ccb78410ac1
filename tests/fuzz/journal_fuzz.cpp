// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a study: the first line is its plan, the others are the lines of its journal. Each is
// refused by an exception of the JSON library, which load_study() turns into a message, or is written as text
// that reads as the same record.
#include <cstdint>
#include <string>
#include <string_view>

#include "app/study/study_json.hpp"
#include "tests/fuzz/require.hpp"

namespace {

using namespace spyctrum;
using test::require;

template <class Record, class Write>
void expect_round_trip(const std::vector<Record>& records, Write&& write) {
  for (const Record& record : records) {
    const std::string text = write(record).dump();
    Study again;
    add_record(again, StudyJson::parse(text));
    const auto& list = [&]() -> const auto& {
      if constexpr (std::is_same_v<Record, StudyMatrix>)
        return again.matrices;
      else if constexpr (std::is_same_v<Record, StudyReference>)
        return again.references;
      else
        return again.cells;
    }
    ();
    require(list.size() == 1 && write(list.front()).dump() == text, "a saved record reads as another one");
  }
}

}  // namespace

// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  Study study;
  bool has_plan = false;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() == rest.size() ? line.size() : line.size() + 1);
    try {
      const StudyJson json = StudyJson::parse(line);
      if (has_plan) {
        add_record(study, json);
      } else {
        study.plan = plan_of(json);
        has_plan = true;
      }
    } catch (const StudyJson::exception& wrong) {
      require(!test::must_accept && *wrong.what() != '\0', wrong.what());
    }
  }
  if (has_plan) {
    const std::string text = plan_json(study.plan).dump();
    require(plan_json(plan_of(StudyJson::parse(text))).dump() == text, "a saved plan reads as another one");
  }
  expect_round_trip(study.matrices, matrix_json);
  expect_round_trip(study.references, reference_json);
  expect_round_trip(study.cells, cell_json);
  return 0;
}
