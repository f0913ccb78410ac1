// SPDX-License-Identifier: Apache-2.0
// Files that hold several matrices: which of them is read, and what the report says of the others.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/io/import_options.hpp"
#include "core/io/reader.hpp"

namespace spyctrum {

class SeveralMatrices {
 public:
  SeveralMatrices(const FormatInfo& format, std::string_view file, const LoadOptions& options)
      : format_(format),
        file_(file),
        wanted_(options.matrix),
        is_option_(!wanted_.empty() && wanted_ == import_choice(options, "layer")) {}
  void add(MatrixInFile matrix) { matrices_.push_back(std::move(matrix)); }
  /// An array of the file that is no matrix, and why; named where the file holds no matrix at all.
  void leave_out(std::string_view name, std::string_view why);
  /// The matrix that LoadOptions::matrix names; where it names none, the one named `usual`, else the one with
  /// the most stored elements, sparse ones first. Throws Failure{bad_input} where there is none,
  /// {wrong_use} where --import layer names none.
  [[nodiscard]] const MatrixInFile& choose(std::string_view usual = {});
  /// Sets format, matrices and the note that says which was taken, once choose() was called.
  void report(LoadReport& report) const;

 private:
  const FormatInfo& format_;
  std::string file_;
  std::string wanted_;
  bool is_option_ = false;  // wanted by --import layer
  std::vector<MatrixInFile> matrices_;
  std::string left_out_;
  std::size_t chosen_ = 0;
  bool is_usual_ = false;
};

}  // namespace spyctrum
