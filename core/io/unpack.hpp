// SPDX-License-Identifier: Apache-2.0
// Undoes compressions and archives layer by layer, each by an object of its own, so that every layer is read
// to its end and checked, and that their number is limited. Signatures in the first bytes decide, not the
// file's name. gzip (RFC 1952) goes through zlib, which checks the CRC (libarchive 3.6 does not); all others
// go through libarchive.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/io/byte_source.hpp"

namespace spyctrum {

/// Opens the same bytes once more from their beginning; empty where that is impossible (a pipe).
using Reopen = std::function<std::unique_ptr<ByteSource>()>;

/// Whether bytes that begin like this are of a format that can be read as they are, though they are an
/// archive.
using IsFormat = std::function<bool(std::span<const char> head)>;

/// A .tar.gz inside a .zip has three layers. Each can multiply the bytes by 1000.
inline constexpr int kMostLayers = 4;

/// Which member of an archive is read.
struct MemberChoice {
  /// In: a member's path, its file name, or that without its ending; empty for the one that holds the matrix.
  /// "MEMBER::REST" names a matrix inside of a member. Out: what is left for the reader, REST or what is no
  /// member's name where only one member can be read.
  std::string wanted;
  std::string taken;   ///< out: the path of the member that is read; empty where the file is no archive
  bool named = false;  ///< out: `wanted` named it
};

/// The unpacked bytes of `source`, which comes back as it is where nothing is packed or `is_format` is true.
/// `name` is the file's name in messages. Of an archive the member is taken that `choice` names, else the one
/// that has a format's ending (format_ending_of()): the only one, or NAME/NAME.ENDING as in the SuiteSparse
/// Matrix Collection; from a pipe, the first. Throws Failure{bad_input} for damaged data, for archives
/// without such a member or with several, and for more than kMostLayers layers.
[[nodiscard]] std::unique_ptr<PeekedSource> unpack(std::unique_ptr<ByteSource> source, std::string_view name,
                                                   const Reopen& reopen, const IsFormat& is_format = {},
                                                   MemberChoice* choice = nullptr);

/// Endings of the names of compressed files and of archives: ".gz", ".zip", …
[[nodiscard]] std::span<const std::string_view> packed_endings();

enum class Compression { gzip, bzip2, xz, zstd, lz4, lzip, compress };

/// Undoes gzip; several members in a row are one file, as for the program gzip.
[[nodiscard]] std::unique_ptr<ByteSource> gzip_source(std::unique_ptr<ByteSource> upstream,
                                                      std::string_view name);

/// Undoes one layer of any other compression, by libarchive and inside this process.
[[nodiscard]] std::unique_ptr<ByteSource> filter_source(std::unique_ptr<ByteSource> upstream,
                                                        std::string_view name, Compression compression);

/// A member of a tar, zip or cpio archive, by libarchive; `upstream` must be one of them, not compressed.
[[nodiscard]] std::unique_ptr<ByteSource> archive_source(std::unique_ptr<ByteSource> upstream,
                                                         std::string_view name, const Reopen& reopen,
                                                         MemberChoice* choice = nullptr);

/// The members of an archive one after the other: read() gives the bytes of the current one.
class ArchiveMembers : public LayeredSource {
 public:
  using LayeredSource::LayeredSource;
  /// Sets `path` to that of the next regular file; false at the end.
  virtual bool next_member(std::string& path) = 0;
};
/// `upstream` must be a tar, zip or cpio archive, not compressed, and outlive the result, whose finish()
/// reads the archive to its end and leaves `upstream` unfinished.
[[nodiscard]] std::unique_ptr<ArchiveMembers> archive_members(ByteSource& upstream, std::string_view name);

/// What a file is that no reader recognises: "a PNG picture", "a Git LFS pointer and not the file itself", …;
/// empty where its first bytes are unknown.
[[nodiscard]] std::string describe_content(std::span<const char> head);

}  // namespace spyctrum
