// SPDX-License-Identifier: Apache-2.0
// Loads a matrix from a file: the file is unpacked (core/io/unpack.hpp), the readers, one per format
// (core/io/formats.hpp), inspect its first bytes, and the chosen reader converts the bytes to a Matrix.
#pragma once

#include <cstdint>
#include <limits>
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
  none,     ///< values are only compared with zero
  summary,  ///< LoadReport::values is filled
  keep      ///< LoadReport::values and Matrix::values are filled
};

struct LoadOptions {
  /// Leaves entries whose stored value is zero out of the pattern.
  bool drop_zeros = false;
  /// Bytes of text that a task parses at a time. Tests set it to 1, so that every line is a block of its own.
  std::size_t block_bytes = std::size_t{1} << 20U;
  /// Which matrix to read from a file with several (MatrixInFile::name), which member of an archive, or both
  /// as MEMBER::NAME. Empty: the largest matrix, of the member that unpack() chooses.
  std::string matrix{};
  ValueUse values = ValueUse::none;
  /// The weight of an entry. Any value but `pattern` makes the reader use the values, without keeping them.
  Weights weights = Weights::pattern;
  /// The user's choices where formats leave something open, as --import name=value (FormatInfo::options). If
  /// a name occurs several times, the last one counts.
  std::vector<std::pair<std::string, std::string>> import{};
  /// Ignores choices that the format of the file does not have instead of refusing them: for runs over many
  /// files.
  bool import_where_known = false;
  /// Counts the entries while they are read, for a preview of the pattern. May be null.
  std::shared_ptr<PatternPreview> preview{};
  /// Number of entries whose values are kept in double precision until all are read; values of later entries
  /// may be rounded to single precision as they are read (EntryList). load_matrix() lowers it if the file can
  /// be read again. Tests set it to 0.
  std::uint64_t exact_entries = kAllEntries;
  static constexpr std::uint64_t kAllEntries = std::numeric_limits<std::uint64_t>::max();
};

/// The bytes of a file in order: from a disk, a pipe, memory or a decompressor.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Writes 1 … buffer.size() bytes to the beginning of `buffer` and returns their number; 0 at the end.
  /// Throws Failure{bad_input} if reading fails or compressed data are damaged, Failure{cancelled} after a
  /// stop.
  virtual std::size_t read(std::span<char> buffer) = 0;
  /// Reads all compression and archive layers around the bytes to their ends, so that every length and
  /// checksum is verified. (A tar archive ends before the gzip data that contain it.) To be called once,
  /// after the last read(). Throws as read() does.
  virtual void finish(JobContext& /*context*/) {}
  /// The descriptor of the regular file with exactly these bytes, for readers that do not read them in order;
  /// −1 if there is none. The source keeps its ownership.
  [[nodiscard]] virtual int descriptor() const { return -1; }
  /// Progress: number of bytes of the underlying (compressed) file read so far, and its size (0: unknown).
  /// Both may be called from any thread.
  [[nodiscard]] virtual std::uint64_t consumed() const = 0;
  [[nodiscard]] virtual std::uint64_t total() const = 0;
  /// The compression and archive layers around the bytes, innermost first: "gzip", "GNU tar format, xz";
  /// empty if there are none.
  [[nodiscard]] virtual std::string compression() const { return {}; }
  /// Sentences for the user about the container: which member was read, which bytes were ignored.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
  /// The readable members of an archive, after finish(); their sides are unknown.
  [[nodiscard]] virtual std::vector<MatrixInFile> members() const { return {}; }
};

/// A choice that a format leaves open; the reader decides unless the user does.
struct ImportOption {
  std::string_view name;                     ///< "base"
  std::span<const std::string_view> values;  ///< possible values; empty: see `help`
  std::string_view help;                     ///< "vertices count from"
};

/// Description of a file format for the rest of the program. All texts outlive main().
struct FormatInfo {
  std::string_view id;                        ///< "matrix_market"; its test files lie in tests/data/<id>/
  std::string_view name;                      ///< "Matrix Market", in labels and messages
  std::span<const std::string_view> endings;  ///< of file names, in small letters, with the dot: {".mtx"}
  std::string_view beginning = {};  ///< how a text file of this format begins, for messages; may be empty
  /// Endings that files of this format have, but many other files, too: shown in dialogs, but not enough to
  /// take a file for a matrix.
  std::span<const std::string_view> shared_endings = {};
  std::span<const ImportOption> options = {};  ///< in addition to those of all formats (import_options.hpp)
};

/// Result of inspecting the first bytes of a file.
enum class Recognition {
  none,      ///< not this format
  unlikely,  ///< another format that finds its content possible is taken; the report names this one unless
             ///< the file's name decides
  possible,  ///< possibly this format; a certain reader or the file's ending takes precedence
  certain    ///< the format's signature
};

/// One file format. Its functions may be called by several threads at once.
struct Reader {
  FormatInfo format;
  /// `head`: the first bytes of the unpacked file, at most 4096. load_matrix() considers the file's name.
  Recognition (*recognise)(std::span<const char> head);
  /// Reads `source` from its first byte, after the caller has begun a stage; `name` is the file's name in
  /// messages. Sets the pattern and the report of the matrix, except name, file, compression and seconds,
  /// which load_matrix() sets. Throws Failure{bad_input} with the line or byte, what was found and what was
  /// expected; Failure{cancelled}; Failure{out_of_memory}.
  Matrix (*read)(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context);
};

/// Loads the matrix named by `file`: a path, "-" for standard input, or a generator's text
/// gen:KIND:key=value,…. PATH::NAME names one of several matrices in a file. Errors: bad_input with the file,
/// the line or byte, what was found and what was expected; wrong_use for an invalid gen: text or an empty
/// name; cancelled; out_of_memory.
[[nodiscard]] Result<Matrix> load_matrix(const std::string& file, const LoadOptions& options,
                                         JobContext& context);

/// PATH of PATH::NAME; the text itself if it names a file or contains no ::.
[[nodiscard]] std::string path_of_matrix(const std::string& file);

}  // namespace spyctrum
