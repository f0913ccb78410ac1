// SPDX-License-Identifier: Apache-2.0
// The parts of the collection's panel. Each draws into the current window.
#pragma once

#include <imgui.h>

#include <cstddef>
#include <string>

#include "app/panels/widgets/ui.hpp"

namespace spyctrum::panels {

/// contact_sheet.cpp: a card for each row that is shown, as many as fit beside each other; only those on the
/// screen are drawn.
void draw_contact_sheet(const Ui& ui, ImVec2 size);
/// scatter.cpp: two columns of the table against each other.
void draw_collection_scatter(const Ui& ui, ImVec2 size);
/// neighbours.cpp: the entries nearest to the selected matrix, each with the parts that agree.
void draw_neighbours(const Ui& ui);

/// Draws pattern and spectrum of a row (ThumbnailTextures::draw()); the panel requests those that are
/// missing.
void draw_row_pictures(const Ui& ui, std::size_t row, ImVec2 at, float side, float gap);
/// Opens the matrix of a row, or returns to it where it is selected.
void open_row(const Ui& ui, std::size_t row);
/// The name of the first file of the row, such as "band.mtx".
[[nodiscard]] std::string name_of_row(const CollectionTable& table, std::size_t row);
/// "1,000 × 1,000  ·  5,990 entries".
[[nodiscard]] std::string facts_of_row(const CollectionTable& table, std::size_t row);
/// A value of a column as the screen shows it: "5,990", "12 kB", "yes", "0.8123".
[[nodiscard]] std::string value_text(const CollectionColumn& column, std::size_t row);
/// The tooltip of a card or point: the pictures of its row, then its values.
void row_tooltip(const Ui& ui, std::size_t row);

}  // namespace spyctrum::panels
