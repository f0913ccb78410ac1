# SPDX-License-Identifier: Apache-2.0
# Build step of the manual: NAME(1) and, where --help lists subcommands, NAME-COMMAND(1) for each, by help2man from what
# PROGRAM says of its options; compressed as packages have them.
#   cmake -DHELP2MAN=… -DPROGRAM=FILE -DNAME=… -DSUMMARY=… -DVERSION=… -DDATE=YYYY-MM-DD -DFOLDER=… -P manual.cmake
execute_process(COMMAND "${PROGRAM}" --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE ";" "," help "${help}") # a list of CMake's ends there
set(lines "")
if(help MATCHES "\nSubcommands:(\n.*)$")
  string(REGEX MATCHALL "\n  [a-z-]+ [^\n]+" lines "${CMAKE_MATCH_1}")
endif()

# Pages are written again only where what they are made from has changed.
file(READ "${CMAKE_CURRENT_LIST_FILE}" sources)
string(APPEND sources "${VERSION} ${DATE} ${SUMMARY}\n${help}")
foreach(line IN LISTS lines)
  string(REGEX MATCH "[a-z-]+" subcommand "${line}")
  execute_process(COMMAND "${PROGRAM}" ${subcommand} --help OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(APPEND sources "${text}")
endforeach()
string(SHA256 sources "${sources}")
set(known "")
if(EXISTS "${FOLDER}/${NAME}.1.gz" AND EXISTS "${FOLDER}.${NAME}.sources")
  file(READ "${FOLDER}.${NAME}.sources" known)
endif()
if(sources STREQUAL known)
  return()
endif()
file(MAKE_DIRECTORY "${FOLDER}")

# page(NAME SUMMARY COMMAND SEE_ALSO...): writes NAME.1.gz.
function(page name summary command)
  set(include "${FOLDER}.${name}.h2m")
  list(TRANSFORM ARGN REPLACE "(.+)" "\\\\fB\\1\\\\fR(1)" OUTPUT_VARIABLE see_also)
  list(JOIN see_also ", " see_also)
  file(WRITE "${include}" "[SEE ALSO]\n${see_also}\n")
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env LC_ALL=C.UTF-8 "${HELP2MAN}" --locale=C.UTF-8 --no-info "--name=${summary}"
            "--source=Spyctrum ${VERSION}" "--version-string=${VERSION}" "--include=${include}" "${command}"
    OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  # help2man writes the command as it is called, and the month of the run.
  get_filename_component(called "${command}" NAME)
  string(TOUPPER "${name}" title)
  string(REGEX REPLACE "\n\\.TH [^\"]+ \"1\" \"[^\"]*\"" "\n.TH ${title} \"1\" \"${DATE}\"" text "${text}")
  string(REPLACE "\n.SH NAME\n${called} " "\n.SH NAME\n${name} " text "${text}")
  file(WRITE "${FOLDER}/${name}.1" "${text}")
  execute_process(COMMAND gzip -9nf "${FOLDER}/${name}.1" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(pages "")
foreach(line IN LISTS lines)
  string(REGEX MATCH "^\n  ([a-z-]+) +(.+)$" found "${line}")
  page("${NAME}-${CMAKE_MATCH_1}" "${CMAKE_MATCH_2}" "${PROGRAM} ${CMAKE_MATCH_1}" "${NAME}")
  list(APPEND pages "${NAME}-${CMAKE_MATCH_1}")
endforeach()
if(NAME STREQUAL "spyctrum")
  list(APPEND pages spyctrum-cli)
else()
  list(PREPEND pages spyctrum)
endif()
page("${NAME}" "${SUMMARY}" "${PROGRAM}" ${pages})
file(WRITE "${FOLDER}.${NAME}.sources" "${sources}")
