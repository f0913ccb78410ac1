// SPDX-License-Identifier: Apache-2.0
// Choices that file formats leave open, and the user's decisions: --import name=value on the command line.
// Readers declare their options (FormatInfo::options); messages, help and the checks of names and values use
// that list.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/reader.hpp"

namespace spyctrum {

/// The options that apply to every format: orientation, layer, format.
[[nodiscard]] std::span<const ImportOption> common_import_options();

/// An option and the formats that have it: "edge list, DIMACS graph", or "all formats". Options of all
/// formats come first.
struct KnownImportOption {
  ImportOption option;
  std::string formats;
};
[[nodiscard]] std::vector<KnownImportOption> import_options();

/// Splits "base=1" into name and value. Errors: wrong_use if no format has the option, or if the option does
/// not have this value, naming the existing ones. Every option has the value "auto", which leaves the
/// decision to the reader.
[[nodiscard]] Result<std::pair<std::string, std::string>> parse_import_option(std::string_view text);

/// Throws Failure{wrong_use} if one of the options does not exist for this format. `name`: the file's name in
/// the message.
void check_import_options(const LoadOptions& options, const FormatInfo& format, std::string_view name);

/// The user's choice for an option; empty if there is none.
[[nodiscard]] std::string_view import_choice(const LoadOptions& options, std::string_view name);
/// Records in the report the value that a reader used for an option, and whether the user chose it; nothing
/// if a value of this option was recorded before.
void note_assumption(LoadReport& report, const LoadOptions& options, std::string_view name,
                     std::string_view value);

/// Values of options that several formats share.
inline constexpr std::string_view kBases[] = {"0", "1"};
inline constexpr std::string_view kYesNo[] = {"yes", "no"};
inline constexpr std::string_view kTriangles[] = {"expand", "stored"};
inline constexpr ImportOption kTriangleOption{
    "triangle", kTriangles, "of symmetric storage: the other triangle is filled in, or left out"};

}  // namespace spyctrum
