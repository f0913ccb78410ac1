// SPDX-License-Identifier: Apache-2.0
// Looks thumbnails up in the cache; reads a matrix only if the cache has none of those requested.
#include "core/collection/thumbnail_cache.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/collection/index.hpp"
#include "core/io/reader.hpp"

namespace spyctrum {

namespace {

namespace fs = std::filesystem;

/// Version of fingerprints with thumbnails and no features; a program that opens the cache as a collection
/// finds no entries.
constexpr int kVersion = 0;
/// SQLite's name of a database that is never written to a file.
constexpr const char* kInMemory = ":memory:";

void remove_cache(const std::string& cache) {
  std::error_code ignored;
  fs::remove(cache, ignored);
  fs::remove(cache + "-journal", ignored);
}

Fingerprint read(const std::string& source, JobContext& context) {
  const Matrix matrix = or_throw(load_matrix(source, {}, context));
  const Booking booking(context.memory(), matrix.pattern->bytes(), "pattern");
  Fingerprint made = or_throw(fingerprint_without_features(matrix.pattern, Backend{}, context));
  made.version = kVersion;
  return made;
}

ThumbnailMap from_database(const std::string& cache, const std::vector<std::string>& sources,
                           JobContext& context) {
  Database database = Database::open_or_create(cache, context.stop_token(), kVersion);
  ThumbnailMap found;
  const auto look_up = [&](const std::string& source) {
    context.check_stop();
    const std::string name = indexed_name(source);
    const auto known = database.file(name, context.seed());
    if (!known || known->stamp != file_stamp(name)) return;
    if (known->problem.empty() && !known->has_fingerprint) return;
    auto pictures = known->problem.empty() ? database.thumbnails(known->content) : std::nullopt;
    found[source] = pictures ? std::make_shared<const Thumbnails>(std::move(*pictures)) : nullptr;
  };
  std::ranges::for_each(sources, look_up);
  if (!found.empty() || sources.empty()) return found;
  // `found` has the caller's name of the file, the cache the canonical one.
  const std::string& first = sources.front();
  const std::string name = indexed_name(first);
  found[first] = nullptr;
  const auto stamp = file_stamp(name);
  if (!stamp || stamp->size > kMostThumbnailFileBytes) return found;
  const Result<Fingerprint> made = run_guarded([&] { return read(name, context); });
  if (made) {
    found[first] = std::make_shared<const Thumbnails>(made->thumbnails);
    const bool is_new = !database.has_fingerprint(made->content, made->setting);
    database.put(name, *stamp, made->content, made->setting.setting, is_new ? &*made : nullptr);
  } else if (made.error().code == ErrorCode::bad_input) {
    database.put_bad(name, *stamp, made.error().message());
  } else if (made.error().code == ErrorCode::cancelled) {
    throw Failure(made.error());
  }
  return found;
}

}  // namespace

ThumbnailMap find_or_make_thumbnails(const std::string& cache, const std::vector<std::string>& sources,
                                     JobContext& context) {
  std::error_code none;
  if (!cache.empty() && fs::file_size(cache, none) > kMostCacheBytes && !none) remove_cache(cache);
  // Three attempts: with the cache file as it is, with a new file if that one is damaged, and without a file.
  for (int attempt = cache.empty() ? 2 : 0; attempt < 2; ++attempt) {
    const auto found = run_guarded([&] { return from_database(cache, sources, context); });
    if (found) return *found;
    if (found.error().code == ErrorCode::cancelled) throw Failure(found.error());
    if (found.error().code != ErrorCode::bad_input) break;
    remove_cache(cache);
  }
  return from_database(kInMemory, sources, context);
}

}  // namespace spyctrum
