// SPDX-License-Identifier: Apache-2.0
// Choosing a path: the desktop's own dialog, or a list of the folder inside the window.
#include "app/panels/widgets/file_dialog.hpp"

#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>
#include <portable_file_dialogs.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>
#include <variant>

#include "app/panels/widgets/dialog.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/icons.hpp"
#include "app/panels/widgets/ui.hpp"
#include "app/panels/widgets/widgets.hpp"
#include "core/base/text.hpp"
#include "core/matrix/generators.hpp"

namespace spyctrum::panels {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTitle = "Path###file dialog";

/// The system's dialog is a separate program (zenity, kdialog), which needs a display.
bool native_works() {
  const char* x11 = std::getenv("DISPLAY");
  const char* wayland = std::getenv("WAYLAND_DISPLAY");
  const bool display = (x11 != nullptr && *x11 != 0) || (wayland != nullptr && *wayland != 0);
  return display && pfd::settings::available();
}

struct FolderItem {
  std::string name;
  std::string shown;  ///< the name, escaped where it is no UTF-8: what is typed is compared with it
  bool folder = false;
  std::uintmax_t bytes = 0;
};

bool fits(const std::string& name, const std::vector<std::string>& endings) {
  return endings.empty() || std::any_of(endings.begin(), endings.end(),
                                        [&](const std::string& one) { return name.ends_with(one); });
}

/// The path of a file to write, with the ending of the suggested name added unless it has one of the
/// dialog's: the ending decides the format.
std::string with_ending(const FileDialog::Request& request, std::string path) {
  if (!fits(path, request.endings)) path += fs::path(request.suggestion).extension().string();
  return path;
}

std::vector<FolderItem> list_folder(const fs::path& folder, const std::vector<std::string>& endings) {
  std::vector<FolderItem> items;
  std::error_code ignored;
  const auto options = fs::directory_options::skip_permission_denied;
  for (auto at = fs::directory_iterator(folder, options, ignored); at != fs::directory_iterator();
       at.increment(ignored)) {
    if (ignored) break;
    FolderItem item;
    item.name = at->path().filename().string();
    if (item.name.starts_with('.')) continue;
    item.shown = escaped(item.name);
    std::error_code none;
    item.folder = at->is_directory(none);
    if (!item.folder && !fits(item.name, endings)) continue;
    if (!item.folder) item.bytes = at->file_size(none);
    if (none) item.bytes = 0;
    items.push_back(std::move(item));
  }
  std::sort(items.begin(), items.end(), [](const FolderItem& a, const FolderItem& b) {
    return a.folder != b.folder ? a.folder : a.name < b.name;
  });
  return items;
}

bool waits_for_job(const AppState& state) {
  return std::any_of(state.jobs.begin(), state.jobs.end(),
                     [](const JobView& job) { return !job.background && !job.stopping; });
}

}  // namespace

struct FileDialog::Impl {
  Request request;
  bool open = false;
  bool just_opened = false;
  bool has_had_keyboard = false;  ///< the path's field had the keyboard since the dialog was opened
  bool focuses_path = false;      ///< the path's field gets the keyboard in the next frame
  bool is_ambiguous = false;      ///< several names contain the path that was confirmed
  std::variant<std::monostate, std::unique_ptr<pfd::open_file>, std::unique_ptr<pfd::save_file>,
               std::unique_ptr<pfd::select_folder>>
      native;
  std::string path;   ///< text of the path's field
  fs::path replaced;  ///< an existing file for which "Save" was pressed once; a second time replaces it
  fs::path folder;    ///< the last folder that was entered, to which a relative path refers
  fs::path listed;    ///< the folder of `items`
  std::vector<FolderItem> items;

  [[nodiscard]] bool is_native() const { return native.index() != 0; }

  void start_native() {
    std::vector<std::string> filters;
    if (!request.endings.empty()) {
      std::string globs;
      for (const std::string& one : request.endings) globs += (globs.empty() ? "*" : " *") + one;
      filters = {request.description, globs};
    }
    filters.insert(filters.end(), {"All files", "*"});
    const std::string begin = (folder / request.suggestion).string();
    if (request.is_folder)
      native = std::make_unique<pfd::select_folder>(request.title, folder.string());
    else if (request.save)
      native = std::make_unique<pfd::save_file>(request.title, begin, filters);
    else
      native = std::make_unique<pfd::open_file>(request.title, begin, filters);
  }

