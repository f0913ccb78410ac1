// SPDX-License-Identifier: Apache-2.0
// Tiles of rows shared by several devices, here functions of this test that take tiles and answer with sums:
// what reaches the receiver is the same for any number of devices, also where some of them fail.
#include "core/device/device_group.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <random>
#include <thread>

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
    if (before < kRows) deliver(before, share.receiver);
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
    JobContext context(pool_, std::move(options));
    const std::vector<Backend> all = devices(count);
    const DeviceUse use = share_tiles(all, {sums, kTile}, context, work);
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
      for (int k = 0; k < fails_after; ++k) deliver(share.tiles.next(), share.receiver);
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

}  // namespace
}  // namespace spyctrum::test
