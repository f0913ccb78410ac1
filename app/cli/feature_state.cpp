// SPDX-License-Identifier: Apache-2.0
// A line of JSON, the text of FeatureProgress::save(), and a line with the hash of that text, so that a
// damaged or shortened file is not taken for other sums.
#include "app/cli/feature_state.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "core/base/fnv_hash.hpp"
#include "core/base/memory_ledger.hpp"
#include "core/io/export.hpp"
#include "core/io/json_text.hpp"

namespace spyctrum::cli {

namespace fs = std::filesystem;

namespace {

/// Longer first lines are not read: a header has about a hundred bytes.
constexpr std::size_t kLongestHeader = 4096;

const char* const kAdvice = "Name another file for --state; this one was left as it is.";

std::string hash_line(std::string_view sums) { return "hash " + fnv_text(sums) + "\n"; }

std::string first_line(std::istream& in) {
  std::string line;
  for (int next = in.get(); next != EOF && next != '\n' && line.size() < kLongestHeader; next = in.get())
    line += static_cast<char>(next);
  return line;
}

}  // namespace

FeatureState::FeatureState(std::string path, const Json& settings, std::uint64_t most_bytes)
    : path_(std::move(path)),
      header_(json_text(
          Json{{"spyctrum", "state of features"}, {"version", SPYCTRUM_VERSION}, {"settings", settings}})) {
  std::error_code problem;
  const fs::file_status facts = fs::status(path_, problem);
  if (fs::exists(facts) && !fs::is_regular_file(facts))
    throw Failure(ErrorCode::wrong_use, "--state " + path_ + " is a folder, a device or a pipe.",
                  "Name a file, or a new name: a state is read and replaced as a whole.");
  or_throw(check_writable(path_));
  if (fs::exists(facts)) read(most_bytes);
}

void FeatureState::read(std::uint64_t most_bytes) {
  std::ifstream file(path_, std::ios::binary);
  if (!file) throw Failure(ErrorCode::bad_input, path_ + " cannot be read.", "Name another file.");
  std::error_code problem;
  const std::uintmax_t bytes = fs::file_size(path_, problem);
  if (problem || bytes > most_bytes)
    throw Failure(ErrorCode::out_of_memory,
                  path_ + " has " + format_bytes(bytes) + ", more than the allowance of " +
                      format_bytes(most_bytes) + ".",
                  "Raise --memory, or name another file for --state.");
  if (const std::string found = first_line(file); found != header_) {
    const Json header = parse_json<Json>(found, false);
    const bool is_state = header.is_object() && header.contains("spyctrum") && header.contains("settings");
    throw Failure(ErrorCode::bad_input,
                  is_state ? path_ + " was written with other settings or by another version: " + found +
                                 ", expected " + header_ + "."
                           : path_ + " is not a saved state of features, or was written by another version.",
                  kAdvice);
  }
  std::string text(static_cast<std::size_t>(bytes), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  const std::size_t end = text.size() - std::min(text.size(), hash_line({}).size());
  if (const std::string_view all = text; all.substr(end) != hash_line(all.substr(0, end))) {
    const bool has_hash = all.find("\nhash ") != std::string_view::npos;
    throw Failure(ErrorCode::bad_input,
                  has_hash ? path_ + " is damaged: its last line is not the hash of its sums."
                           : path_ +
                                 " has no hash of its sums: it was written by an earlier version, or its end "
                                 "is missing.",
                  kAdvice);
  }
  text.resize(end);
  auto loaded = FeatureProgress::load(text);
  if (!loaded) throw Failure(ErrorCode::bad_input, path_ + ": " + loaded.error().what, kAdvice);
  progress_ = std::move(*loaded);
  tiles_kept_ = progress_->tiles_done();
}

void FeatureState::check(const SparsePattern& pattern) const {
  if (progress_->is_prepared() && !progress_->is_of(pattern))
    throw Failure(ErrorCode::bad_input, path_ + " holds the state of another matrix.", kAdvice);
}

Result<void> FeatureState::keep() {
  const std::uint64_t tiles = progress_->tiles_done();
  if (!progress_->is_prepared() || tiles == tiles_kept_) return {};
  const std::string sums = progress_->save();
  auto written =
      write_atomically(path_, [&](std::ostream& out) { out << header_ << '\n'
                                                           << sums << hash_line(sums); });
  if (written) tiles_kept_ = tiles;
  return written;
}

void FeatureState::keep_every(std::chrono::milliseconds interval, const std::stop_token& stop) {
  keeper_ = std::jthread([this, interval](const std::stop_token& over) {
    std::unique_lock lock(mutex_);
    while (!over.stop_requested()) {
      wake_.wait_for(lock, over, interval, [] { return false; });
      // A full disk may be temporary: only the last write reports a failure.
      static_cast<void>(keep());
    }
  });
  on_stop_.emplace(stop, [this] { keeper_.request_stop(); });
}

void FeatureState::keep_last() {
  on_stop_.reset();
  keeper_ = {};
  or_throw(keep());
}

}  // namespace spyctrum::cli
