// SPDX-License-Identifier: Apache-2.0
// Compressed files (libarchive's "raw" format: one member without a name) and archives, of which one member
// is the matrix.
#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <exception>
#include <set>
#include <utility>

#include "core/io/formats.hpp"
#include "core/io/quote.hpp"
#include "core/io/unpack.hpp"

namespace spyctrum {

namespace {

constexpr std::size_t kInputBytes = std::size_t{1} << 17U;

bool may_be_matrix(std::string_view member) { return !format_ending_of(member).empty(); }

// NAME/NAME.ENDING, the layout of the SuiteSparse Matrix Collection, where right-hand sides and coordinates
// lie beside the matrix.
bool is_suitesparse_layout(std::string_view member) {
  if (!may_be_matrix(member)) return false;
  member.remove_suffix(format_ending_of(member).size());
  if (member.starts_with("./")) member.remove_prefix(2);
  const std::size_t slash = member.find('/');
  return slash != std::string_view::npos && member.substr(slash + 1) == member.substr(0, slash);
}

class ArchiveSource : public ByteSource {
 public:
  ArchiveSource(std::unique_ptr<ByteSource> upstream, std::string_view name)
      : upstream_(std::move(upstream)), name_(name), input_(kInputBytes), archive_(archive_read_new()) {
    if (archive_ == nullptr) throw std::bad_alloc();
    support_filters();
    archive_read_support_format_raw(archive_.get());
    archive_read_support_format_empty(archive_.get());
    archive_read_support_format_tar(archive_.get());
    archive_read_support_format_zip(archive_.get());
    archive_read_support_format_cpio(archive_.get());
    check(archive_read_open(archive_.get(), this, nullptr, &ArchiveSource::fill, nullptr));
  }
  ArchiveSource(const ArchiveSource&) = delete;
  ArchiveSource& operator=(const ArchiveSource&) = delete;

  // Sets `path` to that of the next regular file ("" in a compressed file that is no archive); false at the
  // end.
  bool next_member(std::string& path) {
    for (;;) {
      archive_entry* entry = nullptr;
      const int outcome = archive_read_next_header(archive_.get(), &entry);
      if (outcome == ARCHIVE_EOF) {
        if (failure_) std::rethrow_exception(failure_);
        return false;
      }
      check(outcome);
      if (is_single()) {
        path.clear();
        return true;
      }
      if (archive_entry_filetype(entry) != AE_IFREG) continue;
      const char* text = archive_entry_pathname(entry);
      path = text != nullptr ? text : "";
      return true;
    }
  }

  // Whether this is a compressed file and no archive, or nothing at all.
  [[nodiscard]] bool is_single() const {
    const int format = archive_format(archive_.get()) & ARCHIVE_FORMAT_BASE_MASK;
    return format == ARCHIVE_FORMAT_RAW || format == ARCHIVE_FORMAT_EMPTY;
  }

  void set_member(std::string path) { member_ = std::move(path); }

  // In libarchive's blocks: archive_read_data() loses the bytes that it copied before an error.
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
    // Holes of sparse members read as zeros.
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
  [[nodiscard]] std::uint64_t consumed() const override { return upstream_->consumed(); }
  [[nodiscard]] std::uint64_t total() const override { return upstream_->total(); }

  [[nodiscard]] std::string compression() const override {
    std::string text = is_single() ? std::string() : archive_format_name(archive_.get());
    const int filters = archive_filter_count(archive_.get());
    for (int k = 0; k < filters; ++k) {
      if (archive_filter_code(archive_.get(), k) == ARCHIVE_FILTER_NONE) continue;
      if (!text.empty()) text += ", ";
      text += archive_filter_name(archive_.get(), k);
    }
    if (const std::string inner = upstream_->compression(); !inner.empty())
      text += (text.empty() ? "" : ", ") + inner;
    return text;
  }
  [[nodiscard]] std::vector<std::string> notes() const override {
    std::vector<std::string> notes = upstream_->notes();
    if (!member_.empty())
      notes.push_back("The matrix is the member " + quoted_path(member_) + " of the archive.");
    return notes;
  }

