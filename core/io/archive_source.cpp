// SPDX-License-Identifier: Apache-2.0
// Compressed files (libarchive's "raw" format: one member without a name) and archives, one of whose members
// is the matrix. Each object undoes one layer, a compression or an archive. libarchive alone would undo up to
// 25 compressions at once, and would leave bytes after the end of a tar archive unread and unchecked.
#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <array>
#include <clocale>
#include <exception>
#include <optional>
#include <set>
#include <utility>

#include "core/io/failure_at.hpp"
#include "core/io/formats.hpp"
#include "core/io/quote.hpp"
#include "core/io/unpack.hpp"

namespace spyctrum {

namespace {

std::string_view member_file(std::string_view member) { return member.substr(member.find_last_of('/') + 1); }

// macOS adds a file ._NAME with attributes of NAME to archives.
bool is_of_macos(std::string_view member) { return member_file(member).starts_with("._"); }

// ".mtx" or ".mtx.gz": the ending of a format, and those of compressions behind it; empty if there is none.
std::string_view matrix_ending_of(std::string_view member) {
  std::string_view unpacked = member;
  while (const std::size_t packed = ending_of(unpacked, packed_endings()).size())
    unpacked.remove_suffix(packed);
  const std::size_t format = format_ending_of(unpacked).size();
  return format == 0 ? std::string_view() : member.substr(unpacked.size() - format);
}

// KONECT's archives hold the edges as out.NAME.
bool may_be_matrix(std::string_view member) {
  return !is_of_macos(member) &&
         (!matrix_ending_of(member).empty() || member_file(member).starts_with("out."));
}

// NAME/NAME.ENDING, the layout of the SuiteSparse Matrix Collection, where right-hand sides and coordinates
// lie beside the matrix.
bool is_suitesparse_layout(std::string_view member) {
  if (!may_be_matrix(member)) return false;
  member.remove_suffix(matrix_ending_of(member).size());
  if (member.starts_with("./")) member.remove_prefix(2);
  const std::size_t slash = member.find('/');
  return slash != std::string_view::npos && member.substr(slash + 1) == member.substr(0, slash);
}

/// While it exists, this thread's characters are UTF-8. libarchive converts the names of members, which zip
/// and pax archives mark as UTF-8, to the characters of the locale, and loses those that have no form in it.
class Utf8Locale {
 public:
  Utf8Locale() {
    static const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    if (utf8 != nullptr) before_ = uselocale(utf8);
  }
  ~Utf8Locale() {
    if (before_ != nullptr) uselocale(before_);
  }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

 private:
  locale_t before_ = nullptr;
};

class ArchiveSource : public ArchiveMembers {
 public:
  /// With a `compression`, read() returns the unpacked bytes of `upstream`; without one, `upstream` is an
  /// archive.
  ArchiveSource(std::unique_ptr<ByteSource> upstream, std::string_view name,
                std::optional<Compression> compression = {})
      : ArchiveMembers(std::move(upstream)),
        name_(name),
        is_single_(compression.has_value()),
        input_(kInputBytes),
        archive_(archive_read_new()) {
    if (archive_ == nullptr) throw std::bad_alloc();
    if (compression) {
      append_filter(*compression);
      // The format is set, since libarchive, when it recognises formats, takes data that are damaged at their
      // beginning for an empty file.
      check(archive_read_set_format(archive_.get(), ARCHIVE_FORMAT_RAW));
    } else {
      archive_read_support_format_tar(archive_.get());
      archive_read_support_format_zip(archive_.get());
      archive_read_support_format_cpio(archive_.get());
    }
    check(archive_read_open(archive_.get(), this, nullptr, &ArchiveSource::fill, nullptr));
  }
  ArchiveSource(const ArchiveSource&) = delete;
  ArchiveSource& operator=(const ArchiveSource&) = delete;

