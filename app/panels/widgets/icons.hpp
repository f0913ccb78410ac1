// SPDX-License-Identifier: Apache-2.0
// Icons by name: code points of Font Awesome 6 Free (solid), which fonts.cpp merges into the text fonts.
#pragma once

namespace spyctrum::panels::icon {

inline constexpr const char* kClose = "\uf00d";
inline constexpr const char* kPin = "\uf08d";
inline constexpr const char* kAdd = "\u002b";
inline constexpr const char* kFit = "\uf065";
inline constexpr const char* kReset = "\uf2ea";
inline constexpr const char* kBack = "\uf060";
inline constexpr const char* kForward = "\uf061";
inline constexpr const char* kOpen = "\uf07c";
inline constexpr const char* kSave = "\uf0c7";
inline constexpr const char* kCopy = "\uf0c5";
inline constexpr const char* kRun = "\uf04b";
inline constexpr const char* kInfo = "\uf05a";
inline constexpr const char* kWarning = "\uf071";
inline constexpr const char* kError = "\uf06a";
inline constexpr const char* kMore = "\uf142";
inline constexpr const char* kFolder = "\uf07b";
inline constexpr const char* kFile = "\uf15b";
inline constexpr const char* kUp = "\uf062";
inline constexpr const char* kDown = "\uf0d7";
inline constexpr const char* kBlink = "\uf06e";
inline constexpr const char* kWipe = "\uf0db";
inline constexpr const char* kGrid = "\uf00a";
inline constexpr const char* kTarget = "\uf05b";

}  // namespace spyctrum::panels::icon
