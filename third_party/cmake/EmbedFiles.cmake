# SPDX-License-Identifier: Apache-2.0
# Files that a program carries inside itself, so that it runs from any folder. They stay files in
# the source tree; the assembler copies their bytes into an object file.

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
  set(symbols "")
  set(table "")
  foreach(file IN LISTS arg_FILES)
    cmake_path(GET file FILENAME file_name)
    string(MAKE_C_IDENTIFIER "${name}_${file_name}" symbol)
    string(APPEND symbols
           "asm(\".pushsection .rodata\\n${symbol}:\\n.incbin \\\"${file}\\\"\\n${symbol}_end:\\n.popsection\");\n"
           "extern \"C\" __attribute__((visibility(\"hidden\"))) const char ${symbol}[], ${symbol}_end[];\n")
    string(APPEND table "  if (file_name == \"${file_name}\") return {${symbol}, ${symbol}_end};\n")
  endforeach()
  file(CONFIGURE OUTPUT "${source}" CONTENT
       "// Generated.\n#include \"${arg_HEADER}\"\n\n${symbols}\nstd::string_view spyctrum::${arg_FUNCTION}(std::string_view file_name) {\n${table}  return {};\n}\n" @ONLY)
  set_source_files_properties("${source}" PROPERTIES OBJECT_DEPENDS "${arg_FILES}")
  add_library(${name} STATIC "${source}")
  target_include_directories(${name} PUBLIC "${root}")
endfunction()
