// SPDX-License-Identifier: Apache-2.0
// Descriptions of the kinds of generated matrices: name, parameters, an example.
#pragma once

#include <string>
#include <vector>

namespace spyctrum {

/// A key of a gen: text and the values that it accepts.
struct GeneratorParameter {
  std::string name;
  std::string help;  ///< a phrase: "number of blocks"
  double minimum = 0;
  double maximum = 0;
  double default_value = 0;
  bool integer = true;  ///< whole numbers only
};

struct GeneratorInfo {
  std::string kind;  ///< "band", "block-diagonal", …
  std::string label;
  std::string help;  ///< the definition, and the closed form of the spectrum if there is one
  std::vector<GeneratorParameter> parameters;
  bool random = false;  ///< depends on `seed`, which is not in the list of parameters
  std::string example;  ///< a gen: text for the gallery of the desktop program
  std::string sketch;   ///< a gen: text with about 32 rows and columns, for the gallery's picture
};

}  // namespace spyctrum
