// SPDX-License-Identifier: Apache-2.0
// One pass over the exact rows: with p ∝ M² and q ∝ M̂², Σ√(pq) is the cosine ⟨M, M̂⟩/(‖M‖‖M̂‖), so three
// sums give the Hellinger distance; recall comes from a joint histogram. Row u = 0 is summed separately: it
// represents itself, the other rows received represent all others.
#include "core/reconstruction/reconstruction_errors.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "core/features/ordered_sum.hpp"
#include "core/reconstruction/joint_histogram.hpp"

namespace spyctrum {

namespace {

constexpr std::uint64_t kTopOneIn = 10;

struct Products {
  double cross = 0;      // Σ M·M̂
  double reference = 0;  // Σ M²
  double estimate = 0;   // Σ M̂²

  void add(const Products& other) { add(other, 1); }
  void add(const Products& other, double weight) {
    cross += weight * other.cross;
    reference += weight * other.reference;
    estimate += weight * other.estimate;
  }
};

Products products_of(const std::vector<float>& reference, const std::vector<float>& estimate) {
  constexpr std::size_t kLanes = 4;  // independent sums, so that additions need not wait for each other
  double cross[kLanes] = {};
  double ref[kLanes] = {};
  double est[kLanes] = {};
  const std::size_t whole = reference.size() / kLanes * kLanes;
  const auto add = [&](std::size_t k, std::size_t lane) {
    const auto a = static_cast<double>(reference[k]);
    const auto b = static_cast<double>(estimate[k]);
    cross[lane] += a * b;
    ref[lane] += a * a;
    est[lane] += b * b;
  };
  for (std::size_t k = 0; k < whole; k += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) add(k + lane, lane);
  for (std::size_t k = whole; k < reference.size(); ++k) add(k, 0);
  Products products;
  for (std::size_t lane = 0; lane < kLanes; ++lane) products.add({cross[lane], ref[lane], est[lane]}, 1);
  return products;
}

/// Approximately the magnitude that one coefficient in ten exceeds, from evenly spaced rows and columns.
double typical_top(const Reconstruction& reconstruction) {
  constexpr std::uint64_t kRows = 32;
  constexpr std::uint64_t kColumns = 2048;
  const std::uint64_t m = reconstruction.m();
  const std::uint64_t n = reconstruction.n();
  const std::uint64_t columns = std::min(n, kColumns);
  std::vector<float> values;
  std::vector<float> row(columns);
  for (std::uint64_t k = 0; k < std::min(m, kRows); ++k) {
    const auto u = static_cast<std::int64_t>((2 * k + 1) * m / (2 * std::min(m, kRows)));
    reconstruction.row(u, 0, static_cast<std::int64_t>(n / columns), row);
    values.insert(values.end(), row.begin(), row.end());
  }
  const std::size_t rank = values.size() - 1 - (values.size() - 1) / kTopOneIn;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rank), values.end());
  return static_cast<double>(values[rank]);
}

struct Worker {
  std::uint64_t rows = 0;  // of `rest`, mirrors included
  bool has_axis = false;
  JointHistogram histogram;  // of `rest`
  std::vector<float> reference;
  std::vector<float> estimate;
};

}  // namespace

std::string recall_note(const ReconstructionErrors& errors) {
  if (errors.above_rounding * kTopOneIn >= errors.coefficients) return {};
  if (errors.above_rounding == 0) return "no coefficient is above rounding";
  return "of the " + std::to_string(errors.above_rounding) + " coefficients above rounding";
}

struct ReconstructionErrorConsumer::Impl {
  const Reconstruction* reconstruction = nullptr;
  double reference_floor = 0;
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  MagnitudeBins reference_bins;
  MagnitudeBins estimate_bins;
  std::vector<Worker> workers;
  // Row u = 0, without DC in the histogram: one row only, so one worker writes it.
  Products axis_products;
  JointHistogram axis_histogram;
  std::optional<OrderedSum<Products>>
      rest_products;  // by row and mirror, the same bits on any number of threads
  ReconstructionErrors errors;
  class OnDevice;

