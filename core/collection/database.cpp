// SPDX-License-Identifier: Apache-2.0
// SQLite: opening, checking and changing the file of a collection, and its errors as values of Error.
#include "core/collection/database.hpp"

#include <sqlite3.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <concepts>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "core/features/feature_table.hpp"

namespace spyctrum {

namespace {

/// "Spyc" in the header of the file (PRAGMA application_id).
constexpr int kApplication = 0x53707963;
constexpr std::chrono::milliseconds kRetry{20};
constexpr int kRetries = 250;

// Numbers are stored in the byte order of x86-64 and AArch64.
template <class T>
std::span<const std::byte> bytes_of(const T& values) {
  return std::as_bytes(std::span(values));
}

/// Calls use(feature, name, is_error) for each column: entropy, entropy_error, radial, …
template <class Use>
void for_each_feature_column(const Use& use) {
  for (const FeatureDefinition& feature : kFeatureTable) {
    use(feature, feature.id, false);
    if (feature.standard_error != StandardError::unknown)
      use(feature, std::string(feature.id) + "_error", true);
  }
}

std::string schema() {
  std::string features;
  for_each_feature_column([&](const FeatureDefinition& feature, const std::string& name, bool) {
    features += ", " + name + (feature.is_distribution() ? " BLOB" : " REAL");
  });
  return "CREATE TABLE files(path TEXT PRIMARY KEY, size INTEGER NOT NULL, time INTEGER NOT NULL, content "
         "INTEGER NOT NULL, setting TEXT NOT NULL) WITHOUT ROWID;CREATE INDEX files_by_content ON "
         "files(content);CREATE TABLE bad_files(path TEXT PRIMARY KEY, size INTEGER NOT NULL, time INTEGER "
         "NOT NULL, reason TEXT NOT NULL) WITHOUT ROWID;CREATE TABLE fingerprints(content INTEGER NOT NULL, "
         "method TEXT NOT NULL, setting TEXT NOT NULL, version INTEGER NOT NULL, rows INTEGER NOT NULL, cols "
         "INTEGER NOT NULL, nonzeros INTEGER NOT NULL, symmetric INTEGER NOT NULL, pattern_thumbnail BLOB, "
         "spectrum_thumbnail BLOB, signature BLOB NOT NULL" +
         features + ", PRIMARY KEY(content, method, setting, version));PRAGMA application_id=" +
         std::to_string(kApplication) + ";PRAGMA user_version=" + std::to_string(kSchemaVersion) + ";";
}

}  // namespace

struct Database::Impl {
  std::string path;
  std::stop_token stop;
  bool writes = false;
  int fingerprint_version = kSignatureVersion;  ///< of the fingerprints that are found
  sqlite3* handle = nullptr;

  Impl(std::string file, std::stop_token stop_token, bool for_writing)
      : path(std::move(file)), stop(std::move(stop_token)), writes(for_writing) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() { sqlite3_close(handle); }

  /// Waits for another program's lock; gives up after a stop or five seconds.
  static int wait_for_lock(void* self, int tries) {
    if (static_cast<Impl*>(self)->stop.stop_requested() || tries >= kRetries) return 0;
    std::this_thread::sleep_for(kRetry);
    return 1;
  }

