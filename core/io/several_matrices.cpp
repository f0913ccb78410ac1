// SPDX-License-Identifier: Apache-2.0
// Names of matrices come from the file: messages quote them.
#include "core/io/several_matrices.hpp"

#include <algorithm>
#include <tuple>

#include "core/io/quote.hpp"

namespace spyctrum {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether `a` comes before `b` in the order of sort_by_name().
bool precedes(std::string_view a, std::string_view b) {
  const auto take_number = [](std::string_view& text) {
    std::string_view digits = text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
    text.remove_prefix(digits.size());
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    return digits;
  };
  while (!a.empty() && !b.empty()) {
    if (is_digit(a[0]) && is_digit(b[0])) {
      const std::string_view left = take_number(a), right = take_number(b);
      if (left != right) return std::pair(left.size(), left) < std::pair(right.size(), right);
    } else {
      if (a[0] != b[0]) return a[0] < b[0];
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  return a.size() < b.size();
}

}  // namespace

void sort_by_name(std::vector<MatrixInFile>& matrices) {
  std::ranges::stable_sort(matrices, precedes, &MatrixInFile::name);
}

void SeveralMatrices::leave_out(std::string_view name, std::string_view why, std::string_view advice) {
  if (!left_out_.empty()) return;
  if (!advice.empty()) advice_ = advice;
  if (why.ends_with('.')) why.remove_suffix(1);
  const std::string text = escaped(why.substr(0, 120));
  left_out_ = name.empty() ? text : in_quotes(name) + " (" + text + ")";
}

bool SeveralMatrices::is_named(std::string_view name) const {
  return requested_ == name ||
         (requested_.starts_with('/') && std::string_view(requested_).substr(1) == name);
}

bool SeveralMatrices::add_if_named(const MatrixInFile& dense) {
  if (is_named(dense.name)) {
    add(dense);
    return true;
  }
  if (!has_dense_)
    left_out_ = in_quotes(dense.name) + " (dense, " + grouped(dense.rows) + " × " + grouped(dense.cols) + ")";
  has_dense_ = true;
  advice_ = "A dense matrix is read if its name follows that of the file, as in FILE::NAME.";
  return false;
}

const MatrixInFile& SeveralMatrices::choose(std::string_view usual) {
  if (matrices_.empty())
    throw Failure(ErrorCode::bad_input,
                  file_ + ": the file holds no " + (has_dense_ ? "sparse " : "") + "matrix" +
                      (left_out_.empty() ? "" : ", but " + left_out_) + ".",
                  advice_);
  const auto named = [&](std::string_view name) {
    return std::ranges::find(matrices_, name, &MatrixInFile::name);
  };
  is_usual_ = requested_.empty() && !usual.empty() && named(usual) != matrices_.end();
  if (requested_.empty() && !is_usual_) {
    const auto key = [](const MatrixInFile& one) { return std::tuple(one.layout != "dense", one.stored); };
    chosen_ = static_cast<std::size_t>(std::ranges::max_element(matrices_, {}, key) - matrices_.begin());
    return matrices_[chosen_];
  }
  auto found = named(is_usual_ ? usual : std::string_view(requested_));
  if (found == matrices_.end() && requested_.starts_with('/'))
    found = named(std::string_view(requested_).substr(1));
  if (found == matrices_.end()) {
    const auto name_of = [](const MatrixInFile& one) { return in_quotes(one.name); };
    throw Failure(is_option_ ? ErrorCode::wrong_use : ErrorCode::bad_input,
                  file_ + ": the file holds no matrix " + in_quotes(requested_) + "; it holds " +
                      first_few(matrices_, name_of) + ".",
                  is_option_ ? "Name one of them by --import layer=NAME." : "Name one of them after ::.");
  }
  chosen_ = static_cast<std::size_t>(found - matrices_.begin());
  return *found;
}

void SeveralMatrices::report(LoadReport& report) const {
  const MatrixInFile& chosen = matrices_[chosen_];
  report.format = std::string(format_.name) + " " + chosen.layout;
  report.matrices = matrices_;
  report.matrix = chosen.name;
  if (matrices_.size() > 1)
    report.notes.push_back("The file holds " + grouped(matrices_.size()) + " matrices; this is " +
                           in_quotes(chosen.name) +
                           (is_usual_            ? ", its main matrix."
                            : requested_.empty() ? ", the largest."
                                                 : "."));
}

}  // namespace spyctrum
