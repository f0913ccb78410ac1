// SPDX-License-Identifier: Apache-2.0
#include "core/io/json_text.hpp"

#include <nlohmann/json.hpp>

namespace spyctrum {

template <class Json>
std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

template <class Json>
Json parse_json(std::string_view text, bool throws) {
  return Json::parse(text, nullptr, throws);
}

template std::string json_text(const nlohmann::json& json, int indent);
template std::string json_text(const nlohmann::ordered_json& json, int indent);
template nlohmann::json parse_json(std::string_view text, bool throws);
template nlohmann::ordered_json parse_json(std::string_view text, bool throws);

}  // namespace spyctrum
