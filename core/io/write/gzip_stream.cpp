// SPDX-License-Identifier: Apache-2.0
#include "core/io/write/gzip_stream.hpp"

#include <zlib.h>

#include <new>
#include <vector>

namespace spyctrum {

namespace {
constexpr std::size_t kBytes = std::size_t{1} << 16U;
}  // namespace

class GzipStream::Buffer : public std::streambuf {
 public:
  explicit Buffer(std::ostream& out) : out_(out), plain_(kBytes), packed_(kBytes) {
    constexpr int kGzipWindow = 16 + MAX_WBITS;  // zlib.h: the largest window, and a gzip header
    constexpr int kMemoryLevel = 8;              // zlib's own default
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemoryLevel,
                     Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
    setp(plain_.data(), plain_.data() + plain_.size());
  }
  ~Buffer() override { deflateEnd(&stream_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  /// Compresses the buffered bytes and passes the result on. Returns false if the other stream has failed.
  bool pack(int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(pbase());
    stream_.avail_in = static_cast<uInt>(pptr() - pbase());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(packed_.data());
      stream_.avail_out = static_cast<uInt>(packed_.size());
      deflate(&stream_, flush);
      out_.write(packed_.data(), static_cast<std::streamsize>(packed_.size() - stream_.avail_out));
    } while (out_ && stream_.avail_out == 0);
    setp(plain_.data(), plain_.data() + plain_.size());
    return bool{out_};
  }

 protected:
  int_type overflow(int_type next) override {
    if (!pack(Z_NO_FLUSH)) return traits_type::eof();
    if (traits_type::eq_int_type(next, traits_type::eof())) return traits_type::not_eof(next);
    return sputc(traits_type::to_char_type(next));
  }

 private:
  std::ostream& out_;
  std::vector<char> plain_;
  std::vector<char> packed_;
  z_stream stream_{};
};

GzipStream::GzipStream(std::ostream& target)
    : std::ostream(nullptr), buffer_(std::make_unique<Buffer>(target)) {
  rdbuf(buffer_.get());
}

GzipStream::~GzipStream() { rdbuf(nullptr); }

void GzipStream::finish() {
  if (!buffer_->pack(Z_FINISH)) setstate(std::ios::badbit);
}

}  // namespace spyctrum
