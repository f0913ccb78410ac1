// SPDX-License-Identifier: Apache-2.0
// Running methods in tests: small patterns of difficult shapes, one call that runs a job, and coefficients by
// a direct sum in double precision that shares no code with the methods.
#pragma once

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/methods/method.hpp"
#include "tests/support/signed_weights.hpp"
#include "tests/support/test_pool.hpp"
#include "tests/support/text_request.hpp"

namespace spyctrum::test {

/// The registered methods that run on the CPU of this machine. Methods whose library is not installed are
/// named on standard error as not tested.
std::vector<const Method*> runnable_methods();

struct NamedPattern {
  std::string name;
  PatternPtr pattern;
};

PatternPtr make_pattern(std::uint64_t rows, std::uint64_t cols,
                        const std::vector<std::pair<Index, Index>>& entries);

/// About `entries` entries at random places (duplicates merge).
PatternPtr random_pattern(std::uint64_t rows, std::uint64_t cols, std::size_t entries, unsigned seed);

PatternPtr full_pattern(Index rows, Index cols);

/// Tiny, odd, prime, rectangular, empty, one-entry and full patterns.
std::vector<NamedPattern> awkward_patterns();

/// F[u, v] = Σ e^{−2πi(ui/m + vj/n)} over the entries, in double precision, indices reduced in integers.
std::complex<double> direct_coefficient(const SparsePattern& pattern, std::int64_t u, std::int64_t v);

/// Bound on the difference of a coefficient in single precision from the direct sum. The root mean square of
/// the coefficients is √K; a transform of N = mn points has an error of about ε·log N·√K, the lattice engine
/// of 1e-6·√K (its tolerance), and the largest over all coefficients is a few times that.
double coefficient_tolerance(const SparsePattern& pattern);

/// Runs a job, resolved or not, with its own thread pool and memory ledger.
template <class AnyRequest>
Result<SpectrumPtr> run_job(const Method& method, AnyRequest request, ThreadPool& pool,
                            std::uint64_t memory_bytes = std::uint64_t{1} << 32) {
  JobContext::Options options;
  options.memory_bytes = memory_bytes;
  JobContext context(pool, std::move(options));
  auto result = run_method(method, std::move(request), context);
  EXPECT_EQ(context.memory().current(), 0U) << method.info().id << " left bytes booked";
  return result;
}

/// The result of a run; null, and a failure of the test, where there is none.
SpectrumPtr succeed(const Method& method, Request request);

Request request_of(PatternPtr pattern, ParameterValues parameters = {}, RequestedOutputs outputs = {});

}  // namespace spyctrum::test
