// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program (LD_PRELOAD), makes one call of one kind fail while main() runs, as the system would.
//   SPYCTRUM_FAULT_KIND   memory, open, read, write, rename, sync, thread, gl or cuda
//   SPYCTRUM_FAULT_AT     the place whose first call fails; 0: none
//   SPYCTRUM_FAULT_OF     "program": calls are counted where the program itself makes them, or the C++ library on
//                         its behalf; those inside of other libraries, such as a graphics driver, are left alone
//   SPYCTRUM_FAULT_LOG    file to which is appended, for AT = 0, every place once; else "failed" once the call has failed
// A place is the chain of the last kFrames callers, written as a number that is the same in every run. Functions of OpenGL and of the CUDA driver are found by name while
// the program runs: fail_entry.c.
#define _GNU_SOURCE
#include "fail_call.h"

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

enum { kFrames = 4, kFramesOfLibrary = 4, kPlaces = 1 << 16, kModules = 256 };

static const char* chosen_kind;
static uint64_t fail_at;
static int of_program;
static int log_file = -1;
static int ready;
static volatile int in_main;
static int has_failed;
static uint64_t seen[kPlaces];
static struct {
  uintptr_t begin, end;
  uint64_t name;  // a hash of the file's name
  int is_cpp_library;
} modules[kModules];  // the first is the program
static int module_count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static __thread int inside;

static uint64_t mixed(uint64_t hash, uint64_t value) { return (hash ^ value) * 1099511628211U; }
static const uint64_t kNoHash = 1469598103934665603U;

static int add_module(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  (void)data;
  uintptr_t end = info->dlpi_addr;
  for (int k = 0; k < info->dlpi_phnum; ++k)
    if (info->dlpi_phdr[k].p_type == PT_LOAD && info->dlpi_addr + info->dlpi_phdr[k].p_vaddr + info->dlpi_phdr[k].p_memsz > end)
      end = info->dlpi_addr + info->dlpi_phdr[k].p_vaddr + info->dlpi_phdr[k].p_memsz;
  if (module_count < kModules) {
    modules[module_count].begin = info->dlpi_addr;
    modules[module_count].name = kNoHash;
    for (const char* c = info->dlpi_name; *c != 0; ++c) modules[module_count].name = mixed(modules[module_count].name, (unsigned char)*c);
    modules[module_count].is_cpp_library = strstr(info->dlpi_name, "/libstdc++.so") != NULL;
    modules[module_count++].end = end;
  }
  return 0;
}

static void find_modules(void) {
  module_count = 0;
  dl_iterate_phdr(add_module, NULL);
}

__attribute__((constructor)) static void begin(void) {
  void* frames[kFrames];
  inside = 1;
  backtrace(frames, kFrames);  // loads the unwinder, which allocates
  find_modules();
  chosen_kind = getenv("SPYCTRUM_FAULT_KIND");
  const char* at = getenv("SPYCTRUM_FAULT_AT");
  fail_at = at != NULL ? strtoull(at, NULL, 10) : 0;
  const char* of = getenv("SPYCTRUM_FAULT_OF");
  of_program = of != NULL && strcmp(of, "program") == 0;
  const char* path = getenv("SPYCTRUM_FAULT_LOG");
  if (path != NULL) log_file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  inside = 0;
  ready = chosen_kind != NULL && log_file >= 0;
}

static int module_of(const void* address) {
  for (int m = 0; m < module_count; ++m)
    if ((uintptr_t)address >= modules[m].begin && (uintptr_t)address < modules[m].end) return m;
  return -1;
}

int is_of_program(const void* address) { return module_of(address) == 0; }

// Addresses differ from run to run, and so does the order in which threads load libraries; places are compared by the
// names of the files that hold the code, and by the offsets in them.
static uint64_t hash_of(void* const* frames, int count) {
  uint64_t hash = kNoHash;
  for (int k = 0; k < count; ++k) {
    const int m = module_of(frames[k]);
    hash = m < 0 ? mixed(hash, 1) : mixed(mixed(hash, modules[m].name), (uintptr_t)frames[k] - modules[m].begin);
  }
  return hash | 1U;
}

static void note(const char* text) {
  if (syscall(SYS_write, log_file, text, strlen(text)) < 0) abort();
}

