// SPDX-License-Identifier: Apache-2.0
// Tiles of rows shared by several devices, here functions of this test that take tiles and answer with sums
// or compare them with a reconstruction: results are the same for any number of devices, also where some of
// them fail.
#include "core/device/device_group.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <random>
#include <thread>

#include "core/reconstruction/reconstruction_errors.hpp"
#include "tests/unit/naive_plane.hpp"

namespace spyctrum::test {
namespace {

constexpr std::uint64_t kRows = 1001;
constexpr std::uint64_t kTile = 16;
constexpr std::uint32_t kColumns = 3;

std::vector<Backend> devices(int count) {
  std::vector<Backend> all;
  for (int k = 0; k < count; ++k) all.push_back({BackendKind::cuda, k});
  return all;
}

double sum_of(std::uint64_t row) { return std::sin(static_cast<double>(row)) * 1e3; }

/// Adds sums in the order in which they come, so that another order gives other bits.
class Total : public cuda::RowSumsReceiver {
 public:
  void take(std::uint64_t first, std::uint64_t count, const Moments* sums,
            const cuda::TileResults& results) override {
    EXPECT_FALSE(busy.exchange(true)) << "two threads at once";
    EXPECT_EQ(first, rows);
    for (std::uint64_t k = 0; k < count; ++k) total += sums[k].sums[0];
    ASSERT_EQ(results.cell_row_count, 1U);
    EXPECT_EQ(results.cell_rows[0].first, first);
    for (std::uint32_t c = 0; c < kColumns; ++c) cells += results.cells[c].power;
    ASSERT_EQ(results.strong_count, 1U);
    EXPECT_EQ(results.strong[0].row, first);
    EXPECT_EQ(results.has_all_strong, first != kTile);
    rows += count;
    busy = false;
    if (rows >= ends_at) throw 7;
  }
  double total = 0;
  float cells = 0;
  std::uint64_t rows = 0;
  std::uint64_t ends_at = kRows + 1;
  std::atomic<bool> busy{false};
};

/// Answers for one tile as the module does: what it passes on is gone after the call.
void deliver(std::uint64_t first, cuda::RowSumsReceiver& receiver) {
  const std::uint64_t count = std::min(kTile, kRows - first);
  std::vector<Moments> sums(count);
  for (std::uint64_t k = 0; k < count; ++k) sums[k].sums[0] = sum_of(first + k);
  const std::vector<cuda::CellRow> cell_rows{{first, 1, false}};
  std::vector<cuda::CellSum> cells(kColumns);
  for (std::uint32_t c = 0; c < kColumns; ++c) cells[c].power = static_cast<float>(sum_of(first + c) / 7);
  const std::vector<cuda::StrongValue> strong{{static_cast<std::uint32_t>(first), 1, 2, 3}};
  cuda::TileResults results;
  results.cell_rows = cell_rows.data();
  results.cells = cells.data();
  results.cell_row_count = 1;
  results.strong = strong.data();
  results.strong_count = 1;
  results.has_all_strong = first != kTile;
  receiver.take(first, count, sums.data(), results);
}

/// A device that holds two tiles at a time and takes a random time for each.
DeviceUse compute(const DeviceShare& share) {
  std::mt19937 random(static_cast<unsigned>(share.device.device));
  std::uint64_t before = kRows;
  for (;;) {
    share.check();
    const std::uint64_t first = share.tiles.next();
    if (before < kRows) deliver(before, *share.reductions.row_sums->receiver);
    if (first >= kRows) return {1.0 + share.device.device, 100};
    before = first;
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
  }
}

class DeviceGroup : public ::testing::Test {
 protected:
  DeviceUse share(int count, Total& total, const DeviceWork& work, JobContext::Options options = {}) {
    cuda::RowSumsReduction sums;
    sums.rows = kRows;
    sums.cell_cols = kColumns;
    sums.receiver = &total;
    cuda::Reductions reductions;
    reductions.row_sums = &sums;
    JobContext context(pool_, std::move(options));
    const std::vector<Backend> all = devices(count);
    const DeviceUse use = share_tiles(all, {reductions, kRows, kTile}, context, work);
    EXPECT_EQ(context.memory().current(), 0U);
    return use;
  }
  ThreadPool pool_{2};
};

TEST_F(DeviceGroup, AnyNumberOfDevicesGivesTheSameBits) {
  Total alone;
  share(1, alone, compute);
  EXPECT_EQ(alone.rows, kRows);
  for (const int count : {2, 3, 8}) {
    Total together;
    const DeviceUse use = share(count, together, compute);
    EXPECT_EQ(together.rows, kRows) << count;
    EXPECT_EQ(together.total, alone.total) << count;
    EXPECT_EQ(together.cells, alone.cells) << count;
    EXPECT_EQ(use.seconds, count) << "the slowest device's";
    EXPECT_EQ(use.bytes, 100U);
  }
}

TEST_F(DeviceGroup, OthersComputeTheTilesOfADeviceThatFails) {
  Total alone;
  share(1, alone, compute);
  for (const int fails_after : {0, 1, 5}) {
    Total total;
    share(3, total, [&](const DeviceShare& share) {
      if (share.device.device != 1) return compute(share);
      for (int k = 0; k < fails_after; ++k) deliver(share.tiles.next(), *share.reductions.row_sums->receiver);
      (void)share.tiles.next();  // and one that it never delivers
      throw Failure(ErrorCode::out_of_memory, "full");
    });
    EXPECT_EQ(total.total, alone.total) << fails_after;
    EXPECT_EQ(total.rows, kRows);
  }
}

TEST_F(DeviceGroup, ATileThatIsLostAfterTheOthersEndedIsComputedByThem) {
  Total alone;
  share(1, alone, compute);
  Total total;
  std::atomic<int> ended{0};
  share(3, total, [&](const DeviceShare& share) {
    if (share.device.device != 0) {
      const DeviceUse use = compute(share);
      ++ended;
      return use;
    }
    (void)share.tiles.next();
    while (ended < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    throw Failure(ErrorCode::backend_unavailable, "lost");
  });
  EXPECT_EQ(total.total, alone.total);
  EXPECT_EQ(total.rows, kRows);
}

TEST_F(DeviceGroup, TheJobFailsWhenAllDevicesHaveFailed) {
  Total total;
  try {
    share(3, total, [&](const DeviceShare& share) -> DeviceUse {
      (void)share.tiles.next();
      throw Failure(ErrorCode::backend_unavailable, "lost");
    });
    FAIL() << "ended without an error";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.error().code, ErrorCode::backend_unavailable);
  }
  EXPECT_EQ(total.rows, 0U);
}

TEST_F(DeviceGroup, AnExceptionOfTheReceiverEndsAllDevices) {
  Total total;
  total.ends_at = 500;
  EXPECT_THROW(share(4, total, compute), int);
  EXPECT_EQ(total.rows, 512U) << "no tile after the one that ended it";
}

TEST_F(DeviceGroup, AStopEndsAllDevices) {
  Total total;
  std::stop_source stop;
  JobContext::Options options;
  options.stop = stop.get_token();
  try {
    share(
        3, total,
        [&](const DeviceShare& share) {
          if (share.device.device == 2) stop.request_stop();
          return compute(share);
        },
        options);
    FAIL() << "ended without an error";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.error().code, ErrorCode::cancelled);
  }
}

/// A reconstruction of a plane from every third row and column, and its errors by simulated devices, which
/// work from the same tables as the kernels.
class ComparisonsOfAGroup : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kHeight = 4;  // of a tile
  static constexpr std::uint64_t kHalf = 51;   // rows of the half plane

