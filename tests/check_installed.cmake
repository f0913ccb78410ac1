# SPDX-License-Identifier: Apache-2.0
# The installed programs run from the folder of the installation: spyctrum-cli answers, and opens the installed copy of
# the CUDA module if there is one (whose message names the reason on a machine without a device). An HDF5 file is read by
# the installed program for that, and without the program, or in a build without HDF5, a message says so. With CHECK, a
# command line, that command must accept every installed program and library.
#   cmake -DBUILD=FOLDER -DPREFIX=FOLDER -DHAS_CUDA=0|1 -DHAS_HDF5=0|1 -DHDF5_FILE=FILE [-DCHECK=COMMAND]
#         -P check_installed.cmake
file(REMOVE_RECURSE "${PREFIX}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${PREFIX}" --component spyctrum
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
if(CHECK)
  execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${PREFIX}" --component library
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CHECK} "${PREFIX}" COMMAND_ERROR_IS_FATAL ANY)
endif()
if(EXISTS "${PREFIX}/bin/spyctrum" AND NOT EXISTS "${PREFIX}/share/spyctrum/lessons/01-entry-and-wave.lesson")
  message(FATAL_ERROR "the lessons were not installed")
endif()
set(program "${PREFIX}/bin/spyctrum-cli")
set(use features gen:band:n=40 --method bs-fft)
execute_process(COMMAND "${program}" ${use} --backend cpu OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
if(HAS_HDF5)
  execute_process(COMMAND "${program}" info "${HDF5_FILE}" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE "${PREFIX}/lib/spyctrum/spyctrum-hdf5")
endif()
execute_process(COMMAND "${program}" info "${HDF5_FILE}" RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE text)
if(NOT status EQUAL 3 OR NOT text MATCHES "this is an HDF5 file, which this installation cannot read")
  message(FATAL_ERROR "without the program for HDF5, status ${status}: ${text}")
endif()
if(NOT HAS_CUDA)
  return()
endif()
if(NOT EXISTS "${PREFIX}/lib/spyctrum/libspyctrum_cuda.so")
  message(FATAL_ERROR "the CUDA module was not installed")
endif()

# messages(VARIABLE): what the program says of CUDA.
function(messages variable)
  execute_process(COMMAND "${program}" ${use} --backend cuda OUTPUT_QUIET ERROR_VARIABLE text)
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()
messages(with)
if(with MATCHES "was not found|cannot be loaded")
  message(FATAL_ERROR "the installed CUDA module was not opened: ${with}")
endif()
# The control: without it the program must miss it, so that it did not find another.
file(REMOVE "${PREFIX}/lib/spyctrum/libspyctrum_cuda.so")
messages(without)
if(NOT without MATCHES "was not found")
  message(FATAL_ERROR "without the installed CUDA module: ${without}")
endif()
