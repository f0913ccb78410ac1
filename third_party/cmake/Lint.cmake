# SPDX-License-Identifier: Apache-2.0
# Targets run by hand before a commit, where the tools are installed: format-check (clang-format
# changes nothing) and tidy (clang-tidy, warnings are errors).
file(GLOB_RECURSE lint_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/core/*.[ch]pp" "${PROJECT_SOURCE_DIR}/render/*.[ch]pp"
     "${PROJECT_SOURCE_DIR}/app/*.[ch]pp" "${PROJECT_SOURCE_DIR}/tests/*.[ch]pp" "${PROJECT_SOURCE_DIR}/third_party/imgui/*.[ch]pp")
find_program(CLANG_FORMAT_PROGRAM clang-format)
find_program(RUN_CLANG_TIDY_PROGRAM run-clang-tidy)
mark_as_advanced(CLANG_FORMAT_PROGRAM RUN_CLANG_TIDY_PROGRAM)
if(CLANG_FORMAT_PROGRAM)
  add_custom_target(
    format-check
    COMMAND "${CLANG_FORMAT_PROGRAM}" --dry-run --Werror ${lint_sources}
    COMMENT "Checking the format of our sources"
    VERBATIM)
endif()
if(RUN_CLANG_TIDY_PROGRAM AND NOT SPYCTRUM_PRECOMPILED_HEADERS)
  add_custom_target(
    tidy
    COMMAND "${RUN_CLANG_TIDY_PROGRAM}" -quiet -p "${PROJECT_BINARY_DIR}"
            "^${PROJECT_SOURCE_DIR}/(core|render|app|tests|third_party/imgui)/.*\\.cpp$"
    COMMENT "Running clang-tidy over our sources"
    VERBATIM USES_TERMINAL)
endif()