  static Reconstruction sampled(const NaivePlane& plane) {
    auto spectrum = std::make_shared<Spectrum>();
    spectrum->m = static_cast<std::uint64_t>(plane.m);
    spectrum->n = static_cast<std::uint64_t>(plane.n);
    spectrum->nonzeros = std::llround(plane.at(0, 0).real());
    spectrum->grid = {FrequencyAxis::progression(spectrum->m, 1, 3, (spectrum->m - 1) / 3),
                      FrequencyAxis::progression(spectrum->n, 1, 3, (spectrum->n - 1) / 3)};
    for (std::uint64_t p = 0; p < spectrum->grid.rows.count(); ++p)
      for (std::uint64_t q = 0; q < spectrum->grid.cols.count(); ++q)
        spectrum->values.emplace_back(plane.at(spectrum->grid.rows.at(p), spectrum->grid.cols.at(q)));
    return Reconstruction::make(spectrum, Fill::bilinear).value();
  }

  static std::uint32_t bin_of(const cuda::MagnitudeBinning& bins, float magnitude) {
    if (magnitude < bins.least) return 0;
    const auto bits = std::bit_cast<std::uint32_t>(magnitude * bins.inverse);
    if (bits < bins.fine_bits)
      return bits < bins.coarse_bits ? 0 : (bits - bins.coarse_bits) >> bins.coarse_shift;
    if (bits < bins.upper_bits) return bins.fine_begin + ((bits - bins.fine_bits) >> bins.fine_shift);
    return std::min(bins.fine_end + ((bits - bins.upper_bits) >> bins.coarse_shift), bins.count - 1);
  }

