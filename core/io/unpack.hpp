// SPDX-License-Identifier: Apache-2.0
// Undoes compressions and archives layer by layer, with one object per layer, so that every layer is read to
// its end and verified and the number of layers is limited. Signatures in the first bytes decide, not the
// file's name. gzip (RFC 1952) is undone by zlib, which checks the CRC (libarchive 3.6 does not), compress
// (.Z) by lzw_source.cpp (libarchive 3.6 crashes on damaged files), everything else by libarchive.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/io/byte_source.hpp"

namespace spyctrum {

/// Opens the same bytes again from the beginning; empty if that is impossible (a pipe).
using Reopen = std::function<std::unique_ptr<ByteSource>()>;

/// Whether a file with these first bytes is of a readable format although it is an archive (such as .npz).
using IsFormat = std::function<bool(std::span<const char> head)>;

/// For example, a .tar.gz within a .zip has three layers. Each may multiply the number of bytes by 1000.
inline constexpr int kMostLayers = 4;

/// Which member of an archive is read.
struct MemberChoice {
  /// In: a member's path, its file name, or that without its ending; empty: the member that is the matrix.
  /// "MEMBER::REST" names a matrix within a member. Out: the part for the reader: REST, or the whole text if
  /// it names no member and only one member can be read.
  std::string requested;
  std::string taken;   ///< out: path of the member that is read; empty if the file is not an archive
  bool named = false;  ///< out: true if `requested` named the member
};

/// Returns the unpacked bytes of `source`; `source` itself if it is not packed or if `is_format` returns
/// true. `name` is the file's name in messages. From an archive the member named by `choice` is read, else
/// the member with a format's ending (format_ending_of()): the only one, or NAME/NAME.ENDING as in the
/// SuiteSparse Matrix Collection; from a pipe, the first. Throws Failure{bad_input} for damaged data, for
/// archives with no such member or several, and for more than kMostLayers layers.
[[nodiscard]] std::unique_ptr<PeekedSource> unpack(std::unique_ptr<ByteSource> source, std::string_view name,
                                                   const Reopen& reopen, const IsFormat& is_format = {},
                                                   MemberChoice* choice = nullptr);

/// Endings of compressed files and archives: ".gz", ".zip", …
[[nodiscard]] std::span<const std::string_view> packed_endings();

enum class Compression { gzip, bzip2, xz, zstd, lz4, lzip, lzma, compress };

/// Undoes gzip; several gzip members in a row are one file, as for the program gzip.
[[nodiscard]] std::unique_ptr<ByteSource> gzip_source(std::unique_ptr<ByteSource> upstream,
                                                      std::string_view name);

/// Undoes compress (.Z).
[[nodiscard]] std::unique_ptr<ByteSource> lzw_source(std::unique_ptr<ByteSource> upstream,
                                                     std::string_view name);

/// Undoes one layer of any other compression, by libarchive, within this process.
[[nodiscard]] std::unique_ptr<ByteSource> filter_source(std::unique_ptr<ByteSource> upstream,
                                                        std::string_view name, Compression compression);

/// A member of a tar, zip or cpio archive, by libarchive; `upstream` must be an uncompressed archive.
[[nodiscard]] std::unique_ptr<ByteSource> archive_source(std::unique_ptr<ByteSource> upstream,
                                                         std::string_view name, const Reopen& reopen,
                                                         MemberChoice* choice = nullptr);

/// The members of an archive one after the other: read() returns the bytes of the current one.
class ArchiveMembers : public LayeredSource {
 public:
  using LayeredSource::LayeredSource;
  /// Sets `path` to that of the next regular file; returns false at the end.
  virtual bool next_member(std::string& path) = 0;
};
/// `upstream` must be an uncompressed tar, zip or cpio archive and outlive the result, whose finish() reads
/// the archive to its end but does not finish `upstream`.
[[nodiscard]] std::unique_ptr<ArchiveMembers> archive_members(ByteSource& upstream, std::string_view name);

/// Describes a file that no reader recognises: "a PNG picture", "a Git LFS pointer and not the file itself",
/// …; empty if its first bytes are unknown.
[[nodiscard]] std::string describe_content(std::span<const char> head);

}  // namespace spyctrum
