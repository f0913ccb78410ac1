// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program (LD_PRELOAD), makes one call of one kind fail while main() runs, as the system would.
//   SPYCTRUM_FAULT_KIND   memory, open, read, write, rename, sync or thread
//   SPYCTRUM_FAULT_AT     the number of the call that fails, from 1; 0: none
//   SPYCTRUM_FAULT_LOG    file to which is appended, for AT = 0, the number of the first call from each place (a place
//                         is the chain of the last kFrames callers); for AT > 0, "failed" once the call has failed
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kFrames = 4, kPlaces = 1 << 16, kModules = 64 };

static const char* chosen_kind;
static long fail_at;
static int log_file = -1;
static int ready;
static volatile int in_main;
static long calls;
static uint64_t seen[kPlaces];
static struct {
  uintptr_t begin, end;
} modules[kModules];
static int module_count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static __thread int inside;

static int add_module(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  (void)data;
  uintptr_t end = info->dlpi_addr;
  for (int k = 0; k < info->dlpi_phnum; ++k)
    if (info->dlpi_phdr[k].p_type == PT_LOAD && info->dlpi_addr + info->dlpi_phdr[k].p_vaddr + info->dlpi_phdr[k].p_memsz > end)
      end = info->dlpi_addr + info->dlpi_phdr[k].p_vaddr + info->dlpi_phdr[k].p_memsz;
  if (module_count < kModules) {
    modules[module_count].begin = info->dlpi_addr;
    modules[module_count++].end = end;
  }
  return 0;
}

__attribute__((constructor)) static void begin(void) {
  void* frames[kFrames];
  inside = 1;
  backtrace(frames, kFrames);  // loads the unwinder, which allocates
  dl_iterate_phdr(add_module, NULL);
  chosen_kind = getenv("SPYCTRUM_FAULT_KIND");
  const char* at = getenv("SPYCTRUM_FAULT_AT");
  fail_at = at != NULL ? atol(at) : 0;
  const char* path = getenv("SPYCTRUM_FAULT_LOG");
  if (path != NULL) log_file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  inside = 0;
  ready = chosen_kind != NULL && log_file >= 0;
}

// Addresses differ from run to run; places are compared by their offsets in the files that hold the code.
static uint64_t hash_of_callers(void) {
  void* frames[kFrames + 2];
  const int count = backtrace(frames, kFrames + 2);
  uint64_t hash = 1469598103934665603U;
  for (int k = 2; k < count; ++k) {
    uintptr_t address = (uintptr_t)frames[k];
    for (int m = 0; m < module_count; ++m)
      if (address >= modules[m].begin && address < modules[m].end) {
        address = address - modules[m].begin + (uintptr_t)m;
        break;
      }
    hash = (hash ^ address) * 1099511628211U;
  }
  return hash | 1U;
}

static void note(const char* text) {
  if (syscall(SYS_write, log_file, text, strlen(text)) < 0) abort();
}

static int fails(const char* kind) {
  if (!ready || !in_main || inside || strcmp(kind, chosen_kind) != 0) return 0;
  inside = 1;
  int result = 0;
  pthread_mutex_lock(&mutex);
  ++calls;
  if (fail_at == 0) {
    const uint64_t hash = hash_of_callers();
    size_t slot = hash % kPlaces;
    while (seen[slot] != 0 && seen[slot] != hash) slot = (slot + 1) % kPlaces;
    if (seen[slot] == 0) {
      seen[slot] = hash;
      char text[32];
      snprintf(text, sizeof text, "%ld\n", calls);
      note(text);
    }
  } else if (calls == fail_at) {
    note("failed\n");
    result = 1;
  }
  pthread_mutex_unlock(&mutex);
  inside = 0;
  return result;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

// Before main() the loader and static objects have nothing to lose and no way to report a failure.
typedef int Main(int, char**, char**);
static Main* main_of_program;
static int watched_main(int count, char** arguments, char** environment) {
  in_main = 1;
  const int code = main_of_program(count, arguments, environment);
  in_main = 0;
  return code;
}
int __libc_start_main(Main* main, int count, char** arguments, void (*init)(void), void (*fini)(void),
                      void (*unload)(void), void* stack_end) {
  main_of_program = main;
  return NEXT(__libc_start_main)(watched_main, count, arguments, init, fini, unload, stack_end);
}

extern void* __libc_malloc(size_t bytes);
extern void* __libc_calloc(size_t count, size_t bytes);
extern void* __libc_realloc(void* old, size_t bytes);
extern void* __libc_memalign(size_t alignment, size_t bytes);
static void* refused(void) {
  errno = ENOMEM;
  return NULL;
}
void* malloc(size_t bytes) { return fails("memory") ? refused() : __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) { return fails("memory") ? refused() : __libc_calloc(count, bytes); }
void* realloc(void* old, size_t bytes) { return fails("memory") ? refused() : __libc_realloc(old, bytes); }
void* memalign(size_t alignment, size_t bytes) { return fails("memory") ? refused() : __libc_memalign(alignment, bytes); }
void* aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }

#define FAIL(kind, code)                    \
  if (fails(kind)) {                        \
    errno = code;                           \
    return -1;                              \
  }
int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  FAIL("open", EMFILE)
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) __attribute__((alias("open")));
int __open_2(const char* path, int flags) { return open(path, flags, 0); }
int __open64_2(const char* path, int flags) { return open(path, flags, 0); }
FILE* fopen(const char* path, const char* mode) {
  if (fails("open")) {
    errno = EMFILE;
    return NULL;
  }
  return NEXT(fopen)(path, mode);
}
FILE* fopen64(const char* path, const char* mode) __attribute__((alias("fopen")));
ssize_t read(int file, void* buffer, size_t bytes) {
  FAIL("read", EIO)
  return syscall(SYS_read, file, buffer, bytes);
}
ssize_t __read_chk(int file, void* buffer, size_t bytes, size_t room) {
  if (bytes > room) abort();
  return read(file, buffer, bytes);
}
ssize_t readv(int file, const struct iovec* parts, int count) {
  FAIL("read", EIO)
  return syscall(SYS_readv, file, parts, count);
}
ssize_t write(int file, const void* buffer, size_t bytes) {
  FAIL("write", ENOSPC)
  return syscall(SYS_write, file, buffer, bytes);
}
ssize_t writev(int file, const struct iovec* parts, int count) {
  FAIL("write", ENOSPC)
  return syscall(SYS_writev, file, parts, count);
}
size_t fwrite(const void* data, size_t size, size_t count, FILE* file) {
  if (fails("write")) {
    errno = ENOSPC;
    return 0;
  }
  return NEXT(fwrite)(data, size, count, file);
}
int rename(const char* from, const char* to) {
  FAIL("rename", EACCES)
  return NEXT(rename)(from, to);
}
int fsync(int file) {
  FAIL("sync", EIO)
  return (int)syscall(SYS_fsync, file);
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*), void* argument) {
  if (fails("thread")) return EAGAIN;
  return NEXT(pthread_create)(thread, attributes, work, argument);
}