  // Sets `path` to that of the next regular file ("" in a compressed file that is not an archive); returns
  // false at the end.
  bool next_member(std::string& path) override {
    // libarchive compares the checksum of a member that is stored, not compressed, in the call after its last
    // byte.
    std::array<char, 4096> rest{};
    while (position_ > 0 && read(rest) > 0) {
    }
    position_ = block_begin_ = block_end_ = 0;
    for (;;) {
      archive_entry* entry = nullptr;
      const Utf8Locale utf8;
      const int outcome = archive_read_next_header(archive_.get(), &entry);
      if (outcome == ARCHIVE_EOF) {
        if (failure_) std::rethrow_exception(failure_);
        at_end_ = true;
        return false;
      }
      check(outcome);
      if (!is_single_ && archive_entry_filetype(entry) != AE_IFREG) continue;
      const char* text = is_single_ ? nullptr : archive_entry_pathname(entry);
      path = text != nullptr ? text : "";
      if (may_be_matrix(path) && members_.size() < kMostListed)
        members_.push_back({path, "member", 0, 0, 0,
                            static_cast<std::uint64_t>(std::max<la_int64_t>(0, archive_entry_size(entry)))});
      return true;
    }
  }

  void set_member(std::string path) { member_ = std::move(path); }

  // Reads libarchive's blocks, since archive_read_data() loses the bytes that it copied before an error.
  std::size_t read(std::span<char> buffer) override {
    while (position_ >= block_end_) {
      const void* data = nullptr;
      std::size_t size = 0;
      la_int64_t offset = 0;
      const int outcome = archive_read_data_block(archive_.get(), &data, &size, &offset);
      if (outcome == ARCHIVE_EOF) return 0;
      // A warning about data is a wrong checksum or size.
      if (outcome != ARCHIVE_OK) fail_damaged();
      block_ = static_cast<const char*>(data);
      block_begin_ = static_cast<std::uint64_t>(offset);
      block_end_ = block_begin_ + size;
    }
    // The holes of a sparse member are zeros.
    const bool hole = position_ < block_begin_;
    const std::uint64_t end = hole ? block_begin_ : block_end_;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), end - position_));
    if (hole)
      std::fill_n(buffer.data(), count, '\0');
    else
      std::copy_n(block_ + (position_ - block_begin_), count, buffer.data());
    position_ += count;
    return count;
  }
  void finish(JobContext& context) override {
    finishing_ = &context;
    if (!at_end_) read_to_end(*this, context);  // its checksum
    for (std::string path; !is_single_ && !at_end_ && next_member(path);) {
    }
    if (!is_zip()) look_at(std::span<const char>(input_).first(filled_).last(unused_bytes()));
    read_to_end(*upstream_, context, [&](std::span<const char> bytes) {
      keep_tail(bytes);
      if (!is_zip()) look_at(bytes);
    });
    if (is_zip()) look_at(std::span<const char>(tail_).subspan(end_of_zip()));
    upstream_->finish(context);
  }
  [[nodiscard]] std::string compression() const override {
    std::string text = is_single_ ? std::string() : archive_format_name(archive_.get());
    const int filters = archive_filter_count(archive_.get());
    for (int k = 0; k < filters; ++k) {
      if (archive_filter_code(archive_.get(), k) == ARCHIVE_FILTER_NONE) continue;
      if (!text.empty()) text += ", ";
      text += archive_filter_name(archive_.get(), k);
    }
    return followed_by_upstream(std::move(text));
  }
  [[nodiscard]] std::vector<std::string> notes() const override {
    std::vector<std::string> notes = upstream_->notes();
    if (!member_.empty()) {
      std::string text = "The matrix is the member " + quoted_path(member_) + " of the archive";
      std::size_t others = 0;
      for (const MatrixInFile& member : members_)
        if (member.name != member_ && ++others <= 5)
          text += (others == 1 ? "; it also holds " : ", ") + quoted_path(member.name);
      notes.push_back(text + (others > 5 ? ", …." : "."));
    }
    if (trailing_bytes_)
      notes.push_back(
          "Bytes after the end of the " +
          (is_single_ ? archive_filter_name(archive_.get(), 0) + std::string(" data") : "archive") +
          " were ignored.");
    return notes;
  }
  [[nodiscard]] std::vector<MatrixInFile> members() const override {
    return members_.empty() ? upstream_->members() : members_;
  }

 private:
  // Adds one decompressor that is part of libarchive. If its library were missing, libarchive would start a
  // program, which the content of a file must never cause. Without the bidding between decompressors no
  // further layer is undone.
  void append_filter(Compression compression) {
    struct Filter {
      Compression compression;
      int code;
      const char* library;  // its version; null where libarchive was built without it
    };
    const std::array filters{
        Filter{Compression::gzip, ARCHIVE_FILTER_GZIP, archive_zlib_version()},
        Filter{Compression::bzip2, ARCHIVE_FILTER_BZIP2, archive_bzlib_version()},
        Filter{Compression::lz4, ARCHIVE_FILTER_LZ4, archive_liblz4_version()},
        Filter{Compression::zstd, ARCHIVE_FILTER_ZSTD, archive_libzstd_version()},
        Filter{Compression::xz, ARCHIVE_FILTER_XZ, archive_liblzma_version()},
        Filter{Compression::lzip, ARCHIVE_FILTER_LZIP, archive_liblzma_version()},
        Filter{Compression::lzma, ARCHIVE_FILTER_LZMA, archive_liblzma_version()},
    };
    const Filter& filter = *std::ranges::find(filters, compression, &Filter::compression);
    if (filter.library == nullptr)
      throw Failure(ErrorCode::bad_input, name_ + ": this build of libarchive cannot undo its compression.",
                    "Unpack the file and open the matrix file itself.");
    check(archive_read_append_filter(archive_.get(), filter.code));
  }

  [[nodiscard]] bool is_zip() const {
    return (archive_format(archive_.get()) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_ZIP;
  }

  // Number of bytes given to the decompressor that lie after the end of its data.
  [[nodiscard]] std::size_t unused_bytes() const {
    const std::uint64_t used =
        static_cast<std::uint64_t>(std::max<la_int64_t>(0, archive_filter_bytes(archive_.get(), -1)));
    return static_cast<std::size_t>(std::min<std::uint64_t>(filled_, given_ - std::min(given_, used)));
  }

  // Zeros are padding, as added by tapes and block devices.
  void look_at(std::span<const char> bytes) {
    trailing_bytes_ = trailing_bytes_ || std::ranges::any_of(bytes, [](char byte) { return byte != 0; });
  }

  // A zip archive ends with a record of 22 bytes and a comment of at most 65,535 (PKWARE APPNOTE, 4.3.16).
  static constexpr std::size_t kZipEnd = 22;
  void keep_tail(std::span<const char> bytes) {
    seen_ += bytes.size();
    const int format = archive_format(archive_.get()) & ARCHIVE_FORMAT_BASE_MASK;
    if (format != 0 && format != ARCHIVE_FORMAT_ZIP) return;  // 0: not known yet
    tail_.append(bytes.data(), bytes.size());
    constexpr std::size_t kMost = kZipEnd + 65535;
    if (tail_.size() > kMost) tail_.erase(0, tail_.size() - kMost);
  }
  // The offset in tail_ at which this record and its comment end. Throws Failure{bad_input} if there is no
  // such record, or if no directory begins at the byte that it names.
  [[nodiscard]] std::size_t end_of_zip() const {
    const auto number = [&](std::size_t at, std::size_t bytes) {
      std::uint64_t value = 0;
      while (bytes-- > 0) value = 256 * value + static_cast<unsigned char>(tail_[at + bytes]);
      return value;
    };
    const std::uint64_t tail_begin = seen_ - tail_.size();
    for (std::size_t at = tail_.rfind("PK\5\6"); at != std::string::npos;
         at = at == 0 ? std::string::npos : tail_.rfind("PK\5\6", at - 1)) {
      if (tail_.size() - at < kZipEnd) continue;
      const std::size_t end = at + kZipEnd + static_cast<std::size_t>(number(at + 20, 2));
      const std::uint64_t entries = number(at + 10, 2);
      const std::uint64_t size = number(at + 12, 4);
      const std::uint64_t place = number(at + 16, 4);
      // Larger numbers are in another record (ZIP64).
      const bool is_64 = size == 0xFFFFFFFF || place == 0xFFFFFFFF;
      const auto begins = [&] {
        return entries == 0 || place < tail_begin ||
               tail_.compare(static_cast<std::size_t>(place - tail_begin), 4, "PK\1\2") == 0;
      };
      const bool is_there = is_64 || (place + size <= tail_begin + at && begins());
      if (end <= tail_.size() && is_there) return end;
    }
    throw Failure(ErrorCode::bad_input,
                  name_ + ", byte " + grouped(place()) +
                      " (end of the compressed file): the data are damaged or cut off (the zip archive does "
                      "not end with its directory).",
                  "Download or copy the file again.");
  }

  struct Closer {
    void operator()(archive* handle) const { archive_read_free(handle); }
  };

  // Called by libarchive, which is C: no exception may leave it.
  static la_ssize_t fill(archive* handle, void* self, const void** block) {
    auto& source = *static_cast<ArchiveSource*>(self);
    try {
      if (source.finishing_ != nullptr) source.finishing_->check_stop();
      *block = source.input_.data();
      const std::size_t count = source.upstream_->read(source.input_);
      if (count == 0) return 0;  // the previous block may hold unused bytes
      source.filled_ = count;
      source.given_ += count;
      source.keep_tail(std::span<const char>(source.input_).first(count));
      return static_cast<la_ssize_t>(count);
    } catch (...) {
      source.failure_ = std::current_exception();
      archive_set_error(handle, -1, "reading failed");
      return -1;
    }
  }

  void check(int outcome) {
    // Warnings of headers concern names and dates of members.
    if (outcome != ARCHIVE_OK && outcome != ARCHIVE_WARN) fail_damaged();
  }

  // The byte of the file up to which was read. upstream_->consumed() may be the progress of several threads.
  [[nodiscard]] std::uint64_t place() const {
    return upstream_->compression().empty() ? seen_ : upstream_->consumed();
  }

  [[noreturn]] void fail_damaged() {
    if (failure_) std::rethrow_exception(failure_);
    const char* reason = archive_error_string(archive_.get());
    throw FailureAt(
        name_ + ", near byte " + grouped(place()) + " of the compressed file",
        "the data are damaged or cut off (" + escaped(reason != nullptr ? reason : "unknown reason") + ").",
        "Download or copy the file again.");
  }

  std::string name_;
  bool is_single_;
  std::vector<char> input_;
  std::size_t filled_ = 0;   // bytes of input_ that hold data
  std::uint64_t given_ = 0;  // bytes that libarchive was given
  std::uint64_t seen_ = 0;   // bytes that keep_tail() was given: these, and those after the archive's end
  std::string tail_;         // of a zip archive: the last of these
  bool trailing_bytes_ = false;
  static constexpr std::size_t kMostListed = 10000;
  std::vector<MatrixInFile> members_;  // those seen that may be matrices
  bool at_end_ = false;                // of the members
  JobContext* finishing_ = nullptr;
  std::exception_ptr failure_;
  std::unique_ptr<archive, Closer> archive_;
  std::string member_;
  const char* block_ = nullptr;
  std::uint64_t block_begin_ = 0;  // offset in the member
  std::uint64_t block_end_ = 0;
  std::uint64_t position_ = 0;
};