  void choose_bins(std::uint64_t plane_rows, std::uint64_t plane_cols) {
    m = plane_rows;
    n = plane_cols;
    // fewer than one coefficient in ten has |F|² above ten times the mean, so the reference's threshold is
    // below √(10·mean)
    const double bound = std::sqrt(10.0 * std::max(reconstruction->mean_power(), 1.0));
    const double least = std::sqrt(reconstruction->rounding_floor());
    reference_bins = MagnitudeBins(bound, -9, 2, std::sqrt(reference_floor));
    estimate_bins = MagnitudeBins(std::max(least, typical_top(*reconstruction)), -4, 5, least);
    errors = {};
  }

  /// `axis`: products of row u = 0; `rest`: of `rows` other rows; `histogram`: of all coefficients but DC.
  void conclude(const Products& axis, bool has_axis, const Products& rest, std::uint64_t rows,
                const JointHistogram& histogram) {
    errors.sampled = !has_axis || rows + 1 != m;
    errors.coefficients = (rows + (has_axis ? 1 : 0)) * n;
    Products all = axis;
    if (rows > 0) all.add(rest, static_cast<double>(m - 1) / static_cast<double>(rows));
    const double norm = std::sqrt(all.reference) * std::sqrt(all.estimate);
    errors.hellinger =
        norm > 0 ? std::sqrt(std::max(0.0, 1 - all.cross / norm)) : std::numeric_limits<double>::quiet_NaN();
    errors.recall_top10 = histogram.recall_of_top(kTopOneIn);
    errors.above_rounding = histogram.above_zero();
  }

  void add_row(std::int64_t u, Worker& worker) {
    reconstruction->row(u, 0, 1, worker.estimate);
    const Products products = products_of(worker.reference, worker.estimate);
    JointHistogram& histogram = u == 0 ? axis_histogram : worker.histogram;
    for (std::size_t v = u == 0 ? 1 : 0; v < n; ++v)
      histogram.add(reference_bins.bin(worker.reference[v]), estimate_bins.bin(worker.estimate[v]));
    if (u == 0) {
      axis_products = products;
      worker.has_axis = true;
    } else {
      const std::uint64_t place = 2 * static_cast<std::uint64_t>(std::abs(u)) + (u < 0 ? 1 : 0);
      rest_products->add(place, place + 1, products);
      ++worker.rows;
    }
  }
};

ReconstructionErrorConsumer::ReconstructionErrorConsumer(const Reconstruction& reconstruction,
                                                         std::optional<double> rounding_floor)
    : impl_(std::make_unique<Impl>()) {
  impl_->reconstruction = &reconstruction;
  impl_->reference_floor = rounding_floor.value_or(reconstruction.rounding_floor());
}
ReconstructionErrorConsumer::~ReconstructionErrorConsumer() = default;

void ReconstructionErrorConsumer::begin(std::uint64_t m, std::uint64_t n, unsigned workers) {
  Impl& impl = *impl_;
  impl.choose_bins(m, n);
  const JointHistogram empty(impl.reference_bins.count(), impl.estimate_bins.count());
  impl.axis_products = {};
  impl.axis_histogram = empty;
  impl.rest_products.emplace();
  Worker worker;
  worker.histogram = empty;
  worker.reference.resize(n);
  worker.estimate.resize(n);
  impl.workers.assign(workers, worker);
}

void ReconstructionErrorConsumer::consume(const SpectrumRow& row, unsigned worker_number) {
  Worker& worker = impl_->workers[worker_number];
  for (std::size_t v = 0; v < row.values.size(); ++v)
    worker.reference[v] = std::sqrt(std::norm(row.values[v]));
  impl_->add_row(row.u, worker);
  if (!row.mirrored) return;
  std::reverse(worker.reference.begin() + 1, worker.reference.end());  // |F[−u, v]| = |F[u, −v]|
  impl_->add_row(-row.u, worker);
}

void ReconstructionErrorConsumer::finish() {
  Impl& impl = *impl_;
  JointHistogram histogram(impl.reference_bins.count(), impl.estimate_bins.count());
  std::uint64_t rows = 0;
  bool has_axis = false;
  for (const Worker& worker : impl.workers) {
    histogram.add(worker.histogram);
    rows += worker.rows;
    has_axis = has_axis || worker.has_axis;
  }
  impl.workers.clear();
  // in a sample of rows the coefficients of the axis would count too much
  const bool is_sample = !has_axis || rows + 1 != impl.m;
  if (!is_sample || rows == 0) histogram.add(impl.axis_histogram);
  impl.conclude(impl.axis_products, has_axis, impl.rest_products->sum(), rows, histogram);
}

