# SPDX-License-Identifier: Apache-2.0
# How everything is compiled: language level, build types, where results go, sanitizers, ccache,
# and the interface target spyctrum_warnings that our own code (and only ours) links.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY OFF)

# No -march=native: instruction sets are chosen at run time in core/kernels. No -ffast-math: NaN and the order of sums
# are part of the results.
set(CMAKE_C_FLAGS_RELEASE "-O3 -g0 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -g0 -DNDEBUG")
set(CMAKE_C_FLAGS_DEBUG "-O0 -g")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g -D_GLIBCXX_ASSERTIONS")
# Sanitizers want line numbers, assertions and speed enough to run every test.
set(CMAKE_C_FLAGS_SANITIZE "-O1 -g1 -fno-omit-frame-pointer")
set(CMAKE_CXX_FLAGS_SANITIZE "-O1 -g1 -fno-omit-frame-pointer -D_GLIBCXX_ASSERTIONS")

# Hardening of what users run (tests/packages/check_hardening.py reads the binaries). Checks of the standard
# containers are left out of core/kernels, core/fft and core/features, where every index is computed by the loop
# itself: in the rooms of features they took 4 % of a sample's instructions.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
include(CheckPIESupported)
check_pie_supported()
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(hardening -fstack-protector-strong -fstack-clash-protection -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
                -D_GLIBCXX_ASSERTIONS)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    list(APPEND hardening -fcf-protection=full)
  endif()
  add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:${hardening}>")
  # nvcc hands these to the compiler of the code that runs on the host.
  list(JOIN hardening "," hardening_of_cuda)
  add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${hardening_of_cuda}>")
  add_link_options(LINKER:-z,relro,-z,now LINKER:-z,noexecstack)
endif()

if(SPYCTRUM_SANITIZE)
  add_compile_options(-fsanitize=${SPYCTRUM_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${SPYCTRUM_SANITIZE})
endif()

find_program(CCACHE_PROGRAM ccache)
mark_as_advanced(CCACHE_PROGRAM)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # What ccache needs before it keeps what was compiled with precompiled headers. Depend mode compares files as they
  # are written: by their preprocessed text, ccache takes a precompiled header that differs in a comment, and GCC then
  # does not recognise the changed file as the one that `#pragma once` has seen. The namespace keeps out what was stored
  # without it.
  set(launcher "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=1
               CCACHE_NAMESPACE=spyctrum-depend "${CCACHE_PROGRAM}")
  set(CMAKE_C_COMPILER_LAUNCHER "${launcher}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${launcher}")
endif()

find_package(Threads REQUIRED)

add_library(spyctrum_warnings INTERFACE)
target_compile_options(
  spyctrum_warnings
  INTERFACE -Wall
            -Wextra
            -Wpedantic
            -Wshadow
            -Wnon-virtual-dtor
            -Woverloaded-virtual
            -Wimplicit-fallthrough
            -Wundef)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(
    spyctrum_warnings
    INTERFACE -Wduplicated-cond -Wlogical-op
              # False on std::string concatenation at -O2 and above (GCC bug 105651).
              -Wno-restrict)
endif()
if(SPYCTRUM_WERROR)
  # What a newer library deprecates is shown, but an update of the system must not break a build.
  target_compile_options(spyctrum_warnings INTERFACE -Werror -Wno-error=deprecated-declarations)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # These come from the optimiser, differ with compiler and level, and are often false across
    # inlined standard containers: they are shown, but a newer compiler must not break a build.
    foreach(warning IN ITEMS array-bounds stringop-overflow stringop-overread maybe-uninitialized free-nonheap-object
                             format-truncation format-overflow)
      target_compile_options(spyctrum_warnings INTERFACE -Wno-error=${warning})
    endforeach()
    if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
      target_compile_options(spyctrum_warnings INTERFACE -Wno-error=dangling-reference)
    endif()
  endif()
endif()
