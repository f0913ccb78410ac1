// SPDX-License-Identifier: Apache-2.0
// Signatures of packed files and of files that hold no matrix, from each format's specification, as in
// file(1).
#include "core/io/unpack.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace spyctrum {

namespace {

constexpr std::size_t kHeadBytes = 4096;
constexpr int kMostLayers = 4;  // a .tar.gz inside a .zip has three

struct Signature {
  std::string_view bytes;
  std::size_t offset = 0;
  std::string_view what;
};

using namespace std::string_view_literals;

constexpr std::array kPacked{
    Signature{"BZh"sv, 0, "bzip2"},
    Signature{"\xFD"
              "7zXZ\0"sv,
              0, "xz"},
    Signature{"\x28\xB5\x2F\xFD"sv, 0, "zstd"},
    Signature{"\x04\x22\x4D\x18"sv, 0, "lz4"},
    Signature{"\x1F\x9D"sv, 0, "compress"},
    Signature{"LZIP"sv, 0, "lzip"},
    Signature{"PK\3\4"sv, 0, "zip"},
    Signature{"PK\5\6"sv, 0, "zip"},
    Signature{"ustar"sv, 257, "tar"},
};

// Of file names; signatures alone decide how a file is unpacked.
constexpr std::array kPackedEndings{".gz"sv, ".bz2"sv, ".xz"sv,  ".zst"sv, ".lz4"sv,
                                    ".Z"sv,  ".zip"sv, ".tgz"sv, ".tar"sv};

constexpr std::array kOther{
    Signature{"\x89PNG"sv, 0, "a PNG picture"},
    Signature{"\xFF\xD8\xFF"sv, 0, "a JPEG picture"},
    Signature{"GIF8"sv, 0, "a GIF picture"},
    Signature{"BM"sv, 0, "a BMP picture"},
    Signature{"%PDF-"sv, 0, "a PDF document"},
    Signature{"%!PS"sv, 0, "a PostScript document"},
    Signature{"\x89HDF"sv, 0, "an HDF5 file"},
    Signature{"MATLAB 5.0 MAT-file"sv, 0, "a MATLAB .mat file"},
    Signature{"MATLAB 7.3 MAT-file"sv, 0, "a MATLAB 7.3 .mat file"},
    Signature{"\x93NUMPY"sv, 0, "a NumPy array"},
    Signature{"\x7F"
              "ELF"sv,
              0, "a program"},
    Signature{"7z\xBC\xAF\x27\x1C"sv, 0, "a 7-Zip archive"},
    Signature{"Rar!"sv, 0, "a RAR archive"},
    Signature{"SQLite format 3"sv, 0, "an SQLite database"},
    Signature{"version https://git-lfs"sv, 0, "a Git LFS pointer and not the file itself"},
    Signature{"<!DOCTYPE html"sv, 0, "a web page"},
    Signature{"<html"sv, 0, "a web page"},
    Signature{"<?xml"sv, 0, "an XML document"},
    Signature{"\xFF\xFE"sv, 0, "UTF-16 text"},
    Signature{"\xFE\xFF"sv, 0, "UTF-16 text"},
};

bool matches(std::span<const char> head, const Signature& signature) {
  return head.size() >= signature.offset + signature.bytes.size() &&
         std::equal(signature.bytes.begin(), signature.bytes.end(),
                    head.begin() + static_cast<std::ptrdiff_t>(signature.offset));
}

bool is_gzip(std::span<const char> head) { return matches(head, {"\x1F\x8B"sv, 0, {}}); }

bool is_packed(std::span<const char> head) {
  return std::any_of(kPacked.begin(), kPacked.end(),
                     [&](const Signature& one) { return matches(head, one); });
}

}  // namespace

std::span<const std::string_view> packed_endings() { return kPackedEndings; }

std::string describe_content(std::span<const char> head) {
  for (const Signature& one : kOther) {
    if (matches(head, one)) return std::string(one.what);
  }
  return {};
}

std::unique_ptr<PeekedSource> unpack(std::unique_ptr<ByteSource> source, std::string_view name,
                                     const Reopen& reopen) {
  auto peeked = std::make_unique<PeekedSource>(std::move(source));
  Reopen again = reopen;
  for (int layer = 0; layer < kMostLayers; ++layer) {
    const std::span<const char> head = peeked->peek(kHeadBytes);
    if (is_gzip(head)) {
      peeked = std::make_unique<PeekedSource>(gzip_source(std::move(peeked), name));
      if (again) again = [inner = again, text = std::string(name)] { return gzip_source(inner(), text); };
    } else if (is_packed(head)) {
      peeked = std::make_unique<PeekedSource>(archive_source(std::move(peeked), name, again));
      if (again)
        again = [inner = again, text = std::string(name)] { return archive_source(inner(), text, inner); };
    } else {
      break;
    }
  }
  return peeked;
}

}  // namespace spyctrum
