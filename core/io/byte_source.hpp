// SPDX-License-Identifier: Apache-2.0
// Sources of bytes: a file, standard input, or memory. A stop ends the wait for a slow pipe within 20 ms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/reader.hpp"

namespace spyctrum {

/// Bytes of a file's beginning by which its compression and its format are recognised.
inline constexpr std::size_t kHeadBytes = 4096;

/// The name of a file in messages: "standard input" for "-", else the path without control characters.
[[nodiscard]] std::string display_name(std::string_view file);

/// Opens a file, or standard input for "-". Throws Failure{bad_input} for a missing file, a directory or an
/// unreadable file, Failure{wrong_use} for an empty name; read() throws Failure{cancelled} after a stop.
[[nodiscard]] std::unique_ptr<ByteSource> open_file_source(const std::string& file, std::stop_token stop);

/// Reads the regular file of `file` (ByteSource::descriptor()), which stays open, from byte `first` on.
/// Several of these can read on different threads.
[[nodiscard]] std::unique_ptr<ByteSource> shared_file_source(const ByteSource& file, std::string_view name,
                                                             std::stop_token stop, std::uint64_t first = 0);

/// Reads `source` to its end and passes the bytes to `use`, which may be empty. Throws as read() does, and
/// Failure{cancelled} after a stop.
void read_to_end(ByteSource& source, JobContext& context,
                 const std::function<void(std::span<const char>)>& use = {});

/// A source that reads from another source.
class LayeredSource : public ByteSource {
 public:
  explicit LayeredSource(std::unique_ptr<ByteSource> upstream) : upstream_(std::move(upstream)) {}
  void finish(JobContext& context) override { upstream_->finish(context); }
  [[nodiscard]] std::uint64_t consumed() const override { return upstream_->consumed(); }
  [[nodiscard]] std::uint64_t total() const override { return upstream_->total(); }
  [[nodiscard]] std::string compression() const override { return upstream_->compression(); }
  [[nodiscard]] std::vector<std::string> notes() const override { return upstream_->notes(); }
  [[nodiscard]] std::vector<MatrixInFile> members() const override { return upstream_->members(); }

 protected:
  /// Bytes that a source which decompresses takes at once from the source below.
  static constexpr std::size_t kInputBytes = std::size_t{1} << 17U;

  /// `own` followed by the compressions of the source below: "tar, gzip".
  [[nodiscard]] std::string followed_by_upstream(std::string own) const {
    const std::string inner = upstream_->compression();
    if (!own.empty() && !inner.empty()) own += ", ";
    return own + inner;
  }

  std::unique_ptr<ByteSource> upstream_;
};

/// A source whose first bytes can be inspected before they are read.
class PeekedSource : public LayeredSource {
 public:
  using LayeredSource::LayeredSource;

  /// The first `most` bytes, or all if the source has fewer. Must be called before the first read().
  [[nodiscard]] std::span<const char> peek(std::size_t most);

  std::size_t read(std::span<char> buffer) override;
  [[nodiscard]] int descriptor() const override { return upstream_->descriptor(); }

 private:
  std::vector<char> head_;
  std::size_t given_ = 0;  // bytes of head_ that read() has returned
};

}  // namespace spyctrum