[[noreturn]] void fail_choice(std::string_view name, const std::vector<std::string>& found) {
  const std::string first(readers().front()->format.endings.front());
  std::set<std::string_view> endings;
  for (const std::string& member : found) endings.insert(matrix_ending_of(member));
  const std::string text =
      std::string(name) + ": the archive holds " +
      (found.empty() ? "no " + first + " file and none of another format that can be read"
                     : grouped(found.size()) + " " + joined(endings, std::identity(), " and ") +
                           " files: " + first_few(found, quoted_path));
  throw Failure(
      ErrorCode::bad_input,
      text + "; exactly one was expected, or NAME/NAME" + first + " as in the SuiteSparse collection.",
      found.empty() ? "Unpack it and open the matrix file itself." : "Name one of them after ::.");
}

std::string_view without_dots(std::string_view path) {
  while (path.starts_with("./")) path.remove_prefix(2);
  while (path.starts_with('/')) path.remove_prefix(1);
  return path;
}

// Whether `word` names the member: by its path, by its file name, or by that without its ending.
bool names_member(std::string_view word, std::string_view member) {
  const std::string_view file = member_file(member);
  const std::string_view ending = matrix_ending_of(file);
  return without_dots(word) == without_dots(member) || word == file ||
         (!ending.empty() && word == file.substr(0, file.size() - ending.size()));
}

