// SPDX-License-Identifier: Apache-2.0
// The places of title, pictures, ticks and colour bars on the page, in points, and their drawing.
#include "app/figures/comparison_page.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/study/axis.hpp"

namespace spyctrum {

namespace {

// Points. A picture is kSide wide; its height follows from what it shows, up to twice the width.
constexpr double kSide = 170, kLeft = 44, kGap = 12, kWideGap = 86, kBar = 62, kTop = 24, kCaption = 15,
                 kBelow = 38;
constexpr double kTitle = 11, kTitleLine = 14, kText = 8, kSmall = 6.5, kLine = 8;

struct Colors {
  std::uint32_t paper, ink, faint;
};
Colors colors_of(const ComparisonFigure& figure) {
  return figure.dark ? Colors{0x14171C, 0xE8E8E8, 0x9AA0AA} : Colors{0xFFFFFF, 0x222222, 0x666666};
}

double height_of(const FigureRow& row) {
  return kSide * std::clamp(row.shown.height() / row.shown.width(), 0.25, 2.0);
}

/// The left edge of the pictures of column k; for k = number of columns, the left edge of the rows' colour
/// bars. A picture with its own range has its bar at the right, one with its own zoom has its ticks at the
/// left. At the right of the last picture there is room for a bar only.
double left_of(const ComparisonFigure& figure, std::size_t k) {
  double x = kLeft;
  for (std::size_t j = 0; j < k; ++j) {
    const bool is_wide = std::ranges::any_of(figure.rows, [&](const FigureRow& row) {
      const auto& picture = row.pictures[j];
      const bool next_zooms =
          j + 1 < row.pictures.size() && row.pictures[j + 1] && row.pictures[j + 1]->own_view;
      return (picture && picture->own_map != nullptr) || next_zooms;
    });
    const bool is_last = j + 1 == figure.headings.size();
    x += kSide + (!is_wide ? kGap : is_last ? kBar : kWideGap);
  }
  return x;
}

double width_of(const ComparisonFigure& figure) { return left_of(figure, figure.headings.size()) + kBar; }

/// `words` in lines that are at most `width` wide, broken after `separator` outside of numbers.
std::vector<std::string> lines_of(Page& page, const std::string& words, double size, double width,
                                  char separator = ',') {
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < words.size();) {
    std::size_t end = words.size();
    for (std::size_t at = end - 1;
         at > from && page.text_width(words.substr(from, end - from), size) > width;)
      if (words[--at] == separator && (words[at + 1] < '0' || words[at + 1] > '9')) end = at + 1;
    lines.push_back(words.substr(from, end - from));
    from = std::min(words.find_first_not_of(' ', end), words.size());
  }
  return lines;
}

std::vector<std::string> title_of(const ComparisonFigure& figure) {
  std::vector<std::string> lines;
  const auto measure = [&](Page& page) {
    lines = lines_of(page, figure.title, kTitle, width_of(figure) - kLeft - kGap);
  };
  static_cast<void>(draw_raster(1, 1, measure, 1));
  return lines;
}

/// The upper edge of the caption, below a title of so many lines.
double below_title(std::size_t lines) { return 2 + kTitleLine * static_cast<double>(lines); }
/// Height of the title, the caption and the headings.
double top_of(const ComparisonFigure& figure, std::size_t title_lines) {
  return below_title(title_lines) + (figure.caption.empty() ? 0 : kCaption) + kTop;
}
double height_of(const ComparisonFigure& figure, std::size_t title_lines) {
  double height = top_of(figure, title_lines) + 16;
  for (const FigureRow& row : figure.rows) height += height_of(row) + kBelow;
  return height;
}

/// Ticks of one axis, in the middle of indices of the plane low … high: place on the page and text. A unit of
/// the plane is an index, from its lower edge on: index k of a pattern covers k … k + 1, of a spectrum
/// k − ½ … k + ½.
template <class Draw>
void each_tick(double from, double to, double first, double last, double low, double high, std::size_t most,
               Draw&& draw) {
  const double middle = low + 0.5 - std::floor(low + 0.5);  // of index 0
  PlotAxis axis(false);
  axis.add(from - middle);
  axis.add(to - middle);
  axis.place(first, last, PlotAxis::Margin::none);
  for (const auto& [index, text] : axis.ticks(most))
    if (index == std::round(index) && index + middle > low && index + middle < high)
      draw(axis.at(index), text);
}

void draw_axes(Page& page, const Box& box, const FigureRow& row, const PlaneRect& shown, bool is_first,
               std::uint32_t ink) {
  page.color(ink);
  cairo_set_line_width(page.cairo(), 0.6);
  cairo_rectangle(page.cairo(), box.x, box.y, box.width, box.height);
  cairo_stroke(page.cairo());
  const PlaneRect& plane = row.plane;
  const double below = box.y + box.height;
  each_tick(shown.left, shown.right, box.x, box.x + box.width, plane.left, plane.right, 5,
            [&](double x, const std::string& text) {
              page.line(x, below, x, below + 3);
              // Labels end at the picture's corners: beyond them they would meet the labels of the picture
              // beside it.
              const double half = page.text_width(text, kSmall) / 2;
              page.text(text, std::clamp(x, box.x + half, box.x + box.width - half), below + 9.5, kSmall,
                        Anchor::centre);
            });
  each_tick(shown.top, shown.bottom, box.y, box.y + box.height, plane.top, plane.bottom, 8,
            [&](double y, const std::string& text) {
              page.line(box.x - 3, y, box.x, y);
              if (is_first) page.text(text, box.x - 5, y + 2.3, kSmall, Anchor::right);
            });
  page.text(row.column_axis, box.x + box.width, below + 17, kSmall, Anchor::right);
  if (is_first) page.text(row.row_axis, box.x - 34, box.y + 7, kSmall, Anchor::left);
}

/// Draws the colour of places without entries below the bar; returns the box that is left for the bar.
Box draw_empty_color(Page& page, const Box& box, std::uint32_t ink) {
  constexpr double kSquare = 7, kBetween = 4;
  const double top = box.y + box.height - kSquare;
  page.color(0);
  cairo_rectangle(page.cairo(), box.x, top, box.width, kSquare);
  cairo_fill_preserve(page.cairo());
  page.color(ink);
  cairo_set_line_width(page.cairo(), 0.4);
  cairo_stroke(page.cairo());
  page.text("none", box.x + box.width + 4, top + kSquare / 2 + 2.3, kSmall, Anchor::left);
  return {box.x, box.y, box.width, box.height - kSquare - kBetween};
}

void draw_color_bar(Page& page, const Box& whole, const FigureRow& row, const ColorMap& map, BarValues values,
                    const DisplayRange& range, std::uint32_t ink) {
  const Box box = row.marks_empty ? draw_empty_color(page, whole, ink) : whole;
  std::vector<std::uint32_t> colors(map.rgb.size());  // from the top
  std::ranges::transform(map.rgb, colors.rbegin(), [](const auto& rgb) {
    return static_cast<std::uint32_t>(rgb[0] << 16U | rgb[1] << 8U | rgb[2]);
  });
  constexpr PlaneRect kWhole{0, 0, 1, 1};
  page.image(box, kWhole, kWhole, static_cast<std::uint32_t>(colors.size()), 1, colors);
  page.color(ink);
  // A ratio of powers x is 10·log10(x) dB.
  const bool is_signed = values == BarValues::signs;
  const bool logarithms = is_signed || values == BarValues::logarithms;
  PlotAxis axis(logarithms);
  const double unit = values == BarValues::ratio ? 10 : 1;
  const auto shown = [&](float at) { return logarithms ? std::pow(10.0, at) : unit * at; };
  axis.add(shown(range.low + row.shift));
  axis.add(shown(range.high + row.shift));
  axis.place(0, 1, PlotAxis::Margin::none);
  const auto mark = [&](double place, const std::string& text) {
    const double y = box.y + box.height * (1 - place);
    page.line(box.x + box.width, y, box.x + box.width + 2.5, y);
    page.text(text, box.x + box.width + 4, y + 2.3, kSmall, Anchor::left);
  };
  double above = is_signed ? 0 : -1;  // the place of the last label
  if (is_signed) mark(0.5, "0");
  for (const auto& [value, text] : axis.ticks(6)) {
    const double at = (logarithms ? std::log10(value) : value / unit) - static_cast<double>(row.shift);
    const double place = place_in_range(at, range, row.exponent);
    if ((place - above) * box.height < (is_signed ? 4 : 1.1) * kSmall) continue;
    above = place;
    if (!is_signed) {
      mark(place, text);
      continue;
    }
    mark(0.5 + place / 2, "+" + text);
    mark(0.5 - place / 2, "−" + text);
  }
  // A long unit has several lines.
  std::vector<std::string> lines = lines_of(page, row.unit, kSmall, kBar - 8, ' ');
  for (auto line = lines.rbegin(); line != lines.rend(); ++line)
    page.text(*line, box.x, box.y - 3.5 - kLine * static_cast<double>(line - lines.rbegin()), kSmall,
              Anchor::left);
}

void draw_lines(Page& page, const std::vector<std::string>& lines, double x, double y, double size,
                double height) {
  for (const std::string& line : lines) {
    page.text(line, x, y, size, Anchor::left);
    y += height;
  }
}

void draw(Page& page, const ComparisonFigure& figure, const std::vector<std::string>& title) {
  const Colors colors = colors_of(figure);
  page.color(colors.paper);
  cairo_paint(page.cairo());
  page.color(colors.ink);
  draw_lines(page, title, kLeft, kTitleLine + 2, kTitle, kTitleLine);
  page.text(figure.caption, kLeft, below_title(title.size()) + kCaption, kTitle, Anchor::left);
  const double top = top_of(figure, title.size());
  for (std::size_t k = 0; k < figure.headings.size(); ++k)
    page.text(figure.headings[k], left_of(figure, k), top - 6, kText, Anchor::left);
  double y = top;
  for (const FigureRow& row : figure.rows) {
    const double height = height_of(row);
    bool is_first = true;
    for (std::size_t k = 0; k < row.pictures.size(); ++k) {
      if (!row.pictures[k]) continue;
      const FigurePicture& picture = *row.pictures[k];
      const Box box{left_of(figure, k), y, kSide, height};
      const PlaneRect shown = picture.own_view.value_or(row.shown);
      page.image(box, shown, picture.rect, picture.height, picture.width, picture.rgb);
      draw_axes(page, box, row, shown, is_first || picture.own_view.has_value(), colors.ink);
      if (picture.own_map != nullptr)
        draw_color_bar(page, {box.x + kSide + 4, y + 8, 8, height - 8}, row, *picture.own_map,
                       picture.own_values, picture.own_range, colors.ink);
      page.color(colors.faint);
      draw_lines(page, lines_of(page, picture.caption, kSmall, kSide), box.x, y + height + 25, kSmall, kLine);
      is_first = false;
    }
    if (row.map != nullptr)
      draw_color_bar(page, {width_of(figure) - kBar + 4, y + 8, 8, height - 8}, row, *row.map, row.values,
                     row.range, colors.ink);
    y += height + kBelow;
  }
  page.color(colors.faint);
  page.text(figure.note, kLeft, y + 8, kSmall, Anchor::left);
}

}  // namespace

Result<void> write_comparison(const std::string& path, const ComparisonFigure& figure, double pixels) {
  const std::vector<std::string> title = title_of(figure);
  return write_page(
      path, width_of(figure), height_of(figure, title.size()), [&](Page& page) { draw(page, figure, title); },
      pixels);
}

Raster draw_comparison(const ComparisonFigure& figure, double pixels) {
  const std::vector<std::string> title = title_of(figure);
  return draw_raster(
      width_of(figure), height_of(figure, title.size()), [&](Page& page) { draw(page, figure, title); },
      pixels);
}

}  // namespace spyctrum
