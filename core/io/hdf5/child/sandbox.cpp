// SPDX-License-Identifier: Apache-2.0
#include "core/io/hdf5/child/sandbox.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <vector>

#include "core/io/hdf5/messages.hpp"

namespace spyctrum::hdf5 {

namespace {

/// Seconds of processor time between SIGXCPU, at the highest limit, and SIGKILL.
constexpr std::uint64_t kGraceSeconds = 5;

void set_limit(int resource, rlim_t soft, rlim_t hard) {
  const rlimit both{soft, hard};
  setrlimit(static_cast<__rlimit_resource_t>(resource), &both);
}

#ifndef SPYCTRUM_SANITIZED

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;  // the numbers of system calls are unknown: no filter
#endif

/// System calls that the C and C++ libraries and HDF5 make once they are loaded.
constexpr std::uint32_t kAllowed[] = {
    SYS_pread64,      SYS_read,      SYS_write,         SYS_fstat,        SYS_newfstatat, SYS_mmap,
    SYS_munmap,       SYS_mremap,    SYS_mprotect,      SYS_madvise,      SYS_brk,        SYS_futex,
    SYS_rt_sigreturn, SYS_getrandom, SYS_clock_gettime, SYS_gettimeofday, SYS_exit,       SYS_exit_group,
};

void filter_system_calls() {
  if (kArchitecture == 0) return;
  constexpr std::uint16_t kLoad = BPF_LD | BPF_W | BPF_ABS;
  constexpr std::uint16_t kSkipUnlessEqual = BPF_JMP | BPF_JEQ | BPF_K;
  constexpr std::uint16_t kReturn = BPF_RET | BPF_K;
  constexpr sock_filter kRefuse{kReturn, 0, 0, SECCOMP_RET_ERRNO | EPERM};
  constexpr sock_filter kAllow{kReturn, 0, 0, SECCOMP_RET_ALLOW};
  std::vector<sock_filter> filter{
      {kLoad, 0, 0, offsetof(seccomp_data, arch)},
      {kSkipUnlessEqual, 1, 0, kArchitecture},
      kRefuse,
      {kLoad, 0, 0, offsetof(seccomp_data, nr)},
  };
  for (const std::uint32_t call : kAllowed) {
    filter.push_back({kSkipUnlessEqual, 0, 1, call});
    filter.push_back(kAllow);
  }
  filter.push_back(kRefuse);
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#endif

}  // namespace

void confine(std::uint64_t bytes, std::uint64_t seconds, std::uint64_t most_seconds) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  set_limit(RLIMIT_CORE, 0, 0);
  set_limit(RLIMIT_CPU, seconds, most_seconds + kGraceSeconds);
  set_limit(RLIMIT_FSIZE, 0, 0);
#ifdef SPYCTRUM_SANITIZED
  (void)bytes;
#else
  set_limit(RLIMIT_AS, bytes, bytes);
  set_limit(RLIMIT_NOFILE, kSocketDescriptor + 1, kSocketDescriptor + 1);
  filter_system_calls();
#endif
}

}  // namespace spyctrum::hdf5
