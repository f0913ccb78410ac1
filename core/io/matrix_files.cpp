// SPDX-License-Identifier: Apache-2.0
// Lists folders depth first, then the files and folders to which symbolic links in them lead.
#include "core/io/matrix_files.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/io/formats.hpp"

namespace spyctrum {

namespace {

namespace fs = std::filesystem;

class Search {
 public:
  Search(JobContext& context, std::size_t most) : context_(context), most_(most) {}

  /// Links are followed after the files and folders of `folder` itself, so that a file to which a link leads
  /// too is listed under its own path; they are followed in the order of their paths.
  void look_into(const std::string& folder) {
    add_folder(folder);
    while (!links_.empty() && !found_.is_cut) {
      std::vector<fs::path> links = std::exchange(links_, {});
      std::ranges::sort(links);
      for (const fs::path& link : links) {
        std::error_code gone;
        if (fs::is_directory(link, gone))
          add_folder(link);
        else
          add_file(fs::directory_entry(link, gone));
      }
    }
  }

  MatrixFiles take() {
    std::ranges::sort(found_.files, {}, &MatrixFile::path);
    return std::move(found_);
  }

 private:
  void add_folder(const fs::path& folder) {
    std::error_code problem;
    if (!is_new(folder)) return;
    fs::directory_iterator entry(folder, problem);
    for (; !problem && entry != fs::directory_iterator(); entry.increment(problem)) {
      context_.check_stop();
      if (found_.is_cut) return;
      std::error_code gone;
      const fs::file_status status = entry->symlink_status(gone);
      if (fs::is_symlink(status))
        links_.push_back(entry->path());
      else if (fs::is_directory(status))
        add_folder(entry->path());
      else
        add_file(*entry);
    }
    if (problem) found_.unreadable.emplace_back(folder.string(), problem.message());
  }

  void add_file(const fs::directory_entry& entry) {
    std::error_code gone;
    const std::string path = entry.path().string();
    if (!is_named_like_a_matrix(path) && ending_of(path, endings_).empty()) return;
    if (!fs::is_regular_file(entry.status(gone)) || !is_new(entry.path())) return;
    const std::uintmax_t bytes = entry.file_size(gone);
    found_.is_cut = found_.files.size() == most_;
    if (!found_.is_cut) found_.files.push_back({path, gone ? 0 : bytes});
  }

  /// Whether no other path to the same file or folder was found before.
  bool is_new(const fs::path& path) {
    std::error_code problem;
    const fs::path own = fs::canonical(path, problem);
    return problem || seen_.insert(own.string()).second;
  }

  JobContext& context_;
  std::size_t most_;
  std::vector<std::string> names_ = readable_endings();
  std::vector<std::string_view> endings_{names_.begin(), names_.end()};
  std::set<std::string> seen_;   // without links
  std::vector<fs::path> links_;  // not followed yet
  MatrixFiles found_;
};

}  // namespace

MatrixFiles find_matrix_files(const std::string& folder, JobContext& context, std::size_t most) {
  Search search(context, most);
  search.look_into(folder);
  return search.take();
}

}  // namespace spyctrum
