# SPDX-License-Identifier: Apache-2.0
# The published tables of colour maps, from the archive of the Python package cmap, which collects them: viridis and
# magma (N. Smith, S. van der Walt), cividis (J. Nunez, C. Anderton, R. Renslow), turbo (A. Mikhailov).
# third_party::color_maps carries the generated header "third_party/color_maps.hpp" with one array kViridis[3·256], … for each:
# red, green, blue in sRGB, 0 … 1.
spyctrum_archive(cmap_dir cmap PATTERNS LICENSES src/cmap/data/bids src/cmap/data/cividis src/cmap/data/google)

# color_map_array(OUT NAME FILE): the definition of the array of map NAME, a list of lists in FILE.
function(color_map_array out name file)
  file(READ "${cmap_dir}/src/cmap/data/${file}/__init__.py" text)
  string(REGEX MATCH "(^|\n)${name} = \\[" head "${text}")
  string(FIND "${text}" "${head}" begin)
  string(LENGTH "${head}" length)
  math(EXPR begin "${begin} + ${length}")
  string(SUBSTRING "${text}" ${begin} -1 text)
  string(FIND "${text}" "\n]" end)
  string(SUBSTRING "${text}" 0 ${end} text)
  string(REGEX MATCHALL "[0-9]+\\.[0-9]+(e-?[0-9]+)?" numbers "${text}")
  list(LENGTH numbers count)
  if(NOT head OR NOT count EQUAL 768)
    message(FATAL_ERROR "the colour map ${name} has ${count} numbers in place of 3 times 256")
  endif()
  string(SUBSTRING "${name}" 0 1 initial)
  string(TOUPPER "${initial}" initial)
  string(SUBSTRING "${name}" 1 -1 rest)
  list(JOIN numbers ", " numbers)
  set(${out} "inline constexpr double k${initial}${rest}[768] = {${numbers}};\n" PARENT_SCOPE)
endfunction()

set(color_maps_text "// Generated from the archive of cmap (third_party/color_maps.cmake).\n#pragma once\nnamespace spyctrum::published_tables {\n")
foreach(map IN ITEMS viridis/bids magma/bids cividis/cividis turbo/google)
  string(REPLACE "/" ";" map "${map}")
  list(GET map 0 name)
  list(GET map 1 file)
  color_map_array(array ${name} ${file})
  string(APPEND color_maps_text "${array}")
endforeach()
string(APPEND color_maps_text "}\n")
set(color_maps_root "${PROJECT_BINARY_DIR}/generated/color_maps")
file(CONFIGURE OUTPUT "${color_maps_root}/third_party/color_maps.hpp" CONTENT "${color_maps_text}" @ONLY)
add_library(third_party_color_maps INTERFACE)
target_include_directories(third_party_color_maps INTERFACE "${color_maps_root}")
add_library(third_party::color_maps ALIAS third_party_color_maps)
