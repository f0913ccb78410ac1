// SPDX-License-Identifier: Apache-2.0
// The panel at the left: matrix, block size, columns, scale.
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {

void draw_setup(const Ui& ui) {
  const PanelWindow window(kSetup);
  if (!window.is_visible()) return;
  draw_matrix_section(ui);
  draw_block_section(ui);
  draw_columns_section(ui);
  draw_scale_section(ui);
}

}  // namespace spyctrum::panels
