// SPDX-License-Identifier: Apache-2.0
// Signatures of packed files and of files that hold no matrix, from each format's specification, as in
// file(1).
#include "core/io/unpack.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace spyctrum {

namespace {

struct Signature {
  std::string_view bytes;
  std::size_t offset = 0;
  std::string_view what;
  Compression compression{};  // of a compressed file
};

using namespace std::string_view_literals;

constexpr std::array kCompressions{
    Signature{"\x1F\x8B"sv, 0, "gzip", Compression::gzip},
    Signature{"BZh"sv, 0, "bzip2", Compression::bzip2},
    Signature{"\xFD"
              "7zXZ\0"sv,
              0, "xz", Compression::xz},
    Signature{"\x28\xB5\x2F\xFD"sv, 0, "zstd", Compression::zstd},
    Signature{"\x04\x22\x4D\x18"sv, 0, "lz4", Compression::lz4},
    Signature{"\x02\x21\x4C\x18"sv, 0, "lz4", Compression::lz4},  // of lz4 -l
    Signature{"\x1F\x9D"sv, 0, "compress", Compression::compress},
    Signature{"LZIP"sv, 0, "lzip", Compression::lzip},
};

constexpr std::array kArchives{
    Signature{"PK\3\4"sv, 0, "zip"},    Signature{"PK\5\6"sv, 0, "zip"},  Signature{"ustar"sv, 257, "tar"},
    Signature{"070701"sv, 0, "cpio"},   Signature{"070702"sv, 0, "cpio"}, Signature{"070707"sv, 0, "cpio"},
    Signature{"\xC7\x71"sv, 0, "cpio"},
};

// Of file names; signatures alone decide how a file is unpacked.
constexpr std::array kPackedEndings{".gz"sv,   ".bz2"sv, ".xz"sv,  ".zst"sv, ".lz4"sv, ".lz"sv,
                                    ".lzma"sv, ".Z"sv,   ".zip"sv, ".tgz"sv, ".tar"sv};

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
    Signature{"Octave-1-"sv, 0,
              "a file in Octave's binary format; write it anew in Octave, with save -v7 FILE"},
    Signature{"\x93NUMPY"sv, 0, "a NumPy array"},
    Signature{"\x80\x02"sv, 0, "a Python pickle, which holds code and is never read"},
    Signature{"\x80\x03"sv, 0, "a Python pickle, which holds code and is never read"},
    Signature{"\x80\x04"sv, 0, "a Python pickle, which holds code and is never read"},
    Signature{"\x80\x05"sv, 0, "a Python pickle, which holds code and is never read"},
    Signature{"RDX2\n"sv, 0, "a file of R's save(); write Matrix Market with Matrix::writeMM()"},
    Signature{"RDX3\n"sv, 0, "a file of R's save(); write Matrix Market with Matrix::writeMM()"},
    Signature{"X\n\0\0\0"sv, 0, "a file of R's saveRDS(); write Matrix Market with Matrix::writeMM()"},
    Signature{"PAR1"sv, 0, "a Parquet table"},
    Signature{"ARROW1"sv, 0, "an Arrow table"},
    Signature{"digraph "sv, 0, "a DOT graph; write GraphML"},
    Signature{"strict "sv, 0, "a DOT graph; write GraphML"},
    Signature{"graph {"sv, 0, "a DOT graph; write GraphML"},
    Signature{"<gexf"sv, 0, "a GEXF graph; write GraphML"},
    Signature{">>graph6<<"sv, 0, "a graph6 text; write GraphML"},
    Signature{">>sparse6<<"sv, 0, "a sparse6 text; write GraphML"},
    Signature{"AdjacencyGraph"sv, 0, "a graph of Ligra; write a list of edges"},
    Signature{"WeightedAdjacencyGraph"sv, 0, "a graph of Ligra; write a list of edges"},
    Signature{"{"sv, 0, "a JSON text"},
    Signature{"[["sv, 0, "a JSON text"},
    Signature{"graph ["sv, 0, "a GML graph; write GraphML"},
    Signature{"graph\n["sv, 0, "a GML graph; write GraphML"},
    Signature{"nodedef>"sv, 0, "a GDF graph; write GraphML"},
    Signature{"LEDA.GRAPH"sv, 0, "a graph of LEDA; write GraphML"},
    Signature{R"(Creator ")"sv, 0, "a GML graph; write GraphML"},
    Signature{"*Vertices"sv, 0, "a Pajek graph; write GraphML"},
    Signature{"*vertices"sv, 0, "a Pajek graph; write GraphML"},
    Signature{"\x7F"
              "ELF"sv,
              0, "a program"},
    Signature{"7z\xBC\xAF\x27\x1C"sv, 0, "a 7-Zip archive"},
    Signature{"Rar!"sv, 0, "a RAR archive"},
    Signature{"SQLite format 3"sv, 0, "an SQLite database"},
    Signature{"version https://git-lfs"sv, 0, "a Git LFS pointer and not the file itself"},
    Signature{"<!DOCTYPE html"sv, 0, "a web page"},
    Signature{"<!DOCTYPE HTML"sv, 0, "a web page"},
    Signature{"<html"sv, 0, "a web page"},
    Signature{"<?xml"sv, 0, "an XML document"},
    Signature{"\xFF\xFE"sv, 0, "UTF-16 text; convert it: iconv -f UTF-16 -t UTF-8 IN > OUT"},
    Signature{"\xFE\xFF"sv, 0, "UTF-16 text; convert it: iconv -f UTF-16 -t UTF-8 IN > OUT"},
};

