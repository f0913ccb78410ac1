// SPDX-License-Identifier: Apache-2.0
// How sources of matrices (a path, "-" for the standard input, a gen: text) are written and compared.
#pragma once

#include <string>

namespace spyctrum {

/// The file's name without its folder, "cells.h5ad::layers/counts" for one matrix of several; "-" and gen:
/// texts as they are. To be shown: bytes that are no UTF-8 are escaped.
[[nodiscard]] std::string short_name(const std::string& source);
/// Files by their absolute path, so that one file has one name in recent files and sessions.
[[nodiscard]] std::string full_source(const std::string& source);
/// The source as text for JSON: a path that is no UTF-8 becomes a URI, file:///home/b%E9.mtx.
[[nodiscard]] std::string text_of_source(const std::string& source);
/// The source of such a text.
[[nodiscard]] std::string source_from_text(const std::string& text);

/// Whether the source is a folder that exists.
[[nodiscard]] bool is_folder(const std::string& source);

}  // namespace spyctrum
