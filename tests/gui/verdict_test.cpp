// SPDX-License-Identifier: Apache-2.0
// What the panels say of the methods: the verdict, captions, ranks, errors by frequency, and one budget for
// all.
#include <implot.h>
#include <implot_internal.h>

#include <algorithm>
#include <string>

#include "app/panels/comparison/cell.hpp"
#include "app/panels/plots/verdict.hpp"
#include "app/panels/widgets/format.hpp"
#include "tests/gui/gui_fixture.hpp"

namespace spyctrum::testing {
namespace {

constexpr const char* kMatrix = "gen:stochastic-blocks:n=600,blocks=6,p_in=0.1,p_out=0.005";

class Verdict : public GuiTest {
 protected:
  [[nodiscard]] const Column& column(std::size_t index) const { return state().columns.at(index); }
};

/// A column with a result that cost and erred as much.
Column finished(const char* label, double seconds, std::uint64_t bytes, double error,
                bool reference = false) {
  Column column;
  column.label = label;
  column.reference = reference;
  column.spectrum = std::make_shared<Spectrum>();
  column.cost.seconds = seconds;
  column.cost.bytes_peak = bytes;
  if (!reference) {
    column.feature_errors.emplace();
    for (std::size_t k = 0; k < kFeatureCount; ++k) (*column.feature_errors)[FeatureKey(k)] = error;
  }
  return column;
}

TEST(Captions, OfFewSamplesSayThatThinLinesMayBeMissing) {
  AppState state;
  Column column;
  column.method = "exact";
  column.reference = true;
  CellImage image;
  image.rect = {0, 0, 1e6, 1e6};
  image.height = image.width = 100;
  image.exactness = Exactness::exact_samples;
  image.sampled = image.has_zeros = true;
  image.coefficients_per_cell = 1e8;
  const auto caption_with = [&](double relative_error) {
    image.relative_error = relative_error;
    column.picture(Row::spectrum).shown = std::make_shared<CellImage>(image);
    column.picture(Row::spectrum).histogram.counts = {1};
    return panels::caption(state, column, Row::spectrum);
  };
  const std::string few = caption_with(0.1);
  EXPECT_NE(few.find("thin lines may be missing"), std::string::npos) << few;
  EXPECT_EQ(few.find("zero"), std::string::npos) << "what was not computed is not known to be zero";
  const std::string most = caption_with(1e-4);
  EXPECT_EQ(most.find("missing"), std::string::npos) << "control: " << most;
  EXPECT_NE(most.find("rest zero to rounding"), std::string::npos);
}

TEST(VerdictSentence, NamesTheLeastErrorWithinTheBytesAndTheTimeOfTheSelectedColumn) {
  AppState state;
  EXPECT_EQ(panels::verdict(state), "");
  state.columns = {finished("Exact", 3, 90'000'000, 0, true), finished("A", 0.04, 30'000'000, 0.002),
                   finished("B", 0.009, 25'000'000, 0.2)};
  state.interface.focused_column = 1;
  EXPECT_EQ(panels::verdict(state),
            "Of what was run, most accurate within 30 MB and 40 ms: A (features off by 0.20 %).");
  state.interface.focused_column = 2;
  EXPECT_EQ(panels::verdict(state),
            "Of what was run, most accurate within 25 MB and 9.0 ms: B (features off by 20 %).");
  // A run of the sweep that needs as little memory but more time.
  SweepPoint point{.method = "a", .label = "A", .block = 64, .seconds = 0.02, .bytes_peak = 20'000'000};
  for (std::size_t k = 0; k < kFeatureCount; ++k) point.errors[FeatureKey(k)] = 0.01;
  state.sweep.push_back(point);
  EXPECT_EQ(panels::verdict(state),
            "Of what was run, most accurate within 25 MB: A, b = 64 (features off by 1.0 %); within 9.0 ms: "
            "B (features off by 20 %).");
  // The exact plane wins where it costs no more.
  state.columns[0].cost = {.seconds = 0.005, .stages = {}, .bytes_forecast = 0, .bytes_peak = 1'000'000};
  EXPECT_EQ(panels::verdict(state),
            "Of what was run, most accurate within 25 MB and 9.0 ms: Exact (features exact).");
  // What belongs to an earlier setting is no evidence.
  state.columns[0].outdated = true;
  state.columns[2].outdated = true;
  EXPECT_EQ(panels::verdict(state).find("Exact"), std::string::npos);
  EXPECT_EQ(panels::verdict(state).find("B ("), std::string::npos);
}

TEST_F(Verdict, ALineOfItNeverEndsWithinAnEquationOrBetweenANumberAndItsUnit) {
  const std::string sentence =
      "Of what was run, most accurate within 47 MB and 1.8 s: Elastic BS-FFT, b = 16 (features off by 0.23 "
      "%).";
  const auto torn = [](const std::string& words) {
    std::size_t count = 0;
    ImFont* font = ImGui::GetFont();
    for (float width = 60; width < 500; width += 1)
      for (const char* line = words.c_str(); *line != '\0';) {
        const char* const end = font->CalcWordWrapPosition(12, line, words.c_str() + words.size(), width);
        const std::string_view before(line, static_cast<std::size_t>(end - line));
        std::string_view after(end);
        after.remove_prefix(std::min(after.find_first_not_of(' '), after.size()));
        const bool starts = after.starts_with("=") || after.starts_with("16 ") || after.starts_with("MB") ||
                            after.starts_with("s:") || after.starts_with("%");
        count += starts || before.ends_with(" b") || before.ends_with("=") ? 1 : 0;
        line = end > line ? after.data() : words.c_str() + words.size();
      }
    return count;
  };
  std::size_t plain = 0, kept = 0;
  drive([&](ImGuiTestContext*) {
    plain = torn(sentence);
    kept = torn(panels::with_unbroken_pairs(sentence));
  });
  EXPECT_EQ(kept, 0U);
  EXPECT_GT(plain, 0U) << "control";
  EXPECT_EQ(panels::with_unbroken_pairs("i − j"), "i\u00a0−\u00a0j");
  EXPECT_EQ(panels::with_unbroken_pairs("a b"), "a b") << "control";
}

TEST(HeaderOfAColumn, SaysHowLongTheExactPlaneTookAndNeverThatADearerOneCostsNoMore) {
  AppState state;
  state.columns = {finished("Exact", 0.052, 9'300'000, 0, true), finished("A", 0.031, 1'400'000, 0)};
  EXPECT_EQ(panels::exact_cost_words(state, state.columns[1]), "exact took 52 ms");
  state.columns[0].cost.seconds = 0.03;
  EXPECT_EQ(panels::exact_cost_words(state, state.columns[1]), "exact took no longer");
  state.columns[0].outdated = true;
  EXPECT_EQ(panels::exact_cost_words(state, state.columns[1]), "") << "the time is of an earlier setting";
}

TEST_F(Verdict, IsShownAboveThePlotsAndTheTableMarksTheBestValueOfEachLine) {
  open(kMatrix);
  EXPECT_NE(panels::verdict(state()), "");
  keep("verdict");
  // Elastic errs least in every feature here, so that its values are green, and Density Map's are not.
  const auto green = [](const Pixels& pixels) {
    std::size_t count = 0;
    for (std::size_t i = 0; i + 2 < pixels.rgb.size(); i += 3)
      count += pixels.rgb[i + 1] > pixels.rgb[i] + 60 && pixels.rgb[i + 1] > pixels.rgb[i + 2] + 30 ? 1 : 0;
    return count;
  };
  ImRect table;
  drive([&](ImGuiTestContext* c) {
    const ImGuiTestItemInfo card = c->WindowInfo("//Features/card");
    c->ScrollToBottom(card.Window->ID);
    table = card.Window->InnerRect;
  });
  draw(3);
  const float width = table.GetWidth();
  const ImRect lower{{table.Min.x, table.Max.y - 220}, table.Max};
  const Pixels elastic =
      pixels_in({{lower.Max.x - width * 0.42F, lower.Min.y}, {lower.Max.x - width * 0.22F, lower.Max.y}});
  keep("ranks");
  EXPECT_GT(green(elastic), 60U);
  const std::size_t before = green(elastic);
  act(action::RemoveColumn{column(2).id});
  settle();
  EXPECT_LT(green(pixels_in(lower)), before / 2 + 60) << "control: with one method nothing is ranked";
}

TEST_F(Verdict, ErrorBarsOfTheRadialPlotAreWhole) {
  open("gen:circulant:n=512,degree=8,stride=24");
  double top = 0, highest = 0;
  drive([&](ImGuiTestContext* c) {
    const ImGuiTestItemInfo card = c->WindowInfo("//Features/card");
    const ImPlotPlot* plot = ImPlot::GetCurrentContext()->Plots.GetByKey(card.Window->GetID("###radial"));
    ASSERT_NE(plot, nullptr);
    top = plot->Axes[ImAxis_Y1].Range.Max;
  });
  for (const Column& one : state().columns) {
    const Features* deviations = one.feature_deviations();
    if (deviations == nullptr) continue;
    for (std::size_t ring = 0; ring < kRadialBins; ++ring)
      highest = std::max(highest, std::min(one.features()->radial[ring] + deviations->radial[ring], 1.0));
  }
  EXPECT_GT(highest, 0.5) << "control: Density Map has long error bars here";
  EXPECT_GE(top, highest);
}

TEST_F(Verdict, ErrorsByFrequencyAreDrawnUnderTheRadialPlot) {
  open(kMatrix);
  ImRect plot, above;
  drive([&](ImGuiTestContext* c) {
    const ImGuiTestItemInfo card = c->WindowInfo("//Features/card");
    const auto rect_of_plot = [&](const char* name) {
      const ImPlotPlot* found = ImPlot::GetCurrentContext()->Plots.GetByKey(card.Window->GetID(name));
      return found != nullptr ? found->PlotRect : ImRect();
    };
    plot = rect_of_plot("###radial errors");
    above = rect_of_plot("###radial");
  });
  EXPECT_GT(plot.Min.y, above.Max.y);
  const Pixels with = pixels_in(plot);
  EXPECT_GT(contrast(with), 3);
  act(action::RemoveColumn{column(2).id});
  act(action::RemoveColumn{column(1).id});
  settle();
  EXPECT_GT(share_changed(with, pixels_in(plot)), 0.01) << "control: without methods there is no curve";
}

TEST_F(Verdict, EveryMethodTakesTheLargestSettingThatFitsTheBytes) {
  open(kMatrix);
  act(action::AddColumn{"fixed-point"});
  settle();
  const auto forecast = [&](std::size_t index, std::uint32_t block) {
    ResolvedRequest request;
    request.pattern = state().pattern();
    request.parameters = column(index).parameters;
    EXPECT_TRUE(request.parameters.set("block", std::int64_t{block}));
    request.outputs.values = request.outputs.features = true;
    request.threads = controller().state().status.threads;
    return static_cast<double>(find_method(column(index).method)->forecast(request).bytes);
  };
  drive([](ImGuiTestContext* c) { c->ItemClick("**/same bytes"); });
  settle();
  EXPECT_EQ(state().budget.kind, Budget::Kind::bytes);
  for (const double amount : {3e5, 1e6, 8e6}) {
    act(action::SetBudget{{Budget::Kind::bytes, amount}});
    settle();
    for (std::size_t k = 1; k < state().columns.size(); ++k) {
      SCOPED_TRACE(column(k).label + " within " + std::to_string(amount));
      EXPECT_TRUE(column(k).own_block);
      EXPECT_EQ(column(k).spectrum->block, column(k).block);
      const bool fits = forecast(k, column(k).block) <= amount;
      EXPECT_EQ(column(k).over_budget, !fits);
      if (fits && column(k).block > 1) {
        EXPECT_GT(forecast(k, column(k).block - 1), amount) << "a smaller block size does not fit";
      }
    }
    if (amount < 8e6) {
      EXPECT_NE(column(1).block, column(2).block) << "the same bytes are other block sizes";
    }
  }
  keep("budget");
  const std::string file = write_file("budget.json", "");
  act(action::SaveSession{file});
  settle();
  const std::uint32_t block = column(1).block;
  drive([](ImGuiTestContext* c) { c->ItemClick("**/same b"); });
  settle();
  EXPECT_EQ(state().budget.kind, Budget::Kind::none);
  EXPECT_FALSE(column(1).own_block);
  EXPECT_EQ(column(1).block, state().block) << "control: the slider again";
  act(action::LoadSession{file});
  settle();
  EXPECT_EQ(state().budget, (Budget{Budget::Kind::bytes, 8e6}));
  EXPECT_EQ(column(1).block, block);
}

TEST_F(Verdict, EveryMethodTakesTheLargestSettingThatFitsTheTime) {
  open(kMatrix);
  drive([](ImGuiTestContext* c) { c->ItemClick("**/same time"); });
  settle();
  ASSERT_FALSE(state().advisor.known.prospects.empty()) << "the advisor has answered";
  const auto prospects_of = [&](std::size_t index) {
    std::vector<Prospect> found;
    for (const Prospect& prospect : state().advisor.known.prospects)
      if (prospect.method == column(index).method && prospect.refusal.empty()) found.push_back(prospect);
    std::ranges::sort(found, {}, &Prospect::seconds);
    return found;
  };
  // Half of this method's settings fit, however fast the machine is.
  ASSERT_GT(prospects_of(1).size(), 1U);
  const double budget = prospects_of(1)[prospects_of(1).size() / 2 - 1].seconds;
  act(action::SetBudget{{Budget::Kind::seconds, budget}});
  settle();
  EXPECT_FALSE(column(1).over_budget);
  for (std::size_t k = 1; k < 3; ++k) {
    std::uint32_t smallest = 0;
    for (const Prospect& prospect : prospects_of(k))
      if (prospect.seconds <= budget && (smallest == 0 || *prospect.block < smallest))
        smallest = *prospect.block;
    EXPECT_EQ(column(k).over_budget, smallest == 0);
    if (smallest > 0) {
      EXPECT_EQ(column(k).block, smallest);
    }
  }
  const std::uint32_t block = column(1).block;
  act(action::SetBudget{{Budget::Kind::seconds, 1e-9}});
  settle();
  EXPECT_TRUE(column(1).over_budget);
  EXPECT_GT(column(1).block, block);
}

}  // namespace
}  // namespace spyctrum::testing