bool matches(std::span<const char> head, const Signature& signature) {
  const std::string_view text(head.data(), head.size());
  return text.size() > signature.offset && text.substr(signature.offset).starts_with(signature.bytes);
}

/// Without the frames of zstd and LZ4 that hold no data, such as pzstd writes before each frame with data:
/// 0x184D2A50 … 5F, the number of bytes that follow, these bytes.
std::span<const char> without_skippable_frames(std::span<const char> head) {
  constexpr std::size_t kFrameHead = 8;
  while (head.size() >= kFrameHead && static_cast<unsigned char>(head[0]) >> 4U == 5 &&
         std::string_view(head.data() + 1, 3) == "\x2A\x4D\x18") {
    std::uint64_t size = 0;
    for (std::size_t k = kFrameHead; k-- > 4;) size = 256 * size + static_cast<unsigned char>(head[k]);
    head = head.subspan(std::min<std::uint64_t>(head.size(), kFrameHead + size));
  }
  return head;
}

/// Whether a file begins as those of the program lzma, and of xz --format=lzma, do, which have no signature
/// (XZ Utils, lzma-file-format.txt): 0x5D for the usual properties, four bytes for the size of the
/// dictionary, which is 2^n, 2^n + 2^(n-1) or 2^32 - 1, eight for the unpacked size, which is unknown or
/// below 2^48, and a first packed byte that is 0.
bool begins_lzma(std::span<const char> head) {
  constexpr std::size_t kHeader = 13;
  if (head.size() <= kHeader || head[0] != '\x5D' || head[kHeader] != '\0') return false;
  const auto number = [&](std::size_t at, std::size_t bytes) {
    std::uint64_t value = 0;
    while (bytes-- > 0) value = 256 * value + static_cast<unsigned char>(head[at + bytes]);
    return value;
  };
  const std::uint64_t dictionary = number(1, 4);
  const std::uint64_t unit = dictionary & (~dictionary + 1);  // its lowest bit
  const std::uint64_t size = number(5, 8);
  const bool is_dictionary = dictionary == unit || dictionary == 3 * unit || dictionary == 0xFFFFFFFF;
  return is_dictionary && dictionary >= 4096 && size + 1 <= std::uint64_t{1} << 48U;
}

std::optional<Compression> compression_of(std::span<const char> head) {
  head = without_skippable_frames(head);
  for (const Signature& one : kCompressions)
    if (matches(head, one)) return one.compression;
  if (begins_lzma(head)) return Compression::lzma;
  return std::nullopt;
}

// A tar archive from before POSIX has no signature but the sum of its first header's bytes, in octal digits;
// the eight bytes of the sum count as blanks.
bool has_tar_checksum(std::span<const char> head) {
  constexpr std::size_t kHeader = 512;
  constexpr std::size_t kSum = 148;
  constexpr std::size_t kSumEnd = 156;
  if (head.size() < kHeader || head[0] == '\0') return false;
  unsigned sum = 0;
  for (std::size_t k = 0; k < kHeader; ++k)
    sum += k >= kSum && k < kSumEnd ? unsigned{' '} : static_cast<unsigned char>(head[k]);
  std::size_t at = kSum;
  while (at < kSumEnd && head[at] == ' ') ++at;
  unsigned stored = 0;
  const std::size_t digits = at;
  for (; at < kSumEnd && head[at] >= '0' && head[at] <= '7'; ++at)
    stored = stored * 8 + static_cast<unsigned>(head[at] - '0');
  return at > digits && stored == sum;
}

