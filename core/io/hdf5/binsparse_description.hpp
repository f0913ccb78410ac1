// SPDX-License-Identifier: Apache-2.0
// The description of a matrix in Binsparse files (https://graphblas.org/binsparse-specification, version
// 0.1): JSON in an attribute of HDF5 or in an array of an .npz. Compiled into the program and into the child
// process that parses HDF5.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace spyctrum {

struct BinsparseDescription {
  std::string format;  ///< COO, COOR, COOC, CSR, CSC, DCSR, DCSC, DMAT, DMATR or DMATC
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  bool is_same = false;   ///< one value for all entries
  bool is_pairs = false;  ///< complex values
  bool is_logical = false;
  std::string symmetry = "general";  ///< or symmetric, hermitian, skew-symmetric
  std::string problem;               ///< what is wrong with the description; empty if it is valid
  [[nodiscard]] bool is_dense() const { return format.starts_with("DMAT"); }
  [[nodiscard]] bool is_compressed() const { return !is_dense() && !format.starts_with("COO"); }
};

/// Checks and converts a description. `facts`: the parsed JSON; a discarded value if the text is not JSON.
[[nodiscard]] inline BinsparseDescription binsparse_description(nlohmann::json facts) {
  BinsparseDescription description;
  const auto wrong = [&](std::string problem) {
    description.problem = std::move(problem);
    return description;
  };
  const auto text_of = [](const nlohmann::json& object, const char* name) {
    const auto found = object.is_object() ? object.find(name) : object.end();
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  if (facts.is_object() && facts.contains("binsparse")) facts = nlohmann::json(facts["binsparse"]);
  if (!facts.is_object() || !facts.contains("format") || !facts.contains("shape") ||
      !facts["shape"].is_array())
    return wrong("it is not a description of a matrix (format and shape).");
  description.format = text_of(facts, "format");
  const nlohmann::json& shape = facts["shape"];
  if (shape.size() != 2)
    return wrong("its shape has " + std::to_string(shape.size()) + (shape.size() == 1 ? " side" : " sides") +
                 " (a vector is not a matrix); expected 2.");
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  for (const nlohmann::json& side : shape)
    if (!side.is_number_unsigned() || side.get<std::uint64_t>() == 0 || side.get<std::uint64_t>() > kMost)
      return wrong("its shape holds " + side.dump().substr(0, 40) + "; expected 1 to 4,294,967,295.");
  static constexpr std::array<std::string_view, 10> kFormats{"COO",  "COOR", "COOC", "CSR",   "CSC",
                                                             "DCSR", "DCSC", "DMAT", "DMATR", "DMATC"};
  if (std::find(kFormats.begin(), kFormats.end(), description.format) == kFormats.end())
    return wrong("unknown Binsparse format \"" + description.format.substr(0, 40) +
                 "\"; known are COO, COOC, CSR, CSC, DCSR, DCSC and DMAT.");
  description.rows = shape[0].get<std::uint64_t>();
  description.cols = shape[1].get<std::uint64_t>();
  const std::string type = facts.contains("data_types") ? text_of(facts["data_types"], "values") : "";
  description.is_same = type.starts_with("iso[");
  description.is_pairs = type.find("complex[") != std::string::npos;
  description.is_logical = type.find("bint8") != std::string::npos;
  const std::string structure = text_of(facts, "structure");
  for (const auto& [beginning, symmetry] :
       {std::pair("symmetric", "symmetric"), std::pair("hermitian", "hermitian"),
        std::pair("skew_symmetric", "skew-symmetric")})
    if (structure.starts_with(beginning)) description.symmetry = symmetry;
  if (description.symmetry != "general" && description.rows != description.cols)
    return wrong("it is " + description.symmetry + " with " + std::to_string(description.rows) +
                 " rows and " + std::to_string(description.cols) + " columns.");
  return description;
}

}  // namespace spyctrum
