// SPDX-License-Identifier: Apache-2.0
// POSIX files and pipes. Before each read of a pipe its descriptor is polled for 20 ms at a time, so that a
// stop is noticed while nothing arrives.
#include "core/io/byte_source.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/io/quote.hpp"

namespace spyctrum {

namespace {

constexpr int kPollMilliseconds = 20;

class FileSource : public ByteSource {
 public:
  enum class Use { owned, borrowed, shared };
  /// `first`: the byte at which a shared file is read.
  FileSource(std::string name, int descriptor, Use use, std::stop_token stop, std::uint64_t first = 0)
      : name_(std::move(name)), descriptor_(descriptor), use_(use), stop_(std::move(stop)), consumed_(first) {
    struct stat facts {};
    if (fstat(descriptor_, &facts) != 0) return;
    waits_ = !S_ISREG(facts.st_mode);
    if (S_ISREG(facts.st_mode)) total_ = static_cast<std::uint64_t>(facts.st_size);
  }
  ~FileSource() override {
    if (use_ == Use::owned) close(descriptor_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  std::size_t read(std::span<char> buffer) override {
    for (;;) {
      if (stop_.stop_requested()) throw Failure(ErrorCode::cancelled, "Reading " + name_ + " was cancelled.");
      if (waits_) {
        pollfd waiting{descriptor_, POLLIN, 0};
        const int ready = poll(&waiting, 1, kPollMilliseconds);
        if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
      }
      const ssize_t count = use_ == Use::shared ? pread(descriptor_, buffer.data(), buffer.size(),
                                                        static_cast<off_t>(consumed_.load()))
                                                : ::read(descriptor_, buffer.data(), buffer.size());
      if (count >= 0) {
        consumed_ += static_cast<std::uint64_t>(count);
        return static_cast<std::size_t>(count);
      }
      if (errno == EINTR || errno == EAGAIN) continue;
      throw Failure(Error{ErrorCode::bad_input,
                          name_ + ", byte " + std::to_string(consumed_.load()) +
                              ": reading failed: " + std::strerror(errno) + ".",
                          "Check the disk or the network that holds the file.", errno});
    }
  }
  [[nodiscard]] int descriptor() const override { return waits_ ? -1 : descriptor_; }
  [[nodiscard]] std::uint64_t consumed() const override { return consumed_; }
  [[nodiscard]] std::uint64_t total() const override { return total_; }

 private:
  std::string name_;
  int descriptor_;
  Use use_;
  bool waits_ = false;
  std::stop_token stop_;
  std::uint64_t total_ = 0;
  std::atomic<std::uint64_t> consumed_;  // read by other threads for progress
};

[[noreturn]] void fail_to_open(const std::string& file, int reason) {
  throw Failure(Error{ErrorCode::bad_input,
                      quoted_path(file) + " cannot be opened: " + std::strerror(reason) + ".",
                      reason == ENOENT ? "Check the path; a generated matrix is written gen:KIND:key=value,…"
                      : reason == EACCES ? "Allow reading it (chmod u+r) or ask its owner."
                                         : "",
                      reason});
}

}  // namespace

std::string display_name(std::string_view file) {
  return file == "-" ? std::string("standard input") : escaped(file);
}

std::unique_ptr<ByteSource> open_file_source(const std::string& file, std::stop_token stop) {
  if (file == "-")
    return std::make_unique<FileSource>(display_name(file), STDIN_FILENO, FileSource::Use::borrowed,
                                        std::move(stop));
  if (file.empty())
    throw Failure(ErrorCode::wrong_use, "The file name is empty.",
                  "Name a matrix file, - for standard input, or gen:KIND:key=value,…");
  // O_NONBLOCK: otherwise open() waits until another program opens a named pipe for writing.
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) fail_to_open(file, errno);
  struct stat facts {};
  const bool known = fstat(descriptor, &facts) == 0;
  if (known && S_ISDIR(facts.st_mode)) {
    close(descriptor);
    throw Failure(Error{ErrorCode::bad_input,
                        quoted_path(file) + " is a directory; a matrix file was expected.",
                        "Name one file inside it.", EISDIR});
  }
  return std::make_unique<FileSource>(display_name(file), descriptor, FileSource::Use::owned,
                                      std::move(stop));
}

std::unique_ptr<ByteSource> shared_file_source(const ByteSource& file, std::string_view name,
                                               std::stop_token stop, std::uint64_t first) {
  return std::make_unique<FileSource>(std::string(name), file.descriptor(), FileSource::Use::shared,
                                      std::move(stop), first);
}

void read_to_end(ByteSource& source, JobContext& context,
                 const std::function<void(std::span<const char>)>& use) {
  std::vector<char> bytes(std::size_t{1} << 17U);
  while (const std::size_t count = source.read(bytes)) {
    if (use) use(std::span(bytes).first(count));
    context.checkpoint(source.consumed(), source.total());
  }
  context.check_stop();
}

std::span<const char> PeekedSource::peek(std::size_t most) {
  while (head_.size() < most) {
    const std::size_t had = head_.size();
    head_.resize(most);
    const std::size_t count = upstream_->read(std::span(head_).subspan(had));
    head_.resize(had + count);
    if (count == 0) break;
  }
  return std::span<const char>(head_).first(std::min(most, head_.size()));
}

std::size_t PeekedSource::read(std::span<char> buffer) {
  if (given_ == head_.size()) return upstream_->read(buffer);
  const std::size_t count = std::min(buffer.size(), head_.size() - given_);
  std::copy_n(head_.data() + given_, count, buffer.data());
  given_ += count;
  return count;
}

}  // namespace spyctrum
