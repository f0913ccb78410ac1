// SPDX-License-Identifier: Apache-2.0
// Texts of rows, and what a click on a row does.
#include "app/panels/collection/collection_parts.hpp"

#include "app/panels/collection/thumbnail_textures.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/widgets.hpp"
#include "core/features/feature_table.hpp"
#include "core/matrix/generators.hpp"

namespace spyctrum::panels {

void draw_row_pictures(const Ui& ui, std::size_t row, ImVec2 at, float side, float gap) {
  const CollectionView& view = ui.state.collection;
  const std::uint64_t content = view.table->matrices[row].content;
  const auto found = view.thumbnails.find(content);
  if (found == view.thumbnails.end()) ui.memory.collection.missing.push_back(content);
  ui.memory.thumbnails->draw(ui, found == view.thumbnails.end() ? nullptr : found->second, at, side, gap);
}

void open_row(const Ui& ui, std::size_t row) {
  const std::string& source = ui.state.collection.table->matrices[row].files.front();
  const OpenMatrix* open = ui.state.matrix();
  if (open != nullptr && open->source == source)
    ui.emit(action::ShowCollection{false});
  else
    ui.emit(action::OpenFile{source});
}

std::string name_of_row(const CollectionTable& table, std::size_t row) {
  const std::string& source = table.matrices[row].files.front();
  return is_generator_text(source) ? source.substr(4) : short_name(source);
}

std::string facts_of_row(const CollectionTable& table, std::size_t row) {
  const IndexedMatrix& matrix = table.matrices[row];
  return grouped(matrix.rows) + " × " + grouped(matrix.cols) + "  ·  " +
         counted(matrix.nonzeros, "entry", "entries");
}

std::string value_text(const CollectionColumn& column, std::size_t row) {
  const double value = column.values[row];
  switch (column.kind) {
    case CollectionColumn::Kind::count:
      return grouped(static_cast<std::uint64_t>(value));
    case CollectionColumn::Kind::bytes:
      return bytes_text(static_cast<std::uint64_t>(value));
    case CollectionColumn::Kind::flag:
      return value != 0 ? "yes" : "no";
    case CollectionColumn::Kind::real:
      break;
  }
  return number_text(value, 4);
}

void row_tooltip(const Ui& ui, std::size_t row) {
  const CollectionTable& table = *ui.state.collection.table;
  const IndexedMatrix& matrix = table.matrices[row];
  ImGui::BeginTooltip();
  const float side = px(128), gap = px(6);
  draw_row_pictures(ui, row, ImGui::GetCursorScreenPos(), side, gap);
  ImGui::Dummy({2 * side + gap, side + px(4)});
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + px(360));
  ImGui::TextUnformatted(name_of_row(table, row).c_str());
  ImGui::PopTextWrapPos();
  small_text(facts_of_row(table, row) + (matrix.symmetric ? "  ·  symmetric" : ""));
  std::string line;
  for (const FeatureDefinition& feature : kFeatureTable) {
    if (feature.is_distribution()) continue;
    const CollectionColumn& column = table.columns[table.column(feature.id)];
    line += (line.empty() ? "" : "  ·  ") + column.label + " " + value_text(column, row);
  }
  small_text(line + (matrix.exact ? "" : "  (of samples)"));
  constexpr std::size_t kNamed = 4;
  for (std::size_t k = 0; k < std::min(kNamed, matrix.files.size()); ++k)
    small_text(matrix.files[k], palette().faint);
  if (matrix.files.size() > kNamed)
    small_text("and " + grouped(matrix.files.size() - kNamed) + " more files", palette().faint);
  ImGui::EndTooltip();
}

}  // namespace spyctrum::panels
