// SPDX-License-Identifier: Apache-2.0
// Functions of OpenGL and of the CUDA driver, whatever their arguments. Programs get them by name (eglGetProcAddress,
// cuGetProcAddress, dlsym); what is returned here is an entry that calls fails() first. A call that fails does nothing:
//   OpenGL   returns 0, and the next glGetError() returns GL_OUT_OF_MEMORY (OpenGL 4.5, 2.3.1: such a command is ignored)
//   EGL      returns EGL_FALSE or no object
//   CUDA     returns CUDA_ERROR_OUT_OF_MEMORY
// An entry keeps the registers and the stack as they are (System V ABI, x86-64), and jumps to the function.
#define _GNU_SOURCE
#include "fail_call.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#define ENTRIES 4096
enum { kGlOutOfMemory = 0x0505, kCudaOutOfMemory = 2 };

static struct {
  void* function;
  const char* kind;
} entries[ENTRIES];
static int entry_count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static __thread unsigned gl_error;

#if defined(__x86_64__)
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
// 16 bytes each: endbr64 (4), push imm32 (5), jmp rel32 (5), two bytes of nothing.
__asm__(
    ".text\n.balign 16\nfault_entries:\n.set fault_number, 0\n.rept " TEXT(ENTRIES) "\n"
    "  endbr64\n  .byte 0x68\n  .long fault_number\n  .byte 0xe9\n  .long fault_common - . - 4\n  .byte 0x66, 0x90\n"
    "  .set fault_number, fault_number + 1\n.endr\n"
    "fault_common:\n"
    "  .cfi_startproc\n  .cfi_def_cfa_offset 16\n"
    "  pushq %rbp\n  .cfi_def_cfa_offset 24\n  .cfi_offset %rbp, -24\n  movq %rsp, %rbp\n  .cfi_def_cfa_register %rbp\n"
    "  pushq %rax\n  pushq %rdi\n  pushq %rsi\n  pushq %rdx\n  pushq %rcx\n  pushq %r8\n  pushq %r9\n  pushq %r10\n"
    "  andq $-16, %rsp\n  subq $128, %rsp\n"
    "  movups %xmm0, (%rsp)\n  movups %xmm1, 16(%rsp)\n  movups %xmm2, 32(%rsp)\n  movups %xmm3, 48(%rsp)\n"
    "  movups %xmm4, 64(%rsp)\n  movups %xmm5, 80(%rsp)\n  movups %xmm6, 96(%rsp)\n  movups %xmm7, 112(%rsp)\n"
    "  movq 8(%rbp), %rdi\n  movq 16(%rbp), %rsi\n  leaq -8(%rbp), %rdx\n  call fault_function\n  movq %rax, %r11\n"
    "  movups (%rsp), %xmm0\n  movups 16(%rsp), %xmm1\n  movups 32(%rsp), %xmm2\n  movups 48(%rsp), %xmm3\n"
    "  movups 64(%rsp), %xmm4\n  movups 80(%rsp), %xmm5\n  movups 96(%rsp), %xmm6\n  movups 112(%rsp), %xmm7\n"
    "  leaq -64(%rbp), %rsp\n"
    "  popq %r10\n  popq %r9\n  popq %r8\n  popq %rcx\n  popq %rdx\n  popq %rsi\n  popq %rdi\n  popq %rax\n  popq %rbp\n"
    "  .cfi_def_cfa %rsp, 16\n  leaq 8(%rsp), %rsp\n  .cfi_def_cfa_offset 8\n"
    "  testq %r11, %r11\n  jz 1f\n  jmp *%r11\n"
    "1: ret\n  .cfi_endproc\n");
extern const char fault_entries[];

// The function that entry `index` stands for; null where the call fails, with `result` set to what it returns.
__attribute__((used, visibility("hidden"))) void* fault_function(long index, const void* caller, uint64_t* result) {
  if (!fails(entries[index].kind, caller)) return entries[index].function;
  const int is_cuda = strcmp(entries[index].kind, "cuda") == 0;
  *result = is_cuda ? kCudaOutOfMemory : 0;
  if (!is_cuda) gl_error = kGlOutOfMemory;
  return NULL;
}

