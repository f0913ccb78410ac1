// SPDX-License-Identifier: Apache-2.0
// --weights: what an entry counts as, in results and exports, and which commands refuse it.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <sstream>

#include "core/features/feature_table.hpp"
#include "tests/support/cli_fixture.hpp"

namespace spyctrum {
namespace {

using nlohmann::json;

class CliWeights : public test::CliFixture {
 protected:
  void SetUp() override {
    std::ofstream(path("a.mtx")) << "%%MatrixMarket matrix coordinate real general\n4 4 5\n"
                                    "1 1 2\n2 2 -3\n3 4 0.5\n4 1 8\n2 3 -1\n";
    std::ofstream(path("p.mtx")) << "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n2 2\n";
    std::ofstream(path("c.mtx")) << "%%MatrixMarket matrix coordinate complex general\n2 2 2\n"
                                    "1 1 3 4\n2 2 0 -2\n";
  }
  /// The values of a .npy file of complex numbers.
  [[nodiscard]] std::vector<std::array<float, 2>> complex_values(const std::string& name) const {
    const std::string bytes = text_of(path(name));
    const std::size_t begin =
        10 + static_cast<unsigned char>(bytes[8]) + 256U * static_cast<unsigned char>(bytes[9]);
    std::vector<std::array<float, 2>> values((bytes.size() - begin) / 8);
    std::memcpy(values.data(), bytes.data() + begin, 8 * values.size());
    return values;
  }
  /// Numbers, or lists of them.
  static void expect_near(const json& found, const json& expected, double tolerance) {
    if (found.is_number()) {
      EXPECT_NEAR(found.get<double>(), expected.get<double>(), tolerance);
      return;
    }
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) expect_near(found[k], expected[k], tolerance);
  }
};

TEST_F(CliWeights, FeaturesRecordWeightsAndTheirSums) {
  const json value = run_json("features --method bs-fft --weights value " + path("a.mtx"));
  EXPECT_EQ(value["weights"], "value");
  EXPECT_EQ(value["weight_sum"], 6.5);
  EXPECT_EQ(value["weight_squares"], 4 + 9 + 0.25 + 64 + 1);
  const json sign = run_json("features --method bs-fft --weights sign " + path("a.mtx"));
  EXPECT_EQ(sign["weight_sum"], 1);
  EXPECT_NE(sign["entropy"], value["entropy"]);
  const json pattern = run_json("features --method bs-fft --weights pattern " + path("a.mtx"));
  EXPECT_EQ(pattern["weights"], "pattern");
  EXPECT_FALSE(pattern.contains("weight_sum"));
  EXPECT_EQ(pattern["entropy"], run_json("features --method bs-fft " + path("a.mtx"))["entropy"]);
}

TEST_F(CliWeights, EveryKindOfWeightHasItsFormula) {
  const auto sum = [&](const std::string& kind, const std::string& file) {
    return run_json("features --method dense --weights " + kind + " " + path(file))["weight_sum"]
        .get<double>();
  };
  EXPECT_EQ(sum("magnitude", "a.mtx"), 14.5);
  EXPECT_EQ(sum("real", "a.mtx"), 6.5);
  // The median of 0.5, 1, 2, 3, 8 is 2.
  EXPECT_NEAR(sum("log", "a.mtx"), std::log(2) - std::log(2.5) + std::log(1.25) + std::log(5) - std::log(1.5),
              1e-6);
  EXPECT_NEAR(sum("phase", "a.mtx"), 2 * std::acos(-1.0), 1e-6);
  EXPECT_EQ(sum("real", "c.mtx"), 3);
  EXPECT_EQ(sum("imaginary", "c.mtx"), 2);
  EXPECT_EQ(sum("magnitude", "c.mtx"), 7);
  EXPECT_NEAR(sum("phase", "c.mtx"), std::atan2(4, 3) - std::acos(-1.0) / 2, 1e-6);
}

TEST_F(CliWeights, CoefficientsAreInTheUnitsOfTheValues) {
  for (const double scale : {1.0, 1e-25, 1e25}) {
    std::ofstream(path("s.mtx")) << "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 " << 3 * scale
                                 << "\n2 2 " << -2 * scale << "\n";
    const json made =
        run_json("spectrum --method dense --weights value --out " + path("s.npy") + " " + path("s.mtx"));
    EXPECT_EQ(made["weights"], "value");
    const auto values = complex_values("s.npy");  // F = 3 ± 2
    ASSERT_EQ(values.size(), 4U);
    EXPECT_NEAR(values[0][0] / scale, 1, 1e-5);
    EXPECT_NEAR(values[1][0] / scale, 5, 1e-5);
    EXPECT_EQ(run("spectrum --quiet --method elastic --block 1 --weights value --out " + path("s.png") + " " +
                  path("s.mtx"))
                  .code,
              0);
  }
  const std::string power =
      "spectrum --quiet --method dense --as power --weights value --out " + path("t.npy") + " ";
  const test::Outcome outcome = run(power + path("s.mtx"));
  EXPECT_EQ(outcome.code, 2) << "1e50 is beyond single precision";
  EXPECT_NE(outcome.err.find("single precision"), std::string::npos) << outcome.err;
  EXPECT_EQ(run(power + path("a.mtx")).code, 0);
}

TEST_F(CliWeights, ValuesThatAreNotFiniteAreCountedAndLeftOut) {
  std::ofstream(path("n.mtx")) << "%%MatrixMarket matrix coordinate real general\n3 3 5\n"
                                  "1 1 2\n2 2 nan\n3 3 inf\n1 3 1e300\n2 1 5\n";
  const test::Outcome outcome = run("features --method exact --weights value --json " + path("n.mtx"));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find("3 entries are NaN, infinite or beyond single precision"), std::string::npos)
      << outcome.err;
  const json features = json_of(outcome.out);
  EXPECT_EQ(features["weight_sum"], 7);
  EXPECT_EQ(features["nonzeros"], 5);
}

