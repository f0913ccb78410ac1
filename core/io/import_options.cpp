// SPDX-License-Identifier: Apache-2.0
// Import options of all formats, and messages about them.
#include "core/io/import_options.hpp"

#include <algorithm>
#include <array>

#include "core/base/text.hpp"
#include "core/io/formats.hpp"
#include "core/io/quote.hpp"

namespace spyctrum {

namespace {

constexpr std::array<std::string_view, 2> kOrientations{"stored", "transposed"};

bool allows(const ImportOption& option, std::string_view value) {
  return value == "auto" || option.values.empty() ||
         std::ranges::find(option.values, value) != option.values.end();
}

}  // namespace

std::span<const ImportOption> common_import_options() {
  static const std::array common{
      ImportOption{"orientation", kOrientations, "rows and columns as the file has them, or exchanged"},
      ImportOption{"layer", {}, "the name of one matrix of several, as FILE::NAME"},
      ImportOption{"format", format_ids(), "the format, where the content of the file fits several"}};
  return common;
}

std::vector<KnownImportOption> import_options() {
  std::vector<KnownImportOption> known;
  for (const ImportOption& option : common_import_options()) known.push_back({option, "all formats"});
  for (const auto& reader : readers())
    for (const ImportOption& option : reader->format.options) {
      const auto same = std::ranges::find_if(
          known, [&](const KnownImportOption& one) { return one.option.name == option.name; });
      if (same == known.end())
        known.push_back({option, std::string(reader->format.name)});
      else
        same->formats.append(", ").append(reader->format.name);
    }
  return known;
}

Result<std::pair<std::string, std::string>> parse_import_option(std::string_view text) {
  const std::size_t at = text.find('=');
  const std::string_view name = text.substr(0, at);
  const std::string_view value = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  const std::vector<KnownImportOption> known = import_options();
  const auto name_of = [](const KnownImportOption& one) { return one.option.name; };
  const auto found = std::ranges::find(known, name, name_of);
  if (found == known.end())
    return fail(ErrorCode::wrong_use, "No format has the option " + in_quotes(name) + ".",
                "Write --import NAME=VALUE; names are " + joined(known, name_of) + ".");
  const ImportOption& option = found->option;
  if (!value.empty() && allows(option, value)) return std::pair(std::string(name), std::string(value));
  const std::string values = option.values.empty() ? "auto" : joined(option.values) + ", auto";
  return fail(ErrorCode::wrong_use,
              "The option " + std::string(name) + " cannot be " + in_quotes(value) + ".",
              "Values of " + std::string(name).append(" (").append(option.help) + "): " + values + ".");
}

void check_import_options(const LoadOptions& options, const FormatInfo& format, std::string_view name) {
  for (const auto& choice : options.import) {
    const auto is_it = [&](const ImportOption& option) { return option.name == choice.first; };
    if (choice.second == "auto" || std::ranges::any_of(common_import_options(), is_it)) continue;
    const auto own = std::ranges::find_if(format.options, is_it);
    if (own == format.options.end() && options.import_where_known) continue;
    if (own != format.options.end() && allows(*own, choice.second)) continue;
    std::string names = joined(common_import_options(), &ImportOption::name);
    for (const ImportOption& option : format.options) names.append(", ").append(option.name);
    throw Failure(ErrorCode::wrong_use,
                  std::string(name) + ": the format " + std::string(format.name) + " has no option " +
                      in_quotes(choice.first + "=" + choice.second) + ".",
                  "Its options are " + names + ".");
  }
}

std::string_view import_choice(const LoadOptions& options, std::string_view name) {
  std::string_view value;
  for (const auto& choice : options.import)
    if (choice.first == name) value = choice.second;
  return value == "auto" ? std::string_view() : value;
}

void note_assumption(LoadReport& report, const LoadOptions& options, std::string_view name,
                     std::string_view value) {
  if (std::ranges::find(report.assumed, name, &Assumption::name) != report.assumed.end()) return;
  report.assumed.push_back({std::string(name), std::string(value), !import_choice(options, name).empty()});
}

}  // namespace spyctrum
