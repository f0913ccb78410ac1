# SPDX-License-Identifier: Apache-2.0
# The examples need nothing but an installation of the library (in SCRATCH): copied away from the sources, they find
# it, compile, run, and print the results of spyctrum-cli.
#   cmake -DCASE=cmake|pkg_config|headers|leaking_headers|symbols … -P check_library.cmake (tests/library/CMakeLists.txt)
cmake_minimum_required(VERSION 3.25)
set(prefix "${SCRATCH}/prefix")
file(REMOVE_RECURSE "${SCRATCH}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}" --component library
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
set(warnings -Wall -Wextra -Wpedantic -Wshadow -Werror)

include("${CMAKE_CURRENT_LIST_DIR}/../expect.cmake")

# run(VARIABLE COMMAND...): standard output of a command that must succeed.
function(run variable)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE text ERROR_VARIABLE errors RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${ARGN} (${failed}): ${text}${errors}")
  endif()
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

# check_features(PROGRAM): the example and spyctrum-cli print the same entropy of the same matrix.
function(check_features program)
  run(printed "${program}" gen:band:n=1000 bs-fft)
  run(expected "${CLI}" features gen:band:n=1000 --method bs-fft --quiet)
  string(REGEX MATCH "entropy +([0-9.]+)" found "${expected}")
  expect("${printed}" "entropy ${CMAKE_MATCH_1}\n" "the example features")
  expect("${printed}" "1000 x 1000, 2998 entries" "the example features")
  execute_process(COMMAND "${program}" gen:band:n=1000 nonsense ERROR_VARIABLE errors RESULT_VARIABLE code OUTPUT_QUIET)
  if(NOT code EQUAL 1)
    message(FATAL_ERROR "the example features ended with ${code} where there is no such method: ${errors}")
  endif()
  expect("${errors}" "There is no method 'nonsense'. Choose " "the example features")
endfunction()

# check_header(FILE): includes the standard library and its siblings, and compiles by itself.
function(check_header file)
  file(STRINGS "${file}" lines REGEX "^ *#[ ]*include")
  foreach(line IN LISTS lines)
    if(NOT line MATCHES "^#include (<[a-z_]+>|\"spyctrum/[a-z]+\\.hpp\")$")
      message(FATAL_ERROR "${file}: ${line}: neither the standard library nor a public header")
    endif()
  endforeach()
  file(READ "${file}" text)
  if(text MATCHES "tl::|nlohmann|cuda[A-Z]|__device__")
    message(FATAL_ERROR "${file} names ${CMAKE_MATCH_0}")
  endif()
  run(nothing "${COMPILER}" -std=c++20 ${warnings} -fsyntax-only -x c++ -include "${file}" "-I${prefix}/include" /dev/null)
endfunction()

if(CASE STREQUAL "cmake")
  file(COPY "${EXAMPLES}/" DESTINATION "${SCRATCH}/examples")
  string(JOIN " " flags ${warnings})
  run(nothing "${CMAKE_COMMAND}" -S "${SCRATCH}/examples" -B "${SCRATCH}/build" -G Ninja "-DCMAKE_PREFIX_PATH=${prefix}"
      "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=${flags}")
  run(nothing "${CMAKE_COMMAND}" --build "${SCRATCH}/build")
  check_features("${SCRATCH}/build/features")
  # A ring of n = 1000: F[u,v] = n e^{−2πiv/n} where u + v = 0 modulo n, else 0.
  run(csv "${SCRATCH}/build/window" 0 -1 2 2)
  expect("${csv}" "u,v,real,imaginary\n0,-1,0.000,0.000\n0,0,1000.000,0.000\n1,-1,999.980,6.283\n1,0,0.000,0.000\n"
         "the example window")
  run(said "${SCRATCH}/build/picture" gen:band:n=300 "${SCRATCH}/band.ppm")
  expect("${said}" "band.ppm: log10 of |F|^2 from " "the example picture")
  file(SIZE "${SCRATCH}/band.ppm" bytes)
  math(EXPR expected_bytes "15 + 3 * 256 * 256") # "P6 256 256 255\n" and the pixels
  if(NOT bytes EQUAL expected_bytes)
    message(FATAL_ERROR "the picture has ${bytes} bytes instead of ${expected_bytes}")
  endif()
elseif(CASE STREQUAL "pkg_config")
  find_program(PKG_CONFIG pkg-config)
  if(NOT PKG_CONFIG)
    message(FATAL_ERROR "pkg-config is missing (package pkg-config)")
  endif()
  set(ENV{PKG_CONFIG_PATH} "${prefix}/lib/pkgconfig")
  run(flags "${PKG_CONFIG}" --cflags --libs spyctrum)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run(nothing "${COMPILER}" -std=c++20 ${warnings} "${EXAMPLES}/features.cpp" -o "${SCRATCH}/features" ${flags})
  set(ENV{LD_LIBRARY_PATH} "${prefix}/lib")
  check_features("${SCRATCH}/features")
elseif(CASE MATCHES "headers$")
  if(CASE STREQUAL "leaking_headers")
    file(APPEND "${prefix}/include/spyctrum/result.hpp" "#include <tl/expected.hpp>\n")
  endif()
  file(GLOB headers "${prefix}/include/spyctrum/*")
  list(LENGTH headers count)
  if(count LESS 7)
    message(FATAL_ERROR "only ${count} headers were installed: ${headers}")
  endif()
  foreach(header IN LISTS headers)
    check_header("${header}")
  endforeach()
elseif(CASE STREQUAL "cuda_module")
  # The opened module reports the absence of a device; without the module the library reports that it was not found.
  execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}" --component spyctrum
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE "${SCRATCH}/cuda.cpp" [[
#include <iostream>
#include <spyctrum/spyctrum.hpp>
int main() {
  const auto engine = spyctrum::Engine::create({.backend = "cuda"});
  std::cout << (engine ? engine->device() : engine.error().message()) << '\n';
}
]])
  run(nothing "${COMPILER}" -std=c++20 ${warnings} "${SCRATCH}/cuda.cpp" -o "${SCRATCH}/cuda" "-I${prefix}/include"
      "-L${prefix}/lib" -lspyctrum "-Wl,-rpath,${prefix}/lib")
  run(with "${SCRATCH}/cuda")
  if(with MATCHES "was not found|cannot be loaded|another version")
    message(FATAL_ERROR "the installed CUDA module was not opened: ${with}")
  endif()
  file(REMOVE "${prefix}/lib/spyctrum/libspyctrum_cuda.so")
  run(without "${SCRATCH}/cuda")
  expect("${without}" "was not found" "without the installed CUDA module")
