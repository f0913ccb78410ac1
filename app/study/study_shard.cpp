// SPDX-License-Identifier: Apache-2.0
// A claim is made by a link to a complete file that holds the owner's name, so that no process reads an empty
// claim.
#include "app/study/study_shard.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/base/error.hpp"
#include "core/base/fnv_hash.hpp"
#include "core/base/text.hpp"

namespace spyctrum {

namespace fs = std::filesystem;

namespace {

std::string journal_name(ShardNumber number) {
  return std::to_string(number.index) + "-of-" + std::to_string(number.count) + ".jsonl";
}

std::string make_folder(const std::string& path) {
  std::error_code problem;
  fs::create_directories(path, problem);
  if (problem) throw Failure(ErrorCode::output, path + " cannot be made: " + problem.message() + ".");
  return path;
}

/// The journal of the shard that has made a claim; empty where there is no such file.
std::string owner_of(const std::string& claim) {
  std::ifstream in(claim, std::ios::binary);
  std::string owner;
  std::getline(in, owner);
  return owner;
}

}  // namespace

std::optional<ShardNumber> parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const auto index = parse_number<unsigned>(std::string_view(text).substr(0, slash));
  const auto count = parse_number<unsigned>(std::string_view(text).substr(slash + 1));
  if (!index || !count || *index < 1 || *index > *count) return std::nullopt;
  return ShardNumber{*index, *count};
}

StudyShard::StudyShard(std::string folder, ShardNumber number)
    : folder_(std::move(folder)),
      number_(number),
      name_(journal_name(number)),
      whole_(folder_ + "/cells.jsonl", FileLock::Kind::shared),
      journal_(make_folder(folder_ + "/shards") + "/" + name_) {
  make_folder(folder_ + "/claims");
}

std::string StudyShard::claim_path(const std::string& task) const {
  return folder_ + "/claims/" + fnv_text(task);
}

bool StudyShard::is_free(const std::string& task) const {
  const std::string owner = owner_of(claim_path(task));
  return owner.empty() || owner == name_ || FileLock::try_lock(folder_ + "/shards/" + owner);
}

Claim StudyShard::claim(const std::string& task) {
  const std::string path = claim_path(task);
  const std::string own = folder_ + "/claims/." + name_;
  {
    // A new file for each claim: others may read the last one, which has become a claim.
    std::error_code ignored;
    fs::remove(own, ignored);
    std::ofstream out(own, std::ios::binary | std::ios::trunc);
    out << name_ << '\n' << task << '\n';
    if (!out.flush())
      throw Failure(ErrorCode::output, own + " cannot be written: " + std::strerror(errno) + ".");
  }
  if (::link(own.c_str(), path.c_str()) == 0) return Claim::granted;
  if (errno != EEXIST)
    throw Failure(ErrorCode::output, path + " cannot be made: " + std::strerror(errno) + ".");
  const std::string before = owner_of(path);
  if (before == name_) return Claim::granted;
  // If several shards find that the owner has ended, the one that gets the lock of the owner's journal takes
  // over the claim, unless another one has done so before.
  const auto lock = FileLock::try_lock(folder_ + "/shards/" + before);
  if (!lock || owner_of(path) != before) return Claim::refused;
  fs::rename(own, path);
  return Claim::inherited;
}

bool StudyShard::is_running(unsigned index) const {
  const std::string path = folder_ + "/shards/" + journal_name({index, number_.count});
  return fs::exists(path) && !FileLock::try_lock(path);
}

void merge_shards(const std::string& folder, StudyJournal& journal) {
  for (const std::string& path : shard_journals(folder)) {
    for (const std::string& line : read_journal(path)) journal.append(line);
    fs::remove(path);
  }
  std::error_code ignored;
  fs::remove_all(folder + "/shards", ignored);
  fs::remove_all(folder + "/claims", ignored);
}

}  // namespace spyctrum
