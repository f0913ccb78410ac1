// SPDX-License-Identifier: Apache-2.0
// A session file: one JSON object that reproduces the screen: matrices, columns with parameters, views and
// scale. It contains no results, which follow from the rest (including the seed).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/controller/state.hpp"
#include "core/base/error.hpp"

namespace spyctrum {

struct SessionColumn {
  std::string method;
  ParameterValues parameters{};
  std::optional<std::uint32_t> block{};  ///< own block
  bool own_range = false;
  bool large = false;
  ColumnLook look{};
  Arrangement
      arrangement{};  ///< the matrix as it is, or another order; columns of a region follow from the region
  friend bool operator==(const SessionColumn&, const SessionColumn&) = default;
};

struct SessionMatrix {
  std::string source;
  Reading reading{};
};

struct Session {
  std::vector<SessionMatrix> matrices;
  std::size_t selected = 0;
  std::uint32_t block = 16;
  Budget budget;
  std::vector<SessionColumn> columns;
  std::optional<std::array<PlaneRect, kPlanes>> views;  ///< of the selected matrix; absent: whole planes
  bool square_units = true;
  GridForm grid_form = GridForm::automatic;
  unsigned grid_lines = 0;
  ScaleSettings scale;
  std::array<bool, kRows> rows{true, true, true, false};
  /// Blink, wipe and its line. `against` is the position of the column in `columns`, from 1; 0: the
  /// reference.
  std::optional<CompareSettings> aids;
  std::optional<PlaneRect> region;
  std::optional<std::pair<std::int64_t, std::int64_t>> wave;
  std::uint64_t seed = 1;
  bool drop_zeros = false;
};

/// The part of `state` that a session stores. Paths of files become absolute.
[[nodiscard]] Session session_of(const AppState& state);
[[nodiscard]] std::string to_json_text(const Session& session);
/// `file` names the text in messages; sources that are relative paths are taken relative to its
/// folder. Errors: bad_input naming the file, the place and what was expected.
[[nodiscard]] Result<Session> parse_session(const std::string& text, const std::string& file);
/// Reads a session file. Errors: bad_input.
[[nodiscard]] Result<Session> read_session(const std::string& file);

}  // namespace spyctrum
