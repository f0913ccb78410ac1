# SPDX-License-Identifier: Apache-2.0
# Before a .deb is packed: its CUDA module names no folder of the machine that built it. There cuFFT comes from a package
# as well, which the system's loader finds.
file(GLOB_RECURSE modules "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*/libspyctrum_cuda.so")
foreach(module IN LISTS modules)
  file(RPATH_REMOVE FILE "${module}")
endforeach()