elseif(CASE STREQUAL "hdf5")
  # The library finds the program for HDF5 that is installed beside it; without that program it reports that.
  execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}" --component spyctrum
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  set(file "${EXAMPLES}/../../../tests/data/hdf5/good/tenx.h5")
  run(nothing "${COMPILER}" -std=c++20 ${warnings} "${EXAMPLES}/features.cpp" -o "${SCRATCH}/features" "-I${prefix}/include"
      "-L${prefix}/lib" -lspyctrum "-Wl,-rpath,${prefix}/lib")
  run(with "${SCRATCH}/features" "${file}" bs-fft)
  expect("${with}" "2 x 3, 3 entries" "the installed library with its program for HDF5")
  file(REMOVE "${prefix}/lib/spyctrum/spyctrum-hdf5")
  execute_process(COMMAND "${SCRATCH}/features" "${file}" bs-fft ERROR_VARIABLE errors RESULT_VARIABLE failed OUTPUT_QUIET)
  if(NOT failed)
    message(FATAL_ERROR "the library reads HDF5 without its program")
  endif()
  expect("${errors}" "spyctrum-hdf5 was not found" "without the installed program for HDF5")
elseif(CASE STREQUAL "symbols")
  run(table "${NM}" --dynamic --defined-only --demangle "${prefix}/lib/libspyctrum.so")
  expect("${table}" " T spyctrum::v0::Engine::run(" "the symbols of libspyctrum.so")
  string(REGEX REPLACE "\n$" "" table "${table}")
  string(REPLACE ";" "," table "${table}")
  string(REPLACE "\n" ";" table "${table}")
  foreach(line IN LISTS table)
    if(NOT line MATCHES "^[0-9a-f]+ T spyctrum::v0::")
      message(FATAL_ERROR "libspyctrum.so exports: ${line}")
    endif()
  endforeach()
else()
  message(FATAL_ERROR "there is no case '${CASE}'")
endif()
