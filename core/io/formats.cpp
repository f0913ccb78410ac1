// SPDX-License-Identifier: Apache-2.0
// The list of formats, and texts made from it.
#include "core/io/formats.hpp"

#include <algorithm>
#include <array>

#include "core/base/text.hpp"
#include "core/io/unpack.hpp"

// The formats, in the order of preference between readers that are equally sure. A new one is one X(id) here;
// the namespace <id>_reader of the format's files defines its kReader.
#define SPYCTRUM_FORMATS(X) \
  X(matrix_market)          \
  X(hdf5)                   \
  X(metis)                  \
  X(dimacs)                 \
  X(smtx)                   \
  X(tri)                    \
  X(petsc)                  \
  X(rutherford_boeing)      \
  X(matlab)                 \
  X(octave)                 \
  X(npy)                    \
  X(npz)                    \
  X(safetensors)            \
  X(graphml)                \
  X(table)                  \
  X(edge_list)

namespace spyctrum {

// clang-format off
#define SPYCTRUM_DECLARE(id) namespace id##_reader { extern const Reader kReader; }
// clang-format on
SPYCTRUM_FORMATS(SPYCTRUM_DECLARE)
#undef SPYCTRUM_DECLARE

namespace {

#define SPYCTRUM_ID(id) std::string_view(#id),
constexpr std::array kIds{SPYCTRUM_FORMATS(SPYCTRUM_ID)};
#undef SPYCTRUM_ID
#define SPYCTRUM_ADDRESS(id) &id##_reader::kReader,
constexpr std::array kReaders{SPYCTRUM_FORMATS(SPYCTRUM_ADDRESS)};
#undef SPYCTRUM_ADDRESS

bool equal_in_small(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower_case, lower_case);
}

std::string_view file_name(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

// Calls use(ending) for the endings of all formats.
template <class Use>
void for_each_ending(const Use& use) {
  for (const auto& reader : readers()) std::ranges::for_each(reader->format.endings, use);
}

// The first index in `name` at which `ending` is followed by nothing or by another ending; npos if there is
// none.
std::size_t find_ending(std::string_view name, std::string_view ending) {
  for (std::size_t at = 0; at + ending.size() <= name.size(); ++at) {
    const std::string_view after = name.substr(at + ending.size());
    if (equal_in_small(name.substr(at, ending.size()), ending) && (after.empty() || after[0] == '.'))
      return at;
  }
  return std::string_view::npos;
}

}  // namespace

std::span<const std::string_view> format_ids() { return kIds; }
std::span<const Reader* const> readers() { return kReaders; }

const Reader* find_reader(std::string_view id) {
  const auto found =
      std::ranges::find_if(readers(), [&](const auto& reader) { return reader->format.id == id; });
  return found == readers().end() ? nullptr : *found;
}

std::string_view ending_of(std::string_view path, std::span<const std::string_view> endings) {
  for (const std::string_view ending : endings) {
    const std::string_view tail = path.substr(path.size() - std::min(path.size(), ending.size()));
    if (equal_in_small(tail, ending)) return tail;
  }
  return {};
}

std::string_view format_ending_of(std::string_view path) {
  std::string_view found;
  for_each_ending([&](const std::string_view& ending) {
    if (found.empty()) found = ending_of(path, std::span(&ending, 1));
  });
  return found;
}

bool is_named_like(std::string_view path, const FormatInfo& format) {
  return std::ranges::any_of(format.endings, [name = file_name(path)](std::string_view ending) {
    return find_ending(name, ending) != std::string_view::npos;
  });
}

bool is_named_like_a_matrix(std::string_view path) {
  return std::ranges::any_of(readers(),
                             [&](const auto& reader) { return is_named_like(path, reader->format); });
}

std::string matrix_name(std::string_view path) {
  std::string_view name = file_name(path);
  std::size_t first = std::string_view::npos;
  for_each_ending([&](std::string_view ending) { first = std::min(first, find_ending(name, ending)); });
  if (first != 0 && first != std::string_view::npos) return std::string(name.substr(0, first));
  for (;;) {
    const std::size_t packed = ending_of(name, packed_endings()).size();
    if (packed == 0 || packed == name.size()) return std::string(name);
    name.remove_suffix(packed);
  }
}

std::vector<std::string> readable_endings() {
  std::vector<std::string> endings;
  for_each_ending([&](std::string_view ending) { endings.emplace_back(ending); });
  for (const auto& reader : readers())
    for (const std::string_view ending : reader->format.shared_endings)
      if (std::ranges::find(endings, ending) == endings.end()) endings.emplace_back(ending);
  endings.insert(endings.end(), packed_endings().begin(), packed_endings().end());
  return endings;
}

std::string format_names() {
  return joined(readers(), [](const Reader* reader) { return reader->format.name; });
}

std::string any_format_ending(std::string_view before, std::string_view after) {
  std::string text;
  for_each_ending([&](std::string_view ending) {
    text += (text.empty() ? "" : " or ");
    text.append(before).append(ending).append(after);
  });
  return text;
}

}  // namespace spyctrum
