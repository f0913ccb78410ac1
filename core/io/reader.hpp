// SPDX-License-Identifier: Apache-2.0
// Reading a matrix from anything a user may hand over. One ordered registry of
// readers; each looks at the first bytes and says whether the file is its own.
// Compression is undone before a reader sees it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/job_context.hpp"
#include "core/matrix/pattern_preview.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

struct LoadOptions {
  bool drop_zeros = false;
  /// Bytes of text that one task parses; tests lower it to 1, so that every
  /// boundary is hit.
  std::size_t block_bytes = std::size_t{1} << 20U;
  /// Where entries are counted while they are read, for a first picture; may be null.
  std::shared_ptr<PatternPreview> preview{};
};

/// Bytes of an uncompressed matrix file as they come: from a file, a pipe or a
/// decompressor.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills up to buffer.size() bytes; 0 at the end. Throws Failure{bad_input}
  /// on a read error, on truncated compressed data, …
  virtual std::size_t read(std::span<char> buffer) = 0;
  /// For progress: bytes consumed of the underlying file, and its size (0 when
  /// unknown). Both may be called from any thread.
  [[nodiscard]] virtual std::uint64_t consumed() const = 0;
  [[nodiscard]] virtual std::uint64_t total() const = 0;
  /// "gzip", "zip", "tar, xz", …; empty when plain.
  [[nodiscard]] virtual std::string compression() const { return {}; }
  /// What a user should know about the container (member taken, bytes ignored).
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
};

/// One file format.
class Reader {
 public:
  virtual ~Reader() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// 0: not mine; higher wins. `head` holds the first (up to 4096) bytes,
  /// `file` the name.
  [[nodiscard]] virtual int recognises(std::span<const char> head, std::string_view file) const = 0;
  /// May throw Failure. The source starts at the first byte.
  [[nodiscard]] virtual Matrix read(ByteSource& source, std::string_view file, const LoadOptions& options,
                                    JobContext& context) const = 0;
};

/// The registered readers, in order of preference.
[[nodiscard]] const std::vector<std::unique_ptr<Reader>>& readers();

/// Opens what `file` names: a path (plain or compressed), "-" for standard
/// input, or a gen: text. Errors: bad_input naming file, line or byte, what was
/// found and what was expected; wrong_use for a bad gen: text; cancelled;
/// out_of_memory. Nothing is half-loaded.
[[nodiscard]] Result<Matrix> load_matrix(const std::string& file, const LoadOptions& options,
                                         JobContext& context);

/// Writes "%%MatrixMarket matrix coordinate pattern general", 1-based, to
/// `path` by way of a temporary name. Errors: output.
[[nodiscard]] Result<void> write_matrix_market(const SparsePattern& pattern, const std::string& path,
                                               std::string_view comment, JobContext& context);

}  // namespace spyctrum
