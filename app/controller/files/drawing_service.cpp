// SPDX-License-Identifier: Apache-2.0
// The source of a drawing is a gen: text that names its entries; every stroke replaces it. Sessions store a
// drawing by its source, and export treats it as any matrix.
#include "app/controller/files/drawing_service.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/controller/files/exports.hpp"
#include "app/controller/files/session_service.hpp"
#include "app/controller/files/source_names.hpp"
#include "core/io/quote.hpp"
#include "core/methods/method.hpp"
#include "core/pictures/view.hpp"

namespace spyctrum {

namespace {

constexpr std::size_t kMostStrokes = 500, kMostChanged = 64;

}  // namespace

void DrawingService::handle(const action::NewDrawing& chosen) {
  const std::uint32_t side = std::clamp<std::uint32_t>(chosen.side, 1, kLargestDrawing);
  Drawing drawing(side, side);
  // A new drawing begins with its diagonal: the spectrum of an empty matrix shows nothing.
  for (std::uint32_t k = 0; k < side; ++k) drawing.at(k, k) = 1;
  open_drawing(drawing);
}

void DrawingService::handle(const action::SwitchDrawing& /*chosen*/) {
  if (state().sandbox.is_drawing && from_) {
    left_ = state().matrix()->source;
    sessions_.apply(*std::exchange(from_, std::nullopt));
    return;
  }
  const bool is_open =
      std::ranges::find(state().matrices, left_, &OpenMatrix::source) != state().matrices.end();
  if (!state().sandbox.is_drawing && is_open)
    open_drawing(*parse_drawing(left_));
  else
    send(action::NewDrawing{});
}

/// Leaves one column, with pattern and exact spectrum, so that both are large. Undo restores the other
/// columns.
void DrawingService::open_drawing(const Drawing& drawing) {
  if (!state().sandbox.is_drawing) {
    from_.reset();
    if (state().matrix() != nullptr) {
      from_ = session_of(state());
      from_->matrices = {from_->matrices.at(from_->selected)};
      from_->selected = 0;
    }
    send(action::SelectRegion{});
    if (state().columns.empty()) send(action::AddColumn{usual_method(MethodRole::window).info().id});
    while (state().columns.size() > 1) send(action::RemoveColumn{state().columns.back().id});
    const ColumnId column = state().columns.front().id;
    send(action::SetColumnMethod{column, usual_method(MethodRole::window).info().id});
    send(action::SetColumnArrangement{column, {}});
    CompareSettings compare = state().compare;
    compare.rows = {true, true, false, false};
    send(action::SetCompare{compare});
  }
  opened_ = drawing_text(drawing);
  send(action::OpenFile{opened_});
}

void DrawingService::handle(const action::DrawRegion& /*chosen*/) {
  const OpenMatrix* open = state().matrix();
  if (open == nullptr) return;
  const PlaneRect rect = state().region.value_or(state().view(Plane::pattern).rect);
  const SparsePattern& pattern = *open->matrix.pattern;
  const auto clamped = [](double value, std::uint64_t most) {
    return static_cast<std::int64_t>(std::clamp(std::floor(value), 0.0, static_cast<double>(most)));
  };
  const std::int64_t top = clamped(rect.top, pattern.rows()), left = clamped(rect.left, pattern.cols());
  const std::int64_t height = clamped(std::ceil(rect.bottom), pattern.rows()) - top,
                     width = clamped(std::ceil(rect.right), pattern.cols()) - left;
  if (height < 1 || width < 1 || height > kLargestDrawing || width > kLargestDrawing)
    return notify(Level::warning,
                  "A drawing has at most 128 rows and columns; the selected part has " +
                      grouped(static_cast<std::uint64_t>(height)) + " × " +
                      grouped(static_cast<std::uint64_t>(width)) +
                      ". Zoom the pattern, or select a smaller region (Shift and a right drag).");
  Drawing drawing(static_cast<std::uint32_t>(height), static_cast<std::uint32_t>(width));
  const auto ids = pattern.column_ids();
  const auto first = std::ranges::lower_bound(ids, static_cast<Index>(left));
  for (auto one = first; one != ids.end() && *one < left + width; ++one)
    for (const Index row : pattern.column(static_cast<std::size_t>(one - ids.begin())))
      if (row >= top && row < top + height)
        drawing.at(static_cast<std::uint32_t>(row - top), static_cast<std::uint32_t>(*one - left)) = 1;
  open_drawing(drawing);
}

void DrawingService::handle(const action::Draw& chosen) {
  const OpenMatrix* open = state().matrix();
  if (open == nullptr || !is_drawing_text(open->source)) return;
  // A line or a block that is still dragged replaces its previous state; the points of a freehand line add
  // up.
  const bool adds_up = chosen.stroke.tool == Stroke::Tool::point;
  auto drawing = parse_drawing(!before_.empty() && !adds_up ? before_ : open->source);
  if (!drawing) return report(drawing.error());
  apply(chosen.stroke, *drawing);
  change_to(drawing_text(*drawing), chosen.live);
}

void DrawingService::handle(const action::ClearDrawing& /*chosen*/) {
  const OpenMatrix* open = state().matrix();
  if (open == nullptr || !is_drawing_text(open->source)) return;
  const auto drawing = parse_drawing(open->source);
  if (drawing) change_to(drawing_text(Drawing(drawing->rows, drawing->cols)), false);
}

void DrawingService::change_to(const std::string& text, bool live) {
  if (before_.empty()) before_ = state().matrix()->source;
  if (text != state().matrix()->source) send(action::ReplaceDrawing{text});
  if (live) return;
  const std::string before = std::exchange(before_, {});
  if (before == text) return;
  back_.push_back(before);
  if (back_.size() > kMostStrokes) back_.erase(back_.begin());
  forward_.clear();
}

void DrawingService::handle(const action::UndoStroke& /*chosen*/) {
  if (changed_.empty()) return restore(back_, forward_);
  changed_.pop_back();
  show_changes();
}
void DrawingService::restore(std::vector<std::string>& from, std::vector<std::string>& to) {
  const OpenMatrix* open = state().matrix();
  if (from.empty() || open == nullptr || open->id != matrix_) return;
  before_.clear();
  to.push_back(open->source);
  const std::string drawing = std::move(from.back());
  from.pop_back();
  send(action::ReplaceDrawing{drawing});
}

void DrawingService::handle(const action::ChangeCoefficient& chosen) {
  const OpenMatrix* open = state().matrix();
  if (open == nullptr || !state().sandbox.is_drawing || !std::isfinite(chosen.magnitude)) return;
  const auto same = std::ranges::find_if(
      changed_, [&](const ChangedCoefficient& one) { return one.u == chosen.u && one.v == chosen.v; });
  const double after = std::max(chosen.magnitude, 0.0);
  if (same != changed_.end()) {
    same->after = after;
  } else if (changed_.size() == kMostChanged) {
    return notify(Level::warning, "At most 64 coefficients can be changed. Restore the spectrum first.");
  } else {
    const double before = std::abs(coefficient_at(*open->matrix.pattern, chosen.u, chosen.v));
    changed_.push_back({chosen.u, chosen.v, before, after});
  }
  changed_of_ = open->source;
  show_changes();
}

void DrawingService::handle(const action::RestoreSpectrum& /*chosen*/) {
  changed_.clear();
  show_changes();
}

void DrawingService::show_changes() {
  SandboxView& view = state().sandbox;
  view.changed = changed_;
  view.matrix.reset();
  if (changed_.empty()) return;
  view.matrix = std::make_shared<const std::vector<float>>(
      matrix_of_changed_spectrum(*state().matrix()->matrix.pattern, changed_));
}

void DrawingService::handle(const action::ExportSteps& chosen) {
  const OpenMatrix* open = state().matrix();
  if (open == nullptr || !state().sandbox.is_drawing) return;
  // A lesson has at most 200 steps, for the last strokes.
  constexpr std::size_t kMostSteps = 200;
  std::vector<std::string> drawings = back_;
  drawings.push_back(open->source);
  if (drawings.size() > kMostSteps)
    drawings.erase(drawings.begin(), drawings.end() - static_cast<std::ptrdiff_t>(kMostSteps));
  std::string text = "spyctrum lesson 1\ntitle: A drawing, stroke by stroke\nabout: Drawn in the sandbox.\n";
  for (std::size_t k = 0; k < drawings.size(); ++k) {
    const std::string number = std::to_string(k + 1);
    text +=
        "\nstep: Stroke " + number + "\ntext: Write here what the step shows.\nmatrix: " + drawings[k] + "\n";
  }
  jobs().submit(
      request_job(Lane::input_output, "write/" + chosen.path, "Writing " + short_name(chosen.path)),
      [path = chosen.path, text](JobContext&) { export_text(path, text); },
      [this, path = chosen.path](const Result<void>& written) {
        if (!written) return report(written.error());
        notify(Level::info,
               "Wrote " + path +
                   ", a lesson. Write its title: and about:, and the text: of each step, in any text "
                   "editor, then open it from the list of lessons (F2).");
      });
}

void DrawingService::reconcile() {
  const OpenMatrix* open = state().matrix();
  const MatrixId now = open != nullptr && is_drawing_text(open->source) ? open->id : 0;
  if (now != matrix_) {
    matrix_ = now;
    is_own_ = now != 0 && open->source == std::exchange(opened_, {});
    back_.clear();
    forward_.clear();
    before_.clear();
  }
  // A drawing that belongs to a lesson cannot be changed; one that the reader opens meanwhile can.
  SandboxView& view = state().sandbox;
  view.is_drawing = now != 0 && (is_own_ || !state().lessons.lesson);
  view.can_undo = !back_.empty() || !changed_.empty();
  view.can_redo = !forward_.empty();
  // The changed coefficients belong to the spectrum of one drawing.
  if (!changed_.empty() && (!view.is_drawing || open->source != changed_of_)) {
    changed_.clear();
    show_changes();
  }
}

}  // namespace spyctrum
