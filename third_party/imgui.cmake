# SPDX-License-Identifier: Apache-2.0
# Dear ImGui (docking) with its GLFW and OpenGL 3 backends, ImPlot, portable_file_dialogs, and for
# the tests Dear ImGui Test Engine.
#
# Everything is compiled once. ImGui calls the test engine through four functions; they are compiled
# in (imgui/imgui_config.hpp) and cost one false branch per item while no engine listens. A program
# must link exactly one of
#   third_party::imgui_no_tests      empty bodies of those functions (the desktop program)
#   third_party::imgui_test_engine   the engine (interface tests)
# so that the tests drive the very object files that ship, and no program carries the engine.
set(imgui_dir "${imgui_bundle_dir}/external/imgui/imgui")

add_library(
  third_party_imgui STATIC
  "${imgui_dir}/imgui.cpp"
  "${imgui_dir}/imgui_draw.cpp"
  "${imgui_dir}/imgui_stacklayout.cpp"
  "${imgui_dir}/imgui_tables.cpp"
  "${imgui_dir}/imgui_widgets.cpp"
  "${imgui_dir}/misc/cpp/imgui_stdlib.cpp"
  "${imgui_dir}/backends/imgui_impl_glfw.cpp"
  "${imgui_dir}/backends/imgui_impl_opengl3.cpp")
target_include_directories(third_party_imgui SYSTEM PUBLIC "${imgui_dir}" "${imgui_dir}/backends" "${imgui_dir}/misc/cpp"
                                                           "${CMAKE_CURRENT_SOURCE_DIR}/imgui")
target_compile_definitions(third_party_imgui PUBLIC IMGUI_USER_CONFIG="imgui_config.hpp")
# One OpenGL loader for the whole program, and no dependence on libGL.so: GLAD instead of ImGui's own.
target_compile_definitions(third_party_imgui PRIVATE IMGUI_IMPL_OPENGL_LOADER_CUSTOM GLFW_INCLUDE_NONE)
set_source_files_properties("${imgui_dir}/backends/imgui_impl_opengl3.cpp" PROPERTIES COMPILE_OPTIONS "-include;glad/gl.h")
target_link_libraries(third_party_imgui PUBLIC third_party::glfw third_party::glad)
add_library(third_party::imgui ALIAS third_party_imgui)

# Objects, not an archive: ImGui itself refers to them, after the linker has passed an archive that comes first.
add_library(third_party_imgui_no_tests OBJECT imgui/no_test_engine.cpp)
target_link_libraries(third_party_imgui_no_tests PUBLIC third_party::imgui)
add_library(third_party::imgui_no_tests ALIAS third_party_imgui_no_tests)

set(implot_dir "${imgui_bundle_dir}/external/implot/implot")
add_library(third_party_implot STATIC "${implot_dir}/implot.cpp" "${implot_dir}/implot_items.cpp")
target_include_directories(third_party_implot SYSTEM PUBLIC "${implot_dir}")
# Instantiated for the number type that the panels plot alone, and inlined as the compiler chooses: for all types
# implot_items.cpp takes minutes.
target_compile_definitions(third_party_implot PRIVATE "IMPLOT_CUSTOM_NUMERIC_TYPES=(double)" IMPLOT_NO_FORCE_INLINE)
target_link_libraries(third_party_implot PUBLIC third_party::imgui)
add_library(third_party::implot ALIAS third_party_implot)

add_library(third_party_portable_file_dialogs INTERFACE)
target_include_directories(third_party_portable_file_dialogs SYSTEM
                           INTERFACE "${imgui_bundle_dir}/external/portable_file_dialogs/portable_file_dialogs")
add_library(third_party::portable_file_dialogs ALIAS third_party_portable_file_dialogs)

# Fonts inside the program, so that a screen looks the same on every machine:
# embedded_font("Roboto-Regular.ttf") from "third_party/fonts.hpp".
set(font_dir "${imgui_bundle_dir}/bindings/imgui_bundle/assets/fonts")
spyctrum_embed_files(
  third_party_fonts
  HEADER third_party/fonts.hpp
  FUNCTION embedded_font
  FILES "${font_dir}/Roboto/Roboto-Regular.ttf" "${font_dir}/Roboto/Roboto-Bold.ttf"
        "${font_dir}/Font_Awesome_6_Free-Solid-900.otf" "${imgui_dir}/misc/fonts/Cousine-Regular.ttf")
add_library(third_party::fonts ALIAS third_party_fonts)

if(SPYCTRUM_TESTS)
  set(engine_dir "${imgui_bundle_dir}/external/imgui_test_engine/imgui_test_engine")
  file(GLOB engine_sources "${engine_dir}/imgui_test_engine/*.cpp")
  list(FILTER engine_sources EXCLUDE REGEX "python_gil")
  # Objects, as ImGui's own archive calls them: a test that drives nothing needs them too.
  add_library(third_party_imgui_test_engine OBJECT ${engine_sources})
  target_include_directories(third_party_imgui_test_engine SYSTEM PUBLIC "${engine_dir}" "${engine_dir}/imgui_test_engine")
  target_compile_definitions(
    third_party_imgui_test_engine
    PUBLIC IMGUI_TEST_ENGINE_ENABLE_COROUTINE_STDTHREAD_IMPL=1 IMGUI_TEST_ENGINE_ENABLE_STD_FUNCTION=1
           IMGUI_TEST_ENGINE_ENABLE_CAPTURE=1)
  target_link_libraries(third_party_imgui_test_engine PUBLIC third_party::imgui Threads::Threads)
  add_library(third_party::imgui_test_engine ALIAS third_party_imgui_test_engine)
endif()
