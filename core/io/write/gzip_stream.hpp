// SPDX-License-Identifier: Apache-2.0
// A stream that compresses by gzip (RFC 1952) and passes the result to another stream.
#pragma once

#include <memory>
#include <ostream>

namespace spyctrum {

class GzipStream : public std::ostream {
 public:
  /// `target` must outlive the stream. Throws std::bad_alloc.
  explicit GzipStream(std::ostream& target);
  ~GzipStream() override;
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;
  /// Writes the remaining data, the length and the checksum. To be called once, at the end.
  void finish();

 private:
  class Buffer;
  std::unique_ptr<Buffer> buffer_;
};

}  // namespace spyctrum
