# SPDX-License-Identifier: Apache-2.0
# An include that climbs ("../render/x.hpp") would reach past the include roots: there is none.
file(GLOB_RECURSE sources "${SOURCE_DIR}/core/*pp" "${SOURCE_DIR}/render/*pp" "${SOURCE_DIR}/app/*pp"
     "${SOURCE_DIR}/core/*.cu*")
list(LENGTH sources count)
if(count LESS 10)
  message(FATAL_ERROR "only ${count} sources were found below ${SOURCE_DIR}")
endif()
set(climbing "")
foreach(source IN LISTS sources)
  file(STRINGS "${source}" lines REGEX "^[ \t]*#[ \t]*include[ \t]*[\"<]([^\">]*/)?\\.\\./")
  if(lines)
    string(APPEND climbing "${source}: ${lines}\n")
  endif()
endforeach()
if(climbing)
  message(FATAL_ERROR "includes that climb out of their floor:\n${climbing}")
endif()
