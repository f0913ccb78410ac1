// SPDX-License-Identifier: Apache-2.0
// The hooks that Dear ImGui calls when it is built for the test engine, for programs without one.
// ImGui reaches the first two only while an engine listens, so they are never executed here.
#include <imgui.h>
#include <imgui_internal.h>

// NOLINTBEGIN(readability-identifier-naming): the names are ImGui's.
void ImGuiTestEngineHook_ItemAdd(ImGuiContext*, ImGuiID, const ImRect&, const ImGuiLastItemData*) {}
void ImGuiTestEngineHook_ItemInfo(ImGuiContext*, ImGuiID, const char*, ImGuiItemStatusFlags) {}
void ImGuiTestEngineHook_Log(ImGuiContext*, const char*, ...) {}
const char* ImGuiTestEngine_FindItemDebugLabel(ImGuiContext*, ImGuiID) { return nullptr; }
// NOLINTEND(readability-identifier-naming)
