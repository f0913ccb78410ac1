// SPDX-License-Identifier: Apache-2.0
// Frame, axes, legend, boxes and marks of a plot.
#include "app/figures/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "app/study/axis.hpp"
#include "core/methods/method.hpp"
#include "core/reconstruction/smooth_fill.hpp"

namespace spyctrum {

namespace {

constexpr double kTitle = 10, kText = 7.5, kSmall = 6.5;  // sizes of letters in points
constexpr double kLegend = 118;                           // width of the legend
constexpr double kNames = 72;                             // height of names of matrices below a plot
constexpr std::uint32_t kInk = 0x222222, kGrid = 0xDDDDDD;

void draw_mark(Page& page, Mark mark, double x, double y, double radius) {
  cairo_t* const cairo = page.cairo();
  cairo_save(cairo);
  cairo_translate(cairo, x, y);
  cairo_scale(cairo, radius, radius);
  cairo_new_path(cairo);
  for (const int eighth : strokes_of(mark)) {
    const double angle = eighth * std::numbers::pi / 4;
    cairo_move_to(cairo, -std::cos(angle), -std::sin(angle));
    cairo_line_to(cairo, std::cos(angle), std::sin(angle));
  }
  if (mark == Mark::circle) cairo_arc(cairo, 0, 0, 1, 0, 2 * std::numbers::pi);
  for (const auto& [cx, cy] : corners_of(mark)) cairo_line_to(cairo, cx, cy);
  cairo_close_path(cairo);
  cairo_restore(cairo);
  if (strokes_of(mark).empty())
    cairo_fill(cairo);
  else
    cairo_stroke(cairo);
}

void set_line(Page& page, const MethodStyle& style, double width) {
  page.color(style.color);
  cairo_set_line_width(page.cairo(), width);
  const std::array dash{style.dash[0] * width, style.dash[1] * width};
  cairo_set_dash(page.cairo(), dash.data(), style.dash[0] > 0 ? 2 : 0, 0);
}
void set_solid(Page& page, double width) {
  cairo_set_line_width(page.cairo(), width);
  cairo_set_dash(page.cairo(), nullptr, 0, 0);
}

/// The text; if it is wider than `width`, as the names of generated matrices may be, its beginning and an
/// ellipsis.
std::string shortened(Page& page, const std::string& text, double width) {
  std::string kept = text;
  while (page.text_width(kept == text ? text : kept + "…", kSmall) > width) do
      kept.pop_back();
    while (!kept.empty() && (static_cast<unsigned char>(kept.back()) & 0xC0U) == 0x80U);
  return kept == text ? text : kept + "…";
}

/// Draws title, legend and frame of a plot; returns the box inside of the frame.
Box draw_frame(Page& page, const Box& box, const std::string& title, const std::string& x_label,
               const std::string& y_label, double below) {
  const Box inside{box.x + 46, box.y + 20, box.width - 52 - kLegend, box.height - 26 - below};
  page.color(kInk);
  page.text(title, box.x, box.y + 11, kTitle, Anchor::left);
  page.text(x_label, inside.x + inside.width / 2, box.y + box.height - 3, kText, Anchor::centre);
  page.text(y_label, box.x + 8, inside.y + inside.height / 2, kText, Anchor::centre, true);
  return inside;
}

void draw_legend(Page& page, const Box& box, const std::vector<StudySeries>& all, double first) {
  double y = first;
  for (const StudySeries& series : all) {
    const double x = box.x + box.width - kLegend + 6;
    set_line(page, series.style, 1);
    page.line(x, y, x + 18, y);
    set_solid(page, 0.8);
    draw_mark(page, series.style.mark, x + 9, y, 2.4);
    page.color(kInk);
    page.text(series.label, x + 23, y + 2.5, kText, Anchor::left);
    y += 12;
  }
}

void draw_y_axis(Page& page, const Box& inside, const PlotAxis& axis) {
  for (const auto& [value, text] : axis.ticks()) {
    page.color(kGrid);
    page.line(inside.x, axis.at(value), inside.x + inside.width, axis.at(value));
    page.color(kInk);
    page.text(text, inside.x - 4, axis.at(value) + 2.4, kSmall, Anchor::right);
  }
}

void draw_border(Page& page, const Box& inside) {
  set_solid(page, 0.6);
  page.color(kInk);
  cairo_rectangle(page.cairo(), inside.x, inside.y, inside.width, inside.height);
  cairo_stroke(page.cairo());
}

void draw_box(Page& page, const PlotAxis& y, const MethodStyle& style, const StudySpread& spread, double x,
              double width) {
  cairo_t* const cairo = page.cairo();
  const double lower = y.at(spread.values.quantile(0.25)), upper = y.at(spread.values.quantile(0.75));
  const auto [least, most] = spread.values.whiskers();
  set_solid(page, 0.6);
  page.color(style.color, 0.25);
  cairo_rectangle(cairo, x - width / 2, upper, width, lower - upper);
  cairo_fill_preserve(cairo);
  page.color(style.color);
  cairo_stroke(cairo);
  page.line(x, lower, x, y.at(least));
  page.line(x, upper, x, y.at(most));
  for (const double end : {least, most}) page.line(x - width / 4, y.at(end), x + width / 4, y.at(end));
}

/// The place of the box of series `k` of `count` at a block size. The boxes stand side by side and are
/// together 0.8 times as wide as the distance of two block sizes. `places`: the places of all block sizes,
/// ascending.
double beside(const std::vector<double>& places, double place, std::size_t k, std::size_t count) {
  const double gap = places.size() > 1 ? places[1] - places[0] : 60;
  return place + 0.8 * gap * ((static_cast<double>(k) + 0.5) / static_cast<double>(count) - 0.5);
}

void draw_series(Page& page, const StudySeries& series, const PlotAxis& y,
                 const std::vector<std::pair<double, double>>& centres, double radius) {
  set_line(page, series.style, 0.9);
  cairo_new_path(page.cairo());
  for (const auto& [px, value] : centres) cairo_line_to(page.cairo(), px, y.at(value));
  cairo_stroke(page.cairo());
  set_solid(page, 0.8);
  for (const auto& [px, value] : centres) draw_mark(page, series.style.mark, px, y.at(value), radius);
}

void draw_bound(Page& page, const Box& inside, const PlotAxis& y) {
  const double at = y.at(kSmoothingBound);
  page.color(kInk);
  page.line(inside.x, at, inside.x + inside.width, at);
  page.text(bound_label(), inside.x + inside.width - 3, at - 2.5, kSmall, Anchor::right);
}

}  // namespace

void draw_study_plot(Page& page, const Box& box, const Study& study, StudyPlot plot,
                     const StudyGroup& group) {
  constexpr std::uint32_t kSizeBlock = 16;
  const std::vector<StudySeries> all = study_series(study, plot, group, kSizeBlock);
  const StudyAxes axes = axes_of(plot);
  const std::string subject =
      plot == StudyPlot::time_by_size ? " (b = " + std::to_string(kSizeBlock) + ")" : "";
  const Box inside = draw_frame(page, box, title_of(plot) + subject + ", " + group.title, axes.x, axes.y, 22);
  PlotAxis x(axes.x_log), y(axes.y_log);
  for (const StudySeries& series : all)
    for (const StudyPoint& point : series.points) {
      x.add(point.x);
      y.add(point.y);
    }
  if (has_bound(plot)) y.add(kSmoothingBound);
  x.place(inside.x, inside.x + inside.width);
  y.place(inside.y + inside.height, inside.y);
  draw_y_axis(page, inside, y);

  // Block sizes are drawn at equal distances.
  const std::vector<std::uint32_t> blocks = study_blocks(study);
  std::vector<double> places;
  for (std::size_t k = 0; k < blocks.size(); ++k)
    places.push_back(inside.x +
                     inside.width * (static_cast<double>(k) + 0.5) / static_cast<double>(blocks.size()));
  page.color(kInk);
  if (axes.by_block)
    for (std::size_t k = 0; k < blocks.size(); ++k)
      page.text(std::to_string(blocks[k]), places[k], inside.y + inside.height + 9, kSmall, Anchor::centre);
  else
    for (const auto& [value, text] : x.ticks())
      page.text(text, x.at(value), inside.y + inside.height + 9, kSmall, Anchor::centre);

  for (std::size_t k = 0; k < all.size(); ++k) {
    const StudySeries& series = all[k];
    std::vector<std::pair<double, double>> centres;
    for (const StudySpread& spread : series.spreads) {
      double at = x.at(spread.x);
      if (axes.by_block) {
        const auto block = std::ranges::find(blocks, static_cast<std::uint32_t>(spread.x));
        at = beside(places, places[static_cast<std::size_t>(block - blocks.begin())], k, all.size());
        const double gap = places.size() > 1 ? places[1] - places[0] : 60;
        draw_box(page, y, series.style, spread, at, 0.6 * gap / static_cast<double>(all.size()));
      }
      centres.emplace_back(at, spread.centre());
    }
    draw_series(page, series, y, centres, 1.8);
    if (axes.by_block) continue;
    // Single cells are faint if a line of medians is drawn as well.
    page.color(series.style.color, series.spreads.empty() ? 1 : 0.4);
    for (const StudyPoint& point : series.points)
      draw_mark(page, series.style.mark, x.at(point.x), y.at(point.y), series.spreads.empty() ? 2 : 1.2);
  }
  if (has_bound(plot)) draw_bound(page, inside, y);
  draw_border(page, inside);
  draw_legend(page, box, all, inside.y + 6);
}

void draw_by_matrix(Page& page, const Box& box, const Study& study, const StudyGroup& group,
                    const std::string& title, const CellValue& value) {
  std::vector<StudySeries> all;
  for (const std::string& id : study_methods(study))
    if (find_method(id)->info().full_plane)
      all.push_back({id, study_label(study, id), method_style(id), {}, {}});
  const Box inside = draw_frame(page, box, title + ", " + group.title, "", title, kNames);
  PlotAxis y(true);
  const auto cell_of = [&](const std::string& matrix, const std::string& method) {
    return study.cell(matrix, method, std::nullopt);
  };
  for (const std::string& matrix : group.matrices)
    for (const StudySeries& series : all)
      if (const StudyCell* cell = cell_of(matrix, series.method))
        if (const auto found = value(*cell); found && *found > 0) y.add(*found);
  y.place(inside.y + inside.height - 10, inside.y);  // the marks OOM, FAIL and TIME are below the axis
  draw_y_axis(page, inside, y);
  const double gap = inside.width / static_cast<double>(group.matrices.size());
  for (std::size_t k = 0; k < group.matrices.size(); ++k) {
    const std::string& matrix = group.matrices[k];
    const double middle = inside.x + gap * (static_cast<double>(k) + 0.5);
    page.color(kInk);
    page.text(shortened(page, matrix, kNames - 8), middle + 2.5, inside.y + inside.height + 5, kSmall,
              Anchor::right, true);
    for (std::size_t s = 0; s < all.size(); ++s) {
      const StudyCell* cell = cell_of(matrix, all[s].method);
      if (cell == nullptr) continue;
      const double at =
          middle + 0.7 * gap * ((static_cast<double>(s) + 0.5) / static_cast<double>(all.size()) - 0.5);
      page.color(all[s].style.color);
      if (const auto found = value(*cell); found && *found > 0)
        draw_mark(page, all[s].style.mark, at, y.at(*found), 2);
      else if (cell->status != CellStatus::done)
        page.text(end_word(cell->status), at + 1.2, inside.y + inside.height - 1.5, 3.6, Anchor::left, true);
    }
  }
  draw_border(page, inside);
  draw_legend(page, box, all, inside.y + 6);
}

}  // namespace spyctrum
