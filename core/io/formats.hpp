// SPDX-License-Identifier: Apache-2.0
// The registry of formats, and its consequences for file names, dialogs and messages. Endings are compared
// without regard to case.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/reader.hpp"

namespace spyctrum {

/// The registered readers, in order of preference.
[[nodiscard]] std::span<const Reader* const> readers();
/// The ids of the readers' formats in the same order: "matrix_market", …
[[nodiscard]] std::span<const std::string_view> format_ids();
/// The reader of the format with this id; nullptr if there is none.
[[nodiscard]] const Reader* find_reader(std::string_view id);

/// The one of `endings` with which the path ends, as a part of `path`; empty if there is none.
[[nodiscard]] std::string_view ending_of(std::string_view path, std::span<const std::string_view> endings);
/// As ending_of(), for the endings of all formats: ".mtx" for "a/b.mtx", empty for "b.mtx.gz".
[[nodiscard]] std::string_view format_ending_of(std::string_view path);

/// Whether a file is named like a file of this format: its name contains an ending of the format, followed by
/// nothing or by another ending, as in b.mtx, b.mtx.gz, b.mtx.anything.
[[nodiscard]] bool is_named_like(std::string_view path, const FormatInfo& format);
/// As is_named_like(), for any registered format.
[[nodiscard]] bool is_named_like_a_matrix(std::string_view path);
/// The file's name without folder and known endings: "b" for a/b.mtx, a/b.mtx.gz and a/b.tar.gz. Other
/// endings are kept ("b.txt").
[[nodiscard]] std::string matrix_name(std::string_view path);

/// For the filter of a file dialog: the endings of all formats, then those of compressed files and archives.
[[nodiscard]] std::vector<std::string> readable_endings();
/// The names of all formats, separated by commas, for messages: "Matrix Market, …".
[[nodiscard]] std::string format_names();
/// before + ending + after for the endings of all formats, joined by "or". With both equal to "*": "*.mtx* or
/// …".
[[nodiscard]] std::string any_format_ending(std::string_view before = {}, std::string_view after = {});

}  // namespace spyctrum