TEST_F(CliWeights, ThatVanishBesideLargeOnesAreCounted) {
  const auto note_of = [&](const std::string& entries) {
    std::ofstream(path("v.mtx")) << "%%MatrixMarket matrix coordinate real general\n3 3 4\n" << entries;
    return run("features --method exact --weights value " + path("v.mtx")).err;
  };
  EXPECT_NE(note_of("1 1 1e-30\n2 2 1e30\n3 3 0\n1 3 -2e-20\n").find("2 entries are below 1e-45"),
            std::string::npos);
  EXPECT_EQ(note_of("1 1 1e-5\n2 2 1e30\n3 3 0\n1 3 -2e-5\n").find("1e-45"), std::string::npos);
}

TEST_F(CliWeights, OfEveryRangeGiveNumbersByEveryMethod) {
  std::mt19937 random(7);
  int drawn = 0;
  const auto normal = [&] { return std::normal_distribution<double>()(random); };
  const auto sign = [&] { return ++drawn % 2 == 0 ? 1.0 : -1.0; };
  const std::vector<std::pair<std::string, std::function<double()>>> ranges{
      {"1e-30 to 1e30",
       [&] { return sign() * std::pow(10, std::uniform_real_distribution(-30.0, 30.0)(random)); }},
      {"all 1e30", [] { return 1e30; }},
      {"all 1e-30", [] { return 1e-30; }},
      {"denormal", [&] { return 1e-40 * normal(); }},
      {"one huge", [&] { return drawn++ == 0 ? 1e25 : normal(); }},
      {"sum 0", sign},
      {"NaN and infinite", [&] {
         return std::array{NAN, 1.0F, HUGE_VALF, -3.0F}.at(static_cast<unsigned>(drawn++ % 4));
       }}};
  for (const auto& [name, value] : ranges) {
    SCOPED_TRACE(name);
    drawn = 0;
    std::ofstream file(path("w.mtx"));
    file << "%%MatrixMarket matrix coordinate real general\n40 36 240\n";
    for (int t = 0; t < 240; ++t)
      file << 1 + t % 40 << ' ' << 1 + (t % 40 + 5 * (t / 40)) % 36 << ' ' << value() << '\n';
    file.close();
    const std::string end = " --json --quiet --weights value " + path("w.mtx");
    const json exact = run_json("features --method dense" + end);
    int ran = 0;
    for (const json& method : run_json("methods")) {
      const std::string id = method.at("id");
      SCOPED_TRACE(id);
      const bool has_block = method.at("parameters").dump().find("\"block\"") != std::string::npos;
      const test::Outcome outcome = run("features --method " + id + (has_block ? " --block 4" : "") + end);
      // FINUFFT may be missing.
      if (outcome.code == 5 || outcome.err.find("pattern only") != std::string::npos) continue;
      ASSERT_EQ(outcome.code, 0) << outcome.err;
      const json features = json_of(outcome.out);
      ++ran;
      for (const FeatureDefinition& feature : kFeatureTable) {
        const json& found = features.at(feature.id);  // NaN and infinite numbers are written as null
        EXPECT_EQ(found.dump().find("null"), std::string::npos) << feature.id;
        if (!has_block) expect_near(found, exact.at(feature.id), 1e-5);
      }
      EXPECT_TRUE(features.at("weight_sum").is_number() && features.at("weight_squares").is_number());
    }
    EXPECT_GE(ran, 9);
  }
}

