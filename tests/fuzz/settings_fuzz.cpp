// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as the file of settings: refused with a message, or settings within their limits.
#include <cstdint>
#include <string>

#include "app/controller/files/settings.hpp"
#include "tests/fuzz/require.hpp"

// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace spyctrum;
  using test::require;
  const auto settings = parse_settings(std::string(reinterpret_cast<const char*>(data), size));
  if (!settings) {
    require(!test::must_accept, settings.error().what.c_str());
    require(settings.error().code == ErrorCode::bad_input, settings.error().what.c_str());
    require(!settings.error().what.empty(), "an error without a message");
    return 0;
  }
  require(settings->ui_scale >= 0 && settings->ui_scale <= 8, "the scale of the interface is out of range");
  require(settings->good_enough >= 0 && settings->good_enough <= 0.1, "the error wished for is out of range");
  return 0;
}