  /// Compares |F[±u, v]| with the estimate between the four nodes around it.
  void compare_row(const cuda::ReconstructionReduction& task, std::int64_t u, bool mirrors) const {
    const cuda::NodeBracket row = (mirrors ? task.mirror : task.rows)[u];
    const auto at = [&](std::uint32_t r, std::uint32_t c) { return task.magnitudes[r * task.node_cols + c]; };
    for (std::int64_t v = 0; v < plane_.n; ++v) {
      const auto reference = static_cast<float>(std::abs(plane_.at(mirrors ? -u : u, v)));
      const cuda::NodeBracket& col = task.cols[v];
      const float below = std::lerp(at(row.below, col.below), at(row.above, col.below), row.weight);
      const float above = std::lerp(at(row.below, col.above), at(row.above, col.above), row.weight);
      const bool is_dc = u == 0 && v == 0;
      const float estimate = is_dc ? task.dc : std::lerp(below, above, col.weight);
      cuda::MagnitudeProducts& products = task.products[u];
      products.cross += double{reference} * double{estimate};
      products.reference += double{reference} * double{reference};
      products.estimate += double{estimate} * double{estimate};
      if (!is_dc)
        ++task.histogram[bin_of(task.reference_bins, reference) * task.estimate_bins.count +
                         bin_of(task.estimate_bins, estimate)];
    }
  }

  /// Compares a tile, or nothing if there is none.
  void compare_tile(const DeviceShare& share, std::uint64_t first) const {
    for (std::uint64_t u = first; u < std::min(first + kHeight, kHalf); ++u)
      for (const auto* task = share.reductions.reconstructions; task != nullptr; task = task->next) {
        compare_row(*task, static_cast<std::int64_t>(u), false);
        if (u != 0 && 2 * u != task->m) compare_row(*task, static_cast<std::int64_t>(u), true);
      }
  }

  DeviceUse compare(const DeviceShare& share) const {
    for (;;) {
      share.check();
      const std::uint64_t first = share.tiles.next();
      if (first >= kHalf) return {1, 100};
      compare_tile(share, first);
      std::this_thread::sleep_for(std::chrono::microseconds(100 * share.device.device));
    }
  }

  /// The errors of both reconstructions of the test by `count` devices.
  std::vector<ReconstructionErrors> errors_by(int count, const DeviceWork& work,
                                              JobContext::Options options = {}) {
    ReconstructionErrorConsumer consumers[] = {ReconstructionErrorConsumer(every_third_),
                                               ReconstructionErrorConsumer(of_another_)};
    JobContext context(pool_, std::move(options));
    std::vector<std::unique_ptr<DeviceReduction>> on_device;
    cuda::Reductions reductions;
    for (ReconstructionErrorConsumer& consumer : consumers) {
      on_device.push_back(consumer.device_reduction(101, 60, false, context));
      EXPECT_TRUE(on_device.back()->describe(reductions));
    }
    // What was there before does not count.
    reductions.reconstructions->products[0].cross = 1e9;
    reductions.reconstructions->histogram[0] = 1000000;
    share_tiles(devices(count), {reductions, kHalf, kHeight}, context, work);
    std::vector<ReconstructionErrors> errors;
    for (std::size_t k = 0; k < std::size(consumers); ++k) {
      on_device[k]->collect();
      errors.push_back(consumers[k].errors());
    }
    on_device.clear();
    EXPECT_EQ(context.memory().current(), 0U);
    most_bytes_ = context.memory().peak();
    return errors;
  }

