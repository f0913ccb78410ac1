// SPDX-License-Identifier: Apache-2.0
#include "core/methods/measured_errors.hpp"

#include <list>
#include <memory>
#include <mutex>

#include "core/features/biased_errors.hpp"
#include "core/features/decoders.hpp"
#include "core/features/feature_table.hpp"
#include "core/spectrum/rounding_floor.hpp"

namespace spyctrum {

namespace {

/// Factor of the standard errors. If the bias decides the sign of an error, the estimate of the rows is
/// exceeded on one side only. It lies within 0.476 of its standard errors as often as a normal variable
/// within 0.56 (fitted to the lists `fitted` of tests/bench/coverage_patterns.hpp).
constexpr double kPeaked = 0.85;

/// The features with their standard errors multiplied by kPeaked, for errors_of_biased().
EstimatedFeatures sharpened(EstimatedFeatures features) {
  for (const FeatureDefinition& feature : kFeatureTable)
    for (double& error : feature.of(*features.errors)) error *= kPeaked;
  return features;
}

/// Keeps the results of decode_rows() for the last patterns that still exist. Thread-safe.
class RowFeatures {
 public:
  EstimatedFeatures of(const PatternPtr& pattern, JobContext& context) {
    if (const auto known = find(pattern)) return *known;
    const EstimatedFeatures found = decode_rows(*pattern, rounding_floor(*pattern), context);
    const std::scoped_lock lock(mutex_);
    entries_.push_front({pattern, found});
    if (entries_.size() > kMost) entries_.pop_back();
    return found;
  }

 private:
  static constexpr std::size_t kMost = 16;
  struct Entry {
    std::weak_ptr<const SparsePattern> pattern;
    EstimatedFeatures features;
  };
  std::optional<EstimatedFeatures> find(const PatternPtr& pattern) {
    const std::scoped_lock lock(mutex_);
    for (const Entry& entry : entries_)
      if (entry.pattern.lock() == pattern) return entry.features;
    return std::nullopt;
  }
  std::mutex mutex_;
  std::list<Entry> entries_;
};

}  // namespace

std::optional<Features> measured_errors(const PatternPtr& pattern, const Features& features,
                                        JobContext& context) {
  static RowFeatures row_features;
  try {
    const EstimatedFeatures reference = row_features.of(pattern, context);
    if (!reference.errors) return std::nullopt;
    return errors_of_biased(features, sharpened(reference));
  } catch (const Failure& failure) {
    if (failure.error().code != ErrorCode::out_of_memory) throw;
    return std::nullopt;
  }
}

}  // namespace spyctrum
