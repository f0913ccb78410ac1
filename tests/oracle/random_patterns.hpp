// SPDX-License-Identifier: Apache-2.0
// Patterns for the tests of transforms: random ones of any shape, and shapes that need special cases.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum::testing {

/// At most `entries` random positions (repeated ones merge).
inline SparsePattern random_pattern(std::uint64_t rows, std::uint64_t cols, std::size_t entries,
                                    std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Index> row(entries);
  std::vector<Index> col(entries);
  for (std::size_t t = 0; t < entries; ++t) {
    row[t] = static_cast<Index>(random() % rows);
    col[t] = static_cast<Index>(random() % cols);
  }
  return SparsePattern::from_coordinates(rows, cols, std::move(row), std::move(col)).value();
}

inline SparsePattern full_pattern(std::uint64_t rows, std::uint64_t cols) {
  std::vector<Index> row;
  std::vector<Index> col;
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) {
      row.push_back(i);
      col.push_back(j);
    }
  return SparsePattern::from_coordinates(rows, cols, std::move(row), std::move(col)).value();
}

struct NamedPattern {
  std::string name;
  SparsePattern pattern;
};

/// Tiny, odd, prime, rectangular, empty, one-entry, full, and one with a hub.
inline std::vector<NamedPattern> special_patterns() {
  std::vector<NamedPattern> all;
  all.push_back({"1x1 empty", SparsePattern::from_coordinates(1, 1, {}, {}).value()});
  all.push_back({"1x1 full", full_pattern(1, 1)});
  all.push_back({"1xn", random_pattern(1, 37, 12, 1)});
  all.push_back({"mx1", random_pattern(41, 1, 9, 2)});
  all.push_back({"empty", SparsePattern::from_coordinates(7, 12, {}, {}).value()});
  all.push_back({"one entry", SparsePattern::from_coordinates(19, 23, {18}, {22}).value()});
  all.push_back({"full", full_pattern(12, 15)});
  all.push_back({"prime square", random_pattern(97, 97, 400, 3)});
  all.push_back({"wide", random_pattern(16, 251, 300, 4)});
  all.push_back({"tall", random_pattern(360, 11, 300, 5)});
  std::vector<Index> row(120, 5);
  std::vector<Index> col(120);
  for (Index k = 0; k < 120; ++k) col[k] = k;
  for (Index k = 0; k < 60; ++k) {
    row.push_back(k);
    col.push_back(77);
  }
  all.push_back({"hub row and column",
                 SparsePattern::from_coordinates(61, 120, std::move(row), std::move(col)).value()});
  return all;
}

}  // namespace spyctrum::testing