bool is_archive(std::span<const char> head) {
  return std::ranges::any_of(kArchives, [&](const Signature& one) { return matches(head, one); }) ||
         has_tar_checksum(head);
}

std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> source, std::string_view name,
                                         Compression compression) {
  if (compression == Compression::gzip) return gzip_source(std::move(source), name);
  if (compression == Compression::compress) return lzw_source(std::move(source), name);
  return filter_source(std::move(source), name, compression);
}

[[noreturn]] void fail_layers(std::string_view name, const ByteSource& source) {
  throw Failure(ErrorCode::bad_input,
                std::string(name) + ": more than " + std::to_string(kMostLayers) +
                    " compressions and archives lie within each other (" + source.compression() +
                    ", and then another); at most " + std::to_string(kMostLayers) + " are undone.",
                "Unpack the file and open the matrix file itself.");
}

/// Whether a text begins with a line of LIBSVM: LABEL INDEX:VALUE ….
bool is_libsvm(std::string_view text) {
  constexpr std::string_view kOfNumbers = "+-.0123456789eE";
  text = text.substr(0, text.find('\n'));
  const std::size_t label = text.find_first_not_of(kOfNumbers);
  if (label == 0 || label == std::string_view::npos || text[label] != ' ') return false;
  text.remove_prefix(label + 1);
  const std::size_t colon = text.find_first_not_of("0123456789");
  if (colon == 0 || colon == std::string_view::npos || text[colon] != ':') return false;
  text.remove_prefix(colon + 1);
  return !text.empty() && kOfNumbers.find(text[0]) != std::string_view::npos;
}

}  // namespace

std::span<const std::string_view> packed_endings() { return kPackedEndings; }

std::string describe_content(std::span<const char> head) {
  const std::string_view text(head.data(), head.size());
  if (text.starts_with("<?xml") && text.find("<gexf") != std::string_view::npos)
    return describe_content(head.subspan(text.find("<gexf")));
  for (const Signature& one : kOther)
    if (matches(head, one)) return std::string(one.what);
  if (is_libsvm(text))
    return "a text of LIBSVM; write Matrix Market, for example by SciPy: X, y = load_svmlight_file(IN); "
           "mmwrite(OUT, X)";
  const std::size_t end = text.find_first_of(std::string_view("\r\n\0", 3));
  const std::string_view rest = text.substr(std::min(end, text.size()));
  if (rest.size() > 1 && rest[0] == '\r' && rest[1] != '\n' && rest[1] != '\r')
    return R"(text whose lines end with CR alone, a carriage return; convert it: tr '\r' '\n' < IN > OUT)";
  return {};
}

std::unique_ptr<PeekedSource> unpack(std::unique_ptr<ByteSource> source, std::string_view name,
                                     const Reopen& reopen, const IsFormat& is_format, MemberChoice* choice) {
  auto peeked = std::make_unique<PeekedSource>(std::move(source));
  Reopen again = reopen;
  for (int layer = 0;; ++layer) {
    const std::span<const char> head = peeked->peek(kHeadBytes);
    const std::optional<Compression> compression = compression_of(head);
    if (!compression && !is_archive(head)) return peeked;
    if (is_format && is_format(head)) return peeked;
    if (layer == kMostLayers) fail_layers(name, *peeked);
    if (compression) {
      peeked = std::make_unique<PeekedSource>(decompressed(std::move(peeked), name, *compression));
      if (again)
        again = [inner = again, text = std::string(name), kind = *compression] {
          return decompressed(inner(), text, kind);
        };
    } else {
      const MemberChoice requested = choice != nullptr ? *choice : MemberChoice();
      peeked = std::make_unique<PeekedSource>(archive_source(std::move(peeked), name, again, choice));
      if (again)
        again = [inner = again, text = std::string(name), requested] {
          MemberChoice same = requested;
          return archive_source(inner(), text, inner, &same);
        };
    }
  }
}

}  // namespace spyctrum