/// The device reduction: the nodes as tables; products and histogram from the device.
class ReconstructionErrorConsumer::Impl::OnDevice : public DeviceReduction {
 public:
  OnDevice(Impl& consumer, JobContext& context)
      : consumer_(consumer),
        booking_(context.memory(), bytes_of(consumer), "nodes and products of the reconstruction"),
        histogram_(consumer.reference_bins.count(), consumer.estimate_bins.count()),
        products_(half_rows(consumer.m)) {
    const auto rows = static_cast<std::int64_t>(consumer.m);
    const auto cols = static_cast<std::int64_t>(consumer.n);
    const Reconstruction& plane = *consumer.reconstruction;
    for (std::int64_t u = 0; u <= rows / 2; ++u) {
      rows_.push_back(packed(plane.nodes_around_row(signed_index(u, rows))));
      mirror_.push_back(packed(plane.nodes_around_row(signed_index(-u, rows))));
    }
    for (std::int64_t v = 0; v < cols; ++v)
      cols_.push_back(packed(plane.nodes_around_column(signed_index(v, cols))));
  }

  [[nodiscard]] bool describe(cuda::Reductions& reductions) override {
    const Reconstruction::Nodes nodes = consumer_.reconstruction->nodes();
    reduction_.m = consumer_.m;
    reduction_.node_rows = nodes.rows;
    reduction_.node_cols = nodes.cols;
    reduction_.magnitudes = nodes.magnitudes.data();
    reduction_.rows = rows_.data();
    reduction_.mirror = mirror_.data();
    reduction_.cols = cols_.data();
    reduction_.dc = static_cast<float>(consumer_.reconstruction->dc_magnitude());
    reduction_.reference_bins = consumer_.reference_bins.binning();
    reduction_.estimate_bins = consumer_.estimate_bins.binning();
    reduction_.products = products_.data();
    reduction_.histogram = histogram_.counts().data();
    reduction_.next = reductions.reconstructions;
    reductions.reconstructions = &reduction_;
    return true;
  }

  void collect() override {
    const auto of_row = [&](std::size_t u) {
      return Products{products_[u].cross, products_[u].reference, products_[u].estimate};
    };
    Products rest;
    for (std::size_t u = 1; u < products_.size(); ++u) rest.add(of_row(u));
    consumer_.conclude(of_row(0), true, rest, consumer_.m - 1, histogram_);
  }

 private:
  static cuda::NodeBracket packed(const SampleAxis::Bracket& around) {
    return {static_cast<std::uint32_t>(around.below), static_cast<std::uint32_t>(around.above),
            static_cast<float>(around.weight)};
  }
  static std::uint64_t bytes_of(const Impl& consumer) {
    return (2 * sizeof(cuda::NodeBracket) + sizeof(cuda::MagnitudeProducts)) * half_rows(consumer.m) +
           sizeof(cuda::NodeBracket) * consumer.n +
           sizeof(std::uint64_t) * consumer.reference_bins.count() * consumer.estimate_bins.count();
  }

  Impl& consumer_;
  Booking booking_;
  std::vector<cuda::NodeBracket> rows_;
  std::vector<cuda::NodeBracket> mirror_;
  std::vector<cuda::NodeBracket> cols_;
  JointHistogram histogram_;
  std::vector<cuda::MagnitudeProducts> products_;  // by row u, with its mirror
  cuda::ReconstructionReduction reduction_;
};

std::unique_ptr<DeviceReduction> ReconstructionErrorConsumer::device_reduction(std::uint64_t m,
                                                                               std::uint64_t n,
                                                                               bool /*symmetric_half*/,
                                                                               JobContext& context) {
  if (impl_->reconstruction->nodes().magnitudes.empty()) return nullptr;
  impl_->choose_bins(m, n);
  return std::make_unique<Impl::OnDevice>(*impl_, context);
}

ReconstructionErrors ReconstructionErrorConsumer::errors() const { return impl_->errors; }

}  // namespace spyctrum