TEST_F(CliWeights, OfMatricesWithoutValuesAreRefused) {
  const auto refused = [&](const std::string& arguments) {
    const test::Outcome outcome = run(arguments + " --quiet");
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_TRUE(outcome.out.empty()) << arguments;
    EXPECT_NE(outcome.err.find("eight"), std::string::npos) << arguments << ": " << outcome.err;
    return outcome.err;
  };
  const std::string features = "features --method exact --weights ";
  EXPECT_NE(refused(features + "value " + path("p.mtx")).find("no values"), std::string::npos);
  EXPECT_NE(refused(features + "value " + path("c.mtx")).find("complex"), std::string::npos);
  refused(features + "imaginary " + path("a.mtx"));
  refused(features + "value gen:random:n=20,nnz=40");
  EXPECT_NE(refused(features + "size " + path("a.mtx")).find("magnitude"), std::string::npos);
  refused("features --method bs-fft-paper --weights value " + path("a.mtx"));
  refused("features --method elastic-paper --block 2 --weights value " + path("a.mtx"));
  // Commands that take the pattern only.
  refused("info --weights value " + path("a.mtx"));
  EXPECT_NE(refused("explain --weights value " + path("a.mtx")).find("positions"), std::string::npos);
  EXPECT_NE(refused("similar --weights value " + path("a.mtx")).find("Signatures"), std::string::npos);
  EXPECT_NE(refused("index --weights value --db " + path("i.db") + " " + path("a.mtx")).find("Signatures"),
            std::string::npos);
  EXPECT_EQ(files().size(), 3U) << "nothing was written";
}

