// SPDX-License-Identifier: Apache-2.0
// What file formats leave open, and the user's choices: --import name=value on the command line. Readers
// declare their options (FormatInfo::options); messages, help and the check of names and values follow from
// that one list.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/reader.hpp"

namespace spyctrum {

/// The options of all formats: orientation, layer, format.
[[nodiscard]] std::span<const ImportOption> common_import_options();

/// Every option once, those of all formats first, with the formats that have it: "edge list, DIMACS graph";
/// "all formats".
struct KnownImportOption {
  ImportOption option;
  std::string formats;
};
[[nodiscard]] std::vector<KnownImportOption> import_options();

/// "base=1" as name and value. Errors: wrong_use where no format has the option, or the option not that
/// value, with the list of those that exist. The value "auto", which leaves the decision to the reader,
/// always does.
[[nodiscard]] Result<std::pair<std::string, std::string>> parse_import_option(std::string_view text);

/// Throws Failure{wrong_use} where one of the options is none of this format; `name`: the file's in the
/// message.
void check_import_options(const LoadOptions& options, const FormatInfo& format, std::string_view name);

/// The user's choice for an option; empty where there is none.
[[nodiscard]] std::string_view import_choice(const LoadOptions& options, std::string_view name);
/// Notes in the report what the reader took for an option, and whether the user chose it.
void note_assumption(LoadReport& report, const LoadOptions& options, std::string_view name,
                     std::string_view value);

/// Values of options that several formats have.
inline constexpr std::string_view kBases[] = {"0", "1"};
inline constexpr std::string_view kYesNo[] = {"yes", "no"};
inline constexpr std::string_view kTriangles[] = {"expand", "stored"};
inline constexpr ImportOption kTriangleOption{
    "triangle", kTriangles, "of symmetric storage: the other triangle is filled in, or left out"};

}  // namespace spyctrum
