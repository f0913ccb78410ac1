// SPDX-License-Identifier: Apache-2.0
// Compression and archives undone, layer by layer, by what the bytes say and
// not by the name. gzip goes through zlib, which checks the CRC (libarchive
// 3.6 does not); everything else through libarchive.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/io/byte_source.hpp"

namespace spyctrum {

/// Opens the bytes from their beginning; empty where that is not possible (a pipe).
using Reopen = std::function<std::unique_ptr<ByteSource>()>;

/// The uncompressed matrix file inside `source`; plain files come back as they
/// are. `name` is for messages. An archive must hold exactly one .mtx file, or
/// the SuiteSparse layout NAME/NAME.mtx. Throws Failure{bad_input}.
[[nodiscard]] std::unique_ptr<PeekedSource> unpack(std::unique_ptr<ByteSource> source, std::string_view name,
                                                   const Reopen& reopen);

/// RFC 1952, any number of members.
[[nodiscard]] std::unique_ptr<ByteSource> gzip_source(std::unique_ptr<ByteSource> upstream,
                                                      std::string_view name);

/// bzip2, xz, zstd, lz4, compress, tar, zip, 7-Zip, … by libarchive.
[[nodiscard]] std::unique_ptr<ByteSource> archive_source(std::unique_ptr<ByteSource> upstream,
                                                         std::string_view name, const Reopen& reopen);

/// What a file is when it is no matrix: "a PNG picture", "a Git LFS pointer", …;
/// empty when unknown.
[[nodiscard]] std::string describe_content(std::span<const char> head);

}  // namespace spyctrum
