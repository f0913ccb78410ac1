# SPDX-License-Identifier: Apache-2.0
# What the checks of the installed library and of the packages share.

# expect(TEXT EXPECTED WHAT): TEXT contains EXPECTED.
function(expect text expected what)
  string(FIND "${text}" "${expected}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "${what}: '${expected}' is not in:\n${text}")
  endif()
endfunction()
