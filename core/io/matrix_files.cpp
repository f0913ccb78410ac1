// SPDX-License-Identifier: Apache-2.0
// Lists folders depth first.
#include "core/io/matrix_files.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "core/io/formats.hpp"

namespace spyctrum {

namespace {

namespace fs = std::filesystem;

class Search {
 public:
  Search(JobContext& context, std::size_t most) : context_(context), most_(most) {}

  void look_into(const fs::path& folder) {
    std::error_code problem;
    fs::directory_iterator entry(folder, problem);
    for (; !problem && entry != fs::directory_iterator(); entry.increment(problem)) {
      context_.check_stop();
      if (found_.is_cut) return;
      std::error_code gone;
      const std::string path = entry->path().string();
      if (fs::is_directory(entry->symlink_status(gone))) {
        look_into(entry->path());
      } else if (fs::is_regular_file(entry->status(gone)) &&
                 (is_named_like_a_matrix(path) || !ending_of(path, endings_).empty())) {
        const std::uintmax_t bytes = entry->file_size(gone);
        found_.is_cut = found_.files.size() == most_;
        if (!found_.is_cut) found_.files.push_back({path, gone ? 0 : bytes});
      }
    }
    if (problem) found_.unreadable.emplace_back(folder.string(), problem.message());
  }

  MatrixFiles take() {
    std::ranges::sort(found_.files, {}, &MatrixFile::path);
    return std::move(found_);
  }

 private:
  JobContext& context_;
  std::size_t most_;
  std::vector<std::string> names_ = readable_endings();
  std::vector<std::string_view> endings_{names_.begin(), names_.end()};
  MatrixFiles found_;
};

}  // namespace

MatrixFiles find_matrix_files(const std::string& folder, JobContext& context, std::size_t most) {
  Search search(context, most);
  search.look_into(folder);
  return search.take();
}

}  // namespace spyctrum
