// SPDX-License-Identifier: Apache-2.0
// Jobs with progress, time left and a cancel button; memory as forecast and as measured.
#include <imgui.h>

#include <optional>

#include "app/panels/widgets/commands.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/icons.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {
namespace {

void draw_job(const Ui& ui, const JobView& job) {
  ImGui::PushID(static_cast<int>(job.id));
  const Column* column = ui.state.column(job.column);
  const ImU32 color = column != nullptr ? series_color(column->style.color) : palette().accent;
  text(fit_text(job.title, ImGui::GetContentRegionAvail().x - px(28)),
       job.background ? palette().dim : palette().text);
  tooltip(job.title);
  ImGui::SameLine(right_edge() - px(22));
  if (icon_button(icon::kClose, "cancel job", "Cancel this job",
                  keys_text(Command::escape) + " cancels the newest job", false, !job.stopping))
    ui.emit(action::CancelJob{job.id});
  progress_bar(job.running ? share_of(job.progress) : 0, color, 5);
  {
    const auto font = small_font();
    ImGui::Dummy({0, 0});
    right_text(fit_text(progress_text(job), ImGui::GetContentRegionAvail().x), palette().dim);
  }
  ImGui::PopID();
}

void draw_jobs(const Ui& ui) {
  section("Jobs", ui.state.jobs.empty() ? "none" : std::to_string(ui.state.jobs.size()));
  for (const JobView& job : ui.state.jobs) draw_job(ui, job);
}

void draw_device_memory(const std::optional<DeviceMemory>& device) {
  if (!device) return;
  name_and_value("GPU, resident", bytes_text(device->patterns + device->orders + device->values),
                 palette().dim);
  tooltip("Data that stays on the device while its matrix is open: entries " + bytes_text(device->patterns) +
          ", entries sorted for views " + bytes_text(device->orders) + ", values of spectra " +
          bytes_text(device->values));
  name_and_value("GPU, jobs now · peak", bytes_text(device->jobs) + " · " + bytes_text(device->jobs_peak),
                 palette().dim);
  tooltip(
      "Device memory that jobs hold now, and the largest amount since the start; resident data is included "
      "while a job uses it");
  name_and_value("GPU, free", bytes_text(device->free), palette().dim);
  tooltip("Device memory that is free for any program");
}

void draw_hierarchy(const std::string& name, const HierarchyPtr& hierarchy) {
  if (!hierarchy) return;
  name_and_value(name,
                 bytes_text(PatternHierarchy::forecast_bytes(*hierarchy->pattern())) + " · " +
                     bytes_text(hierarchy->bytes()),
                 palette().dim);
  tooltip(
      "Counts of entries at several resolutions, from which the pattern's pictures are drawn: forecast and "
      "actual bytes");
}

void draw_memory(const Ui& ui) {
  section("Memory", "forecast · peak");
  const auto font = small_font();
  for (const Column& column : ui.state.columns) {
    dim_text(fit_text(column.label, px(120)));
    const std::string peak = column.cost.bytes_peak > 0 ? bytes_text(column.cost.bytes_peak) : "–";
    right_text(bytes_text(column.cost.bytes_forecast) + " · " + peak, palette().dim);
    tooltip("Memory of the job's arrays: forecast before the run and measured peak");
  }
  draw_device_memory(ui.state.status.device_memory);
  const OpenMatrix* open = ui.state.matrix();
  if (open == nullptr) return;
  draw_hierarchy("pattern's hierarchy", open->hierarchy);
  for (const Column& column : ui.state.columns)
    draw_hierarchy(fit_text(column.label + ": hierarchy of its order", px(160)), column.hierarchy);
  // A dense real transform holds half of the plane in single-precision complex numbers.
  const SparsePattern& pattern = *open->matrix.pattern;
  const double dense =
      8.0 * static_cast<double>(pattern.rows()) * (static_cast<double>(pattern.cols()) / 2 + 1);
  text("a dense transform would hold: " + bytes_text(static_cast<std::uint64_t>(dense)),
       with_alpha(palette().warning, 0.9F));
  tooltip("A dense transform holds half of the spectrum, 8 · m · (n/2 + 1) bytes; shown for comparison");
}

}  // namespace

void draw_activity(const Ui& ui) {
  const PanelWindow window(kActivity);
  if (!window.is_visible()) return;
  draw_jobs(ui);
  draw_memory(ui);
}

}  // namespace spyctrum::panels