  [[noreturn]] void fail_with(int code) const {
    const ErrorCode mine = writes ? ErrorCode::output : ErrorCode::bad_input;
    const std::string text = handle != nullptr ? sqlite3_errmsg(handle) : sqlite3_errstr(code);
    // A write beyond ulimit -f is an I/O error to SQLite; errno may be that of a later call.
    rlimit limit{};
    const bool is_full = (code & 0xff) == SQLITE_IOERR && getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
                         limit.rlim_cur != RLIM_INFINITY;
    switch (is_full ? SQLITE_FULL : code & 0xff) {
      case SQLITE_BUSY:
      case SQLITE_LOCKED:
        if (stop.stop_requested()) throw Failure(ErrorCode::cancelled, "Interrupted.");
        throw Failure(mine, "The collection " + path + " is locked by another program.",
                      "Wait until that program has ended; what was indexed before is kept.");
      case SQLITE_INTERRUPT:
        throw Failure(ErrorCode::cancelled, "Interrupted.");
      case SQLITE_NOTADB:
        throw Failure(ErrorCode::bad_input, path + " is not a collection: it is not a SQLite database.",
                      "Name another file with --db.");
      case SQLITE_CORRUPT:
        throw Failure(
            ErrorCode::bad_input, "The collection " + path + " is damaged: " + text + ".",
            "Move the file away and index the folders again; the matrices themselves are not in it.");
      case SQLITE_FULL:
        throw Failure(ErrorCode::output,
                      "The collection " + path +
                          " cannot grow: the disk, or the limit on file sizes (ulimit -f), is full.",
                      "Make room and index again; what was indexed before is kept.");
      case SQLITE_NOMEM:
        throw Failure(ErrorCode::out_of_memory, "The collection " + path + " does not fit into memory.");
      case SQLITE_READONLY:
      case SQLITE_PERM:
        throw Failure(mine, "The collection " + path + " cannot be written: " + text + ".",
                      "Name a file in a folder that can be written, with --db.");
      default:
        throw Failure(mine, "The collection " + path + (writes ? " cannot be written" : " cannot be read") +
                                ": " + text + ".");
    }
  }
  void check(int code) const {
    if (code != SQLITE_OK) fail_with(code);
  }
  void run(const std::string& sql) const {
    check(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr));
  }

  void open(int flags) {
    const int code = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
    if (code != SQLITE_OK) {
      throw Failure(writes ? ErrorCode::output : ErrorCode::bad_input,
                    "The collection " + path + " cannot be opened: " +
                        std::strerror(handle != nullptr ? sqlite3_system_errno(handle) : ENOMEM) + ".",
                    writes ? "Name a file in a folder that can be written, with --db."
                           : "Make it with: spyctrum-cli index FOLDER --db " + path);
    }
    sqlite3_busy_handler(handle, wait_for_lock, this);
    sqlite3_progress_handler(
        handle, 10000, [](void* self) { return static_cast<Impl*>(self)->stop.stop_requested() ? 1 : 0; },
        this);
  }
  [[nodiscard]] std::int64_t number(const std::string& sql) const;
  /// Copies a stored array. Throws Failure{bad_input} if its length differs.
  void copy_blob(std::string_view stored, std::span<std::byte> to, const std::string& what) const {
    if (stored.size() != to.size())
      throw Failure(ErrorCode::bad_input, "The collection " + path + " is damaged: a " + what + " has " +
                                              std::to_string(stored.size()) + " bytes, expected " +
                                              std::to_string(to.size()) + ".");
    std::ranges::copy(std::as_bytes(std::span(stored)), to.begin());
  }

  /// Whether the file holds a collection of a version that this program knows; false: it is empty.
  [[nodiscard]] bool holds_collection() const {
    const std::int64_t application = number("PRAGMA application_id");
    const std::int64_t version = number("PRAGMA user_version");
    if (application == 0 && version == 0 && number("SELECT count(*) FROM sqlite_master") == 0) return false;
    if (application != kApplication)
      throw Failure(ErrorCode::bad_input, path + " is a SQLite database, but not a collection of Spyctrum.",
                    "Name another file with --db.");
    if (version > kSchemaVersion)
      throw Failure(ErrorCode::bad_input,
                    "The collection " + path + " was made by a newer version of Spyctrum (version " +
                        std::to_string(version) + " of its tables; this program knows " +
                        std::to_string(kSchemaVersion) + ").",
                    "Use that version, or name another file with --db.");
    return true;
  }
};

