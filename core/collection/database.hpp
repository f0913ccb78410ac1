// SPDX-License-Identifier: Apache-2.0
// The file of a collection: files, fingerprints and unreadable files in one SQLite database (README.md has
// the schema). Every change is a short transaction with a rollback journal: a process that ends at any moment
// leaves the committed changes, several programs may use the file, and between changes the collection is a
// single file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/collection/fingerprint.hpp"

namespace spyctrum {

inline constexpr int kSchemaVersion = 1;

/// Size and time, by which a changed file is recognised.
struct FileStamp {
  std::uint64_t size = 0;
  std::int64_t time = 0;  ///< of the last change, in ns since 1970
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};
/// A file as indexed.
struct IndexedFile {
  FileStamp stamp;
  std::uint64_t content = 0;     ///< SparsePattern::fingerprint()
  std::string problem;           ///< why the file could not be read; empty for a matrix
  bool has_fingerprint = false;  ///< of the database's version
};
/// A matrix as indexed: its fingerprint without the signature, and the files that contain its pattern.
struct IndexedMatrix {
  std::uint64_t content = 0;
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::int64_t nonzeros = 0;
  std::uint64_t bytes = 0;         ///< size of the first file
  std::vector<std::string> files;  ///< in order of their names
  bool symmetric = false;
  bool exact = false;  ///< the features have no standard errors
  Features features;   ///< those of the feature table
};
/// An open database; for one thread at a time. Functions throw Failure: bad_input if the file is not a
/// collection, damaged, of a newer version or locked by another program for five seconds (output instead if
/// it was opened for writing and is locked); output if it cannot be written; cancelled.
class Database {
 public:
  /// Opens an existing collection.
  static Database open(const std::string& path, std::stop_token stop);
  /// Opens a collection for writing; creates it, and its folders, if it does not exist. The functions below
  /// find only fingerprints of `version`; put() stores a fingerprint with its own version.
  static Database open_or_create(const std::string& path, std::stop_token stop,
                                 int version = kSignatureVersion);
  Database(Database&&) noexcept;
  Database& operator=(Database&&) = delete;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  [[nodiscard]] std::optional<IndexedFile> file(const std::string& path, std::uint64_t seed);
  [[nodiscard]] bool has_fingerprint(std::uint64_t content, const FingerprintSetting& setting);
  /// Records that `path` contains the pattern `content`; also stores `fingerprint` unless it is null. One
  /// transaction.
  void put(const std::string& path, const FileStamp& stamp, std::uint64_t content, const std::string& setting,
           const Fingerprint* fingerprint);
  /// Records that `path` cannot be read and no longer contains its former pattern.
  void put_bad(const std::string& path, const FileStamp& stamp, const std::string& problem);

  /// Number of fingerprints of the database's version.
  [[nodiscard]] std::size_t size();
  /// All matrices with a fingerprint of the database's version, and their signatures one after the other.
  [[nodiscard]] std::vector<IndexedMatrix> matrices(std::vector<float>& signatures);
  /// The pictures of this content's fingerprint of the database's version; empty if there is none.
  [[nodiscard]] std::optional<Thumbnails> thumbnails(std::uint64_t content);

 private:
  struct Impl;
  explicit Database(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Whether the file begins like a collection, of any version.
[[nodiscard]] bool is_collection(const std::string& path);

/// $XDG_DATA_HOME/spyctrum/collection.db, else ~/.local/share/spyctrum/collection.db. Throws
/// Failure{wrong_use} if neither variable nor home folder is set.
[[nodiscard]] std::string default_collection_path();

}  // namespace spyctrum