 private:
  // Decompressors that are part of libarchive. "All" would include those that start a program (lrzip, grzip,
  // and each whose library is missing), which the content of a file could then ask for.
  void support_filters() {
    archive* const archive = archive_.get();
    archive_read_support_filter_compress(archive);
    if (archive_zlib_version() != nullptr) archive_read_support_filter_gzip(archive);
    if (archive_bzlib_version() != nullptr) archive_read_support_filter_bzip2(archive);
    if (archive_liblz4_version() != nullptr) archive_read_support_filter_lz4(archive);
    if (archive_libzstd_version() != nullptr) archive_read_support_filter_zstd(archive);
    if (archive_liblzma_version() == nullptr) return;
    archive_read_support_filter_xz(archive);
    archive_read_support_filter_lzip(archive);
  }

  struct Closer {
    void operator()(archive* handle) const { archive_read_free(handle); }
  };

  // Called by libarchive, which is C: no exception may leave it.
  static la_ssize_t fill(archive* handle, void* self, const void** block) {
    auto& source = *static_cast<ArchiveSource*>(self);
    try {
      *block = source.input_.data();
      return static_cast<la_ssize_t>(source.upstream_->read(source.input_));
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

  [[noreturn]] void fail_damaged() {
    if (failure_) std::rethrow_exception(failure_);
    const char* reason = archive_error_string(archive_.get());
    throw Failure(ErrorCode::bad_input,
                  name_ + ", near byte " + grouped(upstream_->consumed()) +
                      " of the compressed file: the data are damaged or cut off (" +
                      escaped(reason != nullptr ? reason : "unknown reason") + ").",
                  "Download or copy the file again.");
  }

  std::unique_ptr<ByteSource> upstream_;
  std::string name_;
  std::vector<char> input_;
  std::exception_ptr failure_;
  std::unique_ptr<archive, Closer> archive_;
  std::string member_;
  const char* block_ = nullptr;
  std::uint64_t block_begin_ = 0;  // offset in the member
  std::uint64_t block_end_ = 0;
  std::uint64_t position_ = 0;
};

[[noreturn]] void fail_choice(std::string_view name, const std::vector<std::string>& found) {
  std::set<std::string_view> endings;
  for (const std::string& member : found) endings.insert(format_ending_of(member));
  std::string kinds;
  for (const std::string_view ending : endings) kinds += (kinds.empty() ? "" : " and ") + std::string(ending);
  std::string text = std::string(name) + ": the archive holds " +
                     (found.empty() ? "no " + any_format_ending("", " file")
                                    : grouped(found.size()) + " " + kinds + " files:");
  for (std::size_t k = 0; k < std::min<std::size_t>(found.size(), 5); ++k)
    text += (k == 0 ? " " : ", ") + quoted_path(found[k]);
  if (found.size() > 5) text += ", …";
  throw Failure(
      ErrorCode::bad_input,
      text + "; exactly one was expected, or " + any_format_ending("NAME/NAME") +
          " as in the SuiteSparse collection.",
      found.empty() ? "Unpack it and open the matrix file itself." : "Unpack it and open one of them.");
}

// Reads the list of members until the matrix is known; `path` is the first of them.
std::string choose_member(ArchiveSource& listing, std::string_view name, std::string path) {
  std::vector<std::string> found;
  do {
    if (is_suitesparse_layout(path)) return path;
    if (may_be_matrix(path)) found.push_back(path);
  } while (listing.next_member(path));
  if (found.size() != 1) fail_choice(name, found);
  return found.front();
}

}  // namespace

std::unique_ptr<ByteSource> archive_source(std::unique_ptr<ByteSource> upstream, std::string_view name,
                                           const Reopen& reopen) {
  auto source = std::make_unique<ArchiveSource>(std::move(upstream), name);
  std::string path;
  if (!source->next_member(path)) {
    if (source->is_single()) return source;
    fail_choice(name, {});
  }
  if (source->is_single()) return source;
  if (!reopen) {
    // A pipe cannot be read twice, once for the list and once for the member: the first member is taken whose
    // name has a format's ending.
    while (!may_be_matrix(path)) {
      if (!source->next_member(path)) fail_choice(name, {});
    }
    source->set_member(path);
    return source;
  }
  const std::string wanted = choose_member(*source, name, path);
  source = std::make_unique<ArchiveSource>(reopen(), name);
  while (source->next_member(path)) {
    if (path != wanted) continue;
    source->set_member(path);
    return source;
  }
  throw Failure(ErrorCode::bad_input, std::string(name) + ": the archive changed while it was read.");
}

}  // namespace spyctrum