// The part of MEMBER::REST before the colons.
std::string_view member_part(std::string_view requested) { return requested.substr(0, requested.find("::")); }

void mark_named(MemberChoice& choice) {
  choice.named = true;
  choice.requested.erase(0, std::min(choice.requested.size(), member_part(choice.requested).size() + 2));
}

[[noreturn]] void fail_member(std::string_view name, const std::string& requested,
                              const std::vector<std::string>& found) {
  throw Failure(ErrorCode::bad_input,
                std::string(name) + ": the archive holds no matrix file " + in_quotes(requested) +
                    (found.empty() ? "" : "; it holds " + first_few(found, quoted_path)) + ".",
                "Name one of its members after ::.");
}

// Reads the list of members until the matrix is known; `path` is the first of them.
std::string choose_member(ArchiveSource& listing, std::string_view name, std::string path,
                          MemberChoice& choice) {
  const std::string_view requested = member_part(choice.requested);
  std::vector<std::string> found;
  std::vector<std::string> others;  // with endings that files of other kinds have, too: .csv, .zip
  std::string named;
  std::string last;  // of all members
  std::uint64_t count = 0;
  const std::vector<std::string> names = readable_endings();
  const std::vector<std::string_view> endings(names.begin(), names.end());
  do {
    if (requested.empty() && is_suitesparse_layout(path)) return path;
    const bool may_be = may_be_matrix(path);
    if (!is_of_macos(path)) {
      ++count;
      last = path;
    }
    // Members with the ending .txt are notes, mostly.
    if (!may_be && (is_of_macos(path) || path.ends_with(".txt") || ending_of(path, endings).empty()))
      continue;
    (may_be ? found : others).push_back(path);
    if (requested.empty() || !names_member(requested, path)) continue;
    // A path takes precedence over a file name, which may exist in several folders.
    if (named.empty() || without_dots(requested) == without_dots(path)) named = path;
  } while (listing.next_member(path));
  if (!named.empty()) {
    mark_named(choice);
    return named;
  }
  if (!requested.empty() && found.size() > 1) fail_member(name, std::string(requested), found);
  if (found.empty() && others.size() == 1) return others.front();
  if (requested.empty() && found.empty() && count == 1) return last;
  if (found.size() != 1) fail_choice(name, found);
  return found.front();
}

}  // namespace

