// SPDX-License-Identifier: Apache-2.0
// The list of the features of a spectrum: id, label, how a feature is read from Features, how its error is
// measured, and its definition in words. Panel, command line, CSV, JSON, studies, exports and tests are loops
// over this list. A new feature is a field of Features, the sums that it needs (FeatureTotals, features_of(),
// the decoders) and one entry here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/spectrum/features.hpp"

namespace spyctrum {

/// The conventions of the features as text, for help: the class of coefficients on an edge, and the positions
/// of each method's samples. README.md gives them with reasons. The last line has no line break.
[[nodiscard]] const char* feature_conventions();

/// How the error of an estimate x̂ of a feature x is measured.
enum class ErrorMeasure : std::uint8_t {
  relative,   ///< |x̂ − x| / |x|
  absolute,   ///< |x̂ − x|
  hellinger,  ///< √(1 − Σ√(x̂_k x_k)) of two distributions, each of sum 1
};
[[nodiscard]] const char* to_string(ErrorMeasure measure);  // "relative", "absolute", "hellinger"

/// How a standard error enters FeatureEstimate::largest.
enum class StandardError : std::uint8_t {
  unknown,   ///< none is estimated
  relative,  ///< divided by the feature
  absolute,  ///< as it is
};

/// One feature: a number, or a distribution (shares of power with sum 1).
struct FeatureDefinition {
  const char* id;         ///< field of JSON: "low_frequency_ratio"
  const char* stem;       ///< begins the names of derived columns: "sector" in "sector_3"
  const char* label;      ///< on the screen: "low-frequency ratio"
  const char* unit = "";  ///< "" for a pure number, which all features are so far
  ErrorMeasure measure;
  StandardError standard_error;
  bool in_mean_error = false;  ///< its error is part of mean_error() and appears in narrow tables
  int digits = 4;              ///< significant digits in a narrow column
  int printed_digits = 6;      ///< significant digits in a line of text
  const char* definition;      ///< for a number its formula, for a distribution its parts ("rings")
  std::span<double> (*values)(Features&) = nullptr;  ///< one number, or the shares
  std::span<const double> (*const_values)(const Features&) = nullptr;

  [[nodiscard]] constexpr bool is_distribution() const { return measure == ErrorMeasure::hellinger; }
  [[nodiscard]] std::span<double> of(Features& features) const { return values(features); }
  [[nodiscard]] std::span<const double> of(const Features& features) const { return const_values(features); }
  /// The value of a feature that is a number.
  [[nodiscard]] double number(const Features& features) const { return const_values(features).front(); }
  /// Name of its error in a table: "flatness_error", "sector_hellinger".
  [[nodiscard]] std::string error_column() const;
};

/// The member of `features` as values: a double is one value.
template <auto Member, class FeaturesType>
constexpr auto values_of_member(FeaturesType& features) {
  if constexpr (std::is_same_v<decltype(Member), double Features::*>)
    return std::span(&(features.*Member), 1);
  else
    return std::span(features.*Member);
}

/// `definition` for the member of Features that holds the feature: a double, or an array of shares.
template <auto Member>
consteval FeatureDefinition feature(FeatureDefinition definition) {
  definition.values = [](Features& features) -> std::span<double> {
    return values_of_member<Member>(features);
  };
  definition.const_values = [](const Features& features) -> std::span<const double> {
    return values_of_member<Member>(features);
  };
  return definition;
}

/// In the order of the fields of JSON.
inline constexpr std::array kFeatureTable{
    feature<&Features::entropy>({.id = "entropy",
                                 .stem = "entropy",
                                 .label = "entropy",
                                 .measure = ErrorMeasure::relative,
                                 .standard_error = StandardError::relative,
                                 .in_mean_error = true,
                                 .digits = 5,
                                 .printed_digits = 8,
                                 .definition = "−Σ p ln p / ln(mn) of the normalised power"}),
    feature<&Features::radial>({.id = "radial",
                                .stem = "radial",
                                .label = "radial",
                                .measure = ErrorMeasure::hellinger,
                                .standard_error = StandardError::absolute,
                                .in_mean_error = true,
                                .definition = "rings"}),
    feature<&Features::sectors>({.id = "sectors",
                                 .stem = "sector",
                                 .label = "directional",
                                 .measure = ErrorMeasure::hellinger,
                                 .standard_error = StandardError::absolute,
                                 .in_mean_error = true,
                                 .definition = "sectors"}),
    feature<&Features::low_frequency_ratio>({.id = "low_frequency_ratio",
                                             .stem = "low_frequency",
                                             .label = "low-frequency ratio",
                                             .measure = ErrorMeasure::relative,
                                             .standard_error = StandardError::absolute,
                                             .definition = "Power with r ≤ √½/8 over all but DC"}),
    feature<&Features::flatness>({.id = "flatness",
                                  .stem = "flatness",
                                  .label = "flatness",
                                  .measure = ErrorMeasure::relative,
                                  .standard_error = StandardError::relative,
                                  .definition = "exp(mean ln |F|²) / mean |F|²; 0.561 for noise"}),
    feature<&Features::imbalance>({.id = "imbalance",
                                   .stem = "imbalance",
                                   .label = "imbalance",
                                   .measure = ErrorMeasure::absolute,
                                   .standard_error = StandardError::unknown,
                                   .definition = "(max − min)/(max + min) of the sectors"}),
};
inline constexpr std::size_t kFeatureCount = kFeatureTable.size();

/// Says why flatness is 0 if more than kMostZeros of the coefficients are zero to rounding; else empty.
[[nodiscard]] std::string zero_note(const Features& features);

/// Position of a feature in the table, given by its id; an id that does not exist fails to compile.
struct FeatureKey {
  std::size_t place = 0;
  constexpr explicit FeatureKey(std::size_t at) : place(at) {}
  // NOLINTNEXTLINE(google-explicit-constructor): errors["entropy"] is to be written
  consteval FeatureKey(const char* id) {
    while (std::string_view(kFeatureTable.at(place).id) != id) ++place;
  }
};

/// Adds a field for each feature to a JSON object: a number, or a list of shares.
template <class Json>
void put_features(Json& object, const Features& features) {
  for (const FeatureDefinition& feature : kFeatureTable) {
    if (feature.is_distribution()) {
      const std::span<const double> shares = feature.of(features);
      object[feature.id] = std::vector<double>(shares.begin(), shares.end());
    } else {
      object[feature.id] = feature.number(features);
    }
  }
}

/// The same for standard errors, without the features whose errors are not estimated.
template <class Json>
void put_standard_errors(Json& object, const Features& errors) {
  put_features(object, errors);
  for (const FeatureDefinition& feature : kFeatureTable)
    if (feature.standard_error == StandardError::unknown) object.erase(feature.id);
}

}  // namespace spyctrum
