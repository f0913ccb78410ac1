// SPDX-License-Identifier: Apache-2.0
// A file is written under a temporary name in its folder (rename() works only within one file system) and
// then renamed, so that it appears completely or not at all. Bytes go to the descriptor through a buffer that
// stores the reason of the first failure and accepts no more bytes after a stop request. Pipes are opened and
// written without blocking, so that a stop ends every wait for their reader.
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <streambuf>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/memory_ledger.hpp"
#include "core/io/export.hpp"
#include "core/io/quote.hpp"

namespace spyctrum {

namespace {

constexpr int kPipePollMilliseconds = 20;
constexpr std::chrono::seconds kLongestWait{5};  // for the reader of a named pipe

Failure output_failure(const std::string& path, int reason) {
  static const std::map<int, std::string> kAdvice{
      {ENOENT, "Create the folder first, or choose another one."},
      {ENOTDIR, "Create the folder first, or choose another one."},
      {EACCES, "Choose a folder that you may write to."},
      {EROFS, "Choose a folder that you may write to."},
      {ENOSPC, "Free some space, or choose another disk."},
      {EDQUOT, "Free some space, or choose another disk."},
      {EFBIG, "Raise the limit on the size of files (ulimit -f), or write less."},
      {ENAMETOOLONG, "Choose a shorter name: most file systems take up to 255 bytes."},
      {ENXIO, "A named pipe needs a reader: start the program that reads it first."},
  };
  const auto advice = kAdvice.find(reason);
  return Failure(Error{ErrorCode::output,
                       quoted_path(path) + " cannot be written: " +
                           (reason != 0 ? std::strerror(reason) : "unknown reason") + ".",
                       advice != kAdvice.end() ? advice->second : "", reason});
}

Failure cancelled(const std::string& path) {
  return {ErrorCode::cancelled, "Writing " + quoted_path(path) + " was cancelled."};
}

// The existing temporary files, for abandon_writes(). The object is never destroyed, since a process may end
// while a thread still writes.
struct Unfinished {
  std::mutex mutex;
  std::set<std::string> names;
  bool abandoned = false;
};
Unfinished& unfinished() {
  static auto* const files = [] {
    // libarchive calls exit() where an allocation is refused.
    if (std::atexit(abandon_writes) != 0) throw std::bad_alloc();
    return new Unfinished;
  }();
  return *files;
}

// A stream buffer over a descriptor, which it owns.
class DescriptorBuffer : public std::streambuf {
 public:
  DescriptorBuffer(int descriptor, std::stop_token stop)
      : descriptor_(descriptor), stop_(std::move(stop)), buffer_(kBytes) {
    setp(buffer_.data(), buffer_.data() + buffer_.size());
  }
  ~DescriptorBuffer() override { ::close(descriptor_); }
  DescriptorBuffer(const DescriptorBuffer&) = delete;
  DescriptorBuffer& operator=(const DescriptorBuffer&) = delete;

  // errno of the first failure; 0: all bytes were taken.
  [[nodiscard]] int reason() const { return reason_; }

