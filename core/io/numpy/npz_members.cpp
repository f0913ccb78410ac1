// SPDX-License-Identifier: Apache-2.0
// Members that are not compressed are read in place, each on all threads. Compressed ones are unpacked in the
// order of the archive, by up to three threads that all pass through it.
#include "core/io/numpy/npz_members.hpp"

#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>

#include "core/io/binary_file.hpp"
#include "core/io/byte_source.hpp"
#include "core/io/numpy/npy_file.hpp"
#include "core/io/quote.hpp"
#include "core/io/unpack.hpp"
#include "core/io/zip_directory.hpp"

namespace spyctrum::npz_reader {
namespace {

/// A file that several threads read, each all of it; progress counts the bytes that each reads while its
/// source `is_own`.
class SharedSource : public LayeredSource {
 public:
  SharedSource(std::unique_ptr<ByteSource> file, std::atomic<std::uint64_t>& done)
      : LayeredSource(std::move(file)), done_(done) {}
  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = upstream_->read(buffer);
    if (is_own) done_ += count;
    return count;
  }
  [[nodiscard]] std::uint64_t consumed() const override { return done_; }
  bool is_own = false;

 private:
  std::atomic<std::uint64_t>& done_;
};

/// Several threads unpack a regular file; each thread skips the members that others have taken.
class Members {
 public:
  Members(ByteSource& source, std::string_view name, JobContext& context, KeepOf keep)
      : source_(source), name_(name), context_(context), keep_(std::move(keep)) {}

  std::vector<NpzMember> read() {
    if (std::vector<NpzMember> stored; read_stored(stored)) return stored;
    if (source_.descriptor() < 0) {
      bool is_own = false;  // one thread reads all members
      read_those_left(source_, is_own);
    } else {
      const std::size_t threads = std::min(context_.pool().threads(), 3U);
      context_.pool().parallel_for(threads, 1, [&](std::size_t begin, std::size_t end, unsigned /*worker*/) {
        for (std::size_t k = begin; k < end; ++k) {
          SharedSource source(shared_file_source(source_, name_, context_.stop_token()), done_);
          read_those_left(source, source.is_own);
        }
      });
    }
    std::vector<NpzMember> all;
    for (auto& [place, member] : members_) {
      if (failure_ && place >= failed_at_) break;
      all.push_back(std::move(member));
    }
    // A failure of the archive comes after the arrays before it, whose failures have precedence.
    if (failure_) all.push_back({{}, {}, failure_});
    return all;
  }

 private:
  /// Reads the archive on all threads if its members are not compressed. Returns false if they are compressed
  /// or anything is wrong: the archive is then read again in order, with a message about the first fault.
  bool read_stored(std::vector<NpzMember>& all) {
    if (source_.descriptor() < 0) return false;
    const auto stored = stored_members(source_.descriptor());
    if (!stored) return false;
    ReadProgress progress{source_.total()};
    std::set<std::string> before;
    for (const StoredMember& member : *stored) {
      const bool is_array = member.path.ends_with(".npy");
      const std::string stem = is_array ? member.path.substr(0, member.path.size() - 4) : std::string();
      try {
        if (is_array) {
          std::optional<NumpyArray> array = stored_array(member, keep_(stem, before), progress);
          if (!array) return false;
          all.push_back({stem, std::move(array), {}});
        }
      } catch (const Failure& failure) {
        if (failure.error().code != ErrorCode::bad_input) throw;
        return false;
      }
      before.insert(stem);
    }
    return true;
  }

  static uLong checksum(std::span<const char> bytes) {
    return crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  }

  /// Reads an array; empty if the member is longer or shorter than the array, or if its checksum is wrong.
  std::optional<NumpyArray> stored_array(const StoredMember& member, Keep keep, ReadProgress& progress) {
    const auto source = shared_file_source(source_, name_, context_.stop_token(), member.at);
    BinaryFile file(*source, name_, context_);
    NumpyArray array = read_npy_header(file, name_ + ", " + escaped(member.path));
    const std::uint64_t header_bytes = file.position();
    const std::uint64_t element_bytes = announced_bytes(array);
    if (array.width == 0 || header_bytes > member.bytes || member.bytes - header_bytes != element_bytes)
      return std::nullopt;
    array.set_keep(keep);
    if (array.keep == Keep::number) {
      array.count = element_bytes / array.width;
      return array;
    }
    std::vector<char> header(header_bytes);
    const auto again = shared_file_source(source_, name_, context_.stop_token(), member.at);
    if (BinaryFile(*again, name_, context_).read(header) < header.size()) return std::nullopt;
    // The checksums of the pieces, by their first element.
    std::mutex mutex;
    std::map<std::uint64_t, std::pair<uLong, std::size_t>> checksums;
    const auto checksum_of = [&](std::uint64_t first, std::span<const char> bytes, unsigned /*worker*/) {
      const uLong own = checksum(bytes);
      const std::lock_guard lock(mutex);
      checksums[first] = {own, bytes.size()};
    };
    if (!read_elements_at(array, element_bytes / array.width, source_.descriptor(), member.at + header_bytes,
                          progress, context_, checksum_of))
      return std::nullopt;
    uLong crc = checksum(header);
    for (const auto& [first, piece] : checksums)
      crc = crc32_combine(crc, piece.first, static_cast<z_off_t>(piece.second));
    if (crc != member.crc) return std::nullopt;
    return array;
  }

  /// Reads the members that no other thread has taken; `is_own` is true while it reads one of them.
  void read_those_left(ByteSource& source, bool& is_own) {
    std::size_t place = 0;
    std::set<std::string> before;
    try {
      const std::unique_ptr<ArchiveMembers> members = archive_members(source, name_);
      for (std::string path; members->next_member(path); ++place) {
        std::size_t expected = place;
        const bool is_array = path.ends_with(".npy");
        const std::string stem = is_array ? path.substr(0, path.size() - 4) : std::string();
        if (!next_.compare_exchange_strong(expected, place + 1) || !is_array) {
          before.insert(stem);
          continue;
        }
        NpzMember member{stem, {}, {}};
        is_own = true;
        try {
          member.array = read_npy(*members, name_ + ", " + escaped(path), context_, keep_(stem, before));
        } catch (const Failure& failure) {
          if (failure.error().code != ErrorCode::bad_input) throw;
          member.failure = std::current_exception();
        }
        is_own = false;
        before.insert(stem);
        const bool is_read = member.array.has_value();
        {
          const std::lock_guard lock(mutex_);
          members_.emplace(place, std::move(member));
        }
        if (!is_read) {
          ++place;  // if the archive is damaged here, it is after this member
          read_to_end(*members, context_);
          --place;
        }
      }
      members->finish(context_);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (failure_ && failed_at_ <= place) return;
      failure_ = std::current_exception();
      failed_at_ = place;
    }
  }

  ByteSource& source_;
  std::string name_;
  JobContext& context_;
  KeepOf keep_;
  std::atomic<std::size_t> next_{0};    ///< index of the first member that no thread has taken
  std::atomic<std::uint64_t> done_{0};  ///< bytes of the members that were read
  std::mutex mutex_;
  std::map<std::size_t, NpzMember> members_;
  std::exception_ptr failure_;  ///< first failure of the archive itself, or a stop
  std::size_t failed_at_ = 0;   ///< index of the member at which it occurred
};

}  // namespace

std::vector<NpzMember> read_npz_members(ByteSource& source, std::string_view name, JobContext& context,
                                        KeepOf keep) {
  return Members(source, name, context, std::move(keep)).read();
}

}  // namespace spyctrum::npz_reader