TEST_F(CliWeights, ReorderAndGenerateWriteThem) {
  // The order moves the numbers with their positions.
  const json made = run_json("reorder --order random --seed 3 --weights value --out " + path("r.mtx") + " " +
                             path("a.mtx"));
  EXPECT_EQ(made["weights"], "value");
  EXPECT_EQ(made["weight_sum"], 6.5);
  const auto numbers = [&](const std::string& name) {
    std::istringstream text(text_of(path(name)));
    std::vector<double> found;
    std::string line;
    int row = 0, column = 0;
    for (double value = 0; std::getline(text, line);)
      if (!line.starts_with('%') && std::istringstream(line) >> row >> column >> value)
        found.push_back(value);
    found.erase(found.begin());  // sides and number of entries
    std::ranges::sort(found);
    return found;
  };
  EXPECT_EQ(numbers("r.mtx"), (std::vector<double>{-3, -1, 0.5, 2, 8}));
  run_json("reorder --order random --seed 3 --out " + path("p.mtx") + " " + path("a.mtx"));
  EXPECT_NE(text_of(path("p.mtx")).find("coordinate pattern"), std::string::npos);
  const std::string entropy = "features --method exact ";
  EXPECT_EQ(run_json(entropy + path("r.mtx"))["entropy"], run_json(entropy + path("p.mtx"))["entropy"]);
  // A Laplacian of 3 × 3 points: 4 on the diagonal, −1 at 24 places beside it.
  run_json("generate laplacian-2d nx=3 ny=3 --weights value --out " + path("g.mtx"));
  const std::vector<double> laplacian = numbers("g.mtx");
  EXPECT_EQ(std::ranges::count(laplacian, 4.0), 9);
  EXPECT_EQ(std::ranges::count(laplacian, -1.0), 24);
  EXPECT_EQ(run_json("features --method exact --weights value " + path("g.mtx"))["weight_sum"], 12);
}

TEST_F(CliWeights, CompareAndReconstructTakeThem) {
  const json compare =
      run_json("compare --methods elastic,density-map --blocks 2 --weights value " + path("a.mtx"));
  EXPECT_EQ(compare["weights"], "value");
  EXPECT_EQ(compare["results"].size(), 2U);
  for (const std::string fill : {"bilinear", "smooth", "best"}) {
    const json made =
        run_json("reconstruct --method elastic --block 2 --weights value --reference exact --fill " + fill +
                 " --out " + path("r.npy") + " " + path("a.mtx"));
    EXPECT_EQ(made["weights"], "value");
    EXPECT_TRUE(made["hellinger"].is_number()) << fill;
  }
}

TEST_F(CliWeights, AStudyRecordsItsWeightsAndIsContinuedWithThemAlone) {
  const std::string study = "study --quiet --methods exact --out " + path("study") + " " + path("a.mtx");
  ASSERT_EQ(run(study + " --weights value").code, 0);
  const json expected = run_json("features --method exact --weights value " + path("a.mtx"));
  EXPECT_NE(text_of(path("study/cells.jsonl")).find(expected["entropy"].dump()), std::string::npos);
  EXPECT_NE(text_of(path("study/report.md")).find("weights value"), std::string::npos);
  const test::Outcome other = run(study);
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("--weights value"), std::string::npos) << other.err;
}

TEST_F(CliWeights, TheAdvisorMeasuresTheWeights) {
  const json advice = run_json("advise --weights value " + path("a.mtx"));
  EXPECT_EQ(advice["weights"], "value");
  bool is_any = false;
  for (const json& one : advice["advice"]) is_any = is_any || one["fits"].get<bool>();
  EXPECT_TRUE(is_any);
}

TEST_F(CliWeights, TheoryAndRelatedSystemsAreThoseOfTheWeights) {
  const json theory = run_json("theory --weights value " + path("a.mtx") + " --block 2");
  EXPECT_EQ(theory["weights"], "value");
  EXPECT_NE(theory["entropy"], run_json("theory " + path("a.mtx") + " --block 2")["entropy"]);
  const json related = run_json("related --weights value " + path("a.mtx"));
  EXPECT_NE(related["effective_coefficients"],
            run_json("related " + path("a.mtx"))["effective_coefficients"]);
}

TEST_F(CliWeights, AStateOfOtherWeightsIsRefused) {
  const std::string features = "features --method exact --quiet --state " + path("state") + " ";
  EXPECT_EQ(run(features + path("a.mtx")).code, 0);
  EXPECT_NE(run(features + "--weights value " + path("a.mtx")).code, 0) << "the state of the pattern";
}

}  // namespace
}  // namespace spyctrum