static void* entry_for(void* function, const char* kind) {
  if (function == NULL) return NULL;
  pthread_mutex_lock(&mutex);
  int index = 0;
  while (index < entry_count && (entries[index].function != function || strcmp(entries[index].kind, kind) != 0)) ++index;
  if (index == entry_count && entry_count < ENTRIES) {
    entries[index].function = function;
    entries[index].kind = kind;
    ++entry_count;
  }
  pthread_mutex_unlock(&mutex);
  return index < ENTRIES ? (void*)(fault_entries + (size_t)16 * (size_t)index) : function;
}
#else
static void* entry_for(void* function, const char* kind) {
  (void)kind;
  return function;
}
#endif

typedef void* Find(void*, const char*);
typedef void* FindProc(const char*);

static Find* real_dlsym(void) {
  static Find* found;
  if (found == NULL) found = (Find*)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
  if (found == NULL) found = (Find*)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
  return found;
}
void* next_symbol(const char* name) { return real_dlsym()(RTLD_NEXT, name); }

static unsigned (*real_gl_error)(void);
static unsigned gl_error_of_failed_calls(void) {
  const unsigned failed = gl_error;
  gl_error = 0;
  return failed != 0 ? failed : real_gl_error();
}

static void* gl_entry(const char* name, void* function) {
  if (function == NULL || strcmp(name, "glGetError") != 0) return entry_for(function, "gl");
  real_gl_error = (unsigned (*)(void))function;
  return (void*)gl_error_of_failed_calls;
}

void* eglGetProcAddress(const char* name) {
  void* const function = ((FindProc*)next_symbol("eglGetProcAddress"))(name);
  return strncmp(name, "gl", 2) == 0 ? gl_entry(name, function) : entry_for(function, "gl");
}

// These are linked by name. Each returns 0 where it fails; no argument is a floating-point number.
typedef uintptr_t Egl(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);
#define EGL(name)                                                                                  \
  uintptr_t name(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e) {                \
    if (fails("gl", __builtin_return_address(0))) return 0;                                        \
    return ((Egl*)next_symbol(#name))(a, b, c, d, e);                                              \
  }
EGL(eglInitialize)
EGL(eglBindAPI)
EGL(eglChooseConfig)
EGL(eglCreateContext)
EGL(eglMakeCurrent)
EGL(eglQueryString)

// The CUDA runtime gets each function from the driver, with the version that it needs; first for cuGetProcAddress itself,
// which has a fifth argument from version 12.0 on.
typedef int FindCuda(const char*, void**, int, uint64_t, void*);
static FindCuda* real_find_cuda[2];
static void* find_cuda_of(int which, void* function);
static int find_cuda(int which, const char* name, void** function, int version, uint64_t flags, void* status) {
  const int code = real_find_cuda[which](name, function, version, flags, status);
  if (code != 0 || function == NULL || *function == NULL) return code;
  *function = strncmp(name, "cuGetProcAddress", 16) == 0 ? find_cuda_of(version >= 12000, *function)
                                                         : entry_for(*function, "cuda");
  return code;
}
static int find_cuda_1(const char* name, void** function, int version, uint64_t flags) {
  return find_cuda(0, name, function, version, flags, NULL);
}
static int find_cuda_2(const char* name, void** function, int version, uint64_t flags, void* status) {
  return find_cuda(1, name, function, version, flags, status);
}
static void* find_cuda_of(int which, void* function) {
  real_find_cuda[which] = (FindCuda*)function;
  return which ? (void*)find_cuda_2 : (void*)find_cuda_1;
}

void* dlsym(void* library, const char* name) {
  // RTLD_NEXT and RTLD_DEFAULT depend on who calls: the call below must stay the last act of this function, which makes
  // it a jump.
  if (library == RTLD_NEXT || library == RTLD_DEFAULT) return real_dlsym()(library, name);
  void* const function = real_dlsym()(library, name);
  if (function == NULL) return NULL;
  if (strncmp(name, "cuGetProcAddress", 16) == 0)
    return find_cuda_of(strcmp(name, "cuGetProcAddress_v2") == 0, function);
  if (!is_of_program(__builtin_return_address(0))) return function;
  if (strcmp(name, "eglGetProcAddress") == 0) return (void*)eglGetProcAddress;
  return strncmp(name, "gl", 2) == 0 && name[2] >= 'A' && name[2] <= 'Z' ? gl_entry(name, function) : function;
}
