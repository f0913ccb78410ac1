// SPDX-License-Identifier: Apache-2.0
// The message for a command line that CLI11 refuses: the word that is not known and the name that is closest
// to it, or the argument that is missing.
#include "app/process/wrong_use.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.hpp"

namespace spyctrum {

namespace {

/// Levenshtein's distance: the least number of letters inserted, removed or replaced that make `b` of `a`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

/// "Did you mean NAME?" for the name that differs from `word` in the fewest letters, else `otherwise`.
std::string advice_for(const std::string& word, const std::vector<std::string>& names,
                       const std::string& otherwise) {
  constexpr std::size_t kMostDifferent = 2;
  const auto nearest = std::min_element(names.begin(), names.end(), [&](const auto& a, const auto& b) {
    return edit_distance(word, a) < edit_distance(word, b);
  });
  return nearest != names.end() && edit_distance(word, *nearest) <= kMostDifferent
             ? "Did you mean " + *nearest + "?"
             : otherwise;
}

Error unknown_word(const CLI::App& app, const CLI::App* command, const std::string& word,
                   const std::string& help) {
  const bool is_option = word.starts_with('-');
  std::vector<std::string> names;
  if (command == nullptr) {
    for (const CLI::App* one : app.get_subcommands({})) names.push_back(one->get_name());
    if (!is_option)
      return {ErrorCode::wrong_use, "There is no command '" + word + "'.",
              advice_for(word, names, "Choose " + joined(names) + ".")};
    return {ErrorCode::wrong_use, "'" + word + "' is not an option of " + app.get_name() + " itself.",
            "Write the options of a command behind its name. " + help};
  }
  if (!is_option)
    return {ErrorCode::wrong_use, command->get_name() + " does not take a further argument '" + word + "'.",
            help};
  for (const CLI::Option* one : command->get_options())
    for (const std::string& name : one->get_lnames()) names.push_back("--" + name);
  const std::string typed = word.substr(0, word.find('='));
  const std::string none =
      command == &app ? "There is no option '" : command->get_name() + " has no option '";
  return {ErrorCode::wrong_use, none + typed + "'.", advice_for(typed, names, help)};
}

/// CLI11's message about a value, where it does not say what was expected.
std::string in_our_words(const std::string& what, const CLI::App* command) {
  // "--method: 1 required TEXT missing"
  if (const std::size_t colon = what.find(": 1 required");
      colon != std::string::npos && what.ends_with("missing"))
    return what.substr(0, colon) + " needs a value";
  // "Could not convert: --block = abc", where the types of CLI11 are FLOAT and INT
  constexpr std::string_view kNotConverted = "Could not convert: ";
  const std::size_t equals = what.find(" = ");
  if (!what.starts_with(kNotConverted) || equals == std::string::npos || command == nullptr) return what;
  const std::string name = what.substr(kNotConverted.size(), equals - kNotConverted.size());
  const CLI::Option* const option = command->get_option_no_throw(name);
  const bool is_list = option != nullptr && option->get_items_expected_max() > 1;
  if (option != nullptr && option->get_type_name().starts_with("FLOAT"))
    return name + ": '" + what.substr(equals + 3) + "' is not a number";
  return name + ": '" + what.substr(equals + 3) +
         (is_list ? "' is not a list of whole numbers" : "' is not a whole number that is possible here");
}

}  // namespace

Error wrong_use(const CLI::App& app, const CLI::ParseError& refusal) {
  const auto named = app.get_subcommands();
  const bool has_commands = !app.get_subcommands({}).empty();
  const CLI::App* const command = !has_commands ? &app : named.empty() ? nullptr : named.front();
  const std::string help = "See " + app.get_name() + " " +
                           (command == nullptr || command == &app ? "" : command->get_name() + " ") +
                           "--help.";
  const bool is_about_words = dynamic_cast<const CLI::RequiredError*>(&refusal) != nullptr ||
                              dynamic_cast<const CLI::ExtrasError*>(&refusal) != nullptr;
  if (is_about_words) {
    // Words before the name of a command are those of `app`.
    for (const CLI::App* const owner : {&app, command}) {
      const auto words = owner == nullptr ? std::vector<std::string>() : owner->remaining();
      const auto option =
          std::find_if(words.begin(), words.end(), [](const auto& word) { return word.starts_with('-'); });
      if (!words.empty())
        return unknown_word(app, owner == command ? command : nullptr,
                            option == words.end() ? words[0] : *option, help);
    }
    if (command == nullptr) return {ErrorCode::wrong_use, "No command is named.", help};
  }
  return {ErrorCode::wrong_use, in_our_words(refusal.what(), command) + ".", help};
}

}  // namespace spyctrum
