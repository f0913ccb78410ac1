// SPDX-License-Identifier: Apache-2.0
// How large the weights of the matrix are, and between which |a| entries are shown: two handles on the
// histogram, or two numbers. Pattern and spectra follow while a handle is dragged.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/range_histogram.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {
namespace {

/// The range of |a| between two limits (log10). A limit at or beyond the smallest or largest |a| of the
/// matrix is no limit.
MagnitudeRange between(const MagnitudeHistogram& magnitudes, double low, double high) {
  MagnitudeRange range;
  if (low > magnitudes.low) range.least = std::pow(10.0, low);
  if (high < magnitudes.high) range.most = std::pow(10.0, std::max(low, high));
  return range;
}

/// log10 of both limits; a missing limit is at the end of the histogram.
std::pair<double, double> limits_of(const MagnitudeHistogram& magnitudes, const MagnitudeRange& range) {
  const double low = range.least > 0 ? std::log10(range.least) : magnitudes.low;
  const double high = std::isfinite(range.most) ? std::log10(range.most) : magnitudes.high;
  return {std::clamp(low, magnitudes.low, magnitudes.high),
          std::clamp(high, magnitudes.low, magnitudes.high)};
}

void show_range(const Ui& ui, const OpenMatrix& open, const MagnitudeRange& range) {
  if (range == open.reading.kept) return;
  Reading reading = open.reading;
  reading.kept = range;
  ui.emit(action::SetReading{reading});
}

void histogram(const Ui& ui, const OpenMatrix& open) {
  const MagnitudeHistogram& magnitudes = open.magnitudes;
  const auto [low, high] = limits_of(magnitudes, open.reading.kept);
  RangeHistogram bars;
  // Logarithmic heights keep bins with few entries visible beside bins with many.
  for (const std::uint64_t count : magnitudes.counts)
    bars.heights.push_back(std::log1p(static_cast<double>(count)));
  const double margin = 0.02 * (magnitudes.high - magnitudes.low);
  bars.low = magnitudes.low;
  bars.high = magnitudes.high;
  bars.shown_low = magnitudes.low - margin;
  bars.shown_high = magnitudes.high + margin;
  bars.range_low = low;
  bars.range_high = high;
  bars.left = number_text(std::pow(10.0, magnitudes.low), 3);
  bars.middle = "entries by |a|";
  bars.right = number_text(std::pow(10.0, magnitudes.high), 3);
  if (const auto moved = range_histogram("magnitudes", bars, ui.memory.dragged_magnitude))
    show_range(ui, open,
               moved->handle == 0 ? between(magnitudes, std::min(moved->value, high), high)
                                  : between(magnitudes, low, std::max(moved->value, low)));
  tooltip(
      "Histogram of the magnitudes |a|; both axes are logarithmic.\nDrag a handle: entries beyond it "
      "are left out of pattern and spectra");
}

void limits(const Ui& ui, const OpenMatrix& open) {
  const auto [low, high] = limits_of(open.magnitudes, open.reading.kept);
  double least = std::pow(10.0, low);
  double most = std::pow(10.0, high);
  const auto field = [&](const char* id, double& value) {
    ImGui::SetNextItemWidth(px(76));
    const double from = std::pow(10.0, open.magnitudes.low);
    const double to = std::pow(10.0, open.magnitudes.high);
    const bool changed = ImGui::DragScalar(id, ImGuiDataType_Double, &value, 0.005F, &from, &to, "%.4g",
                                           ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp);
    tooltip("Limit of |a|; drag it, or double click to type");
    return changed;
  };
  ImGui::AlignTextToFramePadding();
  dim_text("|a|");
  ImGui::SameLine();
  bool changed = field("##least magnitude", least);
  ImGui::SameLine(0, px(4));
  dim_text("…");
  ImGui::SameLine(0, px(4));
  changed |= field("##most magnitude", most);
  // The typed numbers themselves: 10^log10(x) would be rounded.
  if (changed) {
    MagnitudeRange range;
    if (std::log10(least) > open.magnitudes.low) range.least = least;
    if (std::log10(most) < open.magnitudes.high) range.most = std::max(least, most);
    show_range(ui, open, range);
  }
  ImGui::SameLine();
  if (link("all", "Shows all entries")) show_range(ui, open, {});
}

}  // namespace

void draw_magnitude_section(const Ui& ui, const OpenMatrix& open) {
  if (open.magnitudes.counts.empty()) return;
  ImGui::Dummy({0, px(4)});
  histogram(ui, open);
  limits(ui, open);
  const SparsePattern& shown = *open.matrix.pattern;
  const SparsePattern& whole = *open.whole;
  const double share = static_cast<double>(shown.nonzeros()) / static_cast<double>(whole.nonzeros());
  const double energy = std::ldexp(shown.weight_squares() / whole.weight_squares(),
                                   2 * (shown.weight_exponent() - whole.weight_exponent()));
  if (open.shown != MagnitudeRange{})
    small_text(percent_text(share, 3) + " of " +
               counted(static_cast<std::uint64_t>(whole.nonzeros()), "entry", "entries") + ", " +
               percent_text(energy, 4) + " of Σa²");
}

}  // namespace spyctrum::panels
