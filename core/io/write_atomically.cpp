// SPDX-License-Identifier: Apache-2.0
// A file appears complete or not at all: it is written under a temporary name in the same folder, because
// rename() works only within one file system, and then renamed.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "core/io/export.hpp"
#include "core/io/quote.hpp"

namespace spyctrum {

namespace {

Failure output_failure(const std::string& path, int reason) {
  std::string advice;
  switch (reason) {
    case ENOENT:
      advice = "Create the folder first, or choose another one.";
      break;
    case EACCES:
    case EROFS:
      advice = "Choose a folder that you may write to.";
      break;
    case ENOSPC:
    case EDQUOT:
      advice = "Free some space, or choose another disk.";
      break;
    default:
      break;
  }
  return Failure(Error{ErrorCode::output,
                       quoted_path(path) + " cannot be written: " +
                           (reason != 0 ? std::strerror(reason) : "unknown reason") + ".",
                       advice, reason});
}

// A new file beside `path`. The destructor removes it unless move_to_target() succeeded.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& path) : target_(path), name_(path + ".XXXXXX") {
    const int descriptor = mkstemp(name_.data());
    if (descriptor < 0) throw output_failure(target_, errno);
    // mkstemp() makes files that only their owner may read; written files get the permissions of the umask.
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(descriptor, 0666U & ~mask);
    close(descriptor);
    armed_ = true;
  }
  ~TemporaryFile() {
    if (armed_) unlink(name_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  void move_to_target() {
    if (std::rename(name_.c_str(), target_.c_str()) != 0) throw output_failure(target_, errno);
    armed_ = false;
  }

 private:
  std::string target_;
  std::string name_;
  bool armed_ = false;
};

}  // namespace

Result<void> write_atomically(const std::string& path, const std::function<void(std::ostream&)>& write) {
  return run_guarded([&] {
    struct stat facts {};
    const bool exists = stat(path.c_str(), &facts) == 0;
    if (exists && S_ISDIR(facts.st_mode)) throw output_failure(path, EISDIR);
    if (exists && !S_ISREG(facts.st_mode)) {
      // A device such as /dev/stdout, or a named pipe: rename() would replace it by a file.
      std::ofstream device(path, std::ios::binary);
      errno = 0;
      write(device);
      if (!device.flush()) throw output_failure(path, errno);
      return;
    }
    TemporaryFile temporary(path);
    std::ofstream stream(temporary.name(), std::ios::binary | std::ios::trunc);
    errno = 0;
    if (stream) write(stream);
    if (!stream.flush()) throw output_failure(path, errno);
    stream.close();
    if (stream.fail()) throw output_failure(path, errno);
    temporary.move_to_target();
  });
}

}  // namespace spyctrum
