// SPDX-License-Identifier: Apache-2.0
// What is known of a kind of generated matrix before one is made: its name, its parameters, an example.
#pragma once

#include <string>
#include <vector>

namespace spyctrum {

struct GeneratorParameter {
  std::string name;
  std::string help;
  double minimum = 0;
  double maximum = 0;
  double default_value = 0;
  bool integer = true;
};

struct GeneratorInfo {
  std::string kind;  ///< "band", "block-diagonal", …
  std::string label;
  std::string help;  ///< one sentence, names the closed form of the spectrum
                     ///< where there is one
  std::vector<GeneratorParameter> parameters;
  bool random = false;  ///< takes `seed`
  std::string example;  ///< a gen: text that looks good in the gallery
};

}  // namespace spyctrum