  /// The chosen path once the system's dialog has ended; empty when the user cancelled.
  std::optional<std::string> poll_native() {
    if (auto* file = std::get_if<std::unique_ptr<pfd::open_file>>(&native)) {
      if (!(*file)->ready(0)) return std::nullopt;
      const auto chosen = (*file)->result();
      return chosen.empty() ? std::string() : chosen.front();
    }
    if (auto* place = std::get_if<std::unique_ptr<pfd::select_folder>>(&native)) {
      if (!(*place)->ready(0)) return std::nullopt;
      return (*place)->result();
    }
    auto& file = std::get<std::unique_ptr<pfd::save_file>>(native);
    if (!file->ready(0)) return std::nullopt;
    return file->result();
  }

  /// Lists the folder part of the typed path.
  void follow_typed() {
    std::error_code none;
    const fs::path typed = fs::path(path);
    const fs::path whole = typed.is_absolute() ? typed : folder / typed;
    if (fs::is_directory(whole, none))
      listed_from(whole);
    else if (fs::is_directory(whole.parent_path(), none))
      listed_from(whole.parent_path());
  }

  /// The items whose names contain the last part of the typed path. All items if that part is the whole name
  /// of one, as after a click on it, or if the dialog asks for a new file.
  [[nodiscard]] std::vector<const FolderItem*> fitting_items() const {
    const std::string part =
        request.save || is_generator_text(path) ? std::string() : fs::path(path).filename().string();
    const bool is_one =
        std::ranges::any_of(items, [&](const FolderItem& item) { return item.shown == part; });
    std::vector<const FolderItem*> fitting;
    for (const FolderItem& item : items)
      if (is_one || contains_ignoring_case(item.shown, part)) fitting.push_back(&item);
    return fitting;
  }

  void listed_from(const fs::path& place) {
    if (place == listed) return;
    listed = place;
    items = list_folder(place, request.endings);
  }

  void enter(const fs::path& place) {
    std::error_code none;
    folder = fs::weakly_canonical(place, none);
    if (none) folder = place;
    listed.clear();
    path = request.save ? request.suggestion : std::string();
    listed_from(folder);
  }

  /// Each draws a part of the dialog and sets `done` to the path that the user confirms.
  void draw_path(std::string& done);
  void draw_items(std::string& done);
  void draw_buttons(const Ui& ui, std::string& done);
  /// Enters a folder, asks before a file is replaced, or closes the dialog with the confirmed path `done`.
  void confirm(const Ui& ui, std::string done);
  void draw_inside(const Ui& ui);
};

FileDialog::FileDialog() : impl_(std::make_unique<Impl>()) {
  std::error_code none;
  impl_->folder = fs::current_path(none);
}
FileDialog::~FileDialog() = default;

void FileDialog::open(Request request, bool native) {
  impl_->request = std::move(request);
  impl_->native = std::monostate{};
  impl_->open = true;
  impl_->just_opened = true;
  impl_->has_had_keyboard = false;
  impl_->is_ambiguous = false;
  impl_->replaced.clear();
  if (native && native_works()) return impl_->start_native();
  impl_->enter(impl_->folder);
}

bool FileDialog::is_open() const { return impl_->open; }
void FileDialog::close() { impl_->open = false; }

void FileDialog::Impl::draw_items(std::string& done) {
  ImGui::BeginChild("items", {0, -ImGui::GetFrameHeightWithSpacing() - px(4)}, ImGuiChildFlags_Borders);
  if (listed.has_parent_path() && listed != listed.root_path() &&
      ImGui::Selectable((std::string(icon::kUp) + "  ..").c_str()))
    enter(listed.parent_path());
  fs::path into;
  const std::vector<const FolderItem*> fitting = fitting_items();
  for (const FolderItem* one : fitting) {
    const FolderItem& item = *one;
    ImGui::PushID(item.name.c_str());
    const std::string size = item.folder ? std::string() : bytes_text(item.bytes);
    const float room = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(size.c_str()).x - px(12);
    const std::string label = std::string(item.folder ? icon::kFolder : icon::kFile) + "  " + item.shown;
    const std::string shown = fit_text(label, room);
    const bool is_clicked = ImGui::Selectable(shown.c_str(), false, ImGuiSelectableFlags_AllowDoubleClick);
    if (shown != label) tooltip(item.shown);
    if (is_clicked) {
      if (item.folder)
        into = listed / item.name;
      else
        path = (listed / item.shown).string();
      replaced.clear();
      if (!item.folder && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) done = path;
    }
    if (!item.folder) right_text(size, palette().faint);
    ImGui::PopID();
  }
  if (items.empty())
    dim_text(request.save ? "no file of this kind here" : "no file here that can be opened");
  else if (fitting.empty())
    dim_text("no name here contains what is typed");
  ImGui::EndChild();
  if (!into.empty()) enter(into);
}

