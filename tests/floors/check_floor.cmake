# SPDX-License-Identifier: Apache-2.0
# Compiles one-line sources with the flags of a floor. Each header of MAY must be found and compile;
# each of MUST_NOT must exist in the tree or the system and not be found with these flags. folder/*.hpp is the first
# header of that folder. LEAK adds a flag (for the negative control).
function(resolve out pattern)
  if(pattern MATCHES "\\*")
    file(GLOB found RELATIVE "${SOURCE_DIR}" "${SOURCE_DIR}/${pattern}")
    if(NOT found)
      message(FATAL_ERROR "no header matches ${pattern}: the check would say nothing")
    endif()
    list(GET found 0 pattern)
  elseif(pattern MATCHES "^(core|render|app)/" AND NOT EXISTS "${SOURCE_DIR}/${pattern}")
    message(FATAL_ERROR "${pattern} does not exist: the check would say nothing")
  endif()
  set(${out} "${pattern}" PARENT_SCOPE)
endfunction()

file(STRINGS "${FLAGS}" flags)
function(compile header status output)
  file(WRITE "${SCRATCH}" "#include \"${header}\"\nint main() {}\n")
  execute_process(
    COMMAND "${COMPILER}" -std=c++20 -fsyntax-only ${flags} ${LEAK} "${SCRATCH}"
    RESULT_VARIABLE failed
    ERROR_VARIABLE errors)
  set(${status} "${failed}" PARENT_SCOPE)
  set(${output} "${errors}" PARENT_SCOPE)
endfunction()

foreach(pattern IN LISTS MAY)
  resolve(header "${pattern}")
  compile("${header}" failed errors)
  if(failed)
    message(FATAL_ERROR "${header} must be usable on this floor:\n${errors}")
  endif()
endforeach()
foreach(pattern IN LISTS MUST_NOT)
  resolve(header "${pattern}")
  compile("${header}" failed errors)
  if(NOT failed)
    message(FATAL_ERROR "${header} compiles on a floor that must not see it")
  elseif(NOT errors MATCHES "${header}: No such file|'${header}' file not found")
    message(FATAL_ERROR "${header} was found on a floor that must not see it, and failed for another reason:\n${errors}")
  endif()
endforeach()
