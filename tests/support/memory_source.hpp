// SPDX-License-Identifier: Apache-2.0
// Bytes in memory in place of a file.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <span>

#include "core/io/byte_source.hpp"

namespace spyctrum::test {

class MemorySource : public ByteSource {
 public:
  MemorySource(std::span<const char> bytes, std::size_t most) : bytes_(bytes), most_(most) {}
  std::size_t read(std::span<char> buffer) override {
    const std::size_t begin = consumed_;
    std::size_t count = std::min(buffer.size(), bytes_.size() - begin);
    if (most_ != 0) count = std::min(count, most_);
    std::copy_n(bytes_.data() + begin, count, buffer.data());
    consumed_ = begin + count;
    return count;
  }
  [[nodiscard]] std::uint64_t consumed() const override { return consumed_; }
  [[nodiscard]] std::uint64_t total() const override { return bytes_.size(); }

 private:
  std::span<const char> bytes_;
  std::size_t most_;
  std::atomic<std::size_t> consumed_{0};  // read by other threads for progress
};

/// Bytes in memory, which are not copied: `bytes` must outlive the source. read() returns at most
/// `most_at_once` at a time (0: no limit).
inline std::unique_ptr<ByteSource> memory_source(std::span<const char> bytes, std::size_t most_at_once = 0) {
  return std::make_unique<MemorySource>(bytes, most_at_once);
}

}  // namespace spyctrum::test