namespace {

/// A statement, and the values of its places in their order.
template <class Impl>
class Statement {
 public:
  template <class... Values>
  Statement(const Impl& database, const std::string& sql, const Values&... values) : database_(database) {
    database.check(sqlite3_prepare_v2(database.handle, sql.c_str(), -1, &statement_, nullptr));
    (bind(values), ...);
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }

  /// Gives the next place a value. Integers above 2⁶³ − 1 are stored as negative ones.
  template <std::integral T>
  void bind(T value) {
    sqlite3_bind_int64(statement_, ++bound_, static_cast<std::int64_t>(value));
  }
  void bind(double value) { sqlite3_bind_double(statement_, ++bound_, value); }
  void bind(const std::string& text) {
    sqlite3_bind_text(statement_, ++bound_, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  }
  void bind(std::span<const std::byte> bytes) {
    sqlite3_bind_blob(statement_, ++bound_, bytes.data(), static_cast<int>(bytes.size()), SQLITE_TRANSIENT);
  }
  void bind(std::nullptr_t) { sqlite3_bind_null(statement_, ++bound_); }
  /// Whether there is a (further) row.
  bool step() {
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) database_.fail_with(code);
    return false;
  }
  [[nodiscard]] std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  [[nodiscard]] double real(int column) const { return sqlite3_column_double(statement_, column); }
  [[nodiscard]] std::string text(int column) const {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
    return {bytes, bytes == nullptr ? 0 : static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
  }

 private:
  const Impl& database_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

/// A transaction that is rolled back unless commit() is reached.
template <class Impl>
class Transaction {
 public:
  explicit Transaction(const Impl& database) : database_(database) { database.run("BEGIN IMMEDIATE"); }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (!committed_) sqlite3_exec(database_.handle, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  void commit() {
    database_.run("COMMIT");
    committed_ = true;
  }

 private:
  const Impl& database_;
  bool committed_ = false;
};

}  // namespace

std::int64_t Database::Impl::number(const std::string& sql) const {
  Statement statement(*this, sql);
  return statement.step() ? statement.integer(0) : 0;
}

Database::Database(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Database::Database(Database&&) noexcept = default;
Database::~Database() = default;

Database Database::open(const std::string& path, std::stop_token stop) {
  auto impl = std::make_unique<Impl>(path, std::move(stop), false);
  // A program that was killed may have left a change to roll back, which needs permission to write. SQLite
  // opens the file for reading if there is no such permission.
  impl->open(SQLITE_OPEN_READWRITE);
  impl->run("PRAGMA query_only=1");
  if (!impl->holds_collection())
    throw Failure(ErrorCode::bad_input, path + " is empty; it is not a collection of Spyctrum.",
                  "Make it with: spyctrum-cli index FOLDER --db " + path);
  return Database(std::move(impl));
}

Database Database::open_or_create(const std::string& path, std::stop_token stop, int version) {
  std::error_code problem;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, problem);
  if (problem)
    throw Failure(ErrorCode::output, "The folder of " + path + " could not be made: " + problem.message());
  auto impl = std::make_unique<Impl>(path, std::move(stop), true);
  impl->fingerprint_version = version;
  impl->open(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (sqlite3_db_readonly(impl->handle, "main") == 1)
    throw Failure(ErrorCode::output, "The collection " + path + " cannot be written: it is read-only.",
                  "Name a file that can be written, with --db.");
  // A commit waits until its data are on the disk, which "FULL" requires.
  impl->run("PRAGMA synchronous=FULL");
  if (!impl->holds_collection()) {
    Transaction transaction(*impl);
    // Another program may have made the tables meanwhile.
    if (!impl->holds_collection()) impl->run(schema());
    transaction.commit();
  } else {
    // Fails here, before anything is computed, if the file cannot be written.
    Transaction transaction(*impl);
    impl->run("PRAGMA user_version=" + std::to_string(kSchemaVersion));
    transaction.commit();
  }
  return Database(std::move(impl));
}

bool Database::has_fingerprint(std::uint64_t content, const FingerprintSetting& setting) {
  return Statement(*impl_,
                   "SELECT 1 FROM fingerprints WHERE content=? AND method=? AND setting=? AND version=?",
                   content, setting.method, setting.setting, impl_->fingerprint_version)
      .step();
}

std::optional<IndexedFile> Database::file(const std::string& path, std::uint64_t seed) {
  IndexedFile known;
  Statement bad(*impl_, "SELECT size, time, reason FROM bad_files WHERE path=?", path);
  if (bad.step()) {
    known.stamp = {static_cast<std::uint64_t>(bad.integer(0)), bad.integer(1)};
    known.problem = bad.text(2);
    return known;
  }
  Statement good(
      *impl_,
      "SELECT size, time, content, f.setting LIKE ? AND EXISTS(SELECT 1 FROM fingerprints AS p WHERE "
      "p.content=f.content AND p.setting=f.setting AND version=?) FROM files AS f WHERE path=?",
      "%seed=" + std::to_string(seed), impl_->fingerprint_version, path);
  if (!good.step()) return std::nullopt;
  known.stamp = {static_cast<std::uint64_t>(good.integer(0)), good.integer(1)};
  known.content = static_cast<std::uint64_t>(good.integer(2));
  known.has_fingerprint = good.integer(3) != 0;
  return known;
}

void Database::put(const std::string& path, const FileStamp& stamp, std::uint64_t content,
                   const std::string& setting, const Fingerprint* fingerprint) {
  Transaction transaction(*impl_);
  if (fingerprint != nullptr) {
    std::string columns;
    std::string places;
    for_each_feature_column([&](const FeatureDefinition&, const std::string& name, bool) {
      columns += ", " + name;
      places += ", ?";
    });
    Statement insert(*impl_,
                     "INSERT OR REPLACE INTO fingerprints(content, method, setting, version, rows, cols, "
                     "nonzeros, symmetric, pattern_thumbnail, spectrum_thumbnail, signature" +
                         columns + ") VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?" + places + ")",
                     fingerprint->content, fingerprint->setting.method, fingerprint->setting.setting,
                     fingerprint->version, fingerprint->rows, fingerprint->cols, fingerprint->nonzeros,
                     fingerprint->symmetric, bytes_of(fingerprint->thumbnails.pattern),
                     bytes_of(fingerprint->thumbnails.spectrum), bytes_of(fingerprint->signature));
    for_each_feature_column([&](const FeatureDefinition& feature, const std::string&, bool is_error) {
      if (is_error && !fingerprint->errors) return insert.bind(nullptr);  // exact
      const std::span<const double> values =
          feature.of(is_error ? *fingerprint->errors : fingerprint->features);
      if (feature.is_distribution())
        insert.bind(std::as_bytes(values));
      else
        insert.bind(values.front());
    });
    insert.step();
  }
  Statement(*impl_, "INSERT OR REPLACE INTO files(path, size, time, content, setting) VALUES(?, ?, ?, ?, ?)",
            path, stamp.size, stamp.time, content, setting)
      .step();
  Statement(*impl_, "DELETE FROM bad_files WHERE path=?", path).step();
  transaction.commit();
}

void Database::put_bad(const std::string& path, const FileStamp& stamp, const std::string& problem) {
  Transaction transaction(*impl_);
  Statement(*impl_, "INSERT OR REPLACE INTO bad_files(path, size, time, reason) VALUES(?, ?, ?, ?)", path,
            stamp.size, stamp.time, problem)
      .step();
  Statement(*impl_, "DELETE FROM files WHERE path=?", path).step();
  transaction.commit();
}

std::size_t Database::size() {
  return static_cast<std::size_t>(
      impl_->number("SELECT count(DISTINCT content) FROM fingerprints WHERE version=" +
                    std::to_string(impl_->fingerprint_version)));
}

std::vector<IndexedMatrix> Database::matrices(std::vector<float>& signatures) {
  std::vector<IndexedMatrix> list;
  signatures.clear();
  std::string columns;
  for_each_feature_column([&](const FeatureDefinition&, const std::string& name, bool is_error) {
    if (!is_error) columns += ", " + name;
  });
  // An exact feature has no standard error.
  Statement rows(
      *impl_,
      "SELECT p.content, path, rows, cols, nonzeros, size, symmetric, entropy_error IS NULL, signature" +
          columns +
          " FROM fingerprints AS p JOIN files AS f ON f.content=p.content AND f.setting=p.setting WHERE "
          "version=? ORDER BY p.content, path",
      impl_->fingerprint_version);
  while (rows.step()) {
    const auto content = static_cast<std::uint64_t>(rows.integer(0));
    if (!list.empty() && list.back().content == content) {
      list.back().files.push_back(rows.text(1));
      continue;
    }
    IndexedMatrix& matrix = list.emplace_back();
    matrix.content = content;
    matrix.files = {rows.text(1)};
    matrix.rows = static_cast<std::uint64_t>(rows.integer(2));
    matrix.cols = static_cast<std::uint64_t>(rows.integer(3));
    matrix.nonzeros = rows.integer(4);
    matrix.bytes = static_cast<std::uint64_t>(rows.integer(5));
    matrix.symmetric = rows.integer(6) != 0;
    matrix.exact = rows.integer(7) != 0;
    const std::size_t at = signatures.size();
    signatures.resize(at + kSignatureSize);
    impl_->copy_blob(rows.text(8), std::as_writable_bytes(std::span(signatures).subspan(at)), "signature");
    for (int column = 9; const FeatureDefinition& feature : kFeatureTable) {
      const std::span<double> values = feature.of(matrix.features);
      if (feature.is_distribution())
        impl_->copy_blob(rows.text(column), std::as_writable_bytes(values), feature.label);
      else
        values.front() = rows.real(column);
      ++column;
    }
  }
  return list;
}

std::optional<Thumbnails> Database::thumbnails(std::uint64_t content) {
  Statement row(
      *impl_, "SELECT pattern_thumbnail, spectrum_thumbnail FROM fingerprints WHERE content=? AND version=?",
      content, impl_->fingerprint_version);
  if (!row.step()) return std::nullopt;
  constexpr std::size_t kBytes = kThumbnailSide * kThumbnailSide;
  Thumbnails found{std::vector<std::uint8_t>(kBytes), std::vector<std::uint8_t>(kBytes)};
  impl_->copy_blob(row.text(0), std::as_writable_bytes(std::span(found.pattern)), "thumbnail");
  impl_->copy_blob(row.text(1), std::as_writable_bytes(std::span(found.spectrum)), "thumbnail");
  return found;
}

bool is_collection(const std::string& path) {
  // https://www.sqlite.org/fileformat2.html, the database header: application_id, big-endian, at byte 68.
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  constexpr std::string_view kId("Spyc");
  std::error_code problem;
  if (!std::filesystem::is_regular_file(path, problem)) return false;
  std::array<char, 72> header{};
  std::ifstream file(path, std::ios::binary);
  file.read(header.data(), header.size());
  const std::string_view read(header.data(), header.size());
  return file && read.starts_with(kMagic) && read.ends_with(kId);
}

std::string default_collection_path() {
  const char* data = std::getenv("XDG_DATA_HOME");
  // The XDG base directory specification: a relative path is to be ignored.
  if (data != nullptr && data[0] == '/') return std::string(data) + "/spyctrum/collection.db";
  const char* home = std::getenv("HOME");
  if (home == nullptr || home[0] != '/')
    throw Failure(ErrorCode::wrong_use,
                  "There is no home folder for a collection: HOME is not set, or not an absolute path.",
                  "Name a file with --db.");
  return std::string(home) + "/.local/share/spyctrum/collection.db";
}

}  // namespace spyctrum