std::unique_ptr<ByteSource> filter_source(std::unique_ptr<ByteSource> upstream, std::string_view name,
                                          Compression compression) {
  auto source = std::make_unique<ArchiveSource>(std::move(upstream), name, compression);
  std::string path;
  static_cast<void>(source->next_member(path));  // there is always one
  return source;
}

std::unique_ptr<ByteSource> archive_source(std::unique_ptr<ByteSource> upstream, std::string_view name,
                                           const Reopen& reopen, MemberChoice* choice) {
  MemberChoice none;
  MemberChoice& member = choice != nullptr ? *choice : none;
  auto source = std::make_unique<ArchiveSource>(std::move(upstream), name);
  std::string path;
  if (!source->next_member(path)) fail_choice(name, {});
  if (!reopen) {
    // A pipe cannot be read twice, once for the list and once for the member: the first member that the user
    // names, or that has a format's ending, is read.
    const std::string requested(member_part(member.requested));
    while (!may_be_matrix(path) || (!requested.empty() && !names_member(requested, path))) {
      if (source->next_member(path)) continue;
      if (requested.empty()) fail_choice(name, {});
      fail_member(name, requested, {});
    }
    if (!requested.empty()) mark_named(member);
    member.taken = path;
    source->set_member(path);
    return source;
  }
  const std::string requested = choose_member(*source, name, path, member);
  source = std::make_unique<ArchiveSource>(reopen(), name);
  while (source->next_member(path)) {
    if (path != requested) continue;
    member.taken = path;
    source->set_member(path);
    return source;
  }
  throw Failure(ErrorCode::bad_input, std::string(name) + ": the archive changed while it was read.");
}

namespace {

// The bytes of a source that another object owns and finishes.
class BorrowedSource : public ByteSource {
 public:
  explicit BorrowedSource(ByteSource& source) : source_(source) {}
  std::size_t read(std::span<char> buffer) override { return source_.read(buffer); }
  [[nodiscard]] std::uint64_t consumed() const override { return source_.consumed(); }
  [[nodiscard]] std::uint64_t total() const override { return source_.total(); }

 private:
  ByteSource& source_;
};

}  // namespace

std::unique_ptr<ArchiveMembers> archive_members(ByteSource& upstream, std::string_view name) {
  return std::make_unique<ArchiveSource>(std::make_unique<BorrowedSource>(upstream), name);
}

}  // namespace spyctrum
