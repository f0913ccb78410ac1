// SPDX-License-Identifier: Apache-2.0
// A job searches the folder. The next matrix is opened beside the selected one, gets its view, and then
// replaces it.
#include "app/controller/files/folder_service.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "app/controller/files/source_names.hpp"
#include "app/study/study.hpp"
#include "core/io/matrix_files.hpp"
#include "core/io/quote.hpp"
#include "core/io/reader.hpp"

namespace spyctrum {

namespace {

constexpr std::size_t kMostFiles = 100'000;

std::string note_of(const MatrixFiles& found) {
  std::string note;
  if (found.is_cut) note = "Only " + grouped(found.files.size()) + " files are listed. ";
  if (!found.unreadable.empty())
    note += counted(found.unreadable.size(), "folder", "folders") + " cannot be read, " +
            found.unreadable.front().first + " among them: " + found.unreadable.front().second + ".";
  return note;
}

/// `shown`, scaled from the plane `from` to the plane `to`.
PlaneRect same_part(const PlaneRect& shown, const PlaneRect& from, const PlaneRect& to) {
  const auto down = [&](double row) { return to.top + (row - from.top) / from.height() * to.height(); };
  const auto along = [&](double col) { return to.left + (col - from.left) / from.width() * to.width(); };
  return {down(shown.top), along(shown.left), down(shown.bottom), along(shown.right)};
}

}  // namespace

void FolderService::handle(const action::OpenFolder& chosen) {
  const std::string path = full_source(chosen.path);
  if (is_study_folder(path)) return send(action::OpenStudy{path});
  state().folder.searching = true;
  state().interface.overlay = Overlay::folder;
  jobs().submit(
      request_job(Lane::input_output, "folder", "Searching " + short_name(path)),
      [path](JobContext& context) {
        if (!is_folder(path)) throw Failure(ErrorCode::bad_input, path + " is no folder.", "Check the path.");
        return find_matrix_files(path, context, kMostFiles);
      },
      [this, path](Result<MatrixFiles> found) {
        FolderList& folder = state().folder;
        folder.searching = false;
        if (found) {
          std::string note = note_of(*found);  // before its files are moved
          folder = {path, false, std::move(found->files), std::move(note)};
        } else {
          if (state().interface.overlay == Overlay::folder && folder.files.empty())
            state().interface.overlay = Overlay::none;
          report(found.error());
        }
      });
}

std::vector<std::string> FolderService::neighbours(std::string& shown) const {
  const std::vector<MatrixFile>& files = state().folder.files;
  std::vector<std::string> list;
  const OpenMatrix* open = state().matrix();
  const std::string path = open != nullptr ? path_of_matrix(open->source) : std::string();
  const bool is_in_folder = std::ranges::find(files, path, &MatrixFile::path) != files.end();
  if (open != nullptr && !is_in_folder && open->matrix.report.matrices.size() > 1) {
    const LoadReport& report = open->matrix.report;
    shown = path + "::" + report.matrix;
    for (const MatrixInFile& one : report.matrices) list.push_back(path + "::" + one.name);
  } else {
    shown = path;
    for (const MatrixFile& file : files) list.push_back(file.path);
  }
  return list;
}

void FolderService::handle(const action::OpenNeighbour& chosen) {
  std::string shown;
  const std::vector<std::string> list = neighbours(shown);
  if (list.empty() || chosen.step == 0)
    return notify(Level::info,
                  "No folder was opened: drop one on the window, or open one with Ctrl+Shift+O.");
  // A step in the same direction as the last one starts from the matrix that was requested then, even if it
  // could not be read; other steps start from the matrix that is shown.
  const bool goes_on = replacement_ && (replacement_->step > 0) == (chosen.step > 0);
  const auto found = std::ranges::find(list, goes_on ? replacement_->next : shown);
  auto at = found - list.begin() + chosen.step;
  if (found == list.end()) at = chosen.step > 0 ? 0 : std::ssize(list) - 1;
  if (at < 0 || at >= std::ssize(list))
    return notify(Level::info,
                  at < 0 ? "This is the first matrix of the list." : "This is the last matrix of the list.");
  replace_by(list[static_cast<std::size_t>(at)], chosen.step);
}

void FolderService::handle(const action::OpenInList& chosen) {
  std::string shown;
  const std::vector<std::string> list = neighbours(shown);
  const OpenMatrix* open = state().matrix();
  const bool is_of_file =
      open != nullptr && chosen.source == path_of_matrix(open->source) + "::" + open->matrix.report.matrix;
  if (chosen.source == shown || is_of_file) {
    stop_opening();
    replacement_.reset();
    return;
  }
  const auto before = std::ranges::find(list, shown);
  const bool is_later = before == list.end() || std::find(before, list.end(), chosen.source) != list.end();
  replace_by(chosen.source, is_later ? 1 : -1);
}

void FolderService::stop_opening() {
  if (!replacement_) return;
  jobs().drop("load/" + replacement_->next);
  std::erase_if(state().loading, [&](const LoadingMatrix& one) { return one.source == replacement_->next; });
}

void FolderService::replace_by(const std::string& next, int step) {
  stop_opening();
  const OpenMatrix* open = state().matrix();
  const bool was_open =
      std::ranges::find(state().matrices, next, &OpenMatrix::source) != state().matrices.end();
  replacement_ = {open != nullptr ? open->source : "", next, state().views, step, was_open};
  send(action::OpenFile{next, true,
                        open != nullptr && !was_open ? std::optional(open->reading) : std::nullopt});
}

void FolderService::reconcile() {
  const OpenMatrix* open = state().matrix();
  if (!replacement_) return;
  if (open == nullptr || open->source != replacement_->next || replacement_->has_failed) {
    const bool is_loading = std::ranges::find(state().loading, replacement_->next, &LoadingMatrix::source) !=
                            state().loading.end();
    replacement_->has_failed = replacement_->has_failed || !is_loading;
    // The next step skips the file that failed, as long as the matrix before it is selected.
    if (replacement_->has_failed && (open == nullptr ? "" : open->source) != replacement_->left)
      replacement_.reset();
    return;
  }
  const Replacement done = *std::exchange(replacement_, std::nullopt);
  for (const Plane plane : {Plane::pattern, Plane::spectrum}) {
    const View& before = done.views[static_cast<std::size_t>(plane)];
    const PlaneRect& full = state().view(plane).full;
    if (before.full.height() > 0 && before.full.width() > 0)
      send(action::SetView{plane, same_part(before.rect, before.full, full), false});
  }
  const auto left = std::ranges::find(state().matrices, done.left, &OpenMatrix::source);
  if (left != state().matrices.end() && done.left != done.next && !done.was_open)
    send(action::CloseMatrix{static_cast<std::size_t>(left - state().matrices.begin())});
}

}  // namespace spyctrum
