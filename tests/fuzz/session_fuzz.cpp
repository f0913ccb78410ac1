// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a session file: refused with a message, or a session that is written as text that reads
// as the same session.
#include <cstdint>
#include <string>

#include "app/controller/files/session.hpp"
#include "tests/fuzz/require.hpp"

// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace spyctrum;
  using test::require;
  const std::string file = "/folder/input.json";
  const auto session = parse_session(std::string(reinterpret_cast<const char*>(data), size), file);
  if (!session) {
    require(!test::must_accept, session.error().what.c_str());
    require(session.error().code == ErrorCode::bad_input, session.error().what.c_str());
    require(!session.error().what.empty(), "an error without a message");
    return 0;
  }
  const std::string text = to_json_text(*session);
  const auto again = parse_session(text, file);
  require(again.has_value(), again ? "" : again.error().what.c_str());
  require(to_json_text(*again) == text, "a saved session reads as another one");
  return 0;
}
