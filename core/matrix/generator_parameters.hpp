// SPDX-License-Identifier: Apache-2.0
// Shared by the sources of the generators: the values of a gen: text, checked against the parameters of its
// kind, and the table of kinds. Private to core/matrix and its tests.
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

/// Upper bounds of parameters.
inline constexpr auto kMostRows = static_cast<double>(kLargestSide);
inline constexpr double kMostEntries = 1e15;

/// A finite number written like 1000, -3, 1e6, 2.5e3, 0.01 or 2^20. Errors: wrong_use.
[[nodiscard]] Result<double> parse_generator_number(std::string_view text);

/// The parameters of a kind with their values, as given in the text or by default.
class GeneratorValues {
 public:
  GeneratorValues(std::string text, const GeneratorInfo& info, std::uint64_t default_seed);

  /// Sets a key; throws Failure{wrong_use} naming the key, the value and the possible values.
  void set(std::string_view key, std::string_view value);

  /// Whether the text gives a value.
  [[nodiscard]] bool given(std::string_view key) const { return given_.contains(key); }
  [[nodiscard]] double real(std::string_view key) const;
  [[nodiscard]] std::int64_t integer(std::string_view key) const;
  [[nodiscard]] std::uint64_t size(std::string_view key) const {
    return static_cast<std::uint64_t>(integer(key));
  }
  [[nodiscard]] bool flag(std::string_view key) const { return integer(key) != 0; }
  [[nodiscard]] std::uint64_t seed() const;
  /// The side named `key` ("rows", "cols"), or n if it was not given.
  [[nodiscard]] std::uint64_t side(std::string_view key) const;

  /// A Failure{wrong_use} with the message "TEXT: WHAT", where TEXT is the gen: text.
  [[nodiscard]] Failure bad(const std::string& what, const std::string& advice = {}) const;
  /// Throws Failure{out_of_memory} if the job's allowance is too small for `entries` entries, which take 20
  /// bytes each while the pattern is made.
  void check_memory(double entries, JobContext& context) const;

 private:
  std::string text_;
  const GeneratorInfo& info_;
  std::uint64_t default_seed_;
  std::map<std::string, double, std::less<>> given_;
};

/// A kind of matrix and the function that makes one.
struct Generator {
  GeneratorInfo info;
  struct Outcome {
    std::uint64_t rows = 0;
    std::uint64_t cols = 0;
    EntryChunks chunks{};
    bool mirror = false;  ///< the matrix is A ∪ Aᵀ, A being the pattern of `chunks`
    std::vector<std::string> notes{};
    /// The value of the entry (row, col), from any thread; empty for kinds without values.
    std::function<double(std::uint64_t row, std::uint64_t col)> value{};
  };
  Outcome (*make)(const GeneratorValues& values, JobContext& context) = nullptr;
};

[[nodiscard]] const std::vector<Generator>& generator_table();

// One family of kinds per source file; each function appends its kinds to the table.
void add_structured_generators(std::vector<Generator>& table);
void add_grid_generators(std::vector<Generator>& table);
void add_random_generators(std::vector<Generator>& table);
void add_graph_generators(std::vector<Generator>& table);
void add_number_generators(std::vector<Generator>& table);

// Parameters that several kinds share.
[[nodiscard]] GeneratorParameter side_parameter(double default_value);
[[nodiscard]] std::vector<GeneratorParameter> rectangle_parameters(double default_n);
[[nodiscard]] GeneratorParameter seed_parameter();

/// Sets the entries of all columns of `outcome`: rows_of(j, out), called on the job's threads, must append
/// the entries of column j by ascending row. `entries`: approximate number of all entries, for check_memory()
/// and the size of tasks. Throws Failure{out_of_memory} and {cancelled}.
void fill_columns(Generator::Outcome& outcome, const GeneratorValues& values, double entries,
                  JobContext& context,
                  const std::function<void(std::uint64_t col, std::vector<PackedEntry>& out)>& rows_of);

}  // namespace spyctrum
