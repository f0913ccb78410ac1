# SPDX-License-Identifier: Apache-2.0
# One library per folder, one include root per library. Includes are written from the top of the
# repository ("core/base/error.hpp"), but no target has the repository on its include path: each
# has a root that holds one link, <build>/roots/<library>/core/base -> <source>/core/base. A
# library sees its own root and those of the libraries that it links, so an include against the
# direction of the floors, or of a folder that is not linked, is not found.

# spyctrum_include_root(OUT FOLDER): makes the root for FOLDER (relative to the repository).
function(spyctrum_include_root out folder)
  string(REPLACE "/" "_" name "${folder}")
  set(root "${PROJECT_BINARY_DIR}/roots/${name}")
  get_filename_component(parent "${root}/${folder}" DIRECTORY)
  file(MAKE_DIRECTORY "${parent}")
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${folder}" "${root}/${folder}" SYMBOLIC)
  set(${out} "${root}" PARENT_SCOPE)
endfunction()

# spyctrum_is_below(OUT SOURCE PATH…): whether SOURCE is one of the files, or below one of the folders.
function(spyctrum_is_below out source)
  set(${out} FALSE PARENT_SCOPE)
  foreach(path IN LISTS ARGN)
    cmake_path(IS_PREFIX path "${source}" is_below)
    if(is_below)
      set(${out} TRUE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# Makes a first build shorter: GCC's time for a room is mostly for what its sources share. app/run.sh and tests/run.sh set
# it. Off elsewhere: after a change a whole group is compiled, and a file must compile by its own includes.
option(SPYCTRUM_GROUPED_SOURCES "Compile the sources of a room in groups" OFF)

# spyctrum_group_sources(TARGET): in groups of 32, where that is asked for.
function(spyctrum_group_sources target)
  if(SPYCTRUM_GROUPED_SOURCES)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 32)
    # GCC takes a source in a group for a header.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# spyctrum_library(NAME FOLDER <folder> [SEPARATE path...] [EXCLUDE path...] [LINKS ...] [PRIVATE_LINKS ...])
# Static library of every .cpp below FOLDER; a new file is picked up by the next build. Left out are the files
# and folders that EXCLUDE names, relative to FOLDER, and every subfolder with a CMakeLists.txt of its own. A
# folder with headers only becomes an interface library. SEPARATE: files and folders, relative to FOLDER, which are never
# compiled in groups, since they give the same name to different things of their own.
# Alias: spyctrum::<name without spyctrum_>.
function(spyctrum_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FOLDER" "SEPARATE;EXCLUDE;LINKS;PRIVATE_LINKS")
  set(folder "${PROJECT_SOURCE_DIR}/${arg_FOLDER}")
  file(GLOB_RECURSE found CONFIGURE_DEPENDS "${folder}/*.cpp")
  file(GLOB_RECURSE nested CONFIGURE_DEPENDS "${folder}/*/CMakeLists.txt")
  set(left_out ${arg_EXCLUDE})
  set(separate ${arg_SEPARATE})
  foreach(list IN ITEMS left_out separate)
    list(TRANSFORM ${list} PREPEND "${folder}/")
  endforeach()
  foreach(list_file IN LISTS nested)
    cmake_path(GET list_file PARENT_PATH subfolder)
    list(APPEND left_out "${subfolder}")
  endforeach()
  set(sources "")
  foreach(source IN LISTS found)
    spyctrum_is_below(is_left_out "${source}" ${left_out})
    if(NOT is_left_out)
      list(APPEND sources "${source}")
    endif()
    spyctrum_is_below(is_separate "${source}" ${separate})
    set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ${is_separate})
  endforeach()
  spyctrum_include_root(root "${arg_FOLDER}")
  if(sources)
    add_library(${name} STATIC ${sources})
    target_include_directories(${name} PUBLIC "${root}")
    target_link_libraries(${name} PUBLIC ${arg_LINKS} PRIVATE ${arg_PRIVATE_LINKS} spyctrum_warnings)
    spyctrum_use_precompiled(${name} ${precompiled_headers})
    spyctrum_group_sources(${name})
  else()
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE "${root}")
    target_link_libraries(${name} INTERFACE ${arg_LINKS})
  endif()
  string(REGEX REPLACE "^spyctrum_" "" short "${name}")
  add_library(spyctrum::${short} ALIAS ${name})
endfunction()
