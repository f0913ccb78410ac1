// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as the state of streamed features (--state): refused with a message, or a state that can be
// asked for its estimate and is saved as text that loads again and saves as the same text.
#include <cstdint>
#include <string_view>

#include "core/features/feature_progress.hpp"
#include "tests/fuzz/require.hpp"

// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace spyctrum;
  using test::require;
  const auto state = FeatureProgress::load(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!state) {
    require(!test::must_accept, state.error().what.c_str());
    require(state.error().code == ErrorCode::bad_input, state.error().what.c_str());
    require(!state.error().what.empty(), "an error without a message");
    return 0;
  }
  (void)(*state)->estimate();
  (void)(*state)->remaining();
  const std::string text = (*state)->save();
  const auto again = FeatureProgress::load(text);
  require(again.has_value(), "a saved state does not load");
  require((*again)->save() == text, "a saved state loads as another one");
  return 0;
}