int fails(const char* kind, const void* caller) {
  if (!ready || !in_main || inside || has_failed || strcmp(kind, chosen_kind) != 0) return 0;
  const int is_cuda = strcmp(kind, "cuda") == 0, of_any = is_cuda || !of_program;
  const int module = of_any ? 0 : module_of(caller);
  if (module < 0 || (module > 0 && !modules[module].is_cpp_library)) return 0;
  inside = 1;
  // The frames of this function and of the function that stands in for the system's come first.
  void* frames[kFrames + kFramesOfLibrary + 3];
  const int count = backtrace(frames, kFrames + kFramesOfLibrary + 3);
  int first = 0;
  while (first < count && frames[first] != caller) ++first;
  if (first == count) first = 0;
  int owner = first;
  while (!of_any && owner < count && module_of(frames[owner]) > 0 && modules[module_of(frames[owner])].is_cpp_library) ++owner;
  int result = 0;
  if (of_any || (owner < count && module_of(frames[owner]) == 0)) {
    pthread_mutex_lock(&mutex);
    // The module of CUDA and the driver are loaded while the program runs.
    if (is_cuda && module_of(caller) < 0) find_modules();
    const uint64_t hash = hash_of(frames + first, count - first < kFrames ? count - first : kFrames);
    if (fail_at == 0) {
      size_t slot = hash % kPlaces;
      while (seen[slot] != 0 && seen[slot] != hash) slot = (slot + 1) % kPlaces;
      if (seen[slot] == 0) {
        seen[slot] = hash;
        char text[32];
        snprintf(text, sizeof text, "%llu\n", (unsigned long long)hash);
        note(text);
      }
    } else if (hash == fail_at && !has_failed) {
      has_failed = 1;
      note("failed\n");
      result = 1;
    }
    pthread_mutex_unlock(&mutex);
  }
  inside = 0;
  return result;
}

#define NEXT(name) ((__typeof__(&name))next_symbol(#name))
#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))

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
void* malloc(size_t bytes) { return fails("memory", CALLER) ? refused() : __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) { return fails("memory", CALLER) ? refused() : __libc_calloc(count, bytes); }
void* realloc(void* old, size_t bytes) { return fails("memory", CALLER) ? refused() : __libc_realloc(old, bytes); }
void* memalign(size_t alignment, size_t bytes) { return fails("memory", CALLER) ? refused() : __libc_memalign(alignment, bytes); }
void* aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }

#define FAIL(kind, code)                    \
  if (fails(kind, CALLER)) {                        \
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
int mkostemp(char* path, int flags) {
  FAIL("open", EMFILE)
  return NEXT(mkostemp)(path, flags);
}
int mkostemp64(char* path, int flags) __attribute__((alias("mkostemp")));
int flock(int file, int operation) {
  FAIL("open", ENOLCK)
  return (int)syscall(SYS_flock, file, operation);
}
FILE* fopen(const char* path, const char* mode) {
  if (fails("open", CALLER)) {
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
ssize_t pread64(int file, void* buffer, size_t bytes, off64_t at) {
  FAIL("read", EIO)
  return syscall(SYS_pread64, file, buffer, bytes, at);
}
ssize_t readv(int file, const struct iovec* parts, int count) {
  FAIL("read", EIO)
  return syscall(SYS_readv, file, parts, count);
}
ssize_t write(int file, const void* buffer, size_t bytes) {
  FAIL("write", ENOSPC)
  return syscall(SYS_write, file, buffer, bytes);
}
ssize_t pwrite64(int file, const void* buffer, size_t bytes, off64_t at) {
  FAIL("write", ENOSPC)
  return syscall(SYS_pwrite64, file, buffer, bytes, at);
}
int ftruncate64(int file, off64_t bytes) {
  FAIL("write", EIO)
  return (int)syscall(SYS_ftruncate, file, bytes);
}
int ftruncate(int file, off_t bytes) { return ftruncate64(file, bytes); }
ssize_t writev(int file, const struct iovec* parts, int count) {
  FAIL("write", ENOSPC)
  return syscall(SYS_writev, file, parts, count);
}
size_t fwrite(const void* data, size_t size, size_t count, FILE* file) {
  if (fails("write", CALLER)) {
    errno = ENOSPC;
    return 0;
  }
  return NEXT(fwrite)(data, size, count, file);
}
int rename(const char* from, const char* to) {
  FAIL("rename", EACCES)
  return NEXT(rename)(from, to);
}
int link(const char* from, const char* to) {
  FAIL("rename", EACCES)
  return NEXT(link)(from, to);
}
int fdatasync(int file) {
  FAIL("sync", EIO)
  return (int)syscall(SYS_fdatasync, file);
}
int fsync(int file) {
  FAIL("sync", EIO)
  return (int)syscall(SYS_fsync, file);
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*), void* argument) {
  if (fails("thread", CALLER)) return EAGAIN;
  return NEXT(pthread_create)(thread, attributes, work, argument);
}