 protected:
  int_type overflow(int_type next) override {
    if (sync() != 0) return traits_type::eof();
    if (traits_type::eq_int_type(next, traits_type::eof())) return traits_type::not_eof(next);
    return sputc(traits_type::to_char_type(next));
  }
  std::streamsize xsputn(const char* data, std::streamsize count) override {
    if (!going_on() || count == 0) return 0;
    if (count < epptr() - pptr()) {
      std::memcpy(pptr(), data, static_cast<std::size_t>(count));
      pbump(static_cast<int>(count));
      return count;
    }
    return sync() == 0 && put(data, static_cast<std::size_t>(count)) ? count : 0;
  }
  int sync() override {
    const bool done = put(pbase(), static_cast<std::size_t>(pptr() - pbase()));
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    return done ? 0 : -1;
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{1} << 18U;
  static constexpr std::size_t kMostAtOnce = std::size_t{1} << 20U;  // bytes between two checks for a stop

  bool going_on() {
    if (reason_ == 0 && stop_.stop_requested()) reason_ = ECANCELED;
    return reason_ == 0;
  }

  bool put(const char* data, std::size_t count) {
    while (count > 0) {
      if (!going_on()) return false;
      const ssize_t taken = ::write(descriptor_, data, std::min(count, kMostAtOnce));
      if (taken > 0) {
        data += taken;
        count -= static_cast<std::size_t>(taken);
      } else if (taken < 0 && errno == EAGAIN) {
        pollfd waiting{descriptor_, POLLOUT, 0};
        ::poll(&waiting, 1, kPipePollMilliseconds);
      } else if (taken < 0 && errno != EINTR) {
        reason_ = errno;
      }
    }
    return reason_ == 0;
  }

  int descriptor_;
  std::stop_token stop_;
  std::vector<char> buffer_;
  int reason_ = 0;
};

// A new file in the folder of `path`. The destructor removes it unless move_to_target() succeeded.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& path) : target_(path) {
    // The name does not contain the target's, which may have the most bytes of a name, 255.
    name_ = path.substr(0, path.rfind('/') + 1) + ".spyctrum-XXXXXX";
    Unfinished& files = unfinished();
    const std::lock_guard lock(files.mutex);
    if (files.abandoned) throw cancelled(target_);
    descriptor_ = mkostemp(name_.data(), O_CLOEXEC);
    if (descriptor_ < 0) throw output_failure(target_, errno);
    try {
      files.names.insert(name_);
    } catch (...) {  // the destructor does not run after a constructor that throws
      ::close(descriptor_);
      unlink(name_.c_str());
      throw;
    }
    // mkostemp() makes files that only their owner may read; written files get the permissions of the umask.
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(descriptor_, 0666U & ~mask);
  }
  ~TemporaryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (moved_) return;
    Unfinished& files = unfinished();
    const std::lock_guard lock(files.mutex);
    if (files.names.erase(name_) != 0) unlink(name_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // A second descriptor of the file. Some file systems report a failed write only when one is closed.
  [[nodiscard]] int duplicate() const {
    const int copy = fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) throw output_failure(target_, errno);
    return copy;
  }
  void move_to_target(const std::stop_token& stop) {
    if (::close(std::exchange(descriptor_, -1)) != 0) throw output_failure(target_, errno);
    Unfinished& files = unfinished();
    const std::lock_guard lock(files.mutex);
    if (files.abandoned || stop.stop_requested()) throw cancelled(target_);
    if (std::rename(name_.c_str(), target_.c_str()) != 0) throw output_failure(target_, errno);
    files.names.erase(name_);
    moved_ = true;
  }

 private:
  std::string target_;
  std::string name_;
  int descriptor_ = -1;
  bool moved_ = false;
};

// Writes through a buffer over `descriptor`; throws Failure{output}, or {cancelled} after a stop.
void write_through(int descriptor, const std::string& path, const std::function<void(std::ostream&)>& write,
                   const std::stop_token& stop) {
  DescriptorBuffer buffer(descriptor, stop);
  std::ostream stream(&buffer);
  write(stream);
  stream.flush();
  if (buffer.reason() == ECANCELED) throw cancelled(path);
  if (!stream) throw output_failure(path, buffer.reason());
}

// The named pipes that check_writable() has opened, by path; they stay open, since a reader takes the text
// for complete once a pipe is closed. Never destroyed, like Unfinished.
struct OpenedPipes {
  std::mutex mutex;
  std::map<std::string, int> descriptors;
};
OpenedPipes& opened_pipes() {
  static auto* const pipes = new OpenedPipes;
  return *pipes;
}

// Opens a device or a named pipe. Waits for kLongestWait if the pipe has no reader, then throws
// Failure{output}.
int open_device(const std::string& path, const std::stop_token& stop) {
  {
    OpenedPipes& pipes = opened_pipes();
    const std::lock_guard lock(pipes.mutex);
    if (const auto opened = pipes.descriptors.extract(path)) return opened.mapped();
  }
  const auto until = std::chrono::steady_clock::now() + kLongestWait;
  for (;;) {
    if (stop.stop_requested()) throw cancelled(path);
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor >= 0) return descriptor;
    const bool no_reader = errno == ENXIO && std::chrono::steady_clock::now() < until;
    if (!no_reader && errno != EINTR) throw output_failure(path, errno);
    ::poll(nullptr, 0, kPipePollMilliseconds);
  }
}

