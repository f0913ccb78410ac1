// SPDX-License-Identifier: Apache-2.0
// Compile-time configuration of Dear ImGui, the same for every target (IMGUI_USER_CONFIG).
#pragma once

// Hooks for the test engine: bodies come from no_test_engine.cpp or from the engine (imgui.cmake).
#define IMGUI_ENABLE_TEST_ENGINE

// No windows that show ImGui itself: the program opens none.
#define IMGUI_DISABLE_DEMO_WINDOWS

// A name that the next version drops should not compile today.
#define IMGUI_DISABLE_OBSOLETE_FUNCTIONS

// All of Unicode: names of files may contain characters beyond the first 65,536.
#define IMGUI_USE_WCHAR32