  static void expect_same_bits(const std::vector<ReconstructionErrors>& actual,
                               const std::vector<ReconstructionErrors>& expected) {
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t k = 0; k < actual.size(); ++k) {
      EXPECT_EQ(actual[k].hellinger, expected[k].hellinger);
      EXPECT_EQ(actual[k].recall_top10, expected[k].recall_top10);
      EXPECT_EQ(actual[k].above_rounding, expected[k].above_rounding);
      EXPECT_EQ(actual[k].coefficients, expected[k].coefficients);
    }
  }

  ThreadPool pool_{2};
  std::uint64_t most_bytes_ = 0;  ///< host bytes of the last call of errors_by(), at the peak
  NaivePlane plane_ = random_plane(101, 60, 5, 0.1);
  Reconstruction every_third_ = sampled(plane_);
  Reconstruction of_another_ = sampled(random_plane(101, 60, 6, 0.2));
  DeviceWork compares_ = [this](const DeviceShare& share) { return compare(share); };
  std::vector<ReconstructionErrors> alone_ = errors_by(1, compares_);
};

TEST_F(ComparisonsOfAGroup, EqualThoseOfTheCpuOnAnyNumberOfDevices) {
  const Reconstruction* const planes[] = {&every_third_, &of_another_};
  for (std::size_t k = 0; k < std::size(planes); ++k) {
    ReconstructionErrorConsumer consumer(*planes[k]);
    deliver(plane_, consumer);
    EXPECT_NEAR(alone_[k].hellinger, consumer.errors().hellinger, 1e-6);
    EXPECT_NEAR(alone_[k].recall_top10, consumer.errors().recall_top10, 2e-3);
    EXPECT_EQ(alone_[k].above_rounding, consumer.errors().above_rounding);
    EXPECT_EQ(alone_[k].coefficients, 101U * 60U);
  }
  EXPECT_GT(std::abs(alone_[0].hellinger - alone_[1].hellinger), 1e-3);
  for (const int count : {2, 3, 4, 8}) {
    SCOPED_TRACE(count);
    expect_same_bits(errors_by(count, compares_), alone_);
  }
}

TEST_F(ComparisonsOfAGroup, ADeviceThatFailsGivesBackAllItsTiles) {
  for (const int fails_after : {0, 1, 5}) {
    SCOPED_TRACE(fails_after);
    expect_same_bits(errors_by(3,
                               [&](const DeviceShare& share) {
                                 if (share.device.device != 1) return compare(share);
                                 for (int k = 0; k < fails_after; ++k)
                                   compare_tile(share, share.tiles.next());
                                 (void)share.tiles.next();
                                 throw Failure(ErrorCode::out_of_memory, "full");
                               }),
                     alone_);
  }
}

TEST_F(ComparisonsOfAGroup, TilesThatAreLostAfterTheOthersEndedAreComparedByThem) {
  std::atomic<int> ended{0};
  expect_same_bits(errors_by(3,
                             [&](const DeviceShare& share) {
                               if (share.device.device != 0) {
                                 const DeviceUse use = compare(share);
                                 ++ended;
                                 return use;
                               }
                               for (int k = 0; k < 2; ++k) compare_tile(share, share.tiles.next());
                               while (ended < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                               throw Failure(ErrorCode::backend_unavailable, "lost");
                             }),
                   alone_);
}

TEST_F(ComparisonsOfAGroup, BookTheArraysOfEachDevice) {
  std::vector<std::uint64_t> most;
  for (const int count : {1, 2, 3}) {
    std::atomic<int> begun{0};
    errors_by(count, [&](const DeviceShare& share) {
      ++begun;
      while (begun < count) std::this_thread::yield();
      return compare(share);
    });
    most.push_back(most_bytes_);
  }
  EXPECT_GT(most[1], most[0]);
  EXPECT_EQ(most[2] - most[1], most[1] - most[0]);
}

TEST_F(ComparisonsOfAGroup, ReportTheRowsOfAllDevices) {
  std::uint64_t most = 0;
  JobContext::Options options;
  options.on_progress = [&](const Progress& now) {
    EXPECT_EQ(now.total, kHalf);
    most = std::max(most, now.done);
  };
  expect_same_bits(errors_by(2, compares_, options), alone_);
  EXPECT_EQ(most, kHalf);
}

TEST_F(ComparisonsOfAGroup, AStopEndsAllDevices) {
  std::stop_source stop;
  JobContext::Options options;
  options.stop = stop.get_token();
  std::atomic<int> tiles{0};
  try {
    errors_by(
        3,
        [&](const DeviceShare& share) -> DeviceUse {
          for (;;) {
            share.check();
            if (++tiles == 5) stop.request_stop();
            compare_tile(share, share.tiles.next());
          }
        },
        options);
    FAIL() << "ended without an error";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.error().code, ErrorCode::cancelled);
  }
  EXPECT_LT(tiles, 10);
}

}  // namespace
}  // namespace spyctrum::test
