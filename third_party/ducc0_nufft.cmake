# SPDX-License-Identifier: Apache-2.0
# DUCC0's NUFFT, which is GPL-2.0-or-later only: a peer in one benchmark, when SPYCTRUM_BENCH_DUCC0_NUFFT asks
# for it, and nothing that is passed on. third_party::ducc0_nufft carries the include path;
# SPYCTRUM_DUCC0_NUFFT_SOURCES are compiled by tests/bench into a library of their own, apart from the copy of the
# FFT that core/kernels seals.
spyctrum_archive(ducc0_nufft_dir ducc0 PATTERNS PKG-INFO src/ducc0/fft src/ducc0/infra src/ducc0/math src/ducc0/nufft)
add_library(third_party_ducc0_nufft INTERFACE)
target_include_directories(third_party_ducc0_nufft SYSTEM INTERFACE "${ducc0_nufft_dir}/src")
target_link_libraries(third_party_ducc0_nufft INTERFACE Threads::Threads)
add_library(third_party::ducc0_nufft ALIAS third_party_ducc0_nufft)
set(SPYCTRUM_DUCC0_NUFFT_SOURCES
    fft/fft_inst1.cc fft/fft_inst2.cc infra/mav.cc infra/string_utils.cc infra/threading.cc math/gl_integrator.cc
    math/gridding_kernel.cc nufft/spreadinterp_inst1.cc nufft/spreadinterp_inst2.cc)
list(TRANSFORM SPYCTRUM_DUCC0_NUFFT_SOURCES PREPEND "${ducc0_nufft_dir}/src/ducc0/")
set(SPYCTRUM_DUCC0_NUFFT_SOURCES ${SPYCTRUM_DUCC0_NUFFT_SOURCES} CACHE INTERNAL "")
