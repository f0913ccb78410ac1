# SPDX-License-Identifier: Apache-2.0
# fast_matrix_market (BSD-2) and the fast_float that it bundles. Both definitions must be given:
# without them it falls back, silently, to a parser three times slower.
spyctrum_archive(fmm_dir fast-matrix-market PATTERNS LICENSE.txt fast_matrix_market/include fast_matrix_market/dependencies/fast_float)
add_library(third_party_fast_matrix_market INTERFACE)
target_include_directories(third_party_fast_matrix_market SYSTEM INTERFACE "${fmm_dir}/fast_matrix_market/include"
                                                                           "${fmm_dir}/fast_matrix_market/dependencies/fast_float/include")
target_compile_definitions(third_party_fast_matrix_market INTERFACE FMM_USE_FAST_FLOAT FMM_FROM_CHARS_INT_SUPPORTED)
target_link_libraries(third_party_fast_matrix_market INTERFACE Threads::Threads)
add_library(third_party::fast_matrix_market ALIAS third_party_fast_matrix_market)
