// SPDX-License-Identifier: Apache-2.0
// Everything that a user can request, as values. Panels emit them into an ActionQueue; the frame loop and
// tests pass them to Controller::dispatch(). No action blocks: work that takes time becomes a job, errors
// become a toast and a log line.
#pragma once

#include <any>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/controller/state/activity.hpp"
#include "app/controller/state/collection.hpp"
#include "app/controller/state/columns.hpp"
#include "app/controller/state/ids.hpp"
#include "app/controller/state/matrices.hpp"
#include "app/controller/state/pictures.hpp"
#include "app/controller/state/program.hpp"
#include "app/controller/state/teaching.hpp"
#include "core/advisor/advice.hpp"
#include "core/matrix/drawing.hpp"
#include "core/request/parameters.hpp"

namespace spyctrum::action {

// Matrices ----------------------------------------------------------------------------------------

/// Reads `source` (a path, PATH::NAME, "-" or a gen: text) in the background, then adds the matrix and, if
/// `select` is set, selects it. A source that is open already is only selected (ReloadMatrix reads it again),
/// unless it was read in another way than `reading`. For a folder, see OpenFolder; for the folder of a study,
/// see OpenStudy.
struct OpenFile {
  std::string source;
  bool select = true;
  std::optional<Reading> reading{};  ///< empty: as the reader decides, or as it was read before
};
/// Lists the files below a folder that may hold a matrix, and shows the list.
struct OpenFolder {
  std::string path;
};
/// Replaces the selected matrix by the one `step` positions after it (negative: before it) in the list of the
/// folder, or of its file if the file has several matrices and is not below the folder.
struct OpenNeighbour {
  int step = 1;
};
/// Replaces the selected matrix by the one with this source, from the same list as OpenNeighbour. With the
/// source of the selected matrix, stops an opening that is still running.
struct OpenInList {
  std::string source;
};
/// Requests thumbnails for these sources (as in OpenFile): the lines of the open list that are on the screen
/// and have none. To be sent when they change.
struct RequestListThumbnails {
  std::vector<std::string> sources;
};
/// Reads the selected matrix again with this reading.
struct SetReading {
  Reading reading;
};
struct SelectMatrix {
  std::size_t index = 0;
};
/// Closes an open matrix; its jobs are stopped.
struct CloseMatrix {
  std::size_t index = 0;
};
/// Reads the selected matrix again and replaces it when reading is complete (F5).
struct ReloadMatrix {};
struct ClearRecent {};

// Columns -----------------------------------------------------------------------------------------

/// Appends a column with default parameters that follows the global block.
struct AddColumn {
  std::string method;
  Arrangement arrangement{};
};
struct RemoveColumn {
  ColumnId column = 0;
};
/// Moves the column to position `index`.
struct MoveColumn {
  ColumnId column = 0;
  std::size_t index = 0;
};
struct SetColumnMethod {
  ColumnId column = 0;
  std::string method;
};
/// Sets a parameter, checked against the method's schema; "block" gives the column its own block size.
struct SetColumnParameter {
  ColumnId column = 0;
  std::string name;
  ParameterInput value;
};
/// Sets the column's own block size; empty: the column follows the global one.
struct SetColumnBlock {
  ColumnId column = 0;
  std::optional<std::uint32_t> block;
};
/// Applies the advice in the refusal of a column (advised_setting()); a block size is set for all columns
/// that follow the slider.
struct ApplyAdvice {
  ColumnId column = 0;
};
struct SetColumnOwnRange {
  ColumnId column = 0;
  bool own = false;
};
/// Sets the column's own zoom, range and colour map; empty members are shared with the other columns.
struct SetColumnLook {
  ColumnId column = 0;
  ColumnLook look;
};
/// Chooses the only column that GridForm::one_large draws large.
struct SetColumnLarge {
  ColumnId column = 0;
  bool large = true;
};
/// Sets the entries of a column: the matrix as it is, the selected region, or another order of rows and
/// columns.
struct SetColumnArrangement {
  ColumnId column = 0;
  Arrangement arrangement;
};
/// Pauses streams of exact planes after this share of their rows, at the next check point; 1: never.
struct SetStreamEnd {
  double share = 1;
};
/// Starts a run that was held back, failed or was cancelled.
struct RunColumn {
  ColumnId column = 0;
};
/// Pauses the streaming of a plane; RunColumn resumes it.
struct StopStream {
  ColumnId column = 0;
};
/// Sets the global block size, clamped to 1 … kLargestBlock. Restarts work at once: the latest value wins.
struct SetBlock {
  std::uint32_t block = 16;
};

/// Sets one budget for all methods with a block size; with kind none they follow the slider again.
struct SetBudget {
  Budget budget;
};

// Views -------------------------------------------------------------------------------------------

/// Reports the size, in device pixels, of one picture of the plane. To be sent when it changes.
struct SetPictureSize {
  Plane plane = Plane::spectrum;
  PixelSize size;
};
/// Pans or zooms. `remember` puts the previous rectangle into the history: true for the first step (or the
/// end) of a gesture, false in between.
struct SetView {
  Plane plane = Plane::spectrum;
  PlaneRect rect;
  bool remember = true;
  ColumnId column = 0;  ///< the column whose own view is set, if it has one; 0: the linked view
};
struct FitView {
  Plane plane = Plane::spectrum;
  ColumnId column = 0;
};
/// Shows one coefficient (or entry) per pixel, around the centre of the view.
struct OneToOne {
  Plane plane = Plane::spectrum;
};
/// Shows both planes whole, clears the history and restores the initial scale (R).
struct ResetViews {};
struct ViewBack {
  Plane plane = Plane::spectrum;
};
struct ViewForward {
  Plane plane = Plane::spectrum;
};
/// Centres the view on (row, col) = (u, v) or (i, j) and sets the crosshair there. Ctrl+G.
struct GoTo {
  Plane plane = Plane::spectrum;
  std::int64_t row = 0, col = 0;
};
/// The cursor is at (row, col) of the plane: requests the values there.
struct SetCrosshair {
  Plane plane = Plane::spectrum;
  double row = 0, col = 0;
};
struct ClearCrosshair {};
struct SetKeepAspect {
  bool keep = false;
};
/// Selects a region of the pattern, whose spectrum alone a column shows (the column is added if there is
/// none); empty: no region and no such columns. `live`: the region is still being dragged.
struct SelectRegion {
  std::optional<PlaneRect> region;
  bool live = false;
};
/// Draws the wave of frequency (u, v) over the pattern; empty: none.
struct ShowWave {
  std::optional<std::pair<std::int64_t, std::int64_t>> frequency;
};
/// Replaces all scale settings; percentages outside 0 … 100 or out of order are refused with a toast.
struct SetScale {
  ScaleSettings scale;
};
/// Returns to the automatic range (A).
struct AutoRange {};
struct SetCompare {
  CompareSettings compare;
};

// Jobs --------------------------------------------------------------------------------------------

struct CancelJob {
  JobId job = 0;
};
/// Cancels the newest running job that the user waits for; if there is none, closes the overlay (Escape).
struct CancelNewest {};
/// Runs the methods with a block size, at eight block sizes, for the trade-off plot.
struct StartSweep {
  bool skipped = false;  ///< true: continues with the runs that the last sweep skipped
};
/// Streams the exact plane once for the theory panel, to measure how its power is distributed.
struct MeasureTheory {};
/// Starts the advisor on the selected matrix: pilot runs of every method, then runs of the settings that rank
/// first under `allowance`. Earlier results are kept unless `anew` is set.
struct AskAdvisor {
  Allowance allowance;
  bool anew = false;
};
/// Selects the column of a method at a block size; adds it if there is none.
struct UseSetting {
  std::string method;
  std::optional<std::uint32_t> block;
};
/// Compares the reconstructions with every exact row, also where the plane is large.
struct ComputeErrors {};

// Studies ------------------------------------------------------------------------------------------

/// Reads the folder of a study; OpenFile with such a folder does the same.
struct OpenStudy {
  std::string folder;
};
struct CloseStudy {};
/// Opens a matrix of the study with a method and block size.
struct OpenStudyCell {
  std::string matrix;
  std::string method;
  std::optional<std::uint32_t> block;
};

// Lessons ------------------------------------------------------------------------------------------

/// Reads a lesson and shows its first step; what was on the screen returns when it is closed. OpenFile does
/// the same where it is given a .lesson file.
struct OpenLesson {
  std::string path;
};
/// Shows a step of the open lesson. The step that is shown already is restored as it was at first.
struct ShowStep {
  std::size_t step = 0;
};
/// The user's answer to the question of the step; the step's pictures and the right answer appear.
struct GuessAnswer {
  std::size_t choice = 0;
};
struct CloseLesson {};
/// Looks for lessons again and shows the list of them.
struct ListLessons {};

// Explanation and sandbox -------------------------------------------------------------------------

/// Explains what the spectrum of the selected matrix means for its pattern; matrices that are selected later
/// are explained as well.
struct Explain {};
/// Shows a finding of the explanation in both domains; if it is shown already, shows the whole planes again.
struct ShowFinding {
  std::size_t finding = 0;
};
/// Opens a drawing of side × side positions with its main diagonal (core/matrix/drawing.hpp).
struct NewDrawing {
  std::uint32_t side = 64;
};
/// Opens the drawing that was left last, or a new one. If a drawing is shown, returns to the matrix, the
/// columns and the views from which it was opened; the drawing stays in the list of matrices.
struct SwitchDrawing {};
/// Opens the selected region of the pattern, or what is in view of it, as a drawing.
struct DrawRegion {};
/// Draws into the selected matrix where it is a drawing. `live`: the gesture has not ended; undo takes back
/// the whole gesture.
struct Draw {
  Stroke stroke;
  bool live = false;
};
struct ClearDrawing {};
/// Gives the coefficient (u, v) of the drawing and its mirror another magnitude, at the same phase.
struct ChangeCoefficient {
  std::int64_t u = 0, v = 0;
  double magnitude = 0;
};
/// Takes back all changes of coefficients.
struct RestoreSpectrum {};
/// Writes the drawing's history as a lesson with a step for each stroke.
struct ExportSteps {
  std::string path;
};
struct UndoStroke {};
struct RedoStroke {};
/// Sent by DrawingService: replaces the selected drawing by that of this gen: text, with the same view.
struct ReplaceDrawing {
  std::string text;
};

// Moving pictures ---------------------------------------------------------------------------------

/// Begins a moving picture with its first frame; StopAnimation returns to the settings before it.
struct Animate {
  Swept swept = Swept::block;
};
/// Shows a frame and stops playing.
struct ShowFrame {
  std::size_t frame = 0;
};
/// Plays the frames, again from the first after the last, at most `per_second` a second.
struct PlayFrames {
  bool play = true;
  double per_second = 2;
};
/// Writes all frames: .webp, or one .png for each, numbered. Light or dark, `pixels` per point.
struct ExportAnimation {
  std::string path;
  bool dark = false;
  double pixels = 2;
};
/// Stops writing and leaves no file; where none is being written, ends the moving picture.
struct StopAnimation {};

// Collections --------------------------------------------------------------------------------------

/// Reads a collection (the default one where `path` is empty) and shows it over the whole screen. OpenFile
/// with the file of a collection does the same. A collection that is open already is read again.
struct OpenCollection {
  std::string path;
};
struct CloseCollection {};
/// Shows the collection over the whole screen, or only in the panel beside the pictures. Opens the default
/// collection if none is open.
struct ShowCollection {
  bool show = true;
};
/// Replaces conditions and order.
struct ChooseInCollection {
  CollectionChoice choice;
};
/// Requests the thumbnails of these contents, which the panel draws and CollectionView::thumbnails lacks. To
/// be sent when they change.
struct RequestThumbnails {
  std::vector<std::uint64_t> contents;
};
/// Looks for the neighbours of a selected matrix that is too large for an automatic search.
struct FindNeighbours {};
/// Makes fingerprints of all matrices below a folder, into the collection that is open, or the default one.
struct IndexFolder {
  std::string folder;
};

// Exports -----------------------------------------------------------------------------------------

/// Writes features and costs of all columns; the path's ending, .csv or .json, decides the format.
struct ExportFeatures {
  std::string path;
};
/// Writes the selected matrix in the format of the path's ending, with its weights if it has any.
struct ExportMatrix {
  std::string path;
};
/// Writes the stored values of a column: .npy, or .npz with the frequencies.
struct ExportValues {
  ColumnId column = 0;
  std::string path;
};
/// Writes one picture of the grid as PNG, coloured as shown, with provenance.
struct ExportPicture {
  ColumnId column = 0;
  Row row = Row::spectrum;
  std::string path;
  bool announced = true;  ///< a message says that the file was written
};
/// Writes the open rows of all columns, or one picture, as a figure with title, axes, captions and colour
/// bars: .svg, .pdf or .png.
struct ExportFigure {
  struct One {
    ColumnId column = 0;
    Row row = Row::spectrum;
  };
  std::optional<One> one;
  std::string path;
  bool dark = false;
  double pixels = 3;      ///< for PNG: pixels per point
  bool announced = true;  ///< a message says that the file was written
};
struct SaveSession {
  std::string path;
};
struct LoadSession {
  std::string path;
};
/// Writes the whole screen as PNG; the frame does this after the next draw.
struct CaptureScreen {
  std::string path;
};
/// Sent by the frame: the result of CaptureScreen (`error` empty: written).
struct CaptureDone {
  std::string path;
  std::string error;
};

// Interface ---------------------------------------------------------------------------------------

/// Undoes the last change of settings or columns (HistoryService); Redo repeats it.
struct Undo {};
struct Redo {};
/// A key or a mouse button was pressed: later changes are a new step of undo.
struct BeginChange {
  bool held = false;  ///< the button is still down: all changes until EndChange are one step
};
struct EndChange {};
struct SetOverlay {
  Overlay overlay = Overlay::none;
};
struct ShowSidePanels {
  bool show = true;
};
/// Shows the pictures alone, with large type, to be read from the last row of a room.
struct ShowPresentation {
  bool show = true;
};
struct ShowLog {
  bool show = true;
};
struct ResetLayout {};
struct FocusColumn {
  std::size_t index = 0;
};
struct SetSettings {
  Settings settings;
};
struct DismissToast {
  std::uint64_t toast = 0;
};
/// Keeps the toast until it is dismissed.
struct PinToast {
  std::uint64_t toast = 0;
};
/// Adds a log line, and a toast if `toast` is set. A toast with an offer stays until it is dismissed.
struct Notify {
  Level level = Level::info;
  std::string text;
  bool toast = true;
  std::optional<ReadingOffer> offer{};
};
struct ClearLog {};
struct Quit {};

}  // namespace spyctrum::action

