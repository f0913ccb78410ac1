// SPDX-License-Identifier: Apache-2.0
// A linked GLSL program. The sources are files in shaders/, one per stage or part of a stage, and travel
// inside the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "render/gl_check.hpp"

namespace spyctrum::render {

/// One shader file. The stage follows from the name's ending: .vert, .frag, .comp.
struct ShaderFile {
  std::string name;
  std::string_view source;
};

/// A file of shaders/ by its name; throws Failure(internal) when there is none.
[[nodiscard]] ShaderFile embedded_shader(const std::string& name);

/// Compiles and links; several files of one stage are linked together. Throws Failure(internal) whose text
/// gives, for every complaint of the driver, file and line: "image.frag:12: error: …".
[[nodiscard]] GlObject link_program(const std::vector<ShaderFile>& files);

/// A driver's log with its "0:12(5):" or "0(12) :" replaced by "name:12:".
[[nodiscard]] std::string name_lines(const std::string& log, const std::string& name);

}  // namespace spyctrum::render
