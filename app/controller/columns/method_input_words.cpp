// SPDX-License-Identifier: Apache-2.0
#include "app/controller/columns/method_input_words.hpp"

#include "core/methods/method.hpp"

namespace spyctrum {

std::string method_input_words(const Column& column, bool of_values) {
  const std::string block = std::to_string(column.block) + " × " + std::to_string(column.block) + " block";
  switch (find_method(column.method)->input(column.parameters)) {
    case MethodInput::densities:
      return (of_values ? "sums per " : "counts per ") + block;
    case MethodInput::largest_entries:
      return "the entries of largest |a|";
    case MethodInput::corner:
      return "pattern · only its corner is used";
    case MethodInput::decimated:
      return "entries at one position of each " + block;
    case MethodInput::all_entries:
      break;
  }
  return {};
}

}  // namespace spyctrum
