# SPDX-License-Identifier: Apache-2.0
# PROGRAM needs no shared library that matches FORBIDDEN, directly or through another one.
# CONTROL, a program that needs one, shows that the list is really read.
function(linked out program)
  execute_process(COMMAND ldd "${program}" OUTPUT_VARIABLE text RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "ldd ${program} failed")
  endif()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

linked(libraries "${PROGRAM}")
if(libraries MATCHES "${FORBIDDEN}")
  message(FATAL_ERROR "${PROGRAM} links ${CMAKE_MATCH_0}:\n${libraries}")
endif()
linked(libraries "${CONTROL}")
if(NOT libraries MATCHES "${FORBIDDEN}")
  message(FATAL_ERROR "${CONTROL} links nothing that matches ${FORBIDDEN}: the check would say nothing")
endif()
