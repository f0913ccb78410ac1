# SPDX-License-Identifier: Apache-2.0
# Parsing the headers of the standard library is a third of what the compiler does in a first build. With this option,
# which app/run.sh and tests/run.sh set, they are parsed once for all rooms, with JSON once for the command line, with the
# window's state once for the window, and with GoogleTest and the methods once for all tests. Off elsewhere: a file must compile by
# its own includes, and clang-tidy cannot read what GCC wrote.
option(SPYCTRUM_PRECOMPILED_HEADERS "Parse the headers of the standard library once" OFF)

# GCC looks for memory to use again when it has 128 MB; from 512 MB on, compiling takes 8 % less time. Here, since
# clang-tidy refuses the option in other builds' commands.
if(SPYCTRUM_PRECOMPILED_HEADERS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=524288>)
  # What -O2 switches on since GCC 13: rooms compiled with -O1 could not use headers that were compiled with -O3.
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag("-munroll-only-small-loops -mvzeroupper" SPYCTRUM_OPTIONS_OF_O2)
  if(SPYCTRUM_OPTIONS_OF_O2)
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-munroll-only-small-loops;-mvzeroupper>")
  endif()
endif()

set(standard_headers algorithm array atomic bit charconv chrono cmath complex cstdint cstring filesystem functional limits map
                     memory mutex numbers numeric optional span string string_view thread utility vector)
list(TRANSFORM standard_headers REPLACE "(.+)" "<\\1>")

# spyctrum_precompiled(NAME [HEADER…] [LINKS target…] [INCLUDES folder…] [FOR_PROGRAMS]): an object library whose
# headers, the standard ones and these, are for targets with the same compile options. FOR_PROGRAMS: for executables.
function(spyctrum_precompiled name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "FOR_PROGRAMS" "" "LINKS;INCLUDES")
  if(SPYCTRUM_PRECOMPILED_HEADERS)
    set(source "${PROJECT_BINARY_DIR}/generated/${name}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "// What this includes is precompiled.\n")
    add_library(${name} OBJECT "${source}")
    target_precompile_headers(${name} PRIVATE ${standard_headers} ${arg_UNPARSED_ARGUMENTS})
    target_include_directories(${name} PRIVATE ${arg_INCLUDES})
    # Warnings, too: -Wpedantic changes what the compiler defines.
    target_link_libraries(${name} PRIVATE ${arg_LINKS} spyctrum_warnings)
    if(arg_FOR_PROGRAMS)
      # Position-independent as programs are, not as libraries are: the compiler tells them apart.
      set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${name} PRIVATE -fPIE)
    endif()
  endif()
endfunction()

# spyctrum_use_precompiled(TARGET NAME): nothing where NAME does not exist, or where this folder changes the checks of
# the standard containers, on which the headers depend.
function(spyctrum_use_precompiled target name)
  get_directory_property(options COMPILE_OPTIONS)
  if(TARGET ${name} AND NOT options MATCHES "-U_GLIBCXX_ASSERTIONS")
    target_precompile_headers(${target} REUSE_FROM ${name})
    # The first for ccache. A compiler that cannot use the headers after all takes longer, and says so. False warnings
    # about inlined containers, which GCC does not show of a system's header, it shows of a precompiled one.
    target_compile_options(${target} PRIVATE -fpch-preprocess -Wno-error=invalid-pch -Wno-array-bounds -Wno-stringop-overflow
                                             -Wno-stringop-overread)
  endif()
endfunction()
