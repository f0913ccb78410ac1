# SPDX-License-Identifier: Apache-2.0
# Build step of EmbedFiles.cmake: writes OUTPUT with the bytes of every file named in LIST.
file(READ "${LIST}" files)
set(arrays "")
set(table "")
set(index 0)
foreach(file IN LISTS files)
  get_filename_component(file_name "${file}" NAME)
  file(READ "${file}" hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND arrays "constexpr unsigned char kFile${index}[] = {\n${bytes}0};\n")
  string(APPEND table "  if (file_name == \"${file_name}\")\n"
                      "    return {reinterpret_cast<const char*>(kFile${index}), ${size}};\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE "${OUTPUT}"
     "// Generated.\n#include \"${HEADER}\"\n\nnamespace {\n${arrays}}  // namespace\n\n"
     "std::string_view spyctrum::${FUNCTION}([[maybe_unused]] std::string_view file_name) {\n${table}  return {};\n}\n")