namespace spyctrum {

template <class... All>
struct TypeList {};

/// All actions.
using ActionTypes = TypeList<
    action::OpenFile, action::OpenFolder, action::OpenNeighbour, action::OpenInList,
    action::RequestListThumbnails, action::SetReading, action::SelectMatrix, action::CloseMatrix,
    action::ReloadMatrix, action::ClearRecent, action::AddColumn, action::RemoveColumn, action::MoveColumn,
    action::SetColumnMethod, action::SetColumnParameter, action::SetColumnBlock, action::ApplyAdvice,
    action::SetColumnArrangement, action::SetColumnOwnRange, action::SetColumnLook, action::SetColumnLarge,
    action::RunColumn, action::StopStream, action::SetStreamEnd, action::SetBudget, action::SetBlock,
    action::SetPictureSize, action::SetView, action::FitView, action::OneToOne, action::ResetViews,
    action::ViewBack, action::ViewForward, action::GoTo, action::SetCrosshair, action::ClearCrosshair,
    action::SetKeepAspect, action::SelectRegion, action::ShowWave, action::SetScale, action::AutoRange,
    action::SetCompare, action::CancelJob, action::CancelNewest, action::StartSweep, action::MeasureTheory,
    action::AskAdvisor, action::UseSetting, action::OpenStudy, action::CloseStudy, action::OpenStudyCell,
    action::OpenCollection, action::CloseCollection, action::ShowCollection, action::ChooseInCollection,
    action::RequestThumbnails, action::FindNeighbours, action::IndexFolder, action::ComputeErrors,
    action::OpenLesson, action::ShowStep, action::GuessAnswer, action::CloseLesson, action::ListLessons,
    action::Explain, action::ShowFinding, action::NewDrawing, action::SwitchDrawing, action::DrawRegion,
    action::Draw, action::ClearDrawing, action::UndoStroke, action::RedoStroke, action::ReplaceDrawing,
    action::ChangeCoefficient, action::RestoreSpectrum, action::ExportSteps, action::Animate,
    action::ShowFrame, action::PlayFrames, action::ExportAnimation, action::StopAnimation,
    action::ShowPresentation, action::ExportFeatures, action::ExportMatrix, action::ExportValues,
    action::ExportPicture, action::ExportFigure, action::SaveSession, action::LoadSession,
    action::CaptureScreen, action::CaptureDone, action::Undo, action::Redo, action::BeginChange,
    action::EndChange, action::SetOverlay, action::ShowSidePanels, action::ShowLog, action::ResetLayout,
    action::FocusColumn, action::SetSettings, action::DismissToast, action::PinToast, action::Notify,
    action::ClearLog, action::Quit>;

template <class One, class List>
inline constexpr bool kIsOneOf = false;
template <class One, class... All>
inline constexpr bool kIsOneOf<One, TypeList<All...>> = (std::is_same_v<One, All> || ...);

/// Any of the actions above.
class Action {
 public:
  template <class One>
  requires kIsOneOf<One, ActionTypes> Action(One one) : any_(std::move(one)) {}
  /// The action, if it is of this type; else null.
  template <class One>
  [[nodiscard]] const One* get_if() const {
    return std::any_cast<One>(&any_);
  }

 private:
  std::any any_;
};

/// Actions of one frame, in the order in which they were emitted.
using ActionQueue = std::vector<Action>;

}  // namespace spyctrum
