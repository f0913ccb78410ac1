// SPDX-License-Identifier: Apache-2.0
// Stores a fingerprint of every matrix file below some folders in a collection. Small files are read
// concurrently, each by one thread; then each large file by all threads, with the whole memory allowance.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/base/backend.hpp"
#include "core/collection/database.hpp"
#include "core/io/reader.hpp"

namespace spyctrum {

class Communicator;

struct IndexFailure {
  std::string file;
  std::string reason;
};
struct IndexResult {
  std::size_t indexed = 0;           ///< files whose fingerprint was computed
  std::size_t known = 0;             ///< new or changed files whose pattern had a fingerprint already
  std::size_t unchanged = 0;         ///< files of the same size and time as when they were indexed
  std::vector<IndexFailure> failed;  ///< files and folders that could not be read, in order of their names
  double seconds = 0;
};

/// The name under which index_folders() stores a source: the canonical path, with ::NAME if the source names
/// one of several matrices of a file; `source` if there is no such file.
[[nodiscard]] std::string indexed_name(const std::string& source);
/// Size and time of the file with this name; a constant for a generated matrix, which its text determines.
/// Empty if there is no such file; errno has the reason.
[[nodiscard]] std::optional<FileStamp> file_stamp(const std::string& name);

/// Indexes `sources`: files, PATH::NAME for one matrix of several, generated matrices ("gen:band:n=1000"),
/// and the files below folders with the ending of a readable format, a compressed file or an archive.
/// Symbolic links are followed. Each finished file is stored at once, so that the same call
/// continues an interrupted run. A file that cannot be read is recorded with the reason, and read again when
/// it has changed; a file that does not fit into memory, or does not exist, is not recorded. With import
/// options (`load`; each format uses those that it has) unchanged files are read again. If two programs index
/// the same files into one collection, each skips files that the other has stored. Errors: those of Database;
/// cancelled.
[[nodiscard]] Result<IndexResult> index_folders(const std::vector<std::string>& sources, Database& database,
                                                const Backend& backend, JobContext& context,
                                                const LoadOptions& load = {});

/// As above, by several ranks, all of which must call it. Each rank receives files as its threads become
/// free. Only rank 0 uses `sources` and `database` (null on other ranks), stores fingerprints and returns the
/// result. The files must be visible to all ranks.
[[nodiscard]] Result<IndexResult> index_folders(const std::vector<std::string>& sources, Database* database,
                                                Communicator& ranks, const Backend& backend,
                                                JobContext& context, const LoadOptions& load = {});

}  // namespace spyctrum
