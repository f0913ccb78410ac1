# SPDX-License-Identifier: Apache-2.0
# DUCC0's FFTs of any length. Only the files offered under BSD-3-Clause are unpacked: fft/, what it
# includes of infra/, and two headers of math/. The rest of the archive, its NUFFT included, is GPL
# and must not reach a program that may link cuFFT.
# third_party::ducc0 carries the include path alone. SPYCTRUM_DUCC0_SOURCES are compiled by
# core/kernels, once per instruction set.
spyctrum_archive(
  ducc0_dir
  ducc0
  PATTERNS
  PKG-INFO
  src/ducc0/fft
  src/ducc0/infra/aligned_array.h
  src/ducc0/infra/error_handling.h
  src/ducc0/infra/mav.cc
  src/ducc0/infra/mav.h
  src/ducc0/infra/misc_utils.h
  src/ducc0/infra/simd.h
  src/ducc0/infra/string_utils.cc
  src/ducc0/infra/string_utils.h
  src/ducc0/infra/threading.cc
  src/ducc0/infra/threading.h
  src/ducc0/infra/useful_macros.h
  src/ducc0/math/cmplx.h
  src/ducc0/math/unity_roots.h)
add_library(third_party_ducc0 INTERFACE)
target_include_directories(third_party_ducc0 SYSTEM INTERFACE "${ducc0_dir}/src")
target_link_libraries(third_party_ducc0 INTERFACE Threads::Threads)
add_library(third_party::ducc0 ALIAS third_party_ducc0)
set(SPYCTRUM_DUCC0_SOURCES fft/fft_inst1.cc fft/fft_inst2.cc infra/mav.cc infra/string_utils.cc infra/threading.cc)
list(TRANSFORM SPYCTRUM_DUCC0_SOURCES PREPEND "${ducc0_dir}/src/ducc0/")
set(SPYCTRUM_DUCC0_SOURCES ${SPYCTRUM_DUCC0_SOURCES} CACHE INTERNAL "")
