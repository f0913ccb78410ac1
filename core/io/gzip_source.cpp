// SPDX-License-Identifier: Apache-2.0
// gzip (RFC 1952) by zlib, which checks lengths and CRCs. Several members in a row are one file, as for the
// program gzip; zeros after the last one are padding.
#include <zlib.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "core/io/quote.hpp"
#include "core/io/unpack.hpp"

namespace spyctrum {

namespace {

class GzipSource : public LayeredSource {
 public:
  GzipSource(std::unique_ptr<ByteSource> upstream, std::string_view name)
      : LayeredSource(std::move(upstream)), name_(name), input_(kInputBytes) {
    constexpr int kGzipWindow = 16 + MAX_WBITS;  // zlib.h: the largest window, and a gzip header
    if (inflateInit2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  ~GzipSource() override { inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  std::size_t read(std::span<char> buffer) override {
    // zlib's avail_out has 32 bits.
    const auto room = static_cast<uInt>(std::min<std::size_t>(buffer.size(), 1U << 30U));
    stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_.avail_out = room;
    while (stream_.avail_out == room && room != 0) {
      if (at_member_end_ && !begin_next_member()) return 0;
      if (failure_) std::rethrow_exception(failure_);
      const bool is_cut_off = stream_.avail_in == 0 && !refill();
      // step() may return bytes without more input: zlib keeps those that had no room in the last buffer.
      step(room);
      if (is_cut_off && stream_.avail_out == room && !at_member_end_) fail_truncated();
    }
    return room - stream_.avail_out;
  }
  void finish(JobContext& context) override {
    read_to_end(*this, context);
    upstream_->finish(context);
  }
  [[nodiscard]] std::string compression() const override { return followed_by_upstream("gzip"); }
  [[nodiscard]] std::vector<std::string> notes() const override {
    std::vector<std::string> notes = upstream_->notes();
    if (trailing_garbage_) notes.emplace_back("Bytes after the end of the gzip data were ignored.");
    return notes;
  }

 private:
  bool refill() {
    const std::size_t count = upstream_->read(input_);
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(count);
    taken_ += count;
    return count != 0;
  }

  void step(uInt room) {
    const int outcome = inflate(&stream_, Z_NO_FLUSH);
    if (outcome == Z_STREAM_END) {
      at_member_end_ = true;
    } else if (outcome == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (outcome != Z_OK && outcome != Z_BUF_ERROR) {
      // Bytes that were unpacked before the damage are returned first; the next call throws.
      failure_ = std::make_exception_ptr(damage());
      if (stream_.avail_out == room) std::rethrow_exception(failure_);
    }
  }

  [[nodiscard]] Failure damage() const {
    return {ErrorCode::bad_input,
            name_ + ", byte " + grouped(taken_ - stream_.avail_in) +
                " of the compressed file: the gzip data are damaged (" +
                (stream_.msg != nullptr ? stream_.msg : "unknown reason") + ").",
            "Download or copy the file again; gzip -t tests it."};
  }

  // Called after a member; returns whether another one follows. Skips all other bytes.
  bool begin_next_member() {
    if (stream_.avail_in == 0 && !refill()) return false;
    if (trailing_garbage_ || stream_.next_in[0] != 0x1F) {
      // Zeros are padding, as tapes and block devices add.
      trailing_garbage_ = trailing_garbage_ || stream_.next_in[0] != 0;
      stream_.avail_in = 0;
      return begin_next_member();
    }
    inflateReset(&stream_);
    at_member_end_ = false;
    return true;
  }

  [[noreturn]] void fail_truncated() const {
    throw Failure(ErrorCode::bad_input,
                  name_ + ", byte " + grouped(taken_) +
                      " (end of the compressed file): the gzip data stop in the middle.",
                  "The file is cut off: download or copy it again.");
  }

  std::string name_;
  std::vector<char> input_;
  z_stream stream_{};
  std::uint64_t taken_ = 0;
  bool at_member_end_ = false;
  bool trailing_garbage_ = false;
  std::exception_ptr failure_;
};

}  // namespace

std::unique_ptr<ByteSource> gzip_source(std::unique_ptr<ByteSource> upstream, std::string_view name) {
  return std::make_unique<GzipSource>(std::move(upstream), name);
}

}  // namespace spyctrum
