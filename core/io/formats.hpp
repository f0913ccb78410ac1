// SPDX-License-Identifier: Apache-2.0
// The registry of formats, and what follows from it for file names, dialogs and messages. Endings are
// compared without regard to capitals.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/reader.hpp"

namespace spyctrum {

/// The registered readers, in order of preference.
[[nodiscard]] const std::vector<std::unique_ptr<Reader>>& readers();
/// Their ids in the same order: "matrix_market", …
[[nodiscard]] std::span<const std::string_view> format_ids();
/// The reader whose format has that id; nullptr where there is none.
[[nodiscard]] const Reader* find_reader(std::string_view id);

/// Which of `endings` the path ends with, as a part of `path`; empty where there is none.
[[nodiscard]] std::string_view ending_of(std::string_view path, std::span<const std::string_view> endings);
/// The same for the endings of all formats: ".mtx" of "a/b.mtx", empty for "b.mtx.gz".
[[nodiscard]] std::string_view format_ending_of(std::string_view path);

/// Whether a file is named like one of this format: its name holds an ending of the format, and nothing or a
/// further ending follows: b.mtx, b.mtx.gz, b.mtx.anything.
[[nodiscard]] bool is_named_like(std::string_view path, const FormatInfo& format);
/// The same for any registered format.
[[nodiscard]] bool is_named_like_a_matrix(std::string_view path);
/// The name of the file without its folder and its endings: "b" of a/b.mtx, a/b.mtx.gz and a/b.tar.gz. Other
/// endings stay ("b.txt").
[[nodiscard]] std::string matrix_name(std::string_view path);

/// For the filter of a dialog: endings of all formats, then those of compressed files and archives.
[[nodiscard]] std::vector<std::string> readable_endings();
/// "Matrix Market", further names after commas.
[[nodiscard]] std::string format_names();
/// before + ending + after for the endings of all formats, "or" between them: "*.mtx*" with before = after =
/// "*".
[[nodiscard]] std::string any_format_ending(std::string_view before = {}, std::string_view after = {});

}  // namespace spyctrum