// The file to which `path` leads through symbolic links, which rename() would replace; it need not exist.
// kind_of() has refused circular links; the bound, Linux's own, is for links that change meanwhile.
std::string resolved(const std::string& path) {
  std::filesystem::path target = path;
  std::error_code problem;
  for (int link = 0; link < 40 && std::filesystem::is_symlink(target, problem); ++link) {
    const std::filesystem::path next = std::filesystem::read_symlink(target, problem);
    if (problem) return path;
    target = target.parent_path() / next;
  }
  return target.string();
}

enum class Kind { regular, device, pipe };

// The kind of the file at `path`: regular if there is none yet. Throws Failure{output} if it cannot be
// written, such as a folder.
Kind kind_of(const std::string& path) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0) {
    // A missing folder is detected when the temporary file is made.
    if (errno != ENOENT || path.empty()) throw output_failure(path, errno);
    return Kind::regular;
  }
  if (S_ISDIR(facts.st_mode)) throw output_failure(path, EISDIR);
  if (S_ISSOCK(facts.st_mode)) throw output_failure(path, EOPNOTSUPP);
  if (S_ISREG(facts.st_mode)) return Kind::regular;
  return S_ISFIFO(facts.st_mode) ? Kind::pipe : Kind::device;
}

}  // namespace

Result<void> write_atomically(const std::string& path, const std::function<void(std::ostream&)>& write,
                              const std::stop_token& stop) {
  return run_guarded([&] {
    if (kind_of(path) != Kind::regular) {
      // A device such as /dev/stdout, or a named pipe: rename() would replace it by a file.
      write_through(open_device(path, stop), path, write, stop);
      return;
    }
    TemporaryFile temporary(resolved(path));
    write_through(temporary.duplicate(), path, write, stop);
    temporary.move_to_target(stop);
  });
}

Result<void> write_standard_output(const std::function<void(std::ostream&)>& write,
                                   const std::stop_token& stop) {
  return run_guarded([&] {
    const std::string name = "standard output";
    const int copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) throw output_failure(name, errno);
    write_through(copy, name, write, stop);
  });
}

Result<void> check_writable(const std::string& path, const std::stop_token& stop) {
  return run_guarded([&] {
    switch (kind_of(path)) {
      case Kind::regular: {
        const TemporaryFile possible(resolved(path));
        break;
      }
      case Kind::pipe: {
        const int descriptor = open_device(path, stop);
        OpenedPipes& pipes = opened_pipes();
        const std::lock_guard lock(pipes.mutex);
        pipes.descriptors.emplace(path, descriptor);
        break;
      }
      case Kind::device:
        if (access(path.c_str(), W_OK) != 0) throw output_failure(path, errno);
    }
  });
}

Result<void> check_room(const std::string& path, std::uint64_t bytes) {
  return run_guarded([&] {
    if (kind_of(path) != Kind::regular) return;
    std::error_code unknown;
    const std::filesystem::path folder = std::filesystem::path(resolved(path)).parent_path();
    const auto space = std::filesystem::space(folder.empty() ? "." : folder, unknown);
    if (!unknown && space.available < bytes)
      throw Failure(Error{ErrorCode::output,
                          quoted_path(path) + " needs " + format_bytes(bytes) + "; its disk has " +
                              format_bytes(space.available) + " free.",
                          output_failure(path, ENOSPC).error().advice, ENOSPC});
  });
}

void abandon_writes() {
  Unfinished& files = unfinished();
  const std::lock_guard lock(files.mutex);
  files.abandoned = true;
  for (const std::string& name : files.names) unlink(name.c_str());
  files.names.clear();
}

}  // namespace spyctrum
