// SPDX-License-Identifier: Apache-2.0
// The parts of the screen: one function and one file each.
#pragma once

#include "app/panels/widgets/ui.hpp"

namespace spyctrum::panels {

// Names of the dock windows; the layout and the tests use them.
inline constexpr const char* kComparison = "Comparison";
inline constexpr const char* kSetup = "Setup";
inline constexpr const char* kActivity = "Activity";
inline constexpr const char* kFeatures = "Features";
inline constexpr const char* kCost = "Cost";
inline constexpr const char* kStrongest = "Strongest";
inline constexpr const char* kTheory = "Theory";
inline constexpr const char* kAdvisor = "Advisor";
inline constexpr const char* kStudy = "Study";
inline constexpr const char* kCollection = "Collection";
inline constexpr const char* kLog = "Log";
inline constexpr const char* kLesson = "Lesson";
inline constexpr const char* kSandbox = "Sandbox";
inline constexpr const char* kAnimation = "Animation";
inline constexpr const char* kExplain = "Explain";

void draw_menu_bar(const Ui& ui);    // menu_bar.cpp
void draw_status_bar(const Ui& ui);  // status_bar.cpp; takes its strip of the viewport before the dock space
/// Which panels are shown beside the pictures: those at the left (Setup, Activity) and those at the right
/// (Features and the like). A narrow window has room for one side, and a strip at its edge opens the other.
struct ShownSides {
  bool left = false, right = false;
};
[[nodiscard]] ShownSides shown_sides(const Ui& ui);  // layout.cpp
void draw_layout(const Ui& ui);                      // layout.cpp: dock space, default layout
void draw_comparison(const Ui& ui);                  // comparison_panel.cpp
void draw_setup(const Ui& ui);           // setup_panel.cpp: the four sections below in one scrolling card
void draw_matrix_section(const Ui& ui);  // matrix_section.cpp
/// magnitude_section.cpp: the histogram of |a| of a matrix with weights, and the range shown of it.
void draw_magnitude_section(const Ui& ui, const OpenMatrix& open);
void draw_block_section(const Ui& ui);                // block_section.cpp
void draw_columns_section(const Ui& ui);              // columns_section.cpp
void draw_scale_section(const Ui& ui);                // scale_section.cpp
void draw_activity(const Ui& ui);                     // activity_panel.cpp: jobs and memory
void draw_features(const Ui& ui);                     // features_panel.cpp: radial, sectors, table
void draw_streams(const Ui& ui);                      // stream_section.cpp: exact planes being computed
void draw_radial_plot(const Ui& ui, float height);    // radial_plot.cpp
void draw_radial_errors(const Ui& ui, float height);  // radial_plot.cpp
void draw_sector_plot(const Ui& ui, float height);    // sector_plot.cpp
void draw_feature_table(const Ui& ui);                // feature_table.cpp
[[nodiscard]] std::size_t feature_table_lines();      // of it, without its head
void draw_cost(const Ui& ui);                         // cost_panel.cpp: stages and the trade-off
void draw_strongest(const Ui& ui);                    // strongest_panel.cpp: largest coefficients
void draw_theory(const Ui& ui);                       // theory_panel.cpp: bounds beside measured values
void draw_advisor(const Ui& ui);                      // advisor_panel.cpp
void draw_study(const Ui& ui);                        // study_panel.cpp: beside an open matrix
void draw_study_alone(const Ui& ui);                  // study_panel.cpp: no matrix is open
void draw_lesson(const Ui& ui);                       // lesson_panel.cpp: the open lesson
void draw_explain(const Ui& ui);                      // explain_panel.cpp: what the spectrum means
void draw_sandbox(const Ui& ui);                      // sandbox_panel.cpp: tools of a drawing
void draw_animation(const Ui& ui);                    // animation_panel.cpp: the player of a moving picture
void draw_presenter(const Ui& ui);                    // presentation.cpp: a large mouse pointer
void draw_lesson_list(const Ui& ui);                  // lesson_panel.cpp: a dialog
void draw_lesson_offers(const Ui& ui);                // lesson_panel.cpp: on the start screen
void draw_collection(const Ui& ui);                   // collection_panel.cpp: beside an open matrix
void draw_collection_alone(const Ui& ui);             // collection_panel.cpp: over the whole screen
void draw_log(const Ui& ui);                          // log_panel.cpp
void draw_toasts(const Ui& ui);                       // toasts.cpp
/// One matrix that is being read; `picture_height`: largest height of its pattern in points, 0: no picture.
void draw_loading(const Ui& ui, const LoadingMatrix& loading, float picture_height);  // loading.cpp
void draw_loading_screen(const Ui& ui);   // loading.cpp: no matrix is open yet, one is being read
void draw_start_screen(const Ui& ui);     // start_screen.cpp: no matrix is open
void draw_gallery_overlay(const Ui& ui);  // start_screen.cpp: the same over an open matrix
void draw_command_palette(const Ui& ui);  // command_palette.cpp
void draw_folder_list(const Ui& ui);      // file_lists.cpp: the files below a folder
void draw_matrix_list(const Ui& ui);      // file_lists.cpp: the matrices that the file holds
void draw_overlays(const Ui& ui);         // overlays.cpp: help, about, go to, preferences
void draw_panel_help(const Ui& ui);       // panel_help.cpp: every panel with its picture, a page of the help
void draw_related_work(const Ui& ui);     // related_work.cpp: a page of the help

/// Menu entries that add a column, one for each registered method.
void method_menu(const Ui& ui);  // columns_section.cpp
/// Menu entries that pin the arrangement of the pictures or leave it to the program.
void grid_menu(const Ui& ui);  // comparison_panel.cpp
/// Content of a popup with all settings of one column: method, block size, parameters, order of rows and
/// columns.
void column_menu(const Ui& ui, const Column& column);  // column_menu.cpp

}  // namespace spyctrum::panels
