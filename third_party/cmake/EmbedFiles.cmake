# SPDX-License-Identifier: Apache-2.0
# Files that a program carries inside itself, so that it runs from any folder. They stay files in
# the source tree; at build time each becomes a byte array in a generated source.

# spyctrum_embed_files(NAME HEADER <include name> FUNCTION <function> FILES ...)
# Static library NAME. Its generated HEADER declares, in namespace spyctrum,
#   std::string_view FUNCTION(std::string_view file_name);
# which returns the bytes of that file (name without folder), or an empty view for an unknown name.
function(spyctrum_embed_files name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADER;FUNCTION" "FILES")
  set(root "${PROJECT_BINARY_DIR}/generated/${name}")
  set(source "${root}/${name}.cpp")
  set(header_text
      "// Generated. Bytes of embedded files by name; empty when there is no such file.\n#pragma once\n#include <string_view>\nnamespace spyctrum {\n[[nodiscard]] std::string_view ${arg_FUNCTION}(std::string_view file_name);\n}\n")
  file(CONFIGURE OUTPUT "${root}/${arg_HEADER}" CONTENT "${header_text}" @ONLY)
  file(CONFIGURE OUTPUT "${root}/files.txt" CONTENT "${arg_FILES}" @ONLY)
  set(script "${PROJECT_SOURCE_DIR}/third_party/cmake/write_embedded.cmake")
  add_custom_command(
    OUTPUT "${source}"
    COMMAND "${CMAKE_COMMAND}" "-DLIST=${root}/files.txt" "-DOUTPUT=${source}" "-DHEADER=${arg_HEADER}"
            "-DFUNCTION=${arg_FUNCTION}" -P "${script}"
    DEPENDS ${arg_FILES} "${script}" "${root}/files.txt"
    COMMENT "Embedding the files of ${name}"
    VERBATIM)
  add_library(${name} STATIC "${source}")
  target_include_directories(${name} PUBLIC "${root}")
endfunction()