void FileDialog::Impl::draw_path(std::string& done) {
  if (just_opened || focuses_path) ImGui::SetKeyboardFocusHere();
  just_opened = focuses_path = false;
  ImGui::SetNextItemWidth(-1);
  // The suggested name of a new file is selected, so that typing replaces it, also before the field has the
  // keyboard.
  std::optional<EarlyTyping> early;
  const std::string before = path;
  if (!has_had_keyboard) {
    std::string typed;
    early.emplace(typed);
    if (request.save && path == request.suggestion && !typed.empty()) path.clear();
    path += typed;
  }
  if (ImGui::InputTextWithHint("##path",
                               request.is_folder ? "path of a folder, or a part of a name below"
                                                 : "path of a file, or a part of a name below",
                               &path, ImGuiInputTextFlags_EnterReturnsTrue))
    done = path;
  if (early && !(request.save && path == request.suggestion)) early->give_to_field();
  has_had_keyboard |= ImGui::IsItemActive();
  if (ImGui::IsItemEdited() || path != before) {
    follow_typed();
    replaced.clear();
    is_ambiguous = false;
  }
}

void FileDialog::Impl::draw_buttons(const Ui& ui, std::string& done) {
  if (ImGui::Button("Cancel")) open = false;
  if (ImGui::IsKeyPressed(ImGuiKey_Escape, false)) {
    if (waits_for_job(ui.state))
      ui.emit(action::CancelNewest{});
    else
      open = false;
  }
  ImGui::SameLine();
  ImGui::BeginDisabled(path.empty() && !request.is_folder);
  if (ImGui::Button(request.save ? "Save" : "Open")) done = request.is_folder ? listed.string() : path;
  ImGui::EndDisabled();
  const std::string refusal =
      is_ambiguous       ? "Several names contain this: type more, or choose one."
      : replaced.empty() ? ""
                         : escaped(replaced.filename().string()) + " exists. Save again to replace it.";
  if (!request.save && refusal.empty()) return;
  ImGui::SameLine(0, px(14));
  ImGui::AlignTextToFramePadding();
  text(fit_text(refusal.empty() ? request.description + ": " + joined(request.endings) : refusal,
                ImGui::GetContentRegionAvail().x),
       refusal.empty() ? palette().dim : palette().warning);
}

void FileDialog::Impl::confirm(const Ui& ui, std::string done) {
  const fs::path typed(done);
  fs::path whole = typed.is_absolute() || is_generator_text(done) ? typed : listed / typed;
  std::error_code none;
  const std::vector<const FolderItem*> fitting = fitting_items();
  const bool is_part = done != "-" && !is_generator_text(done) && done.find("::") == std::string::npos;
  if (!request.save && !fitting.empty() && is_part && !fs::exists(whole, none)) {
    const auto named = std::ranges::find(fitting, typed.filename().string(),
                                         [](const FolderItem* item) { return item->shown; });
    is_ambiguous = focuses_path = named == fitting.end() && fitting.size() > 1;
    if (is_ambiguous) return;
    whole = listed / (named == fitting.end() ? fitting.front() : *named)->name;
    done = whole.string();
  }
  if (fs::is_directory(whole, none) && !(request.is_folder && whole == listed)) return enter(whole);
  if (request.is_folder && !fs::is_directory(whole, none)) return path.clear();
  if (request.save) whole = with_ending(request, whole.string());
  if (request.save && fs::exists(whole, none) && replaced != whole) {
    replaced = whole;
    focuses_path = true;
    return;
  }
  folder = listed;
  open = false;
  request.chosen(ui, is_generator_text(done) ? done : whole.string());
}

void FileDialog::Impl::draw_inside(const Ui& ui) {
  if (just_opened) ImGui::OpenPopup(kTitle);
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x / 2, display.y / 2}, ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({std::min(px(640), display.x * 0.9F), std::min(px(440), display.y * 0.85F)});
  bool keep = true;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(18), px(14)});
  dim_screen(true);
  const bool visible =
      ImGui::BeginPopupModal(kTitle, &keep,
                             ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                 ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleVar();
  if (!visible) {
    open = false;
    return;
  }
  bold_text(request.title, 15, palette().text);
  small_text(escaped(listed.string()));
  std::string done;
  draw_path(done);
  draw_items(done);
  draw_buttons(ui, done);
  if (open && !done.empty()) confirm(ui, std::move(done));
  if (!open) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

void FileDialog::draw(const Ui& ui) {
  if (!impl_->open) return;
  if (!impl_->is_native()) return impl_->draw_inside(ui);
  const std::optional<std::string> chosen = impl_->poll_native();
  if (!chosen) return ui.wake_in(0.1);
  impl_->open = false;
  impl_->native = std::monostate{};
  if (chosen->empty()) return;
  impl_->folder = fs::path(*chosen).parent_path();
  const FileDialog::Request& request = impl_->request;
  request.chosen(ui, request.save ? with_ending(request, *chosen) : *chosen);
}

}  // namespace spyctrum::panels
