// SPDX-License-Identifier: Apache-2.0
// A stream that compresses by gzip (RFC 1952) what is written and passes it to another stream.
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
  /// Writes what is left, and lengths and checksum. Call it once, at the end.
  void finish();

 private:
  class Buffer;
  std::unique_ptr<Buffer> buffer_;
};

}  // namespace spyctrum
