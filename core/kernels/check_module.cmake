# SPDX-License-Identifier: Apache-2.0
# Fails unless ENTRY is the only global or weak symbol that OBJECT defines and OBJECT has no static
# initialisers (code for one instruction set that would run on every processor). Sanitizers add
# initialisers of their own, so that half is not checked in their builds.
execute_process(COMMAND "${NM}" --defined-only --extern-only "${OBJECT}" OUTPUT_VARIABLE symbols RESULT_VARIABLE failed)
string(REGEX REPLACE "[^\n]* ([^ \n]+)\n" "\\1;" symbols "${symbols}")
if(failed OR NOT symbols STREQUAL "${ENTRY};")
  file(REMOVE "${OBJECT}")
  message(FATAL_ERROR "${OBJECT} should define ${ENTRY} alone, but has: ${symbols}")
endif()
if(NOT SANITIZE)
  execute_process(COMMAND "${READELF}" --sections --wide "${OBJECT}" OUTPUT_VARIABLE sections RESULT_VARIABLE failed)
  if(failed OR sections MATCHES "\\.(init_array|ctors)")
    file(REMOVE "${OBJECT}")
    message(FATAL_ERROR "${OBJECT} has static initialisers")
  endif()
endif()
