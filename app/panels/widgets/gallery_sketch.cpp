// SPDX-License-Identifier: Apache-2.0
// A sketch is computed: a matrix of about 32 rows, and its spectrum by direct sums.
#include "app/panels/widgets/gallery_sketch.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/fft/lattice.hpp"
#include "core/matrix/entry_weights.hpp"
#include "core/matrix/generators.hpp"

namespace spyctrum::panels {

namespace {

/// Magnitudes below this share of the largest one are not shown.
constexpr double kLeastShare = 0.01;

/// The sketch of the matrix that `text` names, which must be square.
GallerySketch make_sketch(const std::string& text, JobContext& context) {
  Matrix made = or_throw(generate(text, context, true));
  GallerySketch sketch;
  if (made.values != nullptr) sketch.weights = Weights::value;
  apply_weights(made, sketch.weights, context);
  const SparsePattern& pattern = *made.pattern;
  const std::uint64_t n = pattern.rows();
  sketch.side = static_cast<int>(n);
  sketch.matrix.resize(n * n);
  float largest = 0;
  for (const float weight : pattern.weights()) largest = std::max(largest, std::abs(weight));
  for_each_entry(pattern, nullptr, [&](Index row, Index col, std::size_t t) {
    sketch.matrix[row * n + col] = pattern.has_weights() ? pattern.weights()[t] / largest : 1;
  });
  const FrequencyAxis centred = FrequencyAxis::progression(n, -static_cast<std::int64_t>(n / 2), 1, n);
  const auto values = direct_transform(pattern, {centred, centred}, context);
  double most = 0;
  for (const auto& value : values) most = std::max(most, std::abs(value));
  for (const auto& value : values) {
    const double share = std::clamp(std::abs(value) / most, kLeastShare, 1.0);
    sketch.spectrum.push_back(static_cast<float>(1 - std::log(share) / std::log(kLeastShare)));
  }
  return sketch;
}

}  // namespace

const GallerySketch& gallery_sketch(const std::string& source) {
  static const std::map<std::string, GallerySketch> sketches = [] {
    ThreadPool pool(1);
    JobContext context(pool);
    std::map<std::string, GallerySketch> made;
    for (const GeneratorInfo& info : generators())
      made.emplace(info.example, make_sketch(info.sketch, context));
    return made;
  }();
  static const GallerySketch none;
  const auto found = sketches.find(source);
  return found == sketches.end() ? none : found->second;
}

}  // namespace spyctrum::panels
