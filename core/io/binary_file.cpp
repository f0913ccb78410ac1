// SPDX-License-Identifier: Apache-2.0
// Small pieces are read through a buffer, large ones directly.
#include "core/io/binary_file.hpp"

#include <algorithm>

#include "core/io/failure_at.hpp"
#include "core/io/quote.hpp"

namespace spyctrum {

std::size_t BinaryFile::read(std::span<char> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const std::span<char> rest = bytes.subspan(done);
    if (ahead_.empty()) {
      context_.checkpoint(source_.consumed(), source_.total());
      const bool is_large = rest.size() >= kBuffer;
      const std::size_t got = source_.read(is_large ? rest : std::span(buffer_));
      if (got == 0) break;
      if (is_large)
        done += got;
      else
        ahead_ = std::span<const char>(buffer_).first(got);
      continue;
    }
    const std::size_t count = std::min(rest.size(), ahead_.size());
    std::copy_n(ahead_.begin(), count, rest.begin());
    ahead_ = ahead_.subspan(count);
    done += count;
  }
  position_ += done;
  return done;
}

std::uint64_t BinaryFile::append(BookedList<char>& list, std::uint64_t count) {
  std::uint64_t done = 0;
  while (done < count) {
    const std::size_t had = list.size();
    // The first pieces are small: a short file with a large announced size takes little memory.
    const std::size_t piece = std::clamp(had, std::size_t{1} << 16U, std::size_t{1} << 20U);
    const std::span<char> more = list.extend(std::min<std::uint64_t>(piece, count - done));
    const std::size_t got = read(more);
    done += got;
    list.truncate(had + got);
    if (got < more.size()) break;
  }
  return done;
}

std::uint64_t BinaryFile::pass(std::uint64_t count) {
  std::vector<char> ignored(std::min<std::uint64_t>(count, kBuffer));
  std::uint64_t done = 0;
  while (done < count) {
    const std::size_t piece = std::min<std::uint64_t>(ignored.size(), count - done);
    const std::size_t got = read(std::span(ignored).first(piece));
    done += got;
    if (got < piece) break;
  }
  return done;
}

void BinaryFile::fail(std::uint64_t byte, const std::string& what, const std::string& advice) const {
  throw FailureAt(name_ + ", byte " + grouped(byte), what, advice);
}

}  // namespace spyctrum
