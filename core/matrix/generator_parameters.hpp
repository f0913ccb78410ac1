// SPDX-License-Identifier: Apache-2.0
// The keys and numbers of a gen: text, checked against a kind's schema.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/job_context.hpp"
#include "core/matrix/generator_info.hpp"
#include "core/matrix/packed_entries.hpp"

namespace spyctrum {

/// "1000", "-3", "1e6", "2.5e3", "0.01", "2^20"; nothing else.
[[nodiscard]] Result<double> parse_generator_number(std::string_view text);

/// What a generator is made from: every parameter of its kind, given or default.
class GeneratorValues {
 public:
  GeneratorValues(std::string text, const GeneratorInfo& info, std::uint64_t default_seed);

  /// Sets a key; throws Failure{wrong_use} naming the key, the value and what is possible.
  void set(std::string_view key, std::string_view value);

  [[nodiscard]] bool given(std::string_view key) const { return given_.contains(key); }
  [[nodiscard]] double real(std::string_view key) const;
  [[nodiscard]] std::int64_t integer(std::string_view key) const;
  [[nodiscard]] std::uint64_t size(std::string_view key) const {
    return static_cast<std::uint64_t>(integer(key));
  }
  [[nodiscard]] bool flag(std::string_view key) const { return integer(key) != 0; }
  [[nodiscard]] std::uint64_t seed() const;
  /// The side named `key` ("rows", "cols"), or n where it was not given.
  [[nodiscard]] std::uint64_t side(std::string_view key) const;

  [[nodiscard]] const std::string& text() const { return text_; }

  /// Failure{bad_input} with the text of this matrix in front.
  [[nodiscard]] Failure bad(const std::string& what, const std::string& advice = {}) const;
  /// Throws Failure{out_of_memory} where `entries` (at 20 bytes each while the
  /// pattern is made) pass what the job may use.
  void check_memory(double entries, JobContext& context) const;

 private:
  std::string text_;
  const GeneratorInfo& info_;
  std::uint64_t default_seed_;
  std::map<std::string, double, std::less<>> given_;
};

/// A kind: what it is called and takes, and how it is made.
struct Generator {
  GeneratorInfo info;
  struct Outcome {
    std::uint64_t rows = 0;
    std::uint64_t cols = 0;
    EntryChunks chunks;
    bool mirror = false;  ///< entries are one triangle; the other is filled in
    std::vector<std::string> notes;
  };
  Outcome (*make)(const GeneratorValues& values, JobContext& context) = nullptr;
};

[[nodiscard]] const std::vector<Generator>& generator_table();

// One family per source file; each appends its kinds to the table.
void add_structured_generators(std::vector<Generator>& table);
void add_grid_generators(std::vector<Generator>& table);
void add_random_generators(std::vector<Generator>& table);
void add_graph_generators(std::vector<Generator>& table);

// Parameters that several kinds share.
[[nodiscard]] GeneratorParameter side_parameter(double default_value);
[[nodiscard]] std::vector<GeneratorParameter> rectangle_parameters(double default_n);
[[nodiscard]] GeneratorParameter seed_parameter();

/// Fills chunks column by column: rows_of(j, out) appends the entries of column
/// j in ascending order of rows. Runs on the job's threads.
[[nodiscard]] EntryChunks from_columns(
    std::uint64_t cols, double entries, JobContext& context,
    const std::function<void(std::uint64_t col, std::vector<PackedEntry>& out)>& rows_of);

}  // namespace spyctrum
