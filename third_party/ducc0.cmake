# SPDX-License-Identifier: Apache-2.0
# DUCC0: FFTs of any length and non-uniform FFTs (BSD-3 for the parts used here; see README.md).
# third_party::ducc0 carries the include path alone. SPYCTRUM_DUCC0_SOURCES are compiled by
# core/kernels, once per instruction set.
spyctrum_archive(ducc0_dir ducc0 PATTERNS LICENSE src/ducc0/fft src/ducc0/infra src/ducc0/math src/ducc0/nufft)
add_library(third_party_ducc0 INTERFACE)
target_include_directories(third_party_ducc0 SYSTEM INTERFACE "${ducc0_dir}/src")
target_link_libraries(third_party_ducc0 INTERFACE Threads::Threads)
add_library(third_party::ducc0 ALIAS third_party_ducc0)
set(SPYCTRUM_DUCC0_SOURCES
    fft/fft_inst1.cc
    fft/fft_inst2.cc
    infra/mav.cc
    infra/string_utils.cc
    infra/threading.cc
    math/gl_integrator.cc
    math/gridding_kernel.cc
    nufft/spreadinterp_inst1.cc
    nufft/spreadinterp_inst2.cc)
list(TRANSFORM SPYCTRUM_DUCC0_SOURCES PREPEND "${ducc0_dir}/src/ducc0/")
set(SPYCTRUM_DUCC0_SOURCES ${SPYCTRUM_DUCC0_SOURCES} CACHE INTERNAL "")
