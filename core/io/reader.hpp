// SPDX-License-Identifier: Apache-2.0
// From a file to a matrix. A file is unpacked first (core/io/unpack.hpp), then one Reader per format looks at
// its first bytes (core/io/formats.hpp lists the readers), and the reader chosen turns the bytes into a
// Matrix.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/job_context.hpp"
#include "core/matrix/pattern_preview.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/matrix/weights.hpp"

namespace spyctrum {

/// What a reader does with the values of the entries.
enum class ValueUse {
  none,     ///< they are only compared with zero
  summary,  ///< LoadReport::values
  keep      ///< that, and Matrix::values
};

struct LoadOptions {
  /// Entries whose stored value is zero are left out of the pattern.
  bool drop_zeros = false;
  /// Bytes of text that a task parses at once. Tests lower it to 1, so that every line is cut from its
  /// neighbours.
  std::size_t block_bytes = std::size_t{1} << 20U;
  /// Which matrix of a file that can hold several (MatrixInFile::name), or which member of an archive, or
  /// both as MEMBER::NAME; empty: the largest, of the member that unpack() chooses.
  std::string matrix{};
  ValueUse values = ValueUse::none;
  /// What an entry of the pattern counts as; any but `pattern` reads the values and does not keep them.
  Weights weights = Weights::pattern;
  /// Choices for what formats leave open, as in --import name=value (FormatInfo::options); the last of a name
  /// counts.
  std::vector<std::pair<std::string, std::string>> import{};
  /// Choices that the format of the file does not have are left out, not refused: for runs over many files.
  bool import_where_known = false;
  /// Counts the entries while they are read, for a first picture. May be null.
  std::shared_ptr<PatternPreview> preview{};
};

/// Bytes in the order of a file: from a disk, a pipe, memory or a decompressor.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Writes 1 … buffer.size() bytes to the front of `buffer` and returns their number; 0 at the end. Throws
  /// Failure{bad_input} where reading fails or compressed data are damaged, Failure{cancelled} after a stop.
  virtual std::size_t read(std::span<char> buffer) = 0;
  /// Reads what is left of the compressions and archives around the bytes, each to its end, so that every
  /// length and checksum was compared: a tar archive ends before the gzip data that hold it. Call it once,
  /// after the last read(). Throws as read() does.
  virtual void finish(JobContext& /*context*/) {}
  /// The descriptor of the regular file that holds exactly these bytes, for readers that do not read them in
  /// order; −1 where there is none. It stays the source's own.
  [[nodiscard]] virtual int descriptor() const { return -1; }
  /// Progress: bytes of the underlying (compressed) file that were read, and its size (0: unknown). Both may
  /// be called from any thread.
  [[nodiscard]] virtual std::uint64_t consumed() const = 0;
  [[nodiscard]] virtual std::uint64_t total() const = 0;
  /// Compressions and archives around the bytes, the innermost first: "gzip", "GNU tar format, xz"; empty
  /// where there is none.
  [[nodiscard]] virtual std::string compression() const { return {}; }
  /// Sentences about the container for the user: which member was read, which bytes were ignored.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
  /// The members of an archive that can be read, once finish() was called; their sides are not known.
  [[nodiscard]] virtual std::vector<MatrixInFile> members() const { return {}; }
};

/// A choice that a format leaves open. The reader decides unless the user does.
struct ImportOption {
  std::string_view name;                     ///< "base"
  std::span<const std::string_view> values;  ///< all that may be chosen; empty: see `help`
  std::string_view help;                     ///< "vertices count from"
};

/// What the rest of the program knows of a file format. All texts outlive the program's main().
struct FormatInfo {
  std::string_view id;                        ///< "matrix_market"; its test files lie in tests/data/<id>/
  std::string_view name;                      ///< "Matrix Market", in labels and messages
  std::span<const std::string_view> endings;  ///< of file names, in small letters, with the dot: {".mtx"}
  std::string_view beginning = {};  ///< how a text file of this format begins, for messages; may be empty
  /// Endings that its files have and many others too: listed in dialogs, but no file is taken for a matrix
  /// because of them.
  std::span<const std::string_view> shared_endings = {};
  std::span<const ImportOption> options = {};  ///< besides those of all formats (import_options.hpp)
};

/// What the first bytes of a file say about its format.
enum class Recognition {
  none,      ///< not this format
  possible,  ///< this format, unless another reader knows better or the file's name says otherwise
  certain    ///< the format's signature
};

/// One file format. Stateless: one object serves all threads.
class Reader {
 public:
  virtual ~Reader() = default;
  [[nodiscard]] virtual const FormatInfo& format() const = 0;
  /// `head`: the first bytes of the unpacked file, at most 4096. The file's name is not the reader's
  /// business.
  [[nodiscard]] virtual Recognition recognise(std::span<const char> head) const = 0;
  /// Reads `source` from its first byte; `name` is the file's name in messages. Sets pattern and report of
  /// the matrix; name, file, compression and seconds are set by load_matrix(). Throws Failure{bad_input} with
  /// the line or byte, what was found and what was expected; Failure{cancelled}; Failure{out_of_memory}.
  [[nodiscard]] virtual Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options,
                                    JobContext& context) const = 0;
};

/// Opens what `file` names: a path, "-" for standard input, or a generator's text gen:KIND:key=value,… Of a
/// file that holds several matrices, PATH::NAME names one of them.
/// Errors: bad_input with the file, the line or byte, what was found and what was expected; wrong_use for a
/// wrong gen: text or an empty name; cancelled; out_of_memory.
[[nodiscard]] Result<Matrix> load_matrix(const std::string& file, const LoadOptions& options,
                                         JobContext& context);

/// PATH of PATH::NAME, where there is such a file; else the text itself.
[[nodiscard]] std::string path_of_matrix(const std::string& file);

/// Writes "%%MatrixMarket matrix coordinate pattern general" with indices from 1 to `path`, whole or not at
/// all (write_atomically()). `comment` may have several lines. Errors: output, cancelled.
[[nodiscard]] Result<void> write_matrix_market(const SparsePattern& pattern, const std::string& path,
                                               std::string_view comment, JobContext& context);

}  // namespace spyctrum
