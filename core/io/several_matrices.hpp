// SPDX-License-Identifier: Apache-2.0
// Files with several matrices: which of them is read, and what the report says about the others.
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
        requested_(options.matrix),
        is_option_(!requested_.empty() && requested_ == import_choice(options, "layer")) {}
  void add(MatrixInFile matrix) { matrices_.push_back(std::move(matrix)); }
  /// Records an array that is not a matrix, and why, without the names of the file and of the array;
  /// mentioned if the file contains no matrix at all. `name` may be empty: then `why` says what was left out.
  /// `advice`: that of the message, if not empty.
  void leave_out(std::string_view name, std::string_view why, std::string_view advice = {});
  /// Adds a dense matrix if LoadOptions::matrix names it, else records it as left out: the file is of a kind
  /// that is opened for its sparse matrices. Returns whether it was added.
  bool add_if_named(const MatrixInFile& dense);
  /// The matrix that LoadOptions::matrix names. Without a name: the one called `usual`, else the one with
  /// most stored elements, sparse ones first. Throws Failure{bad_input} if there is none, {wrong_use} if
  /// --import layer names none.
  [[nodiscard]] const MatrixInFile& choose(std::string_view usual = {});
  /// After choose(): sets format, matrices and the note that says which matrix was read.
  void report(LoadReport& report) const;

 private:
  [[nodiscard]] bool is_named(std::string_view name) const;

  const FormatInfo& format_;
  std::string file_;
  std::string requested_;
  bool is_option_ = false;  // named by --import layer
  std::vector<MatrixInFile> matrices_;
  std::string left_out_;
  std::string advice_ = "Open a file with a matrix of two dimensions.";
  bool has_dense_ = false;  // left_out_ is a dense matrix
  std::size_t chosen_ = 0;
  bool is_usual_ = false;
};

/// Sorts matrices by their names, in which each run of digits counts as a number: resolutions/2 comes before
/// resolutions/16.
void sort_by_name(std::vector<MatrixInFile>& matrices);

}  // namespace spyctrum
